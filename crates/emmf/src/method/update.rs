//! Moving one factor while the other stays: multiplicative updates and HALS.
//!
//! Both factors have the same problem: rows a ≥ 0 that lower ½·a·G·aᵀ − p·aᵀ with a common Gram matrix
//! G. For U it is G = VᵀQV and P = XᵀQV, for V it is G = UᵀU and P = XU (Q cancels row by row). So one
//! file serves both, any block of rows at a time.

use std::ops::Range;

use rayon::prelude::*;

use crate::data::{BLOCK, vectorized};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;

/// A rule that lowers ½·a·G·aᵀ − p·aᵀ for every row a ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    },
}

impl Update {
    /// Moves all rows of `a`, in parallel. `scratch` is as large as `a`.
    pub(super) fn matrix<T: Real>(self, a: &mut Mat<T>, p: &Mat<T>, g: &Mat<T>, scratch: &mut Mat<T>) {
        let size = BLOCK * g.cols();
        let rows = a.as_mut_slice().par_chunks_mut(size).zip(p.as_slice().par_chunks(size));
        let rows = rows.zip(scratch.as_mut_slice().par_chunks_mut(size));
        // A small matrix is done before another thread wakes up.
        rows.with_min_len(8).for_each(|((a, p), scratch)| self.rows(a, p, g, scratch));
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
            Self::Hals { sweeps } => hals_rows(a, p, g, &Coordinates { free: 0..c, sweeps }, scratch),
        }
    }
}

/// What coordinate descent moves.
pub(super) struct Coordinates {
    /// The coordinates; the others stay.
    pub(super) free: Range<usize>,
    /// Times that each is visited.
    pub(super) sweeps: usize,
}

/// Coordinate descent on the rows of `a`. `scratch` has room for a row.
pub(super) fn hals_rows<T: Real>(a: &mut [T], p: &[T], g: &Mat<T>, by: &Coordinates, scratch: &mut [T]) {
    let c = g.cols();
    vectorized(|| {
        for (a, p) in a.chunks_exact_mut(c).zip(p.chunks_exact(c)) {
            hals(a, p, g, by, &mut scratch[..c]);
        }
    });
}

/// a ← a ∘ (p / den)^exponent.
pub(super) fn multiply_power<T: Real>(a: &mut [T], p: &[T], den: &[T], exponent: f64) {
    vectorized(|| {
        if exponent == 1.0 {
            multiply(a, p, den, |ratio| ratio);
        } else if exponent == 0.5 {
            multiply(a, p, den, T::sqrt);
        } else {
            multiply(a, p, den, |ratio| ratio.powf(T::from_f64(exponent)));
        }
    });
}

/// a ← a ∘ power(p / den). 0/0 leaves the entry as it is; what falls below the normal numbers is zero.
#[inline(always)]
fn multiply<T: Real>(a: &mut [T], p: &[T], den: &[T], power: impl Fn(T) -> T) {
    for ((a, &p), &den) in a.iter_mut().zip(p).zip(den) {
        let ratio = if den > T::ZERO { p / den } else { T::ONE };
        let moved = *a * power(ratio);
        *a = if moved < T::TINY { T::ZERO } else { moved };
    }
}

/// Coordinate descent on one row; `slope` holds p − aG while the coordinates change.
#[inline(always)]
fn hals<T: Real>(a: &mut [T], p: &[T], g: &Mat<T>, by: &Coordinates, slope: &mut [T]) {
    slope.copy_from_slice(p);
    for (k, &value) in a.iter().enumerate() {
        subtract(slope, value, g.row(k));
    }
    for _ in 0..by.sweeps {
        for k in by.free.clone() {
            let curvature = g[(k, k)];
            if curvature > T::ZERO {
                let target = a[k] + slope[k] / curvature;
                // What the terms of the slope p − aG leave behind by rounding is nothing: it would make a
                // centroid of it, with coefficients as huge as it is tiny.
                let noise = T::NOISE * (p[k] + p[k] - slope[k]);
                let target = if target * curvature <= noise { T::ZERO } else { target };
                let by = target - a[k];
                if by != T::ZERO {
                    a[k] = target;
                    subtract(slope, by, g.row(k));
                }
            }
        }
    }
}

/// `out` −= `factor`·`row`.
#[inline(always)]
fn subtract<T: Real>(out: &mut [T], factor: T, row: &[T]) {
    for (out, &value) in out.iter_mut().zip(row) {
        *out -= factor * value;
    }
}
