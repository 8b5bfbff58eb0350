//! Parquet tables: numeric columns are features, one column may be the labels.

mod columns;
mod pages;
mod read;
mod spool;
mod write;

pub(crate) use read::{read, read_labels, read_texts};
pub(crate) use spool::{size, stream};
pub(crate) use write::write;
