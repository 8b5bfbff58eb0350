//! The made-up data of `emmf.datasets`.

use emmf::Mat;
use emmf::synth::{self, Amount, Example, ImageShape, Labelled, Rays};
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

/// Samples with the truth, the names of classes and features, and height and width of images.
type Shown<'py> = (Made<'py>, Vec<&'static str>, Option<Vec<String>>, Option<(usize, usize)>);

/// `amount`: samples, outliers, seed.
#[pyfunction]
pub(crate) fn example<'py>(py: Python<'py>, kind: &str, amount: (usize, usize, u64)) -> PyResult<Shown<'py>> {
    let make = match kind {
        "shapes" => synth::shapes,
        "cells" => synth::cells,
        _ => synth::spectra,
    };
    let Example { data, classes, features, image, .. } = door::through(py, |_| make(&of(amount)))?;
    Ok((made(py, data)?, classes, features, image.map(|image| (image.height, image.width))))
}

fn of((samples, outliers, seed): (usize, usize, u64)) -> Amount {
    Amount { samples, outliers, seed }
}

/// Texts, their classes, which are outliers, and the names of the classes.
type Written<'py> = (Vec<String>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<bool>>, Vec<&'static str>);

#[pyfunction]
pub(crate) fn example_texts(py: Python<'_>, amount: (usize, usize, u64)) -> PyResult<Written<'_>> {
    let made = door::through(py, |_| synth::texts(&of(amount)))?;
    Ok((made.texts, positions(py, made.labels), made.outlier.into_pyarray(py), made.classes))
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
    let shape = ImageShape { height, width, column_major, colour: false };
    // What is negative is outside of every matrix.
    let rows: Vec<usize> =
        rows.as_array().iter().map(|&row| usize::try_from(row).unwrap_or(usize::MAX)).collect();
    let noisy = door::through(py, |_| synth::add_block_noise(&mut x, shape, &rows, block, seed).map(|()| x))?;
    matrix(py, noisy)
}
