//! Orders to sides whose samples are weighed entry by entry, and what these sum to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Summand;
use crate::loss::Stats;
use crate::loss::entry::{AnyEntryLoss, EntryCorrentropy, L1};
use crate::matrix::Mat;
use crate::method::{Coding, Penalty};
use crate::real::Real;

/// The weights of the entries, given what has to be known of all samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EntryWeights {
    /// Each by its own residual.
    Entries(AnyEntryLoss),
    /// The same, with a width from the residuals of all.
    Refreshed(EntryCorrentropy),
    /// A weight for each feature, from Σⱼ √(Σᵢ sᵢmᵢⱼ² + ε²). It cancels from the U step.
    Features(Vec<f64>),
    /// Σᵢ (Σⱼ |mᵢⱼ|)², |·| smoothed: each by its own residual and the sum of its sample. By Cauchy's inequality
    /// (Σa)² ≤ Σ a²·(Σa′)/a′.
    SquaredSums(L1),
    /// Each by the residual of its sample, rᵢ² = (d/oᵢ)·Σ mᵢⱼ² over the oᵢ entries that are not missing, and by the weight
    /// that the sample was given for it.
    Samples {
        /// What rᵢ² grows by under the root.
        smoothing: f64,
        /// What the weights of samples are multiplied with, over oᵢ: they need not be small otherwise.
        scale: f64,
    },
}

/// What a sweep over entries does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntrySweep<T> {
    /// How entries are weighed.
    pub weights: EntryWeights,
    /// V ← V ∘ ((W∘X)U / (W∘Y)U)^this; `None` leaves it.
    pub exponent: Option<f64>,
    /// U before its last step, where V moves with the weights of before; else nothing.
    pub before: Mat<T>,
    /// On the entries of V.
    pub penalty: Penalty,
    /// Whether (W∘X)ᵀV and (W∘Y)ᵀV are wanted.
    pub sums: bool,
    /// Whether the mean weight of every sample's entries becomes its weight.
    pub report: bool,
    /// NaN is a missing value.
    pub missing: bool,
}

impl<T> EntrySweep<T> {
    /// Whether the side is another after it, rather than asked for sums alone.
    pub(super) fn changes(&self) -> bool {
        let of_samples = matches!(self.weights, EntryWeights::Samples { .. });
        self.exponent.is_some() || self.report || of_samples
    }
}

/// Numbers that a sweep over entries sums up.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EntryTotals {
    /// Σ sᵢ·share, where the objective is such a sum.
    pub objective: f64,
    /// Σ sᵢ·(the penalty on vᵢ).
    pub penalty: f64,
    /// Σ sᵢmᵢⱼ².
    pub squares: f64,
    /// Σ sᵢoᵢ: how many entries there are.
    pub count: f64,
    /// Sums over the residuals of samples, where samples are weighed.
    pub stats: Stats,
    /// Whether some residual is not finite.
    pub broken: bool,
}

impl Summand for EntryTotals {
    fn add(&mut self, other: &Self) {
        self.objective += other.objective;
        self.penalty += other.penalty;
        self.squares += other.squares;
        self.count += other.count;
        self.stats = self.stats.plus(other.stats);
        self.broken |= other.broken;
    }
}

/// What a sweep over entries sums to; what is not wanted is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntrySums<T> {
    /// Single numbers.
    pub totals: EntryTotals,
    /// Vᵀ(W∘X), c×d.
    pub num: Mat<T>,
    /// Vᵀ(W∘Y), c×d.
    pub den: Mat<T>,
    /// Σ sᵢvᵢ, where it takes the place of `den`.
    pub of_v: Vec<f64>,
    /// Σ sᵢmᵢⱼ² of every feature.
    pub of_features: Vec<f64>,
}

impl<T: Real> Default for EntrySums<T> {
    fn default() -> Self {
        let [num, den] = [(); 2].map(|()| Mat::zeros(0, 0));
        Self { totals: EntryTotals::default(), num, den, of_v: Vec::new(), of_features: Vec::new() }
    }
}

impl<T: Real> Summand for EntrySums<T> {
    fn add(&mut self, other: &Self) {
        self.totals.add(&other.totals);
        for (sum, other) in [(&mut self.num, &other.num), (&mut self.den, &other.den)] {
            sum.as_mut_slice().iter_mut().zip(other.as_slice()).for_each(|(sum, &other)| *sum += other);
        }
        for (sum, other) in [(&mut self.of_v, &other.of_v), (&mut self.of_features, &other.of_features)] {
            sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        }
    }
}

/// A look at all entries, from which scales are taken.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EntryLook {
    /// Whether residuals are looked at: entries alone need no products.
    pub residuals: bool,
    /// Which of the absolute residuals are counted, where any are.
    pub digits: Option<Digits>,
    /// β of a divergence: up to 0 no entry may be 0.
    pub beta: Option<f64>,
}

/// Nonnegative numbers have the order of their bits: those whose bits above some digits are like those of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digits {
    /// Bits below the digits, which are not looked at.
    pub shift: u32,
    /// Bits of the other number.
    pub like: u64,
}

impl Digits {
    /// How many bits are looked at.
    pub const WIDTH: u32 = 16;

    /// The bits of a number down to these digits, where those above are right.
    pub(crate) fn of(self, number: f64) -> Option<u64> {
        let above = |bits: u64| bits.checked_shr(self.shift + Self::WIDTH).unwrap_or(0);
        let bits = number.to_bits();
        (above(bits) == above(self.like)).then_some(bits >> self.shift)
    }
}

/// What such a look sums to, over the entries that are not missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EntryCensus {
    /// Σ sᵢ.
    pub count: f64,
    /// Σ sᵢxᵢⱼ.
    pub sum: f64,
    /// Σ sᵢxᵢⱼ².
    pub squares: f64,
    /// Σ sᵢ|mᵢⱼ|.
    pub absolute: f64,
    /// Σ sᵢ of the residuals with the same digits.
    pub digits: BTreeMap<u64, f64>,
}

impl Summand for EntryCensus {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
        self.absolute += other.absolute;
        other.digits.iter().for_each(|(digits, count)| *self.digits.entry(*digits).or_default() += count);
    }
}

/// How samples whose entries are weighed are coded in the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryCoding {
    /// How entries are weighed.
    pub weights: EntryWeights,
    /// Sweeps of coordinate descent on the absolute residuals after that.
    pub median_sweeps: usize,
    /// On the entries of V.
    pub penalty: Penalty,
    /// NaN is a missing value.
    pub missing: bool,
}

impl EntryCoding {
    /// How samples are coded that are to be as the fit would have them.
    pub(crate) fn coding(&self) -> Coding {
        let (median_sweeps, penalty) = (self.median_sweeps, self.penalty);
        let entries = |loss| Coding::Entries { loss, median_sweeps, penalty };
        match &self.weights {
            EntryWeights::Entries(loss) => entries(*loss),
            EntryWeights::Refreshed(loss) => entries((*loss).into()),
            // The least square of a sum is the square of the least sum.
            EntryWeights::SquaredSums(loss) => entries((*loss).into()),
            EntryWeights::Features(weights) => Coding::Features(weights.clone()),
            EntryWeights::Samples { .. } => Coding::LeastSquares,
        }
    }
}
