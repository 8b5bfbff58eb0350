//! How rare the values of a sample are, feature by feature: Σ −ln(share of the samples with such a value).
//!
//! Values are such when they fall into the same bin. Bins are equally wide in asinh((x − median)/range): wide enough for a share in the
//! middle, and growing with the distance from it, so that neither heavy tails nor outliers make a bin of all the others.

use rayon::prelude::*;

use super::bulk::quantile;
use crate::data::{BLOCK, Data};
use crate::matrix::Mat;
use crate::real::Real;

/// Width of a bin.
const WIDTH: f64 = 0.2;
/// Samples from which the bins are made at the most, and the numbers that they may have together.
const MOST: usize = 4096;
const NUMBERS: usize = 1 << 20;
const LEAST: usize = 512;
/// The quantiles between which the range of a feature lies.
const RANGE: (f64, f64) = (0.1, 0.9);

/// Samples from which bins are made where each has d numbers.
pub(crate) fn most_binned(d: usize) -> usize {
    MOST.min((NUMBERS / d.max(1)).max(LEAST))
}

/// The bins of all features.
#[derive(Debug, Clone, PartialEq)]
pub struct Rarity {
    features: Vec<Bins>,
    /// −ln of the share of one sample: what a value counts that nobody has.
    unseen: f64,
    /// Σ over all features of what 0 counts.
    zeros: f64,
}

/// The bins of a feature.
#[derive(Debug, Clone, PartialEq)]
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
    fn of(values: &mut [f64], unseen: f64) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let center = quantile(values, 0.5);
        let range = quantile(values, RANGE.1) - quantile(values, RANGE.0);
        let mean = || values.iter().map(|x| (x - center).abs()).sum::<f64>() / values.len().max(1) as f64;
        let range = if range > 0.0 { range } else { 2.0 * mean() };
        let range = if range.is_finite() { range } else { f64::MAX };
        let mut bins = Self { center, range, first: 0, surprise: Vec::new() };
        let Some((low, high)) = values.first().zip(values.last()) else { return bins };
        bins.first = bins.at(*low);
        let mut counts = vec![0.0; (bins.at(*high) - bins.first) as usize + 1];
        values.iter().for_each(|x| counts[(bins.at(*x) - bins.first) as usize] += 1.0);
        let all = values.len() as f64;
        bins.surprise =
            counts.iter().map(|&count| if count > 0.0 { (all / count).ln() } else { unseen }).collect();
        bins
    }

    /// The bin of a value: at most a few thousand from the middle, since asinh grows like a logarithm.
    fn at(&self, x: f64) -> i32 {
        let away = x - self.center;
        if self.range > 0.0 {
            ((away / self.range).clamp(-1e300, 1e300).asinh() / WIDTH).round() as i32
        } else if away == 0.0 {
            0
        } else {
            away.signum() as i32
        }
    }

    fn surprise(&self, x: f64, unseen: f64) -> f64 {
        let at = self.at(x).checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
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
        let d = x.shape().1;
        let features: Vec<Bins> = if x.is_sparse() {
            let mut stored = vec![Vec::new(); d];
            for &i in &rows {
                x.for_each_of_sample(i, |j, value| stored[j].push(value.to_f64()));
            }
            let bins = |mut values: Vec<f64>| {
                values.resize(rows.len(), 0.0);
                Bins::of(&mut values, unseen)
            };
            stored.into_par_iter().map(bins).collect()
        } else {
            // Read once: they may be on a disk.
            let mut held = Mat::zeros(rows.len(), d);
            for (at, &i) in rows.iter().enumerate() {
                x.read(i..i + 1, 0..d, held.row_mut(at));
            }
            let bins = |j: usize| {
                let mut column: Vec<f64> = (0..rows.len()).map(|at| held[(at, j)].to_f64()).collect();
                Bins::of(&mut column, unseen)
            };
            (0..d).into_par_iter().map(bins).collect()
        };
        Self::new(features, unseen)
    }

    /// These bins, and what a value counts that nobody has.
    pub fn new(features: Vec<Bins>, unseen: f64) -> Self {
        let zeros = features.iter().map(|bins| bins.surprise(0.0, unseen)).sum();
        Self { features, unseen, zeros }
    }

    /// The bins of every feature.
    pub fn features(&self) -> &[Bins] {
        &self.features
    }

    /// What a value counts that nobody has.
    pub fn unseen(&self) -> f64 {
        self.unseen
    }

    /// What the values of every sample count together.
    pub(super) fn sums<T: Real, X: Data<T>>(&self, x: &X) -> Vec<f64> {
        let (n, d) = x.shape();
        let mut sums = vec![0.0; n];
        let block = |(at, sums): (usize, &mut [f64])| {
            let mut row = vec![T::ZERO; if x.is_sparse() { 0 } else { d }];
            for (i, sum) in (at * BLOCK..).zip(sums) {
                *sum = self.sum(x, i, &mut row);
            }
        };
        if n <= BLOCK {
            sums.chunks_mut(BLOCK).enumerate().for_each(block);
        } else {
            sums.par_chunks_mut(BLOCK).enumerate().for_each(block);
        }
        sums
    }

    fn sum<T: Real, X: Data<T>>(&self, x: &X, i: usize, row: &mut [T]) -> f64 {
        let surprise = |j: usize, value: f64| self.features[j].surprise(value, self.unseen);
        if x.is_sparse() {
            let mut sum = self.zeros;
            x.for_each_of_sample(i, |j, value| sum += surprise(j, value.to_f64()) - surprise(j, 0.0));
            return sum;
        }
        x.read(i..i + 1, 0..row.len(), row);
        row.iter().enumerate().map(|(j, value)| surprise(j, value.to_f64())).sum()
    }
}
