//! Writing NPZ: `X`, `y` and `columns`, the matrix as `SciPy` stores it where it is sparse.

use crate::dataset::{Dataset, Matrix, Numbers};
use crate::npy_write::{Stored, write_labels, write_numbers, write_texts, write_vector, write_word};
use emmf::{Csr, Real};
use std::io::{self, Write};
use zip::write::{SimpleFileOptions, StreamWriter, ZipWriter};

type Archive<'a> = ZipWriter<StreamWriter<&'a mut (dyn Write + Send)>>;

/// Writes the archive, compressed.
pub(crate) fn write(out: &mut (dyn Write + Send), dataset: &Dataset) -> io::Result<()> {
    let mut archive = ZipWriter::new_stream(out);
    match &dataset.x {
        Numbers::F32(Matrix::Sparse(x)) => write_sparse(&mut archive, x)?,
        Numbers::F64(Matrix::Sparse(x)) => write_sparse(&mut archive, x)?,
        dense => {
            start(&mut archive, "X")?;
            write_numbers(&mut archive, dense)?;
        }
    }
    if let Some(labels) = &dataset.labels {
        start(&mut archive, "y")?;
        write_labels(&mut archive, labels)?;
    }
    if let Some(columns) = &dataset.columns {
        start(&mut archive, "columns")?;
        write_texts(&mut archive, columns)?;
    }
    archive.finish()?.into_inner().flush()
}

/// The arrays of `scipy.sparse.save_npz`.
fn write_sparse<T: Real + Stored>(archive: &mut Archive<'_>, x: &Csr<T>) -> io::Result<()> {
    let view = x.view();
    let (rows, cols) = (view.rows(), view.cols());
    let mut starts = vec![0_i64];
    let mut indices = Vec::with_capacity(view.nnz());
    for i in 0..rows {
        indices.extend(view.row(i).map(|(j, _)| j.cast_signed() as i64));
        starts.push(indices.len().cast_signed() as i64);
    }
    start(archive, "format")?;
    write_word(archive, "csr")?;
    start(archive, "shape")?;
    write_vector(archive, &[rows, cols].map(|size| size.cast_signed() as i64))?;
    start(archive, "indptr")?;
    write_vector(archive, &starts)?;
    start(archive, "indices")?;
    write_vector(archive, &indices)?;
    start(archive, "data")?;
    write_vector(archive, view.values())
}

/// Begins an array. Room for large sizes costs a few bytes and spares knowing the size beforehand.
fn start(archive: &mut Archive<'_>, name: &str) -> io::Result<()> {
    let options = SimpleFileOptions::default().large_file(true);
    Ok(archive.start_file(format!("{name}.npy"), options)?)
}
