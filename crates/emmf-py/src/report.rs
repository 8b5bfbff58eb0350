//! The page about fits, from what their estimators keep.

use std::path::PathBuf;

use emmf::model::{Consensus, OnLayer, Seconds};
use emmf::outliers::Reason;
use emmf::synth::ImageShape;
use emmf::{Fit, Mat, Real, Stop};
use emmf_io::{AnyModel, DataInfo, Features, Record, Sketch};
use emmf_report::report_page;
use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::owned;
use crate::door;
use crate::errors::IntoPyErr;
use crate::model::Model;
use crate::samples::{AnySamples, Borrowed};

/// What an estimator keeps of its fit.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Kept<'py> {
    v: Bound<'py, PyAny>,
    labels: PyReadonlyArray1<'py, i64>,
    residuals: PyReadonlyArray1<'py, f64>,
    weights: PyReadonlyArray1<'py, f64>,
    scores: PyReadonlyArray1<'py, f64>,
    reasons: Vec<String>,
    set_aside: PyReadonlyArray1<'py, i64>,
    groups: Vec<PyReadonlyArray1<'py, i64>>,
    trace: PyReadonlyArray1<'py, f64>,
    /// From the first on; none where there is only one.
    layers: Vec<KeptLayer<'py>>,
    objective: f64,
    initial: f64,
    stop: String,
    restart: usize,
    /// Where the model is one.
    consensus: Option<KeptConsensus<'py>>,
    seconds: f64,
}

/// What the restarts agree on.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct KeptConsensus<'py> {
    stability: PyReadonlyArray1<'py, f64>,
    distances: PyReadonlyArray1<'py, f64>,
    weights: PyReadonlyArray1<'py, f64>,
}

/// The samples on a layer.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct KeptLayer<'py> {
    labels: PyReadonlyArray1<'py, i64>,
    residuals: PyReadonlyArray1<'py, f64>,
    scores: PyReadonlyArray1<'py, f64>,
}

/// What the page says of the samples; all of it may be None.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct About {
    /// What the data are called.
    data: String,
    /// The true classes.
    truth: Option<Vec<String>>,
    /// The names of the samples.
    names: Option<Vec<String>>,
    /// Height and width of images, and whether they have colours.
    image: Option<(usize, usize, bool)>,
}

/// Writes the page about these fits of the same samples. `page`: file and heading.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    page: (PathBuf, String),
    fits: Vec<(Py<Model>, Kept<'_>)>,
    x: AnySamples<'_>,
    about: About,
) -> PyResult<()> {
    let record = |(model, kept): &(Py<Model>, Kept<'_>)| {
        let model = model.get();
        match (&model.model, &x) {
            (AnyModel::F32(fitted), AnySamples::F32(x)) => recorded(py, (fitted, model), kept, x, &about),
            (AnyModel::F64(fitted), AnySamples::F64(x)) => recorded(py, (fitted, model), kept, x, &about),
            _ => Err(PyValueError::new_err("X is not of the type of the samples of the fit")),
        }
    };
    let records = fits.iter().map(record).collect::<PyResult<Vec<_>>>()?;
    let records: Vec<&Record> = records.iter().collect();
    let (path, title) = page;
    let page = report_page(&title, &records).map_err(|error| PyValueError::new_err(error.to_string()))?;
    emmf_io::write_atomically(&path, |out| out.write_all(page.as_bytes())).map_err(IntoPyErr::into_py_err)
}

fn recorded<T: Element + Real>(
    py: Python<'_>,
    (fitted, model): (&emmf::Model<T>, &Model),
    kept: &Kept<'_>,
    x: &Borrowed<'_, T>,
    about: &About,
) -> PyResult<Record> {
    let fit = again(fitted, kept)?;
    let x = x.parts()?;
    let names = model.notes.features.as_deref();
    door::through(py, |_| {
        let x = x.samples()?;
        let (n, d) = x.shape();
        if n != fit.labels.len() {
            return Err(emmf::Error::Shape { what: "X", got: (n, d), want: (fit.labels.len(), d) });
        }
        let sparse = matches!(x, emmf::Samples::Csr(_));
        let info = DataInfo { name: about.data.clone(), n, d, dtype: T::NAME.into(), sparse };
        let shape = |(height, width, colour)| ImageShape { height, width, column_major: false, colour };
        let features = Features { names, image: about.image.map(shape) };
        let mut record = Record::new(&fit, info, about.truth.clone())?;
        record.samples.name.clone_from(&about.names);
        record.sketch = Some(Sketch::new(&fit, x, features)?);
        Ok(record)
    })
}

/// What is negative is no position.
fn positions(array: &PyReadonlyArray1<'_, i64>) -> Vec<usize> {
    array.as_array().iter().map(|&at| usize::try_from(at).unwrap_or(usize::MAX)).collect()
}

fn numbers(array: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    array.as_array().to_vec()
}

fn on_layer(kept: &KeptLayer<'_>) -> OnLayer {
    let mut on = OnLayer::default();
    on.labels = positions(&kept.labels);
    (on.residuals, on.scores) = (numbers(&kept.residuals), numbers(&kept.scores));
    on
}

fn agreed(kept: &KeptConsensus<'_>) -> Consensus {
    Consensus {
        stability: numbers(&kept.stability),
        distances: numbers(&kept.distances),
        weights: numbers(&kept.weights),
    }
}

/// The fit as it was.
fn again<T: Element + Real>(model: &emmf::Model<T>, kept: &Kept<'_>) -> PyResult<Fit<T>> {
    let reason = |name: &String| Reason::PARTS.into_iter().find(|reason| reason.name() == name);
    let v: Mat<T> = owned(&kept.v.extract::<PyReadonlyArray2<'_, T>>()?);
    let stops = [Stop::Converged, Stop::MaxIter, Stop::TimeLimit, Stop::Cancelled];
    let mut seconds = Seconds::default();
    seconds.total = kept.seconds;
    Ok(Fit {
        model: model.clone(),
        v,
        labels: positions(&kept.labels),
        residuals: numbers(&kept.residuals),
        weights: numbers(&kept.weights),
        scores: numbers(&kept.scores),
        reasons: kept.reasons.iter().map(|name| reason(name).unwrap_or_default()).collect(),
        groups: kept.groups.iter().map(positions).collect(),
        set_aside: positions(&kept.set_aside),
        imputed: None,
        extras: Vec::new(),
        layers: kept.layers.iter().map(on_layer).collect(),
        objective: kept.objective,
        initial: kept.initial,
        trace: numbers(&kept.trace),
        stop: stops.into_iter().find(|stop| stop.to_string() == kept.stop).unwrap_or(Stop::MaxIter),
        restart: kept.restart,
        consensus: kept.consensus.as_ref().map(agreed),
        seconds,
    })
}
