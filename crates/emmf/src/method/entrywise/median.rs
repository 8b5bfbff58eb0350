//! Coordinate descent for the true l1 norm Σ|x − y|: the best coefficient of a centroid, all else fixed, is a
//! weighted median. Ke and Kanade, CVPR 2005, with nonnegative factors.
//!
//! Never raises the l1 norm; may stall where no single coefficient can improve. Cost O(ndc·log n) a sweep.

use crate::data::Data;
use crate::init::Factors;
use crate::loss::weighted_median;
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Features that are gathered at a time.
const FEATURES: usize = 16;

/// One sweep: all of U, then all of V, each row in the order of the centroids. `weights` are the samples' own.
pub fn median_sweep<T: Real, X: Data<T>>(x: &X, weights: &[f64], factors: &mut Factors<T>) {
    let ((n, d), c, v) = (x.shape(), factors.u.cols(), factors.v.cast::<f64>());
    let groups = factors.u.as_mut_slice().par_chunks_mut(FEATURES * c).enumerate();
    each(groups, |(group, u)| {
        let features = group * FEATURES..((group + 1) * FEATURES).min(d);
        let width = features.len();
        let mut columns = vec![T::ZERO; n * width];
        x.read(0..n, features, &mut columns);
        for (at, u) in u.chunks_exact_mut(c).enumerate() {
            let column: Vec<f64> = (0..n).map(|i| columns[i * width + at].to_f64()).collect();
            sweep_row(&v, &column, Some(weights), u);
        }
    });
    let u = factors.u.cast::<f64>();
    each(factors.v.as_mut_slice().par_chunks_mut(c).enumerate(), |(i, v)| {
        let mut row = vec![T::ZERO; d];
        x.read(i..i + 1, 0..d, &mut row);
        let row: Vec<f64> = row.iter().map(|x| x.to_f64()).collect();
        sweep_row(&u, &row, None, v);
    });
}

/// Lowers Σ sₜ·|yₜ − Σₗ aₗBₜₗ| over a ≥ 0, one coordinate after the other. Where y is NaN, it is missing.
pub(super) fn sweep_row<T: Real>(b: &Mat<f64>, y: &[f64], s: Option<&[f64]>, a: &mut [T]) {
    let fitted = |t: usize| -> f64 { b.row(t).iter().zip(&*a).map(|(b, a)| b * a.to_f64()).sum() };
    let mut rest: Vec<f64> = (0..y.len()).map(|t| y[t] - fitted(t)).collect();
    let mut pairs = Vec::with_capacity(y.len());
    for k in 0..a.len() {
        let was = a[k].to_f64();
        pairs.clear();
        for (t, rest) in rest.iter().enumerate().filter(|(_, rest)| !rest.is_nan()) {
            let (b, s) = (b[(t, k)], s.map_or(1.0, |s| s[t]));
            if b * s > 0.0 {
                pairs.push((was + rest / b, b * s));
            }
        }
        if pairs.is_empty() {
            continue;
        }
        a[k] = T::from_f64(weighted_median(&mut pairs).max(0.0));
        let by = a[k].to_f64() - was;
        rest.iter_mut().enumerate().for_each(|(t, rest)| *rest -= by * b[(t, k)]);
    }
}
