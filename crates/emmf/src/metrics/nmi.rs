//! Normalized mutual information: NMI = I / N(H₁, H₂).
//!
//! I = Σᵢⱼ (nᵢⱼ/n) log(n nᵢⱼ / (nᵢ nⱼ)); H₁, H₂ are the entropies of the two labelings and N one of
//! four averages ([`NmiNorm`]). Papers differ in N and rarely say which: √(H₁H₂) is that of Strehl
//! and Ghosh (2002), the maximum that of the routine most clustering papers share.
//! The limiting cases are those of scikit-learn's `normalized_mutual_info_score`: two labelings
//! with a single label each agree perfectly (1); no mutual information is 0 whatever N.

use serde::{Deserialize, Serialize};

use super::contingency::Contingency;
use crate::error::Result;

/// What the mutual information is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NmiNorm {
    /// max(H₁, H₂): the smallest value of the four.
    Max,
    /// √(H₁ H₂); scikit-learn calls it geometric.
    #[default]
    Sqrt,
    /// (H₁ + H₂) / 2, the default of scikit-learn.
    Arithmetic,
    /// min(H₁, H₂): 1 as soon as one labeling refines the other.
    Min,
}

impl NmiNorm {
    fn average(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Max => a.max(b),
            Self::Sqrt => (a * b).sqrt(),
            Self::Arithmetic => f64::midpoint(a, b),
            Self::Min => a.min(b),
        }
    }
}

/// Normalized mutual information of two labelings, from 0 (independent) to 1 (the same). Symmetric.
pub fn nmi<A: Ord, B: Ord>(truth: &[A], predicted: &[B], norm: NmiNorm) -> Result<f64> {
    Ok(Contingency::new(truth, predicted)?.nmi(norm))
}

impl Contingency {
    /// See [`nmi()`].
    pub fn nmi(&self, norm: NmiNorm) -> f64 {
        let (classes, clusters) = (self.class_sizes(), self.cluster_sizes());
        if classes.len() == 1 && clusters.len() == 1 {
            return 1.0;
        }
        let information = self.mutual_information();
        if information <= f64::EPSILON {
            return 0.0;
        }
        let average = norm.average(entropy(classes, self.samples()), entropy(clusters, self.samples()));
        // I ≤ min(H₁, H₂); only rounding can lead above 1.
        (information / average).min(1.0)
    }

    fn mutual_information(&self) -> f64 {
        let n = self.samples() as f64;
        let terms = self.cells().iter().map(|cell| {
            let sizes = self.class_sizes()[cell.class] as f64 * self.cluster_sizes()[cell.cluster] as f64;
            let count = cell.count as f64;
            count / n * (n * count / sizes).ln()
        });
        terms.sum()
    }
}

fn entropy(sizes: &[usize], samples: usize) -> f64 {
    let share = |&size: &usize| size as f64 / samples as f64;
    -sizes.iter().map(share).map(|p| p * p.ln()).sum::<f64>()
}
