//! Dense matrices: [`Mat`] owns its entries, [`View`] borrows the caller's.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::real::Real;
use crate::real::sealed::Rows;

/// A dense matrix, row-major.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Unchecked<T>")]
pub struct Mat<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

/// A matrix as it was read, whose entries may be too many or too few.
#[derive(Deserialize)]
struct Unchecked<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T> TryFrom<Unchecked<T>> for Mat<T> {
    type Error = Error;

    fn try_from(Unchecked { data, rows, cols }: Unchecked<T>) -> Result<Self> {
        if rows.checked_mul(cols) == Some(data.len()) {
            Ok(Self { data, rows, cols })
        } else {
            Err(Error::Shape { what: "the array of entries", got: (data.len(), 1), want: (rows, cols) })
        }
    }
}

impl<T> Mat<T> {
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
}

impl<T: Real> Mat<T> {
    /// All entries zero.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { data: vec![T::ZERO; rows * cols], rows, cols }
    }

    /// From entries in row-major order.
    pub fn from_vec(data: Vec<T>, rows: usize, cols: usize) -> Result<Self> {
        Unchecked { data, rows, cols }.try_into()
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

    /// From rows whose lengths only the program knows: `Mat::try_from_rows(vec![vec![1.0, 2.0], vec![3.0, 4.0]])`. All must have
    /// as many entries as the first.
    ///
    /// ```
    /// use emmf::Mat;
    /// let x = Mat::try_from_rows(&[vec![1.0, 2.0], vec![3.0, 4.0]])?;
    /// assert_eq!((x.shape(), x[(1, 0)]), ((2, 2), 3.0));
    /// let told = Mat::try_from_rows([&[1.0, 2.0][..], &[3.0]]).unwrap_err().to_string();
    /// assert!(told.contains("row 1"), "{told}");
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn try_from_rows<R: AsRef<[T]>>(rows: impl IntoIterator<Item = R>) -> Result<Self> {
        let mut all = Self { data: Vec::new(), rows: 0, cols: 0 };
        for row in rows {
            let row = row.as_ref();
            if all.rows == 0 {
                all.cols = row.len();
            } else if row.len() != all.cols {
                let must = format!("{}, as row 0 has", all.cols);
                return Err(Error::param("the entries", format!("{} in row {}", row.len(), all.rows), must));
            }
            all.data.extend_from_slice(row);
            all.rows += 1;
        }
        Ok(all)
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> &[T] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// Row `i`, mutable.
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        &mut self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// All entries, row by row.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All entries, row by row, mutable.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The entries, row by row, by value.
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
