//! The walk over blocks of samples where they are: the V step of a block, and what the next U step needs of it, while it is
//! in cache. No n×d matrix is kept.

use std::ops::Range;

use super::blocks::rows_of_block;
use crate::data::{Data, PARTS, entry_leaf_rows, least_parts, sum_of_parts, vectorized};
use crate::loss::Stats;
use crate::loss::entry::sum;
use crate::matrix::Mat;
use crate::method::side::{EntrySums, EntrySweep, EntryTotals, EntryWeights, Place, Summand, Tree};
use crate::method::update::multiply_power;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::each;
use crate::threads::prelude::*;

/// How samples are cut; depends on the shape of X only.
#[derive(Clone, Copy)]
pub(in crate::method) struct Grid {
    /// Samples of a block.
    pub(in crate::method) block: usize,
    /// Samples that have sums of their own.
    leaf: usize,
    /// At most so many such sums at a time.
    pub(in crate::method) leaves: usize,
}

impl Grid {
    /// Leaves are no larger than those of products with X. Where there are more features than samples, there are few: each keeps
    /// two d×c sums.
    pub(in crate::method) fn new((n, d): (usize, usize), most: usize) -> Self {
        let leaf = entry_leaf_rows((n, d)).min(most);
        Self { block: rows_of_block(d), leaf, leaves: n.div_ceil(leaf.max(1)).min(PARTS) }
    }

    /// Numbers that a leaf works on: four blocks of entries and two of coefficients.
    fn slot(&self, d: usize, c: usize) -> usize {
        self.block * (4 * d + 2 * c)
    }
}

/// Room that walks use again and again.
#[derive(Default)]
pub(in crate::method) struct Room<T> {
    scratch: Vec<T>,
    sums: Vec<T>,
    /// Sums of features and of coefficients.
    wide: Vec<f64>,
    /// oᵢ, how many entries of each sample are not missing, where some are.
    observed: Vec<f64>,
    /// Uᵀ, and the one at which the weights of the V step are taken.
    ut: Mat<T>,
    before: Mat<T>,
    /// Σ of each column of U, where that is the denominator of the V step.
    column_sums: Vec<T>,
}

/// What has a row for every sample, and is changed.
pub(in crate::method) struct Tall<'a, T> {
    pub(in crate::method) v: &'a mut [T],
    pub(in crate::method) r: &'a mut [f64],
    pub(in crate::method) weights: &'a mut [f64],
}

/// One walk of a side.
pub(in crate::method) struct Walk<'a, T, X> {
    pub(in crate::method) x: &'a X,
    /// sᵢ, how often each sample counts.
    pub(in crate::method) sample_weights: &'a [f64],
    pub(in crate::method) u: &'a Mat<T>,
    pub(in crate::method) sweep: &'a EntrySweep<T>,
}

/// What all leaves share.
struct Shared<'a, T, X> {
    walk: &'a Walk<'a, T, X>,
    grid: Grid,
    ut: &'a Mat<T>,
    before: Option<&'a Mat<T>>,
    column_sums: Option<&'a [T]>,
    observed: &'a [f64],
}

/// What a leaf changes.
struct Leaf<'a, T> {
    tall: Tall<'a, T>,
    sums: &'a mut [T],
    of_features: &'a mut [f64],
    of_v: &'a mut [f64],
    totals: &'a mut EntryTotals,
}

/// The block's buffers.
struct Block<'a, T> {
    x: &'a mut [T],
    y: &'a mut [T],
    w: &'a mut [T],
    t: &'a mut [T],
    num: &'a mut [T],
    den: &'a mut [T],
}

impl<T: Real, X: Data<T>> Walk<'_, T, X> {
    /// Goes through the samples at this place.
    pub(in crate::method) fn go(
        &self,
        place: &Place,
        tall: Tall<'_, T>,
        room: &mut Room<T>,
        out: &mut Tree<EntrySums<T>>,
    ) {
        let (d, sweep) = (self.x.shape().1, self.sweep);
        if sweep.missing && room.observed.is_empty() {
            room.observed = observed(self.x);
        }
        // Σ over the entries that are not missing would be another one for each feature.
        let divides = sweep.weights.is_divergence() && !sweep.missing;
        turned(self.u, &mut room.ut);
        let looks_back = sweep.before.rows() > 0;
        if looks_back {
            turned(&sweep.before, &mut room.before);
        }
        column_sums(self.u, &mut room.column_sums);
        let shared = Shared {
            walk: self,
            grid: Grid::new((place.total, d), self.x.rows_per_leaf()),
            ut: &room.ut,
            before: looks_back.then_some(&room.before),
            column_sums: divides.then_some(&room.column_sums[..]),
            observed: &room.observed,
        };
        let Tall { v, r, weights } = tall;
        for (node, rows) in place.nodes() {
            let c = self.u.cols();
            let tall = Tall {
                v: &mut v[rows.start * c..rows.end * c],
                r: &mut r[rows.clone()],
                weights: &mut weights[rows.clone()],
            };
            let buffers = (&mut room.scratch, &mut room.sums, &mut room.wide);
            shared.node(rows, tall, buffers, out.fill(node).get_or_insert_default());
        }
    }
}

