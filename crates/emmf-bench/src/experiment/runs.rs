//! Experiments of many runs.

use std::collections::BTreeMap;

use emmf::Spec;
use serde::Deserialize;

use super::contamination::Contamination;

/// Data sets × methods × parameters × contaminations × seeds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// How the results are shown.
    #[serde(skip)]
    pub show: Show,
    /// Names of the paper's data sets, or files with labels.
    pub data: Vec<String>,
    /// Seeds 0, 1, … of every method on every data set.
    pub seeds: u64,
    /// The most iterations, where a method says nothing else.
    #[serde(default = "iterations")]
    pub max_iter: usize,
    /// The numbers of the fits.
    #[serde(default)]
    pub precision: Precision,
    /// Methods, in the order of the table.
    pub method: Vec<Competitor>,
    /// What is done to the data; nothing where there is none.
    #[serde(default)]
    pub contamination: Vec<Contamination>,
    /// The table of the paper whose numbers stand beside ours.
    #[serde(default)]
    pub published: Option<String>,
    /// The method whose merits are in question.
    #[serde(default)]
    pub proposed: Option<String>,
    /// Methods that it is compared with one by one.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Iterations within which the paper says that the method in question converges.
    #[serde(default)]
    pub settles: Option<usize>,
    /// Runs that are left out.
    #[serde(default)]
    pub skip: Vec<Skip>,
    /// Data sets with fewer seeds.
    #[serde(default)]
    pub fewer: Vec<Fewer>,
}

/// How the results of runs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Methods by data sets.
    #[default]
    Table,
    /// Curves over the share of outliers.
    Outliers,
    /// Curves over the values of a grid.
    Grid,
    /// The objective by iterations.
    Convergence,
    /// How well outliers are told from samples by their scores.
    Detection,
}

/// The numbers of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Precision {
    /// Single precision: twice as fast.
    #[serde(rename = "f32")]
    Single,
    /// Double precision.
    #[default]
    #[serde(rename = "f64")]
    Double,
}

impl Precision {
    /// As in a file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Single => "f32",
            Self::Double => "f64",
        }
    }
}

/// A method in an experiment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Competitor {
    /// Its row in the tables.
    pub label: String,
    /// The fit, all but `k`: that is the number of classes. Without a `method` it is the start itself.
    #[serde(default)]
    pub spec: toml::Table,
    /// Values of parameters that are tried; the tables show the best by the true classes, as the paper does.
    #[serde(default)]
    pub grid: BTreeMap<String, Vec<f64>>,
    /// Its row in the paper, where that has another name.
    #[serde(default)]
    pub published: Option<String>,
}

/// Runs that are left out, and why.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skip {
    /// The data sets.
    pub data: Vec<String>,
    /// The methods, by their labels.
    pub method: Vec<String>,
    /// With these contaminations, by their labels; with all where there are none.
    #[serde(default)]
    pub contamination: Vec<String>,
    /// The reason, which stands below the table.
    pub why: String,
}

/// Data sets with fewer seeds than the others, and why.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fewer {
    /// The data sets.
    pub data: Vec<String>,
    /// Their seeds.
    pub seeds: u64,
    /// The reason, which stands below the table.
    pub why: String,
}

fn iterations() -> usize {
    500
}

/// Enough to see that everything works.
pub(super) const QUICK: (&[&str], u64, usize) = (&["yale", "movement", "jaffe"], 2, 100);

impl Runs {
    /// What is done to the data: nothing by default.
    pub fn contaminations(&self) -> Vec<Contamination> {
        if self.contamination.is_empty() { vec![Contamination::None] } else { self.contamination.clone() }
    }

    /// Whether a method is left out on a data set to which this was done.
    pub fn skips(&self, data: &str, method: &str, done: &Contamination) -> bool {
        let named = |list: &[String], name: &str| list.iter().any(|other| other == name);
        self.skip.iter().any(|skip| {
            let everywhere = skip.contamination.is_empty();
            named(&skip.data, data)
                && named(&skip.method, method)
                && (everywhere || named(&skip.contamination, &done.label()))
        })
    }

    /// Seeds on a data set.
    pub fn seeds_on(&self, data: &str) -> u64 {
        let fewer = self.fewer.iter().filter(|fewer| fewer.data.iter().any(|name| name == data));
        fewer.map(|fewer| fewer.seeds).fold(self.seeds, u64::min)
    }

