//! One of the two factors: independent truncated normal entries, known by their means and variances.
//!
//! Rows are independent of each other given the other factor, and within a row one entry moves after the
//! other. All entries of a column share their precision, so the work is done a column of a block of rows at
//! a time, in vector instructions, while what the move does to the later columns of the row is a product of
//! small matrices.

use super::truncated::Standard;
use crate::data::{BLOCK, PARTS, least_parts, rows_per_part, vectorized};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::{Left, Product};
use crate::threads::each;
use crate::threads::prelude::*;

/// Multiplications that take as long as the moments of an entry.
const MOMENTS: usize = 100;

/// Below this a precision counts as this: its square and its inverse are still normal numbers.
const LEAST_PRECISION: f64 = 1e-150;

/// Numbers that are kept for a row besides the variances of its entries.
pub(in crate::method) const EXTRA: usize = 2;

/// A factor, r×c.
pub(super) struct Factor<T> {
    pub(super) mean: Mat<T>,
    /// For every row: the variances of its c entries, its entropy, and for V its share of tr(XᵀVUᵀ).
    pub(super) rest: Vec<f64>,
    pub(super) totals: Totals,
}

/// Sums over the rows of a factor, each row counted as often as its weight says.
pub(super) struct Totals {
    /// E[A]ᵀ·E[A].
    pub(super) gram: Mat<f64>,
    /// Σ E[a] and Σ var[a] of every column.
    pub(super) mean: Vec<f64>,
    pub(super) variance: Vec<f64>,
    pub(super) entropy: f64,
    pub(super) cross: f64,
    /// Room for the sums of the parts.
    buffer: Vec<f64>,
}

/// What the rows of one factor have in common while they move.
pub(super) struct Move<'a, T> {
    /// The Gram matrix of the other factor's means.
    pub(super) gram: &'a Mat<T>,
    /// Σ E[b²] of every column of the other factor.
    pub(super) second: &'a [f64],
    /// λ of every column.
    pub(super) rate: &'a [f64],
    /// E[τ].
    pub(super) precision: f64,
}

impl<T: Real> Factor<T> {
    /// Entries TN(μ, 1) for the given μ.
    pub(super) fn new(mu: Mat<T>) -> Self {
        let (rows, c) = mu.shape();
        let mut factor = Self { mean: mu, rest: vec![0.0; rows * (c + EXTRA)], totals: Totals::new(c) };
        for (mean, rest) in
            factor.mean.as_mut_slice().chunks_exact_mut(c).zip(factor.rest.chunks_exact_mut(c + EXTRA))
        {
            for (k, mean) in mean.iter_mut().enumerate() {
                let entry = Standard::at(-mean.to_f64());
                *mean = T::from_f64(entry.mean);
                rest[k] = entry.variance;
                rest[c] += entry.entropy;
            }
        }
        factor
    }

    /// Moves all rows, given P = the data times the other factor. `slope` is as large as `p`.
    pub(super) fn update(&mut self, by: &Move<'_, T>, p: &Mat<T>, slope: &mut Mat<T>) {
        let (rows, c) = self.mean.shape();
        let least = least_parts(MOMENTS * rows * c);
        let rows = self.mean.as_mut_slice().par_chunks_mut(BLOCK * c);
        let rows = rows.zip(self.rest.par_chunks_mut(BLOCK * (c + EXTRA)));
        let rows = rows.zip(p.as_slice().par_chunks(BLOCK * c));
        let rows = rows.zip(slope.as_mut_slice().par_chunks_mut(BLOCK * c));
        each(rows.with_min_len(least), |(((mean, rest), p), slope)| by.rows(mean, rest, p, slope));
    }

    /// Takes the sums again; `weights` says how often each row counts.
    pub(super) fn sum(&mut self, weights: impl Fn(usize) -> f64 + Sync) {
        self.totals.take(&self.mean, &self.rest, weights);
    }

    /// The variances, r×c.
    pub(super) fn variances(&self) -> Mat<T> {
        let (rows, c) = self.mean.shape();
        Mat::from_fn(rows, c, |i, k| T::from_f64(self.rest[i * (c + EXTRA) + k]))
    }
}

