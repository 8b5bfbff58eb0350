//! Dense samples. Cost of a product: O(ndc), X is read once.

use std::ops::Range;

use rayon::prelude::*;

use super::walk::{Layout, Scratch, least_parts, walk};
use super::{BLOCK, Block, Data, PARTS, add_scaled, blocks, dot_f64, vectorized, weigh_rows};
use crate::matrix::{Mat, View};
use crate::real::Real;
use crate::real::sealed::{Left, Product, Rows};

/// Features of a group are a multiple of this: whole panels of the product.
const PANEL: usize = 64;

/// Dense X with a factor for every sample.
pub struct Dense<'a, T> {
    x: View<'a, T>,
    scale: Option<Vec<T>>,
    norms_sq: Vec<f64>,
    blocks: Scratch<T>,
    sums: Scratch<T>,
}

impl<'a, T: Real> Dense<'a, T> {
    /// X with sample i multiplied by `scale[i]`.
    pub fn new(x: View<'a, T>, scale: Option<Vec<T>>) -> Self {
        let mut data = Self { x, scale, norms_sq: Vec::new(), blocks: Scratch::new(), sums: Scratch::new() };
        let norm_sq = |i| {
            let square = |j| (x.at(i, j).to_f64() * data.factor(i).to_f64()).powi(2);
            (0..x.cols()).map(square).sum()
        };
        data.norms_sq = (0..x.rows()).into_par_iter().with_min_len(BLOCK).map(norm_sq).collect();
        data
    }

    fn factor(&self, i: usize) -> T {
        self.scale.as_ref().map_or(T::ONE, |scale| scale[i])
    }

    /// Numbers that [`Self::rows`] needs for so many rows and columns.
    fn spare(&self, rows: usize, cols: usize) -> usize {
        if self.x.has_contiguous_rows() { 0 } else { rows * cols }
    }

    /// A block of X row by row, and the distance of its rows: borrowed where it lies so, else gathered.
    fn rows<'s>(&'s self, rows: Range<usize>, cols: Range<usize>, spare: &'s mut [T]) -> Rows<'s, T> {
        if self.x.has_contiguous_rows() {
            return self.x.rows_from(rows.start, cols.start);
        }
        let width = cols.len();
        for (j, col) in cols.enumerate() {
            for (i, row) in rows.clone().enumerate() {
                spare[i * width + j] = self.x.at(row, col);
            }
        }
        (spare, width)
    }

    /// Parts of the samples and groups of the features in which Xᵀ·diag(q)·V is made. The parts' sums
    /// together are no larger than V.
    fn grid(&self) -> (usize, usize) {
        let (n, d) = self.shape();
        let parts = 1 << (n / d).clamp(1, PARTS).ilog2();
        (parts, (PARTS / parts).min(d.div_ceil(PANEL)))
    }

    /// `out` (c×width) = Vᵀ·diag(q)·X of these samples and features.
    fn outer_sums(
        &self,
        (rows, features): (Range<usize>, Range<usize>),
        q: &[T],
        v: &Mat<T>,
        out: &mut [T],
        scratch: &mut [T],
    ) {
        let c = v.cols();
        let (w, spare) = scratch.split_at_mut(BLOCK * c);
        let (start, width) = (rows.start, features.len());
        for block in blocks(rows) {
            let v = &v.as_slice()[block.start * c..block.end * c];
            weigh_rows(v, c, |i| q[block.start + i] * self.factor(block.start + i), w);
            let x = self.rows(block.clone(), features.clone(), spare);
            let shape = (c, block.len(), width);
            T::gemm((out, width), Left::Columns((w, c)), x, shape, block.start > start);
        }
    }
}

