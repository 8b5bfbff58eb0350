//! The walk over blocks of samples inside the loop: the V step of a block, and what the next U step needs of
//! it, while it is in cache. No n×d matrix is kept.

use std::ops::Range;

use super::State;
use super::blocks::rows_of_block;
use super::weighing::Weighing;
use crate::data::{Data, PARTS, least_parts, vectorized};
use crate::loss::entry::sum;
use crate::matrix::Mat;
use crate::method::Penalty;
use crate::method::update::multiply_power;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::each;
use crate::threads::prelude::*;

/// What a walk does with each block.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    /// Moves V.
    pub(super) v_step: bool,
    /// Makes the sums of the next U step, and the objective. They need the weights.
    pub(super) sums: bool,
}

/// How X is cut; depends on its shape only.
#[derive(Clone, Copy)]
pub(in crate::method) struct Grid {
    /// Samples of a block and of a part.
    pub(in crate::method) block: usize,
    part: usize,
    pub(in crate::method) parts: usize,
}

impl Grid {
    /// Where there are more features than samples, there are few parts: each keeps two d×c sums.
    pub(in crate::method) fn new(n: usize, d: usize) -> Self {
        let block = rows_of_block(d);
        let most = (n / d).clamp(4, PARTS);
        let part = n.div_ceil(block).div_ceil(most) * block;
        Self { block, part, parts: n.div_ceil(part) }
    }

    /// Numbers that a part works on: four blocks of entries and two of coefficients.
    pub(super) fn slot(&self, d: usize, c: usize) -> usize {
        self.block * (4 * d + 2 * c)
    }
}

/// What all blocks share.
pub(super) struct Shared<'a, T> {
    pub(super) u: &'a Mat<T>,
    pub(super) ut: &'a Mat<T>,
    /// Uᵀ before this iteration, at which the weights of the V step are taken.
    pub(super) old: &'a Mat<T>,
    pub(super) weighing: &'a Weighing,
    /// Σ of each column of U, where that is the denominator of the V step.
    pub(super) column_sums: Option<&'a [T]>,
    /// Of the V step.
    pub(super) exponent: f64,
    pub(super) penalty: Penalty,
    pub(super) sample_weights: &'a [f64],
}

/// What a part changes.
struct Part<'a, T> {
    v: &'a mut [T],
    squares: &'a mut [f64],
    sums: &'a mut [T],
    of_features: &'a mut [f64],
    scratch: &'a mut [T],
}

/// The block's buffers.
struct Block<'a, T> {
    x: &'a mut [T],
    y: &'a mut [T],
    w: &'a mut [T],
    t: &'a mut [T],
    num: &'a mut [T],
    den: &'a mut [T],
}

/// One walk; the objective, where it is a sum over the rows and asked for.
pub(super) fn walk<T: Real, X: Data<T>>(
    x: &X,
    state: &mut State<T>,
    (exponent, penalty, sample_weights): (f64, Penalty, &[f64]),
    walk: Walk,
) -> f64 {
    let ((n, d), c) = (x.shape(), state.u.cols());
    let grid = state.grid;
    let State { u, ut, old, weighing, v, squares, sums, of_features, scratch, column_sums, .. } = state;
    let column_sums = if column_sums.is_empty() { None } else { Some(&column_sums[..]) };
    let shared = Shared { u, ut, old, weighing, column_sums, exponent, penalty, sample_weights };
    let mut objective = [0.0; PARTS];
    let parts = v.as_mut_slice().par_chunks_mut(grid.part * c).zip(squares.par_chunks_mut(grid.part));
    let parts = parts.zip(sums.par_chunks_mut(2 * c * d)).zip(scratch.par_chunks_mut(grid.slot(d, c)));
    let features = of_features.len() / grid.parts;
    let parts = parts.zip(of_features.par_chunks_mut(features)).zip(&mut objective[..]).enumerate();
    each(parts.with_min_len(least_parts(8 * n * d * c)), |(at, (part, objective))| {
        let ((((v, squares), sums), scratch), of_features) = part;
        let mut part = Part { v, squares, sums, of_features, scratch };
        let start = at * grid.part;
        if walk.sums {
            part.sums.fill(T::ZERO);
        }
        part.of_features.fill(0.0);
        for from in (start..(start + grid.part).min(n)).step_by(grid.block) {
            let rows = from..(from + grid.block).min(start + grid.part).min(n);
            *objective += shared.block(x, rows, start, &mut part, walk);
        }
    });
    objective.iter().sum()
}

