//! Sparse samples, compressed by rows. Cost of a product: O(nnz·c). A second copy of the entries,
//! compressed by columns, makes Xᵀ·diag(q)·V as parallel and as repeatable as X·B.

use std::ops::Range;

use super::survey::norm_sq;
use super::walk::{Layout, Scratch, leaf_rows_of, least_parts, walk};
use super::{Block, Data, Exact, PARTS, add_up, dot_f64, unit_factors, vectorized};
use crate::matrix::{CsrView, Indices, Mat, Samples};
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Sparse X with a factor for every sample.
pub struct Sparse<'a, T> {
    x: CsrView<'a, T>,
    scale: Option<Vec<T>>,
    norms_sq: Vec<f64>,
    by_feature: Columns<T>,
    blocks: Scratch<T>,
    sums: Scratch<T>,
}

/// The entries of X by feature, one slab of samples after the other: while a slab goes by, its rows of V stay in the cache.
struct Columns<T> {
    slabs: Slabs,
    features: usize,
    /// Where each feature starts, slab by slab, and the end.
    starts: Vec<usize>,
    /// The sample of every entry, from the first of its slab.
    samples: Places,
    values: Vec<T>,
}

/// Samples in leaves of the tree of sums, and each leaf in slabs.
#[derive(Clone, Copy)]
struct Slabs {
    rows_per_leaf: usize,
    /// Samples of a slab, and slabs of a leaf.
    slab: usize,
    per_leaf: usize,
}

impl Slabs {
    /// Leaves of so many rows, in nearly equal slabs of at most `most`.
    fn new(rows_per_leaf: usize, most: usize) -> Self {
        let per_leaf = rows_per_leaf.div_ceil(most).max(1);
        Self { rows_per_leaf, slab: rows_per_leaf.div_ceil(per_leaf), per_leaf }
    }

    /// The slab of a sample, and its place there.
    fn of(&self, i: usize) -> (usize, usize) {
        let (leaf, at) = (i / self.rows_per_leaf, i % self.rows_per_leaf);
        (leaf * self.per_leaf + at / self.slab, at % self.slab)
    }

    /// The first sample of a slab.
    fn start(&self, slab: usize) -> usize {
        slab / self.per_leaf * self.rows_per_leaf + slab % self.per_leaf * self.slab
    }

    /// Slabs that n samples begin.
    fn count(&self, n: usize) -> usize {
        if n == 0 { 0 } else { self.of(n - 1).0 + 1 }
    }
}

/// Places in a slab, as small as it allows.
enum Places {
    Short(Vec<u16>),
    Long(Vec<u32>),
}

/// A place in a slab.
trait Place: Copy + Send + Sync {
    fn at(self) -> usize;
}

impl Place for u16 {
    fn at(self) -> usize {
        usize::from(self)
    }
}

impl Place for u32 {
    fn at(self) -> usize {
        self as usize
    }
}

/// Samples of a slab at the least: some fifty coefficients of each fill half of a core's own cache.
pub(super) const SLAB: usize = 2048;
/// Bytes of the entries of a feature in a slab at the least, on the average: fewer would not be worth the way there. The
/// longer the numbers, the smaller the slab whose rows of V fit the cache.
const ENTRY_BYTES: usize = 64;

impl<T: Real> Columns<T> {
    /// Sample i multiplied by `factor(i)`.
    fn new(x: CsrView<'_, T>, slabs: Slabs, factor: impl Fn(usize) -> T) -> Self {
        let (n, features) = (x.rows(), x.cols());
        let at = |i: usize, j: usize| slabs.of(i).0 * features + j;
        let mut starts = vec![0; slabs.count(n) * features + 1];
        for i in 0..n {
            x.row(i).for_each(|(j, _)| starts[at(i, j)] += 1);
        }
        for next in 1..starts.len() {
            starts[next] += starts[next - 1];
        }
        let mut values = vec![T::ZERO; x.nnz()];
        let samples = if slabs.slab <= 1 << 16 {
            let mut places = vec![0; x.nnz()];
            let place = |to: usize, i| places[to] = slabs.of(i).1 as u16;
            fill(x, factor, at, &mut starts, (&mut values, place));
            Places::Short(places)
        } else {
            let mut places = vec![0; x.nnz()];
            let place = |to: usize, i| places[to] = slabs.of(i).1 as u32;
            fill(x, factor, at, &mut starts, (&mut values, place));
            Places::Long(places)
        };
        Self { slabs, features, starts, samples, values }
    }

    fn slab_count(&self) -> usize {
        (self.starts.len() - 1) / self.features.max(1)
    }

    fn range(&self, slab: usize, j: usize) -> Range<usize> {
        let at = slab * self.features + j;
        self.starts[at]..self.starts[at + 1]
    }

    /// Entry (i, j).
    fn at(&self, i: usize, j: usize) -> T {
        let (slab, place) = self.slabs.of(i);
        let range = self.range(slab, j);
        let found = match &self.samples {
            Places::Short(places) => places[range.clone()].binary_search_by_key(&place, |place| place.at()),
            Places::Long(places) => places[range.clone()].binary_search_by_key(&place, |place| place.at()),
        };
        found.map_or(T::ZERO, |at| self.values[range.start + at])
    }

