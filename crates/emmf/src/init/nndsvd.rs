//! Nonnegative double SVD (Boutsidis and Gallopoulos 2008) on a randomized SVD (Halko, Martinsson and
//! Tropp 2011). Zeros are filled, with the mean of X ("NNDSVDa") or with random numbers around a hundredth of it
//! ("NNDSVDar"): a multiplicative update could never leave them.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::random::mean;
use super::{Factors, Random};
use crate::data::{Data, orthonormal_basis, thin_svd};
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::real::Real;

/// Columns beyond k, and power iterations, of the randomized SVD.
pub(crate) const OVERSAMPLE: usize = 10;
const POWER_ITER: usize = 4;

/// What zeros are filled with at random, of the mean of X.
const SMALL: f64 = 0.01;

/// Zeros are the mean of X; sample i counts `weights[i]` times.
pub(super) fn start<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    weights: &[f64],
    rng: &mut Random,
) -> Result<Factors<T>> {
    let svd = truncated_svd(x, k, weights, rng).ok_or(Error::diverged(0))?;
    let fill = T::from_f64(mean(x, weights));
    Ok(filled(svd, (x.shape(), k), weights, || fill))
}

/// Zeros are small random numbers.
pub(super) fn start_at_random<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    weights: &[f64],
    rng: &mut Random,
) -> Result<Factors<T>> {
    let svd = truncated_svd(x, k, weights, rng).ok_or(Error::diverged(0))?;
    let scale = SMALL * mean(x, weights);
    let fill = || {
        let normal: f64 = rng.0.sample(StandardNormal);
        T::from_f64(scale * normal.abs())
    };
    Ok(filled(svd, (x.shape(), k), weights, fill))
}

/// The positive parts of the singular vectors, and `fill` elsewhere.
fn filled<T: Real>(
    (left, s, right): (Mat<T>, Vec<f64>, Mat<T>),
    ((n, d), k): ((usize, usize), usize),
    weights: &[f64],
    mut fill: impl FnMut() -> T,
) -> Factors<T> {
    let mut factors = Factors { u: Mat::from_fn(d, k, |_, _| fill()), v: Mat::from_fn(n, k, |_, _| fill()) };
    for at in 0..k.min(s.len()) {
        let column = |a: &Mat<T>, sign: f64| -> Vec<f64> {
            (0..a.rows()).map(|i| (sign * a[(i, at)].to_f64()).max(0.0)).collect()
        };
        let norm = |column: &[f64]| column.iter().map(|x| x * x).sum::<f64>().sqrt();
        let weighted_norm =
            |column: &[f64]| column.iter().zip(weights).map(|(x, weight)| weight * x * x).sum::<f64>().sqrt();
        let pair = |sign: f64| {
            let (v, u) = (column(&left, sign), column(&right, sign));
            let (v_norm, u_norm) = (weighted_norm(&v), norm(&u));
            (v, u, v_norm, u_norm)
        };
        let (plus, minus) = (pair(1.0), pair(-1.0));
        let (v, u, v_norm, u_norm) = if plus.2 * plus.3 >= minus.2 * minus.3 { plus } else { minus };
        if v_norm * u_norm > 0.0 {
            let length = (s[at] * v_norm * u_norm).sqrt();
            set_column(&mut factors.v, at, &v, length / v_norm);
            set_column(&mut factors.u, at, &u, length / u_norm);
        }
    }
    factors
}

/// Writes the positive entries of `column`, times `factor`; the others keep their fill.
fn set_column<T: Real>(a: &mut Mat<T>, at: usize, column: &[f64], factor: f64) {
    for (i, &value) in column.iter().enumerate() {
        if value > 0.0 {
            a[(i, at)] = T::from_f64(value * factor);
        }
    }
}

/// The samples as points in at least `k` leading directions of X, approximately.
pub(crate) fn leading<T: Real, X: Data<T>>(x: &X, k: usize, rng: &mut Random) -> Option<Mat<T>> {
    let (_, _, features) = truncated_svd(x, k, &vec![1.0; x.shape().0], rng)?;
    Some(x.dot(&features))
}

/// The leading singular triplets of X with every sample as often as it counts, approximately: n×l, l, d×l with
/// l ≥ min(k, n, d).
fn truncated_svd<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    weights: &[f64],
    rng: &mut Random,
) -> Option<(Mat<T>, Vec<f64>, Mat<T>)> {
    let (n, d) = x.shape();
    let l = (k + OVERSAMPLE).min(n).min(d);
    // Equal samples have equal rows of the singular vectors, so that one row times √w stands for w of them.
    let roots: Vec<T> = weights.iter().map(|&weight| T::from_f64(weight.sqrt())).collect();
    let range_of = |b: &Mat<T>| {
        let mut product = x.dot(b);
        (0..n).for_each(|i| product.row_mut(i).iter_mut().for_each(|entry| *entry *= roots[i]));
        orthonormal_basis(product)
    };
    let mut right = Mat::from_fn(d, l, |_, _| T::from_f64(rng.0.sample(StandardNormal)));
    let mut left = range_of(&right);
    for _ in 0..POWER_ITER {
        x.t_dot(&roots, &left, &mut right);
        drop(left);
        left = range_of(&orthonormal_basis(right.clone()));
    }
    x.t_dot(&roots, &left, &mut right);
    // Xᵀ·Q = R·diag(s)·Wᵀ, so X ≈ (Q·W)·diag(s)·Rᵀ.
    let (features, s, mix) = thin_svd(&right)?;
    // A sample that does not count has no row of its own; it gets the one that it would have.
    let uncounted = weights.contains(&0.0).then(|| x.dot(&features));
    let samples = Mat::from_fn(n, s.len(), |i, t| match &uncounted {
        Some(product) if weights[i] == 0.0 => product[(i, t)] / T::from_f64(s[t].max(f64::MIN_POSITIVE)),
        _ => (0..l).map(|m| left[(i, m)] * mix[(m, t)]).sum::<T>() / roots[i],
    });
    Some((samples, s, features))
}
