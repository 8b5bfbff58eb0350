//! Ctrl-C: ends a fit between two iterations, and everything else at once.

use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell expects of a program that was interrupted.
pub(crate) const EXIT_CODE: u8 = 130;

static PENDING: AtomicBool = AtomicBool::new(false);
static FITTING: AtomicBool = AtomicBool::new(false);

/// The user pressed Ctrl-C.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("interrupted; nothing was written")
    }
}

impl std::error::Error for Interrupted {}

/// From here on Ctrl-C is ours. Outside a fit, and the second time, it ends the program.
pub(crate) fn listen() {
    // Without a handler the system's own takes effect, which ends the program too.
    let _ = ctrlc::set_handler(|| {
        let again = PENDING.swap(true, Ordering::SeqCst);
        if again || !FITTING.load(Ordering::SeqCst) {
            crate::complain(&Interrupted.to_string());
            std::process::exit(i32::from(EXIT_CODE));
        }
    });
}

/// Ctrl-C was pressed.
pub(crate) fn pending() -> bool {
    PENDING.load(Ordering::SeqCst)
}

/// Marks the time in which [`pending`] is asked for often.
pub(crate) struct Fitting;

impl Fitting {
    pub(crate) fn begin() -> Self {
        FITTING.store(true, Ordering::SeqCst);
        Self
    }
}

impl Drop for Fitting {
    fn drop(&mut self) {
        FITTING.store(false, Ordering::SeqCst);
    }
}