    /// The entries of a feature in a slab, each with its place there.
    fn feature<'s, P: Place>(
        &'s self,
        places: &'s [P],
        slab: usize,
        j: usize,
    ) -> impl Iterator<Item = (usize, T)> + Clone + 's {
        let range = self.range(slab, j);
        places[range.clone()].iter().zip(&self.values[range]).map(|(place, &value)| (place.at(), value))
    }

    /// `out` = Xᵀ·diag(q)·V over the samples of a leaf, slab by slab.
    fn sum_of_leaf<P: Place>(&self, places: &[P], leaf: usize, q: &[T], v: &Mat<T>, out: &mut [T]) {
        let (c, features) = (v.cols(), self.features.div_ceil(PARTS).max(1));
        let least = least_parts(self.values.len() * c / self.slab_count().max(1));
        let slabs = leaf * self.slabs.per_leaf..((leaf + 1) * self.slabs.per_leaf).min(self.slab_count());
        for slab in slabs.clone() {
            let start = self.slabs.start(slab);
            let (q, v) = (&q[start..], &v.as_slice()[start * c..]);
            let parts = out.par_chunks_mut(features * c).enumerate();
            each(parts.with_min_len(least), |(part, out)| {
                T::gather(out, v, c, slab > slabs.start, |at| {
                    let weighted = |(i, value): (usize, T)| (i, value * q[i]);
                    self.feature(places, slab, part * features + at).map(weighted)
                });
            });
        }
    }
}

/// Hands out a place to every entry: `starts`, which holds the end of every list, becomes where it starts.
fn fill<T: Real>(
    x: CsrView<'_, T>,
    factor: impl Fn(usize) -> T,
    list: impl Fn(usize, usize) -> usize,
    starts: &mut [usize],
    (values, mut place): (&mut [T], impl FnMut(usize, usize)),
) {
    // From its end: the samples of a list ascend.
    for i in (0..x.rows()).rev() {
        for (j, value) in x.row(i) {
            let to = &mut starts[list(i, j)];
            *to -= 1;
            values[*to] = factor(i) * value;
            place(*to, i);
        }
    }
}

impl<'a, T: Real> Sparse<'a, T> {
    /// X with sample i multiplied by `scale[i]`.
    pub fn new(x: CsrView<'a, T>, scale: Option<Vec<T>>) -> Self {
        Self::of(x, scale, None)
    }

    /// The samples before they are multiplied by factors.
    pub(super) fn samples(&self) -> Samples<'a, T> {
        Samples::Csr(self.x)
    }

    /// What each sample is multiplied by.
    pub(super) fn scale(&self) -> Option<&[T]> {
        self.scale.as_deref()
    }

    /// The same samples, of unit length; those that are zero stay so.
    pub(super) fn unit(&self) -> Sparse<'_, T> {
        let (scale, norms_sq) = unit_factors(self.scale.as_deref(), &self.norms_sq);
        Sparse::of(self.x, Some(scale), Some(norms_sq))
    }

    /// X with its factors and, where they are known, the ‖xᵢ‖² that come of them.
    pub(super) fn of(x: CsrView<'a, T>, scale: Option<Vec<T>>, norms_sq: Option<Vec<f64>>) -> Self {
        // It does not depend on the entries, which are not known of shards that are elsewhere.
        let rows_per_leaf = leaf_rows_of((x.rows(), x.cols()), true);
        Self::in_slabs(x, scale, norms_sq, Slabs::new(rows_per_leaf, Self::slab(x)))
    }

    /// Samples of a slab at most.
    fn slab(x: CsrView<'_, T>) -> usize {
        let entries = ENTRY_BYTES / size_of::<T>();
        SLAB.max((entries * x.rows()).saturating_mul(x.cols()) / x.nnz().max(1))
    }

    /// The same samples as a shard of more, whose leaves have so many rows.
    #[must_use]
    pub fn in_leaves(self, rows_per_leaf: usize) -> Self {
        let slabs = Slabs::new(rows_per_leaf, Self::slab(self.x));
        Self::in_slabs(self.x, self.scale, Some(self.norms_sq), slabs)
    }

    fn in_slabs(x: CsrView<'a, T>, scale: Option<Vec<T>>, norms_sq: Option<Vec<f64>>, slabs: Slabs) -> Self {
        let by_feature = Columns::new(x, slabs, |i| scale.as_ref().map_or(T::ONE, |scale| scale[i]));
        let [blocks, sums] = std::array::from_fn(|_| Scratch::new());
        let mut data = Self { x, scale, norms_sq: Vec::new(), by_feature, blocks, sums };
        let norms = || (0..x.rows()).map(|i| norm_sq(x.row_values(i), data.factor(i))).collect();
        data.norms_sq = norms_sq.unwrap_or_else(norms);
        data
    }

    fn factor(&self, i: usize) -> T {
        self.scale.as_ref().map_or(T::ONE, |scale| scale[i])
    }

    /// `out` = X·B of the samples from `start` on, as many as `out` has room for.
    fn multiply(&self, start: usize, b: &Mat<T>, out: &mut [T]) {
        let c = b.cols();
        let scaled = move |factor: T| move |(j, value): (usize, T)| (j, factor * value);
        match self.x.columns() {
            Indices::I32(columns) => T::gather(out, b.as_slice(), c, false, |at| {
                let i = start + at;
                self.x.row_with(i, columns, |&j| j as usize).map(scaled(self.factor(i)))
            }),
            Indices::I64(columns) => T::gather(out, b.as_slice(), c, false, |at| {
                let i = start + at;
                self.x.row_with(i, columns, |&j| j as usize).map(scaled(self.factor(i)))
            }),
        }
    }
}

