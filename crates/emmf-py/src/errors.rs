//! Errors of the library as exceptions, in the words of the Python package.

use emmf::Setting;
use emmf_io::Problem;
use pyo3::exceptions::{PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// An error that has an exception.
pub(crate) trait IntoPyErr {
    fn into_py_err(self) -> PyErr;
}

impl IntoPyErr for emmf::Error {
    fn into_py_err(self) -> PyErr {
        let text = self.told(typed);
        match self {
            Self::Threads { .. } | Self::Device { .. } => PyRuntimeError::new_err(text),
            Self::Memory { .. } => PyMemoryError::new_err(text),
            Self::Read { .. } => PyOSError::new_err(text),
            _ => PyValueError::new_err(format!("{}{text}", in_words_of_scikit_learn(&self))),
        }
    }
}

/// How scikit-learn's own checks of X begin, for which callers look.
fn in_words_of_scikit_learn(error: &emmf::Error) -> &'static str {
    match error {
        emmf::Error::Negative { .. } => "Negative values in data: ",
        emmf::Error::NonFinite { value, .. } if value.is_nan() => "Input X contains NaN: ",
        emmf::Error::NonFinite { .. } => "Input X contains infinity or a value too large for its type: ",
        _ => "",
    }
}

impl IntoPyErr for emmf_io::Error {
    fn into_py_err(self) -> PyErr {
        let text = self.to_string();
        match self.problem {
            // The kind decides which exception it is: FileNotFoundError, PermissionError, …
            Problem::Read(error) | Problem::Write(error) => std::io::Error::new(error.kind(), text).into(),
            Problem::Memory { .. } => PyMemoryError::new_err(text),
            _ => PyValueError::new_err(text),
        }
    }
}

impl IntoPyErr for serde_json::Error {
    fn into_py_err(self) -> PyErr {
        PyValueError::new_err(format!("the parameters are invalid: {self}"))
    }
}

/// The argument of the estimators that sets a parameter of the library.
fn argument(name: &str) -> String {
    match name {
        "k" => "n_components".into(),
        "threads" => "n_jobs".into(),
        "clusters" => "n_clusters".into(),
        "neighbours" => "n_neighbors".into(),
        "lambda" => "lam".into(),
        "alpha-w" => "alpha_W".into(),
        "alpha-h" => "alpha_H".into(),
        _ => name.replace('-', "_"),
    }
}

/// A setting of the library as it is typed in Python.
fn typed(setting: Setting<'_>) -> String {
    let name = argument(setting.name);
    let quoted = |value: &str| format!("\"{value}\"");
    let values = setting.value.map(|value| value.split(" or ").map(quoted).collect::<Vec<_>>().join(" or "));
    values.map_or_else(|| name.clone(), |values| format!("{name}={values}"))
}
