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

/// The Parquet reader panics on some damaged pages (a dictionary that is missing, numbers that are
/// cut off); that is an error like any other.
pub(crate) fn guarded<T>(read: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    let before = GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    done.unwrap_or_else(|_| Err(Problem::malformed("its pages", "the Parquet reader gave up")))
}
