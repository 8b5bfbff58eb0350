//! Numbers in text: CSV, TSV and columns separated by semicolons or white space.

mod column;
mod formula;
mod labels;
mod records;
mod table;
mod write;

pub(crate) use column::read_texts;
pub use formula::{disarmed, meant};
pub(crate) use labels::read_labels;
pub(crate) use table::read;
pub(crate) use write::{fill_row, number, write, write_labels};

use crate::error::Problem;

/// The text of a file, without a byte order mark.
fn decode(bytes: &[u8]) -> Result<&str, Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    str::from_utf8(bytes).map_err(|e| {
        let line = bytes[..e.valid_up_to()].split(|&b| b == b'\n').count();
        Problem::unsupported(format!("line {line} (its encoding is not UTF-8)"), "save the text as UTF-8")
    })
}
