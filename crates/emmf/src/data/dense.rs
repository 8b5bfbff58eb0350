//! Dense samples, in memory or read block by block. Cost of a product: O(ndc), X is read once.

use std::ops::Range;
use std::sync::OnceLock;

use super::survey::norm_sq;
use super::walk::{Layout, Rooms, Scratch, least_parts, rows_per_leaf, walk};
use super::{
    BLOCK, Block, Data, Exact, PARTS, STRIP, add_scaled, blocks, dot_f64, residuals_by_row, sum_of_parts,
    sums_by_row, unit_factors, vectorized, weigh_rows,
};
use crate::error::{Error, Result};
use crate::matrix::{Mat, RowSource, Samples, View};
use crate::real::Real;
use crate::real::sealed::{Left, Product, Rows};
use crate::threads::each;
use crate::threads::prelude::*;

/// Features of a group are a multiple of this: whole panels of the product.
pub(crate) const PANEL: usize = 64;

/// Parts of the samples at the least where whole samples are read: fewer would keep threads idle.
pub(crate) const STREAM_PARTS: usize = 4;

/// Samples that are copied in double precision at a time, few enough for the copy to stay in cache.
const COPIED: usize = 24;

/// Samples from which on their residuals are made by a product: the centroids are transposed for it.
const TOGETHER: usize = 8;

/// Where the samples are.
#[derive(Clone, Copy)]
pub(super) enum Source<'a, T> {
    Memory(View<'a, T>),
    Stream(&'a dyn RowSource<T>),
}

/// Dense X with a factor for every sample.
pub struct Dense<'a, T> {
    x: Source<'a, T>,
    shape: (usize, usize),
    /// The first that went wrong in reading; products have no way to say so.
    broken: OnceLock<Error>,
    scale: Option<Vec<T>>,
    norms_sq: Vec<f64>,
    rows_per_leaf: usize,
    blocks: Scratch<T>,
    narrow: Scratch<T>,
    sums: Scratch<T>,
    rooms: Rooms,
}

impl<'a, T: Real> Dense<'a, T> {
    /// X with sample i multiplied by `scale[i]`.
    pub fn new(x: View<'a, T>, scale: Option<Vec<T>>) -> Self {
        Self::of(Source::Memory(x), scale, None)
    }

    /// X read from `source` whenever it is needed, sample i multiplied by `scale[i]`.
    pub fn streamed(source: &'a dyn RowSource<T>, scale: Option<Vec<T>>) -> Self {
        Self::of(Source::Stream(source), scale, None)
    }

    /// X with its factors and, where they are known, the ‖xᵢ‖² that come of them; else it is read for these.
    pub(super) fn of(x: Source<'a, T>, scale: Option<Vec<T>>, norms_sq: Option<Vec<f64>>) -> Self {
        let shape = match x {
            Source::Memory(x) => (x.rows(), x.cols()),
            Source::Stream(x) => x.shape(),
        };
        let [blocks, narrow, sums] = std::array::from_fn(|_| Scratch::new());
        let broken = OnceLock::new();
        let least = if matches!(x, Source::Stream(_)) { STREAM_PARTS } else { 1 };
        let rows_per_leaf = rows_per_leaf(shape, least);
        let (norms, rooms) = (Vec::new(), Rooms::new());
        let mut data =
            Self { x, shape, broken, scale, norms_sq: norms, rows_per_leaf, blocks, narrow, sums, rooms };
        data.norms_sq = norms_sq.unwrap_or_else(|| data.norms());
        data
    }

    /// The same samples as a shard of more, whose leaves have so many rows.
    #[must_use]
    pub fn in_leaves(self, rows_per_leaf: usize) -> Self {
        Self { rows_per_leaf, ..self }
    }

