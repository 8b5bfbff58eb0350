//! The logarithmic loss of Hx-NMF: Σ a·log(1 + rᵢ/a).
//!
//! Wang, He, Jiang and Li, *Robust Bi-stochastic Graph Regularized Matrix Factorization for Data
//! Clustering*, TPAMI. Large residuals get a weight of about a/r².

use super::scale::median_and_deviation;
use super::{Loss, LossSpec, Stats};
use crate::error::Result;

/// See the [module](self).
#[derive(Debug)]
pub struct Log {
    /// a: residuals well below it count linearly, those well above logarithmically.
    pub scale: f64,
    /// Takes a from the data instead: the median residual after one l2,1 iteration.
    pub robust: bool,
}

impl Loss for Log {
    #[inline(always)]
    fn at(&self, r: f64, _: &Stats) -> (f64, f64) {
        let a = self.scale;
        (a * (r / a).ln_1p(), 1.0 / (r * (1.0 + r / a)))
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::Log(self.scale))
    }

    fn calibrate(&mut self, residuals: &mut dyn FnMut() -> Result<Vec<(f64, f64)>>) -> Result<()> {
        if self.robust {
            self.scale = median_and_deviation(residuals()?).0.max(f64::MIN_POSITIVE);
        }
        Ok(())
    }
}
