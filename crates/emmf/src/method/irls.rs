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
//! U, V, a d×c buffer, vectors of length n and what `Data` keeps. Samples, V, residuals and weights are wherever the
//! [`SampleSide`] has them: this file knows U and sums.

use super::momentum::Momentum;
use super::side::{Column, Finish, Host, Lengths, Pull, Sweep, Tree, Weighed, archive_column, total};
use super::update::room;
use super::{Coding, Ending, Method, Outcome, SampleSide, Update};
use crate::checkpoint::Archive;
use crate::data::{Data, Gram};
use crate::error::{Error, Result};
use crate::init::{Factors, Start};
use crate::loss::{L21, Loss, Stats};
use crate::matrix::Mat;
use crate::real::Real;

/// Makes a fresh loss for every start.
pub(crate) type MakeLoss<'a> = Box<dyn Fn() -> Box<dyn Loss> + Send + Sync + 'a>;

/// The sample-weighted method.
pub struct Irls<'a> {
    /// The loss.
    pub(crate) loss: MakeLoss<'a>,
    /// How a factor is moved while the other stays.
    pub(crate) update: Update,
    /// ε of the smoothed residual, where it is given.
    pub(crate) epsilon: Option<f64>,
}

/// What changes from iteration to iteration, besides what is on the sample side.
pub struct IrlsState<T, S> {
    pub(super) u: Mat<T>,
    pub(super) side: S,
    pub(super) loss: Box<dyn Loss>,
    epsilon: f64,
    pub(super) weighed: Weighed,
    scratch: Vec<T>,
    gram: Gram<T>,
    pub(super) iteration: usize,
    /// Of HALS.
    momentum: Option<Momentum<T>>,
    stats: Tree<Stats>,
    weighing: Tree<Weighed>,
    pull: Tree<Pull<T>>,
}

/// ε, or what it must be at least for data of this scale: weights 1/r of what fits exactly would be so large that all else
/// vanishes beside it.
pub(super) fn raised(epsilon: f64, scale: f64) -> f64 {
    epsilon.max(1e-20 * scale).max(1e-150)
}

/// ε: the given one, else 1e-10 of the mean norm of the samples.
pub(super) fn epsilon(lengths: &Lengths, given: Option<f64>) -> f64 {
    raised(given.unwrap_or_else(|| 1e-10 * (lengths.sum / lengths.n)), lengths.longest)
}

/// What ‖m‖² grows by under the root: ε² where the loss has a pole at 0, else 0.
pub(super) fn smoothing(loss: &dyn Loss, epsilon: f64) -> f64 {
    if loss.smooth() { epsilon * epsilon } else { 0.0 }
}

impl<T: Real, S: SampleSide<T>> IrlsState<T, S> {
    pub(super) fn smoothing(&self) -> f64 {
        smoothing(&*self.loss, self.epsilon)
    }

    /// ε.
    pub(super) fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The factor that brings diag(Q) to a maximum of 1: it changes nothing, but what is larger might overflow.
    pub(super) fn scale(&self) -> f64 {
        if self.weighed.largest > 0.0 { 1.0 / self.weighed.largest } else { 0.0 }
    }

    /// Eq. (15)  U ← U ∘ √(XQV / UVᵀQV), or its like, with the Q of the residuals where it is to be `fresh`.
    pub(super) fn update_u(&mut self, update: Update, fresh: bool) -> Result<()> {
        let scale = fresh.then(|| self.scale());
        self.pull.clear();
        self.side.pull(scale, &mut self.pull)?;
        if let Some(Pull { p, g }) = self.pull.total() {
            update.matrix(&mut self.u, p, g, &mut self.scratch);
        }
        Ok(())
    }

    /// Eq. (17)  V ← V ∘ √(XᵀU / VUᵀU), or its like, unless it stays; the residuals after it, the objective and Q.
    pub(super) fn update_v(&mut self, update: Option<Update>) -> Result<()> {
        let sweep = Sweep { update, smoothing: self.smoothing() };
        let Self { u, side, gram, stats, .. } = self;
        let stats = total(stats, |out| side.sweep(u, gram.of(u), &sweep, out))?;
        self.weigh(&stats)
    }

    /// The objective and Q at the residuals.
    pub(super) fn weigh(&mut self, stats: &Stats) -> Result<()> {
        if !stats.sum.is_finite() {
            return Err(Error::diverged(self.iteration));
        }
        let Self { side, loss, weighing, .. } = self;
        self.weighed = total(weighing, |out| side.weigh(&**loss, stats, out))?;
        Ok(())
    }
}

impl<T: Real, X: Data<T>> IrlsState<T, Host<'_, T, X>> {
    /// The objective and Q at residuals that were made here.
    pub(super) fn weigh_own(&mut self) -> Result<()> {
        let Self { side, stats, .. } = self;
        let stats = total(stats, |out| {
            side.stats(out);
            Ok(())
        })?;
        self.weigh(&stats)
    }
}