    /// The samples before they are multiplied by factors.
    pub(super) fn samples(&self) -> Samples<'a, T> {
        match self.x {
            Source::Memory(x) => Samples::Dense(x),
            Source::Stream(x) => Samples::Stream(x),
        }
    }

    /// What each sample is multiplied by.
    pub(super) fn scale(&self) -> Option<&[T]> {
        self.scale.as_deref()
    }

    /// The same samples, of unit length; those that are zero stay so.
    pub(super) fn unit(&self) -> Dense<'_, T> {
        let (scale, norms_sq) = unit_factors(self.scale.as_deref(), &self.norms_sq);
        Dense::of(self.x, Some(scale), Some(norms_sq))
    }

    /// Σⱼ (xᵢⱼ − mᵢⱼ)² of these samples, [`PANEL`] features at a time: `fit(features, fitted)` makes the rows of M.
    fn missed_by_panel(
        &self,
        samples: &[usize],
        fitted: &mut [f64],
        out: &mut [f64],
        mut fit: impl FnMut(Range<usize>, &mut [f64]),
    ) {
        let (d, mut spare) = (self.shape.1, [T::ZERO; PANEL]);
        out.fill(0.0);
        for start in (0..d).step_by(PANEL) {
            let features = start..(start + PANEL).min(d);
            fit(features.clone(), fitted);
            for ((&i, fitted), out) in samples.iter().zip(fitted.chunks_exact(PANEL)).zip(&mut *out) {
                let (row, _) = self.rows(i..i + 1, features.clone(), &mut spare);
                let (row, fitted, factor) =
                    (&row[..features.len()], &fitted[..features.len()], self.factor(i).to_f64());
                vectorized!(*out += missed(row, fitted, factor));
            }
        }
    }

    /// ‖xᵢ‖² of every sample.
    fn norms(&self) -> Vec<f64> {
        let (n, d) = self.shape;
        let mut norms = vec![0.0; n];
        each(norms.par_chunks_mut(BLOCK).enumerate(), |(block, norms)| {
            let rows = block * BLOCK..block * BLOCK + norms.len();
            let mut spare = vec![T::ZERO; self.spare(rows.len(), d)];
            let (x, stride) = self.rows(rows.clone(), 0..d, &mut spare);
            for ((norm, i), x) in norms.iter_mut().zip(rows).zip(x.chunks(stride)) {
                *norm = norm_sq(&x[..d], self.factor(i));
            }
        });
        norms
    }

    fn factor(&self, i: usize) -> T {
        self.scale.as_ref().map_or(T::ONE, |scale| scale[i])
    }

    /// Numbers that [`Self::rows`] needs for so many rows and columns.
    fn spare(&self, rows: usize, cols: usize) -> usize {
        match self.x {
            Source::Memory(x) if x.has_contiguous_rows() => 0,
            _ => rows * cols,
        }
    }

    /// A block of X row by row, and the distance of its rows: borrowed where it lies so, else gathered or read.
    /// A stream has only whole rows.
    fn rows<'s>(&'s self, rows: Range<usize>, cols: Range<usize>, spare: &'s mut [T]) -> Rows<'s, T> {
        let width = cols.len();
        match self.x {
            Source::Memory(x) if x.has_contiguous_rows() => return x.rows_from(rows.start, cols.start),
            Source::Memory(x) => {
                for (j, col) in cols.enumerate() {
                    for (i, row) in rows.clone().enumerate() {
                        spare[i * width + j] = x.at(row, col);
                    }
                }
            }
            Source::Stream(source) => {
                let out = &mut spare[..rows.len() * width];
                if self.broken.get().is_some() {
                    out.fill(T::ZERO);
                } else if let Err(error) = source.read(rows, out) {
                    out.fill(T::ZERO);
                    let _ = self.broken.set(error);
                }
            }
        }
        (spare, width)
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
        let (w, spare) = scratch.split_at_mut(STRIP * c);
        let (end, width) = (rows.end, features.len());
        // Backwards: the last samples are still in cache from the product before.
        for block in blocks(rows, STRIP).rev() {
            let v = &v.as_slice()[block.start * c..block.end * c];
            weigh_rows(v, c, |i| q[block.start + i] * self.factor(block.start + i), w);
            let x = self.rows(block.clone(), features.clone(), spare);
            let shape = (c, block.len(), width);
            T::gemm((out, width), Left::Columns((w, c)), x, shape, block.end < end);
        }
    }
}

