//! The program as a user calls it; all in one test program, so that what the tests share is compiled once.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../../../tests/data_sets.rs"]
mod data_sets;
#[path = "../program/mod.rs"]
mod program;

mod bad_data;
mod bad_options;
mod bench;
mod bench_hostile;
mod bench_resume;
mod comfort;
mod commands;
mod consensus;
mod deep;
mod device;
mod fit;
mod full_disk;
mod graph;
mod look;
mod max_memory;
mod missing;
mod names;
mod odd_data;
mod online;
mod outliers;
mod pages;
mod pipes;
mod real_data;
mod resume;
mod signals;
mod threads;
