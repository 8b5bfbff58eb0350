//! Work on a thread of its own, watched from the calling one. Nothing here knows Python, so that the tests need
//! none.

use std::any::Any;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use emmf::{Observer, Step, cancellable};

/// How often the calling thread looks up while nothing happens.
const TICK: Duration = Duration::from_millis(50);

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The thread could not be started.
    Thread(io::Error),
    /// The work panicked, with this message.
    Panic(String),
}

/// Runs `work` on a thread of its own. The calling thread meanwhile runs `watch`: with a step not more often
/// than `every`, and with nothing every 50 ms. Its `Break` ends a fit after the current iteration, and at once what has
/// no iterations or not one yet.
pub(crate) fn watched<R: Send>(
    every: Option<Duration>,
    work: impl FnOnce(&mut (dyn Observer + Send)) -> R + Send,
    watch: impl FnMut(Option<&Step>) -> ControlFlow<()>,
) -> Result<R, Failed> {
    let flags = Flags::default();
    // Without a buffer: an iteration waits until the one before has been seen.
    let (steps, seen) = mpsc::sync_channel(0);
    let (go_on, answers) = mpsc::sync_channel(1);
    let reporter = Reporter { flags: &flags, every, last: None, steps, answers };
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("emmf".into());
        let worker = builder.spawn_scoped(scope, || {
            let mut reporter = reporter;
            cancellable(&flags.at_once, || work(&mut reporter))
        });
        let worker = worker.map_err(Failed::Thread)?;
        look_on(&flags, &seen, &go_on, watch);
        worker.join().map_err(|payload| Failed::Panic(message(&*payload)))
    })
}

/// What the two threads tell each other.
#[derive(Default)]
struct Flags {
    /// The fit is to end after the current iteration.
    stop: AtomicBool,
    /// An iteration is over: from here on there is a result to keep.
    begun: AtomicBool,
    /// The work is to end where it is.
    at_once: Arc<AtomicBool>,
}

/// Until the worker has let go of its end, by finishing or by a panic.
fn look_on(
    flags: &Flags,
    steps: &Receiver<Step>,
    go_on: &SyncSender<()>,
    mut watch: impl FnMut(Option<&Step>) -> ControlFlow<()>,
) {
    loop {
        let step = match steps.recv_timeout(TICK) {
            Ok(step) => Some(step),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if watch(step.as_ref()).is_break() {
            flags.stop.store(true, Ordering::Relaxed);
            let nothing_yet = !flags.begun.load(Ordering::Relaxed);
            flags.at_once.store(nothing_yet, Ordering::Relaxed);
        }
        if step.is_some() {
            // A worker that is gone needs no answer.
            go_on.send(()).ok();
        }
    }
}

/// The worker's end.
struct Reporter<'a> {
    flags: &'a Flags,
    every: Option<Duration>,
    last: Option<Instant>,
    steps: SyncSender<Step>,
    answers: Receiver<()>,
}

impl Observer for Reporter<'_> {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        self.flags.begun.store(true, Ordering::Relaxed);
        let due = |every| self.last.is_none_or(|last| last.elapsed() >= every);
        if self.every.is_some_and(due) && self.steps.send(*step).is_ok() {
            self.answers.recv().ok();
            self.last = Some(Instant::now());
        }
        if self.flags.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
