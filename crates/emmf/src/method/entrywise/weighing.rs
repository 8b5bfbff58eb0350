//! How the entries of a row are weighed, and what has to be known of all of them before.

use crate::checkpoint::Archive;
use crate::error::Result;
use crate::loss::entry::{AnyEntryLoss, EntryLoss, map, sum};
use crate::loss::{Loss, Stats};
use crate::method::SampleSide;
use crate::method::irls::smoothing;
use crate::method::side::{EntrySums, EntryWeights, Tree, Weighed, total};
use crate::real::Real;

/// How the weights of the entries follow from sums over all samples.
#[derive(Default)]
pub(super) struct Weighing {
    /// Least 2σ² of a width that is refreshed; ε of residuals that are smoothed.
    pub(super) least: f64,
    /// Of samples some of whose entries are missing.
    pub(super) loss: Option<Box<dyn Loss>>,
}

impl Weighing {
    /// The residuals of samples are weighed by this loss, smoothed by ε where it asks for that.
    pub(super) fn samples(loss: Box<dyn Loss>, epsilon: f64) -> (EntryWeights, Self) {
        let weights = EntryWeights::Samples { smoothing: smoothing(&*loss, epsilon), scale: 0.0 };
        (weights, Self { least: epsilon, loss: Some(loss) })
    }

    /// Makes the weights what the sums over all samples say; returns the objective where it is no sum over the rows.
    pub(super) fn settle<T: Real>(
        &self,
        weights: &mut EntryWeights,
        side: &mut dyn SampleSide<T>,
        sums: &EntrySums<T>,
    ) -> Result<Option<f64>> {
        match weights {
            EntryWeights::Refreshed(loss) => {
                loss.double_variance = (sums.totals.squares / sums.totals.count).max(self.least);
                Ok(None)
            }
            EntryWeights::Features(weights) => {
                Ok(Some(weigh_features(weights, &sums.of_features, self.least)))
            }
            EntryWeights::Samples { scale, .. } => {
                let Some(loss) = &self.loss else { return Ok(None) };
                let Weighed { objective, largest } = weighed(&**loss, side, &sums.totals.stats)?;
                // To a maximum of 1: a common factor changes nothing and might overflow.
                *scale = if largest > 0.0 { side.shape().1 as f64 / largest } else { 0.0 };
                Ok(Some(objective))
            }
            EntryWeights::Entries(_) | EntryWeights::SquaredSums(_) => Ok(None),
        }
    }
}

fn weighed<T: Real>(loss: &dyn Loss, side: &mut dyn SampleSide<T>, stats: &Stats) -> Result<Weighed> {
    total(&mut Tree::default(), |out| side.weigh(loss, stats, out))
}

/// Weights of features, given their squares; the sum of their norms.
fn weigh_features(weights: &mut [f64], squares: &[f64], epsilon: f64) -> f64 {
    for (norm, square) in weights.iter_mut().zip(squares) {
        *norm = (square + epsilon * epsilon).sqrt();
    }
    let norms = weights.iter();
    let (objective, least) =
        norms.fold((0.0, f64::INFINITY), |(sum, least), &norm| (sum + norm, norm.min(least)));
    // To a maximum of 1: a common factor changes nothing and might overflow.
    weights.iter_mut().for_each(|norm| *norm = least / *norm);
    objective
}

impl EntryWeights {
    /// By a loss of entries.
    pub(super) fn entries(loss: impl Into<AnyEntryLoss>) -> Self {
        Self::Entries(loss.into())
    }

    /// What the next iteration needs, see [`Method::parts`](crate::method::Method::parts).
    pub(super) fn parts(&mut self, archive: &mut Archive) {
        match self {
            Self::Refreshed(loss) => archive.number("double-variance", &mut loss.double_variance),
            Self::Features(weights) => archive.reals("weights-of-features", weights),
            Self::Samples { scale, .. } => archive.number("scale", scale),
            Self::Entries(_) | Self::SquaredSums(_) => {}
        }
    }

    /// The weights of a row depend on nothing but the row.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Entries(_) | Self::SquaredSums(_))
    }

    /// The squares are wanted by feature.
    pub(super) fn by_feature(&self) -> bool {
        matches!(self, Self::Features(_))
    }

    /// The weights of the V step are those at U before its step.
    pub(super) fn look_back(&self) -> bool {
        match self {
            Self::Entries(loss) => !loss.is_fresh(),
            Self::Refreshed(_) | Self::SquaredSums(_) => true,
            // They do not depend on Y.
            Self::Features(_) | Self::Samples { .. } => false,
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
            Self::Refreshed(loss) => map(x, y, w, |x, y| loss.weight(x, y)),
            Self::Features(weights) => {
                for ((&x, &weight), w) in x.iter().zip(weights).zip(w) {
                    *w = T::from_f64(if x.to_f64().is_nan() { 0.0 } else { weight });
                }
            }
            Self::SquaredSums(loss) => {
                let total = sum(x, y, |x, y| loss.share(x, y));
                map(x, y, w, |x, y| total * loss.weight(x, y));
            }
            Self::Samples { .. } => map(x, y, w, |_, _| 1.0),
        }
    }

    /// The row's share of the objective, where the objective is a sum over the rows.
    #[inline(always)]
    pub(super) fn share<T: Real>(&self, x: &[T], y: &[T]) -> f64 {
        match self {
            Self::Entries(loss) => loss.share_of_row(x, y),
            Self::Refreshed(loss) => sum(x, y, |x, y| loss.share(x, y)),
            Self::Features(_) | Self::Samples { .. } => 0.0,
            Self::SquaredSums(loss) => sum(x, y, |x, y| loss.share(x, y)).powi(2),
        }
    }

    /// Σ of the weights of a row as they are reported.
    #[inline(always)]
    pub(super) fn pull<T: Real>(&self, x: &[T], y: &[T]) -> f64 {
        match self {
            Self::Entries(loss) => loss.pull_of_row(x, y),
            Self::Refreshed(loss) => sum(x, y, |x, y| loss.weight(x, y)),
            Self::Features(_) | Self::Samples { .. } => sum(x, y, |_, _| 1.0),
            Self::SquaredSums(loss) => {
                let total = sum(x, y, |x, y| loss.share(x, y));
                sum(x, y, |x, y| total * loss.weight(x, y))
            }
        }
    }
}
