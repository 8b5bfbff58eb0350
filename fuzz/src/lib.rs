//! Fuzzing inside the process, on stable Rust: hostile files, models, records, images, experiments, and random specs on
//! nasty data.
//!
//! A case is a function of its [target](Target) and its number, so that a finding is one number. It passes if the
//! program neither panics, hangs nor takes more memory than [`MOST_MEMORY`], and if what it answers is either a result
//! that keeps its promises or an error that says what is wrong.

mod campaign;
mod case;
mod json;
mod judge;
mod memory;
mod mutate;
mod random;
mod seeds;
mod targets;
mod watch;

pub use campaign::{Campaign, Tally, batch};
pub use case::{Answer, Case, Target, Verdict};
pub use judge::judge;
pub use memory::MOST_MEMORY;
pub use random::Random;
pub use targets::{TARGETS, find};
pub use watch::set_limit;

/// The Rust of README.md and docs/rust.md, as written.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/rust.md")]
    struct Rust;
    #[doc = include_str!("../../crates/emmf/README.md")]
    struct Library;
}
