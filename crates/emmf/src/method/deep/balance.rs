//! What makes the objective one function: the scales of the losses, and λ.

use super::{Deep, DeepState, Sight};
use crate::checkpoint::Archive;
use crate::error::Result;
use crate::loss::LossSpec;
use crate::method::side::{Column, SampleSide};
use crate::real::Real;

/// A layer that fits this many times better than the worst counts as one that fits so much better: λ would leave nothing to the
/// others.
const BEST: f64 = 1e6;

/// The scales of those losses that have one, and λ of every layer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Balance {
    scales: Vec<f64>,
    lambda: Vec<f64>,
}

impl<T, S> DeepState<T, S> {
    fn balance(&self) -> Balance {
        let mut losses: Vec<LossSpec> = self.sights.iter().filter_map(|sight| sight.loss.spec()).collect();
        Balance {
            scales: losses.iter_mut().filter_map(LossSpec::scale_mut).map(|scale| *scale).collect(),
            lambda: self.sights.iter().map(|sight| sight.lambda).collect(),
        }
    }

    fn set_balance(&mut self, balance: &Balance) {
        let mut scales = balance.scales.iter();
        for (Sight { loss, lambda, .. }, own) in self.sights.iter_mut().zip(&balance.lambda) {
            *lambda = *own;
            let Some(mut spec) = loss.spec() else { continue };
            if let Some(scale) = spec.scale_mut()
                && let Some(own) = scales.next()
            {
                *scale = *own;
                *loss = spec.make();
            }
        }
    }
}

impl Deep<'_> {
    /// Scales and λ at the residuals, or those of the restart before. What `resumes` gets its own by and by.
    pub(super) fn balance<T: Real, S: SampleSide<T>>(
        &self,
        state: &mut DeepState<T, S>,
        resumes: bool,
    ) -> Result<()> {
        let (side, layers) = (&state.side, state.sights.len());
        for (layer, Sight { loss, .. }) in state.sights.iter_mut().enumerate().skip(1) {
            loss.calibrate(&mut || {
                let r = side.column(Column::Residuals)?.into_iter().skip(layer).step_by(layers);
                Ok(r.zip(side.column(Column::SampleWeights)?).collect())
            })?;
        }
        if let Some(balance) = self.agreed.get() {
            state.set_balance(balance);
            return state.weigh();
        }
        state.weigh()?;
        let worst = state.sights.iter().map(|sight| sight.weighed.objective).fold(0.0, f64::max);
        for sight in &mut state.sights {
            let at_least = sight.weighed.objective.max(worst / BEST);
            sight.lambda = if at_least > f64::MIN_POSITIVE { 1.0 / at_least } else { 1.0 };
        }
        if !resumes {
            self.agreed.get_or_init(|| state.balance());
        }
        Ok(())
    }

    /// Shows scales and λ; those that are loaded are those of all restarts to come.
    pub(super) fn archive_balance<T, S>(&self, state: &mut DeepState<T, S>, archive: &mut Archive) {
        let mut balance = state.balance();
        archive.reals("scales", &mut balance.scales);
        archive.reals("lambda", &mut balance.lambda);
        state.set_balance(&balance);
        self.agreed.get_or_init(|| balance);
    }
}
