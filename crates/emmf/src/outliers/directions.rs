//! Scattered samples among others that a few directions describe, found before the start and without knowing how many there are.
//!
//! Samples are brought to unit length, so that none can pull harder than another (spherical principal components, Locantore et
//! al. 1999), and the part of each that the leading directions do not describe is measured. A sample more than [`CUT`] robust deviations above
//! the rest, or above a gap in the distribution, is scattered, and k more directions are found without it, up to 3k of
//! them: few at first, so that no outlier gets a direction of its own.
//!
//! A group that a few directions of its own describe as well as the rest is described is taken for a cluster.
//!
//! Cost: 9 products of X with k columns, and at most 9 for each group that is found; a k-means start makes about as many.

use rand::RngExt;

use super::bulk::{MOST, bulk};
use crate::cancel::Cancel;
use crate::data::{Block, Data};
use crate::error::Result;
use crate::init::Random;
use crate::matrix::Mat;
use crate::preprocess::median;
use crate::real::Real;

/// Robust standard deviations above which a sample is far from the others.
const CUT: f64 = 5.0;
/// A gap so wide, in robust standard deviations, and above so many of them, separates samples from the others, too.
const GAP: (f64, f64) = (1.0, 3.0);
/// Least deviation of what the directions leave: where all samples fit exactly, rounding would decide.
const LEAST: f64 = 0.02;
/// Fewer than this share of scattered samples are the tail of the data.
pub(super) const FEW: f64 = 0.025;
/// From fewer samples, or features, nothing can be told about directions.
const LEAST_SAMPLES: usize = 40;
const LEAST_FEATURES: usize = 16;
/// Samples for every direction that describes them, and features.
const MEMBERS: usize = 8;
const FEATURES: usize = 4;
/// Columns of a product of sparse X that are made at a time.
const COLUMNS: usize = 16;
/// A sample belongs to a cluster that leaves at most so many times what is usual of it.
const ALIKE: f64 = 1.2;

/// Which of the samples that count are scattered, where the others are to be described by `k` centroids.
pub(super) fn scattered<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    counts: &[bool],
    cancel: &Cancel,
) -> Result<Vec<bool>> {
    let none = vec![false; counts.len()];
    let lengths: Vec<f64> = x.norms_sq().iter().map(|sq| sq.sqrt()).collect();
    let usual = median(&mut of(counts, &lengths));
    // What is next to nothing has no direction that could be told.
    let counts: Vec<bool> =
        lengths.iter().zip(counts).map(|(length, counts)| *counts && *length > 1e-6 * usual).collect();
    let all = count(&counts);
    if all < LEAST_SAMPLES.max(2 * k) || x.shape().1 < LEAST_FEATURES {
        return Ok(none);
    }
    let found = Directions::new::<T>(x, k, (&lengths, usual), cancel).scattered::<T>(&counts)?;
    Ok(if (count(&found) as f64) < FEW * all as f64 { none } else { found })
}

pub(super) fn count(which: &[bool]) -> usize {
    which.iter().filter(|which| **which).count()
}

/// The values of these samples.
fn of(which: &[bool], values: &[f64]) -> Vec<f64> {
    values.iter().zip(which).filter(|(_, which)| **which).map(|(value, _)| *value).collect()
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
    /// What brings every sample to a common length; 0 where it has no direction.
    factors: Vec<f64>,
    common: f64,
    random: Random,
    cancel: &'a Cancel,
}

impl<'a, X> Directions<'a, X> {
    fn new<T: Real>(x: &'a X, k: usize, (lengths, usual): (&[f64], f64), cancel: &'a Cancel) -> Self
    where
        X: Data<T>,
    {
        let factor = |length: &f64| if *length > 1e-6 * usual { usual / length } else { 0.0 };
        let factors = lengths.iter().map(factor).collect();
        Self { x, k, features: x.shape().1, factors, common: usual, random: Random::new(0), cancel }
    }

    /// Samples among `others` of which the leading directions of the rest leave too much.
    fn scattered<T: Real>(&mut self, others: &[bool]) -> Result<Vec<bool>>
    where
        X: Data<T>,
    {
        let mut far = vec![false; others.len()];
        let (mut known, mut squares) = (Vec::<Vec<T>>::new(), vec![1.0; others.len()]);
        for times in 1..=3 {
            let rest: Vec<bool> = others.iter().zip(&far).map(|(other, far)| *other && !far).collect();
            let more = self.columns(others, times * self.k).max(1) - known.len();
            if more > 0 {
                let found = self.leading::<T>(&rest, more, &known)?;
                self.leave::<T>(&found, &mut squares);
                known.extend(found);
            }
            let left: Vec<f64> = squares.iter().map(|square: &f64| square.sqrt()).collect();
            let limit = cut(&of(others, &left));
            far = left.iter().zip(others).map(|(left, other)| *other && *left > limit).collect();
            let rest: Vec<bool> = others.iter().zip(&far).map(|(other, far)| *other && !far).collect();
            let usual = median(&mut of(&rest, &left));
            let alike = self.like::<T>(&far, ALIKE * usual)?;
            far.iter_mut().zip(alike).for_each(|(far, alike)| *far &= !alike);
            if count(&far) as f64 > MOST * count(others) as f64 {
                far.fill(false);
            }
        }
        Ok(far)
    }

