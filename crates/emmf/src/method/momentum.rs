//! Extrapolation of HALS (Ang and Gillis 2019): both factors go on a little in the direction in which they last
//! moved, which takes several times fewer iterations.
//!
//! An iteration that does not lower the objective is taken back and made anew without extrapolation, so the
//! objective never rises, whatever the loss. Memory: two d×c and one n×c buffer.

use super::irls::IrlsState;
use super::side::{Shift, gone_on};
use super::{SampleSide, Update};
use crate::checkpoint::Archive;
use crate::error::Result;
use crate::matrix::Mat;
use crate::real::Real;

/// How far the factors go on at first, as a share of their last movement.
const FIRST: f64 = 0.5;
/// How the share grows while the objective falls, how its bound does, and what they shrink by when it rises.
const GROWTH: f64 = 1.05;
const GROWTH_OF_BOUND: f64 = 1.01;
const SHRINKAGE: f64 = 1.5;
/// The least share of the objective that an extrapolated iteration must gain: where the factors stand still, rounding
/// would decide.
const GAIN: f64 = 1e-10;

/// The movement of the factors. V that has gone on is on the sample side.
pub(super) struct Momentum<T> {
    /// The share of their last movement by which the factors go on, 0 where there was none, and its bound.
    share: f64,
    bound: f64,
    /// U as the last update left it, before it went on.
    u: Mat<T>,
    /// U before the iteration.
    back: Mat<T>,
}

impl<T: Real> Momentum<T> {
    pub(super) fn new(u: &Mat<T>, side: &mut impl SampleSide<T>) -> Result<Self> {
        side.shift(Shift::Begin)?;
        Ok(Self { share: 0.0, bound: 1.0, u: u.clone(), back: u.clone() })
    }

    /// What the next iteration needs, see [`Method::parts`](super::Method::parts).
    pub(super) fn parts(&mut self, archive: &mut Archive) {
        archive.number("momentum-share", &mut self.share);
        archive.number("momentum-bound", &mut self.bound);
        archive.reals("momentum-u", self.u.as_mut_slice());
    }

    fn grow(&mut self) {
        self.share = if self.share > 0.0 { (GROWTH * self.share).min(self.bound) } else { FIRST };
        self.bound = (GROWTH_OF_BOUND * self.bound).min(1.0);
    }

    /// One iteration with the weights as they are, extrapolated unless that does not lower the objective.
    pub(super) fn iterate<S: SampleSide<T>>(
        &mut self,
        state: &mut IrlsState<T, S>,
        update: Update,
    ) -> Result<()> {
        let (before, share) = (state.weighed, self.share);
        let moved = self.move_on(state, update, (share, true));
        let falls = |objective: f64| before.objective - objective > GAIN * before.objective.abs();
        if share > 0.0 && (moved.is_err() || !falls(state.weighed.objective)) {
            std::mem::swap(&mut state.u, &mut self.back);
            state.side.shift(Shift::Back)?;
            self.bound = self.share;
            self.share /= SHRINKAGE;
            self.move_on(state, update, (0.0, false))?;
        } else {
            moved?;
            self.grow();
        }
        if !falls(state.weighed.objective) {
            self.share = 0.0;
        }
        state.side.shift(Shift::Extrapolate(self.share))
    }

    /// Starts at the V that has gone on, and lets U go on before V follows.
    fn move_on<S: SampleSide<T>>(
        &mut self,
        state: &mut IrlsState<T, S>,
        update: Update,
        (share, fresh): (f64, bool),
    ) -> Result<()> {
        self.back.as_mut_slice().copy_from_slice(state.u.as_slice());
        state.side.shift(Shift::Swap)?;
        state.update_u(update, fresh)?;
        let share = T::from_f64(share);
        for (u, last) in state.u.as_mut_slice().iter_mut().zip(self.u.as_mut_slice()) {
            let now = *u;
            *u = gone_on(now, *last, share);
            *last = now;
        }
        state.update_v(Some(update))
    }
}
