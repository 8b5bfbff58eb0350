//! The squared error of plain NMF, Eq. (1): Σ rᵢ².
//!
//! Lee and Seung, *Algorithms for Non-negative Matrix Factorization*, NIPS 2000.

use super::{Loss, Stats};

/// See the [module](self).
pub struct Frobenius;

impl Loss for Frobenius {
    fn rho(&self, r: f64, _: &Stats) -> f64 {
        r * r
    }

    fn weight(&self, _: f64, _: &Stats) -> f64 {
        2.0
    }

    fn smooth(&self) -> bool {
        false
    }
}
