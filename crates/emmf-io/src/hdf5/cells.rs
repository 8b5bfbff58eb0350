//! Counts of genes in cells as sequencing pipelines write them: 10x and loom. Both keep genes as rows.

use super::open::Hdf5;
use crate::advice::Setting;
use crate::dataset::Dataset;
use crate::error::{Problem, listed, nearest};
use crate::options::{ReadOptions, refuse};
use crate::remark::Remark;
use crate::sparse::Compression;
use crate::tree::anndata::column;
use crate::tree::{Tree, positions, sparse};

/// Cells as samples, where the file is one of these.
pub(super) fn read(file: &Hdf5<'_>, options: &ReadOptions) -> Result<Option<Dataset>, Problem> {
    if file.has_array("matrix/barcodes") && file.has_array("matrix/indptr") {
        return ten_x(file, options).map(Some);
    }
    if file.has_array("matrix") && file.has_group("row_attrs") && file.has_group("col_attrs") {
        return loom(file, options).map(Some);
    }
    Ok(None)
}

fn ten_x(file: &Hdf5<'_>, options: &ReadOptions) -> Result<Dataset, Problem> {
    // It has one matrix, barcodes and no classes.
    let idle = [
        (Setting::Labels, options.labels.is_some()),
        (Setting::Id, options.id.is_some()),
        (Setting::Variable, options.variable.is_some()),
    ];
    refuse(&idle)?;
    let shape = positions(file, "matrix/shape")?;
    let shape = match shape[..] {
        [genes, cells] => usize::try_from(cells).ok().zip(usize::try_from(genes).ok()),
        _ => None,
    };
    let shape = shape.ok_or_else(|| Problem::malformed("'matrix/shape'", "it does not hold two sizes"))?;
    // Genes × cells by columns is cells × genes by rows.
    let arrays = ["matrix/data", "matrix/indices", "matrix/indptr"];
    let x = sparse(file, arrays, Compression::Rows, shape)?.into_numbers(options.dtype, file.budget)?;
    let names = Some(file.texts("matrix/barcodes")?);
    let genes = ["matrix/features/name", "matrix/gene_names", "matrix/features/id"];
    let columns = genes.iter().find(|path| file.is_text(path)).map(|path| file.texts(path)).transpose()?;
    let remarks = vec![Remark::Transposed { by: "the 10x format".into() }];
    Dataset { names, remarks, ..Dataset::new(x, None, columns) }.checked()
}

fn loom(file: &Hdf5<'_>, options: &ReadOptions) -> Result<Dataset, Problem> {
    let path = match (&options.variable, &options.usual.variable) {
        (Some(wanted), _) => layer(file, wanted)?,
        (None, Some(usual)) => layer(file, usual).unwrap_or_else(|_| "matrix".into()),
        (None, None) => "matrix".into(),
    };
    let x = file.array(&path)?.to_numbers(options.dtype, file.budget)?;
    let first = |paths: &[&str]| {
        let found = paths.iter().find(|path| file.is_text(path));
        found.map(|path| file.texts(path)).transpose()
    };
    let names =
        first(&["row_attrs/Gene", "row_attrs/gene_names", "row_attrs/var_names", "row_attrs/Accession"])?;
    let columns = first(&["col_attrs/CellID", "col_attrs/cell_names", "col_attrs/obs_names"])?;
    let genes = Dataset { names, ..Dataset::new(x, None, columns) };
    let mut cells = genes.transposed(file.budget)?;
    let of_cells = |wanted: &String| column(file, "col_attrs", wanted);
    cells.labels = options.labels.as_ref().map(of_cells).transpose()?;
    let usual = || options.usual.id.as_ref().and_then(|usual| of_cells(usual).ok());
    cells.names = options.id.as_ref().map(of_cells).transpose()?.or_else(usual).or(cells.names);
    cells.remarks.push(Remark::Transposed { by: "the loom format".into() });
    cells.checked()
}

/// Where a layer of a loom file is.
fn layer(file: &Hdf5<'_>, wanted: &str) -> Result<String, Problem> {
    let layers = if file.has_group("layers") { file.members("layers")? } else { Vec::new() };
    if layers.iter().any(|layer| layer == wanted) {
        return Ok(format!("layers/{wanted}"));
    }
    Err(Problem::NoSuchVariable {
        kind: "layer",
        wanted: wanted.into(),
        nearest: nearest(wanted, layers.iter().map(String::as_str)),
        available: listed(layers.iter().map(String::as_str)),
    })
}
