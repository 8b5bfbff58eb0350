//! The logarithmic loss of Hx-NMF: Σ a·log(1 + rᵢ/a).
//!
//! Wang, He, Jiang and Li, *Robust Bi-stochastic Graph Regularized Matrix Factorization for Data
//! Clustering*, TPAMI. Large residuals get a weight of about a/r².

use super::{Loss, Stats};

/// See the [module](self).
pub struct Log {
    /// a: residuals well below it count linearly, those well above logarithmically.
    pub scale: f64,
}

impl Loss for Log {
    #[inline(always)]
    fn at(&self, r: f64, _: &Stats) -> (f64, f64) {
        let a = self.scale;
        (a * (r / a).ln_1p(), 1.0 / (r * (1.0 + r / a)))
    }
}
