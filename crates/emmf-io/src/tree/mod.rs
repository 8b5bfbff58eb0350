//! Files that hold arrays in groups, as HDF5 and zarr do: AnnData, and any whose arrays are matrices.

pub(crate) mod anndata;
mod datasets;

use crate::array::Array;
use crate::budget::Budget;
use crate::dataset::Dataset;
use crate::error::Problem;
use crate::options::ReadOptions;
use crate::sparse::{Compression, SparseArrays};

/// Groups and arrays, by paths such as `obs/_index`; the outermost group is the empty path.
pub(crate) trait Tree {
    /// Memory that may be taken.
    fn budget(&self) -> &Budget;
    fn has_array(&self, path: &str) -> bool;
    fn has_group(&self, path: &str) -> bool;
    /// The names of what a group holds.
    fn members(&self, path: &str) -> Result<Vec<String>, Problem>;
    /// An attribute that is a text.
    fn said(&self, path: &str, name: &str) -> Option<String>;
    /// An attribute that is a whole number, or several.
    fn counted(&self, path: &str, name: &str) -> Option<Vec<i64>>;
    /// Rows and columns of an array; a vector is one column. Nothing for anything with more dimensions.
    fn shape(&self, path: &str) -> Result<Option<(usize, usize)>, Problem>;
    /// Whether the entries of an array are text.
    fn is_text(&self, path: &str) -> bool;
    /// Whether the entries of an array are numbers.
    fn is_numeric(&self, path: &str) -> bool;
    /// Why an array cannot be read whatever it holds, where that is so.
    fn unclear(&self, _path: &str) -> Option<String> {
        None
    }
    /// An array of numbers, of one or two dimensions.
    fn array(&self, path: &str) -> Result<Array<'static>, Problem>;
    /// An array of texts.
    fn texts(&self, path: &str) -> Result<Vec<String>, Problem>;
}

/// Reads the matrix, the labels and the names.
pub(crate) fn read(file: &dyn Tree, options: &ReadOptions) -> Result<Dataset, Problem> {
    if anndata::is_anndata(file) {
        return anndata::read(file, options);
    }
    datasets::variables(file, options)?.into_dataset(options)
}

/// Reads the labels alone.
pub(crate) fn read_labels(file: &dyn Tree, wanted: Option<&str>) -> Result<Vec<String>, Problem> {
    match wanted {
        Some(wanted) if anndata::is_anndata(file) => anndata::column(file, "obs", wanted),
        None if anndata::is_anndata(file) => anndata::classes(file),
        _ => datasets::variables(file, &ReadOptions::default())?.into_labels(wanted, file.budget()),
    }
}

/// The numbers of an array as indices.
pub(crate) fn positions(file: &dyn Tree, path: &str) -> Result<Vec<i64>, Problem> {
    file.array(path)?.to_positions(file.budget())
}

/// A sparse matrix from the arrays of a group.
pub(crate) fn sparse(
    file: &dyn Tree,
    [values, indices, starts]: [&str; 3],
    compression: Compression,
    shape: (usize, usize),
) -> Result<SparseArrays<'static>, Problem> {
    Ok(SparseArrays {
        shape,
        compression,
        starts: positions(file, starts)?,
        indices: positions(file, indices)?,
        values: file.array(values)?,
    })
}
