//! A text as a matrix with labels and names.

use super::decimal::Decimal;
use super::gap::is_gap;
use super::records::{Delimiter, Record, content_lines, for_each};
use super::survey::{Form, kinds};
use crate::advice::Advice;
use crate::budget::Budget;
use crate::dataset::{Dataset, Dtype, Numbers, text_bytes};
use crate::error::{Problem, shortened};
use crate::options::{ReadOptions, find_column};
use crate::remark::Remark;
use crate::roles::{Roles, Table};
use emmf::{Mat, Real};

/// Records that are looked at to learn how a text is written.
pub(super) const LOOK: usize = 20;

/// Reads the matrix, the labels and the names.
pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Dataset, Problem> {
    let text = super::decode(bytes)?;
    let plan = Plan::new(&text, options)?;
    let (x, found) = match options.dtype {
        Some(Dtype::F32) => plan.numbers::<f32>(&options.budget)?,
        _ => plan.numbers::<f64>(&options.budget)?,
    };
    let name = |&at: &usize| plan.header.as_ref().map(|names| names[at].clone());
    let columns = plan.roles.features.iter().map(name).collect();
    let mut remarks = plan.roles.remarks.clone();
    if plan.form.decimal == Decimal::Comma && options.decimal.is_none() {
        remarks.push(Remark::DecimalComma);
    }
    let Found { labels, names } = found;
    let labels = plan.roles.labels.map(|_| labels);
    Dataset { names: plan.roles.names.map(|_| names), remarks, ..Dataset::new(x, labels, columns) }.checked()
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

pub(super) fn is_number(field: &str) -> bool {
    Decimal::Point.is_number(field)
}

/// What the options say about the decimals, or the text itself.
pub(super) fn decimal(
    options: &ReadOptions,
    first: &[Vec<String>],
    delimiter: Delimiter,
) -> Result<Decimal, Problem> {
    match options.decimal {
        None => Ok(Decimal::sniff(first, delimiter)),
        Some('.') => Ok(Decimal::Point),
        Some(',') => Ok(Decimal::Comma),
        Some(other) => {
            Err(Problem::unsupported(format!("{other:?} as the decimal mark"), "use a point or a comma"))
        }
    }
}

/// How to read the text, decided from its first lines.
struct Plan<'t> {
    form: Form<'t>,
    width: usize,
    header: Option<Vec<String>>,
    roles: Roles,
    /// Fields without a value are NaN.
    missing: bool,
}

/// What is read beside the numbers.
#[derive(Default)]
struct Found {
    labels: Vec<String>,
    names: Vec<String>,
}

impl<'t> Plan<'t> {
    fn new(text: &'t str, options: &ReadOptions) -> Result<Self, Problem> {
        let delimiter = match options.delimiter {
            Some(delimiter) => Delimiter::from_char(delimiter)?,
            None => Delimiter::sniff(text),
        };
        let first = first_records(text, delimiter, LOOK)?;
        let Some(head) = first.first() else { return Err(Problem::Empty { rows: 0, cols: 0 }) };
        let width = head.len();
        let decimal = decimal(options, &first, delimiter)?;
        let wanted = [&options.labels, &options.id].into_iter().flatten();
        let named = |wanted: &String| head.iter().any(|field| field == wanted && !decimal.is_number(field));
        let numbered = options.labels.as_deref().and_then(|wanted| find_column(wanted, None, width));
        let is_header = wanted.chain(&options.columns).chain(&options.drop).any(named);
        let has_header = options.header.unwrap_or_else(|| is_header || looks_like_header(&first, numbered));
        let header = has_header.then(|| head.clone());
        let form = Form { text, delimiter, decimal, header: has_header };
        let kinds = kinds(
            form,
            (&first[usize::from(has_header)..], width),
            header.as_ref().and_then(|names| names.first()).map(String::as_str),
            &options.budget,
        )?;
        let roles = match (Table { names: header.as_deref(), kinds: &kinds }).roles(options) {
            // Where all is text, the first line is most likely one of names.
            Err(Problem::OnlyTexts { .. }) => Table { names: Some(head), kinds: &kinds }.roles(options)?,
            other => other?,
        };
        Ok(Self { form, width, header, roles, missing: options.missing })
    }

