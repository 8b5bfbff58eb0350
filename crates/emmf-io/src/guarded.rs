//! Panics of libraries that are errors like any other.

use crate::error::Problem;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread will be turned into an error, so that nothing is to be said about it.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Libraries panic on some damaged files (a dictionary that is missing, numbers that are cut off); that is an error like
/// any other, at this `place`.
pub(crate) fn guarded<T>(place: &str, read: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let before = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    done.unwrap_or_else(|_| Err(Problem::malformed(place, "its reader gave up")))
}
