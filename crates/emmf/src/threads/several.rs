//! Several threads, by rayon.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub(crate) use rayon::prelude;

use prelude::*;
use rayon::iter::plumbing::{Producer, ProducerCallback};

use crate::error::{Error, Result};

/// The threads of a pool.
#[derive(Debug)]
pub(super) struct Workers {
    threads: rayon::ThreadPool,
    /// Whether a call keeps the threads awake.
    awake: AtomicBool,
}

impl Workers {
    /// This many, or one per core where it is 0.
    pub(super) fn new(threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::Threads { threads, why: error.to_string() })?;
        Ok(Self { threads: pool, awake: AtomicBool::new(false) })
    }

    pub(super) fn number(&self) -> usize {
        self.threads.current_num_threads()
    }

    pub(super) fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.threads.install(work)
    }
}

/// Does the work for every item, each piece of the items in a room of its own.
///
/// rayon's own loops are compiled anew, with all that threads need to hand work to each other, for every kind of item and
/// work: they would be a third of this library. Here only the halving of the items is.
pub(crate) fn each_in<I: IndexedParallelIterator, S>(
    items: I,
    room: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I::Item) + Sync,
) {
    let len = items.len();
    items.with_producer(Pieces { len, room, work });
}

/// Pieces of a loop that each thread may get, so that one that is late has few left.
const PIECES: usize = 8;

/// Work on so many items, in pieces.
struct Pieces<S, W> {
    len: usize,
    room: S,
    work: W,
}

impl<R, I, S: Fn() -> R + Sync, W: Fn(&mut R, I) + Sync> ProducerCallback<I> for Pieces<S, W> {
    type Output = ();

    fn callback<P: Producer<Item = I>>(self, items: P) {
        let most = rayon::current_thread_index().map_or(1, |_| match rayon::current_num_threads() {
            1 => 1,
            threads => PIECES * threads,
        });
        let least = items.min_len().max(self.len.div_ceil(most)).max(1);
        self.halve(items, self.len, least);
    }
}

impl<R, S: Fn() -> R + Sync, W> Pieces<S, W> {
    fn halve<P: Producer>(&self, items: P, len: usize, least: usize)
    where
        W: Fn(&mut R, P::Item) + Sync,
    {
        if len < 2 * least {
            let mut room = (self.room)();
            items.into_iter().for_each(|item| (self.work)(&mut room, item));
            return;
        }
        let middle = len / 2;
        let (first, second) = items.split_at(middle);
        let (mut first, mut second) = (Some(first), Some(second));
        both(
            &mut || first.take().into_iter().for_each(|items| self.halve(items, middle, least)),
            &mut || second.take().into_iter().for_each(|items| self.halve(items, len - middle, least)),
        );
    }
}

/// Two pieces of work side by side.
fn both(first: &mut (dyn FnMut() + Send), second: &mut (dyn FnMut() + Send)) {
    rayon::join(first, second);
}

/// How many threads are kept awake, at most; more would only get in each other's way.
const AWAKE: usize = 16;
/// Times that an idle thread looks for work at once before it lets others have its core in between.
const EAGER: usize = 4096;

impl Workers {
    pub(super) fn awake<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (here, threads) =
            (self.threads.current_thread_index(), self.threads.current_num_threads().min(AWAKE));
        if here.is_none() || threads == 1 || self.awake.swap(true, Ordering::AcqRel) {
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
            let _ends = Ends { over: &over, awake: &self.awake };
            // A thread that came late might take up its waiting inside of a piece of work, and never end that.
            let others = threads - usize::from(here.is_some_and(|here| here < threads));
            while ready.load(Ordering::Acquire) < others {
                std::thread::yield_now();
            }
            work()
        })
    }
}

/// Says that it is over, also where the work panics.
struct Ends<'a> {
    over: &'a AtomicBool,
    awake: &'a AtomicBool,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        self.awake.store(false, Ordering::Release);
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
