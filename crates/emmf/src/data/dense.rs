//! Dense samples. Cost of a product: O(ndc), X is read once.

use std::ops::Range;

use rayon::prelude::*;

use super::{BLOCK, Data, add_scaled, blocks, dot_f64};
use crate::matrix::{Mat, View};
use crate::real::Real;

/// Features whose rows of Xᵀ·diag(q)·V one thread makes at a time.
const FEATURES: usize = 64;

/// Dense X with a factor for every sample.
pub struct Dense<'a, T> {
    x: Storage<'a, T>,
    scale: Option<Vec<T>>,
    norms_sq: Vec<f64>,
}

/// The caller's array, or a row-major copy where neither of its strides is 1.
enum Storage<'a, T> {
    Borrowed(View<'a, T>),
    Copied(Mat<T>),
}

impl<'a, T: Real> Dense<'a, T> {
    /// X with sample i multiplied by `scale[i]`.
    pub fn new(x: View<'a, T>, scale: Option<Vec<T>>) -> Self {
        let storage = if x.has_unit_stride() { Storage::Borrowed(x) } else { Storage::Copied(x.to_mat()) };
        let mut data = Self { x: storage, scale, norms_sq: Vec::new() };
        let view = data.view();
        let norm_sq = |i| {
            let square = |j| (view.at(i, j).to_f64() * data.factor(i).to_f64()).powi(2);
            (0..view.cols()).map(square).sum()
        };
        data.norms_sq = (0..view.rows()).into_par_iter().map(norm_sq).collect();
        data
    }

    fn view(&self) -> View<'_, T> {
        match &self.x {
            Storage::Borrowed(x) => *x,
            Storage::Copied(x) => x.view(),
        }
    }

    fn factor(&self, i: usize) -> T {
        self.scale.as_ref().map_or(T::ONE, |scale| scale[i])
    }

    /// diag(q)·V of a block of rows, with the samples' factors.
    fn weighted_rows(&self, rows: Range<usize>, q: &[T], v: &Mat<T>, out: &mut Vec<T>) {
        out.clear();
        for i in rows {
            let weight = q[i] * self.factor(i);
            out.extend(v.row(i).iter().map(|&value| weight * value));
        }
    }
}

impl<T: Real> Data<T> for Dense<'_, T> {
    fn shape(&self) -> (usize, usize) {
        (self.view().rows(), self.view().cols())
    }

    fn norms_sq(&self) -> &[f64] {
        &self.norms_sq
    }

    fn project<S: Send>(
        &self,
        b: &Mat<T>,
        parts: Vec<S>,
        visit: impl Fn(Range<usize>, S, &mut [T]) + Sync + Send,
    ) {
        let (x, (n, d), c) = (self.view(), self.shape(), b.cols());
        let work: Vec<_> = blocks(n).zip(parts).collect();
        work.into_par_iter().for_each_init(
            || vec![T::ZERO; BLOCK * c],
            |scratch, (rows, part)| {
                let p = &mut scratch[..rows.len() * c];
                T::gemm(p, x.block(rows.clone(), 0..d), (b.as_slice(), c, 1), (rows.len(), d, c), false);
                if self.scale.is_some() {
                    for (i, row) in rows.clone().zip(p.chunks_exact_mut(c)) {
                        row.iter_mut().for_each(|value| *value *= self.factor(i));
                    }
                }
                visit(rows, part, p);
            },
        );
    }

    fn t_dot(&self, q: &[T], v: &Mat<T>, out: &mut Mat<T>) {
        let (x, (n, d), c) = (self.view(), self.shape(), v.cols());
        out.as_mut_slice().par_chunks_mut(FEATURES * c).enumerate().for_each_init(
            || Vec::with_capacity(BLOCK * c),
            |weighted, (chunk, out)| {
                let features = chunk * FEATURES..(chunk * FEATURES + FEATURES).min(d);
                for rows in blocks(n) {
                    self.weighted_rows(rows.clone(), q, v, weighted);
                    let (entries, down, across) = x.block(rows.clone(), features.clone());
                    let shape = (features.len(), rows.len(), c);
                    T::gemm(out, (entries, across, down), (weighted, c, 1), shape, rows.start > 0);
                }
            },
        );
    }

    fn add_row(&self, i: usize, factor: T, out: &mut [T]) {
        let (x, factor) = (self.view(), factor * self.factor(i));
        for (j, sum) in out.iter_mut().enumerate() {
            *sum += factor * x.at(i, j);
        }
    }

    fn project_row(&self, i: usize, b: &Mat<f64>, out: &mut [f64]) {
        out.fill(0.0);
        let (x, factor) = (self.view(), self.factor(i).to_f64());
        (0..x.cols()).for_each(|j| add_scaled(out, factor * x.at(i, j).to_f64(), b.row(j)));
    }

    fn residual_sq(&self, i: usize, u: &Mat<T>, v: &[T]) -> f64 {
        let (x, factor) = (self.view(), self.factor(i).to_f64());
        (0..x.cols()).map(|j| (factor * x.at(i, j).to_f64() - dot_f64(u.row(j), v)).powi(2)).sum()
    }
}
