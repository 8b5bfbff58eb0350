//! The one loop: iterations, stop rules, observers and the trace of the objective.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::cancel::{Cancel, Deadline};
use crate::checkpoint::{Archive, Checkpoint, Snapshot};
use crate::error::{Error, Result};
use crate::init::Start;
use crate::matrix::Mat;
use crate::method::side::Movement;
use crate::method::{AtWork, Factorization};
use crate::real::Real;
use crate::spec::StopBy;

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The objective, or V, changed by less than the tolerance, or the method found what it was looking for.
    Converged,
    /// All iterations were made.
    MaxIter,
    /// The time was up.
    TimeLimit,
    /// An observer or a [`Cancel`] token asked for it.
    Cancelled,
}

impl Stop {
    /// Whether the fit was stopped before it finished by itself.
    pub fn is_early(self) -> bool {
        matches!(self, Self::TimeLimit | Self::Cancelled)
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Converged => "converged",
            Self::MaxIter => "max-iter",
            Self::TimeLimit => "time-limit",
            Self::Cancelled => "cancelled",
        })
    }
}

/// When to stop.
#[derive(Debug, Clone)]
pub struct StopRule {
    /// Maximum number of iterations.
    pub max_iter: usize,
    /// Smallest relative change to continue with; 0 never stops.
    pub tol: f64,
    /// The change of what.
    pub by: StopBy,
    /// The end of the time allowed.
    pub deadline: Deadline,
    /// What ends it early.
    pub cancel: Cancel,
}

/// What an observer sees after every iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The restart, from 0.
    pub restart: usize,
    /// The iteration, from 1.
    pub iteration: usize,
    /// The objective after it.
    pub objective: f64,
    /// Time since this restart began to iterate.
    pub elapsed: Duration,
}

/// What a fit does before and after its iterations; each phase may take as long as the iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Samples are checked and preprocessed.
    Prepare,
    /// Samples that do not belong to the others are looked for.
    Screen,
    /// The graph over the samples is made, and clusters along it are found.
    Graph,
    /// The start of the factors is computed.
    Start,
    /// Samples are coded exactly and judged.
    Code,
}

/// For progress, curves, checkpoints and ending a fit. Closures are observers.
pub trait Observer {
    /// Called after every iteration; `Break` ends the whole fit, which keeps its result so far.
    fn iteration(&mut self, step: &Step) -> ControlFlow<()>;

    /// Called after that; `save` makes a checkpoint that a later fit can continue from. It fails where samples are elsewhere and their
    /// part of it cannot be had; the one before is still good then.
    fn keep(&mut self, _save: &mut dyn FnMut() -> Result<Checkpoint>) {}

    /// Called when a phase begins.
    fn phase(&mut self, _phase: Phase) {}
}

impl<F: FnMut(&Step) -> ControlFlow<()>> Observer for F {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        self(step)
    }
}

/// One run of the loop.
pub(crate) struct Run<'a, T> {
    /// The method, where it is.
    pub(crate) work: Box<dyn AtWork<T> + 'a>,
    /// The objective before the first iteration.
    pub(crate) initial: f64,
    /// The objective after each iteration.
    pub(crate) trace: Vec<f64>,
    /// Why it ended.
    pub(crate) stop: Stop,
}

/// ‖V − V'‖/‖V‖; V' becomes V.
fn movement<T: Real>(before: &mut Mat<T>, v: &Mat<T>) -> f64 {
    let share = Movement::between(before.as_slice(), v.as_slice()).share();
    before.as_mut_slice().copy_from_slice(v.as_slice());
    share
}

impl<'a, T: Real> Run<'a, T> {
    /// A run before its first iteration.
    pub(crate) fn begin(of: &'a dyn Factorization<T>, start: &mut Start<'_, T>) -> Result<Self> {
        let work = of.start(start)?;
        let initial = work.objective();
        if !initial.is_finite() {
            return Err(Error::diverged(0));
        }
        Ok(Self { work, initial, trace: Vec::new(), stop: Stop::MaxIter })
    }

    /// Goes to where a run like this one was.
    pub(crate) fn load(&mut self, saved: &Snapshot) -> Result<()> {
        let mut archive = Archive::loading(saved.parts.clone());
        self.work.parts(&mut archive);
        (self.initial, self.trace) = (saved.initial, saved.trace.clone());
        archive.check()
    }

    /// Where the run is.
    pub(crate) fn save(&mut self) -> Result<Snapshot> {
        let mut archive = Archive::saving();
        self.work.parts(&mut archive);
        Ok(Snapshot { initial: self.initial, trace: self.trace.clone(), parts: archive.into_parts()? })
    }
}

/// Iterates until a rule, the observer or a token ends it.
pub(crate) fn iterate<T: Real>(
    run: &mut Run<'_, T>,
    (rule, restart): (&StopRule, usize),
    observer: &mut dyn Observer,
) -> Result<()> {
    let began = Instant::now();
    run.trace.reserve(rule.max_iter.min(10_000));
    let watched = rule.by == StopBy::Coefficients && rule.tol > 0.0;
    // V before the iteration, where it is looked at and is here.
    let mut before = run.work.coefficients().filter(|_| watched).cloned();
    if watched && before.is_none() && run.work.movement()?.is_none() {
        let must = "objective with a method that has no V until it ends";
        return Err(Error::param("stop_by", "coefficients", must));
    }
    run.stop = loop {
        if run.trace.len() >= rule.max_iter {
            break Stop::MaxIter;
        }
        let last = run.trace.last().copied().unwrap_or(run.initial);
        run.work.step()?;
        let objective = run.work.objective();
        if !objective.is_finite() {
            return Err(Error::diverged(run.trace.len() + 1));
        }
        run.trace.push(objective);
        let step = Step { restart, iteration: run.trace.len(), objective, elapsed: began.elapsed() };
        let wish = observer.iteration(&step);
        observer.keep(&mut || Ok(Checkpoint { restart, now: run.save()?, ..Checkpoint::default() }));
        if wish.is_break() || rule.cancel.is_cancelled() {
            break Stop::Cancelled;
        }
        let change = match (&mut before, run.work.coefficients()) {
            (Some(before), Some(v)) => movement(before, v),
            _ if watched => run.work.movement()?.unwrap_or_default(),
            _ => (last - objective).abs() / last.abs().max(f64::MIN_POSITIVE),
        };
        if run.work.has_settled() || (rule.tol > 0.0 && change <= rule.tol) {
            break Stop::Converged;
        }
        if rule.deadline.is_over() {
            break Stop::TimeLimit;
        }
    };
    Ok(())
}
