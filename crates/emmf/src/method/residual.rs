//! Residuals from the X·U that the V step has just made: two big products an iteration, not three.

use crate::data::Data;
use crate::matrix::Mat;
use crate::real::Real;

/// ‖xᵢ − U·v‖² = ‖xᵢ‖² − 2v·p + v·(Gv) with p = Uᵀxᵢ and G = UᵀU, given v, p and Gv, in double precision,
/// and by the definition where cancellation has eaten the digits of `S`, in which p and Gv were made.
/// NaN stays NaN.
#[inline(always)]
pub(crate) fn residual_sq<T: Real, S: Real, X: Data<T>>(
    x: &X,
    i: usize,
    u: &Mat<T>,
    (v, p, gv): (&[T], &[S], &[S]),
) -> f64 {
    let norm_sq = x.norms_sq()[i];
    let (mut fitted, mut cross) = (0.0, 0.0);
    for ((&v, &p), &gv) in v.iter().zip(p).zip(gv) {
        fitted += v.to_f64() * gv.to_f64();
        cross += v.to_f64() * p.to_f64();
    }
    let sum = norm_sq - 2.0 * cross + fitted;
    if sum < S::CANCELLATION * norm_sq.max(fitted) { x.residual_sq(i, u, v) } else { sum }
}
