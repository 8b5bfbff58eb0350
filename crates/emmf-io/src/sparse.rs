//! Sparse matrices from the index arrays of other layouts.

use crate::array::Array;
use crate::dataset::{Dtype, Numbers};
use crate::error::Problem;
use emmf::{Csr, Real};

/// Which index array of a compressed matrix is which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Rows,
    Columns,
    /// Not compressed: `starts` holds the row of each entry and `indices` its column.
    Neither,
}

/// A sparse matrix as it lies in a file, unchecked.
#[derive(Debug)]
pub(crate) struct SparseArrays<'a> {
    pub(crate) shape: (usize, usize),
    pub(crate) compression: Compression,
    pub(crate) starts: Vec<i64>,
    pub(crate) indices: Vec<i64>,
    pub(crate) values: Array<'a>,
}

impl SparseArrays<'_> {
    /// Checked, and compressed by rows.
    pub(crate) fn into_numbers(self, dtype: Option<Dtype>) -> Result<Numbers, Problem> {
        check_plausible(self.shape, self.values.len())?;
        Ok(match dtype.unwrap_or_else(|| self.values.natural_dtype()) {
            Dtype::F32 => self.into_csr::<f32>()?.into(),
            Dtype::F64 => self.into_csr::<f64>()?.into(),
        })
    }

    fn into_csr<T: Real>(self) -> Result<Csr<T>, Problem> {
        let values = self.values.to_reals::<T>();
        let (rows, cols) = self.shape;
        match self.compression {
            Compression::Rows => Ok(Csr::new(self.shape, self.starts, self.indices, values)?),
            Compression::Columns => {
                let transposed = Csr::new((cols, rows), self.starts, self.indices, values)?;
                Ok(transpose(&transposed)?)
            }
            Compression::Neither => {
                if self.starts.len() != values.len() || self.indices.len() != values.len() {
                    return Err(Problem::malformed(
                        "the index arrays",
                        "they differ in length from the values",
                    ));
                }
                let place = |at: i64| usize::try_from(at).unwrap_or(usize::MAX);
                let places = self.starts.iter().zip(&self.indices);
                let triplets = places.zip(values).map(|((&i, &j), x)| (place(i), place(j), x)).collect();
                Ok(Csr::from_triplets(self.shape, triplets)?)
            }
        }
    }
}

/// Refuses a shape that no matrix with so few entries has, before anything of that size is
/// allocated: a few bytes can announce 10¹⁸ empty rows.
pub(crate) fn check_plausible(shape: (usize, usize), entries: usize) -> Result<(), Problem> {
    let (rows, cols) = shape;
    let limit = (1 << 22) + entries.saturating_mul(64);
    if rows.max(cols) > limit { Err(Problem::Implausible { rows, cols, entries }) } else { Ok(()) }
}

/// The transpose, by counting, in time linear in the entries.
fn transpose<T: Real>(csr: &Csr<T>) -> emmf::Result<Csr<T>> {
    let view = csr.view();
    let mut starts = vec![0_i64; view.cols() + 1];
    for i in 0..view.rows() {
        for (j, _) in view.row(i) {
            starts[j + 1] += 1;
        }
    }
    for j in 0..view.cols() {
        starts[j + 1] += starts[j];
    }
    let mut next = starts.clone();
    let mut indices = vec![0_i64; view.nnz()];
    let mut values = vec![T::ZERO; view.nnz()];
    for i in 0..view.rows() {
        for (j, value) in view.row(i) {
            let at = next[j] as usize;
            indices[at] = i.cast_signed() as i64;
            values[at] = value;
            next[j] += 1;
        }
    }
    Csr::new((view.cols(), view.rows()), starts, indices, values)
}
