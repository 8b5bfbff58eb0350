//! Samples that are owned, not borrowed from Python.

use emmf::{Csr, CsrView, Mat, Real, Samples};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::IntoPyErr;
use crate::rows::Rows;
use crate::samples::Parts;

/// A type of numbers that can be sent.
pub(crate) trait Number: Real + Serialize + DeserializeOwned {}

impl<T: Real + Serialize + DeserializeOwned> Number for T {}

/// The samples.
pub(crate) enum Owned<T> {
    Dense(Mat<T>),
    Csr(Csr<T>),
    File(Rows),
}

impl<T: Real> Owned<T> {
    pub(crate) fn samples(&self) -> Samples<'_, T> {
        match self {
            Self::Dense(x) => x.into(),
            Self::Csr(x) => x.into(),
            Self::File(x) => Samples::Stream(x),
        }
    }
}

/// A copy of borrowed samples.
pub(crate) fn owned<T: Real>(parts: Parts<'_, T>) -> PyResult<Owned<T>> {
    Ok(match parts.samples().map_err(IntoPyErr::into_py_err)? {
        Samples::Dense(x) => Owned::Dense(x.to_mat()),
        Samples::Csr(x) => Owned::Csr(copied(&x).map_err(IntoPyErr::into_py_err)?),
        Samples::Stream(_) => return Err(PyValueError::new_err("samples of a shard are an array")),
    })
}

fn copied<T: Real>(x: &CsrView<'_, T>) -> emmf::Result<Csr<T>> {
    let (mut starts, mut columns) = (vec![0], Vec::with_capacity(x.nnz()));
    let mut values = Vec::with_capacity(x.nnz());
    for i in 0..x.rows() {
        x.row(i).for_each(|(column, value)| {
            columns.push(column as i64);
            values.push(value);
        });
        starts.push(columns.len() as i64);
    }
    Csr::new((x.rows(), x.cols()), starts, columns, values)
}
