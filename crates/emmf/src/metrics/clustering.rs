//! The four numbers by which a clustering is compared with the true classes.

use serde::{Deserialize, Serialize};

use super::contingency::Contingency;
use super::nmi::NmiNorm;
use crate::error::Result;

/// Agreement of a clustering with the true classes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Clustering {
    /// Clustering accuracy (ACC), see [`accuracy()`](super::accuracy()).
    pub accuracy: f64,
    /// Mutual information over √(H₁H₂), see [`nmi()`](super::nmi()).
    pub nmi: f64,
    /// Adjusted Rand index, see [`ari()`](super::ari()).
    pub ari: f64,
    /// See [`purity()`](super::purity()).
    pub purity: f64,
}

impl Clustering {
    /// Compares predicted labels with the true ones; both are counted only once.
    pub fn compare<A: Ord, B: Ord>(truth: &[A], predicted: &[B]) -> Result<Self> {
        let table = Contingency::new(truth, predicted)?;
        Ok(Self {
            accuracy: table.accuracy(),
            nmi: table.nmi(NmiNorm::Sqrt),
            ari: table.ari(),
            purity: table.purity(),
        })
    }
}
