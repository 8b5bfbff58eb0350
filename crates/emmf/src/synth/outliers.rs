//! Gross outliers: random vectors appended to the data.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::largest_entry;
use crate::matrix::Mat;
use crate::real::Real;

/// The data and, after them, `count` outliers with entries uniform in [0, 10σ], σ the largest entry
/// of `x`: the paper's experiment with an increasing number of outliers.
///
/// More outliers from the same seed start with the same ones. Entries of `x` that are not finite do
/// not count for σ.
pub fn add_outliers<T: Real>(x: &Mat<T>, count: usize, seed: u64) -> Mat<T> {
    append(x, count, 10.0, &mut Xoshiro256PlusPlus::seed_from_u64(seed))
}

/// The same with entries in [0, scale·σ].
pub(super) fn append<T: Real>(
    x: &Mat<T>,
    count: usize,
    scale: f64,
    random: &mut Xoshiro256PlusPlus,
) -> Mat<T> {
    let top = scale * largest_entry(x);
    Mat::from_fn(x.rows() + count, x.cols(), |i, j| {
        if i < x.rows() { x[(i, j)] } else { T::from_f64(top * random.random::<f64>()) }
    })
}
