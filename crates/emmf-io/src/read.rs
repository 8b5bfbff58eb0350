//! Reading a file in whatever format it is.

use crate::budget::Budget;
use crate::dataset::Dataset;
use crate::error::{Error, Problem};
use crate::format::Format;
use crate::options::{ReadOptions, refuse_idle, refuse_idle_for_texts};
use crate::source::Source;
use crate::stream::in_place;
use crate::texts::{Counted, Texts};
use crate::unpack::unpacked;
use crate::{arrow, beside, hdf5, json_lines, mat, matrix_market, npy, npz, sheet, text, texts, zarr};
use std::borrow::Cow;
use std::path::Path;

/// Reads the matrix, the labels and the names from a file or a pipe; `-` is standard input.
///
/// The format is told by the first bytes, and where they tell nothing by the ending of the name.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Dataset, Error> {
    let within = options.for_one_file();
    if zarr::is_store(path) {
        let read = || {
            refuse_idle(Format::Zarr, &within)?;
            finished((zarr::read_folder(path, &within)?, Format::Zarr), &within)
        };
        return spent(read(), path.display().to_string(), &options.budget);
    }
    let source = Source::open(path)?;
    let name = source.name.clone();
    let read = || {
        if let Some(x) = in_place(&source, &within) {
            return finished((x.map(Dataset::from)?, Format::Npy), &within);
        }
        let (data, format) = parse(source.bytes(&within.budget)?.into(), &name, &within)?;
        let data = if format == Format::MatrixMarket { beside::named(data, path, &within)? } else { data };
        finished((data, format), &within)
    };
    let data = read().map_err(|problem| problem.of(&*name))?;
    options.budget.spend(data.bytes());
    Ok(data)
}

