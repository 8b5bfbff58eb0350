//! Samples that a worker of a cluster holds, in memory of the library, and what it does with them when it is told.
//!
//! A shard is a thread that obeys orders, one after the other. Orders and answers are bytes; what is in them, nobody on the way
//! needs to know.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

use emmf::method::side::{self, Answer, Held, Order, Place, Server, joined, serve, share};
use emmf::{Running, Threads};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyBytesMethods};

use crate::door;
use crate::errors::IntoPyErr;
use crate::held::{Number, Owned, owned};
use crate::model::Model;
use crate::rows::Rows;
use crate::samples::AnySamples;
use emmf_io::AnyModel;

/// Orders in bytes, and where the answer to the last of them goes.
struct Task {
    bytes: Vec<u8>,
    answer: SyncSender<emmf::Result<Vec<u8>>>,
}

/// The samples, which several threads may read.
#[derive(Clone)]
enum Samples {
    F32(Arc<Owned<f32>>),
    F64(Arc<Owned<f64>>),
}

/// Samples that a worker holds.
#[pyclass(frozen, module = "emmf._emmf")]
pub(crate) struct Shard {
    samples: Samples,
    about: About,
    tasks: Mutex<Sender<Task>>,
}

/// What a shard is told beside its samples: total, first and count of its place, rows of a leaf, whether samples are brought
/// to unit length, and threads.
type About = ((usize, usize, usize), usize, bool, usize);

#[pymethods]
impl Shard {
    /// Takes a copy of the samples; each counts as often as its weight says, or once.
    #[new]
    fn new(
        py: Python<'_>,
        x: AnySamples<'_>,
        about: About,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let samples = match &x {
            AnySamples::F32(x) => Samples::F32(Arc::new(owned(x.parts()?)?)),
            AnySamples::F64(x) => Samples::F64(Arc::new(owned(x.parts()?)?)),
        };
        Self::of(py, samples, about, weights.map(|weights| weights.as_array().to_vec()))
    }

    /// Leaves the samples in a NPY file, from a row on, and reads them whenever it needs them, in single precision or not.
    #[staticmethod]
    fn in_file(
        py: Python<'_>,
        path: PathBuf,
        which: (usize, bool),
        about: About,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        let (first, single) = which;
        let rows = Rows::open(&path, first, about.0.2)?;
        let samples = if single {
            Samples::F32(Arc::new(Owned::File(rows)))
        } else {
            Samples::F64(Arc::new(Owned::File(rows)))
        };
        Self::of(py, samples, about, weights.map(|weights| weights.as_array().to_vec()))
    }

    /// The same samples, which have done nothing yet and count so often.
    fn with_weights(&self, py: Python<'_>, weights: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        Self::of(py, self.samples.clone(), self.about, Some(weights.as_array().to_vec()))
    }

    /// The outlier scores of its samples, by a model.
    fn scores<'py>(&self, py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let threads = self.about.3;
        let scores = match (&self.samples, &model.model) {
            (Samples::F32(x), AnyModel::F32(model)) => {
                door::through(py, |token| {
                    model.transform_with(x.samples(), &Running::on(threads).cancel(token))
                })?
                .scores
            }
            (Samples::F64(x), AnyModel::F64(model)) => {
                door::through(py, |token| {
                    model.transform_with(x.samples(), &Running::on(threads).cancel(token))
                })?
                .scores
            }
            _ => return Err(PyTypeError::new_err("the samples are not of the type of the model")),
        };
        Ok(scores.into_pyarray(py))
    }

    /// Does what it is told, one order after the other; gives the answer to the last.
    fn obey<'py>(&self, py: Python<'py>, orders: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let (answer, answers) = mpsc::sync_channel(1);
        let task = Task { bytes: orders.to_vec(), answer };
        let gone = || PyRuntimeError::new_err("the shard has ended; there may be too little memory");
        let sent = self.tasks.lock().map(|tasks| tasks.send(task));
        if !matches!(sent, Ok(Ok(()))) {
            return Err(gone());
        }
        let answer = py.detach(move || answers.recv()).map_err(|_| gone())?;
        Ok(PyBytes::new(py, &answer.map_err(IntoPyErr::into_py_err)?))
    }
}

impl Shard {
    fn of(py: Python<'_>, samples: Samples, about: About, weights: Option<Vec<f64>>) -> PyResult<Self> {
        let tasks = match &samples {
            Samples::F32(x) => begin(py, Arc::clone(x), about, weights),
            Samples::F64(x) => begin(py, Arc::clone(x), about, weights),
        }?;
        Ok(Self { samples, about, tasks: Mutex::new(tasks) })
    }
}

