//! Results as numpy arrays. Memory of the library is handed over, not copied.

use emmf::{Mat, Real};
use numpy::{Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

/// A matrix, row-major.
pub(crate) fn matrix<T: Element + Real>(py: Python<'_>, mat: Mat<T>) -> PyResult<Bound<'_, PyArray2<T>>> {
    let shape = mat.shape();
    mat.into_vec().into_pyarray(py).reshape([shape.0, shape.1])
}

/// Labels or positions in Python's usual type.
pub(crate) fn positions(py: Python<'_>, from: Vec<usize>) -> Bound<'_, PyArray1<i64>> {
    from.into_iter().map(|at| at as i64).collect::<Vec<_>>().into_pyarray(py)
}

/// A copy of a small matrix in any memory order.
pub(crate) fn owned<T: Element + Real>(array: &PyReadonlyArray2<'_, T>) -> Mat<T> {
    let array = array.as_array();
    Mat::from_fn(array.nrows(), array.ncols(), |i, j| array[[i, j]])
}
