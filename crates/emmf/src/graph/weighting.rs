//! The k-nearest-neighbour graph: an edge where either sample is among the nearest of the other.

use serde::{Deserialize, Serialize};

use super::adaptive::symmetric;
use super::{Graph, Neighbours};
use crate::error::{Error, Result};

/// The weight of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Weighting {
    /// 1, as in the paper.
    #[default]
    Binary,
    /// exp(−‖xᵢ − xⱼ‖²/(2·width²)).
    Heat {
        /// `None` means the mean distance of neighbours.
        width: Option<f64>,
    },
    /// The cosine of the angle between the samples.
    Cosine,
}

/// The graph of nearest neighbours: i and j are linked if i is among the nearest of j or j of i. Weights that
/// vanish, such as the cosine of a sample that is zero, give no edge.
pub fn knn_graph(neighbours: &Neighbours, weighting: Weighting) -> Result<Graph> {
    let Neighbours { k, index, distance_sq, norms_sq } = neighbours;
    let weight: Vec<f64> = match weighting {
        Weighting::Binary => vec![1.0; index.len()],
        Weighting::Heat { width } => {
            let mean = || distance_sq.iter().map(|d| d.sqrt()).sum::<f64>() / distance_sq.len().max(1) as f64;
            let width = width.unwrap_or_else(mean);
            if !(width >= 0.0 && width.is_finite()) {
                return Err(Error::param("width", width, "above 0 and finite"));
            }
            // Where all neighbours are duplicates, all are equally near.
            let scale = if width > 0.0 { 0.5 / (width * width) } else { 0.0 };
            distance_sq.iter().map(|d| (-d * scale).exp()).collect()
        }
        Weighting::Cosine => {
            let cosine = |(at, &j): (usize, &u32)| {
                let (a, b) = (norms_sq[at / k], norms_sq[j as usize]);
                let lengths = (a * b).sqrt();
                if lengths > 0.0 { (0.5 * (a + b - distance_sq[at]) / lengths).clamp(0.0, 1.0) } else { 0.0 }
            };
            index.iter().enumerate().map(cosine).collect()
        }
    };
    symmetric(neighbours.nodes(), (index, &weight), f64::max)
}
