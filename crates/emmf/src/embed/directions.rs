//! Coefficients and centroids as directions: what a sample is made of, whatever its length.

use crate::matrix::Mat;
use crate::real::Real;

/// What samples are made of: their coefficients in units of the centroids' lengths, at unit length.
pub(super) struct Directions<'a, T> {
    v: &'a Mat<T>,
    /// Shares of the longest.
    lengths: Vec<f64>,
}

impl<'a, T: Real> Directions<'a, T> {
    pub(super) fn of(u: &Mat<T>, v: &'a Mat<T>) -> Self {
        let along = |k: usize| length((0..u.rows()).map(|j| u[(j, k)].to_f64()));
        let lengths: Vec<f64> = (0..v.cols()).map(along).collect();
        let longest = lengths.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        Self { v, lengths: lengths.iter().map(|length| length / longest).collect() }
    }

    /// Of sample i; zero where it has no coefficients.
    pub(super) fn row(&self, i: usize) -> Vec<T> {
        let v = self.v.row(i);
        // As shares of the largest, so that no product is too large for a number.
        let most = v.iter().map(|v| v.to_f64()).fold(f64::MIN_POSITIVE, f64::max);
        let row: Vec<f64> =
            v.iter().zip(&self.lengths).map(|(v, length)| v.to_f64() / most * length).collect();
        at_unit_length(&row)
    }
}

/// The centroids `u` (d×c) as rows of unit length.
pub(super) fn directions_of_centroids<T: Real>(u: &Mat<T>) -> Mat<T> {
    let mut rows = Mat::zeros(u.cols(), u.rows());
    for k in 0..u.cols() {
        let column: Vec<f64> = (0..u.rows()).map(|j| u[(j, k)].to_f64()).collect();
        rows.row_mut(k).copy_from_slice(&at_unit_length(&column));
    }
    rows
}

/// Zero stays zero.
fn at_unit_length<T: Real>(row: &[f64]) -> Vec<T> {
    let norm = length(row.iter().copied());
    row.iter().map(|x| T::from_f64(if norm > 0.0 { x / norm } else { 0.0 })).collect()
}

/// The Euclidean length, whose square may be too large or too small for a number.
fn length(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = values.clone().map(f64::abs).fold(0.0, f64::max);
    if most > 0.0 { most * values.map(|x| (x / most).powi(2)).sum::<f64>().sqrt() } else { 0.0 }
}
