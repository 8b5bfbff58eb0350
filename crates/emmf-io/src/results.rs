//! What a fit leaves in a folder.

use std::fs;
use std::path::Path;

use emmf::method::{Extra, Value};
use emmf::{Fit, Mat, Real};

use crate::atomic::Batch;
use crate::error::{Error, Problem};
use crate::model::{Notes, to_bytes};
use crate::npy_write::write_reals;
use crate::record::{Record, record_to, samples_to};

/// Writes `model.safetensors`, `samples.csv` (row, label, residual, weight, score, outlier), `record.json` and an NPY
/// file for every matrix among the extra results, and for the samples where missing values were filled in, into a folder, which is made where it is missing: all of
/// them, or none.
pub fn write_results<T: Real>(
    folder: &Path,
    fit: &Fit<T>,
    record: &Record,
    notes: &Notes,
) -> Result<(), Error> {
    let is_new = !folder.exists();
    let in_folder = |e| Problem::Write(e).of(folder.display().to_string());
    fs::create_dir_all(folder).map_err(in_folder)?;
    let written = write_files(folder, fit, record, notes);
    if written.is_err() && is_new {
        // It is empty, and was not there before.
        fs::remove_dir(folder).ok();
    }
    written
}

fn write_files<T: Real>(folder: &Path, fit: &Fit<T>, record: &Record, notes: &Notes) -> Result<(), Error> {
    let mut batch = Batch::default();
    let path = folder.join("model.safetensors");
    let bytes = to_bytes(&fit.model, notes).map_err(|problem| problem.of(path.display().to_string()))?;
    batch.add(&path, |out| out.write_all(&bytes))?;
    batch.add(&folder.join("samples.csv"), |out| samples_to(out, record))?;
    batch.add(&folder.join("record.json"), |out| record_to(out, record))?;
    let imputed = fit.imputed.iter().map(|imputed| ("imputed", imputed));
    for (name, matrix) in fit.extras.iter().filter_map(matrix).chain(imputed) {
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
