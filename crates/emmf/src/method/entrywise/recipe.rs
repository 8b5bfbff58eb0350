//! What an entry-wise method minimises, as it is asked for: scales that are not given come from the data.

use super::blocks::{census, median_residual};
use super::weighing::Weighing;
use crate::error::{Error, Result};
use crate::loss::entry::{
    Beta, Divergence, EntryCorrentropy, Huber, Hypersurface, ItakuraSaito, L1, steepest,
};
use crate::loss::normal_variance;
use crate::matrix::Mat;
use crate::method::SampleSide;
use crate::method::irls::raised;
use crate::method::side::{EntryLook, EntryWeights};
use crate::real::Real;

/// ε of the l1 norm where none is given, in terms of the mean entry: entries that are fitted better than ε
/// freeze, and with a much smaller one the fit gets stuck.
const L1_EPSILON: f64 = 0.05;

/// A β that is so near to 0 or 1 is 0 or 1: the formula for the others would lose most digits.
const NEAR: f64 = 1e-6;

/// Least 2σ² in terms of the mean square of X: where everything fits exactly, the width would be 0.
const LEAST_VARIANCE: f64 = 1e-12;

/// y counts as at least the mean entry times this power of the smallest number.
const FLOOR: f64 = 0.25;

/// What an entry-wise method minimises.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Recipe {
    /// The generalised Kullback-Leibler divergence.
    Divergence,
    /// The β-divergence with any other β than 1, where it is the one above.
    Beta(f64),
    /// The smoothed l1 norm.
    L1 {
        /// Sweeps of coordinate descent on the true l1 norm after the last iteration.
        median_sweeps: usize,
    },
    /// Huber's loss.
    Huber {
        /// δ; else the median absolute residual at the start.
        delta: Option<f64>,
    },
    /// The hypersurface cost.
    Hypersurface {
        /// δ; else the median absolute residual at the start.
        delta: Option<f64>,
    },
    /// Entry-wise correntropy.
    Correntropy {
        /// σ; else refreshed from the residuals in every iteration.
        width: Option<f64>,
        /// Where none is given: from the median absolute residual at the start, and it stays.
        robust: bool,
    },
    /// Σ over the features of the norm of the residuals.
    Features,
    /// Σ over the samples of the squared sum of absolute residuals.
    SquaredSums,
}

impl Recipe {
    /// The β-divergence; within a millionth of 1 it is the Kullback-Leibler divergence, and of 0 that of Itakura and Saito.
    pub fn of_beta(beta: f64) -> Self {
        match beta.round() {
            1.0 if (beta - 1.0).abs() < NEAR => Self::Divergence,
            0.0 if beta.abs() < NEAR => Self::Beta(0.0),
            _ => Self::Beta(beta),
        }
    }

    /// β, where it is a β-divergence.
    pub(crate) fn beta(self) -> Option<f64> {
        match self {
            Self::Divergence => Some(1.0),
            Self::Beta(beta) => Some(beta),
            _ => None,
        }
    }

    /// The largest exponent with which a step on a factor descends, where that has a ridge or not.
    pub(crate) fn steepest(self, ridge: bool) -> f64 {
        self.beta().map_or(1.0, |beta| steepest(beta, ridge))
    }

    /// Whether every iteration lowers the objective.
    pub fn descends(self) -> bool {
        !matches!(self, Self::Correntropy { width: None, robust: false })
    }

    /// Sweeps of coordinate descent after the last iteration.
    pub(crate) fn median_sweeps(self) -> usize {
        if let Self::L1 { median_sweeps } = self { median_sweeps } else { 0 }
    }

    /// The weights at first, and how others follow; scales that were not given are taken from the data.
    pub(super) fn resolve<T: Real>(
        self,
        side: &dyn SampleSide<T>,
        u: &Mat<T>,
        epsilon: Option<f64>,
    ) -> Result<(EntryWeights, Weighing)> {
        let entries = |look| census(side, u, look);
        let mean = || entries(EntryLook::default()).map(|all| all.sum / all.count);
        let mean_square = || entries(EntryLook::default()).map(|all| all.squares / all.count);
        let l1 = || {
            let scale = mean()?;
            Ok::<_, Error>(L1 { epsilon: raised(epsilon.unwrap_or(L1_EPSILON * scale), scale) })
        };
        let delta = |given: Option<f64>| given.map_or_else(|| median_residual(side, u), Ok);
        let mut weighing = Weighing::default();
        let weights = match self {
            Self::Divergence => EntryWeights::entries(Divergence::of::<T>()),
            Self::Beta(beta) => {
                let all = entries(EntryLook { beta: Some(beta), ..EntryLook::default() })?;
                let floor = all.sum / all.count * T::TINY.to_f64().powf(FLOOR);
                let floor = floor.max(f64::MIN_POSITIVE);
                match beta {
                    0.0 => EntryWeights::entries(ItakuraSaito { floor }),
                    _ => EntryWeights::entries(Beta { beta, floor }),
                }
            }
            Self::L1 { .. } => EntryWeights::entries(l1()?),
            Self::Huber { delta: given } => EntryWeights::entries(Huber { delta: delta(given)? }),
            Self::Hypersurface { delta: given } => {
                EntryWeights::entries(Hypersurface { delta: delta(given)? })
            }
            Self::Correntropy { width: Some(width), .. } => {
                EntryWeights::entries(EntryCorrentropy { double_variance: 2.0 * width * width })
            }
            Self::Correntropy { width: None, robust } => {
                let least = (LEAST_VARIANCE * mean_square()?).max(f64::MIN_POSITIVE);
                if robust {
                    let double_variance = normal_variance(median_residual(side, u)?).max(least);
                    EntryWeights::entries(EntryCorrentropy { double_variance })
                } else {
                    weighing.least = least;
                    EntryWeights::Refreshed(EntryCorrentropy { double_variance: 1.0 })
                }
            }
            Self::Features => {
                let scale = mean_square()?.sqrt();
                weighing.least = raised(epsilon.unwrap_or(1e-10 * scale), scale);
                EntryWeights::Features(vec![1.0; u.rows()])
            }
            Self::SquaredSums => EntryWeights::SquaredSums(l1()?),
        };
        Ok((weights, weighing))
    }
}
