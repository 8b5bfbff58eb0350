//! Every file that is read or written, in one program: what the tests share is compiled once.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../../tests/data_sets.rs"]
mod data_sets;
#[path = "../common/made.rs"]
mod made;

mod arrow;
mod atomic_writes;
mod files_of_other_tools;
mod files_people_have;
mod hostile_bytes;
mod images;
mod model_notes;
mod order;
mod pipes;
mod read_back;
mod real_data;
mod result_folders;
mod round_trips;
mod settings;
mod streams;
mod text_tables;
mod zarr;
