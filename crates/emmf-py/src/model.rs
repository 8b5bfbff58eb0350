//! A fitted model: codes and explains samples, and goes to a file and back.

use std::path::PathBuf;

use emmf::outliers::Reason;
use emmf::{Coded, Mat, Real, Running};
use emmf_io::{AnyModel, Notes};
use numpy::{Element, IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arrays::{matrix, owned};
use crate::door;
use crate::errors::IntoPyErr;
use crate::samples::{AnySamples, Borrowed};

/// A fitted model of either floating-point type, and what is known about its features.
#[pyclass(frozen, module = "emmf._emmf")]
pub(crate) struct Model {
    pub(crate) model: AnyModel,
    pub(crate) notes: Notes,
}

/// Evaluates for the model in its own type.
macro_rules! either {
    ($self:ident, $model:ident => $call:expr) => {
        match &$self.model {
            AnyModel::F32($model) => $call,
            AnyModel::F64($model) => $call,
        }
    };
}

/// Evaluates for the model and the samples in their common type.
macro_rules! together {
    ($self:ident, $x:ident, $model:ident => $call:expr) => {
        match (&$self.model, &$x) {
            (AnyModel::F32($model), AnySamples::F32($x)) => $call,
            (AnyModel::F64($model), AnySamples::F64($x)) => $call,
            _ => Err(PyTypeError::new_err("the samples are not of the type of the model")),
        }
    };
}

#[pymethods]
impl Model {
    /// Coefficients, labels, residuals, scores and filled-in samples. With this many threads; None is one for each core.
    fn transform<'py>(
        &self,
        py: Python<'py>,
        x: AnySamples<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        together!(self, x, model => results(py, coded(py, (model, threads), x)?))
    }

    /// What of every sample is not explained, feature by feature.
    fn explain<'py>(
        &self,
        py: Python<'py>,
        x: AnySamples<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        together!(self, x, model => {
            let x = x.parts()?;
            let left = door::through(py, |token| {
                let (x, running) = (x.samples()?, Running::on(threads).cancel(token));
                let fitted = model.reconstruct(&model.transform_with(x, &running)?.v)?;
                let mut left = model.prepare(x)?;
                let entries = left.as_mut_slice().iter_mut().zip(fitted.as_slice());
                entries.for_each(|(left, fitted)| *left -= *fitted);
                Ok::<_, emmf::Error>(left)
            })?;
            Ok(matrix(py, left)?.into_any())
        })
    }

    /// The names of the reasons, and for each of them how far every sample is from the usual and the part of its score that it
    /// makes: NaN and 0 where nothing was measured.
    fn outlier_parts<'py>(
        &self,
        py: Python<'py>,
        x: AnySamples<'py>,
        threads: Option<usize>,
    ) -> PyResult<(Vec<&'static str>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let found = together!(self, x, model => {
            let x = x.parts()?;
            door::through(py, |token| model.outlier_parts(x.samples()?, &Running::on(threads).cancel(token)))
        })?;
        let (mut zs, mut parts) =
            (Mat::zeros(found.len(), Reason::PARTS.len()), Mat::zeros(found.len(), Reason::PARTS.len()));
        zs.as_mut_slice().fill(f64::NAN);
        for (i, part) in
            found.iter().enumerate().flat_map(|(i, parts)| parts.iter().map(move |part| (i, part)))
        {
            let at = (i, part.reason as usize);
            (zs[at], parts[at]) = (part.z, part.part);
        }
        let names = Reason::PARTS.map(Reason::name).to_vec();
        Ok((names, matrix(py, zs)?.into_any(), matrix(py, parts)?.into_any()))
    }

    /// The model after it has learned from one more batch, with these weights, and the batch as it was before.
    fn update<'py>(
        &self,
        py: Python<'py>,
        x: AnySamples<'py>,
        weights: Option<PyReadonlyArray1<'py, f64>>,
        threads: Option<usize>,
    ) -> PyResult<(Self, Bound<'py, PyDict>)> {
        let weights = weights.as_ref().map(|weights| weights.as_slice()).transpose()?;
        macro_rules! update {
            ($model:ident, $x:ident, $any:expr) => {{
                let x = $x.parts()?;
                let updated = door::through(py, |token| {
                    $model.update(x.samples()?, weights, &Running::on(threads).cancel(token))
                })?;
                let found = results(py, updated.coded)?;
                found.set_item("set_aside", crate::arrays::positions(py, updated.set_aside))?;
                Ok((Self { model: $any(updated.model), notes: self.notes.clone() }, found))
            }};
        }
        match (&self.model, &x) {
            (AnyModel::F32(model), AnySamples::F32(x)) => update!(model, x, AnyModel::F32),
            (AnyModel::F64(model), AnySamples::F64(x)) => update!(model, x, AnyModel::F64),
            _ => Err(PyTypeError::new_err("the samples are not of the type of the model")),
        }
    }

    /// What it remembers, where it goes on learning: samples seen, share of outliers in the last batch, half-life.
    #[getter]
    fn past(&self) -> Option<(u64, f64, Option<f64>)> {
        either!(self, model => model.past()).map(|past| (past.seen, past.drift, past.half_life))
    }

    /// The same model with scores by what is usual among these samples, those that count; their residuals are measured.
    fn judging<'py>(
        &self,
        py: Python<'py>,
        x: AnySamples<'py>,
        counts: PyReadonlyArray1<'py, bool>,
    ) -> PyResult<Self> {
        let counts = counts.as_slice()?;
        macro_rules! judging {
            ($model:ident, $x:ident, $any:expr) => {{
                let x = $x.parts()?;
                let judging = door::through(py, |token| {
                    $model.judging(x.samples()?, counts, &Running::default().cancel(token))
                })?;
                Ok(Self { model: $any(judging), notes: self.notes.clone() })
            }};
        }
        match (&self.model, &x) {
            (AnyModel::F32(model), AnySamples::F32(x)) => judging!(model, x, AnyModel::F32),
            (AnyModel::F64(model), AnySamples::F64(x)) => judging!(model, x, AnyModel::F64),
            _ => Err(PyTypeError::new_err("the samples are not of the type of the model")),
        }
    }

    /// V·Uᵀ.
    fn reconstruct<'py>(&self, py: Python<'py>, v: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        either!(self, model => reconstructed(py, model, v))
    }

    /// Preprocessed values as they would be without the preprocessing, of these samples where it needs them.
    fn undo<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        of: Option<AnySamples<'py>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match (&self.model, &of) {
            (AnyModel::F32(model), None) => undone(py, model, (values, None)),
            (AnyModel::F64(model), None) => undone(py, model, (values, None)),
            (AnyModel::F32(model), Some(AnySamples::F32(x))) => undone(py, model, (values, Some(x))),
            (AnyModel::F64(model), Some(AnySamples::F64(x))) => undone(py, model, (values, Some(x))),
            _ => Err(PyTypeError::new_err("the samples are not of the type of the model")),
        }
    }

    /// Centroid, rank, feature, value and share of the features that the centroids have most of.
    fn main_features(&self, most: usize) -> Vec<(usize, usize, usize, f64, f64)> {
        either!(self, model => {
            let found = emmf_io::main_features(model.centroids(), most).into_iter();
            found.map(|top| (top.centroid, top.rank, top.feature, top.value.to_f64(), top.share)).collect()
        })
    }

    /// U.
    #[getter]
    fn centroids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(either!(self, model => matrix(py, model.centroids().clone())?.into_any()))
    }

    /// Centroids, shares and certainties of the layers above the first.
    #[getter]
    fn layers<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        either!(self, model => crate::layers::above(py, model))
    }

    /// Coefficients on a layer, from 1 on, given those on the first.
    fn coefficients_on<'py>(
        &self,
        py: Python<'py>,
        v: &Bound<'py, PyAny>,
        layer: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        either!(self, model => on_layer(py, model, v, layer))
    }

    /// The parameters of the fit, as JSON.
    #[getter]
    fn spec(&self) -> PyResult<String> {
        serde_json::to_string(self.model.spec()).map_err(IntoPyErr::into_py_err)
    }

    /// Median and spread of the training residuals.
    #[getter]
    fn residual_scale(&self) -> (f64, f64) {
        let scale = either!(self, model => model.residual_scale());
        (scale.center, scale.spread)
    }

    /// The names of the features, where they have any.
    #[getter]
    fn features(&self) -> Option<Vec<String>> {
        self.notes.features.clone()
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        either!(self, model => door::through(py, |_| emmf_io::write_model(&path, model, &self.notes)))
    }

    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        door::through(py, |_| {
            let (model, notes) = emmf_io::read_model_and_notes(&path)?;
            Ok::<_, emmf_io::Error>(Self { model, notes })
        })
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let name = "the pickled model";
        let model = emmf_io::model_from_bytes(bytes, name).map_err(IntoPyErr::into_py_err)?;
        let notes = emmf_io::notes_from_bytes(bytes, name).map_err(IntoPyErr::into_py_err)?;
        Ok(Self { model, notes })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = emmf_io::model_to_bytes(&self.model, &self.notes).map_err(IntoPyErr::into_py_err)?;
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (PyBytes::new(py, &bytes),)))
    }
}

