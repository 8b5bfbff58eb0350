//! Layers of a model, and samples on them, as arrays.

use emmf::model::OnLayer;
use emmf::{Mat, Real};
use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{matrix, positions};
use crate::errors::IntoPyErr;
use crate::fit::reasons;

/// Node, residual, score and reason of every sample on each layer.
pub(crate) fn on_layers(py: Python<'_>, layers: Vec<OnLayer>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let one = |on: OnLayer| {
        let found = PyDict::new(py);
        found.set_item("labels", positions(py, on.labels))?;
        found.set_item("residuals", on.residuals.into_pyarray(py))?;
        found.set_item("scores", on.scores.into_pyarray(py))?;
        found.set_item("reasons", reasons(&on.reasons))?;
        Ok(found)
    };
    layers.into_iter().map(one).collect()
}

/// The tree of the nodes of a fit, as JSON, in the format of Newick and as merges of two at a time; nothing where there is one
/// layer.
pub(crate) fn tree<'py, T: Real>(
    py: Python<'py>,
    model: &emmf::Model<T>,
    layers: &[OnLayer],
) -> PyResult<Option<Bound<'py, PyDict>>> {
    if layers.is_empty() {
        return Ok(None);
    }
    let tree = model.tree(layers).map_err(IntoPyErr::into_py_err)?;
    let found = PyDict::new(py);
    found.set_item("json", serde_json::to_string(&tree).map_err(IntoPyErr::into_py_err)?)?;
    found.set_item("newick", tree.to_newick())?;
    let linkage = tree.linkage();
    let merges = Mat::from_fn(linkage.len(), 4, |i, j| linkage[i][j]);
    found.set_item("linkage", matrix(py, merges)?)?;
    Ok(Some(found))
}

/// Centroids, shares and certainties of the layers above the first.
pub(crate) fn above<'py, T: Element + Real>(
    py: Python<'py>,
    model: &emmf::Model<T>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let one = |layer: &emmf::method::Layer<T>| {
        let found = PyDict::new(py);
        found.set_item("centroids", matrix(py, layer.u.clone())?)?;
        found.set_item("shares", matrix(py, layer.b.clone())?)?;
        found.set_item("certainty", layer.certainty.clone().into_pyarray(py))?;
        Ok(found)
    };
    model.layers().iter().map(one).collect()
}
