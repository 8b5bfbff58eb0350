//! The data elements that a MATLAB file is made of: a tag with type and size, then the bytes.

use crate::array::Element;
use crate::error::Problem;

/// The type of a data element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Numbers(Element),
    Matrix,
    Compressed,
    Utf8,
    Utf16,
    Utf32,
    Unknown,
}

impl Kind {
    fn from_code(code: u32) -> Self {
        match code {
            1 => Self::Numbers(Element::I8),
            2 => Self::Numbers(Element::U8),
            3 => Self::Numbers(Element::I16),
            4 => Self::Numbers(Element::U16),
            5 => Self::Numbers(Element::I32),
            6 => Self::Numbers(Element::U32),
            7 => Self::Numbers(Element::F32),
            9 => Self::Numbers(Element::F64),
            12 => Self::Numbers(Element::I64),
            13 => Self::Numbers(Element::U64),
            14 => Self::Matrix,
            15 => Self::Compressed,
            16 => Self::Utf8,
            17 => Self::Utf16,
            18 => Self::Utf32,
            _ => Self::Unknown,
        }
    }
}

/// One data element; its bytes are known to be there.
#[derive(Debug, Clone, Copy)]
pub(super) struct DataElement {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Steps from element to element.
pub(super) struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
    big_endian: bool,
}

impl<'b> Cursor<'b> {
    pub(super) fn new(bytes: &'b [u8], at: usize, big_endian: bool) -> Self {
        Self { bytes, at, big_endian }
    }

    /// The next element, or `None` at the end of the bytes.
    pub(super) fn next(&mut self) -> Result<Option<DataElement>, Problem> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let place = self.at;
        let cut = || Problem::malformed(format!("byte {place}"), "a data element is longer than the file");
        let word = self.word(place).ok_or_else(cut)?;
        // Up to four bytes are stored inside the tag, with the size in the upper half of the type.
        let (code, start, size) = match word >> 16 {
            0 => (word, place + 8, self.word(place + 4).ok_or_else(cut)? as usize),
            size @ 1..=4 => (word & 0xffff, place + 4, size as usize),
            _ => {
                return Err(Problem::malformed(
                    format!("byte {place}"),
                    "a short data element has over 4 bytes",
                ));
            }
        };
        let end = start.checked_add(size).filter(|&end| end <= self.bytes.len()).ok_or_else(cut)?;
        let kind = Kind::from_code(code);
        // Elements are padded to 8 bytes from their own tag, but compressed ones are not.
        let length = end.max(place + 8) - place;
        self.at = if kind == Kind::Compressed { end } else { place + length.next_multiple_of(8) };
        Ok(Some(DataElement { kind, start, end }))
    }

    /// Where the next element starts.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    fn word(&self, at: usize) -> Option<u32> {
        word(self.bytes.get(at..)?, self.big_endian)
    }
}

/// The first four bytes as a number.
pub(super) fn word(bytes: &[u8], big_endian: bool) -> Option<u32> {
    let bytes = *bytes.first_chunk::<4>()?;
    Some(if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
}
