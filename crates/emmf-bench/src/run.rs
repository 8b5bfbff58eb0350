//! One run: contaminate, fit, judge.

use emmf::Samples;
use emmf::metrics::Clustering;
use emmf::preprocess::Normalize;
use emmf::synth::{add_block_noise, add_outliers, choose_per_class};

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

/// Makes a run on one thread.
pub(crate) fn run(plan: &Plan, case: &Case, set: &Set) -> std::result::Result<Result, Error> {
    let wrong = |why: String| Error::Run { run: plan.key(case).join(", "), why };
    let variant = &plan.variants[case.variant];
    let method = &plan.experiment.method[variant.method];
    let mut spec = method.spec(set.k, plan.experiment.max_iter).map_err(wrong)?.seed(case.seed).threads(1);
    spec.params.extend(variant.params.clone());
    let mut x = set.x.clone();
    match plan.contaminations[case.contamination] {
        Contamination::None => {}
        Contamination::Outliers { share } => {
            let unit = spec.normalize.contains(&Normalize::Unit);
            if unit {
                (0..x.rows()).for_each(|i| to_unit_length(x.row_mut(i)));
                spec.normalize.retain(|step| *step != Normalize::Unit);
            }
            x = add_outliers(&x, (share * x.rows() as f64).round() as usize, case.seed);
        }
        Contamination::Blocks { size, per_class } => {
            let image = set.image.ok_or_else(|| wrong("block noise needs images".into()))?;
            let rows = choose_per_class(&set.classes, per_class, case.seed);
            add_block_noise(&mut x, image, &rows, size, case.seed)
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
