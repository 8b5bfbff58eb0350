//! Columns that grow batch by batch.

use super::buffers::{Bits, Part, short};
use super::flat::damaged;
use super::schema::{Field, Kind};
use crate::array::{Array, Element, Layout};
use crate::budget::Budget;
use crate::cells::{Cell, Column};
use crate::error::Problem;
use std::borrow::Cow;

/// Bytes of a view of a text, and how long a text may be to lie in it.
const VIEW: usize = 16;
const SHORT: usize = 12;
/// Bytes of the place of a gap, twice, as a list of them grows.
const GAP: u64 = 16;

/// A column that is not complete.
pub(super) enum Growing {
    Numbers { element: Element, bytes: Vec<u8>, gaps: Vec<usize> },
    Cells { kind: Kind, cells: Vec<Cell> },
    Other { what: &'static str, rows: usize },
}

impl Growing {
    /// Of so many rows when it is complete.
    pub(super) fn new(field: &Field, rows: usize, budget: &Budget) -> Result<Self, Problem> {
        Ok(match (field.kind, field.dictionary) {
            (Kind::Other(what), _) => Self::Other { what, rows: 0 },
            (Kind::Numbers(element), None) => {
                let bytes = budget.room(rows.checked_mul(element.size()), "a column")?;
                Self::Numbers { element, bytes, gaps: Vec::new() }
            }
            (kind, _) => Self::Cells { kind, cells: budget.room(Some(rows), "a column")? },
        })
    }

    pub(super) fn is_other(&self) -> bool {
        matches!(self, Self::Other { .. })
    }

    /// Adds the rows of a batch.
    pub(super) fn add(&mut self, part: &Part<'_>, budget: &Budget) -> Result<(), Problem> {
        match self {
            Self::Other { rows, .. } => {
                *rows += part.rows;
                Ok(())
            }
            Self::Cells { kind, cells } => self::cells(*kind, part, cells, budget),
            Self::Numbers { element, bytes, gaps } => {
                let before = bytes.len() / element.size();
                let within = budget.fork();
                bytes.extend_from_slice(&numbers(*element, part, &within)?);
                let valid = part.validity(&within)?;
                for row in (0..part.rows).filter(|&row| !valid.has(row)) {
                    within.take(Some(GAP), "a column")?;
                    budget.take(Some(GAP), "a column")?;
                    gaps.push(before + row);
                }
                Ok(())
            }
        }
    }

    /// Adds the rows of a batch, which tell the places of their values.
    pub(super) fn add_categories(
        &mut self,
        part: &Part<'_>,
        (element, values): (Element, &[Cell]),
        budget: &Budget,
    ) -> Result<(), Problem> {
        let Self::Cells { cells, .. } = self else { return self.add(part, budget) };
        let within = budget.fork();
        let (bytes, valid) = (numbers(element, part, &within)?, part.validity(&within)?);
        let places = column(element, bytes)?.to_positions(&within)?;
        for (row, place) in places.into_iter().enumerate() {
            let value = usize::try_from(place).ok().and_then(|place| values.get(place));
            let cell = match value {
                _ if !valid.has(row) => Cell::Gap,
                Some(value) => value.clone(),
                None => return Err(damaged("a category that is not there")),
            };
            push(cell, cells, (budget, &within))?;
        }
        Ok(())
    }

    pub(super) fn done(self) -> Result<Column, Problem> {
        Ok(match self {
            Self::Other { what, rows } => Column::Other { what, rows },
            Self::Cells { cells, .. } => Column::Cells(cells),
            Self::Numbers { element, bytes, gaps } => {
                Column::Numbers { array: column(element, bytes.into())?, gaps }
            }
        })
    }
}

/// The numbers in these bytes.
fn column(element: Element, bytes: Cow<'_, [u8]>) -> Result<Array<'_>, Problem> {
    let shape = (bytes.len() / element.size(), 1);
    let single = element == Element::F32;
    Array::new(bytes, 0, Layout { element, big_endian: false, shape, column_major: false, single })
}

/// The bytes of as many numbers as there are rows. Truth values, of which a byte holds eight, get one each.
fn numbers<'a>(element: Element, part: &Part<'a>, budget: &Budget) -> Result<Cow<'a, [u8]>, Problem> {
    let bytes = part.buffer(1, budget)?;
    if element == Element::Bool {
        if bytes.len() < part.rows.div_ceil(8) {
            return Err(short());
        }
        let (bits, mut each) = (Bits(bytes), budget.room(Some(part.rows), "a column")?);
        each.extend((0..part.rows).map(|row| u8::from(bits.has(row))));
        return Ok(each.into());
    }
    let length = part.rows.checked_mul(element.size()).filter(|&length| length <= bytes.len());
    let length = length.ok_or_else(short)?;
    Ok(match bytes {
        Cow::Borrowed(bytes) => bytes[..length].into(),
        Cow::Owned(mut bytes) => {
            bytes.truncate(length);
            bytes.into()
        }
    })
}

