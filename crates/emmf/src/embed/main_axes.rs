//! Samples along the two directions in which they vary most, by subspace iteration.

use crate::data::{Data, orthonormal_basis};
use crate::error::Result;
use crate::matrix::Mat;
use crate::real::Real;

/// Vectors that are worked on, more than the two that are wanted: they make the two come out fast.
const WIDTH: usize = 6;
/// A picture needs few digits.
const ITERATIONS: usize = 12;

/// One point for each sample; all the same where samples do not differ.
pub(super) fn main_axes<T: Real, X: Data<T>>(x: &X) -> Result<Vec<[f64; 2]>> {
    let (n, d) = x.shape();
    let width = WIDTH.min(d).min(n);
    let ones = vec![T::ONE; n];
    let mut mean = Mat::zeros(d, 1);
    x.t_dot(&ones, &Mat::from_fn(n, 1, |_, _| T::from_f64(1.0 / n as f64)), &mut mean);
    // Vectors that seem random and are the same each time.
    let mut b = orthonormal_basis(Mat::from_fn(d, width, |j, k| T::from_f64(scattered(j * WIDTH + k))));
    for _ in 0..ITERATIONS {
        let along = centered(x, &mean, &b);
        let mut next = Mat::zeros(d, width);
        x.t_dot(&ones, &along, &mut next);
        // Columns of what is centered add up to 0, so that the mean has no part in the product.
        b = orthonormal_basis(next);
    }
    x.intact()?;
    let along = centered(x, &mean, &b);
    let mut order: Vec<usize> = (0..width).collect();
    let spread = |k: usize| (0..n).map(|i| along[(i, k)].to_f64().powi(2)).sum::<f64>();
    let spreads: Vec<f64> = (0..width).map(spread).collect();
    order.sort_by(|&a, &b| spreads[b].total_cmp(&spreads[a]));
    let at = |i: usize, rank: usize| order.get(rank).map_or(0.0, |&k| along[(i, k)].to_f64());
    Ok((0..n).map(|i| [at(i, 0), at(i, 1)]).collect())
}

/// (X − 1·meanᵀ)·B.
fn centered<T: Real, X: Data<T>>(x: &X, mean: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    let mut along = x.dot(b);
    let shift = |k: usize| (0..b.rows()).map(|j| mean[(j, 0)].to_f64() * b[(j, k)].to_f64()).sum::<f64>();
    let shift: Vec<T> = (0..b.cols()).map(|k| T::from_f64(shift(k))).collect();
    for i in 0..along.rows() {
        along.row_mut(i).iter_mut().zip(&shift).for_each(|(value, &shift)| *value -= shift);
    }
    along
}

/// A number in [−½, ½) for every number (SplitMix64).
pub(super) fn scattered(number: usize) -> f64 {
    let mut z = (number as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}
