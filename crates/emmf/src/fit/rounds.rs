//! A fit of prepared samples, made again until those that were set aside and those that its scores mark agree.
//!
//! Screening knows no centroids, so it errs now and then. A few samples that were set aside, but that the fit does not mark and
//! that score more like the others than like outliers, are let back in. Where more than a few are outliers, those that took part
//! are set aside, too. Then all is fitted again: the result is that of a fit which never saw the outliers. This draws nothing,
//! and costs a fit for each round. A round that is ended early does not count. Where a fit is too large to be kept beside another one,
//! there is one round.

use std::ops::ControlFlow;

use crate::cancel::Deadline;
use crate::checkpoint::Checkpoint;
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::iterate::{Observer, Phase, Step, Stop};
use crate::matrix::{Part, Samples};
use crate::memory::has_room_for_another;
use crate::model::{Fit, Seconds};
use crate::outliers::{Judge, agreed};
use crate::preprocess::Fitted;
use crate::real::Real;
use crate::registry::Entry;
use crate::spec::{Missing, Spec};
use crate::threads::Pool;

use super::aside::Split;
use super::fitting::Fitting;
use super::{Given, is_cut_short};

/// How often a fit is made, at most.
const ROUNDS: usize = 3;

/// Samples that are prepared, and how they are fitted.
pub(super) struct Rounds<'a, T: Real> {
    pub(super) spec: &'a Spec,
    pub(super) entry: &'static Entry,
    pub(super) samples: &'a Samples<'a, T>,
    /// What brings every sample to its length.
    pub(super) scale: Option<&'a [T]>,
    pub(super) data: &'a Stored<'a, T>,
    /// The samples before their length was changed, where it was.
    pub(super) plain: &'a Stored<'a, T>,
    pub(super) weights: &'a [f64],
    /// What preprocessing took from the samples.
    pub(super) fitted: Vec<Fitted>,
    pub(super) pool: &'a Pool,
    pub(super) deadline: Deadline,
}

impl<T: Real> Rounds<'_, T> {
    /// The fit on which screening and scores agree, or the last one that was made.
    pub(super) fn fit(
        &self,
        split: Option<Split>,
        mut given: Given<'_, T>,
        seconds: Seconds,
    ) -> Result<Fit<T>> {
        let mut tried = vec![split.as_ref().map_or_else(Vec::new, |split| split.aside().to_vec())];
        let mut observer = given.observer.take();
        let watched = observer.as_mut().map(|observer| &mut **observer as _);
        let mut fit = self.round(split, given.seen_by(watched), seconds)?;
        while let Some(aside) = self.next(&fit, &tried) {
            let split = Split::new(&aside, self.weights.len());
            tried.push(aside);
            let mut unkept = observer.as_mut().map(|observer| Unkept(&mut **observer));
            let watched = unkept.as_mut().map(|observer| observer as _);
            // A checkpoint is one of the first round.
            let given = Given { resume: None, ..given.seen_by(watched) };
            match self.round(Some(split), given, fit.seconds) {
                Ok(next) if !next.stop.is_early() => fit = next,
                Ok(next) if next.stop == Stop::Cancelled => {
                    fit.stop = Stop::Cancelled;
                    break;
                }
                Ok(_) | Err(Error::Cancelled | Error::OutOfTime) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(fit)
    }

    /// Which samples are to be set aside instead, if that is known and was not tried before.
    fn next(&self, fit: &Fit<T>, tried: &[Vec<usize>]) -> Option<Vec<usize>> {
        let is_sure = self.spec.sets_aside() && !self.is_by_residuals(fit) && !fit.stop.is_early();
        let has_room = has_room_for_another::<T>(self.spec.k, self.data.shape());
        if !is_sure || !has_room || tried.len() >= ROUNDS {
            return None;
        }
        let counts = taking_part(self.weights, &[]);
        let aside = agreed(&fit.scores, &fit.set_aside, &fit.groups, &counts);
        (!tried.contains(&aside)).then_some(aside)
    }

    /// Whoever ends a fit early does not wait for more than that.
    fn is_by_residuals(&self, fit: &Fit<T>) -> bool {
        self.spec.missing == Missing::Nan || is_cut_short(fit)
    }

    /// One fit, judged.
    fn round(&self, split: Option<Split>, given: Given<'_, T>, seconds: Seconds) -> Result<Fit<T>> {
        let mut fit = match split {
            None => self.fitting(self.weights, (&|| self.data.intact(), seconds)).fit(self.data, given)?,
            Some(split) => self.without(split, given, seconds)?,
        };
        let (judge, judged) = if self.is_by_residuals(&fit) {
            Judge::of_residuals(&fit.residuals_by_layer())
        } else {
            let counts = taking_part(self.weights, &fit.set_aside);
            Judge::learn(self.plain, &fit.residuals_by_layer(), &counts)
        };
        self.data.intact()?;
        fit.judge(judge, judged)?;
        Ok(fit)
    }

    /// A fit of the samples that take part, of which the others then have coefficients.
    fn without(&self, split: Split, given: Given<'_, T>, seconds: Seconds) -> Result<Fit<T>> {
        let norms_sq = split.of(self.data.norms_sq());
        let part = Part::of(self.samples, split.kept())?;
        let scale = self.scale.map(|scale| split.of(scale));
        let kept = Stored::new(part.samples(), scale, Some(norms_sq));
        let start = given.start.map(|start| split.start(start));
        let clusters = given.clusters.map(|clusters| split.of(clusters));
        let graph = given.graph.map(|graph| graph.among(split.kept()));
        let given = Given {
            sample_weights: None,
            start: start.as_ref(),
            clusters: clusters.as_deref(),
            graph: graph.as_ref(),
            observer: given.observer.map(|observer| observer as _),
            loss: given.loss,
            resume: given.resume,
            device: given.device,
            spent: given.spent,
            running: given.running,
        };
        let weights = split.of(self.weights);
        let fit = self.fitting(&weights, (&|| kept.intact(), seconds)).fit(&kept, given)?;
        split.complete(fit, self.samples, self.scale)
    }

    fn fitting<'f>(
        &'f self,
        weights: &'f [f64],
        (intact, seconds): (&'f (dyn Fn() -> Result<()> + Sync), Seconds),
    ) -> Fitting<'f> {
        let (fitted, deadline) = (self.fitted.clone(), self.deadline);
        let fitting = Fitting::new(self.spec, self.entry, weights, self.pool);
        Fitting { intact, fitted, deadline, seconds, ..fitting }
    }
}

impl<T> Given<'_, T> {
    /// The same, with this observer.
    fn seen_by<'s>(&'s self, observer: Option<&'s mut (dyn Observer + Send)>) -> Given<'s, T> {
        Given { observer, running: self.running.clone(), ..*self }
    }
}

/// Which samples have a weight and were not set aside.
fn taking_part(weights: &[f64], aside: &[usize]) -> Vec<bool> {
    let mut counts: Vec<bool> = weights.iter().map(|weight| *weight > 0.0).collect();
    aside.iter().for_each(|&i| counts[i] = false);
    counts
}

/// The caller's observer, who gets no checkpoints.
struct Unkept<'a>(&'a mut (dyn Observer + Send));

impl Observer for Unkept<'_> {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        self.0.iteration(step)
    }

    fn keep(&mut self, _save: &mut dyn FnMut() -> Result<Checkpoint>) {}

    fn phase(&mut self, phase: Phase) {
        self.0.phase(phase);
    }
}
