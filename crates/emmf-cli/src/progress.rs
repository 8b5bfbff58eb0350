//! The progress bar: on a terminal only, with the objective and the time left.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::time::Duration;

use emmf::{Checkpoint, Observer, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt;
use crate::resume::Keeper;

/// Shows every iteration, and ends them where a signal asks for it.
pub(crate) struct Progress {
    bar: ProgressBar,
    max_iter: usize,
    restarts: usize,
    keeper: Option<Keeper>,
}

impl Progress {
    pub(crate) fn new(restarts: usize, max_iter: usize, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(restarts.saturating_mul(max_iter) as u64), target);
        let style = "{bar:30} {pos}/{len} {msg} {elapsed} elapsed, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_message("making the start");
        if shown {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, max_iter, restarts, keeper: None }
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
        let restart =
            if self.restarts > 1 { format!("restart {} ", step.restart + 1) } else { String::new() };
        self.bar.set_message(format!("{restart}objective {:.6e}", step.objective));
        interrupt::iterating();
        if interrupt::is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn keep(&mut self, save: &mut dyn FnMut() -> Checkpoint) {
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(save);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Shows how far the choice of k is.
pub(crate) struct Choosing {
    bar: ProgressBar,
}

impl Choosing {
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:30} {msg} {elapsed} elapsed") {
            bar.set_style(style);
        }
        bar.set_message("choosing the number of centroids");
        if shown {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar }
    }

    pub(crate) fn step(&self, done: usize, all: usize) -> ControlFlow<()> {
        self.bar.set_length(all as u64);
        self.bar.set_position(done as u64);
        ControlFlow::Continue(())
    }
}

impl Drop for Choosing {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
