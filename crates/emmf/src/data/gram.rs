//! The small c×c products UᵀU and VᵀQV of the tall factors.

use rayon::prelude::*;

use super::{BLOCK, blocks};
use crate::matrix::Mat;
use crate::real::Real;

/// The rows are summed up in this many parts at most, whatever the number of threads.
const PARTS: usize = 16;

/// UᵀU.
pub(crate) fn gram<T: Real>(u: &Mat<T>) -> Mat<T> {
    gram_of(u, |_, row, out| out.extend_from_slice(row))
}

/// Vᵀ·diag(q)·V.
pub(crate) fn weighted_gram<T: Real>(q: &[T], v: &Mat<T>) -> Mat<T> {
    gram_of(v, |i, row, out| out.extend(row.iter().map(|&value| q[i] * value)))
}

/// Aᵀ·B, where `weigh(i, aᵢ, out)` appends row i of B.
fn gram_of<T: Real>(a: &Mat<T>, weigh: impl Fn(usize, &[T], &mut Vec<T>) + Sync) -> Mat<T> {
    let (n, c) = a.shape();
    let blocks: Vec<_> = blocks(n).collect();
    let per_part = blocks.len().div_ceil(PARTS).max(1);
    let sums: Vec<Vec<T>> = blocks
        .par_chunks(per_part)
        .map(|part| {
            let mut sum = vec![T::ZERO; c * c];
            let mut b = Vec::with_capacity(BLOCK * c);
            for rows in part {
                b.clear();
                rows.clone().for_each(|i| weigh(i, a.row(i), &mut b));
                let left = &a.as_slice()[rows.start * c..];
                T::gemm(&mut sum, (left, 1, c), (&b, c, 1), (c, rows.len(), c), true);
            }
            sum
        })
        .collect();
    let mut total = Mat::zeros(c, c);
    for sum in &sums {
        total.as_mut_slice().iter_mut().zip(sum).for_each(|(total, &part)| *total += part);
    }
    total
}
