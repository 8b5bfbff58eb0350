//! Graphs over the samples: nearest neighbours, their weights, and the products that methods take with them.
//!
//! A [`Graph`] is symmetric, weighted and without loops. It comes from [`nearest`] by [`knn_graph`], from
//! [`adaptive`] neighbours, or from the caller. Memory is O(nk) throughout; nothing is ever n×n.

mod adaptive;
#[cfg(feature = "approximate")]
mod approximate;
mod communities;
mod components;
mod distance;
mod eigen;
mod fuzzy;
mod memory;
mod nearest;
mod neighbours;
mod shortlist;
mod spectral;
mod swaps;
mod weighting;

pub use adaptive::{Adaptive, adaptive, project_onto_simplex};
#[cfg(feature = "approximate")]
pub use approximate::nearest_approximately;
pub use communities::{communities, communities_at};
pub(crate) use eigen::eigen_width;
pub(crate) use fuzzy::fuzzy_graph;
pub(crate) use memory::Searched;
pub use nearest::nearest;
pub(crate) use nearest::nearest_told;
pub use neighbours::Neighbours;
pub(crate) use spectral::merged;
pub use spectral::spectral_clusters;
pub(crate) use swaps::mended;
pub use weighting::{Weighting, knn_graph};

use crate::data::{least_parts, rows_per_part};
use crate::error::{Error, Result};
use crate::matrix::{CsrView, Mat};
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Relative difference up to which the two weights of an edge count as equal; the edge gets their mean.
const ALIKE: f64 = 1e-6;

/// A symmetric weighted graph over samples, without loops, compressed by rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    starts: Vec<usize>,
    /// Ascending within a row.
    neighbours: Vec<u32>,
    weights: Vec<f64>,
    degrees: Vec<f64>,
}

