//! Generalized separable NMF (Pan and Gillis, TPAMI 2021).
//!
//! X ≈ P₁·X(K₁,:) + X(:,K₂)·P₂ᵀ with P₁ (n×r₁), P₂ (d×r₂) ≥ 0 and r₁ + r₂ = c: every sample is a mixture of
//! a few samples K₁ and a few features K₂, which are chosen once, from X scaled to equal sums, by successive
//! projection or by a convex problem. In terms of factors U = \[X(K₁,:)ᵀ, P₂\] and V = \[P₁, X(:,K₂)\]. The
//! iterations then lower ‖X − VUᵀ‖² over P₁ and P₂ by coordinate descent, ten sweeps over each. This problem is
//! convex, but what P₁ and P₂ can both explain moves between them slowly, so an iteration starts a little
//! further along the last change (Ang and Gillis 2019), and without that where it would raise the objective.
//! So every iteration lowers the objective, and it tends to the minimum.
//!
//! On noiseless generalized separable data the choice is exact and the fit tends to X. The start plays no part
//! and nothing is random. Components have unrelated scales, so labels compare V_ik·‖U_k‖. Sample weights are
//! counts; samples without weight are not chosen. `transform` keeps the form of V: the coefficients of the
//! chosen features are a sample's own entries in them, the others follow by least squares.
//!
//! Cost: c products with single vectors for the choice, then O(ndc) an iteration. Takes dense and sparse X; no
//! n×n matrix is made, and the convex choice works on at most 320 representative samples and features.

mod bounded;
mod convex;
mod preselect;
mod scaled;
mod spa;

use self::scaled::Scaled;
use self::spa::{Choice, Importance};
use super::hals::{Coordinates, move_rows};
use super::{Coding, Ending, Extra, Method, Outcome, Value, residual};
use crate::checkpoint::Archive;
use crate::data::{BLOCK, Block, Data, Gram, least_parts, vectorized};
use crate::error::{Error, Result};
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Sweeps of coordinate descent over each factor in an iteration.
const SWEEPS: usize = 10;
/// How far an iteration starts along the last change: at first, and what it grows and shrinks by.
const AHEAD: f64 = 0.5;
const GROW: f64 = 1.05;
const SHRINK: f64 = 0.5;
/// Below this it is not worth a try.
const NEAR: f64 = 0.01;
/// The share of the objective that going ahead has to gain.
const GAIN: f64 = 1e-6;

/// Generalized separable NMF.
#[derive(Debug)]
pub struct Gsnmf<'a> {
    /// λ of the convex choice; `None` chooses by successive projection.
    pub(crate) convex: Option<f64>,
    /// How often each sample counts.
    pub(crate) sample_weights: &'a [f64],
}

/// What changes from iteration to iteration.
pub struct GsnmfState<T> {
    here: Factors<T>,
    /// Where the last iteration started, and where the next one will end.
    other: Factors<T>,
    /// How far the next iteration starts along the last change.
    ahead: f64,
    choice: Choice,
    /// ‖xᵢ − U·vᵢ‖².
    r: Vec<f64>,
    objective: f64,
    /// The sample weights in the type of the data.
    q: Vec<T>,
    /// XᵀV, and as large a matrix for any use.
    p: Mat<T>,
    scratch: Mat<T>,
    gram: Gram<T>,
    iteration: usize,
}

impl Gsnmf<'_> {
    fn choose<T: Real, X: Data<T>>(&self, x: &X, c: usize) -> Choice {
        let z = Scaled::new(x, self.sample_weights);
        match self.convex {
            None => spa::choose(&z, c, &Importance::equal(x.shape())),
            Some(lambda) => preselect::choose(&z, c, lambda),
        }
    }

    /// P₂, the last columns of U.
    fn update_u<T: Real, X: Data<T>>(x: &X, state: &mut GsnmfState<T>) {
        let GsnmfState { other: Factors { u, v }, choice, q, p, scratch, gram, .. } = state;
        let (u_rows, c) = u.shape();
        let by = Coordinates::new(choice.samples.len()..c, SWEEPS);
        x.t_dot(q, v, p);
        let g = gram.weighted(q, v);
        let rows = u.as_mut_slice().par_chunks_mut(BLOCK * c).zip(p.as_slice().par_chunks(BLOCK * c));
        let rows = rows.zip(scratch.as_mut_slice().par_chunks_mut(BLOCK * c));
        let least = least_parts(SWEEPS * u_rows * c * c);
        each(rows.with_min_len(least), |((u, p), scratch)| move_rows(u, p, g, &by, scratch));
    }

    /// P₁, the first columns of V (not at all where `frozen`), and the objective after it.
    fn update_v<T: Real, X: Data<T>>(&self, x: &X, state: &mut GsnmfState<T>, frozen: bool) -> Result<f64> {
        let GsnmfState { other: Factors { u, v }, choice, r, gram, .. } = state;
        let g = gram.of(u);
        let by = Coordinates::new(0..choice.samples.len(), SWEEPS);
        x.project(u, v.as_mut_slice(), r, |Block { rows, p, scratch, a: v, r }| {
            if !frozen {
                move_rows(v, p, g, &by, scratch);
            }
            residual::for_block(x, rows, (u, g), (v, p, scratch), |at, square| r[at] = square);
        });
        let objective = self.objective_at(&state.r);
        if objective.is_finite() { Ok(objective) } else { Err(Error::diverged(state.iteration)) }
    }

    /// Σ sᵢrᵢ².
    fn objective_at(&self, squares: &[f64]) -> f64 {
        squares.iter().zip(self.sample_weights).map(|(r, s)| s * r).sum()
    }
}

