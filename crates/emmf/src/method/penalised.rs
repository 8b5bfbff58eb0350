//! Least squares with [penalties](super::penalty) on the entries of the factors.
//!
//! Objective: Σ sᵢrᵢ² + 2·(Σ sᵢ·penalty(vᵢ) + penalty(U)), twice that of scikit-learn, as the squared error is. One
//! iteration, with half the objective in mind:
//!
//! - U with G = VᵀSV + λ₂I and P = XᵀSV;
//! - V with G = UᵀU + λ₂I and P = XU; sᵢ cancels from its rows.
//!
//! λ₁ is taken from P by coordinate descent, which puts it exactly where it belongs. The multiplicative rule adds it to the
//! denominator: λ₁a ≤ ½λ₁(a²/a₀ + a₀), with which the bound that the rule minimises still lies above the objective. So
//! both descend. Cost and memory are those without penalties. Where only one factor has a penalty, the objective has no
//! minimiser: the other factor grows.

use super::penalty::Penalties;
use super::update::room;
use super::{Coding, Ending, Method, Outcome, Update, residual};
use crate::checkpoint::Archive;
use crate::data::{Block, Data, Gram};
use crate::error::{Error, Result};
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::opaque::opaque;
use crate::real::Real;

/// Least squares with penalties.
#[derive(Debug)]
pub struct Penalised<'a> {
    pub(crate) update: Update,
    pub(crate) penalties: Penalties,
    /// How often each sample counts.
    pub(crate) sample_weights: &'a [f64],
}

/// What changes from iteration to iteration.
pub struct PenalisedState<T> {
    u: Mat<T>,
    v: Mat<T>,
    /// XᵀSV.
    p: Mat<T>,
    /// The sample weights in the type of the data.
    s: Vec<T>,
    /// ‖xᵢ − U·vᵢ‖² of every sample.
    squares: Vec<f64>,
    scratch: Vec<T>,
    gram: Gram<T>,
    /// G + λ₂I.
    curvature: Mat<T>,
    objective: f64,
    iteration: usize,
}

opaque! { [T] PenalisedState<T>; }

impl Penalised<'_> {
    /// V, where it is to be `moved`, the residuals after it and the objective.
    fn settle<T: Real, X: Data<T>>(&self, x: &X, state: &mut PenalisedState<T>, moved: bool) -> Result<()> {
        let PenalisedState { u, v, squares, gram, curvature, .. } = state;
        let (c, g) = (u.cols(), gram.of(u));
        curvature.as_mut_slice().copy_from_slice(g.as_slice());
        self.penalties.v.ridge(curvature);
        x.project(u, v.as_mut_slice(), squares, |Block { rows, p, scratch, a: v, r }| {
            if moved {
                self.update.rows_with((v, p), curvature, scratch, self.penalties.v);
                // A zero sample has no use for any centroid, but a rule cannot tell for one that is zero.
                let empty = rows.clone().zip(v.chunks_exact_mut(c)).filter(|(i, _)| x.norms_sq()[*i] == 0.0);
                empty.for_each(|(_, v)| v.fill(T::ZERO));
            }
            residual::for_block(x, rows, (u, g), (v, p, scratch), |at, square| r[at] = square);
        });
        x.intact()?;
        let fit: f64 = state.squares.iter().zip(self.sample_weights).map(|(square, s)| s * square).sum();
        state.objective = fit + 2.0 * self.penalties.value(&state.u, &state.v, self.sample_weights);
        if state.objective.is_finite() { Ok(()) } else { Err(Error::diverged(state.iteration)) }
    }

    fn update_u<T: Real, X: Data<T>>(&self, x: &X, state: &mut PenalisedState<T>) {
        let PenalisedState { u, v, p, s, scratch, gram, curvature, .. } = state;
        x.t_dot(s, v, p);
        curvature.as_mut_slice().copy_from_slice(gram.weighted(s, v).as_slice());
        self.penalties.u.ridge(curvature);
        self.update.matrix_with((u, p), curvature, scratch, self.penalties.u);
    }
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for Penalised<'_> {
    type State = PenalisedState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<Self::State> {
        let Factors { u, v } = start.factors(x)?;
        let (d, c) = u.shape();
        let mut state = PenalisedState {
            u,
            v,
            p: Mat::zeros(d, c),
            s: self.sample_weights.iter().map(|&s| T::from_f64(s)).collect(),
            squares: vec![0.0; x.shape().0],
            scratch: vec![T::ZERO; room((d, c))],
            gram: Gram::new(c),
            curvature: Mat::zeros(c, c),
            objective: 0.0,
            iteration: 0,
        };
        self.settle(x, &mut state, false)?;
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut Self::State) -> Result<()> {
        state.iteration += 1;
        self.update_u(x, state);
        self.settle(x, state, true)
    }

    fn objective(&self, state: &Self::State) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut Self::State, archive: &mut Archive) {
        let PenalisedState { u, v, objective, iteration, .. } = state;
        archive.reals("u", u.as_mut_slice());
        archive.reals("v", v.as_mut_slice());
        archive.number("objective", objective);
        archive.count("iteration", iteration);
    }

    fn coefficients<'s>(&self, state: &'s Self::State) -> Option<&'s Mat<T>> {
        Some(&state.v)
    }

    fn finish(&self, x: &X, state: Self::State, ending: Ending) -> Result<Outcome<T>> {
        let PenalisedState { u, v, .. } = state;
        let (labels, coding) = (ending.read(&v, &u)?, Coding::Penalised(self.penalties.v));
        let mut factors = Factors { u, v };
        let residuals = coding.finish(x, &mut factors, &ending, false)?;
        let fit: f64 = residuals.iter().zip(self.sample_weights).map(|(r, s)| s * r * r).sum();
        Ok(Outcome {
            objective: fit + 2.0 * self.penalties.value(&factors.u, &factors.v, self.sample_weights),
            factors,
            labels,
            residuals,
            weights: self.sample_weights.iter().map(|s| 2.0 * s).collect(),
            coding,
            extras: Vec::new(),
            layers: None,
        })
    }
}
