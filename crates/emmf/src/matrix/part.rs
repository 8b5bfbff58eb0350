//! Some of the samples.

use std::ops::Range;

use super::{Csr, Mat, RowSource, Samples};
use crate::error::Result;
use crate::real::Real;

/// Bytes up to which dense samples are copied; more are read from where they are whenever they are needed.
pub(crate) const COPIED: usize = 32 << 20;

/// Some of the samples, in an order of their own.
pub(crate) enum Part<'a, T> {
    Dense(Mat<T>),
    Csr(Csr<T>),
    Picked(Picked<'a, T>),
}

impl<'a, T: Real> Part<'a, T> {
    /// These samples, in memory where they are few or sparse.
    pub(crate) fn of(x: &Samples<'a, T>, rows: &[usize]) -> Result<Self> {
        let bytes = size_of::<T>() * rows.len() * x.shape().1;
        match x {
            Samples::Csr(_) => Self::copy(x, rows, |_| T::ONE),
            Samples::Dense(_) if bytes <= COPIED => Self::copy(x, rows, |_| T::ONE),
            _ => Ok(Self::Picked(Picked { x: *x, rows: rows.to_vec() })),
        }
    }

    /// A copy of these samples, sample i times `factor(i)`.
    pub(crate) fn copy(x: &Samples<'_, T>, rows: &[usize], factor: impl Fn(usize) -> T) -> Result<Self> {
        let d = x.shape().1;
        if let Samples::Csr(x) = x {
            let row = |&i: &usize| x.row(i).map(|(j, value)| (j, factor(i) * value)).collect::<Vec<_>>();
            return Ok(Self::Csr(Csr::of_rows(d, rows.iter().map(row))?));
        }
        let mut entries = Vec::with_capacity(rows.len() * d);
        for &i in rows {
            entries.extend(x.row(i)?.into_iter().map(|value| factor(i) * value));
        }
        Ok(Self::Dense(Mat::from_vec(entries, rows.len(), d)?))
    }

    pub(crate) fn samples(&self) -> Samples<'_, T> {
        match self {
            Self::Dense(x) => x.into(),
            Self::Csr(x) => x.into(),
            Self::Picked(x) => Samples::Stream(x),
        }
    }
}

/// Samples that stay where they are.
pub(crate) struct Picked<'a, T> {
    x: Samples<'a, T>,
    rows: Vec<usize>,
}

impl<T: Real> RowSource<T> for Picked<'_, T> {
    fn shape(&self) -> (usize, usize) {
        (self.rows.len(), self.x.shape().1)
    }

    fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()> {
        let mut out = out;
        // Neighbours are read together.
        for run in self.rows[rows].chunk_by(|a, b| a + 1 == *b) {
            let (here, rest) = out.split_at_mut(run.len() * self.x.shape().1);
            match &self.x {
                Samples::Stream(x) => x.read(run[0]..run[0] + run.len(), here)?,
                x => {
                    for (&i, out) in run.iter().zip(here.chunks_exact_mut(x.shape().1)) {
                        out.copy_from_slice(&x.row(i)?);
                    }
                }
            }
            out = rest;
        }
        Ok(())
    }
}
