//! What a fit leaves in a folder.

use std::fs;
use std::path::Path;

use emmf::method::{Extra, Value};
use emmf::{Fit, Mat, Real};

use crate::atomic::Batch;
use crate::error::{Error, Problem};
use crate::model::to_bytes;
use crate::npy_write::write_reals;
use crate::record::{Record, record_to, samples_to};

/// Writes `model.safetensors`, `samples.csv` (row, label, residual, weight, score), `record.json` and an NPY
/// file for every matrix among the extra results into a folder, which is made where it is missing: all of
/// them, or none.
pub fn write_results<T: Real>(folder: &Path, fit: &Fit<T>, record: &Record) -> Result<(), Error> {
    let is_new = !folder.exists();
    let in_folder = |e| Problem::Write(e).of(folder.display().to_string());
    fs::create_dir_all(folder).map_err(in_folder)?;
    let written = write_files(folder, fit, record);
    if written.is_err() && is_new {
        // It is empty, and was not there before.
        fs::remove_dir(folder).ok();
    }
    written
}

fn write_files<T: Real>(folder: &Path, fit: &Fit<T>, record: &Record) -> Result<(), Error> {
    let mut batch = Batch::default();
    let path = folder.join("model.safetensors");
    let bytes = to_bytes(&fit.model).map_err(|problem| problem.of(path.display().to_string()))?;
    batch.add(&path, |out| out.write_all(&bytes))?;
    batch.add(&folder.join("samples.csv"), |out| samples_to(out, &record.samples))?;
    batch.add(&folder.join("record.json"), |out| record_to(out, record))?;
    for (name, matrix) in fit.extras.iter().filter_map(matrix) {
        batch.add(&folder.join(format!("{name}.npy")), |out| write_reals(out, matrix))?;
    }
    batch.commit()
}

fn matrix<T>(extra: &Extra<T>) -> Option<(&str, &Mat<T>)> {
    match &extra.value {
        Value::Matrix(matrix) => Some((extra.name, matrix)),
        _ => None,
    }
}
