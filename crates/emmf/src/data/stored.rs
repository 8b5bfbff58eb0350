//! X as the caller gave it, dense, sparse or streamed: the one place that tells them apart.

use std::ops::Range;

use super::dense::Source;
use super::{Block, Data, Dense, Exact, Sparse};
use crate::error::Result;
use crate::matrix::{Mat, Samples};
use crate::real::Real;

/// X as it is stored.
pub(crate) enum Stored<'a, T> {
    Dense(Dense<'a, T>),
    Sparse(Sparse<'a, T>),
}

macro_rules! either {
    ($self:ident, $x:ident => $call:expr) => {
        match $self {
            Stored::Dense($x) => $call,
            Stored::Sparse($x) => $call,
        }
    };
}

impl<'a, T: Real> Stored<'a, T> {
    /// The samples, sample i multiplied by `scale[i]`. They are read for the ‖xᵢ‖² that come of it, unless these are known.
    pub(crate) fn new(x: Samples<'a, T>, scale: Option<Vec<T>>, norms_sq: Option<Vec<f64>>) -> Self {
        match x {
            Samples::Dense(x) => Self::Dense(Dense::of(Source::Memory(x), scale, norms_sq)),
            Samples::Csr(x) => Self::Sparse(Sparse::of(x, scale, norms_sq)),
            Samples::Stream(x) => Self::Dense(Dense::of(Source::Stream(x), scale, norms_sq)),
        }
    }
}

impl<T: Real> Stored<'_, T> {
    /// The samples before they are multiplied by factors, and these.
    pub(crate) fn parts(&self) -> (Samples<'_, T>, Option<&[T]>) {
        either!(self, x => (x.samples(), x.scale()))
    }

    /// The same samples, of unit length; those that are zero stay so.
    pub(crate) fn unit(&self) -> Stored<'_, T> {
        match self {
            Self::Dense(x) => Stored::Dense(x.unit()),
            Self::Sparse(x) => Stored::Sparse(x.unit()),
        }
    }

    /// The same samples before they were multiplied by factors of their own, where they were. `x` is what they were made of.
    pub(crate) fn unscaled<'s>(&self, x: Samples<'s, T>) -> Option<Stored<'s, T>> {
        let scale = either!(self, x => x.scale())?;
        let norm_sq = |(norm_sq, factor): (&f64, &T)| norm_sq / factor.to_f64().powi(2);
        let norms_sq = self.norms_sq().iter().zip(scale).map(norm_sq).collect();
        Some(Stored::new(x, None, Some(norms_sq)))
    }

    /// The same samples as a shard of more, whose leaves have so many rows: see [`leaf_rows`](super::leaf_rows).
    pub(crate) fn in_leaves(self, rows_per_leaf: usize) -> Self {
        match self {
            Self::Dense(x) => Self::Dense(x.in_leaves(rows_per_leaf)),
            Self::Sparse(x) => Self::Sparse(x.in_leaves(rows_per_leaf)),
        }
    }
}

impl<T: Real> Data<T> for Stored<'_, T> {
    fn shape(&self) -> (usize, usize) {
        either!(self, x => x.shape())
    }

    fn norms_sq(&self) -> &[f64] {
        either!(self, x => x.norms_sq())
    }

    fn project<A: Send, R: Send>(
        &self,
        b: &Mat<T>,
        a: &mut [A],
        r: &mut [R],
        visit: impl Fn(Block<'_, T, A, R>) + Sync + Send,
    ) {
        either!(self, x => x.project(b, a, r, visit));
    }

    fn t_dot_of(&self, rows: Range<usize>, q: &[T], v: &Mat<T>, out: &mut Mat<T>) {
        either!(self, x => x.t_dot_of(rows, q, v, out));
    }

    fn rows_per_leaf(&self) -> usize {
        either!(self, x => x.rows_per_leaf())
    }

    fn add_row(&self, i: usize, factor: T, out: &mut [T]) {
        either!(self, x => x.add_row(i, factor, out));
    }

    fn sums_of(&self, members: &[Vec<usize>], weights: &[T]) -> Mat<T> {
        either!(self, x => x.sums_of(members, weights))
    }

    fn intact(&self) -> Result<()> {
        either!(self, x => x.intact())
    }

    fn project_rows(&self, rows: Range<usize>, b: &Mat<T>, out: &mut [T], spare: &mut Vec<T>) {
        either!(self, x => x.project_rows(rows, b, out, spare));
    }

    fn project_exactly(&self, rows: Range<usize>, b: &Exact<'_, T>, out: &mut [f64], spare: &mut Vec<f64>) {
        either!(self, x => x.project_exactly(rows, b, out, spare));
    }

    fn residual_sq(&self, i: usize, u: &Mat<T>, v: &[T]) -> f64 {
        either!(self, x => x.residual_sq(i, u, v))
    }

    fn residuals_sq(&self, samples: &[usize], u: &Mat<T>, v: &[T], out: &mut [f64]) {
        either!(self, x => x.residuals_sq(samples, u, v, out));
    }

    fn read(&self, samples: Range<usize>, features: Range<usize>, out: &mut [T]) {
        either!(self, x => x.read(samples, features, out));
    }

    fn is_sparse(&self) -> bool {
        either!(self, x => x.is_sparse())
    }

    fn for_each_of_sample(&self, i: usize, visit: impl FnMut(usize, T)) {
        either!(self, x => x.for_each_of_sample(i, visit));
    }

    fn for_each_of_feature(&self, j: usize, visit: impl FnMut(usize, T)) {
        either!(self, x => x.for_each_of_feature(j, visit));
    }
}
