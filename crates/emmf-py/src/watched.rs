//! Work on a thread of its own, watched from the calling one. Nothing here knows Python, so that the tests need
//! none.

use std::any::Any;
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use emmf::{Cancel, Observer, Phase, Step};

/// How often the calling thread looks up while nothing happens.
const TICK: Duration = Duration::from_millis(50);

/// What the work tells on its way.
#[derive(Debug)]
pub(crate) enum News {
    /// An iteration was made.
    Step(Step),
    /// Something else begins.
    Phase(Phase),
}

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The thread could not be started.
    Thread(io::Error),
    /// The work panicked, with this message.
    Panic(String),
}

/// Runs `work` on a thread of its own. The calling thread meanwhile runs `watch`: with a step not more often
/// than `every`, with every phase, and with nothing every 50 ms. Its `Break` cancels the token that `work` is given.
pub(crate) fn watched<R: Send>(
    every: Option<Duration>,
    work: impl FnOnce(&mut (dyn Observer + Send), &Cancel) -> R + Send,
    watch: impl FnMut(Option<&News>) -> ControlFlow<()>,
) -> Result<R, Failed> {
    let token = Cancel::new();
    // Without a buffer: an iteration waits until the one before has been seen.
    let (news, seen) = mpsc::sync_channel(0);
    let (go_on, answers) = mpsc::sync_channel(1);
    let reporter = Reporter { every, last: None, news, answers };
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
    news: &Receiver<News>,
    go_on: &SyncSender<()>,
    mut watch: impl FnMut(Option<&News>) -> ControlFlow<()>,
) {
    loop {
        let told = match news.recv_timeout(TICK) {
            Ok(told) => Some(told),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if watch(told.as_ref()).is_break() {
            token.cancel();
        }
        if told.is_some() {
            // A worker that is gone needs no answer.
            go_on.send(()).ok();
        }
    }
}

/// The worker's end.
struct Reporter {
    every: Option<Duration>,
    last: Option<Instant>,
    news: SyncSender<News>,
    answers: Receiver<()>,
}

impl Observer for Reporter {
    fn iteration(&mut self, step: &Step) -> ControlFlow<()> {
        let due = |every| self.last.is_none_or(|last| last.elapsed() >= every);
        if self.every.is_some_and(due) {
            self.tell(News::Step(*step));
            self.last = Some(Instant::now());
        }
        ControlFlow::Continue(())
    }

    fn phase(&mut self, phase: Phase) {
        if self.every.is_some() {
            self.tell(News::Phase(phase));
        }
    }
}

impl Reporter {
    /// Waits until it has been seen.
    fn tell(&self, news: News) {
        if self.news.send(news).is_ok() {
            self.answers.recv().ok();
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}