impl<T: Real> Data<T> for Sparse<'_, T> {
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
        let (n, c) = (self.x.rows(), b.cols());
        let layout = Layout { n, c, spare: 0, work: self.x.nnz() * c };
        let fill = |rows: Range<usize>, p: &mut [T], _: &mut [T]| self.multiply(rows.start, b, p);
        walk(&layout, &self.blocks, (a, r), fill, visit);
    }

    fn rows_per_leaf(&self) -> usize {
        self.by_feature.slabs.rows_per_leaf
    }

    fn t_dot_of(&self, rows: Range<usize>, q: &[T], v: &Mat<T>, out: &mut Mat<T>) {
        let (columns, size) = (&self.by_feature, out.as_slice().len());
        let sum = |leaf, out: &mut [T]| match &columns.samples {
            Places::Short(places) => columns.sum_of_leaf(places, leaf, q, v, out),
            Places::Long(places) => columns.sum_of_leaf(places, leaf, q, v, out),
        };
        let rows_per_leaf = self.rows_per_leaf();
        let leaves = rows.start / rows_per_leaf..rows.end.div_ceil(rows_per_leaf);
        match leaves.len() {
            _ if size == 0 => {}
            0 => out.as_mut_slice().fill(T::ZERO),
            1 => sum(leaves.start, out.as_mut_slice()),
            count => self.sums.lend(count * size, |sums| {
                leaves.zip(sums.chunks_exact_mut(size)).for_each(|(leaf, out)| sum(leaf, out));
                add_up(sums, size);
                out.as_mut_slice().copy_from_slice(&sums[..size]);
            }),
        }
    }

    fn add_row(&self, i: usize, factor: T, out: &mut [T]) {
        let factor = factor * self.factor(i);
        self.x.row(i).for_each(|(j, value)| out[j] += factor * value);
    }

    fn project_rows(&self, rows: Range<usize>, b: &Mat<T>, out: &mut [T], _: &mut Vec<T>) {
        self.multiply(rows.start, b, out);
    }

    fn project_exactly(&self, rows: Range<usize>, b: &Exact<'_, T>, out: &mut [f64], _: &mut Vec<f64>) {
        out.fill(0.0);
        for (i, out) in rows.zip(out.chunks_exact_mut(b.b.cols())) {
            let factor = self.factor(i).to_f64();
            for (j, value) in self.x.row(i) {
                let value = factor * value.to_f64();
                vectorized!(out.iter_mut().zip(b.b.row(j)).for_each(|(out, b)| *out += value * b.to_f64()));
            }
        }
    }

    fn residual_sq(&self, i: usize, u: &Mat<T>, v: &[T]) -> f64 {
        let miss = |j| self.by_feature.at(i, j).to_f64() - dot_f64(u.row(j), v);
        (0..self.x.cols()).map(|j| miss(j).powi(2)).sum()
    }

    fn read(&self, samples: Range<usize>, features: Range<usize>, out: &mut [T]) {
        out.fill(T::ZERO);
        for (i, out) in samples.zip(out.chunks_exact_mut(features.len())) {
            for (j, value) in self.x.row(i).filter(|(j, _)| features.contains(j)) {
                out[j - features.start] = self.factor(i) * value;
            }
        }
    }

    fn is_sparse(&self) -> bool {
        true
    }

    #[inline(always)]
    fn for_each_of_sample(&self, i: usize, mut visit: impl FnMut(usize, T)) {
        let factor = self.factor(i);
        match self.x.columns() {
            Indices::I32(columns) => {
                self.x.row_with(i, columns, |&j| j as usize).for_each(|(j, value)| visit(j, factor * value));
            }
            Indices::I64(columns) => {
                self.x.row_with(i, columns, |&j| j as usize).for_each(|(j, value)| visit(j, factor * value));
            }
        }
    }

    #[inline(always)]
    fn for_each_of_feature(&self, j: usize, mut visit: impl FnMut(usize, T)) {
        let columns = &self.by_feature;
        for slab in 0..columns.slab_count() {
            let start = columns.slabs.start(slab);
            let mut visit = |(i, value): (usize, T)| visit(start + i, value);
            match &columns.samples {
                Places::Short(places) => columns.feature(places, slab, j).for_each(&mut visit),
                Places::Long(places) => columns.feature(places, slab, j).for_each(&mut visit),
            }
        }
    }
}