    /// Those of a group of which a few directions of its own leave at most `limit`.
    fn like<T: Real>(&mut self, group: &[bool], limit: f64) -> Result<Vec<bool>>
    where
        X: Data<T>,
    {
        let columns = self.columns(group, 3 * self.k);
        if columns == 0 {
            return Ok(vec![false; group.len()]);
        }
        let basis = self.leading::<T>(group, columns, &[])?;
        let mut squares = vec![1.0; group.len()];
        self.leave::<T>(&basis, &mut squares);
        let fits = |(square, group): (&f64, &bool)| *group && *square <= limit * limit;
        Ok(squares.iter().zip(group).map(fits).collect())
    }

    /// At most `wanted` directions, as many as samples and features allow.
    fn columns(&self, group: &[bool], wanted: usize) -> usize {
        let (members, features) = (count(group) / MEMBERS, self.features / FEATURES);
        wanted.min(members).min(features.max(1))
    }

    /// More leading directions of a group beside those that are `known`, orthonormal, at most `columns`: a power iteration from sums of
    /// its members with random signs.
    fn leading<T: Real>(&mut self, group: &[bool], columns: usize, known: &[Vec<T>]) -> Result<Vec<Vec<T>>>
    where
        X: Data<T>,
    {
        self.cancel.check_time()?;
        let mut members = vec![Vec::new(); columns];
        let mut signs = vec![T::ZERO; group.len()];
        for i in (0..group.len()).filter(|&i| group[i]) {
            members[self.random.0.random_range(0..columns)].push(i);
            let sign = if self.random.0.random::<bool>() { 1.0 } else { -1.0 };
            signs[i] = T::from_f64(sign * self.factors[i]);
        }
        let sums = matrix(&orthonormal(known, &self.x.sums_of(&members, &signs)), self.features);
        let square = |(factor, group): (&f64, &bool)| T::from_f64(if *group { factor * factor } else { 0.0 });
        let weights: Vec<T> = self.factors.iter().zip(group).map(square).collect();
        Ok(orthonormal(known, &self.twice(&sums, &weights)?))
    }

    /// Xᵀ·diag(w)·X·B. Of sparse X, beside which the product in the middle may be large, a few columns at a time.
    fn twice<T: Real>(&self, b: &Mat<T>, w: &[T]) -> Result<Mat<T>>
    where
        X: Data<T>,
    {
        let (d, c) = b.shape();
        let width = if self.x.is_sparse() { c.min(COLUMNS) } else { c };
        let mut all = Mat::zeros(d, c);
        for from in (0..c).step_by(width.max(1)) {
            self.cancel.check_time()?;
            let width = width.min(c - from);
            let mut out = Mat::zeros(d, width);
            self.x.t_dot(w, &self.x.dot(&Mat::from_fn(d, width, |j, t| b[(j, from + t)])), &mut out);
            for j in 0..d {
                all.row_mut(j)[from..from + width].copy_from_slice(out.row(j));
            }
        }
        Ok(all)
    }

    /// Takes what orthonormal directions describe of every sample of unit length from the square of what is left of it.
    fn leave<T: Real>(&self, directions: &[Vec<T>], squares: &mut [f64])
    where
        X: Data<T>,
    {
        if directions.is_empty() {
            return;
        }
        let basis = matrix(directions, self.features);
        self.x.project(&basis, &mut vec![(); squares.len()], squares, |block: Block<'_, T, _, _>| {
            for ((i, p), square) in block.rows.zip(block.p.chunks_exact(basis.cols())).zip(block.r) {
                let described: f64 = p.iter().map(|p| p.to_f64().powi(2)).sum();
                *square = (*square - described * (self.factors[i] / self.common).powi(2)).max(0.0);
            }
        });
    }
}

/// Directions as columns, d×r.
fn matrix<T: Real>(directions: &[Vec<T>], d: usize) -> Mat<T> {
    Mat::from_fn(d, directions.len(), |j, t| directions[t][j])
}

/// What the columns add to `known`, orthonormal: Gram and Schmidt's way, twice, which is enough. A column that adds next
/// to nothing is left out.
fn orthonormal<T: Real>(known: &[Vec<T>], columns: &Mat<T>) -> Vec<Vec<T>> {
    let mut found: Vec<Vec<T>> = Vec::with_capacity(columns.cols());
    for t in 0..columns.cols() {
        let mut column: Vec<f64> = (0..columns.rows()).map(|j| columns[(j, t)].to_f64()).collect();
        let before = length(&column);
        for _ in 0..2 {
            for other in known.iter().chain(&found) {
                let along = dot(other, &column);
                column.iter_mut().zip(other).for_each(|(x, other)| *x -= along * other.to_f64());
            }
        }
        let after = length(&column);
        if after > 1e-6 * before {
            found.push(column.iter().map(|x| T::from_f64(x / after)).collect());
        }
    }
    found
}

fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// a·b, eight products at a time.
fn dot<T: Real>(a: &[T], b: &[f64]) -> f64 {
    let ((a8, a1), (b8, b1)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a8.iter().zip(b8) {
        (0..8).for_each(|t| sums[t] += a[t].to_f64() * b[t]);
    }
    sums.iter().sum::<f64>() + a1.iter().zip(b1).map(|(a, b)| a.to_f64() * b).sum::<f64>()
}
