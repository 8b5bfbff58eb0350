//! One fit under way: restarts of a method, the best of them kept, and what it leaves.

use std::ops::ControlFlow;
use std::time::Instant;

use crate::data::Data;
use crate::error::{Error, Result};
use crate::fit::{self, Run, Step, StopRule};
use crate::init::{Random, Start};
use crate::method::{Ending, Method, centres};
use crate::model::{Fit, Model, ResidualScale, Seconds};
use crate::preprocess::Fitted;
use crate::real::Real;
use crate::registry::Entry;
use crate::spec::{LabelRule, Spec};
use crate::threads;

use super::{Given, check};

/// One fit under way.
pub(super) struct Job<'a, X> {
    pub(super) spec: &'a Spec,
    pub(super) entry: &'static Entry,
    pub(super) data: &'a X,
    /// How often each sample counts.
    pub(super) weights: &'a [f64],
    pub(super) deadline: Option<Instant>,
    pub(super) seconds: Seconds,
}

impl<X> Job<'_, X> {
    /// Exponent of the multiplicative update.
    pub(super) fn exponent(&self) -> f64 {
        self.spec.exponent.or(self.entry.exponent).unwrap_or(1.0)
    }

    /// Fits with `method`.
    pub(super) fn fit<T: Real, M: Method<T, X>>(
        &mut self,
        method: &M,
        given: &mut Given<'_, T>,
        fitted: Vec<Fitted>,
    ) -> Result<Fit<T>>
    where
        X: Data<T>,
    {
        let (run, restart) = self.best_run(method, given)?;
        let Run { state, initial, trace, stop } = run;
        let rule = self.spec.labels.unwrap_or(self.entry.label_rule());
        let ending = Ending { polish: self.spec.polish, labels: rule, seed: self.spec.seed };
        let outcome = method.finish(self.data, state, ending)?;
        self.data.intact()?;
        let scale = ResidualScale::of(&outcome.residuals);
        let model = Model::from_parts(self.spec.clone().labels(rule), outcome.factors.u, fitted, scale)?;
        let mut model = model.with_coding(outcome.coding)?;
        if rule == LabelRule::Kmeans {
            model = model.with_label_centres(centres(&outcome.factors.v, &outcome.labels))?;
        }
        Ok(Fit {
            scores: outcome.residuals.iter().map(|&r| scale.score(r)).collect(),
            objective: outcome.objective,
            weights: outcome.weights,
            model,
            v: outcome.factors.v,
            labels: outcome.labels,
            residuals: outcome.residuals,
            extras: outcome.extras,
            set_aside: Vec::new(),
            imputed: None,
            initial,
            trace,
            stop,
            restart,
            seconds: self.seconds,
        })
    }

    /// The restart with the best objective, and its number.
    fn best_run<T: Real, M: Method<T, X>>(
        &mut self,
        method: &M,
        given: &mut Given<'_, T>,
    ) -> Result<(Run<M::State>, usize)>
    where
        X: Data<T>,
    {
        let Spec { max_iter, tol, .. } = *self.spec;
        let by = check::stop_by(self.spec, self.entry);
        let rule = StopRule { max_iter, tol, by, deadline: self.deadline };
        let mut best: Option<(Run<M::State>, usize)> = None;
        for restart in 0..self.spec.restarts {
            let rng = Random::stream(self.spec.seed, restart);
            let mut start = Start::new(self.spec, self.weights, given.start, rng);
            let began = Instant::now();
            let data = self.data;
            // Samples that cannot be read end the loop.
            let mut observer = |step: &Step| match data.intact() {
                Ok(()) => given.observer.iteration(step),
                Err(_) => ControlFlow::Break(()),
            };
            let run = threads::awake(|| fit::run(method, data, &mut start, &rule, restart, &mut observer));
            data.intact()?;
            let run = run?;
            self.seconds.init += start.seconds();
            self.seconds.iterate += began.elapsed().as_secs_f64() - start.seconds();
            let stop = run.stop;
            let over = matches!(stop, fit::Stop::Cancelled | fit::Stop::TimeLimit);
            let value = |run: &Run<M::State>| method.objective(&run.state);
            if best.as_ref().is_none_or(|(best, _)| self.entry.goal.is_better(value(&run), value(best))) {
                best = Some((run, restart));
            }
            if over {
                // Whichever restart is kept: this is why there are no more.
                if let Some((best, _)) = &mut best {
                    best.stop = stop;
                }
                break;
            }
        }
        best.ok_or_else(|| Error::param("restarts", 0, "at least 1"))
    }
}
