//! The two main directions of the coefficients.
//!
//! Principal components of the rows of V, each coefficient in units of its centroid's length and each row of unit
//! length, so that clusters are told apart by what a sample is made of and not by how much of it there is.
//! Cost O(nc²).

use crate::data::thin_svd;
use crate::matrix::Mat;
use crate::real::Real;

/// Points of a plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// One per sample.
    pub points: Vec<[f64; 2]>,
    /// Shares of the variance along the two axes.
    pub shares: [f64; 2],
    /// Where a sample would lie that consists of centroid k alone.
    pub centroids: Vec<[f64; 2]>,
}

/// The samples with the coefficients `v` (n×c) of the centroids `u` (d×c).
pub fn plane<T: Real>(u: &Mat<T>, v: &Mat<T>) -> Plane {
    let (n, c) = v.shape();
    let directions = Directions::of(u, v);
    let mut mean = vec![0.0; c];
    for i in 0..n {
        mean.iter_mut().zip(directions.row(i)).for_each(|(mean, x)| *mean += x / n as f64);
    }
    let centered = |row: Vec<f64>| -> Vec<f64> { row.iter().zip(&mean).map(|(x, mean)| x - mean).collect() };
    let (axes, shares) = axes(c, (0..n).map(|i| centered(directions.row(i))));
    let along = |row: &[f64], axis: &[f64]| row.iter().zip(axis).map(|(x, axis)| x * axis).sum();
    let point = |row: Vec<f64>| {
        let row = centered(row);
        [along(&row, &axes[0]), along(&row, &axes[1])]
    };
    let pure = |k: usize| (0..c).map(|at| if at == k { 1.0 } else { 0.0 }).collect();
    Plane {
        points: (0..n).map(|i| point(directions.row(i))).collect(),
        shares,
        centroids: (0..c).map(|k| point(pure(k))).collect(),
    }
}

/// What samples are made of: their coefficients in units of the centroids' lengths, at unit length.
pub(super) struct Directions<'a, T> {
    v: &'a Mat<T>,
    /// Shares of the longest.
    lengths: Vec<f64>,
}

impl<'a, T: Real> Directions<'a, T> {
    pub(super) fn of(u: &Mat<T>, v: &'a Mat<T>) -> Self {
        let along = |k: usize| length((0..u.rows()).map(|j| u[(j, k)].to_f64()));
        let lengths: Vec<f64> = (0..v.cols()).map(along).collect();
        let longest = lengths.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        Self { v, lengths: lengths.iter().map(|length| length / longest).collect() }
    }

    /// Of sample i; zero where it has no coefficients.
    pub(super) fn row(&self, i: usize) -> Vec<f64> {
        let v = self.v.row(i);
        // As shares of the largest, so that no product is too large for a number.
        let most = v.iter().map(|v| v.to_f64()).fold(f64::MIN_POSITIVE, f64::max);
        let row: Vec<f64> =
            v.iter().zip(&self.lengths).map(|(v, length)| v.to_f64() / most * length).collect();
        let norm = length(row.iter().copied());
        row.iter().map(|x| if norm > 0.0 { x / norm } else { 0.0 }).collect()
    }
}

/// The Euclidean length, whose square may be too large or too small for a number.
fn length(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().map(f64::abs).fold(0.0, f64::max);
    if most > 0.0 { most * values.map(|x| (x / most).powi(2)).sum::<f64>().sqrt() } else { 0.0 }
}

/// The two directions in which centered rows vary most, with their shares of the variance.
fn axes(c: usize, rows: impl Iterator<Item = Vec<f64>>) -> ([Vec<f64>; 2], [f64; 2]) {
    let mut covariance = Mat::<f64>::zeros(c, c);
    for row in rows {
        for (a, &x) in row.iter().enumerate() {
            covariance.row_mut(a).iter_mut().zip(&row).for_each(|(sum, y)| *sum += x * y);
        }
    }
    let total: f64 = (0..c).map(|a| covariance[(a, a)]).sum();
    let Some((directions, variances, _)) = thin_svd(&covariance).filter(|_| total > 0.0) else {
        return ([vec![0.0; c], vec![0.0; c]], [0.0; 2]);
    };
    let axis = |at: usize| -> Vec<f64> {
        if at >= c {
            return vec![0.0; c];
        }
        let axis: Vec<f64> = (0..c).map(|a| directions[(a, at)]).collect();
        // A direction and its opposite are the same: the picture is to be the same each time.
        let largest = axis.iter().fold(0.0_f64, |best, &x| if x.abs() > best.abs() { x } else { best });
        axis.iter().map(|x| x * largest.signum()).collect()
    };
    let share = |at: usize| variances.get(at).map_or(0.0, |variance| variance / total);
    ([axis(0), axis(1)], [share(0), share(1)])
}
