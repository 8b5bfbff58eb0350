//! What the caller can say about a file, and the names that are tried when they say nothing.

use crate::budget::Budget;
use crate::dataset::Dtype;

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
    /// sample. A Parquet table's only text column is taken too.
    pub labels: Option<String>,
    /// The variable that holds the matrix in `.mat` and `.npz`. By default `X`, `x`, `fea`, `data`
    /// or `arr_0`, else the only matrix in the file.
    pub variable: Option<String>,
    /// Whether the first line of a text names the columns. By default it does if it holds a field
    /// that is not a number where the second line holds one. A first column without a name numbers
    /// the rows and is left out.
    pub header: Option<bool>,
    /// What separates the fields of a text; a space stands for any white space. By default found
    /// out from the first lines.
    pub delimiter: Option<char>,
    /// Whether empty fields of a text, `NA`, and nulls of a Parquet table are missing values, which are read as
    /// NaN. By default they are mistakes.
    pub missing: bool,
    /// Memory that reading may take. By default all that the machine has.
    pub budget: Budget,
}

impl ReadOptions {
    /// With a budget of its own: what is needed to read one file is given back when it has been read.
    pub(crate) fn for_one_file(&self) -> Self {
        Self { budget: self.budget.fork(), ..self.clone() }
    }
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
