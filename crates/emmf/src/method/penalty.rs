//! Penalties on the entries of the factors: sparsity (λ₁) and size (λ₂), as scikit-learn's NMF has them.
//!
//! With n samples, d features, ρ = `l1-ratio`, and half the squared error or a divergence D:
//!
//! D + α_W·d·(ρ·ΣV + ½(1 − ρ)·‖V‖²) + α_H·n·(ρ·ΣU + ½(1 − ρ)·‖U‖²)
//!
//! n and d make α independent of the size of the data: D has n·d terms, V has n·k and U has d·k.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::real::Real;

/// λ₁·Σa + ½λ₂·Σa² over the entries of a factor.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Penalty {
    /// λ₁.
    pub l1: f64,
    /// λ₂.
    pub l2: f64,
}

impl Penalty {
    /// There is none.
    pub fn is_none(&self) -> bool {
        self.l1 == 0.0 && self.l2 == 0.0
    }

    /// Both are finite and not negative.
    pub(crate) fn check(self) -> Result<Self> {
        match [self.l1, self.l2].into_iter().find(|lambda| !(*lambda >= 0.0 && lambda.is_finite())) {
            Some(lambda) => Err(Error::param("penalty", lambda, "finite and nonnegative")),
            None => Ok(self),
        }
    }

    /// Of one row.
    pub(crate) fn of<T: Real>(&self, row: &[T]) -> f64 {
        let (sum, squares) = row.iter().fold((0.0, 0.0), |(sum, squares), a| {
            let a = a.to_f64();
            (sum + a, squares + a * a)
        });
        self.l1 * sum + 0.5 * self.l2 * squares
    }

    /// The same for a problem in other units.
    pub(super) fn times(self, by: f64) -> Self {
        Self { l1: by * self.l1, l2: by * self.l2 }
    }

    /// `den` += λ₁ + λ₂·a: what the denominator of a multiplicative rule gains.
    pub(super) fn add_to<T: Real>(&self, den: &mut [T], a: &[T]) {
        if !self.is_none() {
            let (l1, l2) = (T::from_f64(self.l1), T::from_f64(self.l2));
            den.iter_mut().zip(a).for_each(|(den, &a)| *den += l1 + l2 * a);
        }
    }

    /// G ← G + λ₂·I.
    pub(super) fn ridge<T: Real>(&self, g: &mut Mat<T>) {
        (0..g.cols()).for_each(|k| g[(k, k)] += T::from_f64(self.l2));
    }
}

/// Of both factors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Penalties {
    /// Of V, once for every time that a sample counts.
    pub(crate) v: Penalty,
    /// Of U.
    pub(crate) u: Penalty,
}

impl Penalties {
    /// Of so many samples and features. Where `alpha_h` is not given, it is `alpha_w`.
    pub(crate) fn new((alpha_w, alpha_h): (f64, Option<f64>), l1_ratio: f64, (n, d): (f64, f64)) -> Self {
        let of = |alpha: f64| Penalty { l1: alpha * l1_ratio, l2: alpha * (1.0 - l1_ratio) };
        Self { v: of(alpha_w).times(d), u: of(alpha_h.unwrap_or(alpha_w)).times(n) }
    }

    /// There are none.
    pub(crate) fn are_none(&self) -> bool {
        self.v.is_none() && self.u.is_none()
    }

    /// What they add to the objective; sample i counts `weights[i]` times.
    pub(crate) fn value<T: Real>(&self, u: &Mat<T>, v: &Mat<T>, weights: &[f64]) -> f64 {
        if self.are_none() {
            return 0.0;
        }
        let samples = v.as_slice().chunks_exact(v.cols()).zip(weights);
        samples.map(|(v, s)| s * self.v.of(v)).sum::<f64>() + self.u.of(u.as_slice())
    }
}
