//! Splitting a text into records and fields, whatever separates them.

use super::formula::meant;
use crate::error::Problem;

/// What stands between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Byte(u8),
    WhiteSpace,
}

impl Delimiter {
    /// As the caller says.
    pub(super) fn from_char(delimiter: char) -> Result<Self, Problem> {
        match u8::try_from(delimiter) {
            Ok(b' ') => Ok(Self::WhiteSpace),
            Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(Self::Byte(byte)),
            _ => Err(Problem::unsupported(
                format!("the separator {delimiter:?}"),
                "use a comma, a semicolon, a tab, a bar or a space",
            )),
        }
    }

    /// Guessed from the first two lines. A comma comes last: it may be inside numbers and names.
    pub(super) fn sniff(text: &str) -> Self {
        let mut lines = content_lines(text);
        let first = lines.next().unwrap_or("");
        let second = lines.next();
        let regular = |c: char| {
            let count = first.matches(c).count();
            count > 0 && second.is_none_or(|line| line.matches(c).count() == count)
        };
        let candidates = [b'\t', b';', b'|', b','];
        let present = || candidates.iter().find(|&&b| first.contains(char::from(b)));
        if let Some(&byte) = candidates.iter().find(|&&b| regular(char::from(b))).or_else(present) {
            Self::Byte(byte)
        } else if first.trim().contains(char::is_whitespace) {
            Self::WhiteSpace
        } else {
            Self::Byte(b',')
        }
    }
}

/// Lines that are neither blank nor comments.
pub(super) fn content_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !is_skipped(line))
}

fn is_skipped(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

/// One record.
pub(super) struct Record<'r> {
    /// A byte in the text at or before the record, with nothing but skipped lines between.
    near: usize,
    pub(super) fields: &'r [&'r str],
}

impl Record<'_> {
    /// The line, from 1.
    pub(super) fn line(&self, text: &str) -> usize {
        let mut at = self.near.min(text.len());
        for line in text.get(at..).unwrap_or("").split_inclusive('\n') {
            if !is_skipped(line) {
                break;
            }
            at += line.len();
        }
        1 + text[..at].matches('\n').count()
    }
}

/// Visits each record until the visitor fails or says stop by returning `false`.
pub(super) fn for_each(
    text: &str,
    delimiter: Delimiter,
    mut visit: impl FnMut(Record<'_>) -> Result<bool, Problem>,
) -> Result<(), Problem> {
    match delimiter {
        Delimiter::Byte(byte) => for_each_delimited(text, byte, visit),
        Delimiter::WhiteSpace => {
            let mut near = 0;
            for line in text.split_inclusive('\n') {
                let fields: Vec<&str> = line.split_ascii_whitespace().collect();
                if !is_skipped(line) && !visit(Record { near, fields: &fields })? {
                    break;
                }
                near += line.len();
            }
            Ok(())
        }
    }
}

fn for_each_delimited(
    text: &str,
    delimiter: u8,
    mut visit: impl FnMut(Record<'_>) -> Result<bool, Problem>,
) -> Result<(), Problem> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let bad = |e: csv::Error| Problem::malformed("the text", e.to_string());
    while reader.read_record(&mut record).map_err(bad)? {
        let near = record.position().map_or(0, |p| p.byte() as usize);
        let fields: Vec<&str> = record.iter().map(meant).collect();
        // A line of blanks is a record of one empty field to the csv reader.
        if fields[..] != [""] && !visit(Record { near, fields: &fields })? {
            break;
        }
    }
    Ok(())
}
