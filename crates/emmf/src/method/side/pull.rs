//! What the samples pull U towards.

use serde::{Deserialize, Serialize};

use super::Summand;
use crate::matrix::Mat;
use crate::real::Real;

/// XᵀQV and VᵀQV.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pull<T> {
    /// XᵀQV, d×c.
    pub p: Mat<T>,
    /// VᵀQV, c×c.
    pub g: Mat<T>,
}

impl<T: Real> Summand for Pull<T> {
    fn add(&mut self, other: &Self) {
        for (sum, other) in [(&mut self.p, &other.p), (&mut self.g, &other.g)] {
            sum.as_mut_slice().iter_mut().zip(other.as_slice()).for_each(|(sum, &other)| *sum += other);
        }
    }
}