    fn numbers<T: Real>(&self, budget: &Budget) -> Result<(Numbers, Found), Problem>
    where
        Numbers: From<Mat<T>>,
    {
        let cols = self.roles.features.len();
        // A field takes a byte at least, so that a long first line cannot promise more than there is.
        let entries =
            content_lines(self.form.text).count().saturating_mul(cols).min(self.form.text.len() + 1);
        let mut data = budget.room(Some(entries), "the matrix")?;
        let (mut found, mut rows, mut in_header) = (Found::default(), 0, self.header.is_some());
        for_each(self.form.text, self.form.delimiter, |record| {
            if std::mem::take(&mut in_header) {
                return Ok(true);
            }
            if record.fields.len() != self.width {
                let line = record.line(self.form.text);
                return Err(Problem::Ragged { line, want: self.width, got: record.fields.len() });
            }
            for &at in &self.roles.features {
                data.push(T::from_f64(self.value(&record, at)?));
            }
            let keep = |at: Option<usize>, texts: &mut Vec<String>, what| {
                let Some(at) = at else { return Ok(()) };
                texts.push(label(record.fields[at]));
                budget.take(Some(text_bytes(record.fields[at])), what)
            };
            keep(self.roles.labels, &mut found.labels, "the labels")?;
            keep(self.roles.names, &mut found.names, "the names of the samples")?;
            rows += 1;
            Ok(true)
        })?;
        Ok((Mat::from_vec(data, rows, cols)?.into(), found))
    }

    fn value(&self, record: &Record<'_>, at: usize) -> Result<f64, Problem> {
        let field = record.fields[at];
        match self.form.decimal.parse(field) {
            Some(value) => Ok(value),
            None if self.missing && is_gap(field) => Ok(f64::NAN),
            None => Err(self.not_a_number(record, at)),
        }
    }

    fn not_a_number(&self, record: &Record<'_>, at: usize) -> Problem {
        let text = record.fields[at];
        let name = self.header.as_ref().map(|names| names[at].as_str());
        let other = match self.form.decimal {
            Decimal::Point => Decimal::Comma,
            Decimal::Comma => Decimal::Point,
        };
        let advice = if is_gap(text) {
            Advice::FillIn
        } else if other.is_number(text) {
            Advice::DecimalMark(if other == Decimal::Comma { ',' } else { '.' })
        } else {
            Advice::Correct { column: name.map_or_else(|| (at + 1).to_string(), shortened) }
        };
        let column = match name {
            Some(name) => format!("{} ('{}')", at + 1, shortened(name)),
            None => (at + 1).to_string(),
        };
        Problem::NotANumber { line: record.line(self.form.text), column, text: shortened(text), advice }
    }
}

/// Whole numbers lose their decimal point, so that `1.0` in one file is `1` in another.
pub(crate) fn label(field: &str) -> String {
    match field.strip_suffix(".0") {
        Some(whole) if whole.parse::<i64>().is_ok() => whole.to_owned(),
        _ => field.to_owned(),
    }
}

/// The first line has text where the second has none. Text in the same places of both means a
/// column of text, not a line of names. A line by itself is one of names if it holds no number.
fn looks_like_header(first: &[Vec<String>], label_column: Option<usize>) -> bool {
    // With whatever mark before the decimals: a line of numbers is no line of names because they are written badly.
    let is_number = |field: &str| Decimal::Point.is_number(field) || Decimal::Comma.is_number(field);
    let texts = |record: &[String], is_value: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let others = record.iter().enumerate().filter(|(at, _)| Some(*at) != label_column);
        others.filter(|(_, field)| !is_value(field)).map(|(at, _)| at).collect()
    };
    let Some(head) = first.first() else { return false };
    let places = texts(head, &is_number);
    // Gaps alone name nothing.
    let has_names = places.iter().any(|&at| !is_gap(&head[at]));
    let all_names = places.len() == head.len();
    match first.get(1) {
        // Below a line of names alone, a gap is a number that is missing.
        Some(second) if all_names => {
            let value = |field: &str| is_number(field) || is_gap(field);
            has_names && places != texts(second, &value)
        }
        Some(second) => has_names && places != texts(second, &is_number),
        None => has_names && all_names,
    }
}
