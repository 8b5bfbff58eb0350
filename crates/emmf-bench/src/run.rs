//! One run: contaminate, fit, judge.

use std::collections::HashMap;

use emmf::metrics::{Contingency, NmiNorm, roc_auc};
use emmf::preprocess::Normalize;
use emmf::synth::{
    Junk, add_block_noise, add_foreign, add_junk, add_outliers, add_salt_and_pepper, choose_per_class,
};
use emmf::{Factors, Given, Mat, Real, Running, Spec};

use crate::Error;
use crate::experiment::{Contamination, Precision, Show, StartFrom};
use crate::limits;
use crate::plan::{Case, Plan};
use crate::sets::Set;

/// Every iteration up to this is kept of a trace, and every tenth after it.
const FINE: usize = 50;

/// What a run found. No times: a run gives the same whenever and beside whatever it is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Accuracy.
    pub acc: f64,
    /// Normalized mutual information: divided by the geometric mean of the entropies.
    pub nmi: f64,
    /// The same divided by the larger entropy; unknown in results of emmf 0.1.
    pub nmi_max: Option<f64>,
    /// Iterations made.
    pub iterations: usize,
    /// The last objective.
    pub objective: f64,
    /// Where outliers are to be found: how often the score of one is above that of another sample.
    pub auc: Option<f64>,
    /// Where the objective is shown by iterations: how it went.
    pub course: Option<Course>,
}

/// How the objective went.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Iterations that raised it.
    pub rises: usize,
    /// Some of its values.
    pub trace: Vec<f64>,
}

/// The iterations whose objective is kept.
pub(crate) fn kept(iteration: usize) -> bool {
    iteration <= FINE || iteration.is_multiple_of(10)
}

/// Makes a run on one thread; `others` are the data sets that samples are taken from to contaminate this one.
pub(crate) fn run(
    plan: &Plan,
    case: &Case,
    set: &Set,
    others: &HashMap<String, Set>,
) -> Result<Found, Error> {
    let made = match plan.runs.precision {
        Precision::Single => made::<f32>(plan, case, (set, others)),
        Precision::Double => made::<f64>(plan, case, (set, others)),
    };
    made.map_err(|why| Error::Run { run: plan.key(case).join(", "), why })
}

fn made<T: Real>(
    plan: &Plan,
    case: &Case,
    (set, others): (&Set, &HashMap<String, Set>),
) -> Result<Found, String> {
    let mut spec = plan.spec(case, set.k)?;
    let done = &plan.contaminations[case.contamination];
    let (x, outliers) = contaminated((set, others), done, &mut spec, case.seed)?;
    let x = Mat::from_fn(x.rows(), x.cols(), |i, j| T::from_f64(x[(i, j)]));
    let text = |error: emmf::Error| error.to_string();
    let judged = |labels: &[usize], end: (usize, f64)| {
        judged(&set.classes, &labels[..set.classes.len()], end).map_err(text)
    };
    let clean = matches!(done, Contamination::Outliers { start: StartFrom::Clean, .. });
    let start = if clean { Some(clean_start(&spec, &x, set.classes.len()).map_err(text)?) } else { None };
    if plan.method(case).is_start() {
        let start = start.map_or_else(|| spec.start_of(&x, &Running::on(1)), Ok).map_err(text)?;
        return judged(&clusters(&start), (0, 0.0));
    }
    let given = Given { start: start.as_ref(), running: Running::on(1), ..Given::default() };
    let fit = spec.on(&x).given(given).fit().map_err(text)?;
    let found = judged(&fit.labels, (fit.trace.len(), fit.objective))?;
    let course = (plan.runs.show == Show::Convergence).then(|| course(fit.initial, &fit.trace));
    let auc = (plan.runs.show == Show::Detection).then(|| roc_auc(&fit.scores, &outliers));
    Ok(Found { course, auc: auc.transpose().map_err(text)?, ..found })
}

/// How clusters agree with the classes, after so many iterations with this objective.
fn judged(classes: &[usize], labels: &[usize], (iterations, objective): (usize, f64)) -> emmf::Result<Found> {
    let counts = Contingency::new(classes, labels)?;
    Ok(Found {
        acc: counts.accuracy(),
        nmi: counts.nmi(NmiNorm::Sqrt),
        nmi_max: Some(counts.nmi(NmiNorm::Max)),
        iterations,
        objective,
        auc: None,
        course: None,
    })
}

