//! The leading eigenvectors of a normalised graph, by subspace iteration with Chebyshev filters.
//!
//! The eigenvalues of D^-½·W·D^-½ lie in [−1, 1] and the wanted ones are the largest. A block of vectors a little wider than
//! wanted is multiplied by a Chebyshev polynomial of the graph, which stays small on [−1, θ], θ the least value the block has
//! found, and grows fast above; then it is made orthonormal and turned into Ritz vectors. (Zhou, Saad, Tiago and Chelikowsky
//! 2006.) Eigenvalues that occur several times, as with components, are no trouble for a block.
//! Cost O((edges + n·c)·c) for each factor of the polynomials. Small graphs are decomposed whole.

use super::Graph;
use crate::cancel::Cancel;
use crate::data::{Gram, orthonormal_basis, rows_per_part, symmetric_eigen, turn_rows};
use crate::error::Result;
use crate::matrix::Mat;
use crate::threads::each;
use crate::threads::prelude::*;

/// Samples up to which the whole matrix is decomposed.
const FEW: usize = 400;
/// Vectors beyond those wanted: at least so many, and a share of these.
const MORE: (usize, usize) = (8, 4);
/// ‖Ax − θx‖ at which a vector of unit length is an eigenvector.
const TOLERANCE: f64 = 1e-7;
/// Maximum number of filters.
const MAX_ITER: usize = 60;
/// A polynomial multiplies the first eigenvector by about e to this.
const GROWTH: f64 = 18.0;
/// The degrees of polynomials.
const DEGREES: (f64, f64) = (8.0, 150.0);

/// The `k` largest eigenvalues of a [normalised](Graph::normalized) graph, descending, and their eigenvectors as columns, n×k.
pub(super) fn leading(graph: &Graph, k: usize, cancel: &Cancel) -> Result<(Vec<f64>, Mat<f64>)> {
    let n = graph.nodes();
    let width = eigen_width(k);
    if n <= FEW || 2 * width >= n {
        return Ok(decomposed(graph, k));
    }
    let mut block = Block::new(graph, width);
    let mut values = block.ritz();
    for _ in 0..MAX_ITER {
        cancel.check_time()?;
        if block.error(&values[..k]) <= TOLERANCE {
            break;
        }
        block.filter(values[width - 1]);
        values = block.ritz();
    }
    values.truncate(k);
    Ok((values, Mat::from_fn(n, k, |i, at| block.q[(i, at)])))
}

/// Vectors that are worked on together where `k` are wanted.
pub(crate) fn eigen_width(k: usize) -> usize {
    k + MORE.0.max(k / MORE.1)
}

/// All of the matrix at once.
fn decomposed(graph: &Graph, k: usize) -> (Vec<f64>, Mat<f64>) {
    let n = graph.nodes();
    let mut whole = Mat::zeros(n, n);
    for i in 0..n {
        let (neighbours, weights) = graph.row(i);
        neighbours.iter().zip(weights).for_each(|(&j, &weight)| whole[(i, j as usize)] = weight);
    }
    // A matrix of finite numbers that is symmetric always has them; zeros are no clusters.
    let (values, vectors) = symmetric_eigen(&whole).unwrap_or_else(|| (vec![0.0; n], Mat::zeros(n, n)));
    let at = |rank: usize| n - 1 - rank;
    ((0..k).map(|rank| values[at(rank)]).collect(), Mat::from_fn(n, k, |i, rank| vectors[(i, at(rank))]))
}

struct Block<'a> {
    graph: &'a Graph,
    /// Orthonormal columns.
    q: Mat<f64>,
    /// A·Q.
    aq: Mat<f64>,
    spare: Mat<f64>,
    gram: Gram<f64>,
}

