//! How the entries of a row are weighed, and what has to be known of all of them before.

use crate::loss::entry::{AnyEntryLoss, EntryCorrentropy, EntryLoss, L1, map, sum};
use crate::method::Coding;
use crate::real::Real;

/// The weights of the entries.
pub(super) enum Weighing {
    /// Each by its own residual.
    Entries(AnyEntryLoss),
    /// The same, with a width from the residuals of all.
    Refreshed {
        loss: EntryCorrentropy,
        /// Least 2σ².
        least: f64,
    },
    /// Σⱼ √(Σᵢ sᵢmᵢⱼ² + ε²): a weight for each feature. It cancels from the U step.
    Features { epsilon: f64, weights: Vec<f64> },
    /// Σᵢ (Σⱼ |mᵢⱼ|)², |·| smoothed: each by its own residual and the sum of its sample. By Cauchy's inequality
    /// (Σa)² ≤ Σ a²·(Σa′)/a′.
    SquaredSums(L1),
}

/// Sums over all samples.
pub(super) struct Totals<'a> {
    /// Σ sᵢmᵢⱼ² of all entries.
    pub(super) squares: f64,
    /// Σ sᵢ of all entries.
    pub(super) count: f64,
    /// Σ sᵢmᵢⱼ² of each feature, where they are wanted.
    pub(super) of_features: &'a [f64],
}

impl Weighing {
    pub(super) fn entries(loss: impl Into<AnyEntryLoss>) -> Self {
        Self::Entries(loss.into())
    }

    /// The weights of a row depend on nothing but the row.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Entries(_) | Self::SquaredSums(_))
    }

    /// The squares are wanted by feature.
    pub(super) fn by_feature(&self) -> bool {
        matches!(self, Self::Features { .. })
    }

    /// See [`EntryLoss::FRESH`].
    pub(super) fn is_fresh(&self) -> bool {
        match self {
            Self::Entries(loss) => loss.is_fresh(),
            _ => false,
        }
    }

    /// Weights times approximation is 1 wherever an entry is not missing.
    pub(super) fn is_divergence(&self) -> bool {
        matches!(self, Self::Entries(AnyEntryLoss::Divergence(_)))
    }

    /// The weights of a row.
    #[inline(always)]
    pub(super) fn weigh<T: Real>(&self, x: &[T], y: &[T], w: &mut [T]) {
        match self {
            Self::Entries(loss) => loss.weigh_row(x, y, w),
            Self::Refreshed { loss, .. } => map(x, y, w, |x, y| loss.weight(x, y)),
            Self::Features { weights, .. } => {
                for ((&x, &weight), w) in x.iter().zip(weights).zip(w) {
                    *w = T::from_f64(if x.to_f64().is_nan() { 0.0 } else { weight });
                }
            }
            Self::SquaredSums(loss) => {
                let total = sum(x, y, |x, y| loss.share(x, y));
                map(x, y, w, |x, y| total * loss.weight(x, y));
            }
        }
    }

    /// The row's share of the objective, where the objective is a sum over the rows.
    #[inline(always)]
    pub(super) fn share<T: Real>(&self, x: &[T], y: &[T]) -> f64 {
        match self {
            Self::Entries(loss) => loss.share_of_row(x, y),
            Self::Refreshed { loss, .. } => sum(x, y, |x, y| loss.share(x, y)),
            Self::Features { .. } => 0.0,
            Self::SquaredSums(loss) => sum(x, y, |x, y| loss.share(x, y)).powi(2),
        }
    }

    /// Σ of the weights of a row as they are reported.
    #[inline(always)]
    pub(super) fn pull<T: Real>(&self, x: &[T], y: &[T]) -> f64 {
        match self {
            Self::Entries(loss) => loss.pull_of_row(x, y),
            Self::Refreshed { loss, .. } => sum(x, y, |x, y| loss.weight(x, y)),
            Self::Features { .. } => sum(x, y, |_, _| 1.0),
            Self::SquaredSums(loss) => {
                let total = sum(x, y, |x, y| loss.share(x, y));
                sum(x, y, |x, y| total * loss.weight(x, y))
            }
        }
    }

    /// Takes what it needs from the sums over all samples; returns the objective where it is no sum over the
    /// rows.
    pub(super) fn settle(&mut self, totals: &Totals<'_>) -> Option<f64> {
        match self {
            Self::Refreshed { loss, least } => {
                loss.double_variance = (totals.squares / totals.count).max(*least);
                None
            }
            Self::Features { epsilon, weights } => {
                for (norm, square) in weights.iter_mut().zip(totals.of_features) {
                    *norm = (square + *epsilon * *epsilon).sqrt();
                }
                let (objective, least) = weights
                    .iter()
                    .fold((0.0, f64::INFINITY), |(sum, least), &norm| (sum + norm, norm.min(least)));
                // To a maximum of 1: a common factor changes nothing and might overflow.
                weights.iter_mut().for_each(|norm| *norm = least / *norm);
                Some(objective)
            }
            Self::Entries(_) | Self::SquaredSums(_) => None,
        }
    }

    /// How samples are coded that are to be as the fit would have them.
    pub(super) fn coding(&self, median_sweeps: usize) -> Coding {
        match self {
            Self::Entries(loss) => Coding::Entries { loss: *loss, median_sweeps },
            Self::Refreshed { loss, .. } => Coding::Entries { loss: (*loss).into(), median_sweeps },
            // The least square of a sum is the square of the least sum.
            Self::SquaredSums(loss) => Coding::Entries { loss: (*loss).into(), median_sweeps },
            Self::Features { weights, .. } => Coding::Features(weights.clone()),
        }
    }
}
