//! Work on a thread of its own, watched from the calling one. Nothing here knows Python, so that the tests need
//! none.

use std::any::Any;
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use emmf::{Cancel, Observer, Step};

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
/// than `every`, and with nothing every 50 ms. Its `Break` cancels the token that `work` is given.
pub(crate) fn watched<R: Send>(
    every: Option<Duration>,
    work: impl FnOnce(&mut (dyn Observer + Send), &Cancel) -> R + Send,
    watch: impl FnMut(Option<&Step>) -> ControlFlow<()>,
) -> Result<R, Failed> {
    let token = Cancel::new();
    // Without a buffer: an iteration waits until the one before has been seen.
    let (steps, seen) = mpsc::sync_channel(0);
    let (go_on, answers) = mpsc::sync_channel(1);
    let reporter = Reporter { every, last: None, steps, answers };
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("emmf".into());
        let worker = builder.spawn_scoped(scope, || {
            let mut reporter = reporter;
            work(&mut reporter, &token)
        });
        let worker = worker.map_err(Failed::Thread)?;
        look_on(&token, &seen, &go_on, watch);
        worker.join().map_err(|payload| Failed::Panic(message(&*payload)))
    })
}

/// Until the worker has let go of its end, by finishing or by a panic.
fn look_on(
    token: &Cancel,
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
            token.cancel();
        }
        if step.is_some() {
            // A worker that is gone needs no answer.
            go_on.send(()).ok();
        }
    }
}

/// The worker's end.
struct Reporter {
    every: Option<Duration>,
    last: Option<Instant>,
    steps: SyncSender<Step>,
    answers: Receiver<()>,
}

impl Observer for Reporter {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        let due = |every| self.last.is_none_or(|last| last.elapsed() >= every);
        if self.every.is_some_and(due) && self.steps.send(*step).is_ok() {
            self.answers.recv().ok();
            self.last = Some(Instant::now());
        }
        ControlFlow::Continue(())
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
