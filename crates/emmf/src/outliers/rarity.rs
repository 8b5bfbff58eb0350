//! How rare the values of a sample are, feature by feature: Σ −ln(share of the samples with such a value).
//!
//! Values are such when they fall into the same bin, or, for a half, into one beside it, so that it does not matter where bins end. They
//! are a power of two as wide as the range around the median, about n^-⅓ (Freedman and Diaconis 1981), and grow with the distance from
//! it, so that neither heavy tails nor outliers make a bin of all the others: 1/width of them to every doubling of
//! 1 − width/2 + |x − median|/range, as the leading digits of a binary number are.
//!
//! A factor that all values of a sample have in common, such as its length, would be counted in every feature. So values are counted
//! as shares of the largest one of their sample, and this one once, where that makes clearly less of them rare in nearly every
//! sample.

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
/// The share of the samples that are nearly all: a third of outliers may be beside them.
const NEARLY_ALL: f64 = 0.75;
/// Less is rare where the sum falls below this share of what it was.
const LESS: f64 = 0.9;
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
    /// The bins of what the values of a sample are divided by, its largest one, where they are.
    largest: Option<Bins>,
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

/// The samples that bins are made from, and how fine they are.
struct Drawn {
    rows: Vec<usize>,
    unseen: f64,
    digits: u32,
}

impl Drawn {
    /// Of the samples that count, at most as many as are enough.
    fn of(counts: &[bool], d: usize) -> Self {
        let among: Vec<usize> = (0..counts.len()).filter(|&i| counts[i]).collect();
        let step = among.len().div_ceil(most_binned(d)).max(1);
        let rows: Vec<usize> = among.into_iter().step_by(step).collect();
        let many = rows.len().max(1) as f64;
        Self { rows, unseen: many.ln(), digits: many.log2().mul_add(1.0 / 3.0, 0.5) as u32 }
    }

    fn bins(&self, mut values: Vec<f64>) -> Bins {
        values.resize(self.rows.len(), 0.0);
        Bins::of(&mut values, (self.unseen, self.digits))
    }

    /// Something of every sample, of its values or of those that are stored.
    fn each<T: Real, X: Data<T>>(&self, x: &X, of: impl Fn(Values<'_, T>) -> f64) -> Vec<f64> {
        let (mut row, mut stored) = (vec![T::ZERO; if x.is_sparse() { 0 } else { x.shape().1 }], Vec::new());
        let one = |&i: &usize| {
            if x.is_sparse() {
                stored.clear();
                x.for_each_of_sample(i, |j, value| stored.push((j, value)));
                return of(Values::Stored(&stored));
            }
            x.read(i..i + 1, 0..x.shape().1, &mut row);
            of(Values::All(&row))
        };
        self.rows.iter().map(one).collect()
    }

    /// The bins of every feature, the values of each sample divided by what is given for it.
    fn features<T: Real, X: Data<T>>(&self, x: &X, by: Option<&[f64]>) -> Vec<Bins> {
        let d = x.shape().1;
        let share = |at: usize, value: T| value.to_f64() / by.map_or(1.0, |by| by[at]);
        if x.is_sparse() {
            let mut stored = vec![Vec::new(); d];
            for (at, &i) in self.rows.iter().enumerate() {
                x.for_each_of_sample(i, |j, value| stored[j].push(share(at, value)));
            }
            return stored.into_iter().map(|values| self.bins(values)).collect();
        }
        // A few features at a time, for which these samples are read again.
        let panel = (HELD / self.rows.len().max(1)).clamp(1, d.max(1));
        let mut held = Mat::zeros(self.rows.len(), panel);
        let panels = (0..d).step_by(panel).map(|from| from..(from + panel).min(d));
        let bins = |features: Range<usize>| -> Vec<Bins> {
            for (at, &i) in self.rows.iter().enumerate() {
                x.read(i..i + 1, features.clone(), &mut held.row_mut(at)[..features.len()]);
            }
            made(features.len(), |j| {
                self.bins((0..self.rows.len()).map(|at| share(at, held[(at, j)])).collect())
            })
        };
        panels.flat_map(bins).collect()
    }
}

/// The values of a sample.
#[derive(Clone, Copy)]
enum Values<'a, T> {
    All(&'a [T]),
    /// Those that are not 0, with their features.
    Stored(&'a [(usize, T)]),
}

impl<T: Real> Values<'_, T> {
    /// The largest, whatever their signs, or 1 where all are 0.
    fn largest(&self) -> f64 {
        let most = |most: f64, x: &T| most.max(x.to_f64().abs());
        let top = match self {
            Self::All(values) => values.iter().fold(0.0, most),
            Self::Stored(values) => values.iter().map(|(_, x)| x).fold(0.0, most),
        };
        if top > 0.0 { top } else { 1.0 }
    }
}

impl Rarity {
    /// The bins of the samples that count: of their values, or of the largest value of a sample and of the others as shares of it.
    pub(super) fn of_samples<T: Real, X: Data<T>>(x: &X, counts: &[bool]) -> Self {
        let drawn = Drawn::of(counts, x.shape().1);
        let by = drawn.each(x, |values| values.largest());
        let plain = Self::new(drawn.features(x, None), None, drawn.unseen, drawn.digits);
        let own = drawn.bins(by.clone());
        let shares = Self::new(drawn.features(x, Some(&by)), Some(own), drawn.unseen, drawn.digits);
        let before = drawn.each(x, |values| plain.of(values));
        let now = drawn.each(x, |values| shares.of(values));
        let fewer = now.iter().zip(&before).filter(|(now, before)| **now < LESS * *before).count();
        if fewer as f64 >= NEARLY_ALL * by.len().max(1) as f64 { shares } else { plain }
    }

