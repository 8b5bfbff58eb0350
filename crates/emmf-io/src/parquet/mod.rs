//! Parquet tables: numeric columns are features, one column may be the labels.

mod columns;
mod read;
mod write;

pub(crate) use read::{read, read_labels};
pub(crate) use write::write;
