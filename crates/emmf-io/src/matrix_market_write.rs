//! Writing Matrix Market: sparse matrices as coordinates, dense ones as an array.

use crate::dataset::{Matrix, Numbers};
use crate::text::number;
use emmf::Real;
use std::io::{self, Write};

/// Writes a matrix.
pub(crate) fn write(out: &mut dyn Write, x: &Numbers) -> io::Result<()> {
    match x {
        Numbers::F32(x) => write_matrix(out, x),
        Numbers::F64(x) => write_matrix(out, x),
    }
}

fn write_matrix<T: Real>(out: &mut dyn Write, x: &Matrix<T>) -> io::Result<()> {
    let (rows, cols) = x.shape();
    match x {
        Matrix::Dense(x) => {
            writeln!(out, "%%MatrixMarket matrix array real general\n{rows} {cols}")?;
            for j in 0..cols {
                for i in 0..rows {
                    writeln!(out, "{}", number(x[(i, j)]))?;
                }
            }
        }
        Matrix::Sparse(x) => {
            let x = x.view();
            writeln!(out, "%%MatrixMarket matrix coordinate real general\n{rows} {cols} {}", x.nnz())?;
            for i in 0..rows {
                for (j, value) in x.row(i) {
                    writeln!(out, "{} {} {}", i + 1, j + 1, number(value))?;
                }
            }
        }
    }
    Ok(())
}