    /// These bins, those of what values are divided by, what a value counts that no sample has, and the digits that tell bins
    /// apart, at most eight.
    pub fn new(features: Vec<Bins>, largest: Option<Bins>, unseen: f64, digits: u32) -> Self {
        let digits = digits.min(MOST_DIGITS);
        let zeros = features.iter().map(|bins| bins.surprise(0.0, (unseen, digits))).sum();
        Self { features, largest, digits, unseen, zeros }
    }

    /// The bins of every feature.
    pub fn features(&self) -> &[Bins] {
        &self.features
    }

    /// The bins of the largest value of a sample, where the others are shares of it.
    pub fn largest(&self) -> Option<&Bins> {
        self.largest.as_ref()
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
                let mut stored = Vec::new();
                for (i, sum) in (first..).zip(sums) {
                    stored.clear();
                    x.for_each_of_sample(i, |j, value| stored.push((j, value)));
                    *sum = self.of(Values::Stored(&stored));
                }
                return;
            }
            let mut rows = vec![T::ZERO; many.min(sums.len()) * d];
            for (at, sums) in sums.chunks_mut(many).enumerate() {
                let (from, rows) = (first + at * many, &mut rows[..sums.len() * d]);
                x.read(from..from + sums.len(), 0..d, rows);
                let rows = rows.chunks_exact(d.max(1));
                sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum = self.of(Values::All(row)));
            }
        };
        if n <= BLOCK {
            sums.chunks_mut(BLOCK).enumerate().for_each(block);
        } else {
            each(sums.par_chunks_mut(BLOCK).enumerate(), block);
        }
        sums
    }

    /// What these values count together.
    fn of<T: Real>(&self, values: Values<'_, T>) -> f64 {
        let surprise = |bins: &Bins, x: f64| bins.surprise(x, (self.unseen, self.digits));
        let by = self.largest.as_ref().map_or(1.0, |_| values.largest());
        let own = self.largest.as_ref().map_or(0.0, |bins| surprise(bins, by));
        let all: f64 = match values {
            Values::All(values) => {
                values.iter().zip(&self.features).map(|(x, bins)| surprise(bins, x.to_f64() / by)).sum()
            }
            Values::Stored(values) => values.iter().fold(self.zeros, |sum, (j, x)| {
                let bins = &self.features[*j];
                sum + (surprise(bins, x.to_f64() / by) - surprise(bins, 0.0))
            }),
        };
        own + all
    }
}
