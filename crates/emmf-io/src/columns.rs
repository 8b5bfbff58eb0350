//! A table in memory, column by column, as spreadsheets, records and Arrow give it.

use crate::advice::{Advice, Setting};
use crate::budget::Budget;
use crate::cells::{Cell, Column};
use crate::dataset::{Dataset, Dtype, Numbers};
use crate::error::{Problem, listed, shortened};
use crate::options::{LABEL_VARIABLES, ReadOptions, find_column};
use crate::roles::{Kind, Table, no_such_column};
use crate::roles_of_texts::TextRoles;
use crate::text::is_gap;
use crate::texts::Texts;
use emmf::{Mat, Real};

/// Fewer texts than this differ by chance, but in a first column.
const FEW: usize = 10;

/// A table; all columns are equally long.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// What they are called, where they have names.
    pub(crate) names: Option<Vec<String>>,
    pub(crate) all: Vec<Column>,
    /// The row of the file that the first cells are in, from 1.
    pub(crate) first: usize,
}

impl Columns {
    /// Of values each by itself.
    pub(crate) fn of_cells(names: Option<Vec<String>>, cells: Vec<Vec<Cell>>, first: usize) -> Self {
        Self { names, all: cells.into_iter().map(Column::Cells).collect(), first }
    }

    /// The matrix, the labels and the names.
    pub(crate) fn into_dataset(self, options: &ReadOptions) -> Result<Dataset, Problem> {
        let kinds = self.kinds(&options.budget)?;
        let table = Table { names: self.names.as_deref(), kinds: &kinds };
        let roles = table.roles(&table.with_index(options))?;
        let single = !roles.features.is_empty() && roles.features.iter().all(|&at| self.all[at].is_single());
        let natural = if single { Dtype::F32 } else { Dtype::F64 };
        let x = match options.dtype.unwrap_or(natural) {
            Dtype::F32 => self.matrix::<f32>(&roles.features, options)?,
            Dtype::F64 => self.matrix::<f64>(&roles.features, options)?,
        };
        let columns =
            self.names.as_ref().map(|names| roles.features.iter().map(|&at| names[at].clone()).collect());
        let labels = roles.labels.map(|at| self.strings(at, &options.budget)).transpose()?;
        let names = roles.names.map(|at| self.strings(at, &options.budget)).transpose()?;
        Dataset { names, remarks: roles.remarks, ..Dataset::new(x, labels, columns) }.checked()
    }

    fn kinds(&self, budget: &Budget) -> Result<Vec<Kind>, Problem> {
        let mut kinds: Vec<Kind> = self.all.iter().map(Column::kind).collect();
        if self.rows() < FEW {
            let others = kinds.iter_mut().skip(1).filter(|kind| **kind == Kind::Names);
            others.for_each(|kind| *kind = Kind::Texts);
        }
        if let (Some(first), Some(Kind::Numbers)) = (self.all.first(), kinds.first()) {
            let name = self.names.as_ref().and_then(|names| names.first());
            kinds[0] = first.progress(name.map(String::as_str), budget)?;
        }
        Ok(kinds)
    }

    fn rows(&self) -> usize {
        self.all.first().map_or(0, Column::len)
    }

    /// The labels alone.
    pub(crate) fn into_labels(self, wanted: Option<&str>, budget: &Budget) -> Result<Vec<String>, Problem> {
        let names = self.names.as_deref();
        let usual = |name: &String| LABEL_VARIABLES.iter().any(|usual| name.eq_ignore_ascii_case(usual));
        let at = match wanted {
            Some(wanted) => Some(self.find(wanted)?),
            None if self.all.len() == 1 => Some(0),
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
        let names = self.names.as_deref();
        let roles = TextRoles::of(column, (names, self.all.len(), true), options)?;
        let strings = |at| self.strings(at, &options.budget);
        let found = Texts {
            all: strings(roles.texts)?,
            labels: roles.labels.map(strings).transpose()?,
            names: roles.names.map(strings).transpose()?,
            remark: None,
        };
        roles.settled(found, names, &options.budget)
    }

    fn find(&self, wanted: &str) -> Result<usize, Problem> {
        find_column(wanted, self.names.as_deref(), self.all.len())
            .ok_or_else(|| no_such_column(wanted, self.names.as_deref(), self.all.len()))
    }

    fn matrix<T: Real>(&self, features: &[usize], options: &ReadOptions) -> Result<Numbers, Problem>
    where
        Numbers: From<Mat<T>>,
    {
        let rows = self.rows();
        if rows == 0 || features.is_empty() {
            return Err(Problem::Empty { rows, cols: features.len() });
        }
        let mut x = options.budget.zeros::<T>((rows, features.len()), "the matrix")?;
        for (j, &at) in features.iter().enumerate() {
            match &self.all[at] {
                Column::Numbers { array, gaps } => {
                    if let Some(gap) = gaps.first().filter(|_| !options.missing) {
                        return Err(self.missing((*gap, at)));
                    }
                    let values: Vec<T> = array.to_reals(&options.budget.fork())?;
                    values.into_iter().enumerate().for_each(|(i, value)| x[(i, j)] = value);
                    gaps.iter().for_each(|&i| x[(i, j)] = T::from_f64(f64::NAN));
                }
                Column::Cells(cells) => {
                    for (i, cell) in cells.iter().enumerate() {
                        x[(i, j)] = T::from_f64(self.number(cell, (i, at), options.missing)?);
                    }
                }
                Column::Other { what, .. } => {
                    self.number(&Cell::Other(what), (0, at), options.missing)?;
                }
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
            Cell::Gap => Err(self.missing((row, at))),
            Cell::Text(_) | Cell::Other(_) => Err(self.bad(cell, (row, at), Advice::Correct { column })),
        }
    }

    fn missing(&self, (row, at): (usize, usize)) -> Problem {
        Problem::Missing { column: self.called(at), row: self.first + row }
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
        self.all[at].strings(budget)
    }
}
