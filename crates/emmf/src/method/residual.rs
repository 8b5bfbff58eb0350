//! Residuals from the X·U that the V step has just made: two big products an iteration, not three.

use std::ops::Range;

use crate::data::{Data, vectorized};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;

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
    let (fitted, cross) = (dot(v, gv), dot(v, p));
    let sum = norm_sq - 2.0 * cross + fitted;
    if sum < S::CANCELLATION * norm_sq.max(fitted) { x.residual_sq(i, u, v) } else { sum }
}

/// The residual of every row of a block, given the same rows of V, of P = XU and `scratch` as large, by way of `set`.
pub(super) fn for_block<T: Real, X: Data<T>>(
    x: &X,
    rows: Range<usize>,
    (u, g): (&Mat<T>, &Mat<T>),
    (v, p, scratch): (&[T], &[T], &mut [T]),
    mut set: impl FnMut(usize, f64),
) {
    let c = u.cols();
    T::gemm((scratch, c), Left::Rows((v, c)), (g.as_slice(), c), (rows.len(), c, c), false);
    vectorized!({
        for (at, i) in rows.enumerate() {
            let row = at * c..(at + 1) * c;
            set(at, residual_sq(x, i, u, (&v[row.clone()], &p[row.clone()], &scratch[row])));
        }
    });
}

/// a·b in double precision, eight sums at a time: one sum in order would wait for itself.
#[inline(always)]
pub(super) fn dot<T: Real, S: Real>(a: &[T], b: &[S]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for t in 0..8 {
            sums[t] += a[t].to_f64() * b[t].to_f64();
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a.to_f64() * b.to_f64()).sum();
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h)) + rest
}
