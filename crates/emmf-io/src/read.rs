//! Reading a file in whatever format it is.

use crate::budget::Budget;
use crate::dataset::Dataset;
use crate::error::{Error, Problem};
use crate::format::Format;
use crate::options::ReadOptions;
use crate::source::Source;
use crate::stream::in_place;
use crate::{mat, matrix_market, npy, npz, text, texts};
use std::borrow::Cow;
use std::path::Path;

/// Reads the matrix, the labels and the names from a file or a pipe; `-` is standard input.
///
/// The format is told by the first bytes, and where they tell nothing by the ending of the name.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, Error> {
    let source = Source::open(path)?;
    let name = source.name.clone();
    let within = options.for_one_file();
    let read = || match in_place(&source, &within) {
        Some(x) => x.map(Dataset::from),
        None => parse(source.bytes(&within.budget)?.into(), &name, &within),
    };
    let data = read().map_err(|problem| problem.of(&*name))?;
    options.budget.spend(data.bytes());
    Ok(data)
}

/// Reads the matrix, the labels and the names from the bytes of a file with this name.
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Dataset, Error> {
    parse(bytes.into(), name, &options.for_one_file()).map_err(|problem| problem.of(name))
}

/// Reads a column of texts as counts of words, and the labels; the names of the features are the words: those of the
/// `vocabulary`, or the ones found.
pub fn read_texts(
    path: &Path,
    column: &str,
    options: &ReadOptions,
    vocabulary: Option<&[String]>,
) -> Result<Dataset, Error> {
    let budget = options.budget.fork();
    let (bytes, name) = load(path, &budget)?;
    let counted =
        text::read_texts(&bytes, (column, options.labels.as_deref()), &budget).and_then(|(texts, labels)| {
            let (x, words) = texts::count(&texts, vocabulary, (options.dtype, &budget))?;
            Dataset { x, labels, columns: Some(words) }.checked()
        });
    let data = counted.map_err(|problem| problem.of(name))?;
    options.budget.spend(data.bytes());
    Ok(data)
}

/// Reads labels alone, one per sample: a text with one column, a column or variable of a usual
/// name (`y`, `gnd`, `labels`, `label`, `class`, `target`), the `wanted` one, or a bare vector.
pub fn read_labels(path: &Path, wanted: Option<&str>, budget: &Budget) -> Result<Vec<String>, Error> {
    let within = budget.fork();
    let (bytes, name) = load(path, &within)?;
    parse_labels(bytes.into(), &name, (wanted, &within)).map_err(|problem| problem.of(name))
}

/// Reads labels alone from the bytes of a file with this name.
pub fn read_labels_bytes(bytes: &[u8], name: &str, wanted: Option<&str>) -> Result<Vec<String>, Error> {
    parse_labels(bytes.into(), name, (wanted, &Budget::default())).map_err(|problem| problem.of(name))
}

/// All bytes, and the name for messages.
pub(crate) fn load(path: &Path, budget: &Budget) -> Result<(Vec<u8>, String), Error> {
    let source = Source::open(path)?;
    let name = source.name.clone();
    match source.bytes(budget) {
        Ok(bytes) => Ok((bytes, name)),
        Err(problem) => Err(problem.of(name)),
    }
}

fn parse(bytes: Cow<'_, [u8]>, name: &str, options: &ReadOptions) -> Result<Dataset, Problem> {
    let format = Format::detect(&bytes, name)?;
    let budget = &options.budget;
    refuse_idle_options(format, options)?;
    match format {
        Format::Text => text::read(&bytes, options),
        Format::Npy => {
            let x = npy::read(bytes, budget)?.into_numbers("the array", (options.dtype, budget))?;
            Dataset::from(x).checked()
        }
        Format::Npz => npz::read(&bytes, budget)?.into_dataset(options),
        Format::Mat => mat::read(&bytes, budget)?.into_dataset(options),
        Format::MatrixMarket => {
            matrix_market::read(&bytes, (options.dtype, budget)).map(Dataset::from)?.checked()
        }
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

fn parse_labels(
    bytes: Cow<'_, [u8]>,
    name: &str,
    (wanted, budget): (Option<&str>, &Budget),
) -> Result<Vec<String>, Problem> {
    match Format::detect(&bytes, name)? {
        Format::Text => text::read_labels(&bytes, (wanted, budget)),
        Format::Npy => npy::read(bytes, budget)?.into_labels("the array", budget),
        Format::Npz => npz::read(&bytes, budget)?.into_labels(wanted, budget),
        Format::Mat => mat::read(&bytes, budget)?.into_labels(wanted, budget),
        Format::MatrixMarket => {
            Err(Problem::unsupported("labels in a Matrix Market file", "use a text with one label per line"))
        }
        Format::Parquet => parquet_labels(bytes, (wanted, budget)),
    }
}

#[cfg(feature = "parquet")]
use crate::parquet::{read as parquet, read_labels as parquet_labels};

#[cfg(not(feature = "parquet"))]
fn parquet(_: Cow<'_, [u8]>, _: &ReadOptions) -> Result<Dataset, Problem> {
    Err(Problem::unsupported("Parquet", "build emmf-io with the feature `parquet`, or save it as CSV"))
}

#[cfg(not(feature = "parquet"))]
fn parquet_labels(bytes: Cow<'_, [u8]>, _: (Option<&str>, &Budget)) -> Result<Vec<String>, Problem> {
    parquet(bytes, &ReadOptions::default()).map(|_| Vec::new())
}
