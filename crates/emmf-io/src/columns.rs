//! A table in memory, column by column, as spreadsheets and records give it.

use crate::advice::{Advice, Setting};
use crate::budget::Budget;
use crate::dataset::{Dataset, Dtype, Numbers, text_bytes};
use crate::error::{Problem, listed, shortened};
use crate::options::{LABEL_VARIABLES, ReadOptions, find_column, is_label_column};
use crate::roles::{Kind, Progress, Table, no_such_column, whole};
use crate::text::{is_gap, label};
use crate::texts::Texts;
use emmf::{Mat, Real};
use std::collections::HashSet;

/// Fewer texts than this differ by chance, but in a first column.
const FEW: usize = 10;

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

/// A table; all columns are equally long.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// What they are called, where they have names.
    pub(crate) names: Option<Vec<String>>,
    pub(crate) cells: Vec<Vec<Cell>>,
    /// The row of the file that the first cells are in, from 1.
    pub(crate) first: usize,
}

impl Columns {
    /// The matrix, the labels and the names.
    pub(crate) fn into_dataset(self, options: &ReadOptions) -> Result<Dataset, Problem> {
        let mut kinds: Vec<Kind> = self.cells.iter().map(|cells| kind(cells)).collect();
        if self.cells.first().is_some_and(|cells| cells.len() < FEW) {
            kinds
                .iter_mut()
                .skip(1)
                .filter(|kind| **kind == Kind::Names)
                .for_each(|kind| *kind = Kind::Texts);
        }
        if let (Some(first), Some(Kind::Numbers)) = (self.cells.first(), kinds.first()) {
            let name = self.names.as_ref().and_then(|names| names.first());
            kinds[0] = progress(first, name.map(String::as_str), &options.budget)?;
        }
        let table = Table { names: self.names.as_deref(), kinds: &kinds };
        let roles = table.roles(options)?;
        let x = match options.dtype {
            Some(Dtype::F32) => self.matrix::<f32>(&roles.features, options)?,
            _ => self.matrix::<f64>(&roles.features, options)?,
        };
        let columns =
            self.names.as_ref().map(|names| roles.features.iter().map(|&at| names[at].clone()).collect());
        let labels = roles.labels.map(|at| self.strings(at, &options.budget)).transpose()?;
        let names = roles.names.map(|at| self.strings(at, &options.budget)).transpose()?;
        Dataset { names, remarks: roles.remarks, ..Dataset::new(x, labels, columns) }.checked()
    }

    /// The labels alone.
    pub(crate) fn into_labels(self, wanted: Option<&str>, budget: &Budget) -> Result<Vec<String>, Problem> {
        let names = self.names.as_deref();
        let usual = |name: &String| LABEL_VARIABLES.iter().any(|usual| name.eq_ignore_ascii_case(usual));
        let at = match wanted {
            Some(wanted) => Some(self.find(wanted)?),
            None if self.cells.len() == 1 => Some(0),
            None => names.and_then(|names| names.iter().position(usual)),
        };
        let at = at.ok_or_else(|| Problem::Ambiguous {
            kind: "column with the labels",
            available: listed(names.unwrap_or_default().iter().map(String::as_str)),
            setting: Setting::Labels,
        })?;
        self.strings(at, budget)
    }

    /// A column of texts, with the labels, and the names where they are wanted.
    pub(crate) fn into_texts(self, column: &str, options: &ReadOptions) -> Result<Texts, Problem> {
        let at = self.find(column)?;
        let names = self.names.as_deref().unwrap_or_default();
        let usual = || names.iter().position(|name| is_label_column(name)).filter(|&other| other != at);
        let labels = options.labels.as_deref().map(|wanted| self.find(wanted)).transpose()?.or_else(usual);
        let usual_id = || find_column(options.usual.id.as_deref()?, self.names.as_deref(), self.cells.len());
        let ids = options.id.as_deref().map(|wanted| self.find(wanted)).transpose()?.or_else(usual_id);
        let strings = |at| self.strings(at, &options.budget);
        Ok(Texts {
            all: strings(at)?,
            labels: labels.map(strings).transpose()?,
            names: ids.map(strings).transpose()?,
        })
    }

    fn find(&self, wanted: &str) -> Result<usize, Problem> {
        find_column(wanted, self.names.as_deref(), self.cells.len())
            .ok_or_else(|| no_such_column(wanted, self.names.as_deref(), self.cells.len()))
    }

    fn matrix<T: Real>(&self, features: &[usize], options: &ReadOptions) -> Result<Numbers, Problem>
    where
        Numbers: From<Mat<T>>,
    {
        let rows = self.cells.first().map_or(0, Vec::len);
        if rows == 0 || features.is_empty() {
            return Err(Problem::Empty { rows, cols: features.len() });
        }
        let mut x = options.budget.zeros::<T>((rows, features.len()), "the matrix")?;
        for (j, &at) in features.iter().enumerate() {
            for (i, cell) in self.cells[at].iter().enumerate() {
                x[(i, j)] = T::from_f64(self.number(cell, (i, at), options.missing)?);
            }
        }
        Ok(x.into())
    }

    fn number(&self, cell: &Cell, (row, at): (usize, usize), missing: bool) -> Result<f64, Problem> {
        let column = self.called(at);
        match cell {
            Cell::Number(value) => Ok(*value),
            cell if cell.is_gap() && missing => Ok(f64::NAN),
            Cell::Text(text) if is_gap(text) => Err(self.bad(cell, (row, at), Advice::FillIn)),
            Cell::Gap => Err(Problem::Missing { column, row: self.first + row }),
            Cell::Text(_) | Cell::Other(_) => Err(self.bad(cell, (row, at), Advice::Correct { column })),
        }
    }

    fn bad(&self, cell: &Cell, (row, at): (usize, usize), advice: Advice) -> Problem {
        Problem::NotANumber {
            line: self.first + row,
            column: format!("{} ('{}')", at + 1, self.called(at)),
            text: shortened(&cell.told()),
            advice,
        }
    }

    fn called(&self, at: usize) -> String {
        self.names.as_ref().map_or_else(|| (at + 1).to_string(), |names| shortened(&names[at]))
    }

    fn strings(&self, at: usize, budget: &Budget) -> Result<Vec<String>, Problem> {
        let kept = |cell: &Cell| {
            let text = cell.told();
            budget.take(Some(text_bytes(&text)), "the texts").map(|()| text)
        };
        self.cells[at].iter().map(kept).collect()
    }
}

impl Cell {
    /// Bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        size_of::<Self>() as u64 + if let Self::Text(text) = self { text.len() as u64 + 16 } else { 0 }
    }

    fn is_gap(&self) -> bool {
        match self {
            Self::Gap => true,
            Self::Text(text) => is_gap(text),
            Self::Number(_) | Self::Other(_) => false,
        }
    }

    /// As a text.
    fn told(&self) -> String {
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

/// What the numbers of a first column do from row to row.
fn progress(cells: &[Cell], name: Option<&str>, budget: &Budget) -> Result<Kind, Problem> {
    let mut progress = Progress::of(name);
    for cell in cells {
        let whole = match cell {
            Cell::Number(value) => whole(*value),
            _ => None,
        };
        if !progress.add(whole, budget)? {
            break;
        }
    }
    Ok(progress.kind())
}

fn all_different(cells: &[Cell]) -> bool {
    let mut seen = HashSet::new();
    cells.iter().all(|cell| matches!(cell, Cell::Text(text) if seen.insert(text.as_str())))
}
