//! TOML experiments: parsed and planned, not run.

use std::sync::LazyLock;

use emmf_bench::{Experiment, Kind, Plan};

use crate::case::{Answer, Case, Verdict, refused};
use crate::{Random, mutate};

macro_rules! experiments {
    ($($name:literal),* $(,)?) => {
        [$(include_str!(concat!("../../../crates/emmf-bench/experiments/", $name, ".toml"))),*]
    };
}

static SEEDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let given = experiments![
        "breakdown",
        "fig-block-noise",
        "fig-bound",
        "fig-convergence-graph",
        "fig-convergence",
        "fig-lambda",
        "fig-outlier-curves",
        "fig-outlier-effect",
        "fig-toy-clean",
        "fig-toy-outliers",
        "robustness",
        "table1",
        "table2",
        "table3",
        "table4",
    ];
    let small = "name = \"a\"\ntitle = \"b\"\nkind = \"grid\"\ndata = [\"x.npz\"]\nseeds = 3\nmax_iter = 5\n\
                 [[method]]\nlabel = \"E\"\nspec = { method = \"g-emmf\" }\ngrid = { lambda = [1, 10] }\n\
                 [[contamination]]\nkind = \"outliers\"\nshare = 0.5\n";
    let sets = "name = \"s\"\ntitle = \"t\"\nkind = \"sets\"\ndata = [\"yale\"]\n";
    given.into_iter().chain([small, sets, small]).map(String::from).collect()
});

struct Toml {
    text: String,
}

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    let (seed, other) = (random.choose(&SEEDS), random.choose(&SEEDS));
    let bytes = mutate::mutated(seed.as_bytes(), other.as_bytes(), random);
    Box::new(Toml { text: String::from_utf8_lossy(&bytes).into_owned() })
}

impl Case for Toml {
    fn check(&self) -> Verdict {
        let experiment = match Experiment::parse("x.toml", &self.text) {
            Err(error) => return refused(&error, "x.toml"),
            Ok(experiment) => experiment,
        };
        for experiment in [experiment.clone(), experiment.quick()] {
            let Kind::Runs(runs) = experiment.kind else { continue };
            match Plan::new(runs) {
                Err(error) => return refused(&error, ""),
                Ok(plan) => plan.cases.iter().take(100).for_each(|case| drop(plan.key(case))),
            }
        }
        Ok(Answer::Taken)
    }

    fn show(&self) -> String {
        self.text.clone()
    }

    fn bytes(&self) -> Vec<u8> {
        self.text.clone().into_bytes()
    }
}
