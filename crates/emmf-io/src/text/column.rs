//! One column of a table as texts, and perhaps others as labels and names.

use super::records::{Delimiter, for_each};
use super::table::{first_records, label};
use crate::budget::Budget;
use crate::dataset::text_bytes;
use crate::error::Problem;
use crate::options::ReadOptions;
use crate::roles_of_texts::TextRoles;
use crate::texts::Texts;

/// The texts of a column, by name or number, the labels (the wanted column, or one of a usual name), and the names of
/// the samples where a column of them is wanted.
pub(crate) fn read_texts(
    bytes: &[u8],
    (column, options): (&str, &ReadOptions),
    budget: &Budget,
) -> Result<Texts, Problem> {
    let text = super::decode(bytes)?;
    let delimiter = match options.delimiter {
        Some(delimiter) => Delimiter::from_char(delimiter)?,
        None => match Delimiter::sniff(&text) {
            Delimiter::WhiteSpace => Delimiter::Byte(b','),
            byte @ Delimiter::Byte(_) => byte,
        },
    };
    let first = first_records(&text, delimiter, 1)?;
    let Some(head) = first.first() else { return Err(Problem::Empty { rows: 0, cols: 0 }) };
    // A column that was found by its name has a line of names above it.
    let named = options.header.unwrap_or_else(|| head.iter().any(|name| name == column));
    let roles = TextRoles::of(column, (Some(head), head.len(), named), options)?;
    let (mut found, mut skip) = (Texts::default(), named);
    for_each(&text, delimiter, |record| {
        if record.fields.len() != head.len() {
            let line = record.line(&text);
            return Err(Problem::Ragged { line, want: head.len(), got: record.fields.len() });
        }
        if !std::mem::take(&mut skip) {
            let kept = [Some(roles.texts), roles.labels, roles.names].into_iter().flatten();
            let bytes = kept.map(|at| text_bytes(record.fields[at])).sum();
            budget.take(Some(bytes), "the texts")?;
            found.all.push(record.fields[roles.texts].to_owned());
            let keep = |texts: &mut Option<Vec<String>>, at: Option<usize>| {
                if let Some(at) = at {
                    texts.get_or_insert_default().push(label(record.fields[at]));
                }
            };
            keep(&mut found.labels, roles.labels);
            keep(&mut found.names, roles.names);
        }
        Ok(true)
    })?;
    roles.settled(found, named.then_some(head), budget)
}
