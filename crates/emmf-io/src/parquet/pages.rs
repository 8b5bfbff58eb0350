//! What the headers of pages announce, before room is made for it.
//!
//! Room is made for as many bytes and values as the header of a page says, which in a damaged one is up to 2³¹. So every
//! header is read first: a Thrift struct in the compact protocol.

use crate::budget::Budget;
use crate::error::{Problem, shortened};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use std::io::Read;

/// No struct of a page header is as deep.
const DEEPEST: usize = 8;

/// Types of fields.
const INT: u8 = 5;
const STRUCT: u8 = 12;

/// Checks that no page is larger than the whole piece of its column, as the footer has it, or than what may be taken.
pub(super) fn check_pages<R: ChunkReader>(
    metadata: &ParquetMetaData,
    reader: &R,
    budget: &Budget,
) -> Result<(), Problem> {
    for chunk in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let place = || format!("column '{}'", shortened(&chunk.column_path().string()));
        let broken = || Problem::malformed(place(), "the header of a page is damaged".to_owned());
        let (mut at, size) = chunk.byte_range();
        let end = at + size;
        while at < end {
            let source = reader.get_read(at).map_err(|e| Problem::malformed(place(), e.to_string()))?;
            let mut header = Header { source, length: 0 };
            let Page { unpacked, packed, values } = header.page().ok_or_else(broken)?;
            for (announced, all, what) in
                [(unpacked, chunk.uncompressed_size(), "bytes"), (values, chunk.num_values(), "values")]
            {
                if i64::from(announced) > all {
                    let says = format!("a page of {announced} {what} in a column of {all}");
                    return Err(Problem::malformed(place(), says));
                }
            }
            let needed = i64::from(unpacked) + 8 * i64::from(values);
            budget.fork().take(u64::try_from(needed).ok(), "a page")?;
            at =
                at.saturating_add(header.length).saturating_add(u64::try_from(packed).map_err(|_| broken())?);
        }
    }
    Ok(())
}

/// What the header of a page says: the largest number where a damaged one has several.
struct Page {
    /// Bytes.
    unpacked: i32,
    /// Bytes in the file.
    packed: i32,
    /// In the page or in its dictionary.
    values: i32,
}

/// A header while it is read, and how long it was so far.
struct Header<R: Read> {
    source: R,
    length: u64,
}

impl<R: Read> Header<R> {
    fn page(&mut self) -> Option<Page> {
        let (mut unpacked, mut packed, mut values) = (None, None, 0);
        let mut field = 0;
        loop {
            match (self.field(&mut field)?, field) {
                (0, _) => return Some(Page { unpacked: unpacked?, packed: packed?, values }),
                (INT, 2) => unpacked = unpacked.max(Some(self.int()?)),
                (INT, 3) => packed = packed.max(Some(self.int()?)),
                // Of data, of a dictionary, and of data in the second version.
                (STRUCT, 5 | 7 | 8) => values = values.max(self.values()?),
                (kind, _) => self.skip(kind, DEEPEST)?,
            }
        }
    }

    /// The first field of the header of data or a dictionary.
    fn values(&mut self) -> Option<i32> {
        let (mut values, mut field) = (0, 0);
        loop {
            match (self.field(&mut field)?, field) {
                (0, _) => return Some(values),
                (INT, 1) => values = values.max(self.int()?),
                (kind, _) => self.skip(kind, DEEPEST)?,
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.source.read_exact(&mut byte).ok()?;
        self.length += 1;
        Some(byte[0])
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn int(&mut self) -> Option<i32> {
        self.signed()?.try_into().ok()
    }

    /// The type of the next field, whose number follows `last`; 0 after the last one.
    fn field(&mut self, last: &mut i64) -> Option<u8> {
        let byte = self.byte()?;
        let kind = byte & 0xf;
        if kind > 0 {
            *last = if byte >> 4 == 0 { self.signed()? } else { last.checked_add(i64::from(byte >> 4))? };
        }
        Some(kind)
    }

    /// Passes over a value of this type.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => Some(()),
            3 => self.byte().map(drop),
            4..=6 => self.unsigned().map(drop),
            7 => self.pass(8),
            8 => self.unsigned().and_then(|length| self.pass(length)),
            9 | 10 => {
                let byte = self.byte()?;
                let count = if byte >> 4 == 0xf { self.unsigned()? } else { u64::from(byte >> 4) };
                // An entry that is true or false takes a byte here.
                let each = if matches!(byte & 0xf, 1 | 2) { 3 } else { byte & 0xf };
                (0..count).try_for_each(|_| self.skip(each, depth.checked_sub(1)?))
            }
            STRUCT => {
                let (mut field, depth) = (0, depth.checked_sub(1)?);
                loop {
                    match self.field(&mut field)? {
                        0 => return Some(()),
                        kind => self.skip(kind, depth)?,
                    }
                }
            }
            _ => None,
        }
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        let passed = std::io::copy(&mut self.source.by_ref().take(bytes), &mut std::io::sink()).ok()?;
        self.length += passed;
        (passed == bytes).then_some(())
    }
}
