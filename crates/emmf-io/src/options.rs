//! What the caller can say about a file, and the names that are tried when they say nothing.

use crate::advice::Setting;
use crate::budget::Budget;
use crate::dataset::Dtype;
use crate::error::Problem;
use crate::format::Format;
use crate::texts::TextOptions;
use serde::{Deserialize, Serialize};

/// How to read a file. The default finds out everything by itself.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Convert to this type. By default stored `f32` stays `f32` and everything else becomes `f64`.
    pub dtype: Option<Dtype>,
    /// Where the labels are. In tables (CSV, Parquet): the name of a column or its number, where 1
    /// is the first and -1 the last; a name wins over a number. In `.mat` and `.npz`: the name of a
    /// variable.
    ///
    /// By default, columns named `label`, `labels`, `class` or `gnd` (in any case) are taken, and
    /// variables named `y`, `gnd`, `labels`, `label`, `class` or `target` that hold one entry per
    /// sample.
    pub labels: Option<String>,
    /// Where the names of the samples are: a column, as for labels. By default a first column is taken that has no name, or
    /// whose texts all differ, or that counts 0, 1, 2 or 1, 2, 3 and so on.
    pub id: Option<String>,
    /// Columns that are features: names, numbers, or patterns with `*` and `?`. By default all that hold numbers.
    pub columns: Vec<String>,
    /// Columns that are no features, told as `columns` are.
    pub drop: Vec<String>,
    /// What holds the matrix: a variable of `.mat`, `.npz` and HDF5, a layer of AnnData, a sheet of `.xlsx`. By default `X`,
    /// `x`, `fea`, `data` or `arr_0`, else the only matrix in the file; the first sheet.
    pub variable: Option<String>,
    /// Rows are features and columns are samples.
    pub transpose: bool,
    /// Whether the first line of a text names the columns. By default it does if it holds a field
    /// that is not a number where the second line holds one. A first column without a name numbers
    /// the rows and is left out.
    pub header: Option<bool>,
    /// What separates the fields of a text; a space stands for any white space. By default it is
    /// guessed from the first lines.
    pub delimiter: Option<char>,
    /// What stands before the decimals of a number in a text: a point or a comma. By default a point, or a comma where
    /// something else separates the fields and numbers have commas.
    pub decimal: Option<char>,
    /// Whether empty fields of a text, `NA`, and nulls of a Parquet table are missing values, which are read as
    /// NaN. By default they are mistakes.
    pub missing: bool,
    /// How the words of texts are counted.
    pub texts: TextOptions,
    /// What is meant where nothing is said, as the model does that the samples are for.
    pub usual: Usual,
    /// Memory that reading may take. By default all that the machine has.
    pub budget: Budget,
}

impl ReadOptions {
    /// With a budget of its own: what is needed to read one file is given back when it has been read.
    pub(crate) fn for_one_file(&self) -> Self {
        Self { budget: self.budget.fork(), ..self.clone() }
    }
}

/// Where names and numbers were when a model was fitted: that is where they are looked for in other files, which need not have
/// them there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usual {
    /// See [`ReadOptions::id`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// See [`ReadOptions::variable`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
}

impl Usual {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A setting that cannot be meant for a file is a mistake, not something to pass over.
pub(crate) fn refuse_idle(format: Format, options: &ReadOptions) -> Result<(), Problem> {
    let is_table = format.is_table();
    let has_variables = matches!(format, Format::Npz | Format::Mat | Format::Hdf5 | Format::Zarr);
    let idle = [
        (Setting::Labels, options.labels.is_some() && !is_table && !has_variables),
        (Setting::Id, options.id.is_some() && !is_table && !has_variables),
        (Setting::Variable, options.variable.is_some() && !has_variables && format != Format::Sheet),
        (Setting::Header, options.header.is_some() && !matches!(format, Format::Text | Format::Sheet)),
        (Setting::Delimiter, options.delimiter.is_some() && format != Format::Text),
        (Setting::Decimal, options.decimal.is_some() && format != Format::Text),
    ];
    refuse(&idle)
}

/// What is about columns of numbers cannot be meant for a column of texts.
pub(crate) fn refuse_idle_for_texts(format: Format, options: &ReadOptions) -> Result<(), Problem> {
    refuse_idle(format, options)?;
    refuse(&[
        (Setting::Columns, !options.columns.is_empty()),
        (Setting::Drop, !options.drop.is_empty()),
        (Setting::Transpose, options.transpose),
        (Setting::Decimal, options.decimal.is_some()),
    ])
}

/// The first setting that says something it cannot say here.
pub(crate) fn refuse(idle: &[(Setting, bool)]) -> Result<(), Problem> {
    let found = idle.iter().find(|(_, is_idle)| *is_idle);
    found.map_or(Ok(()), |(setting, _)| Err(Problem::Idle { setting: *setting }))
}

/// Variables that are taken for the matrix, best first.
pub(crate) const MATRIX_VARIABLES: [&str; 5] = ["X", "x", "fea", "data", "arr_0"];

/// Variables that are taken for the labels, best first.
pub(crate) const LABEL_VARIABLES: [&str; 6] = ["y", "gnd", "labels", "label", "class", "target"];

/// Variables that are taken for the names of the features, best first.
pub(crate) const NAME_VARIABLES: [&str; 2] = ["columns", "feature_names"];

/// Columns that are taken for the labels even where they hold numbers. `y` and `target` are not
/// among them: they are as often a feature.
pub(crate) const LABEL_COLUMNS: [&str; 4] = ["label", "labels", "class", "gnd"];

/// Whether a column of this name is taken for the labels without being asked for.
pub(crate) fn is_label_column(name: &str) -> bool {
    LABEL_COLUMNS.iter().any(|known| name.trim().eq_ignore_ascii_case(known))
}

/// A name for the column of labels that no feature has, so that it is found again.
pub(crate) fn label_column_beside(names: &[String]) -> &'static str {
    let is_free = |label: &&&'static str| names.iter().all(|name| name != **label);
    LABEL_COLUMNS.iter().find(is_free).unwrap_or(&LABEL_COLUMNS[0])
}

/// A name for the column of names that no feature has.
pub(crate) fn name_column_beside(columns: &[String]) -> &'static str {
    const USUAL: [&str; 3] = ["name", "id", "sample_name"];
    USUAL.iter().find(|name| columns.iter().all(|column| column != **name)).unwrap_or(&USUAL[0])
}

/// The position, from 0, of a column given by name or by number.
pub(crate) fn find_column(wanted: &str, names: Option<&[String]>, count: usize) -> Option<usize> {
    let by_name = names.and_then(|names| names.iter().position(|name| name == wanted));
    by_name
        .or_else(|| match wanted.parse::<i64>().ok()? {
            0 => None,
            number if number > 0 => usize::try_from(number - 1).ok(),
            number => count.checked_sub(usize::try_from(number.unsigned_abs()).ok()?),
        })
        .filter(|&at| at < count)
}

/// Whether a text is meant by a pattern with `*` for any characters and `?` for one.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&c) if c == '?' || c == text[t] => (p, t) = (p + 1, t + 1),
            // The last star takes one character more.
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, t) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}
