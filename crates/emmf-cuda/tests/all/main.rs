//! Tests of the crate, one program.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that fails may panic, and one that is skipped says so"
)]

mod card;
mod here;
mod kernels;
mod plumbing;
