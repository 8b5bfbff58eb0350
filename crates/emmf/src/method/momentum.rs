//! Extrapolation of HALS (Ang and Gillis 2019): both factors go on a little in the direction in which they last
//! moved, which takes several times fewer iterations.
//!
//! An iteration that does not lower the objective is taken back and made anew without extrapolation, so the
//! objective never rises, whatever the loss. Memory: two d×c and one n×c buffer.

use rayon::prelude::*;

use super::Irls;
use super::irls::IrlsState;
use crate::checkpoint::Archive;
use crate::data::Data;
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

/// Entries of V that one thread takes at a time.
const CHUNK: usize = 1 << 14;

/// The movement of the factors.
pub(super) struct Momentum<T> {
    /// The share of their last movement by which the factors go on, 0 where there was none, and its bound.
    share: f64,
    bound: f64,
    /// U as the last update left it, before it went on.
    u: Mat<T>,
    /// V gone on from where it is.
    v: Mat<T>,
    /// U before the iteration.
    back: Mat<T>,
}

impl<T: Real> Momentum<T> {
    pub(super) fn new(u: &Mat<T>, v: &Mat<T>) -> Self {
        Self { share: 0.0, bound: 1.0, u: u.clone(), v: v.clone(), back: u.clone() }
    }

    /// What the next iteration needs, see [`Method::parts`](super::Method::parts).
    pub(super) fn parts(&mut self, archive: &mut Archive) {
        archive.number("momentum-share", &mut self.share);
        archive.number("momentum-bound", &mut self.bound);
        archive.reals("momentum-u", self.u.as_mut_slice());
        archive.reals("momentum-v", self.v.as_mut_slice());
    }

    fn grow(&mut self) {
        self.share = if self.share > 0.0 { (GROWTH * self.share).min(self.bound) } else { FIRST };
        self.bound = (GROWTH_OF_BOUND * self.bound).min(1.0);
    }

    /// Returns to where the iteration began.
    fn take_back(&mut self, state: &mut IrlsState<T>) {
        std::mem::swap(&mut state.u, &mut self.back);
        std::mem::swap(&mut state.v, &mut self.v);
        self.v.as_mut_slice().copy_from_slice(state.v.as_slice());
        self.bound = self.share;
        self.share /= SHRINKAGE;
    }

    /// V goes on; the buffer holds where it came from.
    fn go_on(&mut self, v: &Mat<T>) {
        let share = T::from_f64(self.share);
        let chunks = self.v.as_mut_slice().par_chunks_mut(CHUNK).zip(v.as_slice().par_chunks(CHUNK));
        chunks.for_each(|(last, v)| {
            last.iter_mut().zip(v).for_each(|(last, &v)| *last = gone_on(v, *last, share));
        });
    }
}

/// The entry after its movement from `last` to `now` went on by a share.
#[inline(always)]
fn gone_on<T: Real>(now: T, last: T, share: T) -> T {
    let next = now + share * (now - last);
    if next < T::TINY { T::ZERO } else { next }
}

impl Irls<'_> {
    /// One iteration with the weights as they are, extrapolated unless that does not lower the objective.
    pub(super) fn extrapolate<T: Real, X: Data<T>>(
        &self,
        x: &X,
        state: &mut IrlsState<T>,
        momentum: &mut Momentum<T>,
    ) -> Result<()> {
        let (before, share) = (state.objective, momentum.share);
        let moved = self.move_on(x, state, momentum, share);
        let falls = |objective: f64| before - objective > GAIN * before.abs();
        if share > 0.0 && (moved.is_err() || !falls(state.objective)) {
            momentum.take_back(state);
            self.move_on(x, state, momentum, 0.0)?;
        } else {
            moved?;
            momentum.grow();
        }
        if !falls(state.objective) {
            momentum.share = 0.0;
        }
        momentum.go_on(&state.v);
        Ok(())
    }

    /// Starts at the V that has gone on, and lets U go on before V follows.
    fn move_on<T: Real, X: Data<T>>(
        &self,
        x: &X,
        state: &mut IrlsState<T>,
        momentum: &mut Momentum<T>,
        share: f64,
    ) -> Result<()> {
        momentum.back.as_mut_slice().copy_from_slice(state.u.as_slice());
        std::mem::swap(&mut state.v, &mut momentum.v);
        self.update_u(x, state);
        let share = T::from_f64(share);
        for (u, last) in state.u.as_mut_slice().iter_mut().zip(momentum.u.as_mut_slice()) {
            let now = *u;
            *u = gone_on(now, *last, share);
            *last = now;
        }
        self.update_v(x, state, false)
    }
}
