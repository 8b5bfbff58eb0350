//! The buffers of a message, in the order of the columns, unpacked where they are packed.

use super::flat::{Table, damaged};
use super::schema::{Buffers, Field};
use crate::budget::Budget;
use crate::codec;
use crate::error::Problem;
use crate::inflate::Allowance;
use std::borrow::Cow;

/// What a packed buffer has in front: its size, or that it is not packed after all.
const SIZE: usize = 8;
const AS_IT_IS: i64 = -1;

/// How buffers are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Codec {
    Lz4,
    Zstd,
}

/// What is left of a message.
pub(super) struct Parts<'a> {
    body: &'a [u8],
    codec: Option<Codec>,
    nodes: Box<dyn Iterator<Item = [i64; 2]> + 'a>,
    buffers: Box<dyn Iterator<Item = [i64; 2]> + 'a>,
    more: Box<dyn Iterator<Item = [i64; 1]> + 'a>,
}

/// The rows of one column, still packed.
pub(super) struct Part<'a> {
    pub(super) rows: usize,
    buffers: Vec<&'a [u8]>,
    codec: Option<Codec>,
}

impl<'a> Parts<'a> {
    /// Of a batch of rows with this body.
    pub(super) fn of(batch: &Table<'a>, body: &'a [u8]) -> Result<Self, Problem> {
        let codec = batch.table(3)?.map(|packing| match packing.byte(0)? {
            0 => Ok(Codec::Lz4),
            1 => Ok(Codec::Zstd),
            _ => Err(damaged("columns packed in an unknown way")),
        });
        Ok(Self {
            body,
            codec: codec.transpose()?,
            nodes: Box::new(batch.longs(1)?),
            buffers: Box::new(batch.longs(2)?),
            more: Box::new(batch.longs(4)?),
        })
    }

    /// The next column, which is this field.
    pub(super) fn column(&mut self, field: &Field) -> Result<Part<'a>, Problem> {
        let part = self.next(field.buffers)?;
        if field.dictionary.is_none() {
            field.parts.iter().try_for_each(|part| self.column(part).map(drop))?;
        }
        Ok(part)
    }

    /// The next part with so many buffers.
    pub(super) fn next(&mut self, buffers: Buffers) -> Result<Part<'a>, Problem> {
        let [rows, _] = self.nodes.next().ok_or_else(|| damaged("fewer columns than it announces"))?;
        let rows = usize::try_from(rows).map_err(|_| damaged("a number of rows below 0"))?;
        let count = match buffers {
            Buffers::Fixed(count) => count,
            Buffers::Views => {
                let [more] =
                    self.more.next().ok_or_else(|| damaged("texts without their number of buffers"))?;
                usize::try_from(more).ok().and_then(|more| more.checked_add(2)).unwrap_or(usize::MAX)
            }
        };
        let buffers = (0..count).map(|_| self.buffer()).collect::<Result<_, _>>()?;
        Ok(Part { rows, buffers, codec: self.codec })
    }

    fn buffer(&mut self) -> Result<&'a [u8], Problem> {
        let place = self.buffers.next().ok_or_else(|| damaged("fewer buffers than its columns need"))?;
        let [start, length] = place.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let end = start.checked_add(length);
        let bytes = end.and_then(|end| self.body.get(start..end));
        bytes.ok_or_else(|| Problem::malformed("a column", "its bytes are not in the file"))
    }
}

impl<'a> Part<'a> {
    /// How many buffers there are.
    pub(super) fn count(&self) -> usize {
        self.buffers.len()
    }

    /// The bytes of a buffer.
    pub(super) fn buffer(&self, at: usize, budget: &Budget) -> Result<Cow<'a, [u8]>, Problem> {
        let packed = self.buffers.get(at).copied().unwrap_or_default();
        let (Some(codec), Some((size, rest))) = (self.codec, packed.split_first_chunk::<SIZE>()) else {
            return Ok(packed.into());
        };
        let size = i64::from_le_bytes(*size);
        if size == AS_IT_IS {
            return Ok(rest.into());
        }
        let mut allowance = Allowance::for_input(packed.len(), budget);
        let bytes = match codec {
            Codec::Lz4 => codec::lz4_frame(rest, &mut allowance, "a column")?,
            Codec::Zstd => codec::zstd(rest, &mut allowance, "a column")?,
        };
        if usize::try_from(size) != Ok(bytes.len()) {
            return Err(Problem::malformed("a column", "it unpacks to another size than announced"));
        }
        Ok(bytes.into())
    }

    /// Which rows have values; none is named where all have.
    pub(super) fn validity(&self, budget: &Budget) -> Result<Bits<'a>, Problem> {
        let bytes = self.buffer(0, budget)?;
        if !bytes.is_empty() && bytes.len() < self.rows.div_ceil(8) {
            return Err(short());
        }
        Ok(Bits(bytes))
    }
}

/// One bit a row.
pub(super) struct Bits<'a>(pub(super) Cow<'a, [u8]>);

impl Bits<'_> {
    /// Whether the bit of a row is set, or there are none.
    pub(super) fn has(&self, row: usize) -> bool {
        self.0.get(row / 8).is_none_or(|byte| byte >> (row % 8) & 1 == 1)
    }
}

/// A buffer that ends too early.
pub(super) fn short() -> Problem {
    Problem::malformed("a column", "it has fewer bytes than its rows need")
}
