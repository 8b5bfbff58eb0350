//! The first layer alone, before there are others.

use super::Deep;
use crate::error::Result;
use crate::init::Start;
use crate::method::irls::IrlsState;
use crate::method::side::{SampleSide, Tree, total};
use crate::real::Real;
use crate::spec::StopBy;

/// When the first layer alone is done, as the loop ends a fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alone {
    /// Maximum number of iterations.
    pub(crate) max_iter: usize,
    /// Least relative change; 0 never stops.
    pub(crate) tol: f64,
    /// Of what.
    pub(crate) by: StopBy,
}

impl Deep<'_> {
    /// The first layer, fitted alone unless its start is given or all is about to be loaded. Whoever has no more time, or cancels
    /// after an iteration, gets what there is.
    pub(super) fn first<T: Real, S: SampleSide<T>>(
        &self,
        side: S,
        start: &mut Start<'_, T>,
    ) -> Result<IrlsState<T, S>> {
        let mut flat = self.irls.begin(side, start)?;
        let cancel = start.cancel();
        cancel.check()?;
        let Alone { max_iter, tol, by } = self.alone;
        let is_known = start.given().is_some() || start.resumes();
        let watched = by == StopBy::Coefficients && tol > 0.0 && !is_known;
        if watched {
            moved(&mut flat.side)?;
        }
        for _ in 0..if is_known { 0 } else { max_iter } {
            if cancel.is_cancelled() || cancel.is_late() {
                break;
            }
            let last = flat.weighed.objective;
            self.irls.iterate(&mut flat)?;
            let fallen = (last - flat.weighed.objective).abs() / last.abs().max(f64::MIN_POSITIVE);
            let change = if watched { moved(&mut flat.side)? } else { fallen };
            if tol > 0.0 && change <= tol {
                break;
            }
        }
        Ok(flat)
    }
}

/// How far V has moved since this was asked for last.
pub(super) fn moved<T: Real, S: SampleSide<T>>(side: &mut S) -> Result<f64> {
    Ok(total(&mut Tree::default(), |out| side.movement(out))?.share())
}
