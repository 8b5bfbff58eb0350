//! The two toy sets of the paper's first figures: samples in the plane, to be fitted with c = 1.
//!
//! The paper does not print the coordinates. These are chosen so that the lines show what its text
//! says: best lines 28.0° (NMF), 4.0° (l2,1-NMF) and 0.0° (EMMF) off the ray y = x/2 of the normal
//! samples; under NMF some normal samples have larger errors than the outliers.

use super::Labelled;
use crate::matrix::Mat;
use crate::real::Real;

const NORMAL: [[f64; 2]; 10] = [
    [2.0, 0.9],
    [3.2, 1.2],
    [4.3, 2.2],
    [4.8, 3.1],
    [6.1, 3.0],
    [7.2, 3.6],
    [8.0, 3.0],
    [9.0, 4.5],
    [10.0, 5.9],
    [10.9, 5.4],
];

const OUTLIERS: [[f64; 2]; 3] = [[6.1, 16.3], [5.8, 17.0], [6.3, 18.1]];

/// Ten normal samples near the ray y = x/2 (class 0), then three outliers (label 1) far above it.
pub fn toy_with_outliers<T: Real>() -> Labelled<T> {
    labelled(NORMAL.into_iter().chain(OUTLIERS))
}

/// Ten samples exactly on the ray y = x/2, so that one centroid fits them without error.
pub fn toy_clean<T: Real>() -> Labelled<T> {
    labelled((2..12).map(|x| [f64::from(x), f64::from(x) / 2.0]))
}

fn labelled<T: Real>(points: impl Iterator<Item = [f64; 2]>) -> Labelled<T> {
    let x = Mat::from_rows(points.map(|point| point.map(T::from_f64)));
    let outlier: Vec<bool> = (0..x.rows()).map(|i| i >= NORMAL.len()).collect();
    Labelled { x, labels: outlier.iter().map(|&is| usize::from(is)).collect(), outlier }
}
