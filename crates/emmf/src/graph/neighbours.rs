//! The nearest neighbours of every sample.

use super::shortlist::Candidate;
use crate::error::{Error, Result};

/// The k nearest other samples of every sample, nearest first, ties to the smaller index.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    /// Neighbours of each sample: what was asked for, but no more than there are other samples.
    pub k: usize,
    /// n×k, row by row: which samples.
    pub index: Vec<u32>,
    /// n×k, row by row: ‖xᵢ − xⱼ‖².
    pub distance_sq: Vec<f64>,
    /// ‖xᵢ‖² of every sample.
    pub norms_sq: Vec<f64>,
}

impl Neighbours {
    /// These k of every sample. Where a distance is not finite, nobody is the nearest.
    pub(super) fn of(found: Vec<Candidate<f64>>, k: usize, norms_sq: &[f64]) -> Result<Self> {
        if let Some(at) = found.iter().position(|(distance_sq, _)| !distance_sq.is_finite()) {
            let row = at / k;
            let got = format!("{:e} for sample {row} (from 0)", norms_sq[row]);
            let must = "so small that distances are finite; scale the data (`normalize = unit or max`)";
            return Err(Error::param("the squared length", got, must));
        }
        let (distance_sq, index) = found.into_iter().unzip();
        Ok(Self { k, index, distance_sq, norms_sq: norms_sq.to_vec() })
    }

    /// Number of samples.
    pub fn nodes(&self) -> usize {
        self.norms_sq.len()
    }

    /// The neighbours of sample i and the squared distances to them.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = i * self.k..(i + 1) * self.k;
        (&self.index[range.clone()], &self.distance_sq[range])
    }

    /// Only the `k` nearest of them.
    #[must_use]
    pub fn truncated(&self, k: usize) -> Self {
        let k = k.min(self.k);
        let rows = || 0..self.nodes();
        Self {
            k,
            index: rows().flat_map(|i| &self.row(i).0[..k]).copied().collect(),
            distance_sq: rows().flat_map(|i| &self.row(i).1[..k]).copied().collect(),
            norms_sq: self.norms_sq.clone(),
        }
    }
}
