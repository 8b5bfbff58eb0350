//! Synthetic data: small sets of several kinds to start with, the toy sets of the paper's figures, and outliers to put into real data.
//!
//! Everything random takes a seed. The same seed gives the same numbers on every machine, and the
//! same up to rounding in `f32` and `f64`: they are drawn in double precision.

mod blocks;
mod examples;
mod junk;
mod outliers;
mod rays;
mod toy;
mod uniform;

pub use blocks::{ImageShape, add_block_noise, choose_per_class};
pub use examples::{Amount, Example, Texts, cells, shapes, spectra, texts};
pub use junk::{Junk, add_foreign, add_junk, add_salt_and_pepper};
pub use outliers::add_outliers;
pub use rays::{Rays, rays_with_outliers};
pub use toy::{toy_clean, toy_with_outliers};
pub use uniform::uniform;

use crate::matrix::Mat;
use crate::real::Real;

/// Samples whose classes and outliers are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelled<T> {
    /// The samples, as rows.
    pub x: Mat<T>,
    /// The class of each sample, from 0; outliers get the number of classes.
    pub labels: Vec<usize>,
    /// Whether the sample is an outlier.
    pub outlier: Vec<bool>,
}

/// The largest finite entry, 0 if there is no positive one.
fn largest_entry<T: Real>(x: &Mat<T>) -> f64 {
    let finite = x.as_slice().iter().map(|entry| entry.to_f64()).filter(|entry| entry.is_finite());
    finite.fold(0.0, f64::max)
}
