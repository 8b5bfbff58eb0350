//! The squared error of plain NMF, Eq. (1): Σ rᵢ².
//!
//! Lee and Seung, *Algorithms for Non-negative Matrix Factorization*, NIPS 2000.

use super::{Loss, LossSpec, Stats};

/// See the [module](self).
#[derive(Debug)]
pub struct Frobenius;

impl Loss for Frobenius {
    #[inline(always)]
    fn at(&self, r: f64, _: &Stats) -> (f64, f64) {
        (r * r, 2.0)
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::Frobenius)
    }

    fn smooth(&self) -> bool {
        false
    }
}
