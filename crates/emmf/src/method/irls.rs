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
//! U, V, one d×c buffer, vectors of length n and a few blocks of rows. Takes dense and sparse X.

use super::{Method, Update, residual_sq};
use crate::data::{Block, Data, Gram, vectorized};
use crate::error::{Error, Result};
use crate::init::Factors;
use crate::loss::{L21, Loss, Stats};
use crate::matrix::Mat;
use crate::real::Real;

/// Makes a fresh loss for every start.
pub(crate) type MakeLoss = Box<dyn Fn() -> Box<dyn Loss> + Send + Sync>;

/// The sample-weighted method.
pub struct Irls {
    /// The loss.
    pub(crate) loss: MakeLoss,
    /// How a factor is moved while the other stays.
    pub(crate) update: Update,
    /// ε of the smoothed residual.
    pub(crate) epsilon: f64,
    /// sᵢ, how often each sample counts.
    pub(crate) sample_weights: Vec<f64>,
}

/// What changes from iteration to iteration.
pub struct IrlsState<T> {
    u: Mat<T>,
    v: Mat<T>,
    loss: Box<dyn Loss>,
    /// rᵢ, smoothed where the loss asks for it, and their sums.
    r: Vec<f64>,
    stats: Stats,
    /// diag(Q), scaled to a maximum of 1: a common factor changes nothing and might overflow.
    q: Vec<T>,
    /// XᵀQV.
    p: Mat<T>,
    /// As large as `p`.
    scratch: Mat<T>,
    gram: Gram<T>,
    iteration: usize,
}

impl<T> IrlsState<T> {
    /// The factors and the loss with its scale.
    pub(crate) fn into_parts(self) -> (Factors<T>, Box<dyn Loss>) {
        (Factors { u: self.u, v: self.v }, self.loss)
    }
}

impl Irls {
    /// Qᵢᵢ for every residual.
    pub(crate) fn weights(&self, loss: &dyn Loss, r: &[f64]) -> Vec<f64> {
        let stats = Stats::of(r, &self.sample_weights);
        r.iter().zip(&self.sample_weights).map(|(&r, &s)| s * loss.weight(r, &stats)).collect()
    }

    /// √(‖m‖² + ε²) where the loss has a pole at 0, else ‖m‖.
    pub(crate) fn smoothed(&self, loss: &dyn Loss, residual_sq: f64) -> f64 {
        let by = if loss.smooth() { self.epsilon * self.epsilon } else { 0.0 };
        (residual_sq + by).sqrt()
    }

    /// The objective at these (smoothed) residuals.
    pub(crate) fn value(&self, loss: &dyn Loss, r: &[f64]) -> f64 {
        let stats = Stats::of(r, &self.sample_weights);
        r.iter().zip(&self.sample_weights).map(|(&r, &s)| s * loss.rho(r, &stats)).sum()
    }

    fn update_q<T: Real>(&self, state: &mut IrlsState<T>) {
        let (loss, stats) = (&*state.loss, state.stats);
        let weight = |(&r, &s): (&f64, &f64)| s * loss.weight(r, &stats);
        let samples = || state.r.iter().zip(&self.sample_weights);
        let largest = samples().map(weight).fold(0.0, f64::max);
        let scale = if largest > 0.0 { 1.0 / largest } else { 0.0 };
        state.q.iter_mut().zip(samples()).for_each(|(q, sample)| *q = T::from_f64(scale * weight(sample)));
    }

    /// Eq. (15)  U ← U ∘ √(XQV / UVᵀQV), or its like.
    fn update_u<T: Real, X: Data<T>>(&self, x: &X, state: &mut IrlsState<T>) {
        let IrlsState { u, v, q, p, gram, scratch, .. } = state;
        x.t_dot(q, v, p);
        let g = gram.weighted(q, v);
        self.update.matrix(u, p, g, scratch);
    }

    /// Eq. (17)  V ← V ∘ √(XᵀU / VUᵀU), or its like (not at all where `frozen`), and the residuals after it.
    fn update_v<T: Real, X: Data<T>>(&self, x: &X, state: &mut IrlsState<T>, frozen: bool) -> Result<()> {
        let IrlsState { u, v, r, loss, gram, .. } = state;
        let (c, g) = (u.cols(), gram.of(u));
        x.project(u, v.as_mut_slice(), r, |Block { rows, p, scratch, a: v, r }| {
            if !frozen {
                self.update.rows(v, p, g, scratch);
                // A zero sample has no use for any centroid, but a rule cannot tell for one that is zero.
                let empty = rows.clone().zip(v.chunks_exact_mut(c)).filter(|(i, _)| x.norms_sq()[*i] == 0.0);
                empty.for_each(|(_, v)| v.fill(T::ZERO));
            }
            T::gemm((scratch, c), (v, c), (g.as_slice(), c), (rows.len(), c, c), false);
            vectorized(|| {
                for (at, i) in rows.enumerate() {
                    let row = at * c..(at + 1) * c;
                    let terms = (&v[row.clone()], &p[row.clone()], &scratch[row]);
                    r[at] = self.smoothed(&**loss, residual_sq(x, i, u, terms));
                }
            });
        });
        state.stats = Stats::of(&state.r, &self.sample_weights);
        if state.r.iter().all(|r| r.is_finite()) {
            Ok(())
        } else {
            Err(Error::Diverged { iteration: state.iteration })
        }
    }
}

impl<T: Real, X: Data<T>> Method<T, X> for Irls {
    type State = IrlsState<T>;

    fn start(&self, x: &X, init: Factors<T>) -> Result<IrlsState<T>> {
        let ((n, d), c) = (x.shape(), init.u.cols());
        let mut state = IrlsState {
            u: init.u,
            v: init.v,
            loss: Box::new(L21),
            r: vec![0.0; n],
            stats: Stats::default(),
            q: vec![T::ONE; n],
            p: Mat::zeros(d, c),
            scratch: Mat::zeros(d, c),
            gram: Gram::new(c),
            iteration: 0,
        };
        self.update_v(x, &mut state, true)?;
        let mut loss = (self.loss)();
        loss.calibrate(&mut || {
            self.step(x, &mut state)?;
            Ok(state.r.iter().copied().zip(self.sample_weights.iter().copied()).collect())
        })?;
        state.loss = loss;
        state.iteration = 0;
        self.update_v(x, &mut state, true)?;
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut IrlsState<T>) -> Result<()> {
        state.iteration += 1;
        self.update_q(state);
        self.update_u(x, state);
        self.update_v(x, state, false)
    }

    fn objective(&self, state: &IrlsState<T>) -> f64 {
        let share = |(&r, &s): (&f64, &f64)| s * state.loss.rho(r, &state.stats);
        state.r.iter().zip(&self.sample_weights).map(share).sum()
    }
}
