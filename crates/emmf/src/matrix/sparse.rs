//! Sparse matrices, compressed by rows: [`Csr`] owns its arrays, [`CsrView`] borrows the caller's.

use serde::{Deserialize, Serialize};

use super::Mat;
use crate::error::{Error, Result};
use crate::real::Real;

/// Column indices and row pointers of a sparse matrix, 32 or 64 bits wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Indices<'a> {
    /// `i32`, what SciPy uses up to 2³¹ entries.
    I32(&'a [i32]),
    /// `i64`.
    I64(&'a [i64]),
}

impl Indices<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::I32(x) => x.len(),
            Self::I64(x) => x.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index `at`; negative ones become `usize::MAX`, which no bound check passes.
    pub fn get(&self, at: usize) -> usize {
        match self {
            Self::I32(x) => usize::try_from(x[at]).unwrap_or(usize::MAX),
            Self::I64(x) => usize::try_from(x[at]).unwrap_or(usize::MAX),
        }
    }
}

/// A borrowed sparse matrix, compressed by rows. Never made dense.
///
/// Columns may come in any order within a row, each at most once.
#[derive(Debug, Clone, Copy)]
pub struct CsrView<'a, T> {
    rows: usize,
    cols: usize,
    row_starts: Indices<'a>,
    columns: Indices<'a>,
    values: &'a [T],
}

impl<'a, T: Real> CsrView<'a, T> {
    /// From the three arrays of the usual format, which are checked against each other.
    pub fn new(
        shape: (usize, usize),
        row_starts: Indices<'a>,
        columns: Indices<'a>,
        values: &'a [T],
    ) -> Result<Self> {
        let (rows, cols) = shape;
        let bad = |row, why| Err(Error::Sparse { row, why });
        if row_starts.len() != rows + 1 {
            return bad(rows, "there must be one row pointer more than rows");
        }
        if columns.len() != values.len() {
            return bad(0, "there must be as many column indices as values");
        }
        if row_starts.get(0) != 0 || row_starts.get(rows) != values.len() {
            return bad(0, "the row pointers must run from 0 to the number of values");
        }
        let mut seen_in = vec![usize::MAX; cols];
        for i in 0..rows {
            let (start, end) = (row_starts.get(i), row_starts.get(i + 1));
            if start > end || end > values.len() {
                return bad(i, "the row pointers must not decrease");
            }
            for at in start..end {
                match seen_in.get_mut(columns.get(at)) {
                    None => return bad(i, "a column index is outside the matrix"),
                    Some(row) if *row == i => return bad(i, "a column is named twice; sum duplicates first"),
                    Some(row) => *row = i,
                }
            }
        }
        Ok(Self { rows, cols, row_starts, columns, values })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The stored values, row by row.
    pub fn values(&self) -> &'a [T] {
        self.values
    }

    /// Number of stored values.
    pub fn nnz(&self) -> usize {
        self.values.len()
    }

    /// The stored entries of row `i` as (column, value).
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, T)> + Clone + '_ {
        let range = self.row_starts.get(i)..self.row_starts.get(i + 1);
        range.map(|at| (self.columns.get(at), self.values[at]))
    }

    /// The stored values of row `i`.
    pub(crate) fn row_values(&self, i: usize) -> &'a [T] {
        &self.values[self.row_starts.get(i)..self.row_starts.get(i + 1)]
    }

    /// The column indices of row `i`.
    pub(crate) fn row_columns(&self, i: usize) -> Indices<'a> {
        let range = self.row_starts.get(i)..self.row_starts.get(i + 1);
        match self.columns {
            Indices::I32(columns) => Indices::I32(&columns[range]),
            Indices::I64(columns) => Indices::I64(&columns[range]),
        }
    }

    /// The column indices.
    pub(crate) fn columns(&self) -> Indices<'a> {
        self.columns
    }

    /// The stored entries of row `i` as (column, value), by way of the column indices in their own type.
    #[inline(always)]
    pub(crate) fn row_with<'s, I>(
        &'s self,
        i: usize,
        columns: &'s [I],
        index: impl Fn(&'s I) -> usize + Clone + 's,
    ) -> impl Iterator<Item = (usize, T)> + Clone + 's {
        let range = self.row_starts.get(i)..self.row_starts.get(i + 1);
        columns[range.clone()].iter().map(index).zip(self.values[range].iter().copied())
    }

    /// The same pattern with other values.
    pub(crate) fn with_values<'b>(self, values: &'b [T]) -> CsrView<'b, T>
    where
        'a: 'b,
    {
        debug_assert_eq!(values.len(), self.values.len());
        CsrView {
            rows: self.rows,
            cols: self.cols,
            row_starts: self.row_starts,
            columns: self.columns,
            values,
        }
    }
}

