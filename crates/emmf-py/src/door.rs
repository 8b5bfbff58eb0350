//! The one door from Python into everything that may take long: it lets other Python threads run, turns panics
//! and errors into exceptions, shows the steps to a callback and notices Ctrl-C.

use std::ops::ControlFlow;
use std::time::Duration;

use emmf::{Cancel, Observer, Step};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::IntoPyErr;
use crate::watched::{Failed, News, watched};

/// A callable that gets (restart, iteration, objective, seconds), not more often than every so many seconds.
/// Where it returns something true, the fit ends. And one that gets the name of every phase.
pub(crate) type Callback = (Py<PyAny>, Py<PyAny>, f64);

/// The result of `work`, and what the callback or Ctrl-C raised meanwhile. That does not replace a result: a fit
/// that was broken off has one, too, once it has made an iteration.
pub(crate) fn enter<R: Send, E: IntoPyErr + Send>(
    py: Python<'_>,
    callback: Option<&Callback>,
    work: impl FnOnce(&mut (dyn Observer + Send), &Cancel) -> Result<R, E> + Send,
) -> PyResult<(R, Option<PyErr>)> {
    let every = callback.map(|(_, _, seconds)| Duration::try_from_secs_f64(*seconds).unwrap_or_default());
    let mut raised = None;
    let watch = |news: Option<&News>| {
        if raised.is_some() {
            return ControlFlow::Break(());
        }
        Python::attach(|py| match look(py, callback, news) {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                raised = Some(error);
                ControlFlow::Break(())
            }
        })
    };
    let result = py.detach(|| watched(every, work, watch)).map_err(|failed| match failed {
        Failed::Thread(error) => error.into(),
        Failed::Panic(message) => PyRuntimeError::new_err(format!(
            "the arrays changed while they were in use, or there is a bug in emmf; if nothing changed them, \
             please report it: {message}"
        )),
    })?;
    match (result, raised) {
        // Broken off before there was a result.
        (Err(_), Some(raised)) => Err(raised),
        (result, raised) => result.map(|result| (result, raised)).map_err(IntoPyErr::into_py_err),
    }
}

/// Whether the fit is to end.
fn look(py: Python<'_>, callback: Option<&Callback>, news: Option<&News>) -> PyResult<bool> {
    py.check_signals()?;
    let (Some((on_step, on_phase, _)), Some(news)) = (callback, news) else { return Ok(false) };
    match news {
        News::Step(Step { restart, iteration, objective, elapsed }) => {
            on_step.bind(py).call1((*restart, *iteration, *objective, elapsed.as_secs_f64()))?.is_truthy()
        }
        News::Phase(phase) => on_phase.bind(py).call1((format!("{phase:?}"),)).map(|_| false),
    }
}

/// The same for work that has no steps and is of no use half done.
pub(crate) fn through<R: Send, E: IntoPyErr + Send>(
    py: Python<'_>,
    work: impl FnOnce(&Cancel) -> Result<R, E> + Send,
) -> PyResult<R> {
    let (result, raised) = enter(py, None, |_, token| work(token))?;
    raised.map_or(Ok(result), Err)
}
