//! Matrices: [`Mat`] and [`Csr`] own their entries, [`View`] and [`CsrView`] borrow the caller's.

mod dense;
mod part;
mod sparse;
mod stream;

pub use dense::{Mat, View};
pub(crate) use part::{COPIED, Part};
pub use sparse::{Csr, CsrView, Indices};
pub use stream::RowSource;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::real::Real;

/// Samples that one thread looks at together.
const WINDOW: usize = 256;

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

    /// Sample i as it was given, with its zeros.
    pub fn row(&self, i: usize) -> Result<Vec<T>> {
        let (n, d) = self.shape();
        if i >= n {
            return Err(Error::param("row", i, format!("less than the number of samples, {n}")));
        }
        let mut row = vec![T::ZERO; d];
        match self {
            Self::Dense(x) => row.iter_mut().enumerate().for_each(|(j, value)| *value = x.at(i, j)),
            Self::Csr(x) => x.row(i).for_each(|(j, value)| row[j] = value),
            Self::Stream(x) => x.read(i..i + 1, &mut row)?,
        }
        Ok(row)
    }

    /// Calls `visit(i, entries)` with the stored entries of every sample, in any order and from several threads,
    /// until it fails.
    pub(crate) fn try_for_rows(&self, visit: impl Fn(usize, &[T]) -> Result<()> + Sync) -> Result<()> {
        let (n, d) = self.shape();
        let window = |buffer: &mut Vec<T>, window: usize| {
            let rows = window * WINDOW..((window + 1) * WINDOW).min(n);
            if let Self::Stream(x) = self {
                buffer.resize(rows.len() * d, T::ZERO);
                x.read(rows.clone(), buffer)?;
                return rows.zip(buffer.chunks_exact(d)).try_for_each(|(i, row)| visit(i, row));
            }
            rows.into_iter().try_for_each(|i| match self {
                Self::Dense(x) if x.has_contiguous_rows() => visit(i, &x.rows_from(i, 0).0[..d]),
                Self::Dense(x) => {
                    buffer.clear();
                    buffer.extend((0..d).map(|j| x.at(i, j)));
                    visit(i, buffer)
                }
                Self::Csr(x) => visit(i, x.row_values(i)),
                Self::Stream(_) => Ok(()),
            })
        };
        (0..n.div_ceil(WINDOW)).into_par_iter().try_for_each_init(Vec::new, window)
    }

    /// Calls `visit(row, column, value)` for every stored entry, row by row, until it fails.
    pub(crate) fn try_for_each(&self, mut visit: impl FnMut(usize, usize, T) -> Result<()>) -> Result<()> {
        let (n, d) = self.shape();
        let mut buffer = Vec::new();
        for i in 0..n {
            match self {
                Self::Dense(x) => (0..d).try_for_each(|j| visit(i, j, x.at(i, j)))?,
                Self::Csr(x) => x.row(i).try_for_each(|(j, value)| visit(i, j, value))?,
                Self::Stream(x) => {
                    if i % WINDOW == 0 {
                        let rows = i..(i + WINDOW).min(n);
                        buffer.resize(rows.len() * d, T::ZERO);
                        x.read(rows, &mut buffer)?;
                    }
                    let row = &buffer[i % WINDOW * d..][..d];
                    row.iter().enumerate().try_for_each(|(j, &value)| visit(i, j, value))?;
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

impl<'a, T: Real> From<&'a dyn RowSource<T>> for Samples<'a, T> {
    fn from(source: &'a dyn RowSource<T>) -> Self {
        Self::Stream(source)
    }
}
