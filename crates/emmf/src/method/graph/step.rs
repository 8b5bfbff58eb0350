//! The V step with a graph, and the residuals after it.

use std::ops::Range;

use super::{GraphIrls, GraphState};
use crate::data::{BLOCK, Block, Data, least_parts, rows_per_part, vectorized};
use crate::matrix::Mat;
use crate::method::irls::IrlsState;
use crate::method::residual;
use crate::method::side::Host;
use crate::method::update::{ratio, times};
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::each;
use crate::threads::prelude::*;

/// What the rows of V are moved by; all weights are to a maximum of 1.
struct Move<'a, T> {
    /// diag(Q).
    q: &'a [T],
    /// UᵀU.
    g: &'a Mat<T>,
    rule: Rule<'a, T>,
}

enum Rule<'a, T> {
    /// VᵀB and Vᵀ(A + 2λC).
    Published(&'a Mat<T>, &'a Mat<T>),
    /// 4λ·VᵀV.
    Monotone(&'a Mat<T>),
}

/// Rows of V with all that belongs to them.
struct RowsOf<'a, T> {
    rows: Range<usize>,
    v: &'a mut [T],
    p: &'a [T],
    /// A + 2λC, or A + 4λC.
    pull: &'a mut [T],
    r: &'a mut [f64],
}

impl GraphIrls<'_> {
    /// Eq. (29) or the monotone variant; `scale` is the factor that Q has been given.
    pub(super) fn update_v<T: Real, X: Data<T>>(&self, x: &X, state: &mut GraphState<'_, T, X>, scale: f64) {
        let smoothing = state.inner.smoothing();
        let GraphState { inner, lambda, p, sv, vv, small: [g, first, second], scratch, .. } = state;
        let IrlsState { u, side: Host { v, q, r, gram, .. }, .. } = inner;
        let (n, c) = v.shape();
        let pull = T::from_f64(if self.monotone { 4.0 } else { 2.0 } * *lambda * scale);
        x.project(u, sv.as_mut_slice(), p.as_mut_slice(), |Block { rows, p, a: sv, r: kept, .. }| {
            kept.copy_from_slice(p);
            vectorized!({
                for ((sv, p), i) in sv.chunks_exact_mut(c).zip(p.chunks_exact(c)).zip(rows) {
                    sv.iter_mut().zip(p).for_each(|(sv, &p)| *sv = q[i] * p + pull * *sv);
                }
            });
        });
        let rule = if self.monotone {
            first.as_mut_slice().iter_mut().zip(vv.as_slice()).for_each(|(to, &vv)| *to = pull * vv);
            Rule::Monotone(first)
        } else {
            let weighted = gram.weighted(q, v);
            second.as_mut_slice().copy_from_slice(weighted.as_slice());
            let of_u = gram.of(u);
            T::gemm((first.as_mut_slice(), c), whole(second), (of_u.as_slice(), c), (c, c, c), false);
            second.as_mut_slice().copy_from_slice(gram.cross(v, sv).as_slice());
            Rule::Published(first, second)
        };
        g.as_mut_slice().copy_from_slice(gram.of(u).as_slice());
        let by = Move { q, g, rule };
        let rows = rows_per_part(n);
        let parts = v.as_mut_slice().par_chunks_mut(rows * c).zip(p.as_slice().par_chunks(rows * c));
        let parts = parts.zip(sv.as_mut_slice().par_chunks_mut(rows * c)).zip(r.par_chunks_mut(rows));
        let parts = parts.zip(scratch.par_chunks_mut(2 * BLOCK * c)).enumerate();
        each(parts.with_min_len(least_parts(n * c * c)), |(part, ((((v, p), pull), r), scratch))| {
            let blocks = v.chunks_mut(BLOCK * c).zip(p.chunks(BLOCK * c));
            let blocks = blocks.zip(pull.chunks_mut(BLOCK * c)).zip(r.chunks_mut(BLOCK));
            for (start, (((v, p), pull), r)) in (part * rows..).step_by(BLOCK).zip(blocks) {
                let mut block = RowsOf { rows: start..start + r.len(), v, p, pull, r };
                by.apply(&mut block, scratch);
                by.residuals((x, u), &mut block, smoothing, scratch);
            }
        });
    }
}

fn whole<T: Real>(a: &Mat<T>) -> Left<'_, T> {
    Left::Rows((a.as_slice(), a.cols()))
}

impl<T: Real> Move<'_, T> {
    /// Moves the rows.
    fn apply(&self, block: &mut RowsOf<'_, T>, scratch: &mut [T]) {
        let c = self.g.cols();
        let (size, shape) = (block.v.len(), (block.rows.len(), c, c));
        let (den, rest) = scratch.split_at_mut(size);
        let v = Left::Rows((&*block.v, c));
        // B = QVUᵀU.
        T::gemm((&mut *den, c), v, (self.g.as_slice(), c), shape, false);
        for (den, i) in den.chunks_exact_mut(c).zip(block.rows.clone()) {
            den.iter_mut().for_each(|den| *den *= self.q[i]);
        }
        match self.rule {
            Rule::Published(of_b, of_pull) => {
                T::gemm((&mut *block.pull, c), v, (of_b.as_slice(), c), shape, true);
                T::gemm((&mut *den, c), v, (of_pull.as_slice(), c), shape, true);
                vectorized!({
                    for ((v, &num), &den) in block.v.iter_mut().zip(&*block.pull).zip(&*den) {
                        *v = times(*v, ratio(num, den).sqrt());
                    }
                });
            }
            Rule::Monotone(quartic) => {
                let quartics = &mut rest[..size];
                T::gemm((&mut *quartics, c), v, (quartic.as_slice(), c), shape, false);
                vectorized!({
                    let entries = block.v.iter_mut().zip(&*block.pull).zip(&*den).zip(&*quartics);
                    for (((v, &g), &b), &a) in entries {
                        let den = b + length(b, T::from_f64(2.0) * a.sqrt() * g.sqrt());
                        *v = times(*v, ratio(g + g, den).sqrt());
                    }
                });
            }
        }
    }

    /// Residuals of the rows as they are now.
    fn residuals<X: Data<T>>(
        &self,
        (x, u): (&X, &Mat<T>),
        block: &mut RowsOf<'_, T>,
        smoothing: f64,
        scratch: &mut [T],
    ) {
        let RowsOf { rows, v, p, r, .. } = block;
        let scratch = &mut scratch[..v.len()];
        residual::for_block(x, rows.clone(), (u, self.g), (v, p, scratch), |at, square| {
            r[at] = (square + smoothing).sqrt();
        });
    }
}

/// √(a² + b²) of numbers that are not negative, without squares that overflow or vanish.
#[inline(always)]
fn length<T: Real>(a: T, b: T) -> T {
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    let share = if large > T::ZERO { small / large } else { T::ZERO };
    large * (T::ONE + share * share).sqrt()
}
