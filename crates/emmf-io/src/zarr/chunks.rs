//! An array put together from its chunks.

use super::files::{Files, within};
use super::node::Described;
use super::quoted;
use crate::array::Element;
use crate::budget::Budget;
use crate::dataset::text_bytes;
use crate::error::Problem;
use crate::inflate::Allowance;
use crate::npy;
use crate::variables::Variable;
use serde_json::Value;

/// Chunks that are looked for. Where all are missing, nothing but their number says that there are so many.
const MOST: usize = 1 << 20;

/// Reads all of the array at this path.
pub(super) fn read(
    (files, path): (&Files<'_>, &str),
    array: &Described,
    budget: &Budget,
) -> Result<Variable<'static>, Problem> {
    let Some(shape) = array.matrix() else {
        return Ok(Variable::Other(format!("{} dimensions", array.shape.len())));
    };
    let chunk = match array.chunk[..] {
        [rows] if array.shape.len() == 1 => (rows, 1),
        [rows, columns] if array.shape.len() == 2 => (rows, columns),
        _ => return Err(Problem::malformed(quoted(path), "its chunks have another number of dimensions")),
    };
    if chunk.0 == 0 || chunk.1 == 0 {
        return Err(Problem::malformed(quoted(path), "its chunks are empty"));
    }
    let across = (shape.0.div_ceil(chunk.0), shape.1.div_ceil(chunk.1));
    if across.0.checked_mul(across.1).is_none_or(|count| count > MOST) {
        return Err(Problem::unsupported(
            format!("{} (more than a million chunks)", quoted(path)),
            "store it in larger chunks",
        ));
    }
    let grid = Grid { files, path, array, shape, chunk, across };
    if array.has_long_texts() {
        return grid.texts(budget).map(Variable::Text);
    }
    let Some((size, element)) = npy::entry(&array.code) else {
        return Ok(Variable::Other(format!("type {}", array.code)));
    };
    let bytes = grid.bytes((size, element), budget)?;
    npy::coded(&array.code, array.shape.clone(), bytes, budget)
}

struct Grid<'a, 'f> {
    files: &'a Files<'f>,
    path: &'a str,
    array: &'a Described,
    shape: (usize, usize),
    chunk: (usize, usize),
    /// Chunks down and across.
    across: (usize, usize),
}

impl Grid<'_, '_> {
    /// The bytes of all entries, row by row.
    fn bytes(&self, (size, element): (usize, Option<Element>), budget: &Budget) -> Result<Vec<u8>, Problem> {
        let total = self.shape.0.checked_mul(self.shape.1).and_then(|entries| entries.checked_mul(size));
        let mut allowance = Allowance::for_input(self.files.size(self.path), budget);
        let place = quoted(self.path);
        allowance.spend(total.map(|bytes| bytes as u64), &place)?;
        let mut all: Vec<u8> = budget.room(total, &place)?;
        all.resize(total.unwrap_or(0), 0);
        let fill = element.and_then(|element| filling(element, self.array));
        if let Some(fill) = fill.filter(|fill| fill.iter().any(|&byte| byte != 0)) {
            all.chunks_exact_mut(size).for_each(|entry| entry.copy_from_slice(&fill));
        }
        for down in 0..self.across.0 {
            for right in 0..self.across.1 {
                let within = budget.fork();
                if let Some(chunk) = self.unpacked((down, right), &within)? {
                    self.put(&chunk, (down, right), (size, &mut all))?;
                }
            }
        }
        Ok(all)
    }

    /// The chunk at this place, unpacked; nothing where it is not stored.
    fn unpacked(&self, (down, right): (usize, usize), budget: &Budget) -> Result<Option<Vec<u8>>, Problem> {
        let mark = self.array.separator;
        let place =
            if self.array.shape.len() == 1 { down.to_string() } else { format!("{down}{mark}{right}") };
        let place =
            if self.array.prefix.is_empty() { place } else { format!("{}{mark}{place}", self.array.prefix) };
        let Some(mut bytes) = self.files.get(&within(self.path, &place), budget)? else { return Ok(None) };
        for codec in &self.array.codecs {
            let mut allowance = Allowance::for_input(bytes.len(), budget);
            bytes = codec.unpack(&bytes, &mut allowance)?;
        }
        Ok(Some(bytes))
    }

