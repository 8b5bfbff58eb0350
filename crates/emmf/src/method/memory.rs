//! What iterations hold beside matrices as large as V and X, in bytes, for the entries of the registry.

use std::collections::BTreeMap;

use super::entrywise::Grid;
use super::{CANDIDATES, lsnmf, pnmf};
use crate::data::{BLOCK, PARTS};

/// A fit in numbers, which are floating-point ones so that none can overflow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes<'a> {
    /// Samples.
    pub(crate) n: f64,
    /// Features.
    pub(crate) d: f64,
    /// Centroids.
    pub(crate) k: f64,
    /// Bytes of a number.
    pub(crate) size: f64,
    /// The parameters of the method that are given.
    pub(crate) params: &'a BTreeMap<String, f64>,
}

/// Nothing else.
pub(crate) fn nothing(_: &Sizes<'_>) -> f64 {
    0.0
}

/// Blocks of X and of what approximates it, and the sums of the parts.
pub(crate) fn entrywise(fit: &Sizes<'_>) -> f64 {
    let grid = Grid::new((fit.n as usize, (fit.d as usize).max(1)), usize::MAX);
    let slot = grid.block as f64 * (4.0 * fit.d + 2.0 * fit.k);
    // Their sum, too, and as many numbers for each of U, its like and their transposes.
    fit.size * (grid.leaves as f64 * (slot + 2.0 * fit.k * fit.d) + 6.0 * fit.k * fit.d)
}

/// Means, variances and moments in double precision.
pub(crate) fn pnmf(fit: &Sizes<'_>) -> f64 {
    (17.6 * fit.n + 72.0 * fit.d) * (fit.k + pnmf::EXTRA as f64)
}

/// A graph that is learned: the candidates of every sample, and the pairs of samples that may carry weight.
pub(crate) fn learned(fit: &Sizes<'_>) -> f64 {
    84.0 * CANDIDATES as f64 * fit.n
}

/// The polar factor of G in double precision, and F with what it is made of.
pub(crate) fn rmnmf(fit: &Sizes<'_>) -> f64 {
    16.0 * fit.n * fit.k + 144.0 * fit.d * fit.k
}

/// Local centroids, the links to them, and eigenvectors.
pub(crate) fn lsnmf(fit: &Sizes<'_>) -> f64 {
    let Sizes { n, d, k, size, params } = *fit;
    let asked = params.get("centroids").map(|&m| m as usize);
    let m = lsnmf::local_centroids(asked, n as usize, k as usize) as f64;
    let blocks = 2.0 * (PARTS * BLOCK) as f64 * m;
    let spectrum = 2.5 * (n + m) * (2.0 * k + lsnmf::SPARE as f64) + 6.0 * m * m;
    size * (4.0 * d * m + n * m + blocks) + 8.0 * spectrum
}
