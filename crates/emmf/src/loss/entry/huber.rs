//! Huber's loss: Σ ½m² where |m| ≤ δ, else δ|m| − ½δ², m = x − y.
//!
//! Du, Li and Shen, *Robust Nonnegative Matrix Factorization via Half-Quadratic Minimization*, ICDM 2012, after
//! Huber, *Robust Estimation of a Location Parameter*, 1964.

use serde::{Deserialize, Serialize};

use super::EntryLoss;

/// See the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Huber {
    /// δ: residuals above it count linearly.
    pub delta: f64,
}

impl EntryLoss for Huber {
    #[inline(always)]
    fn share(&self, x: f64, y: f64) -> f64 {
        let m = (x - y).abs();
        let inner = m.min(self.delta);
        inner * (m - 0.5 * inner)
    }

    #[inline(always)]
    fn weight(&self, x: f64, y: f64) -> f64 {
        self.delta / (x - y).abs().max(self.delta)
    }
}
