//! Counts of genes in cells as sequencing pipelines write them: 10x and loom. Both keep genes as rows.

use super::open::Hdf5;
use crate::dataset::Dataset;
use crate::error::Problem;
use crate::options::ReadOptions;
use crate::remark::Remark;
use crate::sparse::Compression;

/// Cells as samples, where the file is one of these.
pub(super) fn read(file: &Hdf5<'_>, options: &ReadOptions) -> Result<Option<Dataset>, Problem> {
    if file.has_dataset("matrix/barcodes") && file.has_dataset("matrix/indptr") {
        return ten_x(file, options).map(Some);
    }
    if file.has_dataset("matrix") && file.has_group("row_attrs") && file.has_group("col_attrs") {
        return loom(file, options).map(Some);
    }
    Ok(None)
}

fn ten_x(file: &Hdf5<'_>, options: &ReadOptions) -> Result<Dataset, Problem> {
    let shape = file.positions("matrix/shape")?;
    let shape = match shape[..] {
        [genes, cells] => usize::try_from(cells).ok().zip(usize::try_from(genes).ok()),
        _ => None,
    };
    let shape = shape.ok_or_else(|| Problem::malformed("'matrix/shape'", "it does not hold two sizes"))?;
    // Genes × cells by columns is cells × genes by rows.
    let arrays = ["matrix/data", "matrix/indices", "matrix/indptr"];
    let x = file.sparse(arrays, Compression::Rows, shape)?.into_numbers(options.dtype, file.budget)?;
    let names = Some(file.texts("matrix/barcodes")?);
    let genes = ["matrix/features/name", "matrix/gene_names", "matrix/features/id"];
    let columns = genes.iter().find(|path| file.is_text(path)).map(|path| file.texts(path)).transpose()?;
    let remarks = vec![Remark::Transposed { by: "the 10x format".into() }];
    Dataset { names, remarks, ..Dataset::new(x, None, columns) }.checked()
}

fn loom(file: &Hdf5<'_>, options: &ReadOptions) -> Result<Dataset, Problem> {
    let x = file.array("matrix")?.to_numbers(options.dtype, file.budget)?;
    let first = |paths: &[&str]| {
        let found = paths.iter().find(|path| file.is_text(path));
        found.map(|path| file.texts(path)).transpose()
    };
    let names =
        first(&["row_attrs/Gene", "row_attrs/gene_names", "row_attrs/var_names", "row_attrs/Accession"])?;
    let columns = first(&["col_attrs/CellID", "col_attrs/cell_names", "col_attrs/obs_names"])?;
    let genes = Dataset { names, ..Dataset::new(x, None, columns) };
    let mut cells = genes.transposed(file.budget)?;
    cells.labels =
        options.labels.as_ref().map(|wanted| file.texts(&format!("col_attrs/{wanted}"))).transpose()?;
    cells.remarks.push(Remark::Transposed { by: "the loom format".into() });
    cells.checked()
}
