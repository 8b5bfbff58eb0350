//! Entry-wise correntropy (CIM): Σ 1 − exp(−(x − y)²/2σ²).
//!
//! Du, Li and Shen, *Robust Nonnegative Matrix Factorization via Half-Quadratic Minimization*, ICDM 2012.
//! Where no width is given, 2σ² is the mean of (x − y)², anew in every iteration; no fixed objective falls then,
//! so descent is only promised for a given width.

use serde::{Deserialize, Serialize};

use super::EntryLoss;
use super::elementary::exp_of_negative;

/// See the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EntryCorrentropy {
    /// 2σ².
    pub double_variance: f64,
}

impl EntryLoss for EntryCorrentropy {
    #[inline(always)]
    fn share(&self, x: f64, y: f64) -> f64 {
        1.0 - self.weight(x, y)
    }

    #[inline(always)]
    fn weight(&self, x: f64, y: f64) -> f64 {
        exp_of_negative((x - y) * (x - y) / self.double_variance)
    }
}
