//! Matrices: [`Mat`] and [`Csr`] own their entries, [`View`] and [`CsrView`] borrow the caller's.

mod dense;
mod sparse;
mod stream;

pub use dense::{Mat, View};
pub use sparse::{Csr, CsrView, Indices};
pub use stream::RowSource;

use crate::error::Result;
use crate::real::Real;

/// The samples of a fit, as rows: dense or sparse, borrowed, or read when they are needed.
#[derive(Clone, Copy)]
pub enum Samples<'a, T> {
    /// Dense, with any strides.
    Dense(View<'a, T>),
    /// Sparse, compressed by rows.
    Csr(CsrView<'a, T>),
    /// Dense, not in memory.
    Stream(&'a dyn RowSource<T>),
}

impl<T: Real> Samples<'_, T> {
    /// Samples and features.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::Dense(x) => (x.rows(), x.cols()),
            Self::Csr(x) => (x.rows(), x.cols()),
            Self::Stream(x) => x.shape(),
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
            Self::Stream(x) => stream::try_for_windows(*x, |start, window| {
                for (i, row) in (start..).zip(window.chunks_exact(x.shape().1)) {
                    for (j, &value) in row.iter().enumerate() {
                        visit(i, j, value)?;
                    }
                }
                Ok(())
            })?,
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

impl<'a, T: Real> From<&'a dyn RowSource<T>> for Samples<'a, T> {
    fn from(source: &'a dyn RowSource<T>) -> Self {
        Self::Stream(source)
    }
}
