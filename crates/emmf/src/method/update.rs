//! Moving one factor while the other stays: multiplicative updates and HALS.
//!
//! Both factors have the same problem: rows a ≥ 0 that lower ½·a·G·aᵀ − p·aᵀ with a common Gram matrix
//! G. For U it is G = VᵀQV and P = XᵀQV, for V it is G = UᵀU and P = XU (Q cancels row by row). So one
//! file serves both, any block of rows at a time.

use serde::{Deserialize, Serialize};

use super::hals::{Coordinates, move_rows};
use super::penalty::Penalty;
use crate::cancel::Deadline;
use crate::data::{BLOCK, PARTS, vectorized};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::each;
use crate::threads::prelude::*;

/// Blocks that a thread takes at the least: a small matrix is done before another one wakes up.
const LEAST: usize = 8;

/// Rows of a matrix with so many that are moved one block after the other.
fn part(rows: usize) -> usize {
    rows.div_ceil(PARTS).next_multiple_of(BLOCK).max(LEAST * BLOCK)
}

/// Numbers of scratch that moving all rows of such a matrix takes.
pub(crate) fn room((rows, columns): (usize, usize)) -> usize {
    rows.div_ceil(part(rows)) * BLOCK.min(rows) * columns
}

/// A rule that lowers ½·a·G·aᵀ − p·aᵀ for every row a ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Update {
    /// a ← a ∘ (p / aG)^exponent. Monotone for exponents in (0, 1].
    Multiplicative {
        /// ½ as published for EMMF, 1 for the other methods.
        exponent: f64,
    },
    /// Exact minimisation in one coordinate after the other. Monotone; zeros are not locked.
    Hals {
        /// Times that every coordinate is visited.
        sweeps: usize,
        /// Lets both factors go on in the direction in which they last moved.
        extrapolate: bool,
        /// No more sweeps after this.
        #[serde(skip)]
        deadline: Deadline,
    },
}

impl Update {
    /// Moves all rows of `a`, in parallel. `scratch` has a [`room`], or is as large as `a`.
    pub(crate) fn matrix<T: Real>(self, a: &mut Mat<T>, p: &Mat<T>, g: &Mat<T>, scratch: &mut [T]) {
        over_blocks(a, p, scratch, |a, p, scratch| self.rows(a, p, g, scratch));
    }

    /// The same with a penalty on the entries, whose λ₂ is in the diagonal of G already.
    pub(super) fn matrix_with<T: Real>(
        self,
        (a, p): (&mut Mat<T>, &Mat<T>),
        g: &Mat<T>,
        scratch: &mut [T],
        penalty: Penalty,
    ) {
        over_blocks(a, p, scratch, |a, p, scratch| self.rows_with((a, p), g, scratch, penalty));
    }

    /// Moves the rows of `a` with a penalty on their entries, whose λ₂ is in the diagonal of G already.
    pub(super) fn rows_with<T: Real>(
        self,
        (a, p): (&mut [T], &[T]),
        g: &Mat<T>,
        scratch: &mut [T],
        penalty: Penalty,
    ) {
        let (c, l1) = (g.cols(), penalty.l1);
        match self {
            Self::Multiplicative { exponent } => {
                T::gemm((scratch, c), Left::Rows((a, c)), (g.as_slice(), c), (a.len() / c, c, c), false);
                scratch.iter_mut().for_each(|den| *den += T::from_f64(l1));
                multiply_power(a, p, scratch, exponent);
            }
            Self::Hals { sweeps, deadline, .. } => {
                move_rows(a, p, g, &Coordinates { free: 0..c, l1, sweeps, deadline }, scratch);
            }
        }
    }

    /// Moves the rows of `a`, given the same rows of P and the Gram matrix G. `scratch` is as long as `a`.
    pub(super) fn rows<T: Real>(self, a: &mut [T], p: &[T], g: &Mat<T>, scratch: &mut [T]) {
        let c = g.cols();
        match self {
            Self::Multiplicative { exponent } => {
                let shape = (a.len() / c, c, c);
                T::gemm((scratch, c), Left::Rows((a, c)), (g.as_slice(), c), shape, false);
                multiply_power(a, p, scratch, exponent);
            }
            Self::Hals { sweeps, deadline, .. } => {
                move_rows(a, p, g, &Coordinates { free: 0..c, l1: 0.0, sweeps, deadline }, scratch);
            }
        }
    }
}

/// `work` on every block of rows of `a`, the same rows of P and scratch as large, in parallel.
fn over_blocks<T: Real>(
    a: &mut Mat<T>,
    p: &Mat<T>,
    scratch: &mut [T],
    work: impl Fn(&mut [T], &[T], &mut [T]) + Sync + Send,
) {
    let (rows, block) = (part(a.rows()) * a.cols(), BLOCK * a.cols());
    let parts = a.as_mut_slice().par_chunks_mut(rows).zip(p.as_slice().par_chunks(rows));
    each(parts.zip(scratch.par_chunks_mut(block)), |((a, p), scratch)| {
        for (a, p) in a.chunks_mut(block).zip(p.chunks(block)) {
            work(a, p, &mut scratch[..a.len()]);
        }
    });
}

/// a ← a ∘ (p / den)^exponent.
pub(super) fn multiply_power<T: Real>(a: &mut [T], p: &[T], den: &[T], exponent: f64) {
    vectorized!({
        if exponent == 1.0 {
            multiply(a, p, den, |ratio| ratio);
        } else if exponent == 0.5 {
            multiply(a, p, den, T::sqrt);
        } else {
            multiply(a, p, den, |ratio| ratio.powf(T::from_f64(exponent)));
        }
    });
}

/// a ← a ∘ power(p / den).
#[inline(always)]
fn multiply<T: Real>(a: &mut [T], p: &[T], den: &[T], power: impl Fn(T) -> T) {
    for ((a, &p), &den) in a.iter_mut().zip(p).zip(den) {
        *a = times(*a, power(ratio(p, den)));
    }
}

/// num/den of a multiplicative rule. 0/0 leaves the entry as it is, and so does what is divided by no normal number; no
/// quotient is infinite, since its power need not be.
#[inline(always)]
pub(super) fn ratio<T: Real>(num: T, den: T) -> T {
    let ratio = if den >= T::TINY { num / den } else { T::ONE };
    if ratio > T::MOST { T::MOST } else { ratio }
}

/// An entry moved by a multiplicative rule. Zero stays zero, and what falls below the normal numbers is zero.
#[inline(always)]
pub(super) fn times<T: Real>(entry: T, by: T) -> T {
    let moved = if entry > T::ZERO { entry * by } else { T::ZERO };
    if moved < T::TINY { T::ZERO } else { moved }
}
