//! Loops that are no products, compiled for the widest vector instructions and picked at run time.

/// The value of an expression whose loops use the widest vector instructions of the machine.
///
/// A macro, because a loop becomes such instructions only where it is inlined into the function that has them, and a
/// closure that is called for every kind of instructions is too large to be: here each kind has a closure of its own. The
/// numbers are the same for all kinds, so tests, which would compile everything three times, make do with one.
#[cfg(not(debug_assertions))]
macro_rules! vectorized {
    ($work:expr) => {
        match pulp::Arch::new() {
            #[cfg(target_arch = "x86_64")]
            pulp::Arch::V4(simd) => simd.vectorize(|| $work),
            #[cfg(target_arch = "x86_64")]
            pulp::Arch::V3(simd) => simd.vectorize(|| $work),
            // Whatever is left has no more than what everything is compiled for; `dispatch` would compile it for all kinds again.
            _ => $work,
        }
    };
}

#[cfg(debug_assertions)]
macro_rules! vectorized {
    ($work:expr) => {
        $work
    };
}

pub(crate) use vectorized;
