//! Which samples are outliers.

use emmf::Cut;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::IntoPyErr;

/// The score above which this share of the samples lies.
#[pyfunction]
pub(crate) fn threshold_for(scores: PyReadonlyArray1<'_, f64>, share: f64) -> PyResult<f64> {
    Cut::Share(share).threshold(scores.as_slice()?).map_err(IntoPyErr::into_py_err)
}

/// Whether each sample has a score above the threshold, or is one of those set aside, which ascend.
#[pyfunction]
pub(crate) fn outliers<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'py, f64>,
    set_aside: PyReadonlyArray1<'py, i64>,
    threshold: f64,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let set_aside: Vec<usize> = set_aside.as_slice()?.iter().map(|&row| row as usize).collect();
    let found: Vec<bool> = emmf::outliers::outliers(scores.as_slice()?, &set_aside, threshold).collect();
    Ok(found.into_pyarray(py))
}
