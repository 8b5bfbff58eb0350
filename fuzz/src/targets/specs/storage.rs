//! One matrix in every storage.

use std::ops::Range;

use emmf::{Csr, Mat, Real, Result, RowSource, Samples, View};

/// How X is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Storage {
    Rows,
    Columns,
    Strides,
    Sparse,
    Stream,
}

pub(super) const ALL: [Storage; 8] = [
    Storage::Rows,
    Storage::Rows,
    Storage::Rows,
    Storage::Columns,
    Storage::Strides,
    Storage::Sparse,
    Storage::Sparse,
    Storage::Stream,
];

/// Samples that are read when they are needed.
struct Source<'a, T>(&'a Mat<T>);

impl<T: Real> RowSource<T> for Source<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()> {
        let d = self.0.cols();
        out.copy_from_slice(&self.0.as_slice()[rows.start * d..rows.end * d]);
        Ok(())
    }
}

/// Calls `work` with the matrix in this storage.
pub(super) fn stored<T: Real, R>(
    x: &Mat<T>,
    storage: Storage,
    work: impl FnOnce(Samples<'_, T>) -> R,
) -> Result<R> {
    let (n, d) = x.shape();
    Ok(match storage {
        Storage::Rows => work(x.into()),
        Storage::Columns => work(View::col_major(x.transposed().as_slice(), n, d)?.into()),
        Storage::Strides => {
            let (down, across) = (2 * d + 3, 2);
            let mut spread = vec![-T::ONE; n * down];
            for i in 0..n {
                (0..d).for_each(|j| spread[i * down + j * across] = x[(i, j)]);
            }
            work(View::new(&spread, (n, d), (down, across))?.into())
        }
        Storage::Sparse => work((&sparse(x)?).into()),
        Storage::Stream => work(Samples::Stream(&Source(x))),
    })
}

/// The entries other than zero.
fn sparse<T: Real>(x: &Mat<T>) -> Result<Csr<T>> {
    let entries = (0..x.rows()).flat_map(|i| (0..x.cols()).map(move |j| (i, j, x[(i, j)])));
    Csr::from_triplets(x.shape(), entries.filter(|entry| entry.2 != T::ZERO).collect())
}
