//! The layers above the first, as a fit leaves them.

use serde::{Deserialize, Serialize};

use crate::matrix::Mat;

/// A layer above the first one, whose nodes are made of those below.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layer<T> {
    /// Uₗ, d×cₗ: what its nodes look like, in terms of the preprocessed features.
    pub u: Mat<T>,
    /// Bₗ, cₗ₋₁×cₗ: the share of every node below in each of its nodes. A row sums to 1.
    pub b: Mat<f64>,
    /// How surely every node below belongs to its parent: see [`certainty`].
    pub certainty: Vec<f64>,
}

impl<T> Layer<T> {
    /// The node to which each node below belongs: that of its largest share, the first of equal ones.
    pub fn parents(&self) -> Vec<usize> {
        let parent =
            |row: &[f64]| (1..row.len()).fold(0, |best, b| if row[b] > row[best] { b } else { best });
        (0..self.b.rows()).map(|a| parent(self.b.row(a))).collect()
    }
}

/// What a fit with layers leaves besides the first one.
#[derive(Debug, Clone, PartialEq)]
pub struct Layers<T> {
    /// The layers above, from the bottom up.
    pub above: Vec<Layer<T>>,
    /// The node of every sample in the first layer.
    pub labels: Vec<usize>,
    /// ‖xᵢ − Uₗ·B̄ₗᵀ·vᵢ‖₂ of every sample on the layers above.
    pub residuals: Vec<Vec<f64>>,
}

/// One minus the entropy of shares, as a part of the largest that so many can have: 1 where all is in one place, 0 where
/// it is everywhere alike. Nothing to share is certain.
pub fn certainty(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    if shares.len() < 2 || sum <= 0.0 {
        return 1.0;
    }
    let part = |share: &f64| -> f64 {
        let p = share / sum;
        if p > 0.0 { p * p.ln() } else { 0.0 }
    };
    (1.0 + shares.iter().map(part).sum::<f64>() / (shares.len() as f64).ln()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::certainty;

    #[test]
    fn certainty_of_shares() {
        assert_eq!(certainty(&[0.0, 3.0, 0.0]), 1.0);
        assert!(certainty(&[2.0, 2.0]) < 1e-15);
        assert_eq!((certainty(&[0.0, 0.0]), certainty(&[5.0])), (1.0, 1.0));
        assert!((certainty(&[3.0, 1.0]) - 0.188_721_875_540_867_1).abs() < 1e-12);
    }
}
