//! The file that describes an experiment: what it is called, and what is done, by its `kind`. See docs/bench.md.

mod check;
mod contamination;
mod paper;
mod runs;

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::Error;
use crate::bound::Bound;
use crate::data_sets::DataSets;
use crate::effect::Effect;
use crate::pictures::Pictures;
use crate::toy::Toy;

pub use contamination::{Contamination, StartFrom};
pub use paper::{names as experiment_names, paper};
pub(crate) use runs::as_in_the_paper;
pub use runs::{Competitor, Fewer, Precision, Runs, Show, Skip};

/// An experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Its name, also that of its folder.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What to keep in mind while reading it.
    pub notes: Vec<String>,
    /// What is done.
    pub kind: Kind,
}

/// What is done.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Data sets × methods × parameters × contaminations × seeds.
    Runs(Runs),
    /// Samples of the plane and their approximations.
    Toy(Toy),
    /// The share of an outlier in the objective.
    Effect(Effect),
    /// The largest share of an outlier by the number of samples.
    Bound(Bound),
    /// Images before and after contamination.
    Pictures(Pictures),
    /// The data sets themselves.
    Sets(DataSets),
}

const KINDS: &str = "table, outliers, grid, convergence, detection, toy, effect, bound, pictures, sets";

impl Kind {
    fn parse(kind: &str, table: toml::Table) -> Result<Self, String> {
        let runs = |table, show| Ok(Self::Runs(Runs { show, ..fields(table)? }));
        match kind {
            "table" => runs(table, Show::Table),
            "outliers" => runs(table, Show::Outliers),
            "grid" => runs(table, Show::Grid),
            "convergence" => runs(table, Show::Convergence),
            "detection" => runs(table, Show::Detection),
            "toy" => Ok(Self::Toy(fields(table)?)),
            "effect" => Ok(Self::Effect(fields(table)?)),
            "bound" => Ok(Self::Bound(fields(table)?)),
            "pictures" => Ok(Self::Pictures(fields(table)?)),
            "sets" => Ok(Self::Sets(fields(table)?)),
            _ => Err(format!("kind = {kind:?} is unknown; use one of {KINDS}")),
        }
    }

    fn check(&self) -> Result<(), String> {
        match self {
            Self::Runs(runs) => runs.check(),
            Self::Toy(toy) => toy.method.iter().try_for_each(|method| method.check(1)),
            Self::Effect(effect) => effect.check(),
            Self::Bound(bound) => bound.check(),
            Self::Pictures(_) | Self::Sets(_) => Ok(()),
        }
    }
}

fn fields<T: DeserializeOwned>(table: toml::Table) -> Result<T, String> {
    table.try_into().map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())
}

/// The fields that every experiment has.
#[derive(serde::Deserialize)]
struct Head {
    name: String,
    title: String,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default = "table_kind")]
    kind: String,
}

fn table_kind() -> String {
    "table".into()
}

impl Experiment {
    /// The experiment in a file, or the one of the paper that has this name.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        if let Some(text) = paper::text(&name) {
            return Self::parse(&name, text);
        }
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| {
            let names = paper::names();
            let meant = emmf_io::nearest(&name, names.iter().copied());
            let meant = meant.map_or_else(|| ".".into(), |meant| format!("; did you mean '{meant}'?"));
            let why = format!("{error}{meant} Experiments of the paper are {}", names.join(", "));
            Error::Experiment { name: name.clone(), why }
        })?;
        Self::parse(&name, &text)
    }

    /// The experiment in a text; `name` is for errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let wrong = |why: String| Error::Experiment { name: name.into(), why };
        let syntax = |error: toml::de::Error| wrong(error.to_string().trim_end().into());
        let mut table: toml::Table = toml::from_str(text).map_err(syntax)?;
        let mut head = toml::Table::new();
        for field in ["name", "title", "notes", "kind"] {
            head.extend(table.remove(field).map(|value| (field.to_owned(), value)));
        }
        let Head { name, title, notes, kind } = fields(head).map_err(wrong)?;
        check::check_name(&name).map_err(wrong)?;
        let kind = Kind::parse(&kind, table).map_err(wrong)?;
        // Typing errors must not wait for the first run.
        kind.check().map_err(wrong)?;
        Ok(Self { name, title, notes, kind })
    }

    /// The same in small: few seeds, iterations and values of a grid, and the small data sets of the paper.
    #[must_use]
    pub fn quick(mut self) -> Self {
        if let Kind::Runs(runs) = &mut self.kind {
            runs.make_quick();
            let (sets, seeds, iterations) = runs::QUICK;
            self.notes.push(format!(
                "**A quick version** (`--quick`): {seeds} seeds, at most {iterations} iterations, a few values of each grid and of {} what is there. The numbers only show that everything works.",
                sets.join(", ")
            ));
        }
        self
    }
}
