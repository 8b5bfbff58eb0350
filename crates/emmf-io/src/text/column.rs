//! One column of a table as texts, and perhaps another as labels.

use super::records::{Delimiter, for_each};
use super::table::{first_records, label, no_such_column};
use crate::budget::Budget;
use crate::dataset::text_bytes;
use crate::error::Problem;
use crate::options::{find_column, is_label_column};

/// The texts of a column, by name or number, and the labels: the wanted column, or one of a usual name.
pub(crate) fn read_texts(
    bytes: &[u8],
    (column, labels): (&str, Option<&str>),
    budget: &Budget,
) -> Result<(Vec<String>, Option<Vec<String>>), Problem> {
    let text = super::decode(bytes)?;
    let delimiter = match Delimiter::sniff(text) {
        Delimiter::WhiteSpace => Delimiter::Byte(b','),
        byte @ Delimiter::Byte(_) => byte,
    };
    let first = first_records(text, delimiter, 1)?;
    let Some(head) = first.first() else { return Err(Problem::Empty { rows: 0, cols: 0 }) };
    let find = |wanted: &str| {
        find_column(wanted, Some(head), head.len())
            .ok_or_else(|| no_such_column(wanted, Some(head), head.len()))
    };
    let at = find(column)?;
    // A column that was found by its name has a line of names above it.
    let named = head.iter().any(|name| name == column);
    let usual = || head.iter().position(|name| named && is_label_column(name)).filter(|&other| other != at);
    let label_at = labels.map(find).transpose()?.or_else(usual);
    let (mut texts, mut classes, mut skip) = (Vec::new(), Vec::new(), named);
    for_each(text, delimiter, |record| {
        if record.fields.len() != head.len() {
            let line = record.line(text);
            return Err(Problem::Ragged { line, want: head.len(), got: record.fields.len() });
        }
        if !std::mem::take(&mut skip) {
            let kept = [Some(at), label_at].into_iter().flatten();
            let bytes = kept.map(|at| text_bytes(record.fields[at])).sum();
            budget.take(Some(bytes), "the texts")?;
            texts.push(record.fields[at].to_owned());
            classes.extend(label_at.map(|at| label(record.fields[at])));
        }
        Ok(true)
    })?;
    Ok((texts, label_at.map(|_| classes)))
}
