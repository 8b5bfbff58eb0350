//! Arrays of numbers as they lie in NPY and MATLAB files, decoded straight to the wanted type.

use crate::budget::Budget;
use crate::dataset::{Dtype, Numbers, text_bytes};
use crate::error::Problem;
use emmf::{Mat, Real};
use std::borrow::Cow;

/// The stored type of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Element {
    /// Bytes of one entry.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// `$use` with the function that turns the little-endian bytes of an entry into a `$real`.
macro_rules! by_element {
    ($element:expr, $real:ident, $decode:ident => $use:expr) => {
        match $element {
            Element::Bool => by_element!(@ $decode, $use, |b: [u8; 1]| $real::from_f64(f64::from(u8::from(b[0] != 0)))),
            Element::I8 => by_element!(@ $decode, $use, |b| $real::from_f64(f64::from(i8::from_le_bytes(b)))),
            Element::U8 => by_element!(@ $decode, $use, |b| $real::from_f64(f64::from(u8::from_le_bytes(b)))),
            Element::I16 => by_element!(@ $decode, $use, |b| $real::from_f64(f64::from(i16::from_le_bytes(b)))),
            Element::U16 => by_element!(@ $decode, $use, |b| $real::from_f64(f64::from(u16::from_le_bytes(b)))),
            Element::I32 => by_element!(@ $decode, $use, |b| $real::from_f64(f64::from(i32::from_le_bytes(b)))),
            Element::U32 => by_element!(@ $decode, $use, |b| $real::from_f64(f64::from(u32::from_le_bytes(b)))),
            Element::I64 => by_element!(@ $decode, $use, |b| $real::from_f64(i64::from_le_bytes(b) as f64)),
            Element::U64 => by_element!(@ $decode, $use, |b| $real::from_f64(u64::from_le_bytes(b) as f64)),
            Element::F16 => by_element!(@ $decode, $use, |b| $real::from_f64(half::f16::from_le_bytes(b).to_f64())),
            Element::F32 => by_element!(@ $decode, $use, |b| $real::from_f64(f64::from(f32::from_le_bytes(b)))),
            Element::F64 => by_element!(@ $decode, $use, |b| $real::from_f64(f64::from_le_bytes(b))),
        }
    };
    (@ $decode:ident, $use:expr, $function:expr) => {{
        let $decode = $function;
        $use
    }};
}

impl Element {
    /// The entries in these bytes, as many as `out` has room for.
    pub(crate) fn decode<T: Real>(self, bytes: &[u8], big_endian: bool, out: &mut [T]) {
        by_element!(self, T, decode => each(bytes, big_endian, out, decode));
    }
}

fn each<const N: usize, T>(bytes: &[u8], big_endian: bool, out: &mut [T], decode: impl Fn([u8; N]) -> T) {
    let entries = bytes.as_chunks::<N>().0.iter().zip(out);
    if big_endian {
        entries.for_each(|(bytes, out)| {
            let mut bytes = *bytes;
            bytes.reverse();
            *out = decode(bytes);
        });
    } else {
        entries.for_each(|(bytes, out)| *out = decode(*bytes));
    }
}

/// How the entries of an array lie in its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) element: Element,
    pub(crate) big_endian: bool,
    /// A vector is one column.
    pub(crate) shape: (usize, usize),
    pub(crate) column_major: bool,
    /// Single precision by the file's word, however small the entries are stored.
    pub(crate) single: bool,
}

/// An array whose bytes are known to be there.
#[derive(Debug)]
pub(crate) struct Array<'a> {
    bytes: Cow<'a, [u8]>,
    start: usize,
    layout: Layout,
}

impl<'a> Array<'a> {
    /// Entries from byte `start` on, checked to be all there.
    pub(crate) fn new(bytes: Cow<'a, [u8]>, start: usize, layout: Layout) -> Result<Self, Problem> {
        let (rows, cols) = layout.shape;
        let needed = rows.checked_mul(cols).and_then(|n| n.checked_mul(layout.element.size()));
        let there = bytes.len().saturating_sub(start);
        match needed {
            Some(needed) if needed <= there => Ok(Self { bytes, start, layout }),
            _ => Err(Problem::malformed(
                format!("byte {start}"),
                format!("{rows}x{cols} entries are announced, but only {there} bytes follow"),
            )),
        }
    }

