//! How much memory a case takes: an allocator that counts, and refuses what no case may need.
#![expect(unsafe_code, reason = "a global allocator that counts cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use emmf_io::{Budget, Limit};

/// Bytes that a case may take.
pub const MOST_MEMORY: usize = 256 << 20;

/// What readers are told to stay within: half of it, since what they give back counts too.
pub(crate) fn budget() -> Budget {
    Budget::new(Limit::Asked(MOST_MEMORY as u64 / 2))
}
/// Bytes in use above which nothing more is given, so that a case cannot take the machine down with it.
const LAST_RESORT: usize = 1 << 30;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with a count of the bytes in use and of their maximum.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Whether there is room for so many bytes, which then count.
fn add(size: usize) -> bool {
    let in_use = IN_USE.fetch_add(size, Ordering::Relaxed).saturating_add(size);
    if in_use > LAST_RESORT {
        IN_USE.fetch_sub(size, Ordering::Relaxed);
        // Nothing may be allocated here; a failed write changes nothing.
        let _ =
            writeln!(std::io::stderr(), "{size} bytes were asked for beside {}", in_use.wrapping_sub(size));
        return false;
    }
    PEAK.fetch_max(in_use, Ordering::Relaxed);
    true
}

fn remove(size: usize) {
    IN_USE.fetch_sub(size, Ordering::Relaxed);
}

// SAFETY: every call is passed on to the system's allocator as it is, or answered with null, which says that there is
// no memory; counting has no part in it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        if add(layout.size()) { unsafe { System.alloc(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        if add(layout.size()) { unsafe { System.alloc_zeroed(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both blocks may exist while the entries are moved.
        if !add(size) {
            return std::ptr::null_mut();
        }
        remove(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Bytes that are taken from now on.
pub(crate) struct Measured {
    before: usize,
}

impl Measured {
    pub(crate) fn begin() -> Self {
        let before = IN_USE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        Self { before }
    }

    /// The most that was in use at once.
    pub(crate) fn peak(&self) -> usize {
        PEAK.load(Ordering::Relaxed).saturating_sub(self.before)
    }
}
