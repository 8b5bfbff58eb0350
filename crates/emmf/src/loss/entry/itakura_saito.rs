//! The Itakura-Saito divergence: Σ x/y − log(x/y) − 1, the β-divergence with β = 0.
//!
//! Févotte, Bertin and Durrieu, *Nonnegative Matrix Factorization with the Itakura-Saito Divergence*, Neural Computation
//! 2009. It sees only the ratio of an entry to its approximation, so that quiet parts count as much as loud ones. It is
//! infinite where x is 0.

use serde::{Deserialize, Serialize};

use super::EntryLoss;
use super::elementary::ln;

/// See the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ItakuraSaito {
    /// y counts as at least this much.
    pub floor: f64,
}

impl EntryLoss for ItakuraSaito {
    const FRESH: bool = true;

    #[inline(always)]
    fn share(&self, x: f64, y: f64) -> f64 {
        let ratio = x / if y < self.floor { self.floor } else { y };
        ratio - ln(ratio.max(f64::MIN_POSITIVE)) - 1.0
    }

    #[inline(always)]
    fn weight(&self, _: f64, y: f64) -> f64 {
        let inverse = 1.0 / y.max(self.floor);
        inverse * inverse
    }

    #[inline(always)]
    fn pull(&self, _: f64, _: f64) -> f64 {
        1.0
    }
}