impl<T: Real> Shared<'_, T> {
    fn block<X: Data<T>>(
        &self,
        x: &X,
        rows: Range<usize>,
        start: usize,
        part: &mut Part<'_, T>,
        walk: Walk,
    ) -> f64 {
        let ((_, d), c, m) = (x.shape(), self.u.cols(), rows.len());
        let (entries, coefficients) = part.scratch.split_at_mut(part.scratch.len() - 2 * m * c);
        let (x_b, rest) = entries.split_at_mut(m * d);
        let (y, rest) = rest.split_at_mut(m * d);
        let (w, rest) = rest.split_at_mut(m * d);
        let (num, den) = coefficients.split_at_mut(m * c);
        let mut block = Block { x: x_b, y, w, t: &mut rest[..m * d], num, den };
        let local = rows.start - start..rows.end - start;
        let v = &mut part.v[local.start * c..local.end * c];
        x.read(rows.clone(), 0..d, block.x);
        if walk.v_step {
            self.move_v(v, &mut block);
            let empty = rows.clone().zip(v.chunks_exact_mut(c)).filter(|(i, _)| x.norms_sq()[*i] == 0.0);
            empty.for_each(|(_, v)| v.fill(T::ZERO));
        }
        T::gemm((block.y, d), Left::Rows((v, c)), (self.ut.as_slice(), d), (m, c, d), false);
        let s = &self.sample_weights[rows.clone()];
        let objective = self.measure(&block, s, (&mut part.squares[local], part.of_features));
        if walk.sums {
            self.add_sums(v, &mut block, rows, part.sums);
        }
        objective
    }

    /// V ← V ∘ ((W∘X)U / ((W∘Y)U + λ₁ + λ₂V))^p.
    fn move_v(&self, v: &mut [T], block: &mut Block<'_, T>) {
        let ((d, c), m) = (self.u.shape(), v.len() / self.u.cols());
        let Block { x, y, w, t, num, den } = block;
        let fit = |ut: &Mat<T>, y: &mut [T]| {
            T::gemm((y, d), Left::Rows((v, c)), (ut.as_slice(), d), (m, c, d), false);
        };
        let at_old = !(self.weighing.is_fresh() || self.weighing.is_separable());
        if at_old {
            fit(self.old, y);
            self.weigh(x, y, w);
        }
        fit(self.ut, y);
        if !at_old {
            self.weigh(x, y, w);
        }
        vectorized!(apply(x, y, w, t, T::ONE));
        T::gemm((num, c), Left::Rows((t, d)), (self.u.as_slice(), c), (m, d, c), false);
        if let Some(sums) = self.column_sums {
            den.chunks_exact_mut(c).for_each(|den| den.copy_from_slice(sums));
        } else {
            T::gemm((den, c), Left::Rows((w, d)), (self.u.as_slice(), c), (m, d, c), false);
        }
        self.penalty.add_to(den, v);
        multiply_power(v, num, den, self.exponent);
    }

    fn weigh(&self, x: &[T], y: &[T], w: &mut [T]) {
        let d = self.u.rows();
        vectorized!({
            let rows = x.chunks_exact(d).zip(y.chunks_exact(d)).zip(w.chunks_exact_mut(d));
            rows.for_each(|((x, y), w)| self.weighing.weigh(x, y, w));
        });
    }

    /// The block's share of the objective; Σ mᵢⱼ² of each sample, and of each feature where wanted.
    fn measure(
        &self,
        block: &Block<'_, T>,
        s: &[f64],
        (squares, of_features): (&mut [f64], &mut [f64]),
    ) -> f64 {
        let d = self.u.rows();
        let rows = block.x.chunks_exact(d).zip(block.y.chunks_exact(d)).zip(s.iter().zip(squares));
        let mut objective = 0.0;
        vectorized!({
            for ((x, y), (&s, square)) in rows {
                *square = sum(x, y, |x, y| (x - y) * (x - y));
                objective += s * self.weighing.share(x, y);
                if self.weighing.by_feature() {
                    for ((x, y), total) in x.iter().zip(y).zip(&mut *of_features) {
                        let m = x.to_f64() - y.to_f64();
                        *total += if m.is_nan() { 0.0 } else { s * m * m };
                    }
                }
            }
        });
        objective
    }

    /// Adds Vᵀ(W∘X) and Vᵀ(W∘Y), which are c×d, of the block.
    fn add_sums(&self, v: &[T], block: &mut Block<'_, T>, samples: Range<usize>, sums: &mut [T]) {
        let ((d, c), m) = (self.u.shape(), v.len() / self.u.cols());
        let Block { x, y, w, t, .. } = block;
        self.weigh(x, y, w);
        vectorized!({
            let rows = x.chunks_exact(d).zip(y.chunks_exact(d)).zip(w.chunks_exact_mut(d));
            for (((x, y), w), (t, i)) in rows.zip(t.chunks_exact_mut(d).zip(samples)) {
                apply(x, y, w, t, T::from_f64(self.weighing.factor(i, self.sample_weights[i])));
            }
        });
        let (num, den) = sums.split_at_mut(c * d);
        T::gemm((num, d), Left::Columns((v, c)), (t, d), (c, m, d), true);
        if self.column_sums.is_none() {
            T::gemm((den, d), Left::Columns((v, c)), (w, d), (c, m, d), true);
        }
    }
}

/// t = s·w∘x and w = s·w∘y; where x is missing, w is 0 and so is t.
#[inline(always)]
fn apply<T: Real>(x: &[T], y: &[T], w: &mut [T], t: &mut [T], s: T) {
    for (((&x, &y), w), t) in x.iter().zip(y).zip(w).zip(t) {
        let weight = s * *w;
        *t = if weight == T::ZERO { T::ZERO } else { weight * x };
        *w = weight * y;
    }
}
