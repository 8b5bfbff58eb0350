//! A Matrix Market file with the names of its rows and columns beside it, as sequencing pipelines write it: genes × cells.

use crate::dataset::Dataset;
use crate::error::Problem;
use crate::options::ReadOptions;
use crate::read::load;
use crate::remark::Remark;
use crate::text::first_fields;
use crate::unpack::unpacked;
use crate::zarr::is_store;
use std::path::{Path, PathBuf};

const ENDINGS: [&str; 2] = ["", ".gz"];

/// What a folder stands for, where its files are not the samples: `matrix.mtx` with its names, or itself, a zarr store.
pub fn data_in(folder: &Path) -> Option<PathBuf> {
    if is_store(folder) {
        return Some(folder.to_owned());
    }
    let found = ENDINGS.iter().map(|ending| folder.join(format!("matrix.mtx{ending}")));
    found.into_iter().find(|path| path.is_file())
}

/// The matrix as cells × genes with their names, where `barcodes.tsv` and `features.tsv` (or `genes.tsv`) beside the file
/// name its columns and rows.
pub(crate) fn named(data: Dataset, path: &Path, options: &ReadOptions) -> Result<Dataset, Problem> {
    let Some((stem, folder)) = stem(path) else { return Ok(data) };
    let beside = |what: &str| {
        let names = ENDINGS.iter().map(|ending| folder.join(format!("{stem}{what}.tsv{ending}")));
        names.into_iter().find(|path| path.is_file())
    };
    let genes = beside("features").or_else(|| beside("genes"));
    let (Some(barcodes), Some(genes)) = (beside("barcodes"), genes) else { return Ok(data) };
    let cells = names(&barcodes, 0, options)?;
    // The first column of genes holds identifiers, the second what people call them.
    let genes = names(&genes, 1, options)?;
    if data.x.shape() != (genes.len(), cells.len()) {
        return Ok(data);
    }
    let by = barcodes.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut data = Dataset { names: Some(genes), columns: Some(cells), ..data };
    // Whoever asks for rows as columns means what lies in the file.
    if options.transpose {
        return Ok(data);
    }
    data.remarks.push(Remark::Transposed { by });
    data.transposed(&options.budget)
}

/// What stands in front of `matrix.mtx`, and the folder.
fn stem(path: &Path) -> Option<(String, PathBuf)> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let stem = name.strip_suffix("matrix.mtx")?;
    Some((stem.to_owned(), path.parent()?.to_owned()))
}

/// The names in a column of a text.
fn names(path: &Path, column: usize, options: &ReadOptions) -> Result<Vec<String>, Problem> {
    let (bytes, name) = load(path, &options.budget).map_err(|error| error.problem)?;
    let (bytes, _) = unpacked(bytes.into(), &name, &options.budget)?;
    first_fields(&bytes, column, &options.budget)
}
