//! The cells of a table, and its columns.

use crate::array::Array;
use crate::budget::Budget;
use crate::dataset::{Dtype, text_bytes};
use crate::error::Problem;
use crate::roles::{Kind, Progress, whole};
use crate::text::{is_gap, label};
use std::collections::HashSet;

/// One value of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Number(f64),
    Text(String),
    /// No value.
    Gap,
    /// Something else, in a word.
    Other(&'static str),
}

/// A column of a table.
#[derive(Debug)]
pub(crate) enum Column {
    /// Each value by itself.
    Cells(Vec<Cell>),
    /// Numbers, all of one type, and the rows without a value.
    Numbers { array: Array<'static>, gaps: Vec<usize> },
    /// Something else in every row, in a word.
    Other { what: &'static str, rows: usize },
}

impl Column {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Cells(cells) => cells.len(),
            Self::Numbers { array, .. } => array.len(),
            Self::Other { rows, .. } => *rows,
        }
    }

    /// Whether it holds numbers of single precision.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self, Self::Numbers { array, .. } if array.natural_dtype() == Dtype::F32)
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Cells(cells) => kind(cells),
            Self::Numbers { .. } => Kind::Numbers,
            Self::Other { .. } => Kind::Other,
        }
    }

    /// What the numbers of a first column of this name do from row to row.
    pub(crate) fn progress(&self, name: Option<&str>, budget: &Budget) -> Result<Kind, Problem> {
        let mut progress = Progress::of(name);
        let mut go_on = |value: Option<f64>| progress.add(value.and_then(whole), budget);
        match self {
            Self::Cells(cells) => {
                for cell in cells {
                    let value = if let Cell::Number(value) = cell { Some(*value) } else { None };
                    if !go_on(value)? {
                        break;
                    }
                }
            }
            Self::Numbers { array, gaps } => {
                let values: Vec<f64> = array.to_reals(&budget.fork())?;
                for value in values {
                    if !go_on(Some(value).filter(|_| gaps.is_empty()))? {
                        break;
                    }
                }
            }
            Self::Other { .. } => return Ok(Kind::Other),
        }
        Ok(progress.kind())
    }

    /// Its values as texts; those without one are empty.
    pub(crate) fn strings(&self, budget: &Budget) -> Result<Vec<String>, Problem> {
        match self {
            Self::Cells(cells) => {
                let kept = |cell: &Cell| {
                    let text = cell.told();
                    budget.take(Some(text_bytes(&text)), "the texts").map(|()| text)
                };
                cells.iter().map(kept).collect()
            }
            Self::Numbers { array, gaps } => {
                let mut texts = array.to_labels(budget)?;
                gaps.iter().for_each(|&row| texts[row].clear());
                Ok(texts)
            }
            Self::Other { what, rows } => {
                budget.take((*rows as u64).checked_mul(text_bytes(what)), "the texts")?;
                Ok(vec![(*what).to_owned(); *rows])
            }
        }
    }
}

impl Cell {
    /// Bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        size_of::<Self>() as u64 + if let Self::Text(text) = self { text.len() as u64 + 16 } else { 0 }
    }

    pub(crate) fn is_gap(&self) -> bool {
        match self {
            Self::Gap => true,
            Self::Text(text) => is_gap(text),
            Self::Number(_) | Self::Other(_) => false,
        }
    }

    /// As a text.
    pub(crate) fn told(&self) -> String {
        match self {
            Self::Number(value) => label(&value.to_string()),
            Self::Text(text) => text.clone(),
            Self::Gap => String::new(),
            Self::Other(what) => (*what).to_owned(),
        }
    }
}

fn kind(cells: &[Cell]) -> Kind {
    let count = |is: fn(&Cell) -> bool| cells.iter().filter(|cell| is(cell)).count();
    let texts = count(|cell| matches!(cell, Cell::Text(_)));
    let gaps = count(|cell| matches!(cell, Cell::Text(text) if is_gap(text)));
    let others = count(|cell| matches!(cell, Cell::Other(_)));
    let numbers = count(|cell| matches!(cell, Cell::Number(_)));
    match (numbers, texts - gaps, others) {
        (0, 0, others) if others > 0 => Kind::Other,
        (0, _, 0) if texts == cells.len() && texts > 1 && all_different(cells) => Kind::Names,
        (0, texts, _) if texts > 0 => Kind::Texts,
        _ => Kind::Numbers,
    }
}

fn all_different(cells: &[Cell]) -> bool {
    let mut seen = HashSet::new();
    cells.iter().all(|cell| matches!(cell, Cell::Text(text) if seen.insert(text.as_str())))
}
