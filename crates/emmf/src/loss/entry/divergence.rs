//! The generalised Kullback-Leibler divergence: Σ x·log(x/y) − x + y, with 0·log 0 = 0.
//!
//! Lee and Seung, *Algorithms for Non-negative Matrix Factorization*, NIPS 2000. The likelihood of counts
//! that are Poisson distributed around y. Every multiplicative step descends, with exponents in (0, 1]; after
//! a V step with exponent 1 the approximation of every sample has the sum of the sample, after a U step that
//! of every feature.

use serde::{Deserialize, Serialize};

use super::EntryLoss;
use super::elementary::ln;
use crate::real::Real;

/// See the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Divergence {
    /// y counts as at least this much where x is not 0: the divergence from 0 is infinite.
    pub floor: f64,
}

impl Divergence {
    /// With the floor for factors of type `T`.
    pub(crate) fn of<T: Real>() -> Self {
        Self { floor: T::TINY.to_f64().powf(0.75) }
    }
}

impl EntryLoss for Divergence {
    // With weights 1/y the rules are those of Lee and Seung, which bound the logarithm by its concavity.
    const FRESH: bool = true;

    #[inline(always)]
    fn share(&self, x: f64, y: f64) -> f64 {
        let log = ln((x / y.max(self.floor)).max(f64::MIN_POSITIVE));
        // ln of the smallest number times 0 is 0, as it should be.
        x * log - x + y
    }

    #[inline(always)]
    fn weight(&self, _: f64, y: f64) -> f64 {
        1.0 / y.max(self.floor)
    }

    #[inline(always)]
    fn pull(&self, _: f64, _: f64) -> f64 {
        1.0
    }
}
