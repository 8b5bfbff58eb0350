//! A fit: from the arrays of Python to a model and the results as arrays.

use std::time::Duration;

use emmf::method::{Extra, Value};
use emmf::model::Consensus;
use emmf::outliers::Reason;
use emmf::{Factors, Fit, Given, Real, Running, Spec};
use emmf_cuda::Choice;
use emmf_io::{AnyModel, Notes};
use numpy::{Element, IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{matrix, owned, positions};
use crate::door::{self, Callback};
use crate::errors::IntoPyErr;
use crate::graph;
use crate::layers;
use crate::model::Model;
use crate::samples::{AnySamples, Borrowed};

/// U and V to start from.
type Start<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// What a fit may be given besides samples and parameters; all of it may be None.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Besides<'py> {
    sample_weight: Option<PyReadonlyArray1<'py, f64>>,
    start: Option<Start<'py>>,
    /// The clusters at which to start.
    clusters: Option<PyReadonlyArray1<'py, i64>>,
    /// A graph over the samples, as a sparse matrix.
    graph: Option<Borrowed<'py, f64>>,
    /// Names of the features, for the model file.
    features: Option<Vec<String>>,
    callback: Option<Callback>,
    /// None is one for each core.
    threads: Option<usize>,
    /// Whether the model is to go on learning, and after how many samples it has forgotten half.
    online: Option<(Option<f64>,)>,
    /// `cpu`, `cuda`, `cuda:1`, `auto`.
    device: String,
    /// Bytes that dense samples may take there.
    max_device_memory: Option<usize>,
    /// Seconds of the time limit that were spent before.
    spent: f64,
}

/// Fits the parameters `spec` (JSON) to the samples. Gives the model, a dictionary of results, and what ended the
/// fit early: the exception of the callback or of Ctrl-C.
#[pyfunction]
pub(crate) fn fit<'py>(
    py: Python<'py>,
    spec: &str,
    x: AnySamples<'py>,
    besides: Besides<'py>,
) -> PyResult<(Model, Bound<'py, PyDict>, Option<PyErr>)> {
    let spec: Spec = serde_json::from_str(spec).map_err(IntoPyErr::into_py_err)?;
    match x {
        AnySamples::F32(x) => run(py, &spec, &x, &besides, AnyModel::F32),
        AnySamples::F64(x) => run(py, &spec, &x, &besides, AnyModel::F64),
    }
}

fn run<'py, T: Element + Real>(
    py: Python<'py>,
    spec: &Spec,
    x: &Borrowed<'py, T>,
    besides: &Besides<'py>,
    model: fn(emmf::Model<T>) -> AnyModel,
) -> PyResult<(Model, Bound<'py, PyDict>, Option<PyErr>)> {
    let x = x.parts()?;
    let sample_weights = besides.sample_weight.as_ref().map(|weights| weights.as_slice()).transpose()?;
    let start = besides.start.as_ref().map(factors).transpose()?;
    let (start, threads, besides_online) = (start.as_ref(), besides.threads, besides.online);
    // What is negative is no cluster.
    let number = |&cluster: &i64| usize::try_from(cluster).unwrap_or(usize::MAX);
    let clusters: Option<Vec<usize>> =
        besides.clusters.as_ref().map(|clusters| clusters.as_array().iter().map(number).collect());
    let graph = besides.graph.as_ref().map(Borrowed::parts).transpose()?;
    let (most, spent) =
        (besides.max_device_memory, Duration::try_from_secs_f64(besides.spent).unwrap_or_default());
    let device: Choice = besides.device.parse().map_err(IntoPyErr::into_py_err)?;
    let (fit, raised) = door::enter(py, besides.callback.as_ref(), |observer, token| {
        let graph = graph.map(graph::from_parts).transpose()?;
        let (graph, running) = (graph.as_ref(), Running::on(threads).cancel(token));
        let clusters = clusters.as_deref();
        let x = x.samples()?;
        let card = device.card(spec, &x)?.map(|card| card.holding(most));
        let device = card.as_ref().map(|card| card as _);
        let given = Given { sample_weights, start, clusters, graph, device, running, ..Given::default() };
        let given = Given { observer: Some(observer), spent, ..given };
        match besides_online {
            Some((half_life,)) => spec.fit_online(x, given, half_life),
            None => spec.on(x).given(given).fit(),
        }
    })?;
    let notes = Notes { features: besides.features.clone(), ..Notes::default() };
    let (fitted, found) = results(py, fit)?;
    Ok((Model { model: model(fitted), notes }, found, raised))
}

