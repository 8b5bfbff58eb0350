//! Matrices: [`Mat`] and [`Csr`] own their entries, [`View`] and [`CsrView`] borrow the caller's.

use crate::error::{Error, Result};
use crate::real::Real;
use crate::real::sealed::Rows;

/// A dense matrix, row-major.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mat<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T: Real> Mat<T> {
    /// All entries zero.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { data: vec![T::ZERO; rows * cols], rows, cols }
    }

    /// From entries in row-major order.
    pub fn from_vec(data: Vec<T>, rows: usize, cols: usize) -> Result<Self> {
        if rows.checked_mul(cols) == Some(data.len()) {
            Ok(Self { data, rows, cols })
        } else {
            Err(Error::Shape { what: "the array of entries", got: (data.len(), 1), want: (rows, cols) })
        }
    }

    /// Entry (i, j) is `entry(i, j)`.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> T) -> Self {
        // Not collected: the length of nested ranges is not known beforehand, and up to half the memory
        // would be lost.
        let mut data = Vec::with_capacity(rows * cols);
        for i in 0..rows {
            data.extend((0..cols).map(|j| entry(i, j)));
        }
        Self { data, rows, cols }
    }

    /// From nested arrays: `Mat::from_rows([[1.0, 2.0], [3.0, 4.0]])`.
    pub fn from_rows<const N: usize>(rows: impl IntoIterator<Item = [T; N]>) -> Self {
        let data: Vec<T> = rows.into_iter().flatten().collect();
        let rows = data.len().checked_div(N).unwrap_or(0);
        Self { data, rows, cols: N }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, to change.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// All entries, row by row.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All entries, row by row, to change.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Gives the entries away, row by row.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// The transpose, as a copy.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// The same matrix in the other floating-point type.
    pub fn cast<S: Real>(&self) -> Mat<S> {
        let data = self.data.iter().map(|&x| S::from_f64(x.to_f64())).collect();
        Mat { data, rows: self.rows, cols: self.cols }
    }

    /// A borrowed view of the whole matrix.
    pub fn view(&self) -> View<'_, T> {
        View { data: &self.data, rows: self.rows, cols: self.cols, row_stride: self.cols, col_stride: 1 }
    }
}

impl<T: Real> std::ops::Index<(usize, usize)> for Mat<T> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        assert!(j < self.cols, "column {j} of a matrix with {} columns", self.cols);
        &self.data[i * self.cols + j]
    }
}

impl<T: Real> std::ops::IndexMut<(usize, usize)> for Mat<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        assert!(j < self.cols, "column {j} of a matrix with {} columns", self.cols);
        &mut self.data[i * self.cols + j]
    }
}

