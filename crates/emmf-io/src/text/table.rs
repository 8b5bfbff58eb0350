//! A text as a matrix with labels and names.

use super::records::{Delimiter, Record, content_lines, for_each};
use crate::budget::Budget;
use crate::dataset::{Dataset, Dtype, text_bytes};
use crate::error::{Problem, listed, nearest, shortened};
use crate::options::{ReadOptions, find_column, is_label_column};
use emmf::{Mat, Real};

/// Reads the matrix, the labels and the names.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Dataset, Problem> {
    let text = super::decode(bytes)?;
    let plan = Plan::new(text, options)?;
    let (x, labels) = match options.dtype {
        Some(Dtype::F32) => plan.parse::<f32>(&options.budget).map(|(x, labels)| (x.into(), labels))?,
        _ => plan.parse::<f64>(&options.budget).map(|(x, labels)| (x.into(), labels))?,
    };
    let columns = plan.names.as_ref().map(|names| {
        let features = names.iter().enumerate().filter(|(at, _)| plan.is_feature(*at));
        features.map(|(_, name)| name.clone()).collect()
    });
    Dataset { x, labels, columns }.checked()
}

/// The first records, as they are.
pub(super) fn first_records(
    text: &str,
    delimiter: Delimiter,
    count: usize,
) -> Result<Vec<Vec<String>>, Problem> {
    let mut records = Vec::new();
    for_each(text, delimiter, |record| {
        records.push(record.fields.iter().map(|&field| field.to_owned()).collect());
        Ok(records.len() < count)
    })?;
    Ok(records)
}

/// The column is not there: those that are, and the nearest name.
pub(super) fn no_such_column(wanted: &str, names: Option<&[String]>, width: usize) -> Problem {
    let available = names.map_or_else(
        || format!("1 to {width} (they have no names)"),
        |names| listed(names.iter().map(String::as_str)),
    );
    let nearest = nearest(wanted, names.unwrap_or_default().iter().map(String::as_str));
    Problem::NoSuchColumn { wanted: wanted.into(), nearest, available }
}

pub(super) fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

/// A field without a value.
fn is_gap(field: &str) -> bool {
    field.is_empty() || field.eq_ignore_ascii_case("na")
}

/// How to read the text, decided from its first lines.
struct Plan<'t> {
    text: &'t str,
    delimiter: Delimiter,
    width: usize,
    names: Option<Vec<String>>,
    label_column: Option<usize>,
    /// The first column has no name: it numbers the rows, as pandas and R write it.
    numbered_rows: bool,
    /// Fields without a value are NaN.
    missing: bool,
}

impl<'t> Plan<'t> {
    fn new(text: &'t str, options: &ReadOptions) -> Result<Self, Problem> {
        let delimiter = match options.delimiter {
            Some(delimiter) => Delimiter::from_char(delimiter)?,
            None => Delimiter::sniff(text),
        };
        let first = first_records(text, delimiter, 2)?;
        let Some(head) = first.first() else { return Err(Problem::Empty { rows: 0, cols: 0 }) };
        let width = head.len();
        let wanted = options.labels.as_deref();
        let named =
            wanted.and_then(|wanted| head.iter().position(|field| field == wanted && !is_number(field)));
        let numbered = wanted.and_then(|wanted| find_column(wanted, None, width));
        let header = options.header.unwrap_or_else(|| named.is_some() || looks_like_header(&first, numbered));
        let names = header.then(|| head.clone());
        let label_column = match wanted {
            Some(wanted) => Some(
                find_column(wanted, names.as_deref(), width)
                    .ok_or_else(|| no_such_column(wanted, names.as_deref(), width))?,
            ),
            None => names.as_ref().and_then(|names| names.iter().position(|name| is_label_column(name))),
        };
        let unnamed = names.as_ref().is_some_and(|names| names[0].is_empty() && width > 1);
        let numbered_rows = unnamed && label_column != Some(0);
        Ok(Self { text, delimiter, width, names, label_column, numbered_rows, missing: options.missing })
    }