/// Puts `other` this far beyond `here`, as seen from where it was, but not below zero.
fn go_ahead<T: Real>(other: &mut Mat<T>, here: &Mat<T>, ahead: f64) {
    let ahead = T::from_f64(ahead);
    vectorized!({
        for (other, &here) in other.as_mut_slice().iter_mut().zip(here.as_slice()) {
            let next = here + ahead * (here - *other);
            *other = if next > T::ZERO { next } else { T::ZERO };
        }
    });
}

/// U = [X(K₁,:)ᵀ, 0] and V = [0, X(:,K₂)].
fn chosen<T: Real, X: Data<T>>(x: &X, choice: &Choice) -> Factors<T> {
    let ((n, d), c) = (x.shape(), choice.len());
    let mut factors = Factors { u: Mat::zeros(d, c), v: Mat::zeros(n, c) };
    for (k, &i) in choice.samples.iter().enumerate() {
        x.for_each_of_sample(i, |j, value| factors.u[(j, k)] = value);
    }
    for (k, &j) in (choice.samples.len()..).zip(&choice.features) {
        x.for_each_of_feature(j, |i, value| factors.v[(i, k)] = value);
    }
    factors
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for Gsnmf<'_> {
    type State = GsnmfState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<GsnmfState<T>> {
        let ((n, d), c) = (x.shape(), start.centroids());
        let choice = self.choose(x, c);
        let here = chosen(x, &choice);
        let mut state = GsnmfState {
            other: here.clone(),
            here,
            ahead: AHEAD,
            choice,
            r: vec![0.0; n],
            objective: 0.0,
            q: self.sample_weights.iter().map(|&s| T::from_f64(s)).collect(),
            p: Mat::zeros(d, c),
            scratch: Mat::zeros(d, c),
            gram: Gram::new(c),
            iteration: 0,
        };
        state.objective = self.update_v(x, &mut state, true)?;
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut GsnmfState<T>) -> Result<()> {
        state.iteration += 1;
        let wanted = (1.0 - GAIN) * state.objective;
        let mut objective = f64::INFINITY;
        if state.ahead >= NEAR {
            let GsnmfState { here, other, ahead, .. } = state;
            go_ahead(&mut other.u, &here.u, *ahead);
            go_ahead(&mut other.v, &here.v, *ahead);
            Self::update_u(x, state);
            objective = self.update_v(x, state, false)?;
            state.ahead *= if objective <= wanted { GROW.min(1.0 / state.ahead) } else { SHRINK };
        }
        // What both factors can explain may lie on either side. Only a real gain moves it, not rounding.
        if objective > wanted {
            let GsnmfState { here, other, .. } = state;
            other.u.as_mut_slice().copy_from_slice(here.u.as_slice());
            other.v.as_mut_slice().copy_from_slice(here.v.as_slice());
            Self::update_u(x, state);
            objective = self.update_v(x, state, false)?;
        }
        state.objective = objective;
        std::mem::swap(&mut state.here, &mut state.other);
        Ok(())
    }

    fn objective(&self, state: &GsnmfState<T>) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut GsnmfState<T>, archive: &mut Archive) {
        let GsnmfState { here, other, ahead, objective, iteration, .. } = state;
        archive.reals("u", here.u.as_mut_slice());
        archive.reals("v", here.v.as_mut_slice());
        archive.reals("last-u", other.u.as_mut_slice());
        archive.reals("last-v", other.v.as_mut_slice());
        archive.number("ahead", ahead);
        archive.number("objective", objective);
        archive.count("iteration", iteration);
    }

    fn coefficients<'s>(&self, state: &'s GsnmfState<T>) -> Option<&'s Mat<T>> {
        Some(&state.here.v)
    }

    fn finish(&self, x: &X, state: GsnmfState<T>, ending: Ending) -> Result<Outcome<T>> {
        let GsnmfState { here: mut factors, choice, .. } = state;
        let labels = ending.read(&factors.v, &factors.u)?;
        let coding = Coding::Separable { features: choice.features.clone() };
        let residuals = coding.finish(x, &mut factors, &ending, false)?;
        let squares: Vec<f64> = residuals.iter().map(|r| r * r).collect();
        Ok(Outcome {
            factors,
            labels,
            residuals,
            weights: self.sample_weights.iter().map(|s| 2.0 * s).collect(),
            objective: self.objective_at(&squares),
            coding,
            extras: vec![
                Extra::new("samples", Value::Indices(choice.samples)),
                Extra::new("features", Value::Indices(choice.features)),
            ],
            layers: None,
        })
    }
}
