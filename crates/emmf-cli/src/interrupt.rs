//! Ctrl-C, SIGTERM and SIGHUP end the program at once, whatever it is doing, and nothing stays half-written. A fit that
//! has made an iteration is worth keeping: the first of them ends the iterations, the second ends the program.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The signal that asked a fit to end, or 0.
static ASKED: AtomicI32 = AtomicI32::new(0);
static FITTING: AtomicBool = AtomicBool::new(false);
static ITERATING: AtomicBool = AtomicBool::new(false);
static RESUMABLE: AtomicBool = AtomicBool::new(false);

/// From here on signals are ours. Without a handler the system's own takes effect, which ends the program too.
#[cfg(unix)]
pub(crate) fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // A file that grows beyond `ulimit -f` is an error like a full disk, not the end of the program.
    let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
    let mut wanted = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(wanted) {
        std::thread::spawn(move || signals.forever().for_each(pressed));
    }
}

#[cfg(not(unix))]
pub(crate) fn listen() {
    const SIGINT: i32 = 2;
    let _ = ctrlc::set_handler(|| pressed(SIGINT));
}

/// Whether whoever started us, such as nohup, wants the signal ignored. Where that cannot be told, it is left alone.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

fn pressed(signal: i32) {
    let first = || ASKED.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    if !(ITERATING.load(Ordering::SeqCst) && first()) {
        leave(signal);
    }
    if std::io::stderr().is_terminal() {
        crate::complain("\nending the fit and keeping the result so far; a second signal quits at once");
    }
}

/// From here on the results of runs are kept as they come.
pub(crate) fn resumable() {
    RESUMABLE.store(true, Ordering::SeqCst);
}

/// From here on a fit is being made.
pub(crate) fn fitting() {
    FITTING.store(true, Ordering::SeqCst);
}

/// From here on there is something to keep.
pub(crate) fn iterating() {
    ITERATING.store(true, Ordering::SeqCst);
}

/// Whether the iterations are to end.
pub(crate) fn is_asked() -> bool {
    exit_code().is_some()
}

/// What a shell expects of a program that was ended by a signal, where one asked for it.
pub(crate) fn exit_code() -> Option<u8> {
    match ASKED.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(code(signal)),
    }
}

fn code(signal: i32) -> u8 {
    128 + signal as u8
}

fn leave(signal: i32) -> ! {
    let written = emmf_io::abandon();
    let message = if RESUMABLE.load(Ordering::SeqCst) {
        "interrupted; completed runs are kept, --resume continues from them"
    } else if written {
        "interrupted; the files already written are complete"
    } else if FITTING.load(Ordering::SeqCst) && !ITERATING.load(Ordering::SeqCst) {
        "interrupted before the first iteration; nothing was written"
    } else {
        "interrupted; nothing was written"
    };
    // The terminal shows ^C or a progress bar on the line.
    let line = if std::io::stderr().is_terminal() { "\n" } else { "" };
    crate::complain(&format!("{line}{message}"));
    std::process::exit(code(signal).into())
}