    /// Takes this many seeds on every data set.
    pub fn set_seeds(&mut self, seeds: u64) {
        self.seeds = seeds;
        self.fewer.clear();
    }

    /// Keeps these data sets; false where none of them is in the experiment.
    pub fn restrict(&mut self, names: &[&str]) -> bool {
        let kept: Vec<String> =
            self.data.iter().filter(|name| names.contains(&name.as_str())).cloned().collect();
        let any = !kept.is_empty();
        if any {
            self.data = kept;
        }
        any
    }

    pub(super) fn make_quick(&mut self) {
        let (sets, seeds, iterations) = QUICK;
        self.restrict(sets);
        (self.seeds, self.max_iter) = (seeds, iterations);
        for method in &mut self.method {
            if method.spec.contains_key("max_iter") {
                method.spec.insert("max_iter".into(), toml::Value::Integer(iterations as i64));
            }
            for values in method.grid.values_mut().filter(|values| values.len() > 3) {
                *values = vec![values[0], values[values.len() / 2], values[values.len() - 1]];
            }
        }
        if self.contamination.len() > 4 {
            let few = self.contamination.iter().step_by(2).cloned().collect();
            self.contamination = few;
        }
    }
}

impl Competitor {
    /// Whether it is the start itself.
    pub(crate) fn is_start(&self) -> bool {
        !self.spec.contains_key("method")
    }

    /// The fit with this many clusters.
    pub(crate) fn spec(&self, k: usize, max_iter: usize) -> Result<Spec, String> {
        let mut table = self.spec.clone();
        if table.contains_key("k") {
            return Err(format!("{}: k is the number of classes; leave it out", self.label));
        }
        table.insert("k".into(), toml::Value::Integer(k as i64));
        table.entry("max_iter").or_insert(toml::Value::Integer(max_iter as i64));
        table.entry("normalize").or_insert(toml::Value::Array(vec!["unit".into()]));
        // Any method: its start is all that is looked at.
        table.entry("method").or_insert("nmf".into());
        // Starts, graphs, solvers and labels are the paper's unless others are named.
        if let Some(toml::Value::Table(graph)) = table.get_mut("graph") {
            graph.entry("kind").or_insert("knn".into());
        }
        table.entry("init").or_insert("kmeans".into());
        table.entry("init_restarts").or_insert(toml::Value::Integer(1));
        let spec: Result<Spec, toml::de::Error> = table.try_into();
        let spec = spec.map_err(|error| format!("{}: {}", self.label, error.message()))?;
        Ok(as_in_the_paper(spec))
    }
}

/// The fit with the graph, the solver and the labels of those who published the method, where it names no others.
pub(crate) fn as_in_the_paper(spec: Spec) -> Spec {
    let Spec { graph, solver, tol, label_rule, .. } = spec.clone().as_published();
    Spec { graph: spec.graph.or(graph), solver, tol, label_rule, ..spec }
}

#[cfg(test)]
mod tests {
    use emmf::preprocess::Normalize;
    use emmf::{Outliers, Spec, registry};

    use super::Competitor;

    /// What a method does by default may be better than what was published; tables beside the paper's numbers show the latter.
    #[test]
    fn methods_are_as_published_unless_they_say_otherwise() {
        for entry in registry::METHODS {
            let written =
                format!("label = \"a\"\nspec = {{ method = \"{}\", outliers = \"keep\" }}", entry.name);
            let competitor: Competitor = toml::from_str(&written).unwrap();
            let published = Spec::new(entry.name, 3).as_published().normalize([Normalize::Unit]);
            assert_eq!(
                competitor.spec(3, 500).unwrap(),
                published.outliers(Outliers::Keep),
                "{}",
                entry.name
            );
        }
        let written =
            "label = \"a\"\nspec = { method = \"nmf\", solver = \"hals\", tol = 1e-5, labels = \"kmeans\" }";
        let spec = toml::from_str::<Competitor>(written).unwrap().spec(3, 500).unwrap();
        assert_eq!((spec.solver, spec.tol), (Some(emmf::Solver::Hals), Some(1e-5)));
        assert_eq!(spec.label_rule, Some(emmf::LabelRule::Kmeans));
    }
}
