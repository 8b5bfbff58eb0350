//! Writing a data set in the format that the name of the file asks for.

use crate::atomic::write_atomically;
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
    let name = path.display().to_string();
    let checked = if path.as_os_str() == "-" { Ok(Format::Text) } else { Format::to_write(&name) }
        .and_then(|format| check(format, dataset).map(|()| format));
    let format = checked.map_err(|problem| problem.of(&name))?;
    write_atomically(path, |out| dispatch(format, path, out, dataset))
}

fn dispatch(format: Format, path: &Path, out: &mut (dyn Write + Send), dataset: &Dataset) -> io::Result<()> {
    let tabs = path.extension().and_then(OsStr::to_str).is_some_and(|end| !end.eq_ignore_ascii_case("csv"));
    match format {
        Format::Text => text::write(out, dataset, if tabs { b'\t' } else { b',' }),
        Format::Npy => npy_write::write_numbers(out, &dataset.x),
        Format::Npz => npz_write::write(out, dataset),
        Format::Mat => mat::write(out, dataset),
        Format::MatrixMarket => matrix_market_write::write(out, &dataset.x),
        Format::Parquet => parquet(out, dataset),
    }
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
