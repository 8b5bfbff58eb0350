//! What a fit leaves in a folder.

use std::fs;
use std::path::Path;

use emmf::{Model, Real};

use crate::atomic::Batch;
use crate::error::{Error, Problem};
use crate::model::to_bytes;
use crate::record::{Record, record_to, samples_to};

/// Writes `model.safetensors`, `samples.csv` (row, label, residual, weight, score) and `record.json` into a
/// folder, which is made where it is missing: all three, or none.
pub fn write_results<T: Real>(folder: &Path, model: &Model<T>, record: &Record) -> Result<(), Error> {
    let is_new = !folder.exists();
    let in_folder = |e| Problem::Write(e).of(folder.display().to_string());
    fs::create_dir_all(folder).map_err(in_folder)?;
    let written = write_files(folder, model, record);
    if written.is_err() && is_new {
        // It is empty, and was not there before.
        fs::remove_dir(folder).ok();
    }
    written
}

fn write_files<T: Real>(folder: &Path, model: &Model<T>, record: &Record) -> Result<(), Error> {
    let mut batch = Batch::default();
    let path = folder.join("model.safetensors");
    let bytes = to_bytes(model).map_err(|problem| problem.of(path.display().to_string()))?;
    batch.add(&path, |out| out.write_all(&bytes))?;
    batch.add(&folder.join("samples.csv"), |out| samples_to(out, &record.samples))?;
    batch.add(&folder.join("record.json"), |out| record_to(out, record))?;
    batch.commit()
}
