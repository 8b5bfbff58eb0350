//! The threads of a call: its own pool or one lent to it, so that nothing fights over a global one.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::iter::plumbing::{Producer, ProducerCallback};
use rayon::prelude::*;

use crate::cancel::Cancel;
use crate::error::{Error, Result};

/// Threads for each core at most: more would only take turns, and a number may come from anywhere.
const PER_CORE: usize = 4;
/// Threads that may be had on any machine.
const ALWAYS: usize = 16;

/// Threads that can be lent to any number of calls. Calls that share them at the same time may wait for each other. After
/// a fork, make a new pool in the child, where the threads of the old one are gone.
#[derive(Debug)]
pub struct Pool {
    threads: rayon::ThreadPool,
    /// Whether a call keeps the threads awake.
    awake: AtomicBool,
}

impl Pool {
    /// This many threads, or as many as make sense if that is less; `None` means one per core.
    pub fn new(threads: Option<usize>) -> Result<Self> {
        if threads == Some(0) {
            return Err(none());
        }
        let threads = threads.map_or(0, |threads| threads.min(most()));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::Threads { threads, why: error.to_string() })?;
        Ok(Self { threads: pool, awake: AtomicBool::new(false) })
    }
}

fn none() -> Error {
    Error::param("threads", 0, "at least 1")
}

fn most() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    cores.saturating_mul(PER_CORE).max(ALWAYS)
}

/// The threads that a call works on.
#[derive(Debug, Clone, Copy, Default)]
pub enum Threads<'a> {
    /// One per core, for this call alone.
    #[default]
    Cores,
    /// This many, for this call alone; never more than a few per core.
    Number(usize),
    /// Those of a pool.
    Lent(&'a Pool),
}

impl From<usize> for Threads<'_> {
    fn from(threads: usize) -> Self {
        Self::Number(threads)
    }
}

impl From<Option<usize>> for Threads<'_> {
    fn from(threads: Option<usize>) -> Self {
        threads.map_or(Self::Cores, Self::Number)
    }
}

impl<'a> From<&'a Pool> for Threads<'a> {
    fn from(pool: &'a Pool) -> Self {
        Self::Lent(pool)
    }
}

impl Threads<'_> {
    /// Runs `work` on these threads.
    pub(crate) fn run<R: Send>(self, work: impl FnOnce(&Pool) -> R + Send) -> Result<R> {
        let own;
        let pool = match self {
            Self::Lent(pool) => pool,
            Self::Cores | Self::Number(_) => {
                own = Pool::new(self.number())?;
                &own
            }
        };
        Ok(pool.threads.install(|| work(pool)))
    }

    /// Runs `work` on these threads, or, where it is `small`, on the calling one: to wake another takes longer than it.
    pub(crate) fn run_unless<R: Send>(self, small: bool, work: impl FnOnce() -> R + Send) -> Result<R> {
        match self {
            Self::Number(0) => Err(none()),
            _ if small => Ok(work()),
            _ => self.run(|_| work()),
        }
    }

    /// How many there are, where that was said.
    pub(crate) fn number(self) -> Option<usize> {
        match self {
            Self::Cores => None,
            Self::Number(threads) => Some(threads),
            Self::Lent(pool) => Some(pool.threads.current_num_threads()),
        }
    }
}

/// How a call is run. No result depends on it.
///
/// ```
/// use emmf::{Cancel, Pool, Running};
/// let (pool, token) = (Pool::new(Some(2))?, Cancel::new());
/// let running = Running::on(&pool).cancel(&token);
/// # Ok::<(), emmf::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Running<'a> {
    /// The threads that it works on.
    pub threads: Threads<'a>,
    /// What ends it early.
    pub cancel: Cancel,
}

impl<'a> Running<'a> {
    /// On this many threads, on one per core (`None`) or on those of a pool.
    pub fn on(threads: impl Into<Threads<'a>>) -> Self {
        Self { threads: threads.into(), cancel: Cancel::default() }
    }

    /// The same until this token ends it.
    #[must_use]
    pub fn cancel(self, token: &Cancel) -> Self {
        Self { cancel: token.clone(), ..self }
    }
}

/// Does the work for every item: on the threads of the pool, or, outside of any, one after the other on this one.
///
/// rayon's own loops are compiled anew, with all that threads need to hand work to each other, for every kind of item and
/// work: they would be a third of this library. Here only the halving of the items is.
pub(crate) fn each<I: IndexedParallelIterator>(items: I, work: impl Fn(I::Item) + Sync) {
    each_in(items, || (), |(), item| work(item));
}

/// The same, each piece of the items in a room of its own.
pub(crate) fn each_in<I: IndexedParallelIterator, S>(
    items: I,
    room: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I::Item) + Sync,
) {
    let len = items.len();
    items.with_producer(Pieces { len, room, work });
}

/// What the work makes of 0, 1, …, `count` − 1.
pub(crate) fn made<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut all: Vec<Option<R>> = std::iter::repeat_with(|| None).take(count).collect();
    each(all.par_iter_mut().enumerate(), |(i, made)| *made = Some(work(i)));
    all.into_iter().flatten().collect()
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

impl Pool {
    /// Runs `work` on a thread of the pool while the others wait for their share without going to sleep: to wake one
    /// up takes longer than the whole iteration of a small problem. Where another call does so, they are awake already.
    pub(crate) fn awake<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
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