/// Starts the thread, and waits until it has looked through its samples.
fn begin<T: Number>(
    py: Python<'_>,
    x: Arc<Owned<T>>,
    about: About,
    weights: Option<Vec<f64>>,
) -> PyResult<Sender<Task>> {
    let (tasks, orders) = mpsc::channel();
    let (ready, looked) = mpsc::sync_channel(1);
    let builder = thread::Builder::new().name("emmf-shard".into());
    builder.spawn(move || {
        let ((total, first, count), rows_per_leaf, unit, threads) = about;
        let place = Place { total, first, count };
        let weights = weights.unwrap_or_else(|| vec![1.0; count]);
        let held = Held { place, rows_per_leaf, unit, weights: &weights };
        let started = ready.clone();
        let served = serve(x.samples(), &held, Threads::Number(threads), move |server| {
            started.send(Ok(())).ok();
            obey_all(server, &place, &orders);
            Ok(())
        });
        if let Err(error) = served {
            ready.send(Err(error)).ok();
        }
    })?;
    let gone = || PyRuntimeError::new_err("the shard could not be started; there may be too little memory");
    py.detach(move || looked.recv()).map_err(|_| gone())?.map_err(IntoPyErr::into_py_err)?;
    Ok(tasks)
}

/// Until nobody is left who could ask.
fn obey_all<T: Number>(server: &mut Server<'_, T>, place: &Place, tasks: &Receiver<Task>) {
    for Task { bytes, answer } in tasks {
        // Who does not wait any more needs no answer.
        answer.send(obey(server, place, &bytes)).ok();
    }
}

fn obey<T: Number>(server: &mut Server<'_, T>, place: &Place, bytes: &[u8]) -> emmf::Result<Vec<u8>> {
    let orders: Vec<(u64, Order<T>)> = read(bytes)?;
    let mut last = Answer::Done;
    for (number, order) in orders {
        last = server.obey(number, share(order, place)?)?;
    }
    joined(vec![last]).first().map_or(Ok(Vec::new()), written)
}

/// What bytes of this program say.
pub(crate) fn read<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> emmf::Result<T> {
    postcard::from_bytes(bytes).map_err(|error| foreign(&error))
}

/// What is said, in bytes.
pub(crate) fn written<T: serde::Serialize + ?Sized>(what: &T) -> emmf::Result<Vec<u8>> {
    postcard::to_allocvec(what).map_err(|error| foreign(&error))
}

fn foreign(error: &postcard::Error) -> emmf::Error {
    let must = "from the same version of emmf on every machine";
    emmf::Error::param("the message", format!("not understood ({error})"), must)
}

/// Answers of several shards of one worker, with as few sums as there can be; in single precision or not.
#[pyfunction]
pub(crate) fn join<'py>(
    py: Python<'py>,
    answers: Vec<Bound<'py, PyBytes>>,
    single: bool,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    fn all<T: Number>(answers: &[&[u8]]) -> emmf::Result<Vec<Vec<u8>>> {
        let answers = answers.iter().map(|bytes| read(bytes)).collect::<emmf::Result<Vec<Answer<T>>>>()?;
        joined(answers).iter().map(written).collect()
    }
    let bytes: Vec<&[u8]> = answers.iter().map(PyBytesMethods::as_bytes).collect();
    let joined = if single { all::<f32>(&bytes) } else { all::<f64>(&bytes) };
    let joined = joined.map_err(IntoPyErr::into_py_err)?;
    Ok(joined.iter().map(|bytes| PyBytes::new(py, bytes)).collect())
}

/// The places (first, count) of n×d samples in so many shards, and rows of a leaf.
#[pyfunction]
pub(crate) fn cut(shape: (usize, usize), sparse: bool, shards: usize) -> (Vec<(usize, usize)>, usize) {
    let rows_per_leaf = side::leaf_rows(shape, sparse);
    let places = Place::cut(shape.0, rows_per_leaf, shards);
    let there = places.iter().filter(|place| place.count > 0);
    (there.map(|place| (place.first, place.count)).collect(), rows_per_leaf)
}

/// The numbers of at most so many of n samples.
#[pyfunction]
pub(crate) fn some_samples(seed: u64, n: usize, most: usize) -> Vec<usize> {
    side::some_samples(seed, n, most)
}
