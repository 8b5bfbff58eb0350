//! The labels alone from a text: its only column, or the one that is named.

use super::records::{Delimiter, for_each};
use super::table::{first_records, is_number, label};
use crate::advice::Setting;
use crate::budget::Budget;
use crate::dataset::text_bytes;
use crate::error::{Problem, listed};
use crate::options::{LABEL_VARIABLES, find_column};
use crate::roles::no_such_column;

/// Reads the labels. The wanted column is a name or a number.
pub(crate) fn read_labels(
    bytes: &[u8],
    (wanted, budget): (Option<&str>, &Budget),
) -> Result<Vec<String>, Problem> {
    let text = super::decode(bytes)?;
    // Blanks belong to names like "New York".
    let delimiter = match Delimiter::sniff(&text) {
        Delimiter::WhiteSpace => Delimiter::Byte(b','),
        byte @ Delimiter::Byte(_) => byte,
    };
    let first = first_records(&text, delimiter, 2)?;
    let Some(head) = first.first() else { return Err(Problem::Empty { rows: 0, cols: 0 }) };
    let column = choose_column(head, wanted)?;
    let mut skip = is_header(&first, column, wanted);
    let mut labels = Vec::new();
    for_each(&text, delimiter, |record| {
        if record.fields.len() != head.len() {
            let line = record.line(&text);
            return Err(Problem::Ragged { line, want: head.len(), got: record.fields.len() });
        }
        if !std::mem::take(&mut skip) {
            budget.take(Some(text_bytes(record.fields[column])), "the labels")?;
            labels.push(label(record.fields[column]));
        }
        Ok(true)
    })?;
    if labels.is_empty() { Err(Problem::Empty { rows: 0, cols: 1 }) } else { Ok(labels) }
}

fn choose_column(head: &[String], wanted: Option<&str>) -> Result<usize, Problem> {
    // A first line of numbers alone names nothing.
    let names = (!head.iter().all(|field| is_number(field))).then_some(head);
    let available = || match names {
        Some(names) => listed(names.iter().map(String::as_str)),
        None => format!("1 to {} (they have no names)", head.len()),
    };
    if let Some(wanted) = wanted {
        return find_column(wanted, names, head.len())
            .ok_or_else(|| no_such_column(wanted, names, head.len()));
    }
    if head.len() == 1 {
        return Ok(0);
    }
    head.iter().position(|name| is_usual(name)).ok_or_else(|| Problem::Ambiguous {
        kind: "column with the labels",
        available: available(),
        setting: Setting::Labels,
    })
}

fn is_usual(name: &str) -> bool {
    LABEL_VARIABLES.iter().any(|usual| name.eq_ignore_ascii_case(usual))
}

/// A first line with a usual name, or a name in front of numbers.
fn is_header(first: &[Vec<String>], column: usize, wanted: Option<&str>) -> bool {
    let head = first[0][column].as_str();
    let second = first.get(1).and_then(|record| record.get(column));
    is_usual(head)
        || (!is_number(head) && (Some(head) == wanted || second.is_some_and(|field| is_number(field))))
}

/// A column of a text without a line of names, fields separated by tabs; the first where there are fewer.
pub(crate) fn first_fields(bytes: &[u8], column: usize, budget: &Budget) -> Result<Vec<String>, Problem> {
    let text = super::decode(bytes)?;
    let mut fields = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let field = line.split('\t').nth(column).or_else(|| line.split('\t').next()).unwrap_or_default();
        budget.take(Some(text_bytes(field)), "the names")?;
        fields.push(field.to_owned());
    }
    Ok(fields)
}
