//! Arrow tables, as files (Feather) and as streams: numeric columns are features.

mod buffers;
mod flat;
mod grow;
mod messages;
mod schema;

use crate::budget::Budget;
use crate::cells::Cell;
use crate::columns::Columns;
use crate::error::Problem;
use crate::guarded::guarded;
use crate::inflate::Allowance;
use buffers::Parts;
use flat::damaged;
use grow::Growing;
pub(crate) use messages::is_arrow;
use messages::{Message, Subject, messages};
use schema::{Field, fields};
use std::collections::HashMap;

/// What columns of categories look their values up in.
type Dictionaries = HashMap<i64, Vec<Cell>>;

/// Reads the table.
pub(crate) fn read(bytes: &[u8], budget: &Budget) -> Result<Columns, Problem> {
    guarded("its columns", || {
        let (schema, messages) = messages(bytes)?;
        let fields = fields(&schema)?;
        let rows = rows(&messages)?;
        let size = (rows as u64).checked_mul(fields.len() as u64);
        Allowance::for_input(bytes.len(), budget).spend(size, "the table")?;
        let mut columns =
            fields.iter().map(|field| Growing::new(field, rows, budget)).collect::<Result<Vec<_>, _>>()?;
        let mut dictionaries = Dictionaries::new();
        for message in &messages {
            match message.subject {
                Subject::Rows => add_rows(message, &fields, (&mut columns, &dictionaries), budget)?,
                Subject::Dictionary => add_dictionary(message, &fields, &mut dictionaries, budget)?,
                Subject::Schema | Subject::Other => {}
            }
        }
        let all = columns.into_iter().map(Growing::done).collect::<Result<_, _>>()?;
        let names = fields.into_iter().map(|field| field.name).collect();
        Ok(Columns { names: Some(names), all, first: 1 })
    })
}

/// How many rows all batches announce.
fn rows(messages: &[Message<'_>]) -> Result<usize, Problem> {
    let batches = messages.iter().filter(|message| message.subject == Subject::Rows);
    let sum = |sum: usize, message: &Message<'_>| -> Result<usize, Problem> {
        let rows = usize::try_from(message.header.long(0)?).ok();
        rows.and_then(|rows| sum.checked_add(rows)).ok_or_else(|| damaged("an absurd number of rows"))
    };
    batches.into_iter().try_fold(0, sum)
}

fn add_rows(
    message: &Message<'_>,
    fields: &[Field],
    (columns, dictionaries): (&mut [Growing], &Dictionaries),
    budget: &Budget,
) -> Result<(), Problem> {
    let rows = usize::try_from(message.header.long(0)?).unwrap_or(usize::MAX);
    let mut parts = Parts::of(&message.header, message.body)?;
    for (field, column) in fields.iter().zip(columns) {
        let part = parts.column(field)?;
        if part.rows != rows {
            return Err(damaged("columns of different lengths"));
        }
        match field.dictionary {
            None => column.add(&part, budget)?,
            Some((id, element)) => {
                let unknown = || damaged("categories that are not there");
                let values = dictionaries.get(&id).map(Vec::as_slice);
                // Of what holds neither numbers nor text, nothing is looked up.
                let values = if column.is_other() { &[] } else { values.ok_or_else(unknown)? };
                column.add_categories(&part, (element, values), budget)?;
            }
        }
    }
    Ok(())
}

fn add_dictionary(
    message: &Message<'_>,
    fields: &[Field],
    dictionaries: &mut Dictionaries,
    budget: &Budget,
) -> Result<(), Problem> {
    let id = message.header.long(0)?;
    let field = fields.iter().find(|field| field.dictionary.is_some_and(|(its, _)| its == id));
    let batch = message.header.table(1)?;
    let (Some(field), Some(batch)) = (field, batch) else { return Ok(()) };
    let (kind, buffers) = field.values();
    let part = Parts::of(&batch, message.body)?.next(buffers)?;
    let is_more = message.header.byte(2)? != 0;
    let mut values = dictionaries.remove(&id).filter(|_| is_more).unwrap_or_default();
    grow::cells(kind, &part, &mut values, budget)?;
    dictionaries.insert(id, values);
    Ok(())
}
