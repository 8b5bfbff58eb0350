//! The β-divergence: Σ (x^β + (β − 1)y^β − βxy^(β−1)) / (β(β − 1)).
//!
//! Févotte and Idier, *Algorithms for Nonnegative Matrix Factorization with the β-Divergence*, Neural Computation 2011.
//! β = 2 is half the squared error. The limits β = 1 ([`Divergence`](super::Divergence)) and β = 0
//! ([`ItakuraSaito`](super::ItakuraSaito)) are losses of their own. It is infinite where x is 0 and β is negative.

use serde::{Deserialize, Serialize};

use super::EntryLoss;
use super::elementary::power;

/// See the [module](self).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Beta {
    /// β, neither 0 nor 1.
    pub beta: f64,
    /// y counts as at least this much.
    pub floor: f64,
}

/// The largest exponent with which a multiplicative step on one factor descends, with a ridge on that factor or without. The
/// terms of the objective are powers of the entry from β − 1 to β; those that are concave are bounded by lines, and a ridge
/// is a square. The inverse of their span is the exponent (Yang and Oja 2011).
pub(crate) fn steepest(beta: f64, ridge: bool) -> f64 {
    let least = (beta - 1.0).min(1.0);
    let most = beta.max(if ridge { 2.0 } else { 1.0 });
    1.0 / (most - least)
}

impl EntryLoss for Beta {
    const FRESH: bool = true;

    #[inline(always)]
    fn share(&self, x: f64, y: f64) -> f64 {
        let (beta, y) = (self.beta, if y < self.floor { self.floor } else { y });
        let (of_x, of_y) = (power(x.max(f64::MIN_POSITIVE), beta), power(y, beta));
        let of_x = if x > 0.0 || beta < 0.0 { of_x } else { 0.0 };
        let share = (of_x + (beta - 1.0) * of_y - beta * x * (of_y / y)) / (beta * (beta - 1.0));
        // Rounding is no gain.
        if share < 0.0 { 0.0 } else { share }
    }

    #[inline(always)]
    fn weight(&self, _: f64, y: f64) -> f64 {
        power(y.max(self.floor), self.beta - 2.0)
    }

    #[inline(always)]
    fn pull(&self, _: f64, _: f64) -> f64 {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::steepest;

    /// The exponents of Févotte and Idier, and ½ for the divergence with a ridge.
    #[test]
    fn exponents() {
        for (beta, plain, ridge) in [
            (0.0, 0.5, 1.0 / 3.0),
            (0.5, 2.0 / 3.0, 0.4),
            (1.0, 1.0, 0.5),
            (1.5, 1.0, 2.0 / 3.0),
            (2.0, 1.0, 1.0),
            (3.0, 0.5, 0.5),
        ] {
            assert!((steepest(beta, false) - plain).abs() < 1e-15, "{beta}");
            assert!((steepest(beta, true) - ridge).abs() < 1e-15, "{beta} with a ridge");
        }
    }
}
