//! Residuals from the X·U that the V step has just made: two big products an iteration, not three.

use std::ops::Range;

use crate::data::{BLOCK, Data, dot_f64, vectorized};
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
    gram_form(x.norms_sq()[i], (v, p, gv)).unwrap_or_else(|| x.residual_sq(i, u, v))
}

/// ‖xᵢ‖² − 2v·p + v·(Gv), where enough digits are left.
#[inline(always)]
pub(super) fn gram_form<T: Real, S: Real>(norm_sq: f64, (v, p, gv): (&[T], &[S], &[S])) -> Option<f64> {
    let (fitted, cross) = (dot_f64(v, gv), dot_f64(v, p));
    let sum = norm_sq - 2.0 * cross + fitted;
    // NaN is no cancellation.
    let cancelled = sum < S::CANCELLATION * norm_sq.max(fitted);
    (!cancelled).then_some(sum)
}

/// The residual of every row of a block, given the same rows of V, of P = XU and `scratch` as large, by way of `set`.
pub(super) fn for_block<T: Real, X: Data<T>>(
    x: &X,
    rows: Range<usize>,
    (u, g): (&Mat<T>, &Mat<T>),
    (v, p, scratch): (&[T], &[T], &mut [T]),
    mut set: impl FnMut(usize, f64),
) {
    let c = g.cols();
    T::gemm((scratch, c), Left::Rows((v, c)), (g.as_slice(), c), (rows.len(), c, c), false);
    // Where the fit is good, these are most of the rows: they are made again together.
    let (mut cancelled, mut count) = ([0; BLOCK], 0);
    vectorized!({
        for at in 0..rows.len() {
            let row = at * c..(at + 1) * c;
            let given = (&v[row.clone()], &p[row.clone()], &scratch[row]);
            if let Some(square) = gram_form(x.norms_sq()[rows.start + at], given) {
                set(at, square);
            } else {
                cancelled[count] = at;
                count += 1;
            }
        }
    });
    if count > 0 {
        by_definition(x, (&mut cancelled[..count], rows.start), (u, c), (v, scratch), set);
    }
}

/// The residuals of some rows of a block that begins with sample `first`, by their definition.
fn by_definition<T: Real, X: Data<T>>(
    x: &X,
    (rows, first): (&mut [usize], usize),
    (u, c): (&Mat<T>, usize),
    (v, scratch): (&[T], &mut [T]),
    mut set: impl FnMut(usize, f64),
) {
    let mut squares = [0.0; BLOCK];
    for (&at, out) in rows.iter().zip(scratch.chunks_exact_mut(c)) {
        out.copy_from_slice(&v[at * c..(at + 1) * c]);
    }
    rows.iter_mut().for_each(|at| *at += first);
    x.residuals_sq(rows, u, &scratch[..rows.len() * c], &mut squares[..rows.len()]);
    rows.iter().zip(squares).for_each(|(i, square)| set(i - first, square));
}
