//! The leading directions of a few samples R (d×m), found among them alone: with the eigenvectors W and eigenvalues Λ of RᵀR, the
//! directions are R·A with A = W·Λ^-½, and the part of a sample x that they describe is ‖Aᵀ·(Rᵀx)‖².

use super::bulk::quantile;
use crate::data::{exact_gram, symmetric_eigen};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::{Left, Product};

/// Directions at most, samples and features for each of them, and directions from which on they tell anything.
const MOST: usize = 20;
const EACH: usize = 8;
const LEAST: usize = 5;
/// The share of the samples that the directions describe best, of which they are found once more.
const BEST: f64 = 0.75;
/// A direction below this share of the largest eigenvalue is rounding.
const NOTHING: f64 = 1e-12;

/// Leading directions in terms of the samples that they are found among.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    /// A, m×t.
    weights: Mat<f64>,
}

/// How many there are of m samples with d features.
fn directions(d: usize, m: usize) -> usize {
    MOST.min(d / EACH).min(m / EACH)
}

/// Whether these are enough to tell anything.
pub(crate) fn has_directions(d: usize, m: usize) -> bool {
    directions(d, m) >= LEAST
}

impl Span {
    /// Of these samples, each a column: of all, then of those that are described best.
    pub(super) fn of<T: Real>(samples: &Mat<T>) -> Option<Self> {
        let (d, m) = samples.shape();
        if !has_directions(d, m) {
            return None;
        }
        let many = directions(d, m);
        let gram = exact_gram(samples);
        let all = Self::among(&gram, &(0..m).collect::<Vec<_>>(), many)?;
        let mut described = Vec::new();
        all.described(gram.as_slice(), &mut described);
        let left: Vec<f64> = described.iter().enumerate().map(|(i, part)| gram[(i, i)] - part).collect();
        let mut sorted = left.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let limit = quantile(&sorted, BEST);
        let best: Vec<usize> = (0..m).filter(|&i| left[i] <= limit).collect();
        Self::among(&gram, &best, many)
    }

    fn among(gram: &Mat<f64>, chosen: &[usize], many: usize) -> Option<Self> {
        let part = Mat::from_fn(chosen.len(), chosen.len(), |i, j| gram[(chosen[i], chosen[j])]);
        let (values, vectors) = symmetric_eigen(&part)?;
        let last = values.len() - 1;
        let mut weights = Mat::zeros(gram.rows(), many);
        for t in (0..many).filter(|t| values[last - t] > NOTHING * values[last]) {
            let root = values[last - t].sqrt();
            chosen.iter().enumerate().for_each(|(at, &i)| weights[(i, t)] = vectors[(at, last - t)] / root);
        }
        Some(Self { weights })
    }

    /// The squares of what the directions describe of samples with these products with those that they were found among.
    pub(super) fn described(&self, products: &[f64], squares: &mut Vec<f64>) {
        let (m, many) = self.weights.shape();
        let rows = products.len() / m;
        let mut along = vec![0.0; rows * many];
        let (left, right) = (Left::Rows((products, m)), (self.weights.as_slice(), many));
        f64::gemm((&mut along, many), left, right, (rows, m, many), false);
        squares.clear();
        squares.extend(along.chunks_exact(many).map(|along| along.iter().map(|x| x * x).sum::<f64>()));
    }
}
