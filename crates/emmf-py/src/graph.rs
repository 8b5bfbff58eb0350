//! Graphs over samples, as sparse matrices of SciPy.

use emmf::graph::Graph;
use emmf::{Error, Running, Samples, Spec};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::door;
use crate::errors::IntoPyErr;
use crate::samples::{AnySamples, Parts};

/// Row pointers, columns and values.
type Sparse<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// A graph that is given as a sparse matrix.
pub(crate) fn from_parts(parts: Parts<'_, f64>) -> emmf::Result<Graph> {
    match parts.samples()? {
        Samples::Csr(weights) => Graph::from_csr(weights),
        _ => Err(Error::param("graph", "dense", "a sparse matrix")),
    }
}

/// The graph that the parameters `spec` (JSON) make of the samples. With this many threads; None is one for each core.
#[pyfunction]
pub(crate) fn graph_of<'py>(
    py: Python<'py>,
    spec: &str,
    x: AnySamples<'py>,
    threads: Option<usize>,
) -> PyResult<Sparse<'py>> {
    let spec: Spec = serde_json::from_str(spec).map_err(IntoPyErr::into_py_err)?;
    let graph = match &x {
        AnySamples::F32(x) => {
            let x = x.parts()?;
            door::through(py, |token| spec.graph_of(x.samples()?, &Running::on(threads).cancel(token)))
        }
        AnySamples::F64(x) => {
            let x = x.parts()?;
            door::through(py, |token| spec.graph_of(x.samples()?, &Running::on(threads).cancel(token)))
        }
    }?;
    let (mut starts, mut columns, mut weights) = (vec![0], Vec::new(), Vec::new());
    for (neighbours, weight) in (0..graph.nodes()).map(|i| graph.row(i)) {
        columns.extend(neighbours.iter().map(|&j| i64::from(j)));
        weights.extend_from_slice(weight);
        starts.push(columns.len() as i64);
    }
    Ok((starts.into_pyarray(py), columns.into_pyarray(py), weights.into_pyarray(py)))
}
