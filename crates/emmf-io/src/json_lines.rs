//! Records as JSON: one object a line, or an array of objects.

use crate::budget::Budget;
use crate::columns::{Cell, Columns};
use crate::error::Problem;
use serde::de::{Deserialize, MapAccess, Visitor};
use serde_json::{Deserializer, Value};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// A place for a cell that a later record may fill.
const CELL: u64 = size_of::<Cell>() as u64;

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
        let mut records = Deserializer::from_slice(&bytes[at..]).into_iter::<Pairs>();
        let Some(record) = records.next() else { break };
        let record = record.map_err(|error| bad(bytes, at, &error))?;
        at = skipped(bytes, at + records.byte_offset(), b',');
        table.add(record.0)?;
    }
    Ok(Columns { names: Some(table.names), cells: table.cells, first: 1 })
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

/// A record with its keys in their order; of a key that comes twice the first counts.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let (mut pairs, mut seen) = (Vec::new(), HashSet::new());
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if seen.insert(key.clone()) {
                        pairs.push((key, value));
                    }
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

struct Records<'a> {
    budget: &'a Budget,
    names: Vec<String>,
    places: HashMap<String, usize>,
    cells: Vec<Vec<Cell>>,
    rows: usize,
}

impl<'a> Records<'a> {
    fn new(budget: &'a Budget) -> Self {
        Self { budget, names: Vec::new(), places: HashMap::new(), cells: Vec::new(), rows: 0 }
    }

    fn add(&mut self, record: Vec<(String, Value)>) -> Result<(), Problem> {
        for (key, value) in record {
            let cell = cell(value);
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
            cells.push(Cell::Gap);
        }
        Ok(())
    }

    /// A column that no record had so far.
    fn column(&mut self, key: String) -> Result<usize, Problem> {
        let bytes = (self.rows as u64).saturating_mul(CELL).saturating_add(3 * key.len() as u64 + 128);
        self.budget.take(Some(bytes), "the table")?;
        self.cells.push(vec![Cell::Gap; self.rows]);
        self.names.push(key.clone());
        self.places.insert(key, self.names.len() - 1);
        Ok(self.names.len() - 1)
    }
}

fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::Gap,
        Value::Bool(value) => Cell::Number(f64::from(u8::from(value))),
        Value::Number(number) => number.as_f64().map_or(Cell::Other("a number out of range"), Cell::Number),
        Value::String(text) => Cell::Text(text),
        Value::Array(_) => Cell::Other("a list"),
        Value::Object(_) => Cell::Other("an object"),
    }
}
