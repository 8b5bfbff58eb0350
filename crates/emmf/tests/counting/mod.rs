//! The system's allocator, with a count of the bytes in use and of their maximum.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![expect(unsafe_code, reason = "a global allocator that counts cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The address space that a thread reserves for its matrix products, of which it touches what it needs. It counts for
/// nothing.
const RESERVED: Range<usize> = 64 << 20..(64 << 20) + 4096;

fn add(size: usize) {
    let size = if RESERVED.contains(&size) { 0 } else { size };
    PEAK.fetch_max(IN_USE.fetch_add(size, Ordering::Relaxed) + size, Ordering::Relaxed);
}

fn remove(size: usize) {
    let size = if RESERVED.contains(&size) { 0 } else { size };
    IN_USE.fetch_sub(size, Ordering::Relaxed);
}

// SAFETY: every call is passed on to the system's allocator as it is; counting has no part in it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Large blocks are moved without a copy.
        remove(layout.size());
        add(size);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static TURN: Mutex<()> = Mutex::new(());

/// Held by a test as long as it runs: what others allocate at the same time would be counted.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the work gives, and the bytes that it took at its peak beyond those in use before.
pub(crate) fn peak<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let before = IN_USE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let done = work();
    (done, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}
