//! Experiments: data sets × methods × parameters × contaminations × seeds, and the toys of the paper, from a TOML file
//! to tables, figures, claims and pages.
//!
//! An [`Experiment`] of runs is expanded into a [`Plan`]. A [`ResultsFile`] is what earlier
//! calls left, and [`finish`] makes those runs that its [`Store`] does not hold yet, several at a time, and writes each as soon as it ends; [`show_runs`] turns the results into what is [`Shown`].
//! The other kinds are [shown](Experiment::show) at once.

mod bound;
mod claim;
mod data_sets;
mod effect;
mod error;
mod experiment;
mod limits;
mod origin;
mod paper_page;
mod pictures;
mod plan;
mod published;
mod results_file;
mod run;
mod sets;
mod show;
mod shown;
mod statistics;
mod store;
mod summary;
mod toy;
mod work;

use std::path::Path;

pub use bound::Bound;
pub use claim::{Claim, Verdict};
pub use data_sets::DataSets;
pub use effect::{Effect, Square};
pub use error::Error;
pub use experiment::{
    Competitor, Contamination, Experiment, Fewer, Kind, Precision, Runs, Show, Skip, StartFrom,
    experiment_names, paper,
};
pub use limits::TooLarge;
pub use paper_page::paper_page;
pub use pictures::Pictures;
pub use plan::{Case, Plan, Variant};
pub use results_file::ResultsFile;
pub use run::{Course, Found};
pub use sets::{KNOWN, Known, Set};
pub use show::{show_runs, terminal_tables};
pub use shown::Shown;
pub use store::Store;
pub use summary::{Cell, Column, Measure, Results, Summary};
pub use toy::{Samples, Toy};
pub use work::finish;

impl Experiment {
    /// What an experiment without runs found, with the data sets in `folder`; nothing for one with runs.
    pub fn show(&self, folder: &Path) -> Result<Shown, Error> {
        match &self.kind {
            Kind::Runs(_) => Ok(Shown::default()),
            Kind::Toy(toy) => toy.show(&self.name),
            Kind::Effect(effect) => effect.show(&self.name),
            Kind::Bound(bound) => bound.show(&self.name),
            Kind::Pictures(pictures) => pictures.show(&self.name, folder),
            Kind::Sets(sets) => Ok(sets.show(folder)),
        }
    }
}
