//! The made-up data of `emmf.datasets`.

use emmf::Mat;
use emmf::synth::{self, ImageShape, Labelled, Rays};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::{matrix, owned, positions};
use crate::door;

/// Samples, their classes, and which are outliers.
type Made<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<bool>>);

fn made(py: Python<'_>, data: Labelled<f64>) -> PyResult<Made<'_>> {
    Ok((matrix(py, data.x)?, positions(py, data.labels), data.outlier.into_pyarray(py)))
}

/// `counts`: classes, features, samples, outliers.
#[pyfunction]
pub(crate) fn rays(
    py: Python<'_>,
    counts: (usize, usize, usize, usize),
    noise: f64,
    outlier_scale: f64,
    seed: u64,
) -> PyResult<Made<'_>> {
    let (classes, features, samples, outliers) = counts;
    let rays = Rays { classes, features, samples, outliers, noise, outlier_scale, seed };
    made(py, door::through(py, |_| synth::rays_with_outliers(&rays))?)
}

#[pyfunction]
pub(crate) fn toy(py: Python<'_>, outliers: bool) -> PyResult<Made<'_>> {
    made(py, if outliers { synth::toy_with_outliers() } else { synth::toy_clean() })
}

#[pyfunction]
pub(crate) fn add_outliers<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    count: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let x = owned(&x);
    matrix(py, door::through(py, |_| Ok::<_, emmf::Error>(synth::add_outliers(&x, count, seed)))?)
}

/// `image`: height, width, and whether features run down the columns.
#[pyfunction]
pub(crate) fn add_block_noise<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    image: (usize, usize, bool),
    rows: PyReadonlyArray1<'py, i64>,
    block: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut x: Mat<f64> = owned(&x);
    let (height, width, column_major) = image;
    let shape = ImageShape { height, width, column_major };
    // What is negative is outside of every matrix.
    let rows: Vec<usize> =
        rows.as_array().iter().map(|&row| usize::try_from(row).unwrap_or(usize::MAX)).collect();
    let noisy = door::through(py, |_| synth::add_block_noise(&mut x, shape, &rows, block, seed).map(|()| x))?;
    matrix(py, noisy)
}
