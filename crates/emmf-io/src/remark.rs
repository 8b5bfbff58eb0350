//! What a reader took for granted.

use crate::error::listed;
use std::fmt;

/// Something that a reader took for granted about a file, and that its owner may want to know or to change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// This column holds the names of the samples.
    Names {
        /// The column.
        column: String,
    },
    /// This column holds the names of the texts.
    NamesOfTexts {
        /// The column.
        column: String,
    },
    /// This column only numbers the rows and is no feature.
    Counts {
        /// The column.
        column: String,
    },
    /// This column of numbers that all differ is called like one of names, and is taken for it.
    Ids {
        /// The column.
        column: String,
    },
    /// The numbers of this column rise from row to row, as those of an index do; it is a feature.
    Rising {
        /// The column.
        column: String,
    },
    /// These columns hold texts that differ for every sample, and are not used.
    OtherNames {
        /// The columns.
        columns: Vec<String>,
    },
    /// These columns hold texts, and are neither features nor classes.
    Texts {
        /// The columns.
        columns: Vec<String>,
    },
    /// These columns hold something else than numbers and texts.
    NoNumbers {
        /// The columns.
        columns: Vec<String>,
    },
    /// What could be classes differs for every sample.
    NoClasses,
    /// Numbers are written with a decimal comma.
    DecimalComma,
    /// Rows were features and columns samples, as the files beside it say.
    Transposed {
        /// What tells so.
        by: String,
    },
    /// Words that count, of those that there are.
    Words {
        /// How many count.
        kept: usize,
        /// How many there are.
        of: usize,
        /// The language whose stop words are left out.
        language: Option<String>,
    },
    /// Images in colour became grey.
    Colours,
    /// The part of the file that was read, of several.
    Part {
        /// What was read.
        read: String,
        /// What else there is.
        others: Vec<String>,
    },
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |columns: &[String]| {
            let many = if columns.len() == 1 { "column" } else { "columns" };
            format!("{many} {}", listed(columns.iter().map(String::as_str)))
        };
        let hold = |columns: &[String]| if columns.len() == 1 { "holds" } else { "hold" };
        let are = |columns: &[String]| if columns.len() == 1 { "is" } else { "are" };
        match self {
            Self::Names { column } | Self::NamesOfTexts { column } | Self::Ids { column } => {
                write!(f, "column '{column}' is taken as the names of the samples")
            }
            Self::Rising { column } => {
                write!(f, "column '{column}' rises from row to row like an index, but is taken as a feature")
            }
            Self::OtherNames { columns } => write!(
                f,
                "{} {} text that differs for every sample and {} left out",
                list(columns),
                hold(columns),
                are(columns)
            ),
            Self::Counts { column } => {
                write!(f, "column '{column}' only numbers the rows and is taken as their names")
            }
            Self::Texts { columns } => {
                write!(f, "{} {} text and {} left out", list(columns), hold(columns), are(columns))
            }
            Self::NoNumbers { columns } => write!(
                f,
                "{} {} neither numbers nor text and {} left out",
                list(columns),
                hold(columns),
                are(columns)
            ),
            Self::NoClasses => {
                f.write_str("the labels differ for every sample and are taken as names, not as classes")
            }
            Self::DecimalComma => f.write_str("numbers are read with a decimal comma"),
            Self::Transposed { by } => {
                write!(f, "rows are read as features and columns as samples, as {by} says")
            }
            Self::Words { kept, of, language } => {
                let without = language
                    .as_ref()
                    .map_or_else(String::new, |code| format!(", without the stop words of '{code}'"));
                write!(f, "{kept} of {of} words count{without}")
            }
            Self::Colours => f.write_str("the images are in colour and are read as grey"),
            Self::Part { read, others } => {
                write!(f, "{read} is read; there is also {}", listed(others.iter().map(String::as_str)))
            }
        }
    }
}