/// The data as they are fitted, before any preprocessing that is left in `spec`, and which samples are outliers.
fn contaminated(
    (set, others): (&Set, &HashMap<String, Set>),
    done: &Contamination,
    spec: &mut Spec,
    seed: u64,
) -> Result<(Mat<f64>, Vec<bool>), String> {
    let (mut x, mut changed) = (set.x.clone(), Vec::new());
    let count = |share: f64| (share * set.x.rows() as f64).round() as usize;
    if let Some(share) = done.added() {
        limits::check_share(share, set.x.shape()).map_err(|error| error.to_string())?;
    }
    let text = |error: emmf::Error| error.to_string();
    match done {
        Contamination::None => {}
        Contamination::Outliers { share, .. } => {
            // Outliers come after the samples have unit length, and keep theirs.
            if spec.normalize.contains(&Normalize::Unit) {
                (0..x.rows()).for_each(|i| to_unit_length(x.row_mut(i)));
                spec.normalize.retain(|step| *step != Normalize::Unit);
            }
            x = add_outliers(&x, count(*share), seed);
        }
        Contamination::Scattered { share } => x = add_junk(&x, Junk::Scattered, count(*share), seed),
        Contamination::Cluster { share } => x = add_junk(&x, Junk::Cluster, count(*share), seed),
        Contamination::Long { share } => x = add_junk(&x, Junk::Long, count(*share), seed),
        Contamination::Foreign { share, data } => {
            let other = others.get(data).ok_or("the other data set was not read")?;
            x = add_foreign(&x, &other.x, count(*share), seed).map_err(text)?;
        }
        Contamination::SaltAndPepper { share, entries } => {
            changed = choose_per_class(&vec![0; x.rows()], count(*share), seed);
            add_salt_and_pepper(&mut x, &changed, *entries, seed).map_err(text)?;
        }
        Contamination::Blocks { size, per_class } => {
            let image = set.image.ok_or("block noise needs images")?;
            changed = choose_per_class(&set.classes, *per_class, seed);
            add_block_noise(&mut x, image, &changed, *size, seed).map_err(text)?;
        }
    }
    let outliers = (0..x.rows()).map(|i| i >= set.x.rows() || changed.contains(&i)).collect();
    Ok((x, outliers))
}

fn to_unit_length(row: &mut [f64]) {
    let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 {
        row.iter_mut().for_each(|x| *x /= norm);
    }
}

/// The start of the first `samples` alone; the others get the coefficients of the nearest centroid.
fn clean_start<T: Real>(spec: &Spec, x: &Mat<T>, samples: usize) -> emmf::Result<Factors<T>> {
    let clean = Mat::from_fn(samples, x.cols(), |i, j| x[(i, j)]);
    let Factors { u, v } = spec.start_of(&clean, &Running::on(1))?;
    let distance = |i: usize, k: usize| -> f64 {
        (0..x.cols()).map(|j| (x[(i, j)].to_f64() - u[(j, k)].to_f64()).powi(2)).sum()
    };
    let nearest = |i: usize| {
        let distances: Vec<f64> = (0..u.cols()).map(|k| distance(i, k)).collect();
        (0..u.cols()).min_by(|&a, &b| distances[a].total_cmp(&distances[b])).unwrap_or(0)
    };
    let near: Vec<usize> = (samples..x.rows()).map(nearest).collect();
    let (member, other) = (T::from_f64(1.2), T::from_f64(0.2));
    let all = Mat::from_fn(x.rows(), u.cols(), |i, k| match i.checked_sub(samples) {
        None => v[(i, k)],
        Some(at) if near[at] == k => member,
        Some(_) => other,
    });
    Ok(Factors { u, v: all })
}

/// The largest entry of each row of V.
fn clusters<T: Real>(start: &Factors<T>) -> Vec<usize> {
    let v = &start.v;
    let largest = |i: usize| (1..v.cols()).fold(0, |best, k| if v[(i, k)] > v[(i, best)] { k } else { best });
    (0..v.rows()).map(largest).collect()
}

fn course(initial: f64, trace: &[f64]) -> Course {
    let all: Vec<f64> = std::iter::once(initial).chain(trace.iter().copied()).collect();
    // Rounding is not a rise.
    let rises = all.windows(2).filter(|pair| pair[1] > pair[0] + 1e-9 * pair[0].abs()).count();
    let trace = all.iter().enumerate().filter(|(at, _)| kept(*at)).map(|(_, value)| *value).collect();
    Course { rises, trace }
}

#[cfg(test)]
mod tests {
    use emmf::metrics::{NmiNorm, nmi};

    #[test]
    fn promise_06_nmi_is_by_the_geometric_mean_and_the_other_by_the_larger_entropy() {
        let (classes, labels) = ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1]);
        let found = super::judged(&classes, &labels, (3, 1.5)).unwrap();
        assert_eq!(found.nmi, nmi(&classes, &labels, NmiNorm::Sqrt).unwrap());
        assert_eq!(found.nmi_max, Some(nmi(&classes, &labels, NmiNorm::Max).unwrap()));
        assert!(found.nmi > 1.05 * found.nmi_max.unwrap(), "{found:?}");
    }
}
