//! Hierarchical alternating least squares (Cichocki and Phan 2009): rows a ≥ 0 that lower ½·a·G·aᵀ − p·aᵀ by
//! exact minimisation in one coordinate after the other.
//!
//! The coordinates of a row must wait for each other, the rows need not: they go side by side, one in each
//! vector lane, and all take coordinate k at once. Cost of a sweep: c² multiplications a row.

use std::ops::Range;

use crate::cancel::Deadline;
use crate::data::vectorized;
use crate::matrix::Mat;
use crate::real::Real;

/// Sweeps after which the time is looked at.
const UNTIMED: usize = 64;

/// What coordinate descent moves.
pub(super) struct Coordinates {
    /// The coordinates; the others stay.
    pub(super) free: Range<usize>,
    /// What is taken from every entry of P: a penalty on the sum of the row.
    pub(super) l1: f64,
    /// Times that each is visited.
    pub(super) sweeps: usize,
    /// No more sweeps after this.
    pub(super) deadline: Deadline,
}

impl Coordinates {
    /// Without a penalty, however long it takes.
    pub(super) fn new(free: Range<usize>, sweeps: usize) -> Self {
        Self { free, l1: 0.0, sweeps, deadline: Deadline::default() }
    }
}

/// Moves the rows of `a`, given the same rows of P. `scratch` has any length; as long as `a` it serves best. A row
/// becomes the same bit for bit whichever rows are beside it.
pub(super) fn move_rows<T: Real>(a: &mut [T], p: &[T], g: &Mat<T>, by: &Coordinates, scratch: &mut [T]) {
    // Entries of the rows and of P side by side.
    let room = scratch.len() / (2 * g.cols());
    vectorized!(match room {
        32.. => side_by_side::<T, 32>(a, p, g, by, scratch),
        8.. => side_by_side::<T, 8>(a, p, g, by, scratch),
        _ => {
            let rows = a.chunks_exact_mut(g.cols()).zip(p.chunks_exact(g.cols()));
            rows.for_each(|(a, p)| descend(a.as_chunks_mut::<1>().0, p.as_chunks::<1>().0, g, by));
        }
    });
}

#[inline(always)]
fn side_by_side<T: Real, const LANES: usize>(
    a: &mut [T],
    p: &[T],
    g: &Mat<T>,
    by: &Coordinates,
    scratch: &mut [T],
) {
    let c = g.cols();
    let (columns, rest) = scratch.as_chunks_mut::<LANES>().0.split_at_mut(c);
    for (a, p) in a.chunks_mut(LANES * c).zip(p.chunks(LANES * c)) {
        gather(a, columns);
        gather(p, &mut rest[..c]);
        descend(columns, &rest[..c], g, by);
        for (lane, a) in a.chunks_exact_mut(c).enumerate() {
            a.iter_mut().zip(&*columns).for_each(|(a, column)| *a = column[lane]);
        }
    }
}

/// The rows side by side; lanes without a row are zero.
#[inline(always)]
fn gather<T: Real, const LANES: usize>(rows: &[T], columns: &mut [[T; LANES]]) {
    columns.fill([T::ZERO; LANES]);
    for (lane, row) in rows.chunks_exact(columns.len()).enumerate() {
        columns.iter_mut().zip(row).for_each(|(column, &value)| column[lane] = value);
    }
}

#[inline(always)]
fn descend<T: Real, const LANES: usize>(
    a: &mut [[T; LANES]],
    p: &[[T; LANES]],
    g: &Mat<T>,
    by: &Coordinates,
) {
    let l1 = T::from_f64(by.l1);
    for sweep in 1..=by.sweeps {
        for k in by.free.clone() {
            let curvature = g[(k, k)];
            // The inverse of a smaller one is infinite.
            if curvature >= T::TINY {
                let p = p[k].map(|p| p - l1);
                let mut slope = p;
                for (a, &g) in a.iter().zip(g.row(k)) {
                    slope.iter_mut().zip(a).for_each(|(slope, &a)| *slope -= a * g);
                }
                let inverse = T::ONE / curvature;
                for lane in 0..LANES {
                    let (slope, p) = (slope[lane], p[lane]);
                    let target = a[k][lane] + slope * inverse;
                    // What the terms of the slope p − aG leave behind by rounding is nothing: it would make a
                    // centroid of it, with coefficients as huge as it is tiny.
                    let noise = T::NOISE * (p + p - slope);
                    // With a penalty p may be negative.
                    let noise = if noise > T::ZERO { noise } else { T::ZERO };
                    a[k][lane] = if target * curvature <= noise { T::ZERO } else { target };
                }
            }
        }
        if sweep.is_multiple_of(UNTIMED) && by.deadline.is_over() {
            break;
        }
    }
}
