//! One run: contaminate, fit, judge.

use std::collections::HashMap;

use emmf::Samples;
use emmf::metrics::Clustering;
use emmf::preprocess::Normalize;
use emmf::synth::{
    Junk, add_block_noise, add_foreign, add_junk, add_outliers, add_salt_and_pepper, choose_per_class,
};

use crate::Error;
use crate::experiment::Contamination;
use crate::plan::{Case, Plan};
use crate::sets::Set;

/// What a run found. No times: a run gives the same whenever and beside whatever it is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Result {
    /// Accuracy.
    pub acc: f64,
    /// Normalized mutual information, by the larger entropy.
    pub nmi: f64,
    /// Iterations made.
    pub iterations: usize,
    /// The last objective.
    pub objective: f64,
}

/// Makes a run on one thread; `others` are the data sets that samples are taken from to contaminate this one.
pub(crate) fn run(
    plan: &Plan,
    case: &Case,
    set: &Set,
    others: &HashMap<String, Set>,
) -> std::result::Result<Result, Error> {
    let wrong = |why: String| Error::Run { run: plan.key(case).join(", "), why };
    let variant = &plan.variants[case.variant];
    let method = &plan.experiment.method[variant.method];
    let mut spec = method.spec(set.k, plan.experiment.max_iter).map_err(wrong)?.seed(case.seed).threads(1);
    spec.params.extend(variant.params.clone());
    let mut x = set.x.clone();
    let count = |share: f64| (share * set.x.rows() as f64).round() as usize;
    match &plan.contaminations[case.contamination] {
        Contamination::None => {}
        Contamination::Outliers { share } => {
            let unit = spec.normalize.contains(&Normalize::Unit);
            if unit {
                (0..x.rows()).for_each(|i| to_unit_length(x.row_mut(i)));
                spec.normalize.retain(|step| *step != Normalize::Unit);
            }
            x = add_outliers(&x, count(*share), case.seed);
        }
        Contamination::Scattered { share } => x = add_junk(&x, Junk::Scattered, count(*share), case.seed),
        Contamination::Cluster { share } => x = add_junk(&x, Junk::Cluster, count(*share), case.seed),
        Contamination::Foreign { share, data } => {
            let other = others.get(data).ok_or_else(|| wrong("the other data set was not read".into()))?;
            x = add_foreign(&x, &other.x, count(*share), case.seed)
                .map_err(|error| wrong(error.to_string()))?;
        }
        Contamination::SaltAndPepper { share, entries } => {
            let rows = choose_per_class(&vec![0; x.rows()], count(*share), case.seed);
            add_salt_and_pepper(&mut x, &rows, *entries, case.seed)
                .map_err(|error| wrong(error.to_string()))?;
        }
        Contamination::Blocks { size, per_class } => {
            let image = set.image.ok_or_else(|| wrong("block noise needs images".into()))?;
            let rows = choose_per_class(&set.classes, *per_class, case.seed);
            add_block_noise(&mut x, image, &rows, *size, case.seed)
                .map_err(|error| wrong(error.to_string()))?;
        }
    }
    let fit = spec.fit(Samples::Dense(x.view())).map_err(|error| wrong(error.to_string()))?;
    let labels = &fit.labels[..set.classes.len()];
    let found = Clustering::compare(&set.classes, labels).map_err(|error| wrong(error.to_string()))?;
    Ok(Result { acc: found.accuracy, nmi: found.nmi, iterations: fit.trace.len(), objective: fit.objective })
}

fn to_unit_length(row: &mut [f64]) {
    let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 {
        row.iter_mut().for_each(|x| *x /= norm);
    }
}