impl<T: Real, X: Data<T>> Shared<'_, T, X> {
    fn shape(&self) -> (usize, usize) {
        self.walk.u.shape()
    }

    /// The sums over the samples of a node, leaf by leaf.
    fn node(
        &self,
        rows: Range<usize>,
        Tall { v, r, weights }: Tall<'_, T>,
        (scratch, sums, wide): (&mut Vec<T>, &mut Vec<T>, &mut Vec<f64>),
        out: &mut EntrySums<T>,
    ) {
        let ((d, c), leaf) = (self.shape(), self.grid.leaf);
        let (leaves, slot) = (rows.len().div_ceil(leaf), self.grid.slot(d, c));
        let (apart, features) = (if self.walk.sweep.sums { 2 * c * d } else { 0 }, self.features());
        let width = features + self.of_v();
        scratch.resize(self.grid.leaves * slot, T::ZERO);
        sums.resize(self.grid.leaves * 2 * c * d, T::ZERO);
        wide.resize(self.grid.leaves * (features + c), 0.0);
        let mut totals = [EntryTotals::default(); PARTS];
        let parts = v.par_chunks_mut(leaf * c).zip(r.par_chunks_mut(leaf));
        let parts = parts.zip(weights.par_chunks_mut(leaf)).zip(&mut totals[..]);
        let parts = parts.zip(sums.par_chunks_mut(2 * c * d)).zip(wide.par_chunks_mut(features + c));
        let parts = parts.zip(scratch.par_chunks_mut(slot)).enumerate();
        each(parts.with_min_len(least_parts(8 * rows.len() * d * c)), |(at, part)| {
            let ((((((v, r), weights), totals), sums), wide), scratch) = part;
            let (of_features, of_v) = wide[..width].split_at_mut(features);
            let tall = Tall { v, r, weights };
            let mut leaf_of = Leaf { tall, sums: &mut sums[..apart], of_features, of_v, totals };
            let start = rows.start + at * leaf;
            self.leaf(start..(start + leaf).min(rows.end), scratch, &mut leaf_of);
        });
        out.totals = sum_of_parts(leaves, |at| totals[at], added);
        add_numbers(&mut out.of_features, 0..features, (wide, features + c), leaves);
        add_numbers(&mut out.of_v, features..width, (wide, features + c), leaves);
        let den = apart > 0 && self.column_sums.is_none();
        for (part, (sum, wanted)) in [(&mut out.num, apart > 0), (&mut out.den, den)].into_iter().enumerate()
        {
            let shape = if wanted { (c, d) } else { (0, 0) };
            if sum.shape() != shape {
                *sum = Mat::zeros(shape.0, shape.1);
            }
            add_leaves(sum, part * c * d, (&sums[..], 2 * c * d), leaves);
        }
    }

    /// Features whose squares are wanted, and coefficients whose sums are.
    fn features(&self) -> usize {
        if self.walk.sweep.weights.by_feature() { self.shape().0 } else { 0 }
    }

    fn of_v(&self) -> usize {
        if self.walk.sweep.sums && self.column_sums.is_some() { self.shape().1 } else { 0 }
    }

    fn leaf(&self, rows: Range<usize>, scratch: &mut [T], leaf: &mut Leaf<'_, T>) {
        let (sweep, c) = (self.walk.sweep, self.shape().1);
        leaf.sums.fill(T::ZERO);
        leaf.of_features.fill(0.0);
        leaf.of_v.fill(0.0);
        for from in rows.clone().step_by(self.grid.block) {
            self.block(from..(from + self.grid.block).min(rows.end), rows.start, scratch, leaf);
        }
        let s = &self.walk.sample_weights[rows.clone()];
        for (v, s) in leaf.tall.v.chunks_exact(c).zip(s) {
            leaf.of_v.iter_mut().zip(v).for_each(|(sum, v)| *sum += s * v.to_f64());
            if !sweep.penalty.is_none() {
                leaf.totals.penalty += s * sweep.penalty.of(v);
            }
        }
        leaf.totals.count = rows.map(|i| self.walk.sample_weights[i] * self.observed(i)).sum();
        if let EntryWeights::Samples { .. } = sweep.weights {
            leaf.totals.stats = Stats::of(leaf.tall.r, s);
        }
    }

    /// oᵢ.
    fn observed(&self, i: usize) -> f64 {
        self.observed.get(i).copied().unwrap_or(self.shape().0 as f64)
    }

    fn block(&self, rows: Range<usize>, start: usize, scratch: &mut [T], leaf: &mut Leaf<'_, T>) {
        let ((d, c), m, x) = (self.shape(), rows.len(), self.walk.x);
        let (entries, coefficients) = scratch.split_at_mut(scratch.len() - 2 * m * c);
        let (x_b, rest) = entries.split_at_mut(m * d);
        let (y, rest) = rest.split_at_mut(m * d);
        let (w, rest) = rest.split_at_mut(m * d);
        let (num, den) = coefficients.split_at_mut(m * c);
        let mut block = Block { x: x_b, y, w, t: &mut rest[..m * d], num, den };
        let local = rows.start - start..rows.end - start;
        let v = &mut leaf.tall.v[local.start * c..local.end * c];
        x.read(rows.clone(), 0..d, block.x);
        if let Some(exponent) = self.walk.sweep.exponent {
            self.move_v(v, &mut block, exponent);
            let empty = rows.clone().zip(v.chunks_exact_mut(c)).filter(|(i, _)| x.norms_sq()[*i] == 0.0);
            empty.for_each(|(_, v)| v.fill(T::ZERO));
        }
        T::gemm((block.y, d), Left::Rows((v, c)), (self.ut.as_slice(), d), (m, c, d), false);
        self.measure(&block, rows.clone(), local.clone(), leaf);
        if self.walk.sweep.sums {
            self.add_sums(&mut block, rows, local, leaf);
        }
    }

    /// V ← V ∘ ((W∘X)U / ((W∘Y)U + λ₁ + λ₂V))^p.
    fn move_v(&self, v: &mut [T], block: &mut Block<'_, T>, exponent: f64) {
        let ((d, c), u, sweep) = (self.shape(), self.walk.u, self.walk.sweep);
        let m = v.len() / c;
        let Block { x, y, w, t, num, den } = block;
        let fit = |ut: &Mat<T>, y: &mut [T]| {
            T::gemm((y, d), Left::Rows((v, c)), (ut.as_slice(), d), (m, c, d), false);
        };
        if let Some(before) = self.before {
            fit(before, y);
            self.weigh(x, y, w);
        }
        fit(self.ut, y);
        if self.before.is_none() {
            self.weigh(x, y, w);
        }
        vectorized!(apply(x, y, w, t, T::ONE));
        T::gemm((num, c), Left::Rows((t, d)), (u.as_slice(), c), (m, d, c), false);
        if let Some(sums) = self.column_sums {
            den.chunks_exact_mut(c).for_each(|den| den.copy_from_slice(sums));
        } else {
            T::gemm((den, c), Left::Rows((w, d)), (u.as_slice(), c), (m, d, c), false);
        }
        sweep.penalty.add_to(den, v);
        multiply_power(v, num, den, exponent);
    }

    fn weigh(&self, x: &[T], y: &[T], w: &mut [T]) {
        let d = self.shape().0;
        vectorized!({
            let rows = x.chunks_exact(d).zip(y.chunks_exact(d)).zip(w.chunks_exact_mut(d));
            rows.for_each(|((x, y), w)| self.walk.sweep.weights.weigh(x, y, w));
        });
    }

    /// The block's share of the totals, and of the squares of each feature; what is reported of its samples.
    fn measure(
        &self,
        block: &Block<'_, T>,
        samples: Range<usize>,
        local: Range<usize>,
        leaf: &mut Leaf<'_, T>,
    ) {
        let (d, EntrySweep { weights, report, .. }) = (self.shape().0, self.walk.sweep);
        let Leaf { tall: Tall { r, weights: pulls, .. }, totals, of_features, .. } = leaf;
        let rows = block.x.chunks_exact(d).zip(block.y.chunks_exact(d));
        let tall = samples.zip(r[local.clone()].iter_mut().zip(&mut pulls[local]));
        vectorized!({
            for ((x, y), (i, (r, pull))) in rows.zip(tall) {
                let s = self.walk.sample_weights[i];
                let square = sum(x, y, |x, y| (x - y) * (x - y));
                totals.objective += s * weights.share(x, y);
                totals.squares += s * square;
                totals.broken |= !square.is_finite();
                for ((x, y), total) in x.iter().zip(y).zip(of_features.iter_mut()) {
                    let m = x.to_f64() - y.to_f64();
                    *total += if m.is_nan() { 0.0 } else { s * m * m };
                }
                match weights {
                    EntryWeights::Samples { smoothing, .. } => {
                        *r = (square * d as f64 / self.observed(i) + smoothing).sqrt();
                    }
                    _ if *report => *pull = s * weights.pull(x, y) / self.observed(i),
                    _ => {}
                }
            }
        });
    }

    /// Adds Vᵀ(W∘X) and Vᵀ(W∘Y), which are c×d, of the block.
    fn add_sums(
        &self,
        block: &mut Block<'_, T>,
        samples: Range<usize>,
        local: Range<usize>,
        leaf: &mut Leaf<'_, T>,
    ) {
        let ((d, c), m) = (self.shape(), samples.len());
        let Block { x, y, w, t, .. } = block;
        self.weigh(x, y, w);
        let factor = |i: usize, q: f64| match self.walk.sweep.weights {
            EntryWeights::Samples { scale, .. } => scale * q / self.observed(i),
            _ => self.walk.sample_weights[i],
        };
        let tall = samples.zip(&leaf.tall.weights[local.clone()]);
        vectorized!({
            let rows = x.chunks_exact(d).zip(y.chunks_exact(d)).zip(w.chunks_exact_mut(d));
            for (((x, y), w), (t, (i, q))) in rows.zip(t.chunks_exact_mut(d).zip(tall)) {
                apply(x, y, w, t, T::from_f64(factor(i, *q)));
            }
        });
        let v = &leaf.tall.v[local.start * c..local.end * c];
        let (num, den) = leaf.sums.split_at_mut(c * d);
        T::gemm((num, d), Left::Columns((v, c)), (t, d), (c, m, d), true);
        if self.column_sums.is_none() {
            T::gemm((den, d), Left::Columns((v, c)), (w, d), (c, m, d), true);
        }
    }
}

