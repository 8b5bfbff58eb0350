//! The laws, facts and contracts of the library, in one program: what they share is compiled once.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../oracle/mod.rs"]
mod oracle;

mod cancel;
mod checkpoints;
mod choose;
mod clusters;
mod coding;
mod consensus;
mod contracts;
mod deep;
mod embed;
mod errors;
mod facts;
mod finite;
mod graph;
mod graph_fit;
mod gsnmf;
mod init;
mod laws_data;
mod laws_entry;
mod laws_invariance;
mod laws_layers;
mod laws_loss;
mod laws_method;
mod laws_rounding;
mod laws_side;
mod laws_start;
mod laws_stop;
mod layers;
mod metrics;
mod missing;
mod online;
mod penalties;
mod pnmf;
mod preprocessing;
mod rivals;
mod rivals_sets;
mod screen;
mod streams;
mod synth;
mod threads;
mod time_limit;
mod verdict;
mod written;
