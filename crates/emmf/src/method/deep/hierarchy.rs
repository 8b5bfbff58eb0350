//! Where the layers above the first begin: merged along a graph over the samples, or with shares of everything in everything.

use super::layer::certainty;
use super::small::product;
use crate::cancel::Cancel;
use crate::data::Dense;
use crate::error::Result;
use crate::graph::{Graph, merged};
use crate::init::{Random, kmeans};
use crate::matrix::Mat;
use crate::real::Real;

/// What every node has a share of in each of the layer above, beside its own cluster.
const OTHERS: f64 = 0.05;

/// The share of a node's links that goes to all others by how much they look alike: where the graph falls into more pieces than
/// there are to be nodes, it decides, and elsewhere it is nothing.
const FAINT: f64 = 1e-3;

/// B of every layer above the first.
pub(super) struct Hierarchy {
    pub(super) b: Vec<Mat<f64>>,
    /// How surely the nodes below belong to their parents, where that does not follow from B.
    pub(super) certainty: Option<Vec<Vec<f64>>>,
}

impl Hierarchy {
    /// Every layer is spectral clustering of the one below, ZᵀSZ, Z the nodes that samples belong to. A node is part of one
    /// node only, and its certainty is that of the links to other nodes.
    pub(super) fn along<T: Real>(graph: &Graph, labels: &[usize], u: &Mat<T>, above: &[usize]) -> Self {
        let mut links = graph.between(labels, u.cols());
        let rows = unit_rows(&u.transposed());
        link_faintly(&mut links, &rows);
        let (mut b, mut sure) = (Vec::new(), Vec::new());
        for &width in above {
            let mut parents = merged(&links, width);
            if b.is_empty() {
                adopt(&mut parents, &links, &rows);
            }
            let shares = Mat::from_fn(parents.len(), width, |a, k| f64::from(u8::from(parents[a] == k)));
            let to_groups = product(&links, &shares);
            let outside = |a: usize| {
                // The only node of its parent cannot belong to another.
                if parents.iter().filter(|parent| **parent == parents[a]).count() == 1 {
                    return 1.0;
                }
                let mut row = to_groups.row(a).to_vec();
                row[parents[a]] -= links[(a, a)];
                certainty(&row)
            };
            sure.push((0..parents.len()).map(outside).collect());
            links = product(&shares.transposed(), &to_groups);
            b.push(shares);
        }
        Self { b, certainty: Some(sure) }
    }

    /// Clusters of the centroids' directions (k-means), of which every node has a little share in each.
    pub(super) fn shared<T: Real>(
        u: &Mat<T>,
        above: &[usize],
        rng: &mut Random,
        cancel: &Cancel,
    ) -> Result<Self> {
        let (mut nodes, mut b) = (unit_rows(&u.transposed()), Vec::new());
        for &width in above {
            let count = nodes.rows();
            let found = kmeans(&Dense::new(nodes.view(), None), width, &vec![1.0; count], rng, cancel)?;
            let all = 1.0 + width as f64 * OTHERS;
            let share = |a: usize, k: usize| f64::from(u8::from(found.labels[a] == k)) + OTHERS;
            b.push(Mat::from_fn(count, width, |a, k| share(a, k) / all));
            nodes = unit_rows(&found.centroids.transposed());
        }
        Ok(Self { b, certainty: None })
    }
}

/// The cosine of two centroids.
fn likeness<T: Real>(rows: &Mat<T>, a: usize, b: usize) -> f64 {
    rows.row(a).iter().zip(rows.row(b)).map(|(x, y)| x.to_f64() * y.to_f64()).sum()
}

/// Adds links by likeness, as many as chance would put there.
fn link_faintly<T: Real>(links: &mut Mat<f64>, rows: &Mat<T>) {
    let degrees: Vec<f64> = (0..links.rows()).map(|a| links.row(a).iter().sum()).collect();
    let all: f64 = degrees.iter().sum();
    if all > 0.0 {
        for (a, of_a) in degrees.iter().enumerate() {
            for (b, of_b) in degrees.iter().enumerate().filter(|(b, _)| *b != a) {
                links[(a, b)] += FAINT * of_a * of_b / all * likeness(rows, a, b);
            }
        }
    }
}

/// Gives nodes without a link, as those without samples, the parent of the node that looks most like them.
fn adopt<T: Real>(parents: &mut [usize], links: &Mat<f64>, rows: &Mat<T>) {
    let is_linked = |a: &usize| links.row(*a).iter().any(|link| *link > 0.0);
    let linked: Vec<usize> = (0..parents.len()).filter(is_linked).collect();
    for a in (0..parents.len()).filter(|a| !is_linked(a)) {
        let best = linked.iter().map(|&b| (b, likeness(rows, a, b))).fold(
            None,
            |best: Option<(usize, f64)>, next| {
                if best.is_none_or(|best| next.1 > best.1) { Some(next) } else { best }
            },
        );
        if let Some((b, _)) = best {
            parents[a] = parents[b];
        }
    }
}

/// The same rows with unit length; zeros stay.
fn unit_rows<T: Real>(rows: &Mat<T>) -> Mat<T> {
    let length = |i: usize| rows.row(i).iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
    let lengths: Vec<f64> = (0..rows.rows()).map(length).collect();
    Mat::from_fn(rows.rows(), rows.cols(), |i, j| {
        if lengths[i] > 0.0 { T::from_f64(rows[(i, j)].to_f64() / lengths[i]) } else { T::ZERO }
    })
}
