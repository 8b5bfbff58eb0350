//! Uniform random factors whose product has the mean of X.

use rand::RngExt;

use super::{Factors, Random};
use crate::data::Data;
use crate::matrix::Mat;
use crate::real::Real;

pub(super) fn start<T: Real, X: Data<T>>(x: &X, k: usize, weights: &[f64], rng: &mut Random) -> Factors<T> {
    let (n, d) = x.shape();
    let scale = 2.0 * (mean(x, weights) / k as f64).sqrt();
    // 1 − [0, 1) leaves 0 out: a zero would be locked.
    let mut fill = |rows| Mat::from_fn(rows, k, |_, _| T::from_f64(scale * (1.0 - rng.0.random::<f64>())));
    Factors { u: fill(d), v: fill(n) }
}

/// The mean entry of X, sample i counting `weights[i]` times.
pub(super) fn mean<T: Real, X: Data<T>>(x: &X, weights: &[f64]) -> f64 {
    let (n, d) = x.shape();
    let ones = Mat::from_fn(n, 1, |_, _| T::ONE);
    let counts: Vec<T> = weights.iter().map(|&weight| T::from_f64(weight)).collect();
    let mut sums = Mat::zeros(d, 1);
    x.t_dot(&counts, &ones, &mut sums);
    let total: f64 = weights.iter().sum();
    sums.as_slice().iter().map(|sum| sum.to_f64()).sum::<f64>() / (total * d as f64)
}
