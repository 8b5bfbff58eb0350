//! How much memory a fit takes, told beforehand.

use crate::data::{BLOCK, PARTS, STRIP};
use crate::graph::MANY;
use crate::matrix::COPIED;
use crate::real::Real;
use crate::spec::Spec;

/// The program, its threads and all that does not grow with the data.
const BASE: usize = 24 << 20;
/// n×k and d×k matrices: U, V, and at most four more of each at a time.
const FACTORS: usize = 6;
/// n×k matrices more with a graph, and bytes for each neighbour while it is made.
const WITH_GRAPH: usize = 2;
const NEIGHBOUR: usize = 160;
/// Candidates for neighbours of a graph that is learned.
const CANDIDATES: usize = 56;
/// Vectors beyond twice those wanted that eigenvectors are found with.
const SPARE: usize = 8;
/// Vectors of length n and d in double precision.
const VECTORS: usize = 20;

impl Spec {
    /// Bytes that a fit of n×d dense samples of type `T` takes at the most, beside the samples themselves. Where
    /// they are `streamed`, this is all that it takes.
    ///
    /// ```
    /// use emmf::Spec;
    /// let bytes = Spec::emmf(50).memory::<f32>((20_000, 1000), false);
    /// assert!(bytes < 100_000_000);
    /// ```
    pub fn memory<T: Real>(&self, (n, d): (usize, usize), streamed: bool) -> usize {
        let factors = FACTORS * (n + d) * self.k;
        let read = if streamed { BLOCK + STRIP } else { 0 } * d;
        let parts = PARTS * ((2 * BLOCK + STRIP + d) * self.k + read);
        // The approximate index has a copy of the samples in single precision.
        let graph = self.graph.map_or(0, |graph| {
            let index = if graph.approximate.unwrap_or(n >= MANY) { 4 * d + 400 } else { 0 };
            n * (WITH_GRAPH * self.k * size_of::<T>() + NEIGHBOUR * (graph.neighbours + 6) + index)
        });
        // Those that are left where others are set aside.
        let copied = if self.sets_aside() && !streamed { COPIED.min(n * d * size_of::<T>()) } else { 0 };
        BASE + graph
            + copied
            + self.beside_factors((n, d), size_of::<T>())
            + size_of::<T>() * (factors + parts)
            + size_of::<f64>() * VECTORS * (n + d)
    }

    /// Bytes of the methods that keep more than factors, of numbers of this size.
    fn beside_factors(&self, (n, d): (usize, usize), size: usize) -> usize {
        match &*self.method {
            "nmfan" | "srmcf" => NEIGHBOUR * CANDIDATES * n,
            "rmnmf" => size * n * d + size_of::<f64>() * 4 * n * self.k,
            "lsnmf" => {
                let own = || (n / 4).min(10 * self.k);
                let m = self.params.get("centroids").map_or_else(own, |&m| m as usize).max(self.k + 1);
                let spectrum = 8 * (n + m) * (2 * self.k + SPARE) + 6 * m * m;
                size * (4 * d * m + n * m + 2 * PARTS * BLOCK * m) + size_of::<f64>() * spectrum
            }
            _ => 0,
        }
    }
}
