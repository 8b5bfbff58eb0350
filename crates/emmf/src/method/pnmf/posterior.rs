//! Coefficients of samples given the distributions of U and τ: the means of the best q(v), sample by sample.
//!
//! For given U and τ the posterior of v is log-concave, so the best product of independent entries is unique,
//! and moving one entry after the other leads to it from anywhere.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::factor::{EXTRA, Move};
use crate::data::{BLOCK, Data, Gram};
use crate::matrix::Mat;
use crate::method::Nnls;
use crate::real::Real;

/// Sweeps at the most, and the change of all means, relative to the largest, that counts as none.
const SWEEPS: usize = 200;
const STILL: f64 = 1e-8;

/// What of the distributions of U, λ and τ coding needs, besides the means of U.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Posterior {
    /// Σⱼ E[U_jk²] of every column.
    pub second: Vec<f64>,
    /// E[λ_k].
    pub rate: Vec<f64>,
    /// E[τ].
    pub precision: f64,
}

impl Posterior {
    /// Means, n×c, and for every row the numbers that a [`Factor`](super::factor::Factor) keeps besides.
    pub(crate) fn code<T: Real, X: Data<T>>(&self, x: &X, u: &Mat<T>) -> (Mat<T>, Vec<f64>) {
        let (n, c, wide) = (x.shape().0, u.cols(), u.cast::<f64>());
        let mut gram = Gram::new(c);
        let gram = gram.of(&wide);
        let nnls = Nnls::new(gram);
        let by = Move { gram, second: &self.second, rate: &self.rate, precision: self.precision };
        let (mut v, mut rest) = (Mat::zeros(n, c), vec![0.0; n * (c + EXTRA)]);
        let blocks = v.as_mut_slice().par_chunks_mut(BLOCK * c).zip(rest.par_chunks_mut(BLOCK * (c + EXTRA)));
        blocks.enumerate().for_each(|(block, (v, rest))| {
            let start = block * BLOCK;
            let p = x.project_exactly(start..start + v.len() / c, &wide);
            let rows = v.chunks_exact_mut(c).zip(rest.chunks_exact_mut(c + EXTRA)).enumerate();
            rows.for_each(|(at, (v, rest))| {
                let p = p.row(at);
                let mean = settle(&by, nnls.solve(p), rest, p);
                v.iter_mut().zip(&mean).for_each(|(v, &mean)| *v = T::from_f64(mean));
                rest[c + 1] = v.iter().zip(p).map(|(v, p)| v.to_f64() * p).sum();
            });
        });
        (v, rest)
    }
}

/// Moves one row until it is still.
fn settle(by: &Move<'_, f64>, mut mean: Vec<f64>, rest: &mut [f64], p: &[f64]) -> Vec<f64> {
    let (mut last, mut slope) = (mean.clone(), vec![0.0; mean.len()]);
    for _ in 0..SWEEPS {
        by.rows(&mut mean, rest, p, &mut slope);
        let largest = mean.iter().copied().fold(0.0, f64::max);
        let changes = mean.iter().zip(&last).map(|(mean, last)| (mean - last).abs());
        if changes.fold(0.0, f64::max) <= STILL * largest {
            break;
        }
        last.copy_from_slice(&mean);
    }
    mean
}
