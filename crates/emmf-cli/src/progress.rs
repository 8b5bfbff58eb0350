//! What moves while the program works: on a terminal only. Iterations have a bar with the objective and the time left, everything else a
//! wheel with what is done.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::Duration;

use emmf::{Checkpoint, Observer, Phase, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt;
use crate::resume::Keeper;

const ITERATIONS: &str = "{bar:30} {pos}/{len} {msg} {elapsed} elapsed, {eta} left";
const PHASE: &str = "{spinner} {msg} {elapsed} elapsed";
const TICK: Duration = Duration::from_millis(200);

/// Shows every iteration, and ends them where a signal asks for it.
pub(crate) struct Progress {
    bar: ProgressBar,
    max_iter: usize,
    restarts: usize,
    is_iterating: bool,
    keeper: Option<Keeper>,
}

impl Progress {
    pub(crate) fn new(restarts: usize, max_iter: usize, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(restarts.saturating_mul(max_iter) as u64), target);
        begin(&bar, words(Phase::Prepare));
        if shown {
            bar.enable_steady_tick(TICK);
        }
        Self { bar, max_iter, restarts, is_iterating: false, keeper: None }
    }

    /// With what is kept of the fit on the way.
    pub(crate) fn keeping(mut self, keeper: Option<Keeper>) -> Self {
        self.keeper = keeper;
        self
    }
}

impl Observer for Progress {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        let before = step.restart.saturating_mul(self.max_iter);
        self.bar.set_position(before.saturating_add(step.iteration) as u64);
        if !std::mem::replace(&mut self.is_iterating, true) {
            style(&self.bar, ITERATIONS);
            // What came before the iterations says nothing about their pace.
            self.bar.reset_eta();
        }
        let restart =
            if self.restarts > 1 { format!("restart {} ", step.restart + 1) } else { String::new() };
        self.bar.set_message(format!("{restart}objective {:.6e}", step.objective));
        interrupt::iterating();
        if interrupt::is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn phase(&mut self, phase: Phase) {
        self.is_iterating = false;
        begin(&self.bar, words(phase));
    }

    fn keep(&mut self, save: &mut dyn FnMut() -> emmf::Result<Checkpoint>) {
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(save);
        }
    }
}

/// What is done, in words.
fn words(phase: Phase) -> &'static str {
    match phase {
        Phase::Prepare => "looking through the samples",
        Phase::Screen => "looking for outliers",
        Phase::Graph => "linking neighbours",
        Phase::Start => "preparing the start",
        Phase::Code => "coding the samples",
        _ => "working",
    }
}

fn style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

fn begin(bar: &ProgressBar, doing: &'static str) {
    style(bar, PHASE);
    bar.set_message(doing);
}

/// A wheel that turns while one thing is done.
pub(crate) struct Waiting {
    bar: ProgressBar,
}

impl Waiting {
    pub(crate) fn new(doing: &'static str, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        begin(&bar, doing);
        if shown {
            bar.enable_steady_tick(TICK);
        }
        Self { bar }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar of things that are done one after the other.
pub(crate) struct Counting {
    bar: ProgressBar,
}

impl Counting {
    pub(crate) fn new(doing: &'static str, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        style(&bar, "{bar:30} {msg} {elapsed} elapsed");
        bar.set_message(doing);
        if shown {
            bar.enable_steady_tick(TICK);
        }
        Self { bar }
    }

    pub(crate) fn step(&self, done: usize, all: usize) {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        // Before the first is done nobody knows how long the others take.
        if done > 0 {
            style(&self.bar, "{bar:30} {msg} {elapsed} elapsed, {eta} left");
        }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
