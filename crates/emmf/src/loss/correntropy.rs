//! Sample-wise correntropy (rCIM): Σ 1 − exp(−rᵢ²/2σ²).
//!
//! Du, Li and Shen, *Robust Nonnegative Matrix Factorization via Half-Quadratic Minimization*,
//! ICDM 2012. If no width is given, 2σ² is the mean of rᵢ², updated in every iteration; no fixed
//! objective falls then, so descent is only promised for a given width.

use super::scale::median_and_deviation;
use super::{Loss, LossSpec, Stats};
use crate::error::Result;

/// See the [module](self).
#[derive(Debug)]
pub struct Correntropy {
    /// σ; `None` is refreshed from the residuals.
    pub width: Option<f64>,
    /// If none is given, 2σ² is the square of the median residual after one l2,1 iteration, and stays fixed.
    pub robust: bool,
}

impl Correntropy {
    /// 2σ², kept away from 0 where the width that is given is.
    fn double_variance(&self, stats: &Stats) -> f64 {
        let refreshed = || stats.sum_sq / stats.n;
        self.width.map_or_else(refreshed, |sigma| 2.0 * sigma * sigma).max(f64::MIN_POSITIVE)
    }
}

impl Loss for Correntropy {
    #[inline(always)]
    fn at(&self, r: f64, stats: &Stats) -> (f64, f64) {
        let double_variance = self.double_variance(stats);
        let square = r * r / double_variance;
        (-(-square).exp_m1(), 2.0 / double_variance * (-square).exp())
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::Correntropy(self.width))
    }

    /// A width that is taken from the residuals has their pole: where everything fits, it would be that of rounding.
    fn smooth(&self) -> bool {
        self.width.is_none()
    }

    fn descends(&self) -> bool {
        self.width.is_some()
    }

    fn calibrate(&mut self, residuals: &mut dyn FnMut() -> Result<Vec<(f64, f64)>>) -> Result<()> {
        if self.width.is_none() && self.robust {
            let (median, _) = median_and_deviation(residuals()?);
            self.width = Some(median * std::f64::consts::FRAC_1_SQRT_2);
        }
        Ok(())
    }
}
