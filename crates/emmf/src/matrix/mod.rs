//! Matrices: [`Mat`] and [`Csr`] own their entries, [`View`] and [`CsrView`] borrow the caller's.

mod dense;
#[cfg(any(feature = "ndarray", feature = "nalgebra"))]
mod interop;
mod part;
mod sparse;
mod stream;

pub use dense::{Mat, View};
pub(crate) use part::{COPIED, Part};
pub use sparse::{Csr, CsrView, Indices};
pub use stream::RowSource;

use std::ops::Range;

use crate::error::{Error, Result};
use crate::opaque::opaque;
use crate::real::Real;
use crate::threads::each_in;
use crate::threads::prelude::*;

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

/// The stored entries of a sample.
pub(crate) struct Row<'a, T> {
    /// Which sample.
    pub(crate) sample: usize,
    pub(crate) values: &'a [T],
    /// The feature of each entry, where not all are stored.
    features: Option<Indices<'a>>,
}

opaque! { [T] Samples<'_, T>; }

impl<T> Row<'_, T> {
    /// The feature of entry `at`.
    pub(crate) fn feature(&self, at: usize) -> usize {
        self.features.map_or(at, |features| features.get(at))
    }
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

    /// How many entries are stored: all of dense samples.
    pub fn stored(&self) -> usize {
        match self {
            Self::Csr(x) => x.nnz(),
            Self::Dense(_) | Self::Stream(_) => self.shape().0.saturating_mul(self.shape().1),
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

    /// Puts these samples into `out`, one after the other, with their zeros.
    pub fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()> {
        let d = self.shape().1;
        if let Self::Stream(x) = self {
            return x.read(rows, out);
        }
        for (i, out) in rows.zip(out.chunks_exact_mut(d.max(1))) {
            match self {
                Self::Dense(x) if x.has_contiguous_rows() => out.copy_from_slice(&x.rows_from(i, 0).0[..d]),
                Self::Dense(x) => out.iter_mut().enumerate().for_each(|(j, out)| *out = x.at(i, j)),
                Self::Csr(x) => {
                    out.fill(T::ZERO);
                    x.row(i).for_each(|(j, value)| out[j] = value);
                }
                Self::Stream(_) => {}
            }
        }
        Ok(())
    }

    /// For every window of samples what `start` gives, after `add` has taken in its samples one by one. The windows in
    /// their order, made by several threads.
    pub(crate) fn try_fold_windows<S: Send>(
        &self,
        start: impl Fn() -> S + Sync,
        add: impl Fn(&mut S, Row<'_, T>) + Sync,
    ) -> Result<Vec<S>> {
        let (n, d) = self.shape();
        let window = |buffer: &mut Vec<T>, window: usize| {
            let samples = window * WINDOW..((window + 1) * WINDOW).min(n);
            if let Self::Stream(x) = self {
                buffer.resize(samples.len() * d, T::ZERO);
                x.read(samples.clone(), buffer)?;
            }
            let mut state = start();
            for (at, sample) in samples.enumerate() {
                let (values, features) = match self {
                    Self::Dense(x) if x.has_contiguous_rows() => (&x.rows_from(sample, 0).0[..d], None),
                    Self::Dense(x) => {
                        buffer.clear();
                        buffer.extend((0..d).map(|j| x.at(sample, j)));
                        (&buffer[..], None)
                    }
                    Self::Csr(x) => (x.row_values(sample), Some(x.row_columns(sample))),
                    Self::Stream(_) => (&buffer[at * d..][..d], None),
                };
                add(&mut state, Row { sample, values, features });
            }
            Ok(state)
        };
        // One needs no other threads.
        if n <= WINDOW {
            return (0..n.div_ceil(WINDOW)).map(|at| window(&mut Vec::new(), at)).collect();
        }
        let mut states: Vec<Option<Result<S>>> =
            std::iter::repeat_with(|| None).take(n.div_ceil(WINDOW)).collect();
        each_in(states.par_iter_mut().enumerate(), Vec::new, |buffer, (at, state)| {
            *state = Some(window(buffer, at));
        });
        states.into_iter().flatten().collect()
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
