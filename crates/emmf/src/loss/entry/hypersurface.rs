//! The hypersurface cost: Σ δ²·(√(1 + (m/δ)²) − 1), m = x − y.
//!
//! Hamza and Brady, *Reconstruction of Reflectance Spectra Using Robust Nonnegative Matrix Factorization*, IEEE
//! Transactions on Signal Processing 2006, there with δ = 1 and gradient steps; here by reweighting, which needs
//! no step size and descends.

use serde::{Deserialize, Serialize};

use super::EntryLoss;

/// See the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Hypersurface {
    /// δ: residuals well above it count linearly, those well below quadratically.
    pub delta: f64,
}

impl EntryLoss for Hypersurface {
    #[inline(always)]
    fn share(&self, x: f64, y: f64) -> f64 {
        let m = x - y;
        // δ²(√(1 + s²) − 1) without the difference of nearly equal numbers.
        m * m / (1.0 + (1.0 + (m / self.delta) * (m / self.delta)).sqrt())
    }

    #[inline(always)]
    fn weight(&self, x: f64, y: f64) -> f64 {
        let s = (x - y) / self.delta;
        1.0 / (1.0 + s * s).sqrt()
    }
}