/// Adds the values of a part, one by one. Rows without a value are not looked at: anything may stand there.
pub(super) fn cells(
    kind: Kind,
    part: &Part<'_>,
    cells: &mut Vec<Cell>,
    budget: &Budget,
) -> Result<(), Problem> {
    let within = budget.fork();
    let valid = part.validity(&within)?;
    let both = (budget, &within);
    match kind {
        Kind::Numbers(element) => {
            let bytes = numbers(element, part, &within)?;
            let values: Vec<f64> = column(element, bytes)?.to_reals(&within)?;
            (0..part.rows).try_for_each(|row| {
                push(if valid.has(row) { Cell::Number(values[row]) } else { Cell::Gap }, cells, both)
            })
        }
        Kind::Texts(width) => {
            let (ends, data) = (part.buffer(1, &within)?, part.buffer(2, &within)?);
            let text = |row| between(&ends, &data, (row, width));
            (0..part.rows).try_for_each(|row| push_text(valid.has(row).then(|| text(row)), cells, both))
        }
        Kind::Views => {
            let views = part.buffer(1, &within)?;
            let far = (2..part.count()).map(|at| part.buffer(at, &within)).collect::<Result<Vec<_>, _>>()?;
            let text = |row| seen(&views, &far, row);
            (0..part.rows).try_for_each(|row| push_text(valid.has(row).then(|| text(row)), cells, both))
        }
        // Nobody looks at it.
        Kind::Other(_) => Ok(()),
    }
}

/// Adds the text of a row, or a gap.
fn push_text(
    text: Option<Result<&[u8], Problem>>,
    cells: &mut Vec<Cell>,
    both: (&Budget, &Budget),
) -> Result<(), Problem> {
    let Some(bytes) = text.transpose()? else { return push(Cell::Gap, cells, both) };
    let text = str::from_utf8(bytes);
    let text = text.map_err(|_| Problem::malformed("a column", "its text is not UTF-8"))?;
    // The copy is there before its cell is.
    both.1.fork().take(Some(text.len() as u64), "the texts")?;
    push(Cell::Text(text.to_owned()), cells, both)
}

/// Adds a cell to a column, within what the column and what lies beside it may take.
fn push(cell: Cell, cells: &mut Vec<Cell>, (budget, within): (&Budget, &Budget)) -> Result<(), Problem> {
    // Only what dictionaries hold has no room of its own.
    let place = if cells.len() == cells.capacity() { 2 * size_of::<Cell>() as u64 } else { 0 };
    let bytes = Some(place + cell.bytes() - size_of::<Cell>() as u64);
    within.take(bytes, "the texts")?;
    budget.take(bytes, "the texts")?;
    cells.push(cell);
    Ok(())
}

/// The text of a row between two places of so many bytes each.
fn between<'a>(ends: &[u8], data: &'a [u8], (row, width): (usize, usize)) -> Result<&'a [u8], Problem> {
    let end = |row: usize| {
        let bytes = ends.get(row * width..(row + 1) * width).ok_or_else(short)?;
        let mut long = [0; 8];
        long[..width].copy_from_slice(bytes);
        Ok::<_, Problem>(usize::try_from(u64::from_le_bytes(long)).unwrap_or(usize::MAX))
    };
    data.get(end(row)?..end(row + 1)?).ok_or_else(short)
}

/// The text of a row that lies in its view, or where the view says.
fn seen<'a>(views: &'a [u8], far: &'a [Cow<'_, [u8]>], row: usize) -> Result<&'a [u8], Problem> {
    let view = views.get(row * VIEW..(row + 1) * VIEW).ok_or_else(short)?;
    let (words, _) = view.as_chunks::<4>();
    let word = |at: usize| u32::from_le_bytes(words[at]) as usize;
    let length = word(0);
    if length <= SHORT {
        return Ok(&view[4..4 + length]);
    }
    let (buffer, start) = (word(2), word(3));
    far.get(buffer).and_then(|bytes| bytes.get(start..start + length)).ok_or_else(short)
}