fn coded<T: Element + Real>(
    py: Python<'_>,
    (model, threads): (&emmf::Model<T>, Option<usize>),
    x: &Borrowed<'_, T>,
) -> PyResult<Coded<T>> {
    let x = x.parts()?;
    door::through(py, |token| model.transform_with(x.samples()?, &Running::on(threads).cancel(token)))
}

fn results<T: Element + Real>(py: Python<'_>, coded: Coded<T>) -> PyResult<Bound<'_, PyDict>> {
    let results = PyDict::new(py);
    results.set_item("v", matrix(py, coded.v)?)?;
    results.set_item("labels", crate::arrays::positions(py, coded.labels))?;
    results.set_item("residuals", coded.residuals.into_pyarray(py))?;
    results.set_item("scores", coded.scores.into_pyarray(py))?;
    results.set_item("reasons", crate::fit::reasons(&coded.reasons))?;
    results.set_item("layers", crate::layers::on_layers(py, coded.layers)?)?;
    results.set_item("imputed", coded.imputed.map(|imputed| matrix(py, imputed)).transpose()?)?;
    Ok(results)
}

fn reconstructed<'py, T: Element + Real>(
    py: Python<'py>,
    model: &emmf::Model<T>,
    v: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let v = owned(&v.extract::<PyReadonlyArray2<'py, T>>()?);
    Ok(matrix(py, door::through(py, |_| model.reconstruct(&v))?)?.into_any())
}

fn undone<'py, T: Element + Real>(
    py: Python<'py>,
    model: &emmf::Model<T>,
    (values, of): (&Bound<'py, PyAny>, Option<&Borrowed<'py, T>>),
) -> PyResult<Bound<'py, PyAny>> {
    let values = owned(&values.extract::<PyReadonlyArray2<'py, T>>()?);
    let of = of.map(Borrowed::parts).transpose()?;
    let done =
        door::through(py, |_| model.undo(&values, of.map(crate::samples::Parts::samples).transpose()?))?;
    Ok(matrix(py, done)?.into_any())
}

fn on_layer<'py, T: Element + Real>(
    py: Python<'py>,
    model: &emmf::Model<T>,
    v: &Bound<'py, PyAny>,
    layer: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let v = owned(&v.extract::<PyReadonlyArray2<'py, T>>()?);
    let found = model.coefficients_on(&v, layer).map_err(IntoPyErr::into_py_err)?;
    Ok(matrix(py, found)?.into_any())
}
