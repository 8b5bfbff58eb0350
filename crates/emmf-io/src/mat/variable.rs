//! One variable of a MATLAB file: flags, size, name, entries.

use super::elements::{Cursor, DataElement, Kind, word};
use crate::array::{Array, Element, Layout};
use crate::budget::Budget;
use crate::dataset::text_bytes;
use crate::error::{Problem, shortened};
use crate::sparse::{Compression, SparseArrays};
use crate::variables::Variable;
use std::borrow::Cow;
use std::ops::Range;

const CELL: u32 = 1;
const CHAR: u32 = 4;
const SPARSE: u32 = 5;
const SINGLE: u32 = 7;
const NUMERIC: Range<u32> = 6..16;
const COMPLEX: u32 = 0x0800;

/// Reads the variable whose elements lie in `range`; `None` for MATLAB's own nameless data.
pub(super) fn read<'a>(
    bytes: Cow<'a, [u8]>,
    range: Range<usize>,
    (big_endian, budget): (bool, &Budget),
) -> Result<Option<(String, Variable<'a>)>, Problem> {
    let head = Head::read(&bytes, range.clone(), big_endian)?;
    if head.name.is_empty() {
        return Ok(None);
    }
    let name = head.name.clone();
    let variable = head.content(bytes, budget).map_err(|problem| match problem {
        Problem::Malformed { place, why } => {
            Problem::malformed(format!("variable '{}', {place}", shortened(&name)), why)
        }
        other => other,
    })?;
    Ok(Some((name, variable)))
}

/// What comes before the entries.
struct Head {
    class: u32,
    complex: bool,
    dims: Vec<usize>,
    name: String,
    big_endian: bool,
    /// Where the entries' elements are.
    rest: Range<usize>,
}

impl Head {
    fn read(bytes: &[u8], range: Range<usize>, big_endian: bool) -> Result<Self, Problem> {
        let place = range.start;
        let bad = |why: &str| Problem::malformed(format!("byte {place}"), why.to_owned());
        let mut parts = Parts::new(bytes, range.clone(), big_endian);
        let flags = parts.next()?;
        let flags =
            word(&bytes[flags.start..flags.end], big_endian).ok_or_else(|| bad("the flags are missing"))?;
        let dims = parts.next()?;
        let (dims, _) = bytes[dims.start..dims.end].as_chunks::<4>();
        let dims = dims.iter().map(|d| word(d, big_endian).unwrap_or(0) as usize).collect();
        let name = parts.next()?;
        let name = String::from_utf8_lossy(&bytes[name.start..name.end]).trim_end_matches('\0').to_owned();
        let rest = parts.position()..range.end;
        Ok(Self { class: flags & 0xff, complex: flags & COMPLEX != 0, dims, name, big_endian, rest })
    }