/// A sparse matrix that owns its arrays, compressed by rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<T>", bound(deserialize = "T: Real + Deserialize<'de>"))]
pub struct Csr<T> {
    rows: usize,
    cols: usize,
    row_starts: Vec<i64>,
    columns: Vec<i32>,
    values: Vec<T>,
}

/// A matrix as it was read, whose arrays may not fit each other.
#[derive(Deserialize)]
struct Unchecked<T> {
    rows: usize,
    cols: usize,
    row_starts: Vec<i64>,
    columns: Vec<i32>,
    values: Vec<T>,
}

impl<T: Real> TryFrom<Unchecked<T>> for Csr<T> {
    type Error = Error;

    fn try_from(Unchecked { rows, cols, row_starts, columns, values }: Unchecked<T>) -> Result<Self> {
        CsrView::new((rows, cols), Indices::I64(&row_starts), Indices::I32(&columns), &values)?;
        Ok(Self { rows, cols, row_starts, columns, values })
    }
}

/// Columns of a matrix that owns its arrays, whose indices are short.
const MOST_COLUMNS: usize = i32::MAX as usize;

impl<T: Real> Csr<T> {
    /// From the three arrays of the usual format, which are checked against each other. At most 2³¹ − 1 columns.
    pub fn new(
        shape: (usize, usize),
        row_starts: Vec<i64>,
        columns: Vec<i64>,
        values: Vec<T>,
    ) -> Result<Self> {
        CsrView::new(shape, Indices::I64(&row_starts), Indices::I64(&columns), &values)?;
        check_columns(shape.1)?;
        let columns = columns.into_iter().map(|j| j as i32).collect();
        Ok(Self { rows: shape.0, cols: shape.1, row_starts, columns, values })
    }

    /// From (row, column, value) triplets in any order; values at the same place are added.
    pub fn from_triplets(shape: (usize, usize), mut triplets: Vec<(usize, usize, T)>) -> Result<Self> {
        let (rows, cols) = shape;
        check_columns(cols)?;
        if let Some(&(row, ..)) = triplets.iter().find(|t| t.0 >= rows || t.1 >= cols) {
            return Err(Error::Sparse { row, why: "an entry is outside the matrix" });
        }
        triplets.sort_by_key(|t| (t.0, t.1));
        let mut csr =
            Self { rows, cols, row_starts: vec![0; rows + 1], columns: Vec::new(), values: Vec::new() };
        let mut last = None;
        for (i, j, value) in triplets {
            if last == Some((i, j)) {
                if let Some(sum) = csr.values.last_mut() {
                    *sum += value;
                }
                continue;
            }
            last = Some((i, j));
            csr.columns.push(j as i32);
            csr.values.push(value);
            csr.row_starts[i + 1] += 1;
        }
        for i in 0..rows {
            csr.row_starts[i + 1] += csr.row_starts[i];
        }
        Ok(csr)
    }

    /// From the (column, value) entries of each row, in an order of their own that is kept.
    pub(crate) fn of_rows<E: IntoIterator<Item = (usize, T)>>(
        cols: usize,
        rows: impl IntoIterator<Item = E>,
    ) -> Result<Self> {
        check_columns(cols)?;
        let mut csr = Self { rows: 0, cols, row_starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for row in rows {
            for (j, value) in row {
                csr.columns.push(j as i32);
                csr.values.push(value);
            }
            csr.rows += 1;
            csr.row_starts.push(csr.values.len() as i64);
        }
        Ok(csr)
    }

    /// Takes up the rows of another one with as many columns, after its own.
    pub(crate) fn append(&mut self, other: Self) {
        let end = self.values.len() as i64;
        self.row_starts.extend(other.row_starts.iter().skip(1).map(|start| end + start));
        self.columns.extend(other.columns);
        self.values.extend(other.values);
        self.rows += other.rows;
    }

    /// A borrowed view.
    pub fn view(&self) -> CsrView<'_, T> {
        CsrView {
            rows: self.rows,
            cols: self.cols,
            row_starts: Indices::I64(&self.row_starts),
            columns: Indices::I32(&self.columns),
            values: &self.values,
        }
    }

    /// The dense matrix with the same entries.
    pub fn to_dense(&self) -> Mat<T> {
        let mut dense = Mat::zeros(self.rows, self.cols);
        for i in 0..self.rows {
            for (j, value) in self.view().row(i) {
                dense[(i, j)] += value;
            }
        }
        dense
    }

    /// The same matrix in the other floating-point type.
    pub fn cast<S: Real>(&self) -> Csr<S> {
        Csr {
            rows: self.rows,
            cols: self.cols,
            row_starts: self.row_starts.clone(),
            columns: self.columns.clone(),
            values: self.values.iter().map(|&x| S::from_f64(x.to_f64())).collect(),
        }
    }
}

fn check_columns(cols: usize) -> Result<()> {
    let why = "there are more than 2147483647 columns; leave out those without entries";
    if cols > MOST_COLUMNS { Err(Error::Sparse { row: 0, why }) } else { Ok(()) }
}
