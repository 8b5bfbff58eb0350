//! How long a fit takes, from the call on, to an objective that someone else has reached.

use std::ops::ControlFlow;
use std::time::Instant;

use emmf::{Real, Step};
use serde_json::{Value, json};

use crate::Job;
use crate::arguments::Arguments;
use crate::input::Input;
use crate::iteration::spec;

/// `method=` with `sweeps=` inner sweeps, until the objective is at most the request's `target`.
pub(crate) fn job<'a, T: Real>(arguments: &Arguments, input: &'a Input<T>) -> Job<'a> {
    let c = input.start.u.cols();
    let threads = arguments.number("threads", 2_usize);
    let mut spec = spec(&arguments.text("method", "nmf-hals"), c);
    spec.max_iter = arguments.number("max_iter", 10_000);
    spec.sweeps = arguments.number("sweeps", spec.sweeps);
    Box::new(move |request: &Value| {
        let target = request["target"].as_f64().expect("a target");
        let (began, mut reached) = (Instant::now(), None);
        let mut last = (0, f64::INFINITY);
        let mut observer = |step: &Step| {
            last = (step.iteration, step.objective);
            if step.objective <= target {
                reached = Some(began.elapsed().as_secs_f64());
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let request = spec.on(input.samples()).start(&input.start).observe(&mut observer);
        request.threads(threads).fit().expect("a fit");
        json!({"seconds": reached, "iterations": last.0, "objective": last.1})
    })
}
