//! Residuals from the X·U that the V step has just made: two big products an iteration, not three.

use crate::data::Data;
use crate::matrix::Mat;
use crate::real::Real;

/// ‖xᵢ − U·v‖² = ‖xᵢ‖² − 2v·p + v·G·vᵀ with p = Uᵀxᵢ and G = UᵀU, in double precision, and by the
/// definition where cancellation has eaten the digits of `S`, in which G and p were made. NaN stays NaN.
pub(crate) fn residual_sq<T: Real, S: Real, X: Data<T>>(
    x: &X,
    i: usize,
    u: &Mat<T>,
    g: &Mat<S>,
    (v, p): (&[T], &[S]),
) -> f64 {
    let norm_sq = x.norms_sq()[i];
    let mut fitted = 0.0;
    let mut cross = 0.0;
    for (k, &a) in v.iter().enumerate() {
        let row: f64 = g.row(k).iter().zip(v).map(|(&g, &b)| g.to_f64() * b.to_f64()).sum();
        fitted += a.to_f64() * row;
        cross += a.to_f64() * p[k].to_f64();
    }
    let sum = norm_sq - 2.0 * cross + fitted;
    if sum < S::CANCELLATION * norm_sq.max(fitted) { x.residual_sq(i, u, v) } else { sum }
}
