//! The registry of methods, from which the estimators are made.

use emmf::Spec;
use emmf::registry::{Entry, GRAPH_PARAMS, Goal, METHODS, Param, Storage};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::IntoPyErr;

/// Every method as a dictionary, the paper's own first.
#[pyfunction]
pub(crate) fn methods(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let entries = METHODS.iter().map(|entry| method(py, entry)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, entries)
}

fn method<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("name", entry.name)?;
    found.set_item("title", entry.title)?;
    found.set_item("reference", entry.reference)?;
    found.set_item("objective", entry.objective)?;
    found.set_item("guarantee", entry.guarantee)?;
    found.set_item("minimised", entry.goal == Goal::Least)?;
    found.set_item("takes_sparse", entry.storage.contains(&Storage::Sparse))?;
    found.set_item("takes_missing", entry.takes_missing())?;
    found.set_item("can_set_aside", entry.can_set_aside())?;
    found.set_item("takes_weights", entry.takes_weights() && !entry.needs_graph())?;
    found.set_item("takes_graph", entry.takes_graph())?;
    found.set_item("needs_graph", entry.needs_graph())?;
    found.set_item("codes_alone", entry.codes_alone())?;
    found.set_item("solvers", entry.solvers.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    found.set_item("exponent", entry.exponent)?;
    found.set_item("params", params(py, entry.params)?)?;
    let with_graph: &[Param] = if entry.takes_graph() && !entry.needs_graph() { GRAPH_PARAMS } else { &[] };
    found.set_item("graph_params", params(py, with_graph)?)?;
    Ok(found)
}

fn params<'py>(py: Python<'py>, params: &[Param]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    params.iter().map(|each| param(py, each)).collect()
}

fn param<'py>(py: Python<'py>, param: &Param) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    found.set_item("name", param.name)?;
    found.set_item("default", param.default)?;
    found.set_item("above", param.above)?;
    found.set_item("up_to", param.up_to)?;
    found.set_item("whole", param.whole)?;
    found.set_item("help", param.help)?;
    Ok(found)
}

/// Every parameter of a fit as it is where nothing is said, as JSON.
#[pyfunction]
pub(crate) fn defaults() -> PyResult<String> {
    serde_json::to_string(&Spec::emmf(1)).map_err(IntoPyErr::into_py_err)
}
