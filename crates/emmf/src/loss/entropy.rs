//! The entropy loss of EMMF, Eq. (6): −Σ rᵢ·log(rᵢ/R), R = Σ rᵢ = ‖M‖₂,₁.
//!
//! Chen and Li, *Entropy Minimizing Matrix Factorization*. The entropy of the residual distribution
//! times its sum: a few large residuals cost little, so outliers are left alone.

use super::entry::elementary::ln;
use super::{Loss, LossSpec, Stats};

/// See the [module](self).
#[derive(Debug)]
pub struct Entropy;

impl Loss for Entropy {
    #[inline(always)]
    fn at(&self, r: f64, stats: &Stats) -> (f64, f64) {
        let share = stats.sum / r;
        let log = if share < f64::INFINITY { ln(share) } else { share };
        // Eq. (8)  Qᵢᵢ = −log(rᵢ/R)/rᵢ
        (r * log, log / r)
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::Entropy)
    }
}