impl<'a> Block<'a> {
    /// Vectors that seem random and are the same each time.
    fn new(graph: &'a Graph, width: usize) -> Self {
        let n = graph.nodes();
        let mut state = 1_u64;
        let mut number = || {
            // Knuth's MMIX generator; its high bits are good enough to have a part of everything.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut q = Mat::zeros(n, width);
        q.as_mut_slice().iter_mut().for_each(|entry| *entry = number());
        let q = orthonormal_basis(q);
        let [aq, spare] = [(); 2].map(|()| Mat::zeros(n, width));
        Self { graph, q, aq, spare, gram: Gram::new(width) }
    }

    /// Turns Q so that QᵀAQ is diagonal; its diagonal, descending.
    fn ritz(&mut self) -> Vec<f64> {
        let c = self.q.cols();
        self.graph.dot(&self.q, &mut self.aq);
        let small = self.gram.cross(&self.q, &self.aq).clone();
        let symmetric = Mat::from_fn(c, c, |i, j| f64::midpoint(small[(i, j)], small[(j, i)]));
        let Some((values, vectors)) = symmetric_eigen(&symmetric) else { return vec![0.0; c] };
        let turn = Mat::from_fn(c, c, |i, j| vectors[(i, c - 1 - j)]);
        turn_rows(&mut self.q, &turn);
        turn_rows(&mut self.aq, &turn);
        values.into_iter().rev().collect()
    }

    /// The largest ‖Aq − θq‖ of the first columns.
    fn error(&self, values: &[f64]) -> f64 {
        let mut squares = vec![0.0; values.len()];
        for i in 0..self.q.rows() {
            let row = self.q.row(i).iter().zip(self.aq.row(i)).zip(values);
            squares.iter_mut().zip(row).for_each(|(sum, ((q, aq), value))| *sum += (aq - value * q).powi(2));
        }
        squares.into_iter().fold(0.0, f64::max).sqrt()
    }

    /// Q ← an orthonormal basis of T(A)·Q, T the Chebyshev polynomial that stays within ±1 on [−1, `cut`].
    fn filter(&mut self, cut: f64) {
        let (centre, half) = (f64::midpoint(cut, -1.0), (0.5 * (cut + 1.0)).max(f64::EPSILON));
        let growth = ((1.0 - centre) / half).max(1.0).acosh();
        let degree = (GROWTH / growth).ceil().clamp(DEGREES.0, DEGREES.1) as usize;
        // T₀ = Q, T₁ = (AQ − centre·Q)/half, Tₘ = 2·(A − centre)/half·Tₘ₋₁ − Tₘ₋₂.
        let Self { graph, q, aq, spare, .. } = self;
        let step = |to: &mut Mat<f64>, last: &Mat<f64>, by: f64, less: Option<&Mat<f64>>| {
            let size = rows_per_part(last.rows()) * last.cols();
            let parts =
                to.as_mut_slice().par_chunks_mut(size).zip(last.as_slice().par_chunks(size)).enumerate();
            each(parts, |(part, (to, last))| {
                to.iter_mut().zip(last).for_each(|(to, last)| *to = by * (*to - centre * last));
                if let Some(less) = less {
                    to.iter_mut().zip(&less.as_slice()[part * size..]).for_each(|(to, less)| *to -= less);
                }
            });
        };
        step(aq, q, 1.0 / half, None);
        for _ in 1..degree {
            graph.dot(aq, spare);
            step(spare, aq, 2.0 / half, Some(q));
            // (T₀, T₁) ← (T₁, T₂).
            std::mem::swap(q, aq);
            std::mem::swap(aq, spare);
        }
        self.q = orthonormal_basis(std::mem::replace(&mut self.aq, Mat::zeros(0, 0)));
        self.aq = Mat::zeros(self.q.rows(), self.q.cols());
    }
}

#[cfg(test)]
mod tests {
    use super::{Cancel, Graph, Mat, decomposed, leading};

    /// Rings of so many nodes, joined in a ring by single edges of this weight.
    fn rings(sizes: &[usize], joint: f64) -> Graph {
        let mut edges = Vec::new();
        let mut first = 0;
        let all: usize = sizes.iter().sum();
        for &size in sizes {
            for i in 0..size {
                edges.extend([1, 2, 5].map(|step| (first + i, first + (i + step) % size, 1.0)));
            }
            edges.push((first, (first + size) % all, joint));
            first += size;
        }
        Graph::from_edges(all, edges).unwrap()
    }

    /// ‖AᵢX − θX‖ of every pair and ‖XᵀX − I‖.
    fn wrong(graph: &Graph, values: &[f64], vectors: &Mat<f64>) -> f64 {
        let (n, k) = vectors.shape();
        let mut product = Mat::zeros(n, k);
        graph.dot(vectors, &mut product);
        let off = |i: usize, at: usize| (product[(i, at)] - values[at] * vectors[(i, at)]).abs();
        let pairs = (0..n).flat_map(|i| (0..k).map(move |at| (i, at))).map(|(i, at)| off(i, at));
        let dot = |a: usize, b: usize| (0..n).map(|i| vectors[(i, a)] * vectors[(i, b)]).sum::<f64>();
        let skew = (0..k).flat_map(|a| (0..k).map(move |b| (a, b)));
        let skew = skew.map(|(a, b)| (dot(a, b) - if a == b { 1.0 } else { 0.0 }).abs());
        pairs.chain(skew).fold(0.0, f64::max)
    }

    #[test]
    fn the_largest_eigenvalues_are_those_of_the_whole_matrix() {
        // Connected, nearly apart, and apart: the first eigenvalue occurs once, nearly or exactly as often as there are rings.
        for (sizes, joint) in
            [(vec![501], 0.0), (vec![150, 201, 170], 1e-3), (vec![150, 201, 170], 0.0), (vec![45; 12], 0.5)]
        {
            let graph = rings(&sizes, joint).normalized();
            for k in [1, 3, 12] {
                let (values, vectors) = leading(&graph, k, &Cancel::new()).unwrap();
                let (want, _) = decomposed(&graph, k);
                let apart = values.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-9, "{sizes:?} {joint} {k}: {values:?} {want:?}");
                assert!(wrong(&graph, &values, &vectors) < 2e-7, "{sizes:?} {joint} {k}");
            }
        }
    }
}
