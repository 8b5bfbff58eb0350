//! Writing a data set in the format that the name of the file asks for.

use crate::atomic::{Batch, check_writable, write_atomically};
use crate::dataset::Dataset;
use crate::error::{Error, Problem};
use crate::format::Format;
use crate::{mat, matrix_market_write, npy_write, npz_write, text};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;

/// Writes a data set, as a whole or not at all. The ending chooses the format: `.csv`, `.tsv`,
/// `.npy`, `.npz`, `.mat`, `.mtx` or `.parquet`; `-` is CSV on standard output.
///
/// Labels that the format cannot hold (`.npy`, `.mtx`) are refused; names of columns are left out
/// of formats without a place for them (those and `.mat`).
pub fn write(path: &Path, dataset: &Dataset) -> Result<(), Error> {
    let format = format_of(path)?;
    check(format, dataset).map_err(|problem| problem.of(path.display().to_string()))?;
    write_atomically(path, |out| dispatch(format, path, out, dataset))
}

/// Writes a data set as [`write()`] does; labels that the format has no place for go into a text beside
/// it, `x.labels.csv` for `x.npy`. Both files appear, or none.
pub fn write_with_labels(path: &Path, mut dataset: Dataset) -> Result<(), Error> {
    let format = format_of(path)?;
    if !matches!(format, Format::Npy | Format::MatrixMarket) {
        return write(path, &dataset);
    }
    let labels = dataset.labels.take();
    check(format, &dataset).map_err(|problem| problem.of(path.display().to_string()))?;
    let mut batch = Batch::default();
    batch.add(path, |out| dispatch(format, path, out, &dataset))?;
    if let Some(labels) = labels {
        batch.add(&path.with_extension("labels.csv"), |out| text::write_labels(out, &labels))?;
    }
    batch.commit()
}

/// Writes texts and their labels as a table of two columns, `text` and `label`, that [`crate::read_texts`] reads: CSV or TSV.
pub fn write_texts(path: &Path, texts: &[String], labels: &[String]) -> Result<(), Error> {
    if format_of(path)? != Format::Text {
        let problem = Problem::CannotHold { format: "file", what: "texts", instead: "write .csv or .tsv" };
        return Err(problem.of(path.display().to_string()));
    }
    write_atomically(path, |out| text::write_texts(out, texts, labels, delimiter(path)))
}

/// Whether [`write()`] will know the format and may write there, so that this is known before the work.
pub fn check_output(path: &Path) -> Result<(), Error> {
    format_of(path).and_then(|_| check_writable(path))
}

fn format_of(path: &Path) -> Result<Format, Error> {
    if path.as_os_str() == "-" {
        return Ok(Format::Text);
    }
    let name = path.display().to_string();
    Format::to_write(&name).map_err(|problem| problem.of(name))
}

fn dispatch(format: Format, path: &Path, out: &mut (dyn Write + Send), dataset: &Dataset) -> io::Result<()> {
    match format {
        Format::Text => text::write(out, dataset, delimiter(path)),
        Format::Npy => npy_write::write_numbers(out, &dataset.x),
        Format::Npz => npz_write::write(out, dataset),
        Format::Mat => mat::write(out, dataset),
        Format::MatrixMarket => matrix_market_write::write(out, &dataset.x),
        Format::Parquet => parquet(out, dataset),
        other => Err(io::Error::new(io::ErrorKind::Unsupported, format!("{other:?} cannot be written"))),
    }
}

/// What separates the fields of a text with this ending.
fn delimiter(path: &Path) -> u8 {
    let tabs = path.extension().and_then(OsStr::to_str).is_some_and(|end| !end.eq_ignore_ascii_case("csv"));
    if tabs { b'\t' } else { b',' }
}

#[cfg(feature = "parquet")]
use crate::parquet::write as parquet;

#[cfg(not(feature = "parquet"))]
fn parquet(_: &mut (dyn Write + Send), _: &Dataset) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "built without the feature `parquet`; write CSV instead"))
}

/// Refuses what would get lost.
fn check(format: Format, dataset: &Dataset) -> Result<(), Problem> {
    dataset.check_companions()?;
    let cannot = |format, what, instead| Err(Problem::CannotHold { format, what, instead });
    match format {
        Format::Npy if dataset.x.is_sparse() => cannot("npy", "a sparse matrix", "write .npz or .mtx"),
        Format::Npy if dataset.labels.is_some() => cannot("npy", "labels", "write .npz, .csv or .parquet"),
        Format::MatrixMarket if dataset.labels.is_some() => {
            cannot("mtx", "labels", "write .npz, .csv or .parquet")
        }
        _ => Ok(()),
    }
}