    fn parse<T: Real>(&self, budget: &Budget) -> Result<(Mat<T>, Option<Vec<String>>), Problem> {
        let cols = (0..self.width).filter(|&at| self.is_feature(at)).count();
        // A field takes a byte at least, so that a long first line cannot promise more than there is.
        let entries = content_lines(self.text).count().saturating_mul(cols).min(self.text.len() + 1);
        let mut data = budget.room(Some(entries), "the matrix")?;
        let mut labels = self.label_column.map(|_| Vec::new());
        let mut rows = 0;
        let mut in_header = self.names.is_some();
        for_each(self.text, self.delimiter, |record| {
            if std::mem::take(&mut in_header) {
                return Ok(true);
            }
            if record.fields.len() != self.width {
                let line = record.line(self.text);
                return Err(Problem::Ragged { line, want: self.width, got: record.fields.len() });
            }
            for (at, field) in record.fields.iter().enumerate() {
                if self.label_column == Some(at) {
                    budget.take(Some(text_bytes(field)), "the labels")?;
                    labels.get_or_insert_default().push(label(field));
                } else if self.is_feature(at) {
                    let value = match field.parse() {
                        Ok(value) => value,
                        Err(_) if self.missing && is_gap(field) => f64::NAN,
                        Err(_) => return Err(self.not_a_number(&record, at)),
                    };
                    data.push(T::from_f64(value));
                }
            }
            rows += 1;
            Ok(true)
        })?;
        Ok((Mat::from_vec(data, rows, cols)?, labels))
    }

    fn is_feature(&self, at: usize) -> bool {
        self.label_column != Some(at) && !(self.numbered_rows && at == 0)
    }

    fn not_a_number(&self, record: &Record<'_>, at: usize) -> Problem {
        let text = record.fields[at];
        let name = self.names.as_ref().map(|names| names[at].as_str());
        let fix = if text.is_empty() {
            "fill in the missing value, remove the row or the column, or say --missing nan".into()
        } else if is_number(&text.replace(',', ".")) {
            "write a decimal point instead of the decimal comma".into()
        } else if self.only_text_column() == Some(at) {
            let column = name.map_or_else(|| (at + 1).to_string(), shortened);
            format!("if this column holds the labels, say --labels {column}")
        } else {
            "correct it, or remove the row or the column".into()
        };
        let column = match name {
            Some(name) => format!("{} ('{}')", at + 1, shortened(name)),
            None => (at + 1).to_string(),
        };
        Problem::NotANumber { line: record.line(self.text), column, text: shortened(text), fix }
    }

    /// The only column that holds text and no number at all. Looked for after a failure only.
    fn only_text_column(&self) -> Option<usize> {
        let mut is_text = vec![true; self.width];
        let mut in_header = self.names.is_some();
        let all = for_each(self.text, self.delimiter, |record| {
            if !std::mem::take(&mut in_header) {
                for (at, field) in record.fields.iter().take(self.width).enumerate() {
                    is_text[at] &= !is_number(field) && !field.is_empty();
                }
            }
            Ok(true)
        });
        let mut text = (0..self.width).filter(|&at| is_text[at] && self.is_feature(at));
        let only = text.next().filter(|_| text.next().is_none());
        all.ok().and(only)
    }
}

/// Whole numbers lose their decimal point, so that `1.0` in one file is `1` in another.
pub(super) fn label(field: &str) -> String {
    match field.strip_suffix(".0") {
        Some(whole) if whole.parse::<i64>().is_ok() => whole.to_owned(),
        _ => field.to_owned(),
    }
}

/// The first line has text where the second has none. Text in the same places of both means a
/// column of text, not a line of names. A line by itself is one of names if it holds no number.
fn looks_like_header(first: &[Vec<String>], label_column: Option<usize>) -> bool {
    let texts = |record: &Vec<String>| -> Vec<usize> {
        let others = record.iter().enumerate().filter(|(at, _)| Some(*at) != label_column);
        others.filter(|(_, field)| !is_number(field)).map(|(at, _)| at).collect()
    };
    let Some(head) = first.first() else { return false };
    let places = texts(head);
    // Empty fields alone are missing values.
    let has_names = places.iter().any(|&at| !head[at].is_empty());
    match first.get(1).map(texts) {
        Some(second) => has_names && places != second,
        None => has_names && places.len() == head.len(),
    }
}
