//! How the entries of a row are weighed, and what has to be known of all of them before.

use crate::checkpoint::Archive;
use crate::loss::Loss;
use crate::loss::entry::{AnyEntryLoss, EntryCorrentropy, EntryLoss, L1, map, sum};
use crate::method::irls::smoothing;
use crate::method::side::{Weighed, weigh_all};
use crate::method::{Coding, Penalty};
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
    /// Each by the residual of its sample, rᵢ² = (d/oᵢ)·Σ mᵢⱼ² over the oᵢ entries that are not missing.
    Samples(Samples),
}

/// The weights of samples with missing values.
pub(super) struct Samples {
    pub(super) loss: Box<dyn Loss>,
    /// ε of the smoothed residual.
    pub(super) epsilon: f64,
    /// rᵢ, and diag(Q).
    pub(super) r: Vec<f64>,
    pub(super) q: Vec<f64>,
    /// d/oᵢ, times Qᵢᵢ to a maximum of 1: a common factor changes nothing and might overflow.
    pub(super) factors: Vec<f64>,
}

impl Samples {
    fn settle(&mut self, totals: &Totals<'_>, d: usize) -> f64 {
        let samples = totals.squares.iter().zip(totals.observed).zip(&mut self.r);
        let by = smoothing(&*self.loss, self.epsilon);
        for ((square, observed), r) in samples {
            *r = (square * d as f64 / observed + by).sqrt();
        }
        let Weighed { objective, largest } = weigh_all(&*self.loss, &self.r, totals.weights, &mut self.q);
        let scale = if largest > 0.0 { d as f64 / largest } else { 0.0 };
        let samples = self.factors.iter_mut().zip(&self.q).zip(totals.observed);
        samples.for_each(|((factor, q), observed)| *factor = scale * q / observed);
        objective
    }
}

/// Sums over samples and features.
pub(super) struct Totals<'a> {
    /// Σⱼ mᵢⱼ² of each sample.
    pub(super) squares: &'a [f64],
    /// oᵢ, how many entries of each sample are not missing.
    pub(super) observed: &'a [f64],
    /// sᵢ, how often each sample counts.
    pub(super) weights: &'a [f64],
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

    /// The weights of the V step do not depend on Y.
    pub(super) fn is_separable(&self) -> bool {
        matches!(self, Self::Features { .. } | Self::Samples(_))
    }

    /// What the weights of sample i are multiplied with in the U step; `s` is the sample's own.
    pub(super) fn factor(&self, i: usize, s: f64) -> f64 {
        if let Self::Samples(samples) = self { samples.factors[i] } else { s }
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
            Self::Samples(_) => map(x, y, w, |_, _| 1.0),
        }
    }

    /// The row's share of the objective, where the objective is a sum over the rows.
    #[inline(always)]
    pub(super) fn share<T: Real>(&self, x: &[T], y: &[T]) -> f64 {
        match self {
            Self::Entries(loss) => loss.share_of_row(x, y),
            Self::Refreshed { loss, .. } => sum(x, y, |x, y| loss.share(x, y)),
            Self::Features { .. } | Self::Samples(_) => 0.0,
            Self::SquaredSums(loss) => sum(x, y, |x, y| loss.share(x, y)).powi(2),
        }
    }

    /// Σ of the weights of a row as they are reported.
    #[inline(always)]
    pub(super) fn pull<T: Real>(&self, x: &[T], y: &[T]) -> f64 {
        match self {
            Self::Entries(loss) => loss.pull_of_row(x, y),
            Self::Refreshed { loss, .. } => sum(x, y, |x, y| loss.weight(x, y)),
            Self::Features { .. } | Self::Samples(_) => sum(x, y, |_, _| 1.0),
            Self::SquaredSums(loss) => {
                let total = sum(x, y, |x, y| loss.share(x, y));
                sum(x, y, |x, y| total * loss.weight(x, y))
            }
        }
    }

    /// Takes what it needs from the sums over all samples; returns the objective where it is no sum over the
    /// rows.
    pub(super) fn settle(&mut self, totals: &Totals<'_>, d: usize) -> Option<f64> {
        match self {
            Self::Refreshed { loss, least } => {
                let samples = || totals.weights.iter();
                let squares: f64 = samples().zip(totals.squares).map(|(s, square)| s * square).sum();
                let count: f64 = samples().zip(totals.observed).map(|(s, observed)| s * observed).sum();
                loss.double_variance = (squares / count).max(*least);
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
            Self::Samples(samples) => Some(samples.settle(totals, d)),
            Self::Entries(_) | Self::SquaredSums(_) => None,
        }
    }

    /// What the next iteration needs, see [`Method::parts`](crate::method::Method::parts).
    pub(super) fn parts(&mut self, archive: &mut Archive) {
        match self {
            Self::Refreshed { loss, .. } => archive.number("double-variance", &mut loss.double_variance),
            Self::Features { weights, .. } => archive.reals("weights", weights),
            Self::Samples(samples) => {
                archive.reals("residuals", &mut samples.r);
                archive.reals("weights", &mut samples.q);
                archive.reals("factors", &mut samples.factors);
            }
            Self::Entries(_) | Self::SquaredSums(_) => {}
        }
    }

    /// How samples are coded that are to be as the fit would have them.
    pub(super) fn coding(&self, median_sweeps: usize, penalty: Penalty) -> Coding {
        match self {
            Self::Entries(loss) => Coding::Entries { loss: *loss, median_sweeps, penalty },
            Self::Refreshed { loss, .. } => Coding::Entries { loss: (*loss).into(), median_sweeps, penalty },
            // The least square of a sum is the square of the least sum.
            Self::SquaredSums(loss) => Coding::Entries { loss: (*loss).into(), median_sweeps, penalty },
            Self::Features { weights, .. } => Coding::Features(weights.clone()),
            Self::Samples(_) => Coding::LeastSquares,
        }
    }
}
