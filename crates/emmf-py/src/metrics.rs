//! The measures of `emmf.metrics`. Labels come as numbers from 0.

use emmf::metrics::{self, Contingency, NmiNorm, outlier_effect};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::door;

/// Agreement of two labelings by the measure of this name.
#[pyfunction]
pub(crate) fn agreement(
    py: Python<'_>,
    measure: &str,
    truth: PyReadonlyArray1<'_, i64>,
    predicted: PyReadonlyArray1<'_, i64>,
) -> PyResult<f64> {
    let (truth, predicted) = (truth.as_slice()?, predicted.as_slice()?);
    let evaluate: fn(&Contingency) -> f64 = match measure {
        "accuracy" => Contingency::accuracy,
        "ari" => Contingency::ari,
        "purity" => Contingency::purity,
        "nmi-max" => |table| table.nmi(NmiNorm::Max),
        "nmi-geometric" => |table| table.nmi(NmiNorm::Sqrt),
        "nmi-arithmetic" => |table| table.nmi(NmiNorm::Arithmetic),
        "nmi-min" => |table| table.nmi(NmiNorm::Min),
        _ => return Err(PyValueError::new_err(format!("there is no measure named '{measure}'"))),
    };
    door::through(py, |_| Contingency::new(truth, predicted).map(|table| evaluate(&table)))
}

#[pyfunction]
pub(crate) fn roc_auc(
    py: Python<'_>,
    scores: PyReadonlyArray1<'_, f64>,
    outlier: PyReadonlyArray1<'_, bool>,
) -> PyResult<f64> {
    let (scores, outlier) = (scores.as_slice()?, outlier.as_slice()?);
    door::through(py, |_| metrics::roc_auc(scores, outlier))
}

#[pyfunction]
pub(crate) fn precision_at(
    py: Python<'_>,
    scores: PyReadonlyArray1<'_, f64>,
    outlier: PyReadonlyArray1<'_, bool>,
    m: usize,
) -> PyResult<f64> {
    let (scores, outlier) = (scores.as_slice()?, outlier.as_slice()?);
    door::through(py, |_| metrics::precision_at(scores, outlier, m))
}

/// The share of every sample in the objective of one of three methods.
#[pyfunction]
pub(crate) fn effect<'py>(
    py: Python<'py>,
    method: &str,
    residuals: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let residuals = residuals.as_slice()?;
    let shares = match method {
        "emmf" => outlier_effect::emmf,
        "nmf" => outlier_effect::nmf,
        "l21-nmf" => outlier_effect::l21,
        _ => return Err(PyValueError::new_err(format!("there is no outlier effect for '{method}'"))),
    };
    Ok(door::through(py, |_| shares(residuals))?.into_pyarray(py))
}
