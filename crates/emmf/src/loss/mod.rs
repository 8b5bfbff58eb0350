//! Losses of the sample-weighted methods: sums over the samples of a function of the residual
//! rᵢ = ‖mᵢ‖₂. One file each; to add one, add a file and a line in the [registry](crate::registry).

pub mod capped;
pub mod correntropy;
pub mod entropy;
pub mod entry;
pub mod frobenius;
pub mod l21;
pub mod log;
mod scale;

pub use capped::Capped;
pub use correntropy::Correntropy;
pub use entropy::Entropy;
pub use frobenius::Frobenius;
pub use l21::L21;
pub use log::Log;
pub use scale::{THRESHOLD, weighted_median};

pub(crate) use scale::normal_variance;

use serde::{Deserialize, Serialize};

use crate::data::vectorized;
use crate::error::Result;

/// Sums over all samples (and machines) that a loss may need, with the samples' own weights.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Stats {
    /// Σ sᵢ, the number of samples.
    pub n: f64,
    /// Σ sᵢrᵢ.
    pub sum: f64,
    /// Σ sᵢrᵢ².
    pub sum_sq: f64,
}

impl Stats {
    /// The sums over residuals `r` with sample weights `s`.
    pub fn of(r: &[f64], s: &[f64]) -> Self {
        let ((r8, r1), (s8, s1)) = (r.as_chunks::<8>(), s.as_chunks::<8>());
        let of_one = |r: f64, s: f64| Self { n: s, sum: s * r, sum_sq: s * r * r };
        let mut lanes = [Self::default(); 8];
        for (r, s) in r8.iter().zip(s8) {
            for t in 0..8 {
                lanes[t] = lanes[t].plus(of_one(r[t], s[t]));
            }
        }
        let rest = r1.iter().zip(s1).map(|(&r, &s)| of_one(r, s));
        lanes.into_iter().chain(rest).fold(Self::default(), Self::plus)
    }

    /// The sums over two sets of samples.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { n: self.n + other.n, sum: self.sum + other.sum, sum_sq: self.sum_sq + other.sum_sq }
    }
}

/// A loss as data, with its scale, for samples in another process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LossSpec {
    /// [`Entropy`].
    Entropy,
    /// [`Frobenius`].
    Frobenius,
    /// [`L21`].
    L21,
    /// [`Log`] with its scale.
    Log(f64),
    /// [`Capped`] with its threshold.
    Capped(f64),
    /// [`Correntropy`] with its width, which is `None` if it is refreshed.
    Correntropy(Option<f64>),
}

impl LossSpec {
    /// The scale, where it has one.
    pub(crate) fn scale_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::Log(scale) | Self::Capped(scale) | Self::Correntropy(Some(scale)) => Some(scale),
            Self::Entropy | Self::Frobenius | Self::L21 | Self::Correntropy(None) => None,
        }
    }

    /// The loss.
    pub fn make(self) -> Box<dyn Loss> {
        match self {
            Self::Entropy => Box::new(Entropy),
            Self::Frobenius => Box::new(Frobenius),
            Self::L21 => Box::new(L21),
            Self::Log(scale) => Box::new(Log { scale, robust: false }),
            Self::Capped(threshold) => {
                Box::new(Capped { threshold: Some(threshold), quantile: 1.0, robust: false })
            }
            Self::Correntropy(width) => Box::new(Correntropy { width, robust: false }),
        }
    }
}

/// Samples that are weighed together, and sums that are made side by side.
const BLOCK: usize = 64;
const LANES: usize = 8;

/// An objective Σ sᵢ·ρ(rᵢ) that is concave and nondecreasing in every rᵢ². Half the sum of
/// weight·rᵢ² then touches it from above, so lowering that weighted square lowers the objective.
pub trait Loss: Send + Sync {
    /// The sample's share ρ(r) of the objective, and its weight Qᵢᵢ = (∂objective/∂rᵢ)/rᵢ, both for a
    /// sample weight of 1.
    fn at(&self, r: f64, stats: &Stats) -> (f64, f64);

    /// Many samples with their own weights `s` at once: Σ sᵢ·ρ(rᵢ) and the largest weight; `weights` becomes sᵢ·Qᵢᵢ.
    fn weigh(&self, r: &[f64], s: &[f64], stats: &Stats, weights: &mut [f64]) -> (f64, f64) {
        let blocks = r.chunks(BLOCK).zip(s.chunks(BLOCK)).zip(weights.chunks_mut(BLOCK));
        vectorized!({
            let (mut sums, mut largest) = ([0.0; LANES], [0.0; LANES]);
            for ((r, s), weights) in blocks {
                // Neither a sum nor a maximum may be taken in another order, but these loops need not wait for them.
                let (mut shares, mut found) = ([0.0; BLOCK], [0.0; BLOCK]);
                for ((((r, s), weight), share), found) in
                    r.iter().zip(s).zip(weights).zip(&mut shares).zip(&mut found)
                {
                    let (rho, q) = self.at(*r, stats);
                    (*share, *weight) = (s * rho, s * q);
                    *found = *weight;
                }
                for (share, found) in shares.as_chunks::<LANES>().0.iter().zip(found.as_chunks::<LANES>().0) {
                    for t in 0..LANES {
                        sums[t] += share[t];
                        largest[t] = if found[t] > largest[t] { found[t] } else { largest[t] };
                    }
                }
            }
            (sums.iter().sum(), largest.into_iter().fold(0.0, f64::max))
        })
    }

    /// Whether r is smoothed to √(‖m‖² + ε²) because the weight has a pole at 0.
    fn smooth(&self) -> bool {
        true
    }

    /// Whether every iteration lowers the objective.
    fn descends(&self) -> bool {
        true
    }

    /// The loss as data, to be sent to where the samples are. A loss of your own has none and only serves samples in this process.
    fn spec(&self) -> Option<LossSpec> {
        None
    }

    /// Sets a scale that was not given from the data. `residuals()` makes one l2,1 iteration and
    /// returns every sample's residual after it and its weight.
    fn calibrate(&mut self, residuals: &mut dyn FnMut() -> Result<Vec<(f64, f64)>>) -> Result<()> {
        let _ = residuals;
        Ok(())
    }
}
