//! Samples as points along their principal components.

use emmf::embed::{Likeness, Plane, plane as plane_of};
use emmf::{Mat, Real, Running};
use emmf_io::AnyModel;
use numpy::{Element, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{matrix, owned};
use crate::door;
use crate::model::Model;
use crate::samples::{AnySamples, Borrowed, Parts};

/// Points, shares of the variance along both axes, places of the centroids, and what is compared.
type Drawn<'py> = (Bound<'py, PyAny>, [f64; 2], Bound<'py, PyAny>, &'static str);

/// The samples that have the coefficients `v`: their own principal components, or those of `v` where they are not given or values are
/// missing.
#[pyfunction]
pub(crate) fn plane<'py>(
    py: Python<'py>,
    model: &Model,
    v: &Bound<'py, PyAny>,
    x: Option<AnySamples<'py>>,
    threads: Option<usize>,
) -> PyResult<Drawn<'py>> {
    match (&model.model, &x) {
        (AnyModel::F32(model), None) => drawn(py, model, (v, None), threads),
        (AnyModel::F64(model), None) => drawn(py, model, (v, None), threads),
        (AnyModel::F32(model), Some(AnySamples::F32(x))) => drawn(py, model, (v, Some(x)), threads),
        (AnyModel::F64(model), Some(AnySamples::F64(x))) => drawn(py, model, (v, Some(x)), threads),
        _ => Err(PyTypeError::new_err("the samples are not of the type of the model")),
    }
}

fn drawn<'py, T: Element + Real>(
    py: Python<'py>,
    model: &emmf::Model<T>,
    (v, x): (&Bound<'py, PyAny>, Option<&Borrowed<'py, T>>),
    threads: Option<usize>,
) -> PyResult<Drawn<'py>> {
    let v = owned(&v.extract::<PyReadonlyArray2<'py, T>>()?);
    let x = x.map(Borrowed::parts).transpose()?;
    let Plane { points, shares, centroids, by } = door::through(py, |token| {
        let x = x.map(Parts::samples).transpose()?;
        plane_of(model, &v, x, &Running::on(threads).cancel(token))
    })?;
    let by = match by {
        Likeness::Samples => "samples",
        Likeness::Coefficients => "coefficients",
    };
    let places = |points: &[[f64; 2]]| {
        matrix(py, Mat::from_fn(points.len(), 2, |i, axis| points[i][axis])).map(Bound::into_any)
    };
    Ok((places(&points)?, shares, places(&centroids)?, by))
}
