//! How rare the values of a sample are, feature by feature: Σ −ln(share of the samples with such a value).
//!
//! Values are such when they fall into the same bin, or, for a half, into one beside it, so that it does not matter where bins end. They
//! are a power of two as wide as the range around the median, about n^-⅓ (Freedman and Diaconis 1981), and grow with the distance from
//! it, so that neither heavy tails nor outliers make a bin of all the others: 1/width of them to every doubling of
//! 1 − width/2 + |x − median|/range, as the leading digits of a binary number are.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::bulk::quantile;
use crate::data::{BLOCK, Data};
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::prelude::*;
use crate::threads::{each, made};

/// Digits after the leading one that a number has.
const DIGITS: u32 = 52;
/// How many of them tell bins apart, at most.
const MOST_DIGITS: u32 = 8;
/// Numbers that are read at a time where samples are not in memory.
const READ: usize = 1 << 14;
/// How many samples the bins are made from, at most, and the numbers that they may have together.
const MOST: usize = 4096;
const NUMBERS: usize = 1 << 20;
const LEAST: usize = 512;
/// Numbers that are held at a time while bins are made.
const HELD: usize = 1 << 17;
/// The quantiles between which the range of a feature lies.
const RANGE: (f64, f64) = (0.1, 0.9);

/// Samples from which bins are made where each has d numbers.
pub(crate) fn most_binned(d: usize) -> usize {
    MOST.min((NUMBERS / d.max(1)).max(LEAST))
}

/// Numbers that are held at a time where each of n samples has d.
pub(crate) fn most_held(n: usize, d: usize) -> usize {
    let binned = most_binned(d).min(n);
    HELD.max(binned).min(binned * d)
}

/// Samples that are read at a time where each has d numbers.
pub(crate) fn most_read(d: usize) -> usize {
    (READ / d.max(1)).clamp(1, BLOCK)
}

/// The bins of all features.
#[derive(Debug, Clone, PartialEq)]
pub struct Rarity {
    features: Vec<Bins>,
    /// Digits after the leading one that tell bins apart.
    digits: u32,
    /// −ln of the share of one sample: what a value counts that nobody has.
    unseen: f64,
    /// Σ over all features of what 0 counts.
    zeros: f64,
}

/// The bins of a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    /// The median.
    pub center: f64,
    /// What the distance from it is divided by; 0 where all values are the same.
    pub range: f64,
    /// The number of the first bin.
    pub first: i32,
    /// −ln(share of the samples) of every bin.
    pub surprise: Vec<f64>,
}

impl Bins {
    /// Of these values, of which no more than one in `unseen` is negligible.
    fn of(values: &mut [f64], (unseen, digits): (f64, u32)) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let center = quantile(values, 0.5);
        let range = quantile(values, RANGE.1) - quantile(values, RANGE.0);
        let mean = || values.iter().map(|x| (x - center).abs()).sum::<f64>() / values.len().max(1) as f64;
        let range = if range > 0.0 { range } else { 2.0 * mean() };
        let range = if range.is_finite() { range } else { f64::MAX };
        let mut bins = Self { center, range, first: 0, surprise: Vec::new() };
        let Some((low, high)) = values.first().zip(values.last()) else { return bins };
        // With an empty one at either end.
        bins.first = bins.at(*low, digits) - 1;
        let mut counts = vec![0.0; (bins.at(*high, digits) - bins.first) as usize + 2];
        values.iter().for_each(|x| counts[(bins.at(*x, digits) - bins.first) as usize] += 1.0);
        let count = |at: usize| counts.get(at).copied().unwrap_or(0.0);
        let around = |at: usize| count(at) + 0.5 * (count(at.wrapping_sub(1)) + count(at + 1));
        let all = values.len() as f64;
        bins.surprise = (0..counts.len()).map(|at| (all / around(at)).ln().min(unseen)).collect();
        bins
    }

    /// The bin of a value: at most a few thousand from the middle, since they grow like powers.
    fn at(&self, x: f64, digits: u32) -> i32 {
        let away = x - self.center;
        let range = if self.range > 0.0 { self.range } else { f64::MIN_POSITIVE };
        let distance = (away.abs() / range).min(f64::MAX);
        let (shift, middle) = (DIGITS - digits, 1.0 - 0.5 / f64::from(1_u32 << digits));
        let bin = ((middle + distance).to_bits() >> shift) as i32 - (middle.to_bits() >> shift) as i32;
        if away < 0.0 { -bin } else { bin }
    }

    fn surprise(&self, x: f64, (unseen, digits): (f64, u32)) -> f64 {
        let at = self.at(x, digits).checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        at.and_then(|at| self.surprise.get(at)).copied().unwrap_or(unseen)
    }
}

