//! Records as JSON: one object a line, or an array of objects.

use crate::budget::Budget;
use crate::cells;
use crate::columns::Columns;
use crate::dataset::text_bytes;
use crate::error::Problem;
use serde::de::{Deserialize, DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// A place for a cell that a later record may fill.
const CELL: u64 = size_of::<cells::Cell>() as u64;

/// Whether these bytes begin with an object, or an array of them.
pub(crate) fn is_json(head: &[u8]) -> bool {
    let mut bytes = head.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
    match bytes.next() {
        Some(b'{') => bytes.next() == Some(b'"'),
        Some(b'[') => bytes.next() == Some(b'{'),
        _ => false,
    }
}

/// Reads the table. A key that a record does not have is a gap there.
pub(crate) fn read(bytes: &[u8], budget: &Budget) -> Result<Columns, Problem> {
    let mut table = Records::new(budget);
    let mut at = skipped(bytes, 0, b'[');
    while at < bytes.len() && bytes[at] != b']' {
        let mut rest = &bytes[at..];
        let refused = Cell::new(None);
        let seed = Record { budget: budget.fork(), refused: &refused };
        let record = seed.deserialize(&mut Deserializer::from_reader(&mut rest));
        if let Some(problem) = refused.take() {
            return Err(problem);
        }
        let record = record.map_err(|error| bad(bytes, at, &error))?;
        at = skipped(bytes, bytes.len() - rest.len(), b',');
        table.add(record)?;
    }
    if table.is_by_columns() {
        return Err(Problem::unsupported(
            "a JSON object of columns",
            "write an object for every row, in pandas with to_json(path, orient=\"records\")",
        ));
    }
    Ok(Columns::of_cells(Some(table.names), table.cells, 1))
}

/// The next byte that is neither white space nor one such mark.
fn skipped(bytes: &[u8], from: usize, mark: u8) -> usize {
    let next = |from: usize| {
        let blank = |byte: &u8| byte.is_ascii_whitespace();
        from + bytes.get(from..).unwrap_or_default().iter().take_while(|byte| blank(byte)).count()
    };
    let at = next(from);
    if bytes.get(at) == Some(&mark) { next(at + 1) } else { at }
}

fn bad(bytes: &[u8], at: usize, error: &serde_json::Error) -> Problem {
    let line = bytes[..at].split(|&byte| byte == b'\n').count() + error.line().max(1) - 1;
    let why = error.to_string();
    let why = why.split(" at line ").next().unwrap_or_default();
    Problem::malformed(format!("line {line}"), format!("{why}; every line is one JSON object"))
}

/// Reads a record with its keys in their order; of a key that comes twice the first counts.
struct Record<'a> {
    budget: Budget,
    /// Why there was not enough memory for it.
    refused: &'a Cell<Option<Problem>>,
}

impl<'de> DeserializeSeed<'de> for Record<'_> {
    type Value = Vec<(String, cells::Cell)>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Record<'_> {
    type Value = Vec<(String, cells::Cell)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut pairs, mut seen) = (Vec::new(), HashSet::new());
        while let Some((key, Read(cell))) = map.next_entry::<String, Read>()? {
            let bytes = 2 * text_bytes(&key) + cell.bytes() + CELL;
            if let Err(problem) = self.budget.take(Some(bytes), "a record") {
                self.refused.set(Some(problem));
                return Err(A::Error::custom("not enough memory"));
            }
            if seen.insert(key.clone()) {
                pairs.push((key, cell));
            }
        }
        Ok(pairs)
    }
}

/// A value as a cell; what is inside of lists and objects is passed over.
struct Read(cells::Cell);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = cells::Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<cells::Cell, E> {
        Ok(cells::Cell::Gap)
    }

    fn visit_bool<E>(self, value: bool) -> Result<cells::Cell, E> {
        Ok(cells::Cell::Number(f64::from(u8::from(value))))
    }

    fn visit_i64<E>(self, value: i64) -> Result<cells::Cell, E> {
        Ok(cells::Cell::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<cells::Cell, E> {
        Ok(cells::Cell::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<cells::Cell, E> {
        Ok(cells::Cell::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<cells::Cell, E> {
        Ok(cells::Cell::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<cells::Cell, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(cells::Cell::Other("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<cells::Cell, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(cells::Cell::Other("an object"))
    }
}

struct Records<'a> {
    budget: &'a Budget,
    names: Vec<String>,
    places: HashMap<String, usize>,
    cells: Vec<Vec<cells::Cell>>,
    rows: usize,
}

impl<'a> Records<'a> {
    fn new(budget: &'a Budget) -> Self {
        Self { budget, names: Vec::new(), places: HashMap::new(), cells: Vec::new(), rows: 0 }
    }

    fn add(&mut self, record: Vec<(String, cells::Cell)>) -> Result<(), Problem> {
        for (key, cell) in record {
            let at = match self.places.get(&key) {
                Some(&at) => at,
                None => self.column(key)?,
            };
            self.budget.take(Some(cell.bytes()), "the table")?;
            self.cells[at].push(cell);
        }
        self.rows += 1;
        for cells in self.cells.iter_mut().filter(|cells| cells.len() < self.rows) {
            self.budget.take(Some(CELL), "the table")?;
            cells.push(cells::Cell::Gap);
        }
        Ok(())
    }

    /// Whether the only record holds whole columns: pandas writes them so if nothing else is said.
    fn is_by_columns(&self) -> bool {
        let is_inside = |cells: &Vec<cells::Cell>| matches!(cells[..], [cells::Cell::Other(_)]);
        self.rows == 1 && self.cells.iter().all(is_inside)
    }

    /// A column that no record had so far.
    fn column(&mut self, key: String) -> Result<usize, Problem> {
        let bytes = (self.rows as u64).saturating_mul(CELL).saturating_add(3 * key.len() as u64 + 128);
        self.budget.take(Some(bytes), "the table")?;
        self.cells.push(vec![cells::Cell::Gap; self.rows]);
        self.names.push(key.clone());
        self.places.insert(key, self.names.len() - 1);
        Ok(self.names.len() - 1)
    }
}