impl Irls<'_> {
    /// The state before the first iteration.
    pub(super) fn begin<T: Real, S: SampleSide<T>>(
        &self,
        mut side: S,
        start: &mut Start<'_, T>,
    ) -> Result<IrlsState<T, S>> {
        let lengths = total(&mut Tree::default(), |out| side.lengths(out))?;
        let u = side.start(start)?;
        let (d, c) = u.shape();
        let mut state = IrlsState {
            u,
            side,
            loss: Box::new(L21),
            epsilon: epsilon(&lengths, self.epsilon),
            weighed: Weighed::default(),
            scratch: vec![T::ZERO; room((d, c))],
            gram: Gram::new(c),
            iteration: 0,
            momentum: None,
            stats: Tree::default(),
            weighing: Tree::default(),
            pull: Tree::default(),
        };
        let mut loss = (self.loss)();
        loss.calibrate(&mut || {
            state.update_v(None)?;
            self.iterate(&mut state)?;
            let residuals = state.side.column(Column::Residuals)?;
            Ok(residuals.into_iter().zip(state.side.column(Column::SampleWeights)?).collect())
        })?;
        state.loss = loss;
        state.iteration = 0;
        state.update_v(None)?;
        if matches!(self.update, Update::Hals { extrapolate: true, .. }) && state.loss.descends() {
            state.momentum = Some(Momentum::new(&state.u, &mut state.side)?);
        }
        Ok(state)
    }

    /// One iteration.
    pub(super) fn iterate<T: Real, S: SampleSide<T>>(&self, state: &mut IrlsState<T, S>) -> Result<()> {
        state.iteration += 1;
        if let Some(mut momentum) = state.momentum.take() {
            let moved = momentum.iterate(state, self.update);
            state.momentum = Some(momentum);
            return moved;
        }
        state.update_u(self.update, true)?;
        state.update_v(Some(self.update))
    }

    /// See [`Method::parts`].
    pub(super) fn archive<T: Real, S: SampleSide<T>>(state: &mut IrlsState<T, S>, archive: &mut Archive) {
        let IrlsState { u, side, weighed, iteration, momentum, .. } = state;
        archive.reals("u", u.as_mut_slice());
        let ahead = momentum.as_ref().map(|_| ("momentum-v", Column::Ahead));
        let columns =
            [("v", Column::Coefficients), ("residuals", Column::Residuals), ("weights", Column::Weights)];
        columns.into_iter().chain(ahead).for_each(|column| archive_column(&mut *side, column, archive));
        archive.number("largest-weight", &mut weighed.largest);
        archive.number("objective", &mut weighed.objective);
        archive.count("iteration", iteration);
        if let Some(momentum) = momentum {
            momentum.parts(archive);
        }
    }
}

impl<'x, T: Real, X: SampleSide<T> + ?Sized + 'x> Method<'x, T, X> for Irls<'_> {
    type State = IrlsState<T, Box<dyn SampleSide<T> + 'x>>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<Self::State> {
        self.begin(x.another()?, start)
    }

    fn step(&self, _: &X, state: &mut Self::State) -> Result<()> {
        self.iterate(state)
    }

    fn objective(&self, state: &Self::State) -> f64 {
        state.weighed.objective
    }

    fn parts(&self, state: &mut Self::State, archive: &mut Archive) {
        Self::archive(state, archive);
    }

    fn coefficients<'s>(&self, _: &'s Self::State) -> Option<&'s Mat<T>> {
        None
    }

    fn movement(&self, state: &mut Self::State) -> Result<Option<f64>> {
        Ok(Some(total(&mut Tree::default(), |out| state.side.movement(out))?.share()))
    }

    fn finish(&self, _: &X, state: Self::State, ending: Ending) -> Result<Outcome<T>> {
        let smoothing = state.smoothing();
        let IrlsState { u, mut side, loss, mut stats, mut weighing, pull, momentum, .. } = state;
        drop((pull, momentum));
        let finish = Finish { smoothing, ..Finish::of(&ending) };
        let stats = total(&mut stats, |out| side.finish(&u, &finish, out))?;
        let Weighed { objective, .. } = total(&mut weighing, |out| side.weigh(&*loss, &stats, out))?;
        let tall = side.into_tall()?;
        let labels = ending.labels_of(tall.labels, &tall.v, &u)?;
        Ok(Outcome {
            factors: Factors { u, v: tall.v },
            labels,
            residuals: tall.residuals,
            weights: tall.weights,
            objective,
            coding: Coding::LeastSquares,
            extras: Vec::new(),
            layers: None,
        })
    }
}
