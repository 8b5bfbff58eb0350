//! The sample-weighted method: Algorithm 1 of the paper for any [`Loss`].
//!
//! Objective: Σ sᵢ·ρ(rᵢ), rᵢ = ‖xᵢ − U·vᵢ‖₂, U, V ≥ 0, sᵢ the user's sample weights. One iteration:
//!
//! - Q from the residuals, Eq. (8) for the entropy loss;
//! - U with G = VᵀQV and P = XᵀQV, Eq. (15);
//! - V with G = UᵀU and P = XU, Eq. (17), from which Q cancels; the residuals come with it.
//!
//! With ½·Σ Qᵢᵢrᵢ² touching a concave objective from above, every iteration lowers the objective, for
//! exponents in (0, 1] and for HALS. Cost O(ndc), two products with X, each reading it once. Memory:
//! U, V, a d×c buffer, vectors of length n and what `Data` keeps. Takes dense and sparse X.

use rayon::prelude::*;

use super::momentum::Momentum;
use super::update::room;
use super::{Coding, Ending, Method, Outcome, Update, residual};
use crate::checkpoint::Archive;
use crate::data::{Block, Centroids, Data, Gram, PARTS, least_parts, vectorized};
use crate::error::{Error, Result};
use crate::init::{Factors, Start};
use crate::loss::{L21, Loss, Stats};
use crate::matrix::Mat;
use crate::real::Real;

/// Multiplications that take as long as the share and the weight of a sample.
const LOGARITHM: usize = 16;

/// Makes a fresh loss for every start.
pub(crate) type MakeLoss<'a> = Box<dyn Fn() -> Box<dyn Loss> + Send + Sync + 'a>;

/// The sample-weighted method.
pub struct Irls<'a> {
    /// The loss.
    pub(crate) loss: MakeLoss<'a>,
    /// How a factor is moved while the other stays.
    pub(crate) update: Update,
    /// ε of the smoothed residual.
    pub(crate) epsilon: f64,
    /// sᵢ, how often each sample counts.
    pub(crate) sample_weights: &'a [f64],
}

/// What changes from iteration to iteration.
pub struct IrlsState<T> {
    pub(super) u: Mat<T>,
    pub(super) v: Mat<T>,
    pub(super) loss: Box<dyn Loss>,
    /// rᵢ, smoothed where the loss asks for it.
    pub(super) r: Vec<f64>,
    /// diag(Q), its largest entry, and the same to a maximum of 1 in the type of the factors.
    pub(super) weights: Vec<f64>,
    largest: f64,
    pub(super) q: Vec<T>,
    pub(super) objective: f64,
    /// XᵀQV.
    p: Mat<T>,
    scratch: Vec<T>,
    pub(super) gram: Gram<T>,
    pub(super) iteration: usize,
    /// Of HALS.
    momentum: Option<Momentum<T>>,
}

/// ε, or what it must be at least for data of this scale: weights 1/r of what fits exactly would be so large that all else
/// vanishes beside it.
pub(super) fn raised(epsilon: f64, scale: f64) -> f64 {
    epsilon.max(1e-20 * scale).max(1e-150)
}

/// ε: the given one, else 1e-10 of the mean norm of the samples.
pub(crate) fn epsilon<T: Real, X: Data<T>>(x: &X, weights: &[f64], given: Option<f64>) -> f64 {
    let norms = || x.norms_sq().iter().map(|norm| norm.sqrt());
    let mean = || norms().zip(weights).map(|(norm, s)| s * norm).sum::<f64>() / weights.iter().sum::<f64>();
    let longest = norms().fold(0.0, f64::max);
    raised(given.unwrap_or_else(|| 1e-10 * mean()), longest)
}

/// What ‖m‖² grows by under the root: ε² where the loss has a pole at 0, else 0.
pub(super) fn smoothing(loss: &dyn Loss, epsilon: f64) -> f64 {
    if loss.smooth() { epsilon * epsilon } else { 0.0 }
}

/// The objective at these (smoothed) residuals of samples with weights `s`, and the largest of `weights`, which become
/// diag(Q).
pub(super) fn weigh(loss: &dyn Loss, r: &[f64], s: &[f64], weights: &mut [f64]) -> (f64, f64) {
    let size = r.len().div_ceil(PARTS);
    let least = least_parts(LOGARITHM * r.len());
    let mut stats = [Stats::default(); PARTS];
    let samples = r.par_chunks(size).zip(s.par_chunks(size));
    let parts = stats.par_iter_mut().zip(samples.clone());
    parts.with_min_len(least).for_each(|(stats, (r, s))| *stats = Stats::of(r, s));
    let stats = stats.into_iter().fold(Stats::default(), Stats::plus);
    let mut found = [(0.0, 0.0); PARTS];
    let parts = found.par_iter_mut().zip(samples).zip(weights.par_chunks_mut(size));
    parts
        .with_min_len(least)
        .for_each(|((found, (r, s)), weights)| *found = loss.weigh(r, s, &stats, weights));
    found.iter().fold((0.0, 0.0), |(sum, largest), part| (sum + part.0, part.1.max(largest)))
}