/// Reads the matrix, the labels and the names from the bytes of a file with this name.
pub fn read_bytes(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Dataset, Error> {
    let within = options.for_one_file();
    let read = || finished(parse(bytes.into(), name, &within)?, &within);
    read().map_err(|problem| problem.of(name))
}

/// What all formats have in common: columns are chosen, rows and columns may be swapped, and labels are classes.
fn finished((data, format): (Dataset, Format), options: &ReadOptions) -> Result<Dataset, Problem> {
    // The readers of tables choose columns by themselves: some are no features.
    let data = if format.is_table() { data } else { data.with_columns(options)? };
    let data = if options.transpose { data.transposed(&options.budget)? } else { data };
    data.settled(options.labels.as_deref())
}

/// Reads a column of texts as counts of words, with the labels, and the names where they are asked for; the names of the
/// features are the words: those of the `vocabulary`, or the ones found.
pub fn read_texts(
    path: &Path,
    column: &str,
    options: &ReadOptions,
    vocabulary: Option<&[String]>,
) -> Result<Dataset, Error> {
    let within = options.for_one_file();
    if zarr::is_store(path) {
        return Err(no_texts().of(path.display().to_string()));
    }
    let (bytes, name) = load(path, &within.budget)?;
    let data = counted(bytes.into(), &name, (column, &within), vocabulary);
    spent(data, name, &options.budget)
}

/// Reads samples for a model of texts: the texts in this column, where there is one, or else a table of counts.
pub fn read_texts_or_counts(
    path: &Path,
    column: &str,
    options: &ReadOptions,
    vocabulary: Option<&[String]>,
) -> Result<Dataset, Error> {
    if zarr::is_store(path) {
        return read(path, options);
    }
    let within = options.for_one_file();
    let (bytes, name) = load(path, &within.budget)?;
    let data = match counted(Cow::Borrowed(&bytes), &name, (column, &within), vocabulary) {
        Err(Problem::NoSuchColumn { .. } | Problem::Unsupported { .. } | Problem::Idle { .. }) => {
            parse(bytes.into(), &name, &within).and_then(|parsed| finished(parsed, &within))
        }
        other => other,
    };
    spent(data, name, &options.budget)
}

/// Takes what a file became from the budget of all files.
fn spent(data: Result<Dataset, Problem>, name: String, budget: &Budget) -> Result<Dataset, Error> {
    let data = data.map_err(|problem| problem.of(name))?;
    budget.spend(data.bytes());
    Ok(data)
}

fn counted(
    bytes: Cow<'_, [u8]>,
    name: &str,
    (column, options): (&str, &ReadOptions),
    vocabulary: Option<&[String]>,
) -> Result<Dataset, Problem> {
    let Texts { all: texts, labels, names, remark: of_names } = parse_texts(bytes, name, (column, options))?;
    let counting = (options.dtype, &options.budget);
    let Counted { x, words, remark } = texts::count(&texts, (vocabulary, &options.texts), counting)?;
    let texts = Some(texts.iter().map(|text| texts::beginning(text)).collect());
    let remarks = of_names.into_iter().chain(remark).collect();
    let data = Dataset { names, texts, remarks, ..Dataset::new(x, labels, Some(words)) };
    data.checked()?.settled(options.labels.as_deref())
}

/// Reads labels alone, one per sample: a text with one column, a column or variable of a usual
/// name (`y`, `gnd`, `labels`, `label`, `class`, `target`), the `wanted` one, or a bare vector.
pub fn read_labels(path: &Path, wanted: Option<&str>, budget: &Budget) -> Result<Vec<String>, Error> {
    let within = budget.fork();
    if zarr::is_store(path) {
        let labels = zarr::labels_of_folder(path, (wanted, &within));
        return labels.map_err(|problem| problem.of(path.display().to_string()));
    }
    let (bytes, name) = load(path, &within)?;
    parse_labels(bytes.into(), &name, (wanted, &within)).map_err(|problem| problem.of(name))
}

/// Reads labels alone from the bytes of a file with this name.
pub fn read_labels_bytes(
    bytes: &[u8],
    name: &str,
    wanted: Option<&str>,
    budget: &Budget,
) -> Result<Vec<String>, Error> {
    parse_labels(bytes.into(), name, (wanted, &budget.fork())).map_err(|problem| problem.of(name))
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

fn parse(bytes: Cow<'_, [u8]>, name: &str, options: &ReadOptions) -> Result<(Dataset, Format), Problem> {
    let budget = &options.budget;
    let (bytes, format, _) = opened(bytes, name, budget)?;
    refuse_idle(format, options)?;
    let data = match format {
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
        Format::Sheet => {
            let (columns, said) = sheet::read(&bytes, options)?;
            let elsewhere = |problem| sheet::elsewhere(problem, said.first());
            let mut data = columns.into_dataset(options).map_err(elsewhere)?;
            data.remarks.splice(..0, said);
            Ok(data)
        }
        Format::Json => json_lines::read(&bytes, budget)?.into_dataset(options),
        Format::Arrow => arrow::read(&bytes, budget)?.into_dataset(options),
        Format::Hdf5 => hdf5::read(bytes, options),
        Format::Zarr => zarr::read_zip(&bytes, options),
        Format::Parquet => parquet(bytes, options),
        Format::Packed => Err(packed_twice()),
    };
    data.map(|data| (data, format))
}

/// The bytes as they were before they were packed, their format, and the name that goes with them.
fn opened<'b, 'n>(
    bytes: Cow<'b, [u8]>,
    name: &'n str,
    budget: &Budget,
) -> Result<(Cow<'b, [u8]>, Format, &'n str), Problem> {
    let (bytes, name) = unpacked(bytes, name, budget)?;
    let format = Format::detect(&bytes, name)?.of_archive(&bytes)?;
    Ok((bytes, format, name))
}

fn packed_twice() -> Problem {
    Problem::unsupported("a file that is compressed twice", "unpack it once")
}

fn parse_texts(
    bytes: Cow<'_, [u8]>,
    name: &str,
    (column, options): (&str, &ReadOptions),
) -> Result<Texts, Problem> {
    let budget = &options.budget;
    let (bytes, format, _) = opened(bytes, name, budget)?;
    refuse_idle_for_texts(format, options)?;
    match format {
        Format::Text => text::read_texts(&bytes, (column, options), budget),
        Format::Sheet => sheet::read(&bytes, options)?.0.into_texts(column, options),
        Format::Json => json_lines::read(&bytes, budget)?.into_texts(column, options),
        Format::Arrow => arrow::read(&bytes, budget)?.into_texts(column, options),
        Format::Parquet => parquet_texts(bytes, column, options),
        Format::Packed => Err(packed_twice()),
        Format::Npy | Format::Npz | Format::Mat | Format::MatrixMarket | Format::Hdf5 | Format::Zarr => {
            Err(no_texts())
        }
    }
}

fn no_texts() -> Problem {
    let instead = "use CSV, Excel, JSON lines, Parquet or Feather";
    Problem::unsupported("a column of texts in this format", instead)
}

fn parse_labels(
    bytes: Cow<'_, [u8]>,
    name: &str,
    (wanted, budget): (Option<&str>, &Budget),
) -> Result<Vec<String>, Problem> {
    let (bytes, format, _) = opened(bytes, name, budget)?;
    match format {
        Format::Text => text::read_labels(&bytes, (wanted, budget)),
        Format::Npy => npy::read(bytes, budget)?.into_labels("the array", budget),
        Format::Npz => npz::read(&bytes, budget)?.into_labels(wanted, budget),
        Format::Mat => mat::read(&bytes, budget)?.into_labels(wanted, budget),
        Format::MatrixMarket => {
            Err(Problem::unsupported("labels in a Matrix Market file", "use a text with one label per line"))
        }
        Format::Sheet => {
            let options = ReadOptions { budget: budget.clone(), ..ReadOptions::default() };
            sheet::read(&bytes, &options)?.0.into_labels(wanted, budget)
        }
        Format::Json => json_lines::read(&bytes, budget)?.into_labels(wanted, budget),
        Format::Arrow => arrow::read(&bytes, budget)?.into_labels(wanted, budget),
        Format::Hdf5 => hdf5::read_labels(bytes, (wanted, budget)),
        Format::Zarr => zarr::labels_of_zip(&bytes, (wanted, budget)),
        Format::Parquet => parquet_labels(bytes, (wanted, budget)),
        Format::Packed => Err(packed_twice()),
    }
}

#[cfg(feature = "parquet")]
use crate::parquet::{read as parquet, read_labels as parquet_labels, read_texts as parquet_texts};

#[cfg(not(feature = "parquet"))]
fn parquet(_: Cow<'_, [u8]>, _: &ReadOptions) -> Result<Dataset, Problem> {
    Err(Problem::unsupported("Parquet", "build emmf-io with the feature `parquet`, or save it as CSV"))
}

#[cfg(not(feature = "parquet"))]
fn parquet_labels(bytes: Cow<'_, [u8]>, _: (Option<&str>, &Budget)) -> Result<Vec<String>, Problem> {
    parquet(bytes, &ReadOptions::default()).map(|_| Vec::new())
}

#[cfg(not(feature = "parquet"))]
fn parquet_texts(bytes: Cow<'_, [u8]>, _: &str, options: &ReadOptions) -> Result<Texts, Problem> {
    parquet(bytes, options).map(|_| Texts::default())
}
