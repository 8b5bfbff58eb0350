//! The threads of a call: its own pool or one lent to it, so that nothing fights over a global one. Without the feature
//! `rayon` there is one thread, the calling one; results have the same bits.

#[cfg(not(feature = "rayon"))]
mod one;
#[cfg(feature = "rayon")]
mod several;

use std::num::NonZero;

#[cfg(not(feature = "rayon"))]
use one as engine;
#[cfg(feature = "rayon")]
use several as engine;

pub(crate) use engine::{each_in, prelude};

use crate::cancel::Cancel;
use crate::error::{Error, Result};
use prelude::*;

/// Threads for each core at most: more would only take turns, and a number may come from anywhere.
const PER_CORE: usize = 4;
/// Threads that may be had on any machine.
const ALWAYS: usize = 16;

/// Threads that can be lent to any number of calls. Calls that share them at the same time may wait for each other. After
/// a fork, make a new pool in the child, where the threads of the old one are gone.
#[derive(Debug)]
pub struct Pool(engine::Workers);

impl Pool {
    /// This many threads, or as many as make sense if that is less; `None` means one per core.
    pub fn new(threads: Option<usize>) -> Result<Self> {
        if threads == Some(0) {
            return Err(none());
        }
        Ok(Self(engine::Workers::new(threads.map_or(0, |threads| threads.min(most())))?))
    }

    /// Runs `work` on a thread of the pool while the others wait for their share without going to sleep: to wake one
    /// up takes longer than the whole iteration of a small problem. Where another call does so, they are awake already.
    pub(crate) fn awake<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.0.awake(work)
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
        Ok(pool.0.run(|| work(pool)))
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
            Self::Lent(pool) => Some(pool.0.number()),
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
pub(crate) fn each<I: IndexedParallelIterator>(items: I, work: impl Fn(I::Item) + Sync) {
    each_in(items, || (), |(), item| work(item));
}

/// What the work makes of 0, 1, …, `count` − 1.
pub(crate) fn made<R: Send>(count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let mut all: Vec<Option<R>> = std::iter::repeat_with(|| None).take(count).collect();
    each(all.par_iter_mut().enumerate(), |(i, made)| *made = Some(work(i)));
    all.into_iter().flatten().collect()
}
