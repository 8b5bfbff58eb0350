//! Samples that clearly do not belong to the others, found before the start and without knowing how many there are.
//!
//! 1. **Length.** A sample more than [`CUT`] robust deviations (of the logarithm) and [`LENGTH`] times longer than usual.
//! 2. **Direction.** Samples are brought to unit length, so that none can pull harder than another (spherical principal
//!    components, Locantore et al. 1999), and what the leading directions leave of each is measured. A sample more than
//!    [`CUT`] robust deviations above the rest, or above a gap in the distribution, is set aside and the directions are
//!    found again without it, for k, 2k and 3k of them: few at first, so that no outlier gets a direction of its own.
//!
//! A group that few directions of its own describe as well as the rest is described is taken for a cluster and stays: what is
//! set aside is scattered. So is a tail of less than [`FEW`] of the samples, which real data have and the loss copes with.
//! Location and spread are those of the shortest half of the values (a half that does not begin above the lowest
//! sixth: outliers are on one side), made efficient by the moments of what lies around it. They hold up to a third of outliers.
//!
//! Nothing here is drawn by the seed of the fit: which samples are found depends on the data and on k alone.
//! Cost: 20 products of X with k columns, and 5 for each group that is found, about as much as a k-means start.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::Random;
use crate::data::{Data, orthonormal_basis};
use crate::matrix::Mat;
use crate::preprocess::median;
use crate::real::Real;

/// Robust standard deviations above which a sample is far from the others.
const CUT: f64 = 5.0;
/// A gap so wide, in robust standard deviations, and above so many of them, separates samples from the others, too.
const GAP: (f64, f64) = (1.0, 3.0);
/// Samples that are at most so many times longer than usual are never too long.
const LENGTH: f64 = 3.0;
/// Least deviation of what the directions leave: where all samples fit exactly, rounding would decide.
const LEAST: f64 = 0.02;
/// Fewer than this share of scattered samples are the tail of the data.
const FEW: f64 = 0.025;
/// Of more than this share nobody can say that they are the outliers, and not the others.
const MOST: f64 = 0.4;
/// From fewer samples nothing can be told.
const LEAST_SAMPLES: usize = 20;
/// Samples for every direction that describes them, and features.
const MEMBERS: usize = 8;
const FEATURES: usize = 4;
/// A sample belongs to a cluster that leaves at most so many times what is usual of it.
const ALIKE: f64 = 1.2;

/// Which samples clearly do not belong to the others, where these are to be described by `k` centroids. Samples of
/// weight 0 do not count.
pub fn screen<T: Real, X: Data<T>>(x: &X, k: usize, weights: &[f64]) -> Vec<bool> {
    let none = vec![false; x.shape().0];
    let lengths: Vec<f64> =
        x.norms_sq().iter().zip(weights).map(|(sq, w)| if *w > 0.0 { sq.sqrt() } else { 0.0 }).collect();
    let usual = median(&mut lengths.iter().copied().filter(|length| *length > 0.0).collect::<Vec<_>>());
    // What is next to nothing has no direction that could be told.
    let counts: Vec<bool> = lengths.iter().map(|length| *length > 1e-6 * usual).collect();
    let all = count(&counts);
    if all < LEAST_SAMPLES.max(2 * k) {
        return none;
    }
    let mut long = too_long(&lengths, &counts);
    if count(&long) as f64 > MOST * all as f64 {
        long = none.clone();
    }
    let others: Vec<bool> = counts.iter().zip(&long).map(|(counts, long)| *counts && !long).collect();
    let mut directions = Directions::new::<T>(x, k, (&lengths, usual));
    let (mut scattered, left) = directions.scattered::<T>(&others);
    if (count(&scattered) as f64) < FEW * all as f64 {
        scattered = none.clone();
    }
    if 2 * count(&directions.like::<T>(&long, left)) > count(&long) {
        long = none.clone();
    }
    let found: Vec<bool> = long.iter().zip(&scattered).map(|(long, scattered)| *long || *scattered).collect();
    if count(&found) as f64 > MOST * all as f64 { none } else { found }
}

fn count(which: &[bool]) -> usize {
    which.iter().filter(|which| **which).count()
}

/// The values of these samples.
fn of(which: &[bool], values: &[f64]) -> Vec<f64> {
    values.iter().zip(which).filter(|(_, which)| **which).map(|(value, _)| *value).collect()
}

/// Samples that are much longer than the others.
fn too_long(lengths: &[f64], counts: &[bool]) -> Vec<bool> {
    let logs: Vec<f64> = lengths.iter().map(|length| length.ln()).collect();
    let (center, spread) = bulk(&of(counts, &logs), LENGTH.ln() / CUT);
    logs.iter().zip(counts).map(|(log, counts)| *counts && *log > center + CUT * spread).collect()
}

/// Location and spread, at least `least`, of the values without those that lie far above.
fn bulk(values: &[f64], least: f64) -> (f64, f64) {
    /// Half the width of the middle half of a normal distribution; what is moments are taken of; what that
    /// leaves of the deviation.
    const NORMAL: (f64, f64, f64) = (0.674_5, 2.5, 0.954_6);
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let width = |first: &usize| sorted[first + half] - sorted[*first];
    let firsts = 0..=(sorted.len() - 1 - half).min(sorted.len() / 6);
    let first = firsts.min_by(|a, b| width(a).total_cmp(&width(b))).unwrap_or(0);
    let mut center = f64::midpoint(sorted[first], sorted[first + half]);
    let mut spread = (0.5 * width(&first) / NORMAL.0).max(least);
    for _ in 0..3 {
        let near = || values.iter().filter(|value| (*value - center).abs() <= NORMAL.1 * spread);
        let (sum, number) = near().fold((0.0, 0.0), |(sum, number), value| (sum + value, number + 1.0));
        let mean = sum / f64::max(number, 1.0);
        let square = near().map(|value| (value - mean).powi(2)).sum::<f64>() / f64::max(number, 1.0);
        (center, spread) = (mean, (square.sqrt() / NORMAL.2).max(least));
    }
    (center, spread)
}

