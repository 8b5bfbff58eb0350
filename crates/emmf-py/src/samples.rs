//! X as Python gives it, borrowed: dense with any strides, or sparse, compressed by rows.

use emmf::{CsrView, Indices, Real, Samples, View};
use numpy::{Element, PyReadonlyArray1};
use pyo3::prelude::*;

/// Samples of either floating-point type.
#[derive(FromPyObject)]
pub(crate) enum AnySamples<'py> {
    /// Single precision.
    F32(Borrowed<'py, f32>),
    /// Double precision.
    F64(Borrowed<'py, f64>),
}

/// The arrays of a matrix.
#[derive(FromPyObject)]
pub(crate) enum Borrowed<'py, T: Element> {
    /// All memory from the first to the last entry, the shape, and the strides in entries.
    Dense((PyReadonlyArray1<'py, T>, (usize, usize), (usize, usize))),
    /// Row pointers, columns, values and the shape.
    Csr((Positions<'py>, Positions<'py>, PyReadonlyArray1<'py, T>, (usize, usize))),
}

/// Row pointers or columns.
#[derive(FromPyObject)]
pub(crate) enum Positions<'py> {
    /// 32 bits.
    I32(PyReadonlyArray1<'py, i32>),
    /// 64 bits.
    I64(PyReadonlyArray1<'py, i64>),
}

impl Positions<'_> {
    fn indices(&self) -> PyResult<Indices<'_>> {
        Ok(match self {
            Self::I32(array) => Indices::I32(array.as_slice()?),
            Self::I64(array) => Indices::I64(array.as_slice()?),
        })
    }
}

impl<T: Element + Real> Borrowed<'_, T> {
    /// The arrays as slices, which other threads may read. They are put together there, because to check a sparse
    /// matrix takes time.
    pub(crate) fn parts(&self) -> PyResult<Parts<'_, T>> {
        Ok(match self {
            Self::Dense((all, shape, strides)) => Parts::Dense(all.as_slice()?, *shape, *strides),
            Self::Csr((starts, columns, values, shape)) => {
                Parts::Csr(starts.indices()?, columns.indices()?, values.as_slice()?, *shape)
            }
        })
    }
}

/// The slices of a matrix.
pub(crate) enum Parts<'a, T> {
    Dense(&'a [T], (usize, usize), (usize, usize)),
    Csr(Indices<'a>, Indices<'a>, &'a [T], (usize, usize)),
}

impl<'a, T: Real> Parts<'a, T> {
    pub(crate) fn samples(self) -> emmf::Result<Samples<'a, T>> {
        Ok(match self {
            Self::Dense(all, shape, strides) => View::new(all, shape, strides)?.into(),
            Self::Csr(starts, columns, values, shape) => CsrView::new(shape, starts, columns, values)?.into(),
        })
    }
}
