//! Sparse matrices from the index arrays of other layouts.

use crate::array::Array;
use crate::budget::Budget;
use crate::dataset::{Dtype, Numbers};
use crate::error::Problem;
use emmf::{Csr, Real};

/// Bytes of an index, and of an entry with its row and column.
const WORD: usize = size_of::<i64>();
const ENTRY: usize = 3 * WORD;

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
    pub(crate) fn into_numbers(self, dtype: Option<Dtype>, budget: &Budget) -> Result<Numbers, Problem> {
        check_plausible(self.shape, self.values.len(), budget)?;
        Ok(match dtype.unwrap_or_else(|| self.values.natural_dtype()) {
            Dtype::F32 => self.into_csr::<f32>(budget)?.into(),
            Dtype::F64 => self.into_csr::<f64>(budget)?.into(),
        })
    }

    fn into_csr<T: Real>(self, budget: &Budget) -> Result<Csr<T>, Problem> {
        let values = self.values.to_reals::<T>(budget)?;
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
/// allocated: a few bytes can announce 10¹⁸ empty rows. Then asks for the memory that compressing takes.
pub(crate) fn check_plausible(shape: (usize, usize), entries: usize, budget: &Budget) -> Result<(), Problem> {
    let (rows, cols) = shape;
    let limit = (1 << 22) + entries.saturating_mul(64);
    if rows.max(cols) > limit {
        return Err(Problem::Implausible { rows, cols, entries });
    }
    // Where rows start, twice, the last row of each column, and two copies of the entries while they are put in order.
    let bytes = WORD * (2 * rows + 2 * cols) + entries.saturating_mul(2 * ENTRY);
    budget.take(Some(bytes as u64), "the sparse matrix")
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
