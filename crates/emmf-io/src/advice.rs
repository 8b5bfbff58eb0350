//! What to do about a problem. Every front end has its own words for it: options that are typed, or arguments.

use std::fmt;

/// Something that a caller can say about how a file is read, called as in [`crate::ReadOptions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    /// Where the labels are.
    Labels,
    /// Where the names of the samples are.
    Id,
    /// The columns that are features.
    Columns,
    /// The columns that are no features.
    Drop,
    /// What holds the matrix.
    Variable,
    /// Rows are features.
    Transpose,
    /// Whether the first line names the columns.
    Header,
    /// What separates the fields.
    Delimiter,
    /// What stands before the decimals.
    Decimal,
}

impl Setting {
    /// The files that it can be meant for.
    pub fn meant_for(self) -> &'static str {
        match self {
            Self::Labels | Self::Id => "tables, AnnData, loom and files of several variables",
            Self::Variable => ".npz, .mat, HDF5, zarr and .xlsx files",
            Self::Header => "text and .xlsx files",
            Self::Delimiter | Self::Decimal => "text files",
            Self::Columns | Self::Drop | Self::Transpose => "columns of numbers",
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Labels => "labels",
            Self::Id => "id",
            Self::Columns => "columns",
            Self::Drop => "drop",
            Self::Variable => "variable",
            Self::Transpose => "transpose",
            Self::Header => "header",
            Self::Delimiter => "delimiter",
            Self::Decimal => "decimal",
        })
    }
}

/// What to do about a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Leave the setting out.
    LeaveOut(Setting),
    /// Say with the setting which one is meant.
    Choose(Setting),
    /// Fill in the value, or say that it is missing.
    FillIn,
    /// It may be a number with this decimal mark.
    DecimalMark(char),
    /// Correct the value, or leave out the column.
    Correct {
        /// The column.
        column: String,
    },
    /// The column holds names.
    Names {
        /// The column.
        column: String,
    },
    /// The columns hold texts, whose words can be counted.
    CountWords {
        /// One of the columns.
        column: String,
    },
    /// Let more words count.
    MoreWords,
    /// Correct the number of fields, or what separates them.
    Fields,
    /// Bring the images to this height and width.
    Resize(usize, usize),
    /// Give images of the height and width that are wanted.
    OtherImages,
    /// Give images whose pixels lie as they are wanted.
    OtherLayout,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeaveOut(_) => f.write_str("leave it out"),
            Self::Choose(setting) => write!(f, "say which with `{setting}`"),
            Self::FillIn => {
                f.write_str("fill in the value, leave out the row or the column, or set `missing`")
            }
            Self::DecimalMark(mark) => {
                write!(f, "if this is a number with decimals, set `decimal` to {mark:?}")
            }
            Self::Correct { column } => write!(f, "correct it, or leave the column out: `drop` {column}"),
            Self::Names { column } => write!(f, "set `id` to {column:?}"),
            Self::CountWords { column } => write!(f, "read the texts in {column:?} as counts of words"),
            Self::MoreWords => f.write_str("lower `min_df`, raise `max_df`, or keep the stop words"),
            Self::Fields => f.write_str(
                "add or remove fields, quote fields that hold the separator, or set another `delimiter`",
            ),
            Self::Resize(height, width) => {
                write!(f, "all must have the same size: resize them to {height}x{width}")
            }
            Self::OtherImages => f.write_str("give images of that height and width"),
            Self::OtherLayout => {
                f.write_str("say nothing about it if the order is the same, otherwise reorder the pixels")
            }
        }
    }
}
