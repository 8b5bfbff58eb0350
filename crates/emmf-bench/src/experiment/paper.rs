//! The experiments of the paper, which are inside the program.

use super::Experiment;
use crate::Error;

macro_rules! experiments {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../experiments/", $name, ".toml")))),*]
    };
}

/// In the order of the paper; what it does not have stands where it belongs.
const PAPER: [(&str, &str); 14] = experiments![
    "fig-toy-outliers",
    "fig-toy-clean",
    "fig-outlier-effect",
    "fig-bound",
    "table1",
    "table2",
    "fig-convergence",
    "fig-outlier-curves",
    "table3",
    "graph-start",
    "fig-convergence-graph",
    "fig-lambda",
    "fig-block-noise",
    "table4",
];

/// The experiments of the paper.
pub fn paper() -> Result<Vec<Experiment>, Error> {
    PAPER.iter().map(|(name, text)| Experiment::parse(name, text)).collect()
}

pub(super) fn text(name: &str) -> Option<&'static str> {
    PAPER.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The names of the experiments of the paper.
pub fn names() -> Vec<&'static str> {
    PAPER.iter().map(|(name, _)| *name).collect()
}
