//! Uniform random factors whose product has the mean of X. Those of a sample follow from its number, so that samples may be
//! anywhere.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::{Factors, Random, hash};
use crate::data::Data;
use crate::matrix::Mat;
use crate::real::Real;

/// Coefficients by chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RandomRows {
    seed: u64,
    /// They are above 0, where they would be locked, and at most this.
    scale: f64,
    centroids: usize,
}

impl RandomRows {
    /// Of this many samples from number `first` on.
    pub fn rows<T: Real>(&self, first: usize, count: usize) -> Mat<T> {
        let Self { seed, scale, centroids } = *self;
        let number = |i: usize, k: usize| hash(seed, ((first + i) * centroids + k) as u64);
        Mat::from_fn(count, centroids, |i, k| T::from_f64(scale * (1.0 - unit(number(i, k)))))
    }
}

/// The number in [0, 1) that these bits stand for.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// U of d features and k centroids, and how V is made, for samples with this mean entry.
pub(crate) fn random<T: Real>((d, k): (usize, usize), mean: f64, rng: &mut Random) -> (Mat<T>, RandomRows) {
    let scale = 2.0 * (mean / k as f64).sqrt();
    let u = Mat::from_fn(d, k, |_, _| T::from_f64(scale * (1.0 - rng.0.random::<f64>())));
    (u, RandomRows { seed: rng.0.next_u64(), scale, centroids: k })
}

pub(super) fn start<T: Real, X: Data<T>>(x: &X, k: usize, weights: &[f64], rng: &mut Random) -> Factors<T> {
    let (n, d) = x.shape();
    let (u, rows) = random((d, k), mean(x, weights), rng);
    Factors { u, v: rows.rows(0, n) }
}

/// The mean entry of X, sample i counting `weights[i]` times.
pub(super) fn mean<T: Real, X: Data<T>>(x: &X, weights: &[f64]) -> f64 {
    let (n, d) = x.shape();
    let ones = Mat::from_fn(n, 1, |_, _| T::ONE);
    let counts: Vec<T> = weights.iter().map(|&weight| T::from_f64(weight)).collect();
    let mut sums = Mat::zeros(d, 1);
    x.t_dot(&counts, &ones, &mut sums);
    mean_of(&sums, weights)
}

/// The same from the sum of every feature, d×1.
pub(crate) fn mean_of<T: Real>(sums: &Mat<T>, weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    sums.as_slice().iter().map(|sum| sum.to_f64()).sum::<f64>() / (total * sums.rows() as f64)
}
