//! A case that does not end is named, and ends the process.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// The case at hand, and since when.
static AT_HAND: Mutex<Option<(&'static str, u64, Instant)>> = Mutex::new(None);
/// Seconds that a case may take: no case needs one, but a busy machine may give it none for long.
static LIMIT: AtomicU64 = AtomicU64::new(300);
static BEGIN: Once = Once::new();

/// Sets the seconds that a case may take.
pub fn set_limit(seconds: u64) {
    LIMIT.store(seconds, Ordering::Relaxed);
}

/// Whether a case is being tried.
pub(crate) fn is_trying() -> bool {
    AT_HAND.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Watches over a case until it is dropped.
pub(crate) struct Watched;

impl Watched {
    pub(crate) fn begin(target: &'static str, number: u64) -> Self {
        BEGIN.call_once(|| drop(std::thread::spawn(watch)));
        set(Some((target, number, Instant::now())));
        Self
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        set(None);
    }
}

fn set(case: Option<(&'static str, u64, Instant)>) {
    *AT_HAND.lock().unwrap_or_else(PoisonError::into_inner) = case;
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        let limit = LIMIT.load(Ordering::Relaxed);
        let at_hand = *AT_HAND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((target, number, since)) = at_hand
            && since.elapsed() > Duration::from_secs(limit)
        {
            let text = format!("case {target} {number} has not ended after {limit} seconds");
            let _ = writeln!(std::io::stderr(), "{text}");
            std::process::abort();
        }
    }
}
