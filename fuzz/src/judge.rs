//! One case, with an eye on panics, time and memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, PoisonError};

use crate::case::{Target, Verdict};
use crate::memory::{MOST_MEMORY, Measured};
use crate::watch::{self, Watched};

/// One case at a time: what it allocates is counted for the whole process.
static TURN: Mutex<()> = Mutex::new(());
/// What the last panic said, and where. A library may have caught it; then nobody asks.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());
static HOOK: Once = Once::new();

/// Tries a case.
pub fn judge(target: &Target, number: u64) -> Verdict {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    HOOK.call_once(note_panics);
    let _watched = Watched::begin(target.name, number);
    let case = target.case(number);
    let measured = Measured::begin();
    let verdict = catch_unwind(AssertUnwindSafe(|| case.check()));
    let peak = measured.peak();
    let verdict = verdict.unwrap_or_else(|_| {
        Err(format!("panic: {}", LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner)))
    });
    match verdict {
        Ok(_) if peak > MOST_MEMORY => Err(format!("it took {} MB of memory", peak >> 20)),
        verdict => verdict,
    }
}

/// Panics of cases are kept instead of printed.
fn note_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if watch::is_trying() {
            *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
        } else {
            usual(info);
        }
    }));
}
