//! Outliers that are harder to see than gross ones: of usual length, close together, from elsewhere, or samples that are far too long or
//! have some entries destroyed.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::largest_entry;
use super::outliers::append;
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::preprocess::median;
use crate::real::Real;

/// Largest relative difference of an entry within a cluster of junk.
const TIGHT: f64 = 0.05;
/// How many times as long as it was a sample is that is far too long.
const LONG: f64 = 100.0;

/// Kinds of outliers. Except for those that are too long, they are as long as the median sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Junk {
    /// Random vectors.
    Scattered,
    /// Copies of one random vector, with a little noise.
    Cluster,
    /// Samples of the data, a hundred times as long.
    Long,
}

/// The data and, after them, `count` outliers of this kind.
pub fn add_junk<T: Real>(x: &Mat<T>, kind: Junk, count: usize, seed: u64) -> Mat<T> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (n, length) = (x.rows(), median_length(x));
    if kind == Junk::Long && n > 0 {
        let drawn: Vec<usize> = (0..count).map(|_| random.random_range(0..n)).collect();
        let long = |i: usize, j: usize| T::from_f64(LONG * x[(drawn[i - n], j)].to_f64());
        return Mat::from_fn(n + count, x.cols(), |i, j| if i < n { x[(i, j)] } else { long(i, j) });
    }
    let mut all = append(x, count, 1.0, &mut random);
    if kind == Junk::Cluster && count > 0 {
        let first = all.row(n).to_vec();
        for i in n..n + count {
            let noisy = |x: &T| T::from_f64(x.to_f64() * (1.0 + TIGHT * random.random::<f64>()));
            let row: Vec<T> = first.iter().map(noisy).collect();
            all.row_mut(i).copy_from_slice(&row);
        }
    }
    (n..n + count).for_each(|i| scale_to(all.row_mut(i), length));
    all
}

/// The data and, after them, `count` random samples of `other`, as long as the median sample; those that are zero stay so. If they
/// have fewer features, theirs are repeated; if they have more, some are taken, evenly spaced.
pub fn add_foreign<T: Real>(x: &Mat<T>, other: &Mat<T>, count: usize, seed: u64) -> Result<Mat<T>> {
    if other.rows() == 0 || other.cols() == 0 {
        return Err(Error::Empty { rows: other.rows(), cols: other.cols() });
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let drawn: Vec<usize> = (0..count).map(|_| random.random_range(0..other.rows())).collect();
    let (n, length) = (x.rows(), median_length(x));
    let (d, theirs) = (x.cols(), other.cols());
    let place = |j: usize| if theirs > d { j * theirs / d } else { j % theirs };
    let mut all =
        Mat::from_fn(n + count, d, |i, j| if i < n { x[(i, j)] } else { other[(drawn[i - n], place(j))] });
    (n..n + count).for_each(|i| scale_to(all.row_mut(i), length));
    Ok(all)
}

/// Turns each entry of the samples `rows` with the chance `share` into 0 or, as often, into the largest entry of `x`.
pub fn add_salt_and_pepper<T: Real>(x: &mut Mat<T>, rows: &[usize], share: f64, seed: u64) -> Result<()> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::param("share", share, "at least 0 and at most 1, the share of the entries"));
    }
    if let Some(row) = rows.iter().find(|&&row| row >= x.rows()) {
        return Err(Error::param("rows", row, format!("less than the number of samples, {}", x.rows())));
    }
    let top = T::from_f64(largest_entry(x));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for &row in rows {
        for entry in x.row_mut(row) {
            let (hit, salt) = (random.random::<f64>() < share, random.random::<bool>());
            if hit {
                *entry = if salt { top } else { T::ZERO };
            }
        }
    }
    Ok(())
}

fn length<T: Real>(row: &[T]) -> f64 {
    row.iter().map(|x| x.to_f64().powi(2)).filter(|square| square.is_finite()).sum::<f64>().sqrt()
}

fn median_length<T: Real>(x: &Mat<T>) -> f64 {
    median(&mut (0..x.rows()).map(|i| length(x.row(i))).collect::<Vec<_>>())
}

/// What is zero, or next to it, has no direction and stays as it is.
fn scale_to<T: Real>(row: &mut [T], wanted: f64) {
    let length = length(row);
    if length >= f64::MIN_POSITIVE {
        row.iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / length * wanted));
    }
}
