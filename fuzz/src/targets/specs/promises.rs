//! What has to hold for every fit that was made.

use emmf::registry::{self, Entry};
use emmf::{Factors, Fit, Given, Init, Mat, Model, Real, Result, Running, Samples, Spec};
use emmf_io::{AnyModel, DataInfo, Features, Notes, Record, Sketch, model_from_bytes, model_to_bytes};
use emmf_report::{Figure, Kind as FigureKind, report_page};

use super::data::Kind;
use super::storage::{Storage, stored};
use super::{Besides, Problem, descent};
use crate::case::{Answer, Verdict, refused};

/// A type of numbers whose models can be written.
pub(super) trait Number: Real {
    fn any(model: Model<Self>) -> AnyModel;
}

impl Number for f32 {
    fn any(model: Model<Self>) -> AnyModel {
        AnyModel::F32(model)
    }
}

impl Number for f64 {
    fn any(model: Model<Self>) -> AnyModel {
        AnyModel::F64(model)
    }
}

/// A promise that is kept, or what breaks it.
type Kept = std::result::Result<(), String>;

pub(super) fn check<T: Number>(problem: &Problem) -> Verdict {
    let x: Mat<T> = problem.x.cast();
    let judged = stored(&x, problem.storage, |samples| judge(problem, &x, samples));
    judged.unwrap_or_else(|error| refused(&error, ""))
}

fn judge<T: Number>(problem: &Problem, x: &Mat<T>, samples: Samples<'_, T>) -> Verdict {
    let fit = match problem.fit(&problem.spec, samples) {
        Err(error) => return refused(&error, ""),
        Ok(fit) => fit,
    };
    let Ok(entry) = registry::find(&problem.spec.method) else {
        return Err("no such method was taken".into());
    };
    is_whole(&fit, samples.shape(), problem.spec.k)?;
    descent::never_rises(problem, entry, &fit)?;
    transform_repeats(problem, entry, &fit, samples)?;
    match problem.besides {
        Besides::Nothing => {}
        Besides::Threads => {
            let twice = problem.fit_on(2, &problem.spec, samples);
            same(&fit, &twice.map_err(|error| format!("not with two threads: {error}"))?)?;
        }
        Besides::Files => come_back(&fit, samples)?,
        Besides::Pages => is_shown(&fit, samples)?,
        Besides::Sparse => as_sparse(problem, x, &fit)?,
    }
    Ok(Answer::Taken)
}

impl Problem {
    fn fit<T: Number>(&self, spec: &Spec, samples: Samples<'_, T>) -> Result<Fit<T>> {
        self.fit_on(1, spec, samples)
    }

    fn fit_on<T: Number>(&self, threads: usize, spec: &Spec, samples: Samples<'_, T>) -> Result<Fit<T>> {
        let (n, d) = samples.shape();
        // Not all of one value: such factors would stay of rank one.
        let factor = |rows: usize, value: f64| {
            Mat::from_fn(rows, spec.k, |i, j| T::from_f64(value * (1 + (i + j) % 3) as f64))
        };
        let start = self.start.map(|value| Factors { u: factor(d, value), v: factor(n, value) });
        let given = Given {
            sample_weights: self.weights.as_deref(),
            start: start.as_ref(),
            graph: self.graph.as_ref(),
            running: Running::on(threads),
            ..Given::default()
        };
        spec.on(samples).given(given).fit()
    }
}

/// Shapes, finite numbers, labels below k.
fn is_whole<T: Real>(fit: &Fit<T>, (n, d): (usize, usize), k: usize) -> Kept {
    let (u, v) = (fit.model.centroids(), &fit.v);
    if u.shape() != (d, k) || v.shape() != (n, k) {
        return Err(format!("U is {:?} and V {:?}", u.shape(), v.shape()));
    }
    for (what, factor) in [("U", u), ("V", v)] {
        if let Some(entry) = factor.as_slice().iter().find(|entry| !(**entry >= T::ZERO && entry.is_finite()))
        {
            return Err(format!("{entry} in {what}"));
        }
    }
    let objectives = [fit.objective, fit.initial];
    let columns: [(&str, &[f64]); 5] = [
        ("residuals", &fit.residuals),
        ("weights", &fit.weights),
        ("scores", &fit.scores),
        ("trace", &fit.trace),
        ("objective or initial", &objectives),
    ];
    for (what, numbers) in columns {
        if let Some(number) = numbers.iter().find(|number| !number.is_finite()) {
            return Err(format!("{number} in {what}"));
        }
    }
    if columns[..3].iter().any(|(_, numbers)| numbers.len() != n) || fit.labels.len() != n {
        return Err(format!("not one number for each of {n} samples"));
    }
    match fit.labels.iter().find(|label| **label >= k) {
        Some(label) => Err(format!("the label {label} with k = {k}")),
        None => Ok(()),
    }
}