/// t = s·w∘x and w = s·w∘y; where x is missing, w is 0 and so is t.
#[inline(always)]
fn apply<T: Real>(x: &[T], y: &[T], w: &mut [T], t: &mut [T], s: T) {
    for (((&x, &y), w), t) in x.iter().zip(y).zip(w).zip(t) {
        let weight = s * *w;
        *t = if weight == T::ZERO { T::ZERO } else { weight * x };
        *w = weight * y;
    }
}

/// `sum` = the sum over the leaves, each of which has its own from `from` on, `size` apart.
fn add_leaves<T: Real>(sum: &mut Mat<T>, from: usize, (sums, size): (&[T], usize), leaves: usize) {
    let (width, least) = (sum.cols().max(1), least_parts(leaves * sum.as_slice().len()));
    each(sum.as_mut_slice().par_chunks_mut(width).enumerate().with_min_len(least), |(row, out)| {
        for (j, out) in out.iter_mut().enumerate() {
            let at = from + row * width + j;
            *out = sum_of_parts(leaves, |leaf| sums[leaf * size + at], |a, b| a + b);
        }
    });
}

/// The same of a few numbers.
fn add_numbers(out: &mut Vec<f64>, at: Range<usize>, (sums, size): (&[f64], usize), leaves: usize) {
    out.clear();
    out.extend(at.map(|at| sum_of_parts(leaves, |leaf| sums[leaf * size + at], |a, b| a + b)));
}