    /// The first `count` entries of a vector.
    pub(crate) fn first(self, count: usize) -> Result<Self, Problem> {
        let layout = Layout { shape: (count, 1), ..self.layout };
        Self::new(self.bytes, self.start, layout)
    }

    /// The same bytes with rows as columns.
    pub(crate) fn turned(self) -> Self {
        let (rows, cols) = self.layout.shape;
        let layout = Layout { shape: (cols, rows), column_major: !self.layout.column_major, ..self.layout };
        Self { layout, ..self }
    }

    /// Rows and columns.
    pub(crate) fn shape(&self) -> (usize, usize) {
        self.layout.shape
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.layout.shape.0 * self.layout.shape.1
    }

    /// Whether it is one row or one column.
    pub(crate) fn is_vector(&self) -> bool {
        self.layout.shape.0 == 1 || self.layout.shape.1 == 1
    }

    /// The type that the entries get when nothing else is asked for.
    pub(crate) fn natural_dtype(&self) -> Dtype {
        if self.layout.single { Dtype::F32 } else { Dtype::F64 }
    }

    /// The dense matrix.
    pub(crate) fn to_numbers(&self, dtype: Option<Dtype>, budget: &Budget) -> Result<Numbers, Problem> {
        let (rows, cols) = self.layout.shape;
        if rows == 0 || cols == 0 {
            return Err(Problem::Empty { rows, cols });
        }
        Ok(match dtype.unwrap_or_else(|| self.natural_dtype()) {
            Dtype::F32 => Mat::<f32>::from_vec(self.to_reals(budget)?, rows, cols)?.into(),
            Dtype::F64 => Mat::<f64>::from_vec(self.to_reals(budget)?, rows, cols)?.into(),
        })
    }

    /// The entries as floating-point numbers, row by row.
    pub(crate) fn to_reals<T: Real>(&self, budget: &Budget) -> Result<Vec<T>, Problem> {
        by_element!(self.layout.element, T, decode => self.gather(budget, decode))
    }

    /// The entries as positions: indices, pointers and sizes. Anything else becomes -1, which no
    /// bound check passes.
    pub(crate) fn to_positions(&self, budget: &Budget) -> Result<Vec<i64>, Problem> {
        match self.layout.element {
            Element::I64 => self.gather(budget, i64::from_le_bytes),
            Element::U64 => self.gather(budget, |b| i64::try_from(u64::from_le_bytes(b)).unwrap_or(-1)),
            _ => {
                let reals = self.to_reals::<f64>(budget)?.into_iter();
                Ok(reals.map(|x| if x.fract() == 0.0 { x as i64 } else { -1 }).collect())
            }
        }
    }

    /// The entries as labels, exact for every integer.
    pub(crate) fn to_labels(&self, budget: &Budget) -> Result<Vec<String>, Problem> {
        // Beside what `gather` asks for: the longest numbers have some 30 digits.
        budget.take((self.len() as u64).checked_mul(text_bytes("") + 8), "the labels")?;
        match self.layout.element {
            Element::I64 => self.gather(budget, |b| i64::from_le_bytes(b).to_string()),
            Element::U64 => self.gather(budget, |b| u64::from_le_bytes(b).to_string()),
            Element::F32 => self.gather(budget, |b| f32::from_le_bytes(b).to_string()),
            _ => Ok(self.to_reals::<f64>(budget)?.iter().map(f64::to_string).collect()),
        }
    }

    /// Every entry decoded from its bytes in little-endian order, row by row.
    fn gather<const N: usize, T>(
        &self,
        budget: &Budget,
        decode: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Problem> {
        let Layout { shape: (rows, cols), column_major, big_endian, .. } = self.layout;
        let (entries, _) = self.bytes[self.start..].as_chunks::<N>();
        let entry = |at: usize| {
            let mut bytes = entries[at];
            if big_endian {
                bytes.reverse();
            }
            decode(bytes)
        };
        let mut values = budget.room(Some(self.len()), "the array")?;
        if self.len() == 0 {
            return Ok(values); // a shape of 10¹⁸ x 0 is no reason to count to 10¹⁸
        }
        if column_major {
            for i in 0..rows {
                values.extend((0..cols).map(|j| entry(j * rows + i)));
            }
        } else {
            values.extend((0..rows * cols).map(entry));
        }
        Ok(values)
    }
}
