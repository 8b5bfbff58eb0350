//! The one loop: iterations, stop rules, observers and the trace of the objective.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::init::Start;
use crate::matrix::Mat;
use crate::method::Method;
use crate::real::Real;
use crate::spec::StopBy;

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The objective, or V, changed by less than the tolerance, or the method has found what it looks for.
    Converged,
    /// All iterations were made.
    MaxIter,
    /// The time was up.
    TimeLimit,
    /// An observer asked for it.
    Cancelled,
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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StopRule {
    /// Iterations at the most.
    pub max_iter: usize,
    /// Least relative change; 0 never stops.
    pub tol: f64,
    /// Of what.
    pub by: StopBy,
    /// The end of the time allowed.
    pub deadline: Option<Instant>,
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

/// Progress, curves, cancellation: all of them. Closures are observers.
pub trait Observer {
    /// Called after every iteration; `Break` ends the whole fit, which keeps what it has.
    fn iteration(&mut self, step: &Step) -> ControlFlow<()>;
}

impl<F: FnMut(&Step) -> ControlFlow<()>> Observer for F {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        self(step)
    }
}

/// One run of the loop.
#[derive(Debug)]
pub(crate) struct Run<S> {
    /// The method's state at the end.
    pub(crate) state: S,
    /// The objective before the first iteration.
    pub(crate) initial: f64,
    /// The objective after each iteration.
    pub(crate) trace: Vec<f64>,
    /// Why it ended.
    pub(crate) stop: Stop,
}

/// ‖V − V'‖/‖V‖; V' becomes V.
fn movement<T: Real>(before: &mut Mat<T>, v: &Mat<T>) -> f64 {
    let (mut moved, mut length) = (0.0, 0.0);
    for (before, &v) in before.as_mut_slice().iter_mut().zip(v.as_slice()) {
        moved += (v.to_f64() - before.to_f64()).powi(2);
        length += v.to_f64().powi(2);
        *before = v;
    }
    (moved / length.max(f64::MIN_POSITIVE)).sqrt()
}

/// Iterates `method` from `start` until a rule or the observer ends it.
pub(crate) fn run<T: Real, X, M: Method<T, X>>(
    method: &M,
    x: &X,
    start: &mut Start<'_, T>,
    rule: &StopRule,
    restart: usize,
    observer: &mut dyn Observer,
) -> Result<Run<M::State>> {
    let mut state = method.start(x, start)?;
    let began = Instant::now();
    let initial = method.objective(&state);
    let mut trace = Vec::with_capacity(rule.max_iter.min(10_000));
    let mut last = initial;
    // V before the iteration, where it is looked at.
    let mut before = match rule.by {
        StopBy::Coefficients if rule.tol > 0.0 => {
            let must = "objective with a method that has no V before its end";
            let v = method.coefficients(&state);
            Some(v.cloned().ok_or_else(|| Error::param("stop_by", "coefficients", must))?)
        }
        _ => None,
    };
    let stop = loop {
        if trace.len() == rule.max_iter {
            break Stop::MaxIter;
        }
        method.step(x, &mut state)?;
        let objective = method.objective(&state);
        if !objective.is_finite() {
            return Err(Error::Diverged { iteration: trace.len() + 1 });
        }
        trace.push(objective);
        let step = Step { restart, iteration: trace.len(), objective, elapsed: began.elapsed() };
        if observer.iteration(&step).is_break() {
            break Stop::Cancelled;
        }
        let change = match (&mut before, method.coefficients(&state)) {
            (Some(before), Some(v)) => movement(before, v),
            _ => (last - objective).abs() / last.abs().max(f64::MIN_POSITIVE),
        };
        if method.has_settled(&state) || (rule.tol > 0.0 && change <= rule.tol) {
            break Stop::Converged;
        }
        if rule.deadline.is_some_and(|end| Instant::now() >= end) {
            break Stop::TimeLimit;
        }
        last = objective;
    };
    Ok(Run { state, initial, trace, stop })
}
