//! Reading a file in whatever format it is.

use crate::dataset::Dataset;
use crate::error::{Error, Problem};
use crate::format::Format;
use crate::options::ReadOptions;
use crate::stream::read_in_place;
use crate::{mat, matrix_market, npy, npz, text, texts};
use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// Reads the matrix, the labels and the names from a file; `-` is standard input.
///
/// The format is told by the first bytes, and where they tell nothing by the ending of the name.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, Error> {
    if let Some(x) = read_in_place(path, options) {
        return Ok(Dataset::from(x));
    }
    let (bytes, name) = load(path)?;
    read_bytes(&bytes, &name, options)
}

/// Reads the matrix, the labels and the names from the bytes of a file with this name.
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Dataset, Error> {
    parse(bytes, name, options).map_err(|problem| problem.of(name))
}

/// Reads a column of texts as counts of words, and the labels; the names of the features are the words: those of the
/// `vocabulary`, or the ones found.
pub fn read_texts(
    path: &Path,
    column: &str,
    options: &ReadOptions,
    vocabulary: Option<&[String]>,
) -> Result<Dataset, Error> {
    let (bytes, name) = load(path)?;
    let counted = text::read_texts(&bytes, column, options.labels.as_deref()).and_then(|(texts, labels)| {
        let (x, words) = texts::count(&texts, vocabulary, options.dtype)?;
        Dataset { x, labels, columns: Some(words) }.checked()
    });
    counted.map_err(|problem| problem.of(name))
}

/// Reads labels alone, one per sample: a text with one column, a column or variable of a usual
/// name (`y`, `gnd`, `labels`, `label`, `class`, `target`), the `wanted` one, or a bare vector.
pub fn read_labels(path: &Path, wanted: Option<&str>) -> Result<Vec<String>, Error> {
    let (bytes, name) = load(path)?;
    read_labels_bytes(&bytes, &name, wanted)
}

/// Reads labels alone from the bytes of a file with this name.
pub fn read_labels_bytes(bytes: &[u8], name: &str, wanted: Option<&str>) -> Result<Vec<String>, Error> {
    parse_labels(bytes, name, wanted).map_err(|problem| problem.of(name))
}

/// All bytes, and the name for messages.
pub(crate) fn load(path: &Path) -> Result<(Vec<u8>, String), Error> {
    let from_input = path.as_os_str() == "-";
    let name = if from_input { "standard input".into() } else { path.display().to_string() };
    let bytes = if from_input {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    match bytes {
        Ok(bytes) => Ok((bytes, name)),
        Err(e) => Err(Problem::Read(e).of(name)),
    }
}

fn parse(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Dataset, Problem> {
    let format = Format::detect(bytes, name)?;
    refuse_idle_options(format, options)?;
    match format {
        Format::Text => text::read(bytes, options),
        Format::Npy => {
            let x = npy::read(Cow::Borrowed(bytes))?.into_numbers("the array", options.dtype)?;
            Dataset::from(x).checked()
        }
        Format::Npz => npz::read(bytes)?.into_dataset(options),
        Format::Mat => mat::read(bytes)?.into_dataset(options),
        Format::MatrixMarket => matrix_market::read(bytes, options.dtype).map(Dataset::from)?.checked(),
        Format::Parquet => parquet(bytes, options),
    }
}

/// An option that cannot be meant for this file is a mistake, not something to pass over.
fn refuse_idle_options(format: Format, options: &ReadOptions) -> Result<(), Problem> {
    let idle = |what: &str, instead: &str| Err(Problem::unsupported(what, instead));
    match format {
        Format::Npy | Format::MatrixMarket if options.labels.is_some() => {
            idle("labels beside the matrix in this format", "keep them in a file of their own, or use .npz")
        }
        Format::Npz | Format::Mat => Ok(()),
        _ if options.variable.is_some() => {
            idle("a named variable", "only .npz and .mat have variables; leave the option out")
        }
        _ => Ok(()),
    }
}

fn parse_labels(bytes: &[u8], name: &str, wanted: Option<&str>) -> Result<Vec<String>, Problem> {
    match Format::detect(bytes, name)? {
        Format::Text => text::read_labels(bytes, wanted),
        Format::Npy => npy::read(Cow::Borrowed(bytes))?.into_labels("the array"),
        Format::Npz => npz::read(bytes)?.into_labels(wanted),
        Format::Mat => mat::read(bytes)?.into_labels(wanted),
        Format::MatrixMarket => {
            Err(Problem::unsupported("labels in a Matrix Market file", "use a text with one label per line"))
        }
        Format::Parquet => parquet_labels(bytes, wanted),
    }
}

#[cfg(feature = "parquet")]
use crate::parquet::{read as parquet, read_labels as parquet_labels};

#[cfg(not(feature = "parquet"))]
fn parquet(_: &[u8], _: &ReadOptions) -> Result<Dataset, Problem> {
    Err(Problem::unsupported("Parquet", "build emmf-io with the feature `parquet`, or save it as CSV"))
}

#[cfg(not(feature = "parquet"))]
fn parquet_labels(bytes: &[u8], _: Option<&str>) -> Result<Vec<String>, Problem> {
    parquet(bytes, &ReadOptions::default()).map(|_| Vec::new())
}
