//! What a method leaves when the loop has ended.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Coding, Layers};
use crate::cancel::{Cancel, Deadline};
use crate::init::Factors;
use crate::matrix::Mat;
use crate::real::Real;
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    into = "WrittenExtra<T>",
    from = "WrittenExtra<T>",
    bound(serialize = "T: Real + Serialize", deserialize = "T: Real + serde::de::DeserializeOwned")
)]
pub struct Extra<T> {
    /// Its name: of the file for a matrix, of the entry of the record for anything else.
    pub name: Cow<'static, str>,
    /// The result.
    pub value: Value<T>,
}

impl<T> Extra<T> {
    /// A result with its name.
    pub fn new(name: impl Into<Cow<'static, str>>, value: Value<T>) -> Self {
        Self { name: name.into(), value }
    }
}

/// An [`Extra`] as serde writes it in a fit: matrices, too.
#[derive(Serialize, Deserialize)]
pub(crate) struct WrittenExtra<T> {
    name: String,
    value: WrittenValue<T>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenValue<T> {
    Number(f64),
    Indices(Vec<usize>),
    Vector(Vec<f64>),
    Matrix(Mat<T>),
}

impl<T: Real> From<Extra<T>> for WrittenExtra<T> {
    fn from(Extra { name, value }: Extra<T>) -> Self {
        let value = match value {
            Value::Number(value) => WrittenValue::Number(value),
            Value::Indices(value) => WrittenValue::Indices(value),
            Value::Vector(value) => WrittenValue::Vector(value),
            Value::Matrix(value) => WrittenValue::Matrix(value),
        };
        Self { name: name.into_owned(), value }
    }
}

impl<T: Real> From<WrittenExtra<T>> for Extra<T> {
    fn from(WrittenExtra { name, value }: WrittenExtra<T>) -> Self {
        let value = match value {
            WrittenValue::Number(value) => Value::Number(value),
            WrittenValue::Indices(value) => Value::Indices(value),
            WrittenValue::Vector(value) => Value::Vector(value),
            WrittenValue::Matrix(value) => Value::Matrix(value),
        };
        Self::new(name, value)
    }
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