impl Rarity {
    /// The bins of the samples that count.
    pub(super) fn of_samples<T: Real, X: Data<T>>(x: &X, counts: &[bool]) -> Self {
        let among: Vec<usize> = (0..counts.len()).filter(|&i| counts[i]).collect();
        let step = among.len().div_ceil(most_binned(x.shape().1)).max(1);
        let rows: Vec<usize> = among.into_iter().step_by(step).collect();
        let unseen = (rows.len().max(1) as f64).ln();
        let digits = (rows.len().max(1) as f64).log2().mul_add(1.0 / 3.0, 0.5) as u32;
        let d = x.shape().1;
        let features: Vec<Bins> = if x.is_sparse() {
            let mut stored = vec![Vec::new(); d];
            for &i in &rows {
                x.for_each_of_sample(i, |j, value| stored[j].push(value.to_f64()));
            }
            let bins = |mut values: Vec<f64>| {
                values.resize(rows.len(), 0.0);
                Bins::of(&mut values, (unseen, digits))
            };
            stored.into_iter().map(bins).collect()
        } else {
            // A few features at a time, for which these samples are read again.
            let panel = (HELD / rows.len().max(1)).clamp(1, d.max(1));
            let mut held = Mat::zeros(rows.len(), panel);
            let panels = (0..d).step_by(panel).map(|from| from..(from + panel).min(d));
            let bins = |features: Range<usize>| -> Vec<Bins> {
                for (at, &i) in rows.iter().enumerate() {
                    x.read(i..i + 1, features.clone(), &mut held.row_mut(at)[..features.len()]);
                }
                let one = |j: usize| {
                    let mut column: Vec<f64> = (0..rows.len()).map(|at| held[(at, j)].to_f64()).collect();
                    Bins::of(&mut column, (unseen, digits))
                };
                made(features.len(), one)
            };
            panels.flat_map(bins).collect()
        };
        Self::new(features, unseen, digits)
    }

    /// These bins, what a value counts that no sample has, and the digits that tell bins apart, at most eight.
    pub fn new(features: Vec<Bins>, unseen: f64, digits: u32) -> Self {
        let digits = digits.min(MOST_DIGITS);
        let zeros = features.iter().map(|bins| bins.surprise(0.0, (unseen, digits))).sum();
        Self { features, digits, unseen, zeros }
    }

    /// The bins of every feature.
    pub fn features(&self) -> &[Bins] {
        &self.features
    }

    /// The digits that tell bins apart.
    pub fn digits(&self) -> u32 {
        self.digits
    }

    /// What a value counts that no sample has.
    pub fn unseen(&self) -> f64 {
        self.unseen
    }

    /// What the values of every sample count together.
    pub(super) fn sums<T: Real, X: Data<T>>(&self, x: &X) -> Vec<f64> {
        let (n, d) = x.shape();
        let mut sums = vec![0.0; n];
        let many = most_read(d);
        let block = |(at, sums): (usize, &mut [f64])| {
            let first = at * BLOCK;
            if x.is_sparse() {
                (first..).zip(sums).for_each(|(i, sum)| *sum = self.of_stored(x, i));
                return;
            }
            let mut rows = vec![T::ZERO; many.min(sums.len()) * d];
            for (at, sums) in sums.chunks_mut(many).enumerate() {
                let (from, rows) = (first + at * many, &mut rows[..sums.len() * d]);
                x.read(from..from + sums.len(), 0..d, rows);
                sums.iter_mut()
                    .zip(rows.chunks_exact(d.max(1)))
                    .for_each(|(sum, row)| *sum = self.of_row(row));
            }
        };
        if n <= BLOCK {
            sums.chunks_mut(BLOCK).enumerate().for_each(block);
        } else {
            each(sums.par_chunks_mut(BLOCK).enumerate(), block);
        }
        sums
    }

    fn of_row<T: Real>(&self, row: &[T]) -> f64 {
        let surprise = |(x, bins): (&T, &Bins)| bins.surprise(x.to_f64(), (self.unseen, self.digits));
        row.iter().zip(&self.features).map(surprise).sum()
    }

    fn of_stored<T: Real, X: Data<T>>(&self, x: &X, i: usize) -> f64 {
        let surprise = |j: usize, value: f64| self.features[j].surprise(value, (self.unseen, self.digits));
        let mut sum = self.zeros;
        x.for_each_of_sample(i, |j, value| sum += surprise(j, value.to_f64()) - surprise(j, 0.0));
        sum
    }
}
