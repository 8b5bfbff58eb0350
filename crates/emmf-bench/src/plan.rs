//! The runs of an experiment.

use std::collections::BTreeMap;

use crate::experiment::{Contamination, Experiment};
use crate::sets::title;

/// A method with chosen values of its grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its place among the methods of the experiment.
    pub method: usize,
    /// The values of its grid.
    pub params: BTreeMap<String, f64>,
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The data set, by its place in the experiment.
    pub data: usize,
    /// What is done to it, by its place in the experiment.
    pub contamination: usize,
    /// The method and its parameters, by its place in the plan.
    pub variant: usize,
    /// The seed.
    pub seed: u64,
}

/// All runs of an experiment, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The experiment.
    pub experiment: Experiment,
    /// What is done to the data.
    pub contaminations: Vec<Contamination>,
    /// Every method with every value of its grid.
    pub variants: Vec<Variant>,
    /// The runs.
    pub cases: Vec<Case>,
}

impl Experiment {
    /// All runs, in order: data set by data set, so that each is read once.
    pub fn plan(self) -> Plan {
        let contaminations = self.contaminations();
        let variants: Vec<Variant> = (0..self.method.len())
            .flat_map(|method| {
                grid(&self.method[method].grid).into_iter().map(move |params| Variant { method, params })
            })
            .collect();
        let mut cases = Vec::new();
        for data in 0..self.data.len() {
            for contamination in 0..contaminations.len() {
                for variant in 0..variants.len() {
                    cases.extend((0..self.seeds).map(|seed| Case { data, contamination, variant, seed }));
                }
            }
        }
        Plan { experiment: self, contaminations, variants, cases }
    }
}

/// Every combination of the values.
fn grid(values: &BTreeMap<String, Vec<f64>>) -> Vec<BTreeMap<String, f64>> {
    values.iter().fold(vec![BTreeMap::new()], |found, (name, values)| {
        let with = |so_far: &BTreeMap<String, f64>, value: f64| {
            let mut params = so_far.clone();
            params.insert(name.clone(), value);
            params
        };
        found.iter().flat_map(|so_far| values.iter().map(move |&value| with(so_far, value))).collect()
    })
}

impl Plan {
    /// What a run is called in the file of results: data set, contamination, method, parameters, seed.
    pub fn key(&self, case: &Case) -> [String; 5] {
        let variant = &self.variants[case.variant];
        [
            title(&self.experiment.data[case.data]),
            self.contaminations[case.contamination].label(),
            self.experiment.method[variant.method].label.clone(),
            variant.label(),
            case.seed.to_string(),
        ]
    }
}

impl Variant {
    /// `lambda=100`, or nothing.
    pub fn label(&self) -> String {
        let pairs: Vec<_> = self.params.iter().map(|(name, value)| format!("{name}={value:e}")).collect();
        pairs.join(" ")
    }
}
