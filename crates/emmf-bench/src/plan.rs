//! The runs of an experiment.

use std::collections::BTreeMap;

use emmf::{Init, Spec};

use crate::Error;
use crate::experiment::{Competitor, Contamination, Runs, Show, StartFrom};
use crate::limits;
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
    /// What is to be done.
    pub runs: Runs,
    /// What is done to the data.
    pub contaminations: Vec<Contamination>,
    /// Every method with every value of its grid.
    pub variants: Vec<Variant>,
    /// The runs.
    pub cases: Vec<Case>,
}

impl Plan {
    /// All runs, in order: data set by data set, so that each is read once. More than the machine can hold are an
    /// error.
    pub fn new(runs: Runs) -> Result<Self, Error> {
        limits::check_runs(&runs)?;
        let contaminations = runs.contaminations();
        let variants: Vec<Variant> = (0..runs.method.len())
            .flat_map(|method| {
                grid(&runs.method[method].grid).into_iter().map(move |params| Variant { method, params })
            })
            .collect();
        let mut cases = Vec::new();
        for (data, name) in runs.data.iter().enumerate() {
            let seeds = runs.seeds_on(name);
            for (contamination, done) in contaminations.iter().enumerate() {
                for (variant, Variant { method, .. }) in variants.iter().enumerate() {
                    let method = &runs.method[*method];
                    if !runs.skips(name, &method.label, done) && takes_part(method, done) {
                        cases.extend((0..seeds).map(|seed| Case { data, contamination, variant, seed }));
                    }
                }
            }
        }
        Ok(Self { runs, contaminations, variants, cases })
    }

    /// The method of a run.
    pub(crate) fn method(&self, case: &Case) -> &Competitor {
        &self.runs.method[self.variants[case.variant].method]
    }

    /// The fit of a run with this many clusters, before anything is done to the data.
    pub(crate) fn spec(&self, case: &Case, k: usize) -> Result<Spec, String> {
        // Labels are read off V before it is polished; only scores go by what is left after that.
        let spec = self.method(case).spec(k, self.runs.max_iter)?;
        let mut spec = spec.seed(case.seed).polish(self.runs.show == Show::Detection);
        spec.params.extend(self.variants[case.variant].params.clone());
        Ok(spec)
    }

    /// What a run is called in the file of results: data set, contamination, method, parameters, seed.
    pub fn key(&self, case: &Case) -> [String; 5] {
        let variant = &self.variants[case.variant];
        [
            title(&self.runs.data[case.data]),
            self.contaminations[case.contamination].label(),
            self.runs.method[variant.method].label.clone(),
            variant.label(),
            case.seed.to_string(),
        ]
    }
}

/// What does not start from k-means has no clean start.
fn takes_part(method: &Competitor, done: &Contamination) -> bool {
    let clean = matches!(done, Contamination::Outliers { start: StartFrom::Clean, .. });
    !clean || method.spec(1, 1).is_ok_and(|spec| spec.init == Some(Init::Kmeans))
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

impl Variant {
    /// `lambda=100`, or nothing.
    pub fn label(&self) -> String {
        let pairs: Vec<_> = self.params.iter().map(|(name, value)| format!("{name}={value:e}")).collect();
        pairs.join(" ")
    }
}
