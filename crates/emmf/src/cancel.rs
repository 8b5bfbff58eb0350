//! What ends work early: a time limit, or somebody who no longer wants the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// The end of the time allowed, if there is one. Work that is useful half done stops there and keeps what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// So many seconds after `began`; `None` never ends.
    pub(crate) fn after(began: Instant, seconds: Option<f64>) -> Self {
        Self(seconds.map(|seconds| began + Duration::from_secs_f64(seconds)))
    }

    /// For what is chosen before a fit begins: half of the time from now on, so that the fit has the other half.
    pub(crate) fn halfway(seconds: Option<f64>) -> Self {
        Self::after(Instant::now(), seconds.map(|seconds| 0.5 * seconds))
    }

    /// Whether the time is up.
    pub(crate) fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

/// Ends calls from another thread or from a callback. All clones of a token are the same token. Within a fit it also knows
/// when the time is up.
///
/// Work that is useless half done (a start, a graph, the coding of new samples) soon ends with
/// [`Error::Cancelled`]. A fit that has made an iteration ends with [`Stop::Cancelled`](crate::Stop::Cancelled) and keeps what it has.
///
/// ```
/// use emmf::{Cancel, Error, Spec, synth};
///
/// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
/// let token = Cancel::new();
/// token.cancel();
/// assert_eq!(Spec::emmf(3).on(&data.x).cancel(&token).fit().unwrap_err(), Error::Cancelled);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    end: Deadline,
}

impl Cancel {
    /// A new token.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the calls that were given this token, for good.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether they should end.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Fails once they are to end. Cheap enough for every block of samples.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// The same token, for work that has to be done by then.
    pub(crate) fn until(&self, end: Deadline) -> Self {
        Self { flag: self.flag.clone(), end }
    }

    /// When the time is up.
    pub(crate) fn end(&self) -> Deadline {
        self.end
    }

    /// Whether the time is up, for work that then keeps what it has. That it is cancelled is another question.
    pub(crate) fn is_late(&self) -> bool {
        self.end.is_over()
    }

    /// Fails once they should end, for work that is useless half done. Work that may take long asks this after its first piece, so
    /// that small samples get what they need whatever the time.
    pub(crate) fn check_time(&self) -> Result<()> {
        self.check()?;
        if self.is_late() { Err(Error::OutOfTime) } else { Ok(()) }
    }
}

/// What there was time for.
pub(crate) fn in_time<R>(found: Result<R>) -> Result<Option<R>> {
    match found {
        Err(Error::OutOfTime) => Ok(None),
        found => found.map(Some),
    }
}
