//! Coefficients of samples given the distributions of U and τ: the means of the best q(v), sample by sample.
//!
//! For given U and τ the posterior of v is log-concave, so the best product of independent entries is unique,
//! and moving one entry after the other leads to it from anywhere.

use serde::{Deserialize, Serialize};

use super::factor::{EXTRA, Move};
use crate::cancel::Cancel;
use crate::data::{BLOCK, Data, Exact};
use crate::error::Result;
use crate::matrix::Mat;
use crate::method::Normal;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Maximum number of sweeps, and the change of all means, relative to the largest, that counts as none.
const SWEEPS: usize = 200;
const STILL: f64 = 1e-8;

/// What of the distributions of U, λ and τ coding needs, besides the means of U.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Posterior {
    /// Σⱼ E(U_jk²) of every column.
    pub second: Vec<f64>,
    /// E(λ_k).
    pub rate: Vec<f64>,
    /// E(τ).
    pub precision: f64,
}

impl Posterior {
    /// Means, n×c, and for every row the numbers that a [`Factor`](super::factor::Factor) keeps besides.
    pub(crate) fn code<T: Real, X: Data<T>>(
        &self,
        x: &X,
        (u, Normal { gram, nnls }): (&Mat<T>, &Normal),
        cancel: &Cancel,
    ) -> Result<(Mat<T>, Vec<f64>)> {
        let (n, c, exact) = (x.shape().0, u.cols(), Exact::new(x, u));
        let by = Move { gram, second: &self.second, rate: &self.rate, precision: self.precision };
        let (mut v, mut rest) = (Mat::zeros(n, c), vec![0.0; n * (c + EXTRA)]);
        let blocks = v.as_mut_slice().par_chunks_mut(BLOCK * c).zip(rest.par_chunks_mut(BLOCK * (c + EXTRA)));
        each(blocks.enumerate(), |(block, (v, rest))| {
            if cancel.is_cancelled() {
                return;
            }
            let start = block * BLOCK;
            let (rows, mut p, mut starts) = (v.len() / c, vec![0.0; v.len()], vec![0.0; v.len()]);
            x.project_exactly(start..start + rows, &exact, &mut p, &mut Vec::new());
            nnls.solve_rows(&p, &mut starts, &mut nnls.room(rows));
            let means = settle(&by, starts, rest, &p);
            v.iter_mut().zip(&means).for_each(|(v, &mean)| *v = T::from_f64(mean));
            let rows = v.chunks_exact(c).zip(rest.chunks_exact_mut(c + EXTRA)).zip(p.chunks_exact(c));
            rows.for_each(|((v, rest), p)| {
                rest[c + 1] = v.iter().zip(p).map(|(v, p)| v.to_f64() * p).sum();
            });
        });
        cancel.check()?;
        Ok((v, rest))
    }
}

/// Moves each row of a block until it is still, whatever the others do. `rest` becomes what belongs to the means
/// that are returned.
fn settle(by: &Move<'_, f64>, starts: Vec<f64>, rest: &mut [f64], p: &[f64]) -> Vec<f64> {
    let c = by.gram.cols();
    let mut means = starts.clone();
    // The rows that still move, packed.
    let mut moving: Vec<usize> = (0..means.len() / c).collect();
    let (mut mean, mut other, mut p, mut last) = (starts.clone(), rest.to_vec(), p.to_vec(), starts);
    let mut slope = vec![0.0; mean.len()];
    for sweep in 1..=SWEEPS {
        let size = moving.len();
        by.rows(
            &mut mean[..size * c],
            &mut other[..size * (c + EXTRA)],
            &p[..size * c],
            &mut slope[..size * c],
        );
        let mut kept = 0;
        for at in 0..size {
            let (row, others) = (at * c..(at + 1) * c, at * (c + EXTRA)..(at + 1) * (c + EXTRA));
            if sweep == SWEEPS || is_still(&mean[row.clone()], &last[row.clone()]) {
                let i = moving[at];
                means[i * c..(i + 1) * c].copy_from_slice(&mean[row]);
                rest[i * (c + EXTRA)..(i + 1) * (c + EXTRA)].copy_from_slice(&other[others]);
            } else {
                mean.copy_within(row.clone(), kept * c);
                p.copy_within(row, kept * c);
                other.copy_within(others, kept * (c + EXTRA));
                moving[kept] = moving[at];
                kept += 1;
            }
        }
        moving.truncate(kept);
        last[..kept * c].copy_from_slice(&mean[..kept * c]);
        if moving.is_empty() {
            break;
        }
    }
    means
}

fn is_still(mean: &[f64], last: &[f64]) -> bool {
    let largest = mean.iter().copied().fold(0.0, f64::max);
    let changes = mean.iter().zip(last).map(|(mean, last)| (mean - last).abs());
    changes.fold(0.0, f64::max) <= STILL * largest
}
