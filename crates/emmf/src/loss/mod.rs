//! Losses of the sample-weighted methods: sums over the samples of a function of the residual
//! rᵢ = ‖mᵢ‖₂. One file each; to add one, add a file and a line in the [registry](crate::registry).

pub mod capped;
pub mod correntropy;
pub mod entropy;
pub mod entry;
pub mod frobenius;
pub mod l21;
pub mod log;

pub use capped::Capped;
pub use correntropy::Correntropy;
pub use entropy::Entropy;
pub use frobenius::Frobenius;
pub use l21::L21;
pub use log::Log;

use crate::error::Result;

/// Sums over all samples (and machines) that a loss may need, with the samples' own weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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
        r.iter()
            .zip(s)
            .fold(Self::default(), |sums, (r, s)| sums.plus(Self { n: *s, sum: s * r, sum_sq: s * r * r }))
    }

    /// The sums over two sets of samples.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { n: self.n + other.n, sum: self.sum + other.sum, sum_sq: self.sum_sq + other.sum_sq }
    }
}

/// An objective Σ sᵢ·ρ(rᵢ) that is concave and nondecreasing in every rᵢ². Half the sum of
/// weight·rᵢ² then touches it from above, so lowering that weighted square lowers the objective.
pub trait Loss: Send + Sync {
    /// The sample's share ρ(r) of the objective, and its weight Qᵢᵢ = (∂objective/∂rᵢ)/rᵢ, both for a
    /// sample weight of 1.
    fn at(&self, r: f64, stats: &Stats) -> (f64, f64);

    /// Whether r is smoothed to √(‖m‖² + ε²) because the weight has a pole at 0.
    fn smooth(&self) -> bool {
        true
    }

    /// Whether every iteration lowers the objective.
    fn descends(&self) -> bool {
        true
    }

    /// Takes a scale that was not given from the data. `residuals()` makes one l2,1 iteration and
    /// returns every sample's residual after it and its weight.
    fn calibrate(&mut self, residuals: &mut dyn FnMut() -> Result<Vec<(f64, f64)>>) -> Result<()> {
        let _ = residuals;
        Ok(())
    }
}
