//! Some rows of a NPY file, read whenever they are needed.

use std::ops::Range;
use std::path::Path;

use emmf::{Error, Real, Result, RowSource};
use emmf_io::{FileRows, ReadOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::IntoPyErr;

/// Rows of a file, from one on.
pub(crate) struct Rows {
    file: FileRows,
    first: usize,
    count: usize,
}

impl Rows {
    pub(crate) fn open(path: &Path, first: usize, count: usize) -> PyResult<Self> {
        let file = emmf_io::stream(path, &ReadOptions::default(), 0).map_err(IntoPyErr::into_py_err)?.rows;
        let (rows, _) = RowSource::<f64>::shape(&file);
        if first + count > rows {
            let message = format!("{} has {rows} samples now, not {} or more", path.display(), first + count);
            return Err(PyValueError::new_err(message));
        }
        Ok(Self { file, first, count })
    }
}

impl<T: Real> RowSource<T> for Rows
where
    FileRows: RowSource<T>,
{
    fn shape(&self) -> (usize, usize) {
        (self.count, RowSource::<T>::shape(&self.file).1)
    }

    fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()> {
        if rows.end > self.count {
            return Err(Error::param("row", rows.end, format!("at most {}", self.count)));
        }
        self.file.read(self.first + rows.start..self.first + rows.end, out)
    }
}
