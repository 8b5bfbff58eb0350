//! FlatBuffers, as far as Arrow's messages need them. Every place is checked against the bytes that are there.

use crate::error::Problem;

/// A table in a buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
    fields: usize,
}

/// Bytes of a place, of the size of a list, and of a number of eight bytes.
const WORD: usize = 4;
const LONG: usize = 8;

pub(super) fn damaged(why: &str) -> Problem {
    Problem::malformed("the Arrow metadata", why)
}

fn outside() -> Problem {
    damaged("it points out of itself")
}

/// The bytes of a number at this place.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], Problem> {
    let there = bytes.get(at..).and_then(|rest| rest.first_chunk());
    there.copied().ok_or_else(outside)
}

/// The place that the word at this place points to.
fn pointed(bytes: &[u8], at: usize) -> Result<usize, Problem> {
    let offset = u32::from_le_bytes(number(bytes, at)?) as usize;
    let to = at.checked_add(offset).filter(|&to| to > at && to < bytes.len());
    to.ok_or_else(outside)
}

impl<'a> Table<'a> {
    /// The outermost table.
    pub(super) fn root(bytes: &'a [u8]) -> Result<Self, Problem> {
        Self::new(bytes, pointed(bytes, 0)?)
    }

    fn new(bytes: &'a [u8], at: usize) -> Result<Self, Problem> {
        let back = i64::from(i32::from_le_bytes(number(bytes, at)?));
        let fields = usize::try_from(at as i64 - back).map_err(|_| outside())?;
        Ok(Self { bytes, at, fields })
    }

    /// Where a field is; nothing where it has its default.
    fn place(&self, field: usize) -> Result<Option<usize>, Problem> {
        let length = usize::from(u16::from_le_bytes(number(self.bytes, self.fields)?));
        let at = 2 * (field + 2);
        if at + 2 > length {
            return Ok(None);
        }
        let offset = usize::from(u16::from_le_bytes(number(self.bytes, self.fields + at)?));
        Ok((offset != 0).then_some(self.at + offset))
    }

    /// The bytes of a number; zeros where it has its default.
    pub(super) fn number<const N: usize>(&self, field: usize) -> Result<[u8; N], Problem> {
        self.place(field)?.map_or(Ok([0; N]), |at| number(self.bytes, at))
    }

    pub(super) fn byte(&self, field: usize) -> Result<u8, Problem> {
        self.number::<1>(field).map(|[byte]| byte)
    }

    pub(super) fn long(&self, field: usize) -> Result<i64, Problem> {
        self.number(field).map(i64::from_le_bytes)
    }

    pub(super) fn table(&self, field: usize) -> Result<Option<Self>, Problem> {
        let Some(at) = self.place(field)? else { return Ok(None) };
        Self::new(self.bytes, pointed(self.bytes, at)?).map(Some)
    }

    pub(super) fn text(&self, field: usize) -> Result<&'a str, Problem> {
        let (start, length) = self.list(field, 1)?;
        str::from_utf8(&self.bytes[start..start + length]).map_err(|_| damaged("a name is not UTF-8"))
    }

    /// Where the entries of a list begin and how many there are, each of so many bytes.
    fn list(&self, field: usize, each: usize) -> Result<(usize, usize), Problem> {
        let Some(at) = self.place(field)? else { return Ok((0, 0)) };
        let at = pointed(self.bytes, at)?;
        let length = u32::from_le_bytes(number(self.bytes, at)?) as usize;
        let start = at + WORD;
        let end = length.checked_mul(each).and_then(|bytes| bytes.checked_add(start));
        if end.is_none_or(|end| end > self.bytes.len()) {
            return Err(outside());
        }
        Ok((start, length))
    }

    pub(super) fn tables(
        &self,
        field: usize,
    ) -> Result<impl Iterator<Item = Result<Self, Problem>>, Problem> {
        let (start, length) = self.list(field, WORD)?;
        let bytes = self.bytes;
        Ok((0..length).map(move |i| Self::new(bytes, pointed(bytes, start + WORD * i)?)))
    }

    /// A list of groups of so many numbers of eight bytes.
    pub(super) fn longs<const N: usize>(
        &self,
        field: usize,
    ) -> Result<impl Iterator<Item = [i64; N]> + use<'a, N>, Problem> {
        let (start, length) = self.list(field, N * LONG)?;
        let entries = self.bytes[start..start + length * N * LONG].chunks_exact(N * LONG);
        Ok(entries.map(|entry| {
            let mut numbers = entry.as_chunks::<LONG>().0.iter().map(|bytes| i64::from_le_bytes(*bytes));
            [0; N].map(|_: i64| numbers.next().unwrap_or_default())
        }))
    }
}
