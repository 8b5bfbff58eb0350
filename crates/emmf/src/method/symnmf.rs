//! Symmetric NMF (Kuang, Park and Ding, SDM 2012): clusters of the graph alone.
//!
//! Objective: ‖S − VVᵀ‖², V ≥ 0, S = D^-½·W·D^-½ of the given graph. One iteration is one of two rules:
//!
//! - the quarter power V ← V ∘ (SV / V(VᵀV))^¼, which never raises the objective;
//! - the half step V ← V ∘ (½ + ½·SV / V(VᵀV)), faster, without a proof.
//!
//! The objective is ‖S‖² − 2·tr(VᵀSV) + ‖VᵀV‖²: no n×n matrix. V starts from the usual start at its best
//! scale √(tr(VᵀSV)/‖VᵀV‖²). X has no part in the iterations: it makes graph and start, and at the end U ≥ 0 with the least
//! ‖X − VUᵀ‖². Cost O(edges·c + nc²), memory V and two more n×c. V stays as it is at the end; `transform` codes new
//! samples by least squares. Takes dense and sparse X.

use super::centroids::best_centroids;
use super::update::{multiply_power, ratio, times};
use super::{Coding, Ending, Method, Outcome, residuals};
use crate::checkpoint::Archive;
use crate::data::{BLOCK, Data, Gram, vectorized};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::each;
use crate::threads::prelude::*;

/// Symmetric NMF.
#[derive(Debug)]
pub struct Symnmf<'a> {
    /// S, normalised.
    pub(crate) graph: &'a Graph,
    /// The half step instead of the quarter power.
    pub(crate) half: bool,
}

/// What changes from iteration to iteration.
pub struct SymnmfState<T> {
    v: Mat<T>,
    /// S·V.
    pull: Mat<T>,
    scratch: Mat<T>,
    gram: Gram<T>,
    objective: f64,
    iteration: usize,
}

impl Symnmf<'_> {
    /// S·V, and with it tr(VᵀSV) and ‖VᵀV‖².
    fn sums<T: Real>(&self, state: &mut SymnmfState<T>) -> (f64, f64) {
        let SymnmfState { v, pull, gram, .. } = state;
        self.graph.dot(v, pull);
        let cross =
            v.as_slice().iter().zip(pull.as_slice()).map(|(v, pull)| v.to_f64() * pull.to_f64()).sum();
        let square = gram.of(v).as_slice().iter().map(|g| g.to_f64().powi(2)).sum();
        (cross, square)
    }

    fn assess<T: Real>(&self, state: &mut SymnmfState<T>) -> Result<()> {
        let (cross, square) = self.sums(state);
        state.objective = self.graph.norm_sq() - 2.0 * cross + square;
        if state.objective.is_finite() { Ok(()) } else { Err(Error::diverged(state.iteration)) }
    }
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for Symnmf<'_> {
    type State = SymnmfState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<SymnmfState<T>> {
        let v = start.factors(x)?.v;
        let (n, c) = v.shape();
        let mut state = SymnmfState {
            v,
            pull: Mat::zeros(n, c),
            scratch: Mat::zeros(n, c),
            gram: Gram::new(c),
            objective: 0.0,
            iteration: 0,
        };
        let (cross, square) = self.sums(&mut state);
        if cross > 0.0 {
            let scale = T::from_f64((cross / square).sqrt());
            state.v.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
        }
        self.assess(&mut state)?;
        Ok(state)
    }

    fn step(&self, _: &X, state: &mut SymnmfState<T>) -> Result<()> {
        state.iteration += 1;
        let SymnmfState { v, pull, scratch, gram, .. } = state;
        let (c, g) = (v.cols(), gram.of(v));
        let rows = v.as_mut_slice().par_chunks_mut(BLOCK * c).zip(pull.as_slice().par_chunks(BLOCK * c));
        let rows = rows.zip(scratch.as_mut_slice().par_chunks_mut(BLOCK * c));
        each(rows, |((v, pull), den)| {
            T::gemm((den, c), Left::Rows((v, c)), (g.as_slice(), c), (v.len() / c, c, c), false);
            if self.half {
                vectorized!(half_step(v, pull, den));
            } else {
                multiply_power(v, pull, den, 0.25);
            }
        });
        self.assess(state)
    }

    fn objective(&self, state: &SymnmfState<T>) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut SymnmfState<T>, archive: &mut Archive) {
        let SymnmfState { v, pull, objective, iteration, .. } = state;
        archive.reals("v", v.as_mut_slice());
        archive.reals("graph-pull", pull.as_mut_slice());
        archive.number("objective", objective);
        archive.count("iteration", iteration);
    }

    fn coefficients<'s>(&self, state: &'s SymnmfState<T>) -> Option<&'s Mat<T>> {
        Some(&state.v)
    }

    fn finish(&self, x: &X, state: SymnmfState<T>, ending: Ending) -> Result<Outcome<T>> {
        let SymnmfState { v, objective, .. } = state;
        let mut factors = Factors { u: best_centroids(x, &v), v };
        Ok(Outcome {
            labels: ending.read(&factors.v, &factors.u)?,
            residuals: residuals(x, &mut factors)?,
            weights: vec![1.0; factors.v.rows()],
            factors,
            objective,
            coding: Coding::LeastSquares,
            extras: Vec::new(),
            layers: None,
        })
    }
}

/// v ← v ∘ (½ + ½·num/den).
#[inline(always)]
fn half_step<T: Real>(v: &mut [T], num: &[T], den: &[T]) {
    let half = T::from_f64(0.5);
    for ((v, &num), &den) in v.iter_mut().zip(num).zip(den) {
        *v = times(*v, half + half * ratio(num, den));
    }
}
