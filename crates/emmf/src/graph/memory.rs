//! What graphs take, in bytes, told beforehand.

use super::nearest::{kept, width};
use crate::data::{BLOCK, PARTS};

/// Bytes of a sample and of each of its neighbours while its edges are sorted, and after that.
const EDGES: (f64, f64) = (80.0, 68.0);
const KEPT: (f64, f64) = (24.0, 28.0);
/// Bytes of a sample in the approximate index, beside its features in single precision and its neighbours.
const INDEX: f64 = 400.0;
const FOUND: f64 = 16.0;

/// A search for the neighbours of n×d samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Searched {
    pub(crate) n: f64,
    pub(crate) d: f64,
    pub(crate) neighbours: usize,
    /// Bytes of a number.
    pub(crate) size: f64,
}

impl Searched {
    /// What it takes to find them by comparing all samples: lists of candidates of all samples and of those that every
    /// thread compares, with their products.
    pub(crate) fn exactly(&self) -> f64 {
        let listed = 2.0 * self.size * kept(self.neighbours, self.n as usize) as f64;
        let part = self.size * (BLOCK as f64 + 1.0) + listed;
        let compared = width(self.d as usize) as f64 * (PARTS as f64 * part + self.size * self.d);
        self.n * (listed + FOUND) + compared
    }

    /// What it takes to find them with an index, which has a copy of the samples in single precision.
    pub(crate) fn approximately(&self) -> f64 {
        self.n * (4.0 * self.d + INDEX + FOUND * self.neighbours as f64)
    }

    /// What it takes to make a graph of those found.
    pub(crate) fn joined(&self) -> f64 {
        self.edges(EDGES)
    }

    /// What the graph takes.
    pub(crate) fn graph(&self) -> f64 {
        self.edges(KEPT)
    }

    fn edges(&self, (sample, neighbour): (f64, f64)) -> f64 {
        self.n * (sample + neighbour * self.neighbours as f64)
    }
}