fn added<S: Summand + Copy>(mut a: S, b: S) -> S {
    a.add(&b);
    a
}

/// `out` = Aᵀ, in the same memory where it fits.
fn turned<T: Real>(a: &Mat<T>, out: &mut Mat<T>) {
    if out.shape() != (a.cols(), a.rows()) {
        *out = Mat::zeros(a.cols(), a.rows());
    }
    for (j, row) in a.as_slice().chunks_exact(a.cols().max(1)).enumerate() {
        row.iter().enumerate().for_each(|(k, &a)| out[(k, j)] = a);
    }
}

/// `out` = Σ of each column, in double precision.
fn column_sums<T: Real>(a: &Mat<T>, out: &mut Vec<T>) {
    out.clear();
    let sum = |k: usize| T::from_f64((0..a.rows()).map(|j| a[(j, k)].to_f64()).sum());
    out.extend((0..a.cols()).map(sum));
}

/// How many entries of each sample are not missing.
fn observed<T: Real, X: Data<T>>(x: &X) -> Vec<f64> {
    let (n, d) = x.shape();
    let mut row = vec![T::ZERO; d];
    let count = |i: usize| {
        x.read(i..i + 1, 0..d, &mut row);
        row.iter().filter(|x| !x.to_f64().is_nan()).count() as f64
    };
    (0..n).map(count).collect()
}
