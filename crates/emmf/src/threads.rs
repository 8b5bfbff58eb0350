//! The threads of a call: a pool of its own, so that nothing fights over a global one and a process
//! may fork between calls.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::cancel;
use crate::error::{Error, Result};

/// Threads for each core at most: more would only take turns, and a number may come from anywhere.
const PER_CORE: usize = 4;
/// Threads that may be had on any machine.
const ALWAYS: usize = 16;

/// Runs `work` with this many threads, or with as many as make sense where that is less; `None` is one for each core.
pub(crate) fn within<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Result<R> {
    if threads == Some(0) {
        return Err(Error::param("threads", 0, "at least 1"));
    }
    let threads = threads.map_or(0, |threads| threads.min(most()));
    let asked = cancel::listening();
    let listen = move |_| drop(cancel::listen_to(asked.clone()));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).start_handler(listen).build();
    let pool = pool.map_err(|error| Error::Threads { threads, why: error.to_string() })?;
    cancel::caught(|| pool.install(work))
}

fn most() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    cores.saturating_mul(PER_CORE).max(ALWAYS)
}

/// Threads that are kept awake at the most; more would only get in each other's way.
const AWAKE: usize = 16;
/// Times that an idle thread looks for work at once before it lets others have its core in between.
const EAGER: usize = 4096;

/// Runs `work` on the current pool while its threads wait for their share without going to sleep: to wake one
/// up takes longer than the whole iteration of a small problem.
pub(crate) fn awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let (here, threads) = (rayon::current_thread_index(), rayon::current_num_threads().min(AWAKE));
    if here.is_none() || threads == 1 {
        return work();
    }
    let (ready, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    rayon::scope(|scope| {
        scope.spawn_broadcast(|_, context| {
            if Some(context.index()) != here && context.index() < threads {
                ready.fetch_add(1, Ordering::AcqRel);
                wait_for_work(&over);
            }
        });
        // A thread that came late might take up its waiting inside of a piece of work, and never end that.
        let others = threads - usize::from(here.is_some_and(|here| here < threads));
        while ready.load(Ordering::Acquire) < others {
            std::thread::yield_now();
        }
        let _ends = Ends(&over);
        work()
    })
}

/// Says that it is over, also where the work panics.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn wait_for_work(over: &AtomicBool) {
    let mut idle = 0;
    while !over.load(Ordering::Acquire) {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            idle = 0;
        } else if idle < EAGER {
            idle += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
