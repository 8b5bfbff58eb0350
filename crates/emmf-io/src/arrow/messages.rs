//! The messages of an Arrow stream, and of a file, whose last bytes say where they are.

use super::flat::{Table, damaged};
use crate::error::Problem;

/// The first and last bytes of a file.
pub(super) const MAGIC: &[u8] = b"ARROW1";
/// Stands before the length of a message.
const MARK: [u8; 4] = [0xff; 4];
/// Bytes of the mark and the length.
const PREFIX: usize = 8;

/// What a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Schema,
    Dictionary,
    Rows,
    Other,
}

/// One message.
pub(super) struct Message<'a> {
    pub(super) subject: Subject,
    pub(super) header: Table<'a>,
    pub(super) body: &'a [u8],
}

/// Whether these are the first bytes of a file or a stream.
pub(crate) fn is_arrow(head: &[u8]) -> bool {
    let begins_with_schema = || {
        let message = Table::root(head.get(PREFIX..)?).ok()?;
        Some(subject(&message).ok()? == Subject::Schema)
    };
    head.starts_with(MAGIC) || (head.starts_with(&MARK) && begins_with_schema() == Some(true))
}

fn subject(message: &Table<'_>) -> Result<Subject, Problem> {
    Ok(match message.byte(1)? {
        1 => Subject::Schema,
        2 => Subject::Dictionary,
        3 => Subject::Rows,
        _ => Subject::Other,
    })
}

/// The table with the columns, and all other messages.
pub(super) fn messages(bytes: &[u8]) -> Result<(Table<'_>, Vec<Message<'_>>), Problem> {
    if bytes.starts_with(MAGIC) { of_file(bytes) } else { of_stream(bytes) }
}

/// As the last bytes of a file say.
fn of_file(bytes: &[u8]) -> Result<(Table<'_>, Vec<Message<'_>>), Problem> {
    let cut = || Problem::malformed("its end", "the last bytes of an Arrow file are not there");
    let (rest, length) =
        bytes.strip_suffix(MAGIC).and_then(|rest| rest.split_last_chunk()).ok_or_else(cut)?;
    let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| negative())?;
    let start = rest.len().checked_sub(length).ok_or_else(cut)?;
    let last = Table::root(&rest[start..])?;
    let schema = last.table(1)?.ok_or_else(no_columns)?;
    let mut found = Vec::new();
    for [at, ..] in last.longs::<3>(2)?.chain(last.longs::<3>(3)?) {
        let message = usize::try_from(at).ok().and_then(|at| rest.get(at..)).ok_or_else(cut)?;
        found.push(next(message)?.ok_or_else(cut)?.0);
    }
    Ok((schema, found))
}

/// One after the other.
fn of_stream(mut rest: &[u8]) -> Result<(Table<'_>, Vec<Message<'_>>), Problem> {
    let mut found = Vec::new();
    while let Some((message, after)) = next(rest)? {
        found.push(message);
        rest = after;
    }
    if found.first().is_none_or(|first| first.subject != Subject::Schema) {
        return Err(no_columns());
    }
    Ok((found.remove(0).header, found))
}

fn negative() -> Problem {
    damaged("a length below 0")
}

fn no_columns() -> Problem {
    damaged("it does not say which columns there are")
}

/// The next message and what follows it. A stream ends with an empty one, or with its last byte.
fn next(bytes: &[u8]) -> Result<Option<(Message<'_>, &[u8])>, Problem> {
    let cut = || Problem::malformed("its messages", "the last one is not whole");
    if bytes.is_empty() {
        return Ok(None);
    }
    let length = bytes.strip_prefix(&MARK).and_then(|rest| rest.first_chunk()).ok_or_else(cut)?;
    let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| negative())?;
    if length == 0 {
        return Ok(None);
    }
    let (metadata, rest) = bytes[PREFIX..].split_at_checked(length).ok_or_else(cut)?;
    let message = Table::root(metadata)?;
    let body = usize::try_from(message.long(3)?).map_err(|_| negative())?;
    let (body, rest) = rest.split_at_checked(body).ok_or_else(cut)?;
    let header = message.table(2)?.ok_or_else(|| damaged("a message without content"))?;
    Ok(Some((Message { subject: subject(&message)?, header, body }, rest)))
}
