//! Purity: (1/n) Σⱼ maxᵢ nᵢⱼ, the share of samples that belong to the commonest class of their cluster.
//!
//! Never below the accuracy, and 1 for clusters of one sample each: only use it to compare equal numbers of
//! clusters.

use super::contingency::Contingency;
use crate::error::Result;

/// Purity of the predicted clusters with respect to the true classes. Not symmetric.
pub fn purity<A: Ord, B: Ord>(truth: &[A], predicted: &[B]) -> Result<f64> {
    Ok(Contingency::new(truth, predicted)?.purity())
}

impl Contingency {
    /// See [`purity()`].
    pub fn purity(&self) -> f64 {
        let mut largest = vec![0; self.cluster_sizes().len()];
        for cell in self.cells() {
            largest[cell.cluster] = cell.count.max(largest[cell.cluster]);
        }
        largest.iter().sum::<usize>() as f64 / self.samples() as f64
    }
}
