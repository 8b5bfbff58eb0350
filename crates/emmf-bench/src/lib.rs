//! Experiments: data sets × methods × parameters × contaminations × seeds, from a TOML file to tables.
//!
//! An [`Experiment`] is expanded into a [plan](Experiment::plan) of runs. [`finish`] makes those that a file of results
//! does not hold yet, several at a time, and writes each as soon as it ends; [`Summary`] turns the results into
//! [tables](Table) for the terminal, Markdown and LaTeX, with the paper's numbers beside ours.

mod error;
mod experiment;
mod plan;
mod published;
mod run;
mod sets;
mod store;
mod summary;
mod table;
mod work;

pub use error::Error;
pub use experiment::{Competitor, Contamination, Experiment, paper};
pub use plan::{Case, Plan, Variant};
pub use run::Result as RunResult;
pub use sets::{KNOWN, Known, Set};
pub use store::Store;
pub use summary::{Cell, Measure, Summary};
pub use table::Table;
pub use work::finish;