    fn content<'a>(self, bytes: Cow<'a, [u8]>, budget: &Budget) -> Result<Variable<'a>, Problem> {
        let &[rows, cols] = &self.dims[..] else {
            return Ok(Variable::Other(format!("{} dimensions", self.dims.len())));
        };
        match self.class {
            _ if self.complex => Ok(Variable::Other("complex numbers".into())),
            SPARSE => self.sparse((rows, cols), &bytes, budget).map(Variable::Sparse),
            CHAR => Ok(match self.char_rows((rows, cols), &bytes, budget)? {
                Some(texts) => Variable::Text(texts),
                None => Variable::Other("text in an odd encoding".into()),
            }),
            CELL => self.cell_texts(rows.saturating_mul(cols), &bytes, budget),
            class if NUMERIC.contains(&class) => {
                let data = Parts::new(&bytes, self.rest.clone(), self.big_endian).next()?;
                self.array(bytes, data, (rows, cols)).map(Variable::Dense)
            }
            class => Ok(Variable::Other(format!("class {class}"))),
        }
    }

    /// The numbers of one element; MATLAB stores them in the smallest type that holds them all.
    fn array<'a>(
        &self,
        bytes: Cow<'a, [u8]>,
        data: DataElement,
        shape: (usize, usize),
    ) -> Result<Array<'a>, Problem> {
        let Kind::Numbers(element) = data.kind else {
            return Err(Problem::malformed(format!("byte {}", data.start), "the entries are not numbers"));
        };
        let layout = Layout {
            element,
            big_endian: self.big_endian,
            shape,
            column_major: true,
            single: self.class == SINGLE,
        };
        let bytes = match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[..data.end]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(data.end);
                Cow::Owned(bytes)
            }
        };
        Array::new(bytes, data.start, layout)
    }

    /// Row indices, column pointers and values.
    fn sparse(
        &self,
        shape: (usize, usize),
        bytes: &[u8],
        budget: &Budget,
    ) -> Result<SparseArrays<'static>, Problem> {
        let mut parts = Parts::new(bytes, self.rest.clone(), self.big_endian);
        let indices = self.vector(bytes, parts.next()?, budget)?.to_positions(budget)?;
        let starts = self.vector(bytes, parts.next()?, budget)?.to_positions(budget)?;
        let values = self.vector(bytes, parts.next()?, budget)?;
        // Room for more entries than there are may be stored behind them.
        let stored = starts.last().and_then(|&n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
        let mut indices = indices;
        indices.truncate(stored);
        let values = values.first(stored)?;
        Ok(SparseArrays { shape, compression: Compression::Columns, starts, indices, values })
    }

    fn vector(&self, bytes: &[u8], data: DataElement, budget: &Budget) -> Result<Array<'static>, Problem> {
        let Kind::Numbers(element) = data.kind else {
            return Err(Problem::malformed(format!("byte {}", data.start), "the entries are not numbers"));
        };
        let mut own = budget.room(Some(data.end - data.start), "the index arrays")?;
        own.extend_from_slice(&bytes[data.start..data.end]);
        let all = DataElement { kind: data.kind, start: 0, end: own.len() };
        let count = own.len() / element.size();
        self.array(Cow::Owned(own), all, (count, 1))
    }

    /// The rows of a matrix of characters, without the blanks that make them equally long.
    fn char_rows(
        &self,
        shape: (usize, usize),
        bytes: &[u8],
        budget: &Budget,
    ) -> Result<Option<Vec<String>>, Problem> {
        let (rows, cols) = shape;
        let data = Parts::new(bytes, self.rest.clone(), self.big_endian).next()?;
        // The characters, and what is made of them.
        let count = data.end - data.start;
        let needed = (2 * size_of::<char>() * count) as u64 + text_bytes("") * rows.min(count) as u64;
        budget.take(Some(needed), "the texts")?;
        let text = self.characters(&bytes[data.start..data.end], data.kind);
        if rows == 1 {
            return Ok(Some(vec![text.into_iter().collect()]));
        }
        // MATLAB counts the units of UTF-16, so rare characters break the grid.
        if rows.checked_mul(cols) != Some(text.len()) {
            return Ok(None);
        }
        if text.is_empty() {
            return Ok(Some(vec![String::new(); rows.min(1)]));
        }
        let row = |i: usize| (0..cols).map(|j| text[j * rows + i]).collect::<String>().trim_end().to_owned();
        Ok(Some((0..rows).map(row).collect()))
    }

    fn characters(&self, bytes: &[u8], kind: Kind) -> Vec<char> {
        match kind {
            Kind::Utf16 | Kind::Numbers(Element::U16) => {
                let (units, _) = bytes.as_chunks::<2>();
                let unit = |b: &[u8; 2]| {
                    if self.big_endian { u16::from_be_bytes(*b) } else { u16::from_le_bytes(*b) }
                };
                let decoded = char::decode_utf16(units.iter().map(unit));
                decoded.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
            Kind::Utf32 => {
                let (units, _) = bytes.as_chunks::<4>();
                let unit = |b: &[u8; 4]| word(b, self.big_endian).and_then(char::from_u32);
                units.iter().map(|b| unit(b).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
            _ => String::from_utf8_lossy(bytes).chars().collect(),
        }
    }

    /// A cell array of texts, the usual way to store named classes.
    fn cell_texts(&self, count: usize, bytes: &[u8], budget: &Budget) -> Result<Variable<'static>, Problem> {
        let mut cursor = Cursor::new(&bytes[..self.rest.end], self.rest.start, self.big_endian);
        let mut texts = Vec::new();
        while let Some(cell) = cursor.next()? {
            if cell.kind != Kind::Matrix {
                return Ok(Variable::Other("a cell array".into()));
            }
            let head = Self::read(bytes, cell.start..cell.end, self.big_endian)?;
            let (CHAR, &[rows, cols]) = (head.class, &head.dims[..]) else {
                return Ok(Variable::Other("a cell array of anything but text".into()));
            };
            texts.push(head.char_rows((rows, cols), bytes, budget)?.unwrap_or_default().join(" "));
        }
        if texts.len() == count {
            Ok(Variable::Text(texts))
        } else {
            Err(Problem::malformed("the cells", format!("{count} are announced, {} are there", texts.len())))
        }
    }
}

/// The elements inside a variable, none of which may be missing.
struct Parts<'b> {
    cursor: Cursor<'b>,
    place: usize,
}

impl<'b> Parts<'b> {
    fn new(bytes: &'b [u8], range: Range<usize>, big_endian: bool) -> Self {
        Self { cursor: Cursor::new(&bytes[..range.end], range.start, big_endian), place: range.start }
    }

    fn next(&mut self) -> Result<DataElement, Problem> {
        let missing =
            || Problem::malformed(format!("byte {}", self.place), "a part of a variable is missing");
        self.cursor.next()?.ok_or_else(missing)
    }

    fn position(&self) -> usize {
        self.cursor.position()
    }
}
