//! Matrices of uniform random numbers.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::matrix::Mat;
use crate::real::Real;

/// Entries uniform in [0, 1]; the 50×50 one is the data of the paper's figure of the outlier effect.
pub fn uniform<T: Real>(rows: usize, cols: usize, seed: u64) -> Mat<T> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    Mat::from_fn(rows, cols, |_, _| T::from_f64(random.random::<f64>()))
}
