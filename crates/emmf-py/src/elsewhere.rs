//! A fit of samples that workers of a cluster hold: the loop is here, orders go out and answers come in through Python.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use emmf::method::side::{Answer, Carrier, History, Order, Remote, gathered};
use emmf::preprocess::Normalize;
use emmf::{Error, Fit, Given, Model, Real, Running, Spec};
use emmf_io::{AnyModel, Notes};
use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::door::{self, Callback};
use crate::errors::IntoPyErr;
use crate::fit::results;
use crate::held::Number;
use crate::model;
use crate::shard::{read, written};

/// Orders as bytes, the number of the one after them, and whether there is none.
type Part = (Vec<u8>, usize, bool);

/// What was said to all shards so far, for those that must be made again.
#[pyclass(frozen, module = "emmf._emmf")]
pub(crate) struct Said {
    part: Box<dyn Fn(usize, usize) -> emmf::Result<Part> + Send + Sync>,
}

#[pymethods]
impl Said {
    /// The orders from a number on, until they are so many bytes.
    fn part<'py>(
        &self,
        py: Python<'py>,
        first: usize,
        most: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, usize, bool)> {
        let part = py.detach(|| (self.part)(first, most)).map_err(IntoPyErr::into_py_err)?;
        let (bytes, after, over) = part;
        Ok((PyBytes::new(py, &bytes), after, over))
    }
}

/// The orders of the past from a number on, until they are so many bytes: at least one, if there is any.
fn part_of<T: Number>(past: &History<T>, first: usize, most: usize) -> emmf::Result<Part> {
    let orders = past.orders();
    let (mut after, mut size) = (first.min(orders.len()), 0);
    while after < orders.len() && size < most {
        size += written(&orders[after])?.len();
        after += 1;
    }
    let part = written(&orders[first.min(after)..after])?;
    Ok((part, after, after == orders.len()))
}

/// What a fit elsewhere is given beside its parameters.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Elsewhere {
    shape: (usize, usize),
    single: bool,
    /// Samples of which V, residuals and weights come back.
    fetched: Vec<usize>,
    /// Called with the number of the message, the orders in it and what was said before; gives the answers of all shards to the
    /// last of the orders, in the order of their samples.
    carry: Py<PyAny>,
    features: Option<Vec<String>>,
    callback: Option<Callback>,
    threads: Option<usize>,
}

/// Fits the parameters `spec` (JSON) to samples that are elsewhere; see `fit`.
#[pyfunction]
pub(crate) fn fit_elsewhere<'py>(
    py: Python<'py>,
    spec: &str,
    given: Elsewhere,
) -> PyResult<(model::Model, Bound<'py, PyDict>, Option<PyErr>)> {
    let spec: Spec = serde_json::from_str(spec).map_err(IntoPyErr::into_py_err)?;
    if given.single { run(py, &spec, &given, AnyModel::F32) } else { run(py, &spec, &given, AnyModel::F64) }
}

fn run<'py, T: Element + Number>(
    py: Python<'py>,
    spec: &Spec,
    given: &Elsewhere,
    any: fn(Model<T>) -> AnyModel,
) -> PyResult<(model::Model, Bound<'py, PyDict>, Option<PyErr>)> {
    // Samples are brought to unit length where they are.
    let unit = spec.normalize == [Normalize::Unit];
    let plain = if unit { spec.clone().normalize(Vec::new()) } else { spec.clone() };
    let history = Arc::new(Mutex::new(History::<T>::default()));
    let past = Arc::clone(&history);
    let part = Box::new(move |first, most| part_of(&unlocked(&past), first, most));
    let said = Py::new(py, Said { part })?;
    let carrier = Carrying {
        carry: &given.carry,
        said,
        history,
        waiting: Mutex::default(),
        sent: AtomicU64::new(0),
        raised: Mutex::default(),
    };
    let begun = AtomicU64::new(1);
    let fitted = door::enter(py, given.callback.as_ref(), |observer, token| {
        let side = Remote::new(given.shape, &carrier, &begun).fetching(&given.fetched);
        let running = Running::on(given.threads.or(Some(1))).cancel(token);
        let given = Given { observer: Some(observer), running, ..Given::default() };
        plain.fit_side(&side, given)
    });
    // What the engine says is the cause of what the library says.
    let raised = carrier.raised.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (fit, interrupted) = match (fitted, raised) {
        (Err(_), Some(raised)) => return Err(raised),
        (fitted, _) => fitted?,
    };
    let fit = if unit { prepared(fit, spec).map_err(IntoPyErr::into_py_err)? } else { fit };
    let notes = Notes { features: given.features.clone(), ..Notes::default() };
    let (fitted, found) = results(py, fit)?;
    Ok((model::Model { model: any(fitted), notes }, found, interrupted))
}

/// The fit of samples of unit length, with a model that brings others to it.
fn prepared<T: Real>(fit: Fit<T>, spec: &Spec) -> emmf::Result<Fit<T>> {
    let (model, steps) = (&fit.model, vec![emmf::preprocess::Fitted::Unit]);
    let spec = Spec { normalize: spec.normalize.clone(), ..model.spec().clone() };
    let same = Model::from_parts(spec, model.centroids().clone(), steps, model.residual_scale())?
        .with_coding(model.coding().clone())?
        .with_label_centres(model.label_centres().to_vec())?
        .with_layers(model.layers().to_vec(), model.layer_scales().to_vec())?;
    let same = match model.judge() {
        Some(judge) => same.with_judge(judge.clone())?,
        None => same,
    };
    Ok(Fit { model: same, ..fit })
}

/// Carries orders by a function of Python.
struct Carrying<'a, T> {
    carry: &'a Py<PyAny>,
    said: Py<Said>,
    history: Arc<Mutex<History<T>>>,
    /// Orders that have no answer: they go with the next one that has.
    waiting: Mutex<Vec<(u64, Order<T>)>>,
    sent: AtomicU64,
    /// What the function raised.
    raised: Mutex<Option<PyErr>>,
}

impl<T: Number> Carrying<'_, T> {
    /// Brings orders to all shards; gives their answers to the last, in the order of their samples.
    fn send(&self, orders: &[(u64, Order<T>)]) -> emmf::Result<Vec<Answer<T>>> {
        let bytes = written(orders)?;
        let at = self.sent.fetch_add(1, Ordering::Relaxed);
        let answers: PyResult<Vec<Vec<u8>>> = Python::attach(|py| {
            let said = self.said.bind(py);
            let answers = self.carry.bind(py).call1((at, PyBytes::new(py, &bytes), said))?;
            let answers: Vec<Bound<'_, PyBytes>> = answers.extract()?;
            Ok(answers.iter().map(|answer| answer.as_bytes().to_vec()).collect())
        });
        let answers = answers.map_err(|error| {
            let why = error.to_string();
            *unlocked(&self.raised) = Some(error);
            Error::Read { first: 0, last: 0, why }
        })?;
        answers.iter().map(|bytes| read(bytes)).collect()
    }
}

impl<T: Number> Carrier<T> for Carrying<'_, T> {
    fn carry(&self, number: u64, order: Order<T>) -> emmf::Result<Answer<T>> {
        let asks = order.asks();
        let mut orders = std::mem::take(&mut *unlocked(&self.waiting));
        orders.push((number, order));
        if !asks {
            *unlocked(&self.waiting) = orders;
            return Ok(Answer::Done);
        }
        let all = gathered(self.send(&orders)?)?;
        let mut history = unlocked(&self.history);
        orders.iter().for_each(|(number, order)| history.record(*number, order));
        Ok(all)
    }
}

fn unlocked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
