//! The l2,1 norm of the residual matrix, Eq. (4): Σ rᵢ.
//!
//! Kong, Ding and Huang, *Robust Nonnegative Matrix Factorization using L21-norm*, CIKM 2011.

use super::{Loss, LossSpec, Stats};

/// See the [module](self).
#[derive(Debug)]
pub struct L21;

impl Loss for L21 {
    #[inline(always)]
    fn at(&self, r: f64, _: &Stats) -> (f64, f64) {
        (r, 1.0 / r)
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::L21)
    }
}