/// `transform` of the training samples is V, bit for bit, where that is promised.
fn transform_repeats<T: Real>(
    problem: &Problem,
    entry: &Entry,
    fit: &Fit<T>,
    samples: Samples<'_, T>,
) -> Kept {
    let coded = fit
        .model
        .transform_with(samples, &Running::on(1))
        .map_err(|error| format!("transform refuses its own samples: {error}"))?;
    if coded.labels.iter().any(|&label| label >= problem.spec.k) {
        return Err(format!("transform gives the labels {:?}", coded.labels));
    }
    let promised = entry.facts.codes_alone
        && problem.spec.polish
        && !fit.stop.is_early()
        && (problem.spec.graph.is_none() || problem.spec.is_deep());
    if promised && (bits(&coded.v) != bits(&fit.v) || coded.residuals != fit.residuals) {
        return Err(format!("transform gives {:?}, the fit {:?}", coded.v.as_slice(), fit.v.as_slice()));
    }
    Ok(())
}

fn bits<T: Real>(x: &Mat<T>) -> Vec<u64> {
    x.as_slice().iter().map(|x| x.to_f64().to_bits()).collect()
}

/// The same fit, but for the time it took.
fn same<T: Real>(one: &Fit<T>, two: &Fit<T>) -> Kept {
    let same = bits(one.model.centroids()) == bits(two.model.centroids())
        && bits(&one.v) == bits(&two.v)
        && one.labels == two.labels
        && one.residuals == two.residuals
        && one.trace == two.trace
        && one.extras == two.extras;
    if same { Ok(()) } else { Err(format!("two threads: {:?} became {:?}", one.trace, two.trace)) }
}

/// Model and record are the same after they were written and read.
fn come_back<T: Number>(fit: &Fit<T>, samples: Samples<'_, T>) -> Kept {
    let model = T::any(fit.model.clone());
    let bytes = model_to_bytes(&model, &Notes::default())
        .map_err(|error| format!("the model cannot be written: {error}"))?;
    let again =
        model_from_bytes(&bytes, "m").map_err(|error| format!("the model cannot be read: {error}"))?;
    if model_to_bytes(&again, &Notes::default()).ok() != Some(bytes) {
        return Err("the model comes back as another".into());
    }
    let record = record(fit, samples)?;
    let text = serde_json::to_string(&record).map_err(|error| error.to_string())?;
    match serde_json::from_str::<Record>(&text) {
        Ok(again) if again == record => Ok(()),
        Ok(_) => Err("the record comes back as another".into()),
        Err(error) => Err(format!("the record cannot be read: {error}")),
    }
}

fn record<T: Number>(fit: &Fit<T>, samples: Samples<'_, T>) -> std::result::Result<Record, String> {
    let (n, d) = samples.shape();
    let info = DataInfo { name: "x".into(), n, d, dtype: T::NAME.into(), sparse: false };
    let truth = (0..n).map(|i| if i == 0 { "outlier".into() } else { (i % 2).to_string() }).collect();
    let mut record = Record::new(fit, info, Some(truth)).map_err(|error| format!("no record: {error}"))?;
    let sketch =
        Sketch::new(fit, samples, Features::default()).map_err(|error| format!("no sketch: {error}"))?;
    record.sketch = Some(sketch);
    Ok(record)
}

/// The record makes a page and every figure.
fn is_shown<T: Number>(fit: &Fit<T>, samples: Samples<'_, T>) -> Kept {
    let record = record(fit, samples)?;
    report_page("fuzz", &[&record]).map_err(|error| format!("no page: {error}"))?;
    let tree = record.tree.is_some().then_some(FigureKind::Tree);
    let all = [FigureKind::Convergence, FigureKind::Residuals, FigureKind::Centroids, FigureKind::Embedding];
    for kind in all.into_iter().chain(tree) {
        let svg = Figure::new(&record, kind).svg().map_err(|error| format!("no figure {kind:?}: {error}"))?;
        if svg.contains("NaN") {
            return Err(format!("NaN in the figure {kind:?}"));
        }
    }
    Ok(())
}

/// Methods that choose by size or by singular vectors, where rounding may choose.
const CHOOSES: [&str; 4] = ["rmnmf", "lsnmf", "capped-nmf", "gsnmf"];

/// Sparse storage gives the same fit, up to rounding, of samples without ties.
fn as_sparse<T: Number>(problem: &Problem, x: &Mat<T>, fit: &Fit<T>) -> Kept {
    let spec = &problem.spec;
    let plain = problem.kind == Kind::Plain && spec.params.is_empty() && spec.graph.is_none();
    // Samples of one length are ties to a start that leaves out the longest.
    let ties = spec.init == Some(Init::Trimmed) && !spec.normalize.is_empty();
    if !plain
        || ties
        || spec.max_iter > 3
        || problem.single
        || CHOOSES.contains(&&*spec.method)
        || problem.start.is_some()
    {
        return Ok(());
    }
    let sparse = match stored(x, Storage::Sparse, |samples| problem.fit(spec, samples)) {
        Ok(Ok(sparse)) => sparse,
        // What it cannot do with sparse samples, it says.
        Ok(Err(error)) | Err(error) => return refused(&error, "").map(drop),
    };
    let by = (sparse.objective - fit.objective).abs();
    let size = fit.initial.abs().max(fit.objective.abs());
    // What fits exactly leaves the rounding of the samples.
    let rounding = 1e-12 * x.as_slice().iter().map(|x| x.to_f64()).sum::<f64>();
    if by <= 1e-6 * size + rounding {
        Ok(())
    } else {
        Err(format!("dense {}, sparse {}", fit.objective, sparse.objective))
    }
}
