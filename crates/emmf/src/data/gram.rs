//! The small c×c products UᵀU and VᵀQV of the tall factors, and tall matrices times small ones.

use super::walk::{least_parts, rows_per_part};
use super::{BLOCK, PARTS, add_up, blocks, weigh_rows};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::{Left, Product};
use crate::threads::prelude::*;
use crate::threads::{each, each_in};

/// Vectors of columns that are made together, as wide as a tile of the product.
const PANEL_VECTORS: usize = 4;

/// Aᵀ·diag(q)·A with its buffers, for any number of A with the same columns.
pub(crate) struct Gram<T> {
    total: Mat<T>,
    /// Of each part.
    sums: Vec<T>,
    /// Weighted rows for each part, where weights were wanted.
    weighted: Vec<T>,
}

/// Rows that are brought to double precision at a time, and rows of the result that are made together.
const WIDENED: usize = 256;
const TOGETHER: usize = 32;

/// AᵀA in double precision, without a copy of all of A.
pub(crate) fn exact_gram<T: Real>(a: &Mat<T>) -> Mat<f64> {
    let (n, c) = a.shape();
    let mut total = Mat::zeros(c, c);
    for rows in blocks(0..n, WIDENED) {
        let wide = Mat::from_fn(rows.len(), c, |i, k| a[(rows.start + i, k)].to_f64());
        let wide = wide.as_slice();
        each(total.as_mut_slice().par_chunks_mut((TOGETHER * c).max(1)).enumerate(), |(at, out)| {
            let (first, many) = (at * TOGETHER, out.len() / c);
            // On and above the diagonal.
            let (left, right) = (Left::Columns((&wide[first..], c)), (&wide[first..], c));
            f64::gemm((&mut out[first..], c), left, right, (many, rows.len(), c - first), true);
        });
    }
    mirror(&mut total);
    total
}

/// What is above the diagonal, below it.
fn mirror<T: Real>(gram: &mut Mat<T>) {
    for k in 1..gram.cols() {
        (0..k).for_each(|l| gram[(k, l)] = gram[(l, k)]);
    }
}

/// `out` = A·B for a tall A and a small B.
pub(crate) fn times_small(a: &Mat<f64>, b: &Mat<f64>, out: &mut Mat<f64>) {
    let (c, width) = b.shape();
    each(out.as_mut_slice().par_chunks_mut((BLOCK * width).max(1)).enumerate(), |(block, out)| {
        let (rows, left) = (out.len() / width, Left::Rows((&a.as_slice()[block * BLOCK * c..], c)));
        f64::gemm((out, width), left, (b.as_slice(), width), (rows, c, width), false);
    });
}

/// A ← A·B for a tall A and a square B.
pub(crate) fn turn_rows(a: &mut Mat<f64>, b: &Mat<f64>) {
    let c = b.cols();
    each_in(a.as_mut_slice().par_chunks_mut((BLOCK * c).max(1)), Vec::new, |old, rows| {
        old.clear();
        old.extend_from_slice(rows);
        let count = rows.len() / c;
        f64::gemm((rows, c), Left::Rows((&old[..], c)), (b.as_slice(), c), (count, c, c), false);
    });
}

/// The sum of this many parts.
fn total_of<T: Real>(total: &mut Mat<T>, sums: &mut [T], parts: usize) {
    let size = total.as_slice().len();
    add_up(&mut sums[..parts * size], size);
    total.as_mut_slice().copy_from_slice(&sums[..size]);
}

impl<T: Real> Gram<T> {
    /// For matrices with `c` columns.
    pub(crate) fn new(c: usize) -> Self {
        Self { total: Mat::zeros(c, c), sums: vec![T::ZERO; PARTS * c * c], weighted: Vec::new() }
    }

    /// AᵀA.
    pub(crate) fn of(&mut self, a: &Mat<T>) -> &Mat<T> {
        self.make(a.as_slice(), rows_per_part(a.rows()), None)
    }

    /// Aᵀ·diag(q)·A.
    pub(crate) fn weighted(&mut self, q: &[T], a: &Mat<T>) -> &Mat<T> {
        self.weighted_rows(q, a.as_slice(), rows_per_part(a.rows()))
    }

    /// Aᵀ·diag(q)·A of some rows of a larger matrix, whose parts have so many.
    pub(crate) fn weighted_rows(&mut self, q: &[T], a: &[T], rows_per_part: usize) -> &Mat<T> {
        self.weighted.resize(PARTS * BLOCK * self.total.cols(), T::ZERO);
        self.make(a, rows_per_part, Some(q))
    }

    /// Aᵀ·B for two matrices of one shape.
    pub(crate) fn cross(&mut self, a: &Mat<T>, b: &Mat<T>) -> &Mat<T> {
        let (n, c) = a.shape();
        let rows = rows_per_part(n);
        let sums = &mut self.sums;
        let parts = a.as_slice().par_chunks(rows * c).zip(b.as_slice().par_chunks(rows * c));
        let parts = parts.zip(sums.par_chunks_mut(c * c));
        each(parts.with_min_len(least_parts(n * c * c)), |((a, b), sum)| {
            for block in blocks(0..a.len() / c, BLOCK) {
                let entries = block.start * c..block.end * c;
                let (a, b) = (Left::Columns((&a[entries.clone()], c)), (&b[entries], c));
                T::gemm((&mut *sum, c), a, b, (c, block.len(), c), block.start > 0);
            }
        });
        total_of(&mut self.total, sums, n.div_ceil(rows));
        &self.total
    }

    fn make(&mut self, a: &[T], rows: usize, q: Option<&[T]>) -> &Mat<T> {
        let (c, panel) = (self.total.cols(), PANEL_VECTORS * T::lanes());
        let n = a.len() / c;
        let Self { sums, weighted, .. } = self;
        // Nothing is written where there are no weights.
        let mut slots = [(); PARTS].map(|()| &mut [][..]);
        let mut buffers = weighted.chunks_exact_mut((BLOCK * c).max(1));
        slots.iter_mut().for_each(|slot| *slot = buffers.next().unwrap_or_default());
        let parts = a.par_chunks(rows * c).zip(sums.par_chunks_mut(c * c));
        let parts = parts.zip(slots.par_iter_mut()).enumerate();
        each(parts.with_min_len(least_parts(n * c * c)), |(part, ((a, sum), weighted))| {
            for block in blocks(0..a.len() / c, BLOCK) {
                let a = &a[block.start * c..block.end * c];
                let weighted = match q {
                    None => a,
                    Some(q) => {
                        let weighted = &mut weighted[..a.len()];
                        weigh_rows(a, c, |i| q[part * rows + block.start + i], weighted);
                        weighted
                    }
                };
                // On and above the diagonal, in panels of columns.
                for start in (0..c).step_by(panel) {
                    let columns = panel.min(c - start);
                    let shape = (start + columns, block.len(), columns);
                    let left = Left::Columns((weighted, c));
                    T::gemm((&mut sum[start..], c), left, (&a[start..], c), shape, block.start > 0);
                }
            }
        });
        total_of(&mut self.total, sums, n.div_ceil(rows));
        mirror(&mut self.total);
        &self.total
    }
}
