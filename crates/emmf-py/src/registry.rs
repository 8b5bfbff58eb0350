//! The registry of methods, from which the estimators are made.

use emmf::Spec;
use emmf::registry::{GRAPH_PARAMS, LAYER_PARAMS, METHODS, PENALTY_PARAMS};
use pyo3::prelude::*;

use crate::errors::IntoPyErr;

/// Every method with its parameters and facts, the paper's own first, as JSON.
#[pyfunction]
pub(crate) fn methods() -> PyResult<String> {
    serde_json::to_string(METHODS).map_err(IntoPyErr::into_py_err)
}

/// The parameters that a method has besides where it follows a graph that it does not need, as JSON.
#[pyfunction]
pub(crate) fn graph_params() -> PyResult<String> {
    serde_json::to_string(GRAPH_PARAMS).map_err(IntoPyErr::into_py_err)
}

/// The parameters that a method has besides where there are layers, as JSON.
#[pyfunction]
pub(crate) fn layer_params() -> PyResult<String> {
    serde_json::to_string(LAYER_PARAMS).map_err(IntoPyErr::into_py_err)
}

/// The parameters that a method has besides where it can have penalties, as JSON.
#[pyfunction]
pub(crate) fn penalty_params() -> PyResult<String> {
    serde_json::to_string(PENALTY_PARAMS).map_err(IntoPyErr::into_py_err)
}

/// The default of every parameter of a fit, as JSON.
#[pyfunction]
pub(crate) fn defaults() -> PyResult<String> {
    serde_json::to_string(&Spec::emmf(1)).map_err(IntoPyErr::into_py_err)
}