impl<T: Real> Move<'_, T> {
    /// Moves at most [`BLOCK`] rows: their means, `rest`, and their rows of P. `slope` is as long as `p`.
    pub(super) fn rows(&self, mean: &mut [T], rest: &mut [f64], p: &[T], slope: &mut [T]) {
        let c = self.gram.cols();
        let shape = (mean.len() / c, c, c);
        T::gemm((slope, c), Left::Rows((mean, c)), (self.gram.as_slice(), c), shape, false);
        vectorized!({
            slope.iter_mut().zip(p).for_each(|(slope, &p)| *slope = p - *slope);
            rest.chunks_exact_mut(c + EXTRA).for_each(|rest| rest[c] = 0.0);
            for k in 0..c {
                self.column(k, mean, rest, slope);
            }
        });
    }

    /// Column k of some rows: q ← TN(μ, 1/τ) with τ = E[τ]·Σb², μ = (E[τ]·(slope + a·G_kk) − λ)/τ.
    #[inline(always)]
    fn column(&self, k: usize, mean: &mut [T], rest: &mut [f64], slope: &mut [T]) {
        let c = self.gram.cols();
        let precision = (self.precision * self.second[k]).max(LEAST_PRECISION);
        let (root, own) = (precision.sqrt(), self.gram[(k, k)].to_f64());
        let mut entries = [Standard::default(); BLOCK];
        let entries = &mut entries[..mean.len() / c];
        let mut x = [0.0; BLOCK];
        let x = &mut x[..entries.len()];
        for ((x, mean), slope) in x.iter_mut().zip(mean.chunks_exact(c)).zip(slope.chunks_exact(c)) {
            let pull = slope[k].to_f64() + mean[k].to_f64() * own;
            *x = (self.rate[k] - self.precision * pull) / root;
        }
        entries.iter_mut().zip(x).for_each(|(entry, x)| *entry = Standard::at(*x));
        let (sigma, variance, log) = (1.0 / root, 1.0 / precision, root.ln());
        let rows = mean.chunks_exact_mut(c).zip(rest.chunks_exact_mut(c + EXTRA));
        for ((entry, (mean, rest)), slope) in entries.iter().zip(rows).zip(slope.chunks_exact_mut(c)) {
            let next = T::from_f64(sigma * entry.mean);
            let by = next - mean[k];
            mean[k] = next;
            rest[k] = variance * entry.variance;
            rest[c] += entry.entropy - log;
            // Earlier columns have moved already.
            let (slope, gram) = (&mut slope[k + 1..], &self.gram.row(k)[k + 1..]);
            slope.iter_mut().zip(gram).for_each(|(slope, &g)| *slope -= by * g);
        }
    }
}

impl Totals {
    fn new(c: usize) -> Self {
        Self {
            gram: Mat::zeros(c, c),
            mean: vec![0.0; c],
            variance: vec![0.0; c],
            entropy: 0.0,
            cross: 0.0,
            buffer: vec![0.0; PARTS * (Self::sums(c) + 2 * BLOCK * c)],
        }
    }

    /// Numbers that a part adds up: Gram matrix, means, variances and the extra ones.
    fn sums(c: usize) -> usize {
        c * c + 2 * c + EXTRA
    }

    /// Σ E[a²] of column k.
    pub(super) fn second(&self, k: usize) -> f64 {
        self.gram[(k, k)] + self.variance[k]
    }

    fn take<T: Real>(&mut self, mean: &Mat<T>, rest: &[f64], weights: impl Fn(usize) -> f64 + Sync) {
        let (n, c) = mean.shape();
        let (rows, size) = (rows_per_part(n), Self::sums(c));
        let (sums, blocks) = self.buffer.split_at_mut(PARTS * size);
        let parts = mean.as_slice().par_chunks(rows * c).zip(rest.par_chunks(rows * (c + EXTRA)));
        let parts =
            parts.zip(sums.par_chunks_mut(size)).zip(blocks.par_chunks_mut(2 * BLOCK * c)).enumerate();
        each(parts.with_min_len(least_parts(n * c * c)), |(part, (((mean, rest), sums), room))| {
            sums.fill(0.0);
            let blocks = mean.chunks(BLOCK * c).zip(rest.chunks(BLOCK * (c + EXTRA))).enumerate();
            for (block, (mean, rest)) in blocks {
                let weight = |i: usize| weights(part * rows + block * BLOCK + i);
                vectorized!(add_block(sums, mean, rest, weight, room));
                let (plain, weighted) = room.split_at(BLOCK * c);
                let shape = (c, mean.len() / c, c);
                f64::gemm((sums, c), Left::Columns((weighted, c)), (plain, c), shape, true);
            }
        });
        self.add_up(n.div_ceil(rows));
    }

    /// The sums of the parts, in their order.
    fn add_up(&mut self, parts: usize) {
        let c = self.mean.len();
        self.gram.as_mut_slice().fill(0.0);
        self.mean.fill(0.0);
        self.variance.fill(0.0);
        (self.entropy, self.cross) = (0.0, 0.0);
        let add = |total: &mut [f64], part: &[f64]| total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
        for sums in self.buffer.chunks_exact(Self::sums(c)).take(parts) {
            add(self.gram.as_mut_slice(), &sums[..c * c]);
            add(&mut self.mean, &sums[c * c..]);
            add(&mut self.variance, &sums[c * c + c..]);
            self.entropy += sums[c * c + 2 * c];
            self.cross += sums[c * c + 2 * c + 1];
        }
    }
}

/// Adds the means, variances and entropies of a block, and copies its rows into `room`, as they are and
/// weighted.
#[inline(always)]
fn add_block<T: Real>(
    sums: &mut [f64],
    mean: &[T],
    rest: &[f64],
    weight: impl Fn(usize) -> f64,
    room: &mut [f64],
) {
    let c = room.len() / (2 * BLOCK);
    let (plain, weighted) = room.split_at_mut(BLOCK * c);
    let sums = &mut sums[c * c..];
    for (i, (mean, rest)) in mean.chunks_exact(c).zip(rest.chunks_exact(c + EXTRA)).enumerate() {
        let weight = weight(i);
        for k in 0..c {
            let value = mean[k].to_f64();
            plain[i * c + k] = value;
            weighted[i * c + k] = weight * value;
            sums[k] += weight * value;
            sums[c + k] += weight * rest[k];
        }
        sums[2 * c..].iter_mut().zip(&rest[c..]).for_each(|(sum, extra)| *sum += weight * extra);
    }
}