    /// Puts the entries of a chunk where they belong; what lies beyond the edges of the array is nothing.
    fn put(
        &self,
        chunk: &[u8],
        (down, right): (usize, usize),
        (size, all): (usize, &mut [u8]),
    ) -> Result<(), Problem> {
        let (rows, columns) = self.chunk;
        let whole = rows.checked_mul(columns).and_then(|entries| entries.checked_mul(size));
        if whole != Some(chunk.len()) {
            return Err(Problem::malformed(
                quoted(self.path),
                "a chunk is not of the size that is described",
            ));
        }
        let (top, left) = (down * rows, right * columns);
        let (height, width) = (rows.min(self.shape.0 - top), columns.min(self.shape.1 - left));
        for i in 0..height {
            let to = ((top + i) * self.shape.1 + left) * size;
            let row = &mut all[to..to + width * size];
            if self.array.by_columns {
                for (j, entry) in row.chunks_exact_mut(size).enumerate() {
                    let from = (j * rows + i) * size;
                    entry.copy_from_slice(&chunk[from..from + size]);
                }
            } else {
                let from = i * columns * size;
                row.copy_from_slice(&chunk[from..from + width * size]);
            }
        }
        Ok(())
    }

    /// Texts of any length, each behind its length.
    fn texts(&self, budget: &Budget) -> Result<Vec<String>, Problem> {
        if self.array.shape.len() != 1 {
            return Err(Problem::unsupported(
                format!("{} (a table of text)", quoted(self.path)),
                "store a vector",
            ));
        }
        let count = (self.shape.0 as u64).checked_mul(text_bytes(""));
        budget.take(count, "the texts")?;
        let mut texts = Vec::new();
        for down in 0..self.across.0 {
            let rows = self.chunk.0.min(self.shape.0 - down * self.chunk.0);
            let within = budget.fork();
            let chunk = self.unpacked((down, 0), &within)?;
            let found = chunk.as_deref().map(|bytes| split(bytes, rows, (budget, &within)));
            let cut = || Problem::malformed(quoted(self.path), "its texts are cut off");
            let found = found.transpose()?.unwrap_or_else(|| Some(vec![String::new(); rows]));
            texts.extend(found.ok_or_else(cut)?);
        }
        Ok(texts)
    }
}

/// So many texts; nothing where they are not there.
fn split(
    bytes: &[u8],
    rows: usize,
    (budget, within): (&Budget, &Budget),
) -> Result<Option<Vec<String>>, Problem> {
    let Some((count, mut rest)) = bytes.split_first_chunk() else { return Ok(None) };
    if (u32::from_le_bytes(*count) as usize) < rows {
        return Ok(None);
    }
    let mut texts = Vec::new();
    for _ in 0..rows {
        let Some((length, after)) = rest.split_first_chunk() else { return Ok(None) };
        let length = u32::from_le_bytes(*length);
        let Some((text, after)) = after.split_at_checked(length as usize) else { return Ok(None) };
        within.take(Some(length.into()), "the texts")?;
        budget.take(Some(length.into()), "the texts")?;
        texts.push(String::from_utf8_lossy(text).into_owned());
        rest = after;
    }
    Ok(Some(texts))
}

/// The bytes of an entry that is not stored.
fn filling(element: Element, array: &Described) -> Option<Vec<u8>> {
    let value = match &array.fill {
        Value::String(text) => match text.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            _ => return None,
        },
        Value::Bool(value) => f64::from(u8::from(*value)),
        other => other.as_f64()?,
    };
    let mut bytes = match element {
        Element::Bool | Element::U8 => vec![value as u8],
        Element::I8 => (value as i8).to_le_bytes().to_vec(),
        Element::I16 => (value as i16).to_le_bytes().to_vec(),
        Element::U16 => (value as u16).to_le_bytes().to_vec(),
        Element::I32 => (value as i32).to_le_bytes().to_vec(),
        Element::U32 => (value as u32).to_le_bytes().to_vec(),
        Element::I64 => (value as i64).to_le_bytes().to_vec(),
        Element::U64 => (value as u64).to_le_bytes().to_vec(),
        Element::F16 => half::f16::from_f64(value).to_le_bytes().to_vec(),
        Element::F32 => (value as f32).to_le_bytes().to_vec(),
        Element::F64 => value.to_le_bytes().to_vec(),
    };
    if array.code.starts_with('>') {
        bytes.reverse();
    }
    Some(bytes)
}