/// A borrowed dense matrix with any two strides: rows, columns, slices and transposes of the
/// caller's array come in without a copy.
#[derive(Debug, Clone, Copy)]
pub struct View<'a, T> {
    data: &'a [T],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a, T: Real> View<'a, T> {
    /// Entry (i, j) is `data[i * row_stride + j * col_stride]`.
    pub fn new(data: &'a [T], shape: (usize, usize), strides: (usize, usize)) -> Result<Self> {
        let (rows, cols) = shape;
        let (row_stride, col_stride) = strides;
        let view = Self { data, rows, cols, row_stride, col_stride };
        let last = (|| {
            let down = rows.checked_sub(1)?.checked_mul(row_stride)?;
            let across = cols.checked_sub(1)?.checked_mul(col_stride)?;
            down.checked_add(across)
        })();
        if rows == 0 || cols == 0 || last.is_some_and(|at| at < data.len()) {
            Ok(view)
        } else {
            Err(Error::Shape { what: "the array of entries", got: (data.len(), 1), want: shape })
        }
    }

    /// Row-major (C order) entries.
    pub fn row_major(data: &'a [T], rows: usize, cols: usize) -> Result<Self> {
        Self::new(data, (rows, cols), (cols, 1))
    }

    /// Column-major (Fortran order) entries.
    pub fn col_major(data: &'a [T], rows: usize, cols: usize) -> Result<Self> {
        Self::new(data, (rows, cols), (1, rows))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Entry (i, j).
    pub fn at(&self, i: usize, j: usize) -> T {
        self.data[i * self.row_stride + j * self.col_stride]
    }

    /// The transpose, without a copy.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
            ..self
        }
    }

    /// The entries from row `row` and column `col` on, where rows are contiguous.
    pub(crate) fn rows_from(&self, row: usize, col: usize) -> Rows<'a, T> {
        (&self.data[row * self.row_stride + col..], self.row_stride)
    }

    /// The entries of a row lie one after the other, and no two rows overlap.
    pub(crate) fn has_contiguous_rows(&self) -> bool {
        self.col_stride == 1 && self.row_stride >= self.cols
    }

    /// A row-major copy.
    pub fn to_mat(&self) -> Mat<T> {
        Mat::from_fn(self.rows, self.cols, |i, j| self.at(i, j))
    }
}

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

    /// None at all.
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
                return bad(i, "the row pointers must not fall");
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
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, T)> + '_ {
        let range = self.row_starts.get(i)..self.row_starts.get(i + 1);
        range.map(|at| (self.columns.get(at), self.values[at]))
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

    /// Calls `visit(column, value)` for the stored entries of row `i`.
    #[inline(always)]
    pub(crate) fn for_each_in_row(&self, i: usize, mut visit: impl FnMut(usize, T)) {
        let range = self.row_starts.get(i)..self.row_starts.get(i + 1);
        let values = &self.values[range.clone()];
        // The indices were checked: none is negative.
        match self.columns {
            Indices::I32(columns) => {
                columns[range].iter().zip(values).for_each(|(&j, &x)| visit(j as usize, x));
            }
            Indices::I64(columns) => {
                columns[range].iter().zip(values).for_each(|(&j, &x)| visit(j as usize, x));
            }
        }
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
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Csr<T> {
    rows: usize,
    cols: usize,
    row_starts: Vec<i64>,
    columns: Vec<i64>,
    values: Vec<T>,
}

impl<T: Real> Csr<T> {
    /// From the three arrays of the usual format, which are checked against each other.
    pub fn new(
        shape: (usize, usize),
        row_starts: Vec<i64>,
        columns: Vec<i64>,
        values: Vec<T>,
    ) -> Result<Self> {
        CsrView::new(shape, Indices::I64(&row_starts), Indices::I64(&columns), &values)?;
        Ok(Self { rows: shape.0, cols: shape.1, row_starts, columns, values })
    }

    /// From (row, column, value) triplets in any order; values at the same place are added.
    pub fn from_triplets(shape: (usize, usize), mut triplets: Vec<(usize, usize, T)>) -> Result<Self> {
        let (rows, cols) = shape;
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
            csr.columns.push(j as i64);
            csr.values.push(value);
            csr.row_starts[i + 1] += 1;
        }
        for i in 0..rows {
            csr.row_starts[i + 1] += csr.row_starts[i];
        }
        Ok(csr)
    }

    /// A borrowed view.
    pub fn view(&self) -> CsrView<'_, T> {
        CsrView {
            rows: self.rows,
            cols: self.cols,
            row_starts: Indices::I64(&self.row_starts),
            columns: Indices::I64(&self.columns),
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

/// The samples of a fit, as rows: dense or sparse, borrowed.
#[derive(Debug, Clone, Copy)]
pub enum Samples<'a, T> {
    /// Dense, with any strides.
    Dense(View<'a, T>),
    /// Sparse, compressed by rows.
    Csr(CsrView<'a, T>),
}

impl<T: Real> Samples<'_, T> {
    /// Samples and features.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(x) => (x.rows(), x.cols()),
            Self::Csr(x) => (x.rows(), x.cols()),
        }
    }

    /// Calls `visit(row, column, value)` for every stored entry, row by row, until it fails.
    pub(crate) fn try_for_each(&self, mut visit: impl FnMut(usize, usize, T) -> Result<()>) -> Result<()> {
        match self {
            Self::Dense(x) => {
                for i in 0..x.rows() {
                    for j in 0..x.cols() {
                        visit(i, j, x.at(i, j))?;
                    }
                }
            }
            Self::Csr(x) => {
                for i in 0..x.rows() {
                    for (j, value) in x.row(i) {
                        visit(i, j, value)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl<'a, T: Real> From<View<'a, T>> for Samples<'a, T> {
    fn from(view: View<'a, T>) -> Self {
        Self::Dense(view)
    }
}

impl<'a, T: Real> From<&'a Mat<T>> for Samples<'a, T> {
    fn from(mat: &'a Mat<T>) -> Self {
        Self::Dense(mat.view())
    }
}

impl<'a, T: Real> From<CsrView<'a, T>> for Samples<'a, T> {
    fn from(view: CsrView<'a, T>) -> Self {
        Self::Csr(view)
    }
}

impl<'a, T: Real> From<&'a Csr<T>> for Samples<'a, T> {
    fn from(csr: &'a Csr<T>) -> Self {
        Self::Csr(csr.view())
    }
}