/// How many of c columns are left when the others fill whole vectors, where taking them apart pays: they
/// fill at most half a vector, and the d numbers of a sample many of them.
fn columns_apart(c: usize, d: usize, lanes: usize) -> usize {
    let rest = c % lanes;
    if 2 * rest <= lanes && d >= 8 * lanes { rest } else { 0 }
}

/// Σ (factor·xⱼ − mⱼ)², eight sums at a time.
#[inline(always)]
fn missed<T: Real>(row: &[T], fitted: &[f64], factor: f64) -> f64 {
    let one = |x: T, m: f64| (factor * x.to_f64() - m).powi(2);
    let ((row, row_rest), (fitted, fitted_rest)) = (row.as_chunks::<8>(), fitted.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (row, fitted) in row.iter().zip(fitted) {
        for t in 0..8 {
            sums[t] += one(row[t], fitted[t]);
        }
    }
    let rest = row_rest.iter().zip(fitted_rest).map(|(&x, &m)| one(x, m));
    sums.into_iter().chain(rest).sum()
}

impl<T: Real> Data<T> for Dense<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn intact(&self) -> Result<()> {
        self.broken.get().map_or(Ok(()), |error| Err(error.clone()))
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
        let few = columns_apart(c, d, T::lanes());
        let wide = c - few;
        self.narrow.lend(few * d, |narrow| {
            for (t, column) in narrow.chunks_exact_mut(d).enumerate() {
                column.iter_mut().enumerate().for_each(|(j, entry)| *entry = b[(j, wide + t)]);
            }
            let fill = |rows: Range<usize>, p: &mut [T], spare: &mut [T]| {
                let x = self.rows(rows.clone(), 0..d, spare);
                T::gemm((p, c), Left::Rows(x), (b.as_slice(), c), (rows.len(), d, wide), false);
                T::dots((&mut p[wide..], c), x, (narrow, d), (rows.len(), d, few));
                if let Some(scale) = &self.scale {
                    for (row, &factor) in p.chunks_exact_mut(c).zip(&scale[rows]) {
                        row.iter_mut().for_each(|value| *value *= factor);
                    }
                }
            };
            walk(&layout, &self.blocks, (a, r), fill, visit);
        });
    }

    fn rows_per_leaf(&self) -> usize {
        self.rows_per_leaf
    }

    fn t_dot_of(&self, all: Range<usize>, q: &[T], v: &Mat<T>, out: &mut Mat<T>) {
        let ((n, d), c) = ((all.len(), self.shape.1), v.cols());
        if c == 0 {
            return;
        }
        let rows = self.rows_per_leaf;
        let leaves = n.div_ceil(rows);
        // Where a few leaves hold all samples, threads share the features. A stream has only whole samples.
        let groups = match self.x {
            Source::Memory(_) => (PARTS / leaves.next_power_of_two()).clamp(1, d.div_ceil(PANEL)),
            Source::Stream(_) => 1,
        };
        let width = d.div_ceil(groups).next_multiple_of(PANEL);
        let slot = STRIP * c + self.spare(STRIP, width);
        let least = least_parts(n * d * c);
        self.sums.lend(leaves * c * d + leaves * groups * slot, |buffer| {
            let (sums, scratch) = buffer.split_at_mut(leaves * c * d);
            let tasks = sums.par_chunks_mut(c * d).zip(scratch.par_chunks_mut(groups * slot)).enumerate();
            each(tasks.rev().with_min_len(least), |(leaf, (sums, scratch))| {
                let start = all.start + leaf * rows;
                let rows = start..(start + rows).min(all.end);
                let tasks = sums.par_chunks_mut(c * width).zip(scratch.par_chunks_mut(slot)).enumerate();
                each(tasks.with_min_len(least), |(group, (sums, scratch))| {
                    let features = group * width..((group + 1) * width).min(d);
                    self.outer_sums((rows.clone(), features), q, v, sums, scratch);
                });
            });
            let out = out.as_mut_slice().par_chunks_mut(c * PANEL).enumerate();
            each(out.with_min_len(least), |(panel, out)| {
                for (j, out) in (panel * PANEL..).zip(out.chunks_exact_mut(c)) {
                    // The group of feature j starts at c·start and has `width` features, the last one fewer.
                    let start = j / width * width;
                    let width = width.min(d - start);
                    for (k, out) in out.iter_mut().enumerate() {
                        let at = c * start + k * width + (j - start);
                        *out = sum_of_parts(leaves, |leaf| sums[leaf * c * d + at], |a, b| a + b);
                    }
                }
            });
        });
    }

    fn add_row(&self, i: usize, factor: T, out: &mut [T]) {
        let factor = factor * self.factor(i);
        let mut spare = vec![T::ZERO; self.spare(1, out.len())];
        let (row, _) = self.rows(i..i + 1, 0..out.len(), &mut spare);
        vectorized!(add_scaled(out, factor, row));
    }

    fn sums_of(&self, members: &[Vec<usize>], weights: &[T]) -> Mat<T> {
        if let Source::Memory(_) = self.x {
            return sums_by_row(self, members, weights);
        }
        // A stream is read in its order: as a product with a matrix that tells who belongs where.
        let mut belongs = Mat::zeros(self.shape.0, members.len());
        for (k, members) in members.iter().enumerate() {
            members.iter().for_each(|&i| belongs[(i, k)] = T::ONE);
        }
        let mut sums = Mat::zeros(self.shape.1, members.len());
        self.t_dot(weights, &belongs, &mut sums);
        sums
    }

    fn project_rows(&self, rows: Range<usize>, b: &Mat<T>, out: &mut [T], spare: &mut Vec<T>) {
        let (d, c) = b.shape();
        spare.resize(self.spare(rows.len(), d), T::ZERO);
        let x = self.rows(rows.clone(), 0..d, spare);
        T::gemm((&mut *out, c), Left::Rows(x), (b.as_slice(), c), (rows.len(), d, c), false);
        if let Some(scale) = &self.scale {
            for (out, &factor) in out.chunks_exact_mut(c).zip(&scale[rows]) {
                out.iter_mut().for_each(|value| *value *= factor);
            }
        }
    }

    fn project_exactly(&self, rows: Range<usize>, b: &Exact<'_, T>, out: &mut [f64], spare: &mut Vec<f64>) {
        let ((d, c), b) = (b.b.shape(), (&*b.wide, b.b.cols()));
        let mut gathered = vec![T::ZERO; self.spare(rows.len(), d)];
        let (x, stride) = self.rows(rows.clone(), 0..d, &mut gathered);
        if let Some(x) = T::wide(x) {
            f64::gemm((&mut *out, c), Left::Rows((x, stride)), b, (rows.len(), d, c), false);
        } else {
            spare.resize(COPIED * d, 0.0);
            for (out, x) in out.chunks_mut(COPIED * c).zip(x.chunks(COPIED * stride)) {
                for (to, x) in spare.chunks_exact_mut(d).zip(x.chunks(stride)) {
                    to.iter_mut().zip(x).for_each(|(to, x)| *to = x.to_f64());
                }
                let shape = (out.len() / c, d, c);
                f64::gemm((out, c), Left::Rows((&*spare, d)), b, shape, false);
            }
        }
        for (out, i) in out.chunks_exact_mut(c).zip(rows) {
            let factor = self.factor(i).to_f64();
            out.iter_mut().for_each(|out| *out *= factor);
        }
    }

    fn residual_sq(&self, i: usize, u: &Mat<T>, v: &[T]) -> f64 {
        let (factor, d) = (self.factor(i).to_f64(), self.shape.1);
        let mut spare = vec![T::ZERO; self.spare(1, d)];
        let (row, _) = self.rows(i..i + 1, 0..d, &mut spare);
        vectorized!({
            let miss = |(j, x): (usize, &T)| (factor * x.to_f64() - dot_f64(u.row(j), v)).powi(2);
            row[..d].iter().enumerate().map(miss).sum()
        })
    }

    fn residuals_sq(&self, samples: &[usize], u: &Mat<T>, v: &[T], out: &mut [f64]) {
        if matches!(self.x, Source::Stream(_)) {
            // Of which only whole samples can be read.
            return residuals_by_row(self, samples, u, v, out);
        }
        let (count, c) = (samples.len(), u.cols());
        if count < TOGETHER {
            let mut fitted = [0.0; TOGETHER * PANEL];
            return self.missed_by_panel(samples, &mut fitted, out, |features, fitted| {
                for (v, fitted) in v.chunks_exact(c).zip(fitted.chunks_exact_mut(PANEL)) {
                    let pairs = fitted.iter_mut().zip(features.clone());
                    vectorized!(pairs.for_each(|(fitted, j)| *fitted = dot_f64(u.row(j), v)));
                }
            });
        }
        self.rooms.lend((c + count) * PANEL + count * c, |room| {
            let (columns, rest) = room.split_at_mut(c * PANEL);
            let (fitted, wide) = rest.split_at_mut(count * PANEL);
            wide.iter_mut().zip(v).for_each(|(wide, v)| *wide = v.to_f64());
            self.missed_by_panel(samples, fitted, out, |features, fitted| {
                for (t, j) in features.clone().enumerate() {
                    u.row(j).iter().enumerate().for_each(|(k, u)| columns[k * PANEL + t] = u.to_f64());
                }
                let (v, shape) = (Left::Rows((&*wide, c)), (count, c, features.len()));
                f64::gemm((fitted, PANEL), v, (columns, PANEL), shape, false);
            });
        });
    }

    fn read(&self, samples: Range<usize>, features: Range<usize>, out: &mut [T]) {
        let width = features.len();
        match self.x {
            Source::Memory(x) if x.has_contiguous_rows() => {
                let (rows, stride) = x.rows_from(samples.start, features.start);
                let rows = rows.chunks(stride).zip(out.chunks_exact_mut(width));
                rows.for_each(|(row, out)| out.copy_from_slice(&row[..width]));
            }
            Source::Stream(_) if width < self.shape.1 => {
                let mut row = vec![T::ZERO; self.shape.1];
                for (i, out) in samples.clone().zip(out.chunks_exact_mut(width)) {
                    self.rows(i..i + 1, 0..row.len(), &mut row);
                    out.copy_from_slice(&row[features.clone()]);
                }
            }
            _ => _ = self.rows(samples.clone(), features, out),
        }
        if let Some(scale) = &self.scale {
            for (out, &factor) in out.chunks_exact_mut(width).zip(&scale[samples]) {
                out.iter_mut().for_each(|x| *x *= factor);
            }
        }
    }

    fn is_sparse(&self) -> bool {
        false
    }

    fn for_each_of_sample(&self, i: usize, mut visit: impl FnMut(usize, T)) {
        let mut row = vec![T::ZERO; self.shape.1];
        self.read(i..i + 1, 0..row.len(), &mut row);
        row.into_iter().enumerate().for_each(|(j, x)| visit(j, x));
    }

    fn for_each_of_feature(&self, j: usize, mut visit: impl FnMut(usize, T)) {
        let mut column = vec![T::ZERO; self.shape.0];
        self.read(0..column.len(), j..j + 1, &mut column);
        column.into_iter().enumerate().for_each(|(i, x)| visit(i, x));
    }
}