impl<T: Real> Data<T> for Dense<'_, T> {
    fn shape(&self) -> (usize, usize) {
        (self.x.rows(), self.x.cols())
    }

    fn norms_sq(&self) -> &[f64] {
        &self.norms_sq
    }

    fn project<A: Send, R: Send>(
        &self,
        b: &Mat<T>,
        a: &mut [A],
        r: &mut [R],
        visit: impl Fn(Block<'_, T, A, R>) + Sync + Send,
    ) {
        let ((n, d), c) = (self.shape(), b.cols());
        let layout = Layout { n, c, spare: self.spare(BLOCK, d), work: n * d * c };
        let fill = |rows: Range<usize>, p: &mut [T], spare: &mut [T]| {
            let shape = (rows.len(), d, c);
            let x = self.rows(rows.clone(), 0..d, spare);
            T::gemm((p, c), Left::Rows(x), (b.as_slice(), c), shape, false);
            if let Some(scale) = &self.scale {
                for (row, &factor) in p.chunks_exact_mut(c).zip(&scale[rows]) {
                    row.iter_mut().for_each(|value| *value *= factor);
                }
            }
        };
        walk(&layout, &self.blocks, (a, r), fill, visit);
    }

    fn t_dot(&self, q: &[T], v: &Mat<T>, out: &mut Mat<T>) {
        let ((n, d), c) = (self.shape(), v.cols());
        let (parts, groups) = self.grid();
        let (rows, width) = (n.div_ceil(parts), d.div_ceil(groups).next_multiple_of(PANEL));
        let slot = BLOCK * c + self.spare(BLOCK, width);
        let least = least_parts(n * d * c);
        self.sums.lend(parts * c * d + parts * groups * slot, |buffer| {
            let (sums, scratch) = buffer.split_at_mut(parts * c * d);
            let tasks = sums.par_chunks_mut(c * d).zip(scratch.par_chunks_mut(groups * slot)).enumerate();
            tasks.with_min_len(least).for_each(|(part, (sums, scratch))| {
                let rows = part * rows..((part + 1) * rows).min(n);
                let tasks = sums.par_chunks_mut(c * width).zip(scratch.par_chunks_mut(slot)).enumerate();
                tasks.with_min_len(least).for_each(|(group, (sums, scratch))| {
                    let features = group * width..((group + 1) * width).min(d);
                    self.outer_sums((rows.clone(), features), q, v, sums, scratch);
                });
            });
            let out = out.as_mut_slice().par_chunks_mut(c * PANEL).enumerate();
            out.with_min_len(least).for_each(|(panel, out)| {
                for (j, out) in (panel * PANEL..).zip(out.chunks_exact_mut(c)) {
                    // The group of feature j starts at c·start and has `width` features, the last one fewer.
                    let start = j / width * width;
                    let width = width.min(d - start);
                    for (k, out) in out.iter_mut().enumerate() {
                        let at = c * start + k * width + (j - start);
                        *out = (0..parts).map(|part| sums[part * c * d + at]).sum();
                    }
                }
            });
        });
    }

    fn add_row(&self, i: usize, factor: T, out: &mut [T]) {
        let factor = factor * self.factor(i);
        if self.x.has_contiguous_rows() {
            vectorized(|| add_scaled(out, factor, self.x.rows_from(i, 0).0));
        } else {
            out.iter_mut().enumerate().for_each(|(j, sum)| *sum += factor * self.x.at(i, j));
        }
    }

    fn project_exactly(&self, rows: Range<usize>, b: &Mat<f64>) -> Mat<f64> {
        let (d, c) = b.shape();
        let entry = |i: usize, j: usize| self.x.at(i, j).to_f64() * self.factor(i).to_f64();
        let x = Mat::from_fn(rows.len(), d, |at, j| entry(rows.start + at, j));
        let mut out = Mat::zeros(rows.len(), c);
        let x = Left::Rows((x.as_slice(), d));
        f64::gemm((out.as_mut_slice(), c), x, (b.as_slice(), c), (rows.len(), d, c), false);
        out
    }

    fn residual_sq(&self, i: usize, u: &Mat<T>, v: &[T]) -> f64 {
        let factor = self.factor(i).to_f64();
        let entry = |j| factor * self.x.at(i, j).to_f64();
        (0..self.x.cols()).map(|j| (entry(j) - dot_f64(u.row(j), v)).powi(2)).sum()
    }

    fn read(&self, samples: Range<usize>, features: Range<usize>, out: &mut [T]) {
        for (i, out) in samples.zip(out.chunks_exact_mut(features.len())) {
            let factor = self.factor(i);
            if self.x.has_contiguous_rows() {
                let row = &self.x.rows_from(i, features.start).0[..features.len()];
                out.iter_mut().zip(row).for_each(|(out, &x)| *out = factor * x);
            } else {
                out.iter_mut().zip(features.clone()).for_each(|(out, j)| *out = factor * self.x.at(i, j));
            }
        }
    }

    fn is_sparse(&self) -> bool {
        false
    }

    fn for_each_of_sample(&self, i: usize, mut visit: impl FnMut(usize, T)) {
        (0..self.x.cols()).for_each(|j| visit(j, self.factor(i) * self.x.at(i, j)));
    }

    fn for_each_of_feature(&self, j: usize, mut visit: impl FnMut(usize, T)) {
        (0..self.x.rows()).for_each(|i| visit(i, self.factor(i) * self.x.at(i, j)));
    }
}
