//! Spectral clustering without chance: normalised cuts (Shi and Malik 2000), clusters by pivoted QR (Damle, Minden and
//! Ying 2019).
//!
//! The k leading eigenvectors of D^-½·W·D^-½ with rows divided by √degree are constant on clusters that are apart. Pivoted
//! QR of their transpose picks k samples that are as different as can be, one of each cluster; the orthonormal matrix
//! nearest to their rows turns all rows so that the largest entry of each is its cluster. No start, no seed.

use super::Graph;
use super::eigen::leading;
use crate::cancel::Cancel;
use crate::data::{symmetric_eigen, thin_svd};
use crate::error::Result;
use crate::matrix::Mat;

/// The cluster of every sample, at most k clusters; samples without neighbours are in the first.
pub fn spectral_clusters(graph: &Graph, k: usize, cancel: &Cancel) -> Result<Vec<usize>> {
    let n = graph.nodes();
    let (_, mut rows) = leading(&graph.normalized(), k.min(n), cancel)?;
    for (i, degree) in graph.degrees().iter().enumerate() {
        let by = if *degree > 0.0 { 1.0 / degree.sqrt() } else { 0.0 };
        rows.row_mut(i).iter_mut().for_each(|entry| *entry *= by);
    }
    Ok(cluster_qr(&rows))
}

/// The same for a small graph given as a matrix, whose diagonal is what lies inside of its nodes: the cut that is normalised is
/// the one of all that the nodes stand for.
pub(crate) fn merged(weights: &Mat<f64>, k: usize) -> Vec<usize> {
    let n = weights.rows();
    let root = |i: usize| -> f64 {
        let degree: f64 = weights.row(i).iter().sum();
        if degree > 0.0 { 1.0 / degree.sqrt() } else { 0.0 }
    };
    let roots: Vec<f64> = (0..n).map(root).collect();
    let normalized = Mat::from_fn(n, n, |i, j| weights[(i, j)] * (roots[i] * roots[j]));
    let Some((_, vectors)) = symmetric_eigen(&normalized) else { return vec![0; n] };
    let k = k.min(n);
    cluster_qr(&Mat::from_fn(n, k, |i, at| roots[i] * vectors[(i, n - 1 - at)]))
}

/// The cluster of every row of n×k eigenvectors.
fn cluster_qr(rows: &Mat<f64>) -> Vec<usize> {
    let (n, k) = rows.shape();
    let chosen = different(rows);
    let picked = Mat::from_fn(k, chosen.len(), |at, c| rows[(chosen[c], at)]);
    let Some((left, _, right)) = thin_svd(&picked) else { return vec![0; n] };
    let turn = Mat::from_fn(k, chosen.len(), |i, j| {
        (0..left.cols()).map(|at| left[(i, at)] * right[(j, at)]).sum::<f64>()
    });
    let label = |i: usize| {
        let along =
            |c: usize| rows.row(i).iter().enumerate().map(|(at, x)| x * turn[(at, c)]).sum::<f64>().abs();
        let all = (0..chosen.len()).map(along);
        all.enumerate().fold((0, -1.0), |best, next| if next.1 > best.1 { next } else { best }).0
    };
    (0..n).map(label).collect()
}

/// Rows that are as different as can be: each the one of which the ones before leave the most (pivoted QR).
fn different(rows: &Mat<f64>) -> Vec<usize> {
    let (n, k) = rows.shape();
    let mut left = rows.clone();
    let mut chosen = Vec::with_capacity(k);
    for _ in 0..k {
        let square = |i: usize| left.row(i).iter().map(|x| x * x).sum::<f64>();
        let (best, most) = (0..n)
            .map(|i| (i, square(i)))
            .fold((0, 0.0), |best, next| if next.1 > best.1 { next } else { best });
        if most <= 0.0 {
            break;
        }
        chosen.push(best);
        let direction: Vec<f64> = left.row(best).iter().map(|x| x / most.sqrt()).collect();
        for i in 0..n {
            let row = left.row_mut(i);
            let along: f64 = row.iter().zip(&direction).map(|(x, y)| x * y).sum();
            row.iter_mut().zip(&direction).for_each(|(x, y)| *x -= along * y);
        }
    }
    chosen
}
