//! The capped norm: Σ min(rᵢ, θ).
//!
//! Gao, Nie, Cai and Huang, *Robust Capped Norm Nonnegative Matrix Factorization*, CIKM 2015,
//! without its orthogonality constraint: the published V rule sets the coefficients of a capped sample
//! to zero for ever, here they keep being fitted, so such a sample has a label and may come back.

use super::scale::{THRESHOLD, median_and_deviation};
use super::{Loss, LossSpec, Stats};
use crate::error::Result;

/// See the [module](self).
#[derive(Debug)]
pub struct Capped {
    /// θ; `None` until it is taken from the data.
    pub threshold: Option<f64>,
    /// If no θ is given, it is this quantile of the residuals after one l2,1 iteration.
    pub quantile: f64,
    /// It is [`THRESHOLD`] robust deviations above the median of these residuals instead.
    pub robust: bool,
}

impl Capped {
    fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(f64::INFINITY)
    }
}

impl Loss for Capped {
    #[inline(always)]
    fn at(&self, r: f64, _: &Stats) -> (f64, f64) {
        let threshold = self.threshold();
        if r > threshold { (threshold, 0.0) } else { (r, 1.0 / r) }
    }

    fn spec(&self) -> Option<LossSpec> {
        Some(LossSpec::Capped(self.threshold()))
    }

    fn calibrate(&mut self, residuals: &mut dyn FnMut() -> Result<Vec<(f64, f64)>>) -> Result<()> {
        if self.threshold.is_none() && self.robust {
            let (median, deviation) = median_and_deviation(residuals()?);
            self.threshold = Some(median + THRESHOLD * deviation);
        } else if self.threshold.is_none() {
            let mut samples = residuals()?;
            samples.sort_by(|a, b| a.0.total_cmp(&b.0));
            let kept = self.quantile * samples.iter().map(|(_, s)| s).sum::<f64>();
            let mut below = 0.0;
            let last_kept = samples.iter().find(|(_, s)| {
                below += s;
                below >= kept
            });
            self.threshold = last_kept.or(samples.last()).map(|(r, _)| *r);
        }
        Ok(())
    }
}