/// The model of a fit, and everything else as arrays.
pub(crate) fn results<T: Element + Real>(
    py: Python<'_>,
    fit: Fit<T>,
) -> PyResult<(emmf::Model<T>, Bound<'_, PyDict>)> {
    let Fit { model: fitted, .. } = fit;
    let results = PyDict::new(py);
    results.set_item("v", matrix(py, fit.v)?)?;
    results.set_item("labels", positions(py, fit.labels))?;
    results.set_item("residuals", fit.residuals.into_pyarray(py))?;
    results.set_item("weights", fit.weights.into_pyarray(py))?;
    results.set_item("scores", fit.scores.into_pyarray(py))?;
    results.set_item("reasons", reasons(&fit.reasons))?;
    results.set_item("set_aside", positions(py, fit.set_aside))?;
    let groups = fit.groups.into_iter().map(|group| positions(py, group));
    results.set_item("groups", groups.collect::<Vec<_>>())?;
    results.set_item("imputed", fit.imputed.map(|imputed| matrix(py, imputed)).transpose()?)?;
    results.set_item("extras", extras(py, fit.extras)?)?;
    results.set_item("tree", layers::tree(py, &fitted, &fit.layers)?)?;
    results.set_item("layers", layers::on_layers(py, fit.layers)?)?;
    results.set_item("objective", fit.objective)?;
    results.set_item("initial", fit.initial)?;
    results.set_item("trace", fit.trace.into_pyarray(py))?;
    results.set_item("stop", fit.stop.to_string())?;
    results.set_item("restart", fit.restart)?;
    results.set_item("consensus", fit.consensus.map(|found| consensus(py, found)).transpose()?)?;
    results.set_item("seconds", fit.seconds.total)?;
    Ok((fitted, results))
}

/// What restarts agree on, as arrays.
fn consensus(py: Python<'_>, found: Consensus) -> PyResult<Bound<'_, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("unstable", positions(py, found.unstable()))?;
    told.set_item("set_aside", positions(py, found.set_aside()))?;
    told.set_item("stability", found.stability.into_pyarray(py))?;
    told.set_item("distances", found.distances.into_pyarray(py))?;
    told.set_item("weights", found.weights.into_pyarray(py))?;
    Ok(told)
}

/// Each in a word.
pub(crate) fn reasons(reasons: &[Reason]) -> Vec<&'static str> {
    reasons.iter().map(|reason| reason.name()).collect()
}

fn factors<T: Element + Real>((u, v): &Start<'_>) -> PyResult<Factors<T>> {
    let factor =
        |array: &Bound<'_, PyAny>| Ok::<_, PyErr>(owned(&array.extract::<PyReadonlyArray2<'_, T>>()?));
    Ok(Factors { u: factor(u)?, v: factor(v)? })
}

fn extras<T: Element + Real>(py: Python<'_>, extras: Vec<Extra<T>>) -> PyResult<Bound<'_, PyDict>> {
    let found = PyDict::new(py);
    for Extra { name, value } in extras {
        let name = name.replace('-', "_");
        match value {
            Value::Number(number) => found.set_item(name, number)?,
            Value::Indices(indices) => found.set_item(name, positions(py, indices))?,
            Value::Vector(vector) => found.set_item(name, vector.into_pyarray(py))?,
            Value::Matrix(mat) => found.set_item(name, matrix(py, mat)?)?,
        }
    }
    Ok(found)
}
