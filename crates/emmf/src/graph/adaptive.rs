//! Adaptive neighbours (Nie, Wang and Huang, KDD 2014): weights that fall linearly with the squared distance and
//! reach 0 at the next neighbour, sᵢⱼ = (d_{k+1} − dᵢⱼ)/(k·d_{k+1} − Σ_{h≤k} d_h).
//!
//! They minimise Σⱼ dᵢⱼsᵢⱼ + γᵢ‖sᵢ‖² over the simplex, with γᵢ = (k·d_{k+1} − Σ_{h≤k} d_h)/2.

use super::{Graph, Neighbours};
use crate::error::Result;

/// Weights of the nearest neighbours that sum to 1 for every sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Adaptive {
    /// Neighbours of each sample.
    pub k: usize,
    /// n×k, row by row: which samples, nearest first.
    pub index: Vec<u32>,
    /// n×k, row by row: sᵢⱼ.
    pub weight: Vec<f64>,
    /// γᵢ of every sample.
    pub gamma: Vec<f64>,
}

impl Adaptive {
    /// (S + Sᵀ)/2 as a graph.
    pub fn graph(&self) -> Result<Graph> {
        symmetric(self.gamma.len(), (&self.index, &self.weight), |there, back| 0.5 * (there + back))
    }
}

/// The adaptive weights of all but the last of these neighbours, which is where weights reach 0. So ask
/// [`nearest`](super::nearest) for one more than is wanted. Where all the neighbours are equally far the weights are
/// equal.
pub fn adaptive(neighbours: &Neighbours) -> Adaptive {
    let n = neighbours.nodes();
    let k = neighbours.k.saturating_sub(1);
    let (mut index, mut weight) = (Vec::with_capacity(n * k), Vec::with_capacity(n * k));
    let mut gamma = Vec::with_capacity(n);
    for i in 0..n {
        let (near, distances) = neighbours.row(i);
        index.extend_from_slice(&near[..k]);
        let next = distances.last().copied().unwrap_or(0.0);
        let sum: f64 = distances[..k].iter().map(|d| next - d).sum();
        weight
            .extend(distances[..k].iter().map(|d| if sum > 0.0 { (next - d) / sum } else { 1.0 / k as f64 }));
        gamma.push(0.5 * sum);
    }
    Adaptive { k, index, weight, gamma }
}

/// The graph with the weights `merge(sᵢⱼ, sⱼᵢ)` of equally long lists of neighbours for all `n` samples.
pub(super) fn symmetric(
    n: usize,
    (index, weight): (&[u32], &[f64]),
    merge: impl Fn(f64, f64) -> f64,
) -> Result<Graph> {
    let k = index.len() / n.max(1);
    let weight_of = |i: usize, j: u32| {
        let at = index[i * k..(i + 1) * k].iter().position(|&other| other == j);
        at.map_or(0.0, |at| weight[i * k + at])
    };
    let edges = index.iter().enumerate().filter_map(|(at, &j)| {
        let i = at / k;
        let back = weight_of(j as usize, i as u32);
        // An edge of both lists is named once.
        let named = back > 0.0 && (j as usize) < i;
        (!named).then(|| (i, j as usize, merge(weight[at], back)))
    });
    Graph::from_edges(n, edges)
}

/// The nearest point of the simplex {s ≥ 0, Σs = 1}, in place; `sorted` is room as long as it.
pub fn project_onto_simplex(point: &mut [f64], sorted: &mut [f64]) {
    sorted.copy_from_slice(point);
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (at, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (at + 1) as f64;
        if *value > candidate {
            shift = candidate;
        }
    }
    point.iter_mut().for_each(|value| *value = (*value - shift).max(0.0));
}
