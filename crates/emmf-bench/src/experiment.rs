//! The file that describes an experiment.
//!
//! ```toml
//! name = "table2"
//! title = "EMMF beside six methods"
//! data = ["yale", "movement", "mine.npy"]
//! seeds = 20
//!
//! [[method]]
//! label = "EMMF"
//! spec = { method = "emmf" }
//!
//! [[method]]
//! label = "PNMF"
//! spec = { method = "pnmf", max_iter = 100 }
//! grid = { a0 = [0.1, 1.0, 10.0] }
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use emmf::Spec;
use serde::Deserialize;

use crate::Error;
use crate::sets::title;

/// An experiment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name, also that of its folder.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What to keep in mind while reading the tables.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Names of the paper's data sets, or files with labels.
    pub data: Vec<String>,
    /// Seeds 0, 1, … of every method on every data set.
    pub seeds: u64,
    /// Iterations at the most, where a method says nothing else.
    #[serde(default = "iterations")]
    pub max_iter: usize,
    /// Methods, in the order of the table.
    pub method: Vec<Competitor>,
    /// What is done to the data; nothing where there is none.
    #[serde(default)]
    pub contamination: Vec<Contamination>,
    /// The table of the paper whose numbers stand beside ours.
    #[serde(default)]
    pub published: Option<String>,
}

/// A method in an experiment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Competitor {
    /// Its row in the tables.
    pub label: String,
    /// The fit, all but `k`: that is the number of classes.
    pub spec: toml::Table,
    /// Values of parameters that are tried; the tables show the best by the true classes, as the paper does.
    #[serde(default)]
    pub grid: BTreeMap<String, Vec<f64>>,
    /// Its row in the paper, where that has another name.
    #[serde(default)]
    pub published: Option<String>,
}

/// What is done to the data before a fit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Contamination {
    /// Nothing.
    None,
    /// Random vectors with entries in [0, 10σ] after the samples, σ the largest entry of the unit samples. Only the
    /// samples are judged.
    Outliers {
        /// How many for each sample.
        share: f64,
    },
    /// A square of random pixels in some images of each class.
    Blocks {
        /// Its side.
        size: usize,
        /// Images of each class.
        per_class: usize,
    },
    /// Random vectors as long as the unit samples after these. Only the samples are judged.
    Scattered {
        /// How many for each sample.
        share: f64,
    },
    /// Nearly equal random vectors after the samples. Only the samples are judged.
    Cluster {
        /// How many for each sample.
        share: f64,
    },
    /// Samples of another data set after those of this one, brought to its number of features. Only the samples of
    /// this one are judged.
    Foreign {
        /// How many for each sample.
        share: f64,
        /// The other data set.
        data: String,
    },
    /// Some samples with some of their entries 0 or the largest one.
    SaltAndPepper {
        /// How many of the samples.
        share: f64,
        /// How many of their entries.
        entries: f64,
    },
}

impl Contamination {
    /// Its column in the tables.
    pub fn label(&self) -> String {
        match self {
            Self::None => "clean".into(),
            Self::Outliers { share } => format!("{:.0} % outliers", 100.0 * share),
            Self::Blocks { size, .. } => format!("{size}×{size}"),
            Self::Scattered { share } => format!("{:.0} % scattered", 100.0 * share),
            Self::Cluster { share } => format!("{:.0} % in a cluster", 100.0 * share),
            Self::Foreign { share, data } => format!("{:.0} % of {}", 100.0 * share, title(data)),
            Self::SaltAndPepper { share, .. } => format!("{:.0} % salt and pepper", 100.0 * share),
        }
    }
}

fn iterations() -> usize {
    500
}

/// The experiments of the paper, by name.
const PAPER: [(&str, &str); 5] = [
    ("table2", include_str!("../../../experiments/table2.toml")),
    ("table3", include_str!("../../../experiments/table3.toml")),
    ("table4", include_str!("../../../experiments/table4.toml")),
    ("fig-outlier-curves", include_str!("../../../experiments/fig-outlier-curves.toml")),
    ("fig-lambda", include_str!("../../../experiments/fig-lambda.toml")),
];

/// The experiments of the paper.
pub fn paper() -> Result<Vec<Experiment>, Error> {
    PAPER.iter().map(|(name, text)| Experiment::parse(name, text)).collect()
}

impl Experiment {
    /// The experiment in a file, or the one of the paper that has this name.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display().to_string();
        if let Some((_, text)) = PAPER.iter().find(|(known, _)| *known == name) {
            return Self::parse(&name, text);
        }
        let text = std::fs::read_to_string(file);
        let names: Vec<_> = PAPER.iter().map(|(name, _)| *name).collect();
        let text = text.map_err(|error| Error::Experiment {
            name: name.clone(),
            why: format!("{error}; experiments of the paper are {}", names.join(", ")),
        })?;
        Self::parse(&name, &text)
    }

    /// The experiment in a text; `name` is for errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let wrong = |why: String| Error::Experiment { name: name.into(), why };
        let found: Self = toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end().into()))?;
        let empty = |what: &str| wrong(format!("has no {what}; name at least one"));
        match (&found.data[..], &found.method[..], found.seeds) {
            ([], ..) => return Err(empty("data")),
            (_, [], _) => return Err(empty("method")),
            (.., 0) => return Err(wrong("seeds must be at least 1".into())),
            _ => {}
        }
        for (at, method) in found.method.iter().enumerate() {
            if found.method[..at].iter().any(|other| other.label == method.label) {
                return Err(wrong(format!(
                    "two methods have the label {:?}; every row needs its own",
                    method.label
                )));
            }
            if method.grid.values().any(Vec::is_empty) {
                return Err(wrong(format!("{}: a grid has no values", method.label)));
            }
            // Typing errors must not wait for the first run.
            let spec = method.spec(1, found.max_iter).map_err(wrong)?;
            emmf::registry::find(&spec.method).map_err(|error| wrong(error.to_string()))?;
        }
        Ok(found)
    }

    /// What is done to the data: nothing where nothing is said.
    pub fn contaminations(&self) -> Vec<Contamination> {
        if self.contamination.is_empty() { vec![Contamination::None] } else { self.contamination.clone() }
    }
}

impl Competitor {
    /// The fit with this many clusters.
    pub(crate) fn spec(&self, k: usize, max_iter: usize) -> Result<Spec, String> {
        let mut table = self.spec.clone();
        if table.contains_key("k") {
            return Err(format!("{}: k is the number of classes; leave it out", self.label));
        }
        table.insert("k".into(), toml::Value::Integer(k as i64));
        table.entry("max_iter").or_insert(toml::Value::Integer(max_iter as i64));
        table.entry("normalize").or_insert(toml::Value::Array(vec!["unit".into()]));
        table.try_into().map_err(|error: toml::de::Error| format!("{}: {}", self.label, error.message()))
    }
}
