//! The smoothed l1 norm: Σ √((x − y)² + ε²).
//!
//! Ke and Kanade, *Robust L1 Norm Factorization in the Presence of Outliers and Missing Data*, CVPR 2005, with
//! nonnegative factors, by iterative reweighting. The smaller ε, the nearer the true l1 norm, but entries that
//! are fitted better than ε freeze: hence a default that is not small.

use serde::{Deserialize, Serialize};

use super::EntryLoss;

/// See the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct L1 {
    /// ε: residuals well above it count linearly.
    pub epsilon: f64,
}

impl EntryLoss for L1 {
    #[inline(always)]
    fn share(&self, x: f64, y: f64) -> f64 {
        ((x - y) * (x - y) + self.epsilon * self.epsilon).sqrt()
    }

    #[inline(always)]
    fn weight(&self, x: f64, y: f64) -> f64 {
        1.0 / self.share(x, y)
    }
}