impl Graph {
    /// From undirected edges (i, j, weight) in any order. An edge may be named in both directions, with the same
    /// weight; loops and edges of weight 0 are dropped.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = (usize, usize, f64)>) -> Result<Self> {
        let edges = edges.into_iter();
        let mut all = Vec::with_capacity(2 * edges.size_hint().1.unwrap_or(0));
        for (i, j, weight) in edges {
            check_edge(nodes, (i, j), weight)?;
            if i != j && weight > 0.0 {
                all.extend([(i as u32, j as u32, weight), (j as u32, i as u32, weight)]);
            }
        }
        all.sort_unstable_by_key(|&(i, j, _)| (i, j));
        if let Some(pair) = all.windows(2).find(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1) && w[0].2 != w[1].2)
        {
            let (i, j, weight) = pair[0];
            let got = format!("an edge of {i} and {j} (from 0) with the weights {weight} and {}", pair[1].2);
            return Err(Error::param("graph", got, "symmetric: one weight for an edge"));
        }
        all.dedup_by_key(|edge| (edge.0, edge.1));
        Ok(Self::from_sorted(nodes, &all))
    }

    /// From a sparse matrix, which must be square, symmetric, finite and nonnegative; its diagonal is dropped.
    pub fn from_csr<T: Real>(w: CsrView<'_, T>) -> Result<Self> {
        let n = w.rows();
        if w.cols() != n {
            return Err(Error::Shape { what: "the graph", got: (n, w.cols()), want: (n, n) });
        }
        let mut all = Vec::with_capacity(w.nnz());
        for i in 0..n {
            for (j, weight) in w.row(i) {
                let weight = weight.to_f64();
                check_edge(n, (i, j), weight)?;
                if i != j && weight > 0.0 {
                    all.push((i as u32, j as u32, weight));
                }
            }
        }
        all.sort_unstable_by_key(|&(i, j, _)| (i, j));
        let mut graph = Self::from_sorted(n, &all);
        graph.make_symmetric()?;
        Ok(graph)
    }

    /// From edges in both directions, sorted and each once.
    fn from_sorted(nodes: usize, edges: &[(u32, u32, f64)]) -> Self {
        let mut starts = vec![0; nodes + 1];
        edges.iter().for_each(|edge| starts[edge.0 as usize + 1] += 1);
        (0..nodes).for_each(|i| starts[i + 1] += starts[i]);
        let neighbours = edges.iter().map(|edge| edge.1).collect();
        let weights = edges.iter().map(|edge| edge.2).collect();
        let mut graph = Self { starts, neighbours, weights, degrees: Vec::new() };
        graph.sum_degrees();
        graph
    }

    fn sum_degrees(&mut self) {
        self.degrees = (0..self.nodes()).map(|i| self.row(i).1.iter().sum()).collect();
    }

    /// Gives both directions of an edge their mean where they are equal up to rounding.
    fn make_symmetric(&mut self) -> Result<()> {
        for i in 0..self.nodes() {
            for at in self.starts[i]..self.starts[i + 1] {
                let (j, weight) = (self.neighbours[at] as usize, self.weights[at]);
                let back = self.position(j, i).map(|back| (back, self.weights[back]));
                match back {
                    Some((_, other)) if other == weight => {}
                    Some((back, other)) if (weight - other).abs() <= ALIKE * weight.max(other) => {
                        let mean = 0.5 * (weight + other);
                        (self.weights[at], self.weights[back]) = (mean, mean);
                    }
                    _ => {
                        let other = back.map_or(0.0, |back| back.1);
                        let got = format!("{weight} from {i} to {j} (from 0), but {other} from {j} to {i}");
                        return Err(Error::param(
                            "graph",
                            got,
                            "symmetric; take the larger of W and its transpose",
                        ));
                    }
                }
            }
        }
        self.sum_degrees();
        Ok(())
    }

    /// Where the edge from i to j is kept.
    fn position(&self, i: usize, j: usize) -> Option<usize> {
        let found = self.row(i).0.binary_search(&(j as u32));
        found.ok().map(|at| self.starts[i] + at)
    }

    /// Number of samples.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// The neighbours of sample i, ascending, and the weights of the edges to them.
    pub fn row(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.neighbours[range.clone()], &self.weights[range])
    }

    /// The sum of the weights of every sample's edges.
    pub fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// ‖W‖², the sum of the squares of all its entries.
    pub fn norm_sq(&self) -> f64 {
        self.weights.iter().map(|weight| weight * weight).sum()
    }

    /// D^-½·W·D^-½, D the degrees. Its eigenvalues lie in [−1, 1], and 1 is one of them once for each component.
    #[must_use]
    pub fn normalized(&self) -> Self {
        let root: Vec<f64> =
            self.degrees.iter().map(|d| if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect();
        let mut graph = self.clone();
        for i in 0..self.nodes() {
            for at in self.starts[i]..self.starts[i + 1] {
                // In this order both directions have the same bits.
                graph.weights[at] = self.weights[at] * (root[i] * root[self.neighbours[at] as usize]);
            }
        }
        graph.sum_degrees();
        graph
    }

    /// The graph between these samples, which must ascend, renumbered.
    #[must_use]
    pub fn among(&self, samples: &[usize]) -> Self {
        let mut edges = Vec::with_capacity(samples.iter().map(|&i| self.row(i).0.len()).sum());
        for (at, &i) in samples.iter().enumerate() {
            let (neighbours, weights) = self.row(i);
            for (j, weight) in neighbours.iter().zip(weights) {
                if let Ok(to) = samples.binary_search(&(*j as usize)) {
                    edges.push((at as u32, to as u32, *weight));
                }
            }
        }
        Self::from_sorted(samples.len(), &edges)
    }

    /// Without the edges between samples of different groups.
    pub(crate) fn within(&self, groups: &[usize]) -> Self {
        let mut edges = Vec::new();
        for (i, group) in groups.iter().enumerate() {
            let (neighbours, weights) = self.row(i);
            let own = neighbours.iter().zip(weights).filter(|(j, _)| groups[**j as usize] == *group);
            edges.extend(own.map(|(&j, &weight)| (i as u32, j, weight)));
        }
        Self::from_sorted(self.nodes(), &edges)
    }

    /// ZᵀWZ, where Z says which of `count` parts every sample belongs to: the weight of the edges between two parts, and
    /// twice that of the edges inside each.
    pub(crate) fn between(&self, parts: &[usize], count: usize) -> Mat<f64> {
        let mut links = Mat::zeros(count, count);
        for (i, &from) in parts.iter().enumerate() {
            let (neighbours, weights) = self.row(i);
            neighbours
                .iter()
                .zip(weights)
                .for_each(|(&j, weight)| links[(from, parts[j as usize])] += weight);
        }
        links
    }

    /// `out` = W·V. Cost O(edges·c); any number of threads gives the same bits.
    pub fn dot<T: Real>(&self, v: &Mat<T>, out: &mut Mat<T>) {
        let c = v.cols();
        let rows = rows_per_part(self.nodes());
        let parts = out.as_mut_slice().par_chunks_mut(rows * c).enumerate();
        each(parts.with_min_len(least_parts(self.weights.len() * c)), |(part, out)| {
            T::gather(out, v.as_slice(), c, false, |at| {
                let (neighbours, weights) = self.row(part * rows + at);
                neighbours.iter().zip(weights).map(|(&j, &weight)| (j as usize, T::from_f64(weight)))
            });
        });
    }
}

/// The ends of an edge are samples, and its weight is finite and nonnegative.
fn check_edge(nodes: usize, (i, j): (usize, usize), weight: f64) -> Result<()> {
    if i.max(j) >= nodes || nodes > u32::MAX as usize {
        let got = format!("an edge of {i} and {j} (from 0)");
        return Err(Error::param(
            "graph",
            got,
            format!("between two of the {nodes} samples, and on fewer than 2^32"),
        ));
    }
    if !(weight >= 0.0 && weight.is_finite()) {
        let got = format!("a weight of {weight} between {i} and {j} (from 0)");
        return Err(Error::param("graph", got, "finite and nonnegative"));
    }
    Ok(())
}
