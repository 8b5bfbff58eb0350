//! The choice of a number of clusters, of a rank, or of features.

use std::ops::ControlFlow;

use emmf::{Choice, Running, Spec};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays::positions;
use crate::door;
use crate::errors::IntoPyErr;
use crate::samples::AnySamples;

/// What was chosen as JSON, in a sentence, and the clusters at which a fit may start.
type Chosen<'py> = (String, String, Option<Bound<'py, PyArray1<i64>>>);

/// Chooses for fits with the parameters `spec` (JSON). `asked`: whether for a rank instead of a number of clusters, and the
/// least and the largest number. With this many threads; None is one for each core.
#[pyfunction]
pub(crate) fn choose<'py>(
    py: Python<'py>,
    spec: &str,
    x: AnySamples<'py>,
    asked: (bool, (usize, usize)),
    threads: Option<usize>,
) -> PyResult<Chosen<'py>> {
    let spec: Spec = serde_json::from_str(spec).map_err(IntoPyErr::into_py_err)?;
    let (rank, (low, high)) = asked;
    let ks = low..=high;
    let go_on = |_, _| ControlFlow::Continue(());
    macro_rules! choose {
        ($x:expr) => {{
            let x = $x.parts()?;
            door::through(py, |token| {
                let (x, running) = (x.samples()?, Running::on(threads).cancel(token));
                if rank {
                    spec.choose_rank(x, ks, go_on, &running)
                } else {
                    spec.choose_k(x, ks, go_on, &running)
                }
            })
        }};
    }
    let choice: Choice = match &x {
        AnySamples::F32(x) => choose!(x),
        AnySamples::F64(x) => choose!(x),
    }?;
    let (text, sentence) =
        (serde_json::to_string(&choice).map_err(IntoPyErr::into_py_err)?, choice.to_string());
    Ok((text, sentence, choice.clusters.map(|clusters| positions(py, clusters))))
}

/// Chooses widths of layers for fits with the parameters `spec` (JSON). With this many threads; None is one for each core.
#[pyfunction]
pub(crate) fn choose_layers<'py>(
    py: Python<'py>,
    spec: &str,
    x: AnySamples<'py>,
    threads: Option<usize>,
) -> PyResult<Vec<usize>> {
    let spec: Spec = serde_json::from_str(spec).map_err(IntoPyErr::into_py_err)?;
    macro_rules! choose {
        ($x:expr) => {{
            let x = $x.parts()?;
            door::through(py, |token| spec.choose_layers(x.samples()?, &Running::on(threads).cancel(token)))
        }};
    }
    match &x {
        AnySamples::F32(x) => choose!(x),
        AnySamples::F64(x) => choose!(x),
    }
}

/// The places of so many features that vary most.
#[pyfunction]
pub(crate) fn most_variable<'py>(
    py: Python<'py>,
    x: AnySamples<'py>,
    most: usize,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    macro_rules! places {
        ($x:expr) => {{
            let x = $x.parts()?;
            door::through(py, |_| emmf_io::most_variable(x.samples()?, most))
        }};
    }
    let places = match &x {
        AnySamples::F32(x) => places!(x),
        AnySamples::F64(x) => places!(x),
    }?;
    Ok(positions(py, places))
}
