//! Numbers in text: CSV, TSV and columns separated by semicolons or white space.

mod column;
mod decimal;
mod formula;
mod gap;
mod labels;
mod records;
mod survey;
mod table;
mod write;

pub(crate) use column::read_texts;
pub use formula::{disarmed, meant};
pub(crate) use gap::is_gap;
pub(crate) use labels::{first_fields, read_labels};
pub(crate) use table::{label, read};
pub(crate) use write::{field, fill_row, number, write, write_labels, write_named, write_texts};

use crate::error::Problem;
use std::borrow::Cow;

/// The text of a file, without a byte order mark. Spreadsheets also write UTF-16, which says so.
fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Problem> {
    let wide: Option<fn([u8; 2]) -> u16> = match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    };
    if let Some(unit) = wide {
        let units = bytes[2..].as_chunks::<2>().0.iter().map(|&pair| unit(pair));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        return text.map(Cow::Owned).map_err(|_| Problem::malformed("the text", "it is not valid UTF-16"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    str::from_utf8(bytes).map(Cow::Borrowed).map_err(|e| {
        let line = bytes[..e.valid_up_to()].split(|&b| b == b'\n').count();
        Problem::unsupported(format!("line {line} (its encoding is not UTF-8)"), "save the text as UTF-8")
    })
}
