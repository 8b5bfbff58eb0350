//! Ctrl-C ends the program at once, whatever it is doing, except while files get their names: then it waits
//! for them to be whole.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell expects of a program that was interrupted.
const EXIT_CODE: i32 = 130;

static PENDING: AtomicBool = AtomicBool::new(false);
static WRITING: AtomicBool = AtomicBool::new(false);
static RESUMABLE: AtomicBool = AtomicBool::new(false);

/// From here on Ctrl-C is ours.
pub(crate) fn listen() {
    // Without a handler the system's own takes effect, which ends the program too.
    let _ = ctrlc::set_handler(|| {
        let again = PENDING.swap(true, Ordering::SeqCst);
        if again || !WRITING.load(Ordering::SeqCst) {
            leave(so_far());
        }
    });
}

/// From here on the results of runs are kept as they come.
pub(crate) fn resumable() {
    RESUMABLE.store(true, Ordering::SeqCst);
}

fn so_far() -> &'static str {
    if RESUMABLE.load(Ordering::SeqCst) {
        "interrupted; the runs that have ended are kept, --resume goes on with them"
    } else {
        "interrupted; nothing was written"
    }
}

/// Writes files that Ctrl-C must not leave half-written. A second Ctrl-C ends it anyway.
pub(crate) fn uninterrupted<R>(write: impl FnOnce() -> R) -> R {
    WRITING.store(true, Ordering::SeqCst);
    // Either the handler has seen that we write, or we see that it was called.
    if PENDING.load(Ordering::SeqCst) {
        leave(so_far());
    }
    let done = write();
    if PENDING.load(Ordering::SeqCst) {
        leave("interrupted while writing; the files that are there are whole");
    }
    WRITING.store(false, Ordering::SeqCst);
    done
}

fn leave(message: &str) -> ! {
    // The terminal shows ^C or a progress bar on the line.
    let line = if std::io::stderr().is_terminal() { "\n" } else { "" };
    crate::complain(&format!("{line}{message}"));
    std::process::exit(EXIT_CODE)
}
