//! What a method leaves when the loop has ended.

use serde::{Deserialize, Serialize};

use super::{Coding, Layers};
use crate::cancel::{Cancel, Deadline};
use crate::init::Factors;
use crate::matrix::Mat;
use crate::spec::LabelRule;

/// What is to be done after the last iteration.
#[derive(Debug, Clone)]
pub struct Ending {
    /// Solve for V exactly with U as it is, the way `transform` codes samples. A method for which that makes
    /// no sense leaves V alone.
    pub polish: bool,
    /// How labels are read off V, before it is polished.
    pub labels: LabelRule,
    /// Clusters that k-means makes for that.
    pub clusters: usize,
    /// How often each sample counts in that; none where all count once.
    pub weights: Vec<f64>,
    /// Where randomness in that comes from.
    pub seed: u64,
    /// Samples that are not coded anew by then keep the coefficients of the last iteration.
    pub deadline: Deadline,
    /// The same, once it is cancelled.
    pub cancel: Cancel,
}

/// What a method leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome<T> {
    /// U and V.
    pub factors: Factors<T>,
    /// The cluster of each sample.
    pub labels: Vec<usize>,
    /// ‖xᵢ − U·vᵢ‖₂ of every sample.
    pub residuals: Vec<f64>,
    /// How much each sample pulls at the centroids.
    pub weights: Vec<f64>,
    /// The objective of the factors.
    pub objective: f64,
    /// How samples are coded, for `transform`.
    pub coding: Coding,
    /// What else the method found.
    pub extras: Vec<Extra<T>>,
    /// The layers above the first, where there are any.
    pub layers: Option<Layers<T>>,
}

/// A result that only some methods have.
#[derive(Debug, Clone, PartialEq)]
pub struct Extra<T> {
    /// Its name: of the file for a matrix, of the entry of the record for anything else.
    pub name: &'static str,
    /// The result.
    pub value: Value<T>,
}

/// The value of an [`Extra`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value<T> {
    /// A number.
    Number(f64),
    /// Positions, from 0: of samples, features or centroids.
    Indices(Vec<usize>),
    /// One number for each of something.
    Vector(Vec<f64>),
    /// A matrix, which is written to a file of its own.
    #[serde(skip)]
    Matrix(Mat<T>),
}