impl Irls<'_> {
    /// diag(Q) to a maximum of 1: a common factor changes nothing and might overflow. Returns the factor.
    pub(super) fn update_q<T: Real>(state: &mut IrlsState<T>) -> f64 {
        let scale = if state.largest > 0.0 { 1.0 / state.largest } else { 0.0 };
        let pairs = state.q.iter_mut().zip(&state.weights);
        vectorized!(pairs.for_each(|(q, weight)| *q = T::from_f64(scale * weight)));
        scale
    }

    /// Eq. (15)  U ← U ∘ √(XQV / UVᵀQV), or its like.
    pub(super) fn update_u<T: Real, X: Data<T>>(&self, x: &X, state: &mut IrlsState<T>) {
        let IrlsState { u, v, q, p, gram, scratch, .. } = state;
        x.t_dot(q, v, p);
        let g = gram.weighted(q, v);
        self.update.matrix(u, p, g, scratch);
    }

    /// Eq. (17)  V ← V ∘ √(XᵀU / VUᵀU), or its like (not at all where `frozen`), and the residuals after it.
    pub(super) fn update_v<T: Real, X: Data<T>>(
        &self,
        x: &X,
        state: &mut IrlsState<T>,
        frozen: bool,
    ) -> Result<()> {
        let IrlsState { u, v, r, loss, gram, .. } = state;
        let (c, g, by) = (u.cols(), gram.of(u), smoothing(&**loss, self.epsilon));
        let centroids = Centroids::new(u);
        x.project(u, v.as_mut_slice(), r, |Block { rows, p, scratch, a: v, r }| {
            if !frozen {
                self.update.rows(v, p, g, scratch);
                // A zero sample has no use for any centroid, but a rule cannot tell for one that is zero.
                let empty = rows.clone().zip(v.chunks_exact_mut(c)).filter(|(i, _)| x.norms_sq()[*i] == 0.0);
                empty.for_each(|(_, v)| v.fill(T::ZERO));
            }
            residual::for_block(x, rows, (&centroids, g), (v, p, scratch), |at, square| {
                r[at] = (square + by).sqrt();
            });
        });
        self.weigh(state)
    }

    /// The objective and Q at the residuals.
    pub(super) fn weigh<T: Real>(&self, state: &mut IrlsState<T>) -> Result<()> {
        if !state.r.iter().all(|r| r.is_finite()) {
            return Err(Error::diverged(state.iteration));
        }
        (state.objective, state.largest) =
            weigh(&*state.loss, &state.r, self.sample_weights, &mut state.weights);
        Ok(())
    }
}

impl<T: Real, X: Data<T>> Method<T, X> for Irls<'_> {
    type State = IrlsState<T>;

    fn start(&self, x: &X, start: &mut Start<'_, T>) -> Result<IrlsState<T>> {
        let Factors { u, v } = start.factors(x)?;
        let ((n, d), c) = (x.shape(), u.cols());
        let mut state = IrlsState {
            u,
            v,
            loss: Box::new(L21),
            r: vec![0.0; n],
            weights: vec![0.0; n],
            largest: 0.0,
            q: vec![T::ONE; n],
            objective: 0.0,
            p: Mat::zeros(d, c),
            scratch: vec![T::ZERO; room((d, c))],
            gram: Gram::new(c),
            iteration: 0,
            momentum: None,
        };
        let mut loss = (self.loss)();
        loss.calibrate(&mut || {
            self.update_v(x, &mut state, true)?;
            self.step(x, &mut state)?;
            Ok(state.r.iter().copied().zip(self.sample_weights.iter().copied()).collect())
        })?;
        state.loss = loss;
        state.iteration = 0;
        self.update_v(x, &mut state, true)?;
        if matches!(self.update, Update::Hals { extrapolate: true, .. }) && state.loss.descends() {
            state.momentum = Some(Momentum::new(&state.u, &state.v));
        }
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut IrlsState<T>) -> Result<()> {
        state.iteration += 1;
        Self::update_q(state);
        if let Some(mut momentum) = state.momentum.take() {
            let moved = self.extrapolate(x, state, &mut momentum);
            state.momentum = Some(momentum);
            return moved;
        }
        self.update_u(x, state);
        self.update_v(x, state, false)
    }

    fn objective(&self, state: &IrlsState<T>) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut IrlsState<T>, archive: &mut Archive) {
        let IrlsState { u, v, r, weights, largest, objective, iteration, momentum, .. } = state;
        archive.reals("u", u.as_mut_slice());
        archive.reals("v", v.as_mut_slice());
        archive.reals("residuals", r);
        archive.reals("weights", weights);
        archive.number("largest-weight", largest);
        archive.number("objective", objective);
        archive.count("iteration", iteration);
        if let Some(momentum) = momentum {
            momentum.parts(archive);
        }
    }

    fn coefficients<'s>(&self, state: &'s IrlsState<T>) -> Option<&'s Mat<T>> {
        Some(&state.v)
    }

    fn finish(&self, x: &X, state: IrlsState<T>, ending: Ending) -> Result<Outcome<T>> {
        let IrlsState { u, v, loss, mut weights, p, .. } = state;
        drop(p);
        let labels = ending.read(&v, &u);
        let (mut factors, coding) = (Factors { u, v }, Coding::LeastSquares);
        let residuals = coding.finish(x, &mut factors, ending, false);
        let by = smoothing(&*loss, self.epsilon);
        let smoothed: Vec<f64> = residuals.iter().map(|r| (r * r + by).sqrt()).collect();
        let (objective, _) = weigh(&*loss, &smoothed, self.sample_weights, &mut weights);
        Ok(Outcome { factors, labels, residuals, weights, objective, coding, extras: Vec::new() })
    }
}