/// The value above which samples are far from the others: [`CUT`] deviations, or the first gap.
fn cut(values: &[f64]) -> f64 {
    let (center, spread) = bulk(values, LEAST);
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let separates = |pair: &&[f64]| pair[1] - pair[0] > GAP.0 * spread && pair[1] > center + GAP.1 * spread;
    let gap = sorted.windows(2).find(separates).map(|pair| f64::midpoint(pair[0], pair[1]));
    gap.unwrap_or(f64::INFINITY).min(center + CUT * spread)
}

/// The directions of samples, and what they leave.
struct Directions<'a, X> {
    x: &'a X,
    k: usize,
    features: usize,
    /// What brings ‖xᵢ‖² to a common number; 0 where the sample has no direction.
    factors: Vec<f64>,
    common: f64,
    random: Random,
}

impl<'a, X> Directions<'a, X> {
    fn new<T: Real>(x: &'a X, k: usize, (lengths, usual): (&[f64], f64)) -> Self
    where
        X: Data<T>,
    {
        let factor = |length: &f64| if *length > 1e-6 * usual { (usual / length).powi(2) } else { 0.0 };
        let factors = lengths.iter().map(factor).collect();
        Self { x, k, features: x.shape().1, factors, common: usual * usual, random: Random::new(0) }
    }

    /// Samples among `others` of which the leading directions of the rest leave too much, and what they usually leave.
    fn scattered<T: Real>(&mut self, others: &[bool]) -> (Vec<bool>, f64)
    where
        X: Data<T>,
    {
        let (mut far, mut basis, mut usual) = (vec![false; others.len()], None, 0.0);
        for times in 1..=3 {
            let rest: Vec<bool> = others.iter().zip(&far).map(|(other, far)| *other && !far).collect();
            let columns = self.columns(others, times * self.k);
            let found: Mat<T> = self.leading(&rest, columns.max(1), basis);
            let left = self.left_by(&found);
            let limit = cut(&of(others, &left));
            far = left.iter().zip(others).map(|(left, other)| *other && *left > limit).collect();
            let rest: Vec<bool> = others.iter().zip(&far).map(|(other, far)| *other && !far).collect();
            usual = median(&mut of(&rest, &left));
            let alike = self.like::<T>(&far, ALIKE * usual);
            far.iter_mut().zip(alike).for_each(|(far, alike)| *far &= !alike);
            if count(&far) as f64 > MOST * count(others) as f64 {
                far.fill(false);
            }
            basis = Some(found);
        }
        (far, usual)
    }

    /// Those of a group of which a few directions of its own leave at most `limit`.
    fn like<T: Real>(&mut self, group: &[bool], limit: f64) -> Vec<bool>
    where
        X: Data<T>,
    {
        let columns = self.columns(group, 3 * self.k);
        if columns == 0 {
            return vec![false; group.len()];
        }
        let basis: Mat<T> = self.leading(group, columns, None);
        let left = self.left_by(&basis);
        left.iter().zip(group).map(|(left, group)| *group && *left <= limit).collect()
    }

    /// At most `wanted` directions, as many as samples and features allow.
    fn columns(&self, group: &[bool], wanted: usize) -> usize {
        let (members, features) = (count(group) / MEMBERS, self.features / FEATURES);
        wanted.min(members).min(features.max(1))
    }

    /// The leading directions of a group, orthonormal, d×`columns`: two power iterations from random numbers, or one more
    /// from those that are known.
    fn leading<T: Real>(&mut self, group: &[bool], columns: usize, known: Option<Mat<T>>) -> Mat<T>
    where
        X: Data<T>,
    {
        let d = self.features;
        let iterations = if known.is_some() { 1 } else { 2 };
        let mut basis = Mat::from_fn(d, columns, |j, t| match &known {
            Some(known) if t < known.cols() => known[(j, t)],
            _ => T::from_f64(self.random.0.sample::<f64, _>(StandardNormal)),
        });
        drop(known);
        let weights: Vec<T> = self
            .factors
            .iter()
            .zip(group)
            .map(|(factor, group)| T::from_f64(if *group { *factor } else { 0.0 }))
            .collect();
        for _ in 0..iterations {
            // A few columns at a time: the product has as many rows as there are samples.
            for first in (0..columns).step_by(self.k) {
                let some = self.k.min(columns - first);
                let part = Mat::from_fn(d, some, |j, t| basis[(j, first + t)]);
                let mut next = Mat::zeros(d, some);
                self.x.t_dot(&weights, &self.x.dot(&part), &mut next);
                (0..d).for_each(|j| basis.row_mut(j)[first..first + some].copy_from_slice(next.row(j)));
            }
            basis = orthonormal_basis(&basis);
        }
        basis
    }

    /// The length of what orthonormal directions leave of every sample of unit length.
    fn left_by<T: Real>(&self, basis: &Mat<T>) -> Vec<f64>
    where
        X: Data<T>,
    {
        let n = self.factors.len();
        let mut left = vec![0.0; n];
        self.x.project(basis, &mut vec![(); n], &mut left, |block| {
            for ((i, p), left) in block.rows.zip(block.p.chunks_exact(basis.cols())).zip(block.r) {
                let square: f64 = p.iter().map(|p| p.to_f64().powi(2)).sum();
                *left = (1.0 - square * self.factors[i] / self.common).max(0.0).sqrt();
            }
        });
        left
    }
}
