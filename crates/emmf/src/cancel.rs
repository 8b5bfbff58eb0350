//! Breaking off what has nothing to show yet: making a start or a graph, coding samples.
//!
//! The iterations of a fit end by their [`Observer`](crate::Observer) and keep what they have. What comes before and
//! after them is of no use half done; it may end here, anywhere, without every function on the way knowing of it.

use std::cell::RefCell;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// The end of the time allowed, if there is one. What is worth something half done stops there and keeps what it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// So many seconds after `began`; `None` never ends.
    pub(crate) fn after(began: Instant, seconds: Option<f64>) -> Self {
        Self(seconds.map(|seconds| began + Duration::from_secs_f64(seconds)))
    }

    /// Whether the time is up.
    pub(crate) fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

thread_local! {
    static ASKED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Runs `work`. The calls of this crate in it that have no result yet end with [`Error::Cancelled`] soon after `asked` has
/// become true.
///
/// ```
/// use std::sync::{Arc, atomic::AtomicBool};
/// use emmf::{Error, Spec, cancellable, synth};
///
/// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
/// let asked = Arc::new(AtomicBool::new(true));
/// let fit = cancellable(&asked, || Spec::emmf(3).fit(&data.x));
/// assert_eq!(fit.unwrap_err(), Error::Cancelled);
/// # Ok::<(), Error>(())
/// ```
pub fn cancellable<R>(asked: &Arc<AtomicBool>, work: impl FnOnce() -> R) -> R {
    let _before = Before(listen_to(Some(Arc::clone(asked))));
    work()
}

/// Puts back what the thread listened to before, also where the work panics.
struct Before(Option<Arc<AtomicBool>>);

impl Drop for Before {
    fn drop(&mut self) {
        listen_to(self.0.take());
    }
}

/// Makes this thread listen to `asked`; returns what it listened to before.
pub(crate) fn listen_to(asked: Option<Arc<AtomicBool>>) -> Option<Arc<AtomicBool>> {
    ASKED.with_borrow_mut(|current| mem::replace(current, asked))
}

/// What this thread listens to.
pub(crate) fn listening() -> Option<Arc<AtomicBool>> {
    ASKED.with_borrow(Clone::clone)
}

/// Travels up the stack from [`heed`] to [`caught`].
struct Cancelled;

/// Ends the work at once where that was asked for. Cheap enough for every block of samples.
pub(crate) fn heed() {
    let asked = ASKED.with_borrow(|asked| asked.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed)));
    if asked {
        // No message is printed, as a panic would.
        resume_unwind(Box::new(Cancelled));
    }
}

/// The result of work that may end by [`heed`].
pub(crate) fn caught<R>(work: impl FnOnce() -> R) -> Result<R> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        if payload.is::<Cancelled>() {
            return Error::Cancelled;
        }
        resume_unwind(payload)
    })
}
