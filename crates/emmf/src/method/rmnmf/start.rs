//! Where RMNMF starts, and how its penalty grows.

use super::Rmnmf;
use crate::data::{Data, Gram, Polar, symmetric_eigen};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;

/// The least μ of the stable setting.
const LEAST: f64 = 10.0;
/// Power iterations for λ_max(L).
const POWER_ITER: usize = 200;
/// Eigenvalues of GᵀG below this share of the largest count as 0.
const SINGULAR: f64 = 1e-12;

/// How the augmented Lagrangian is run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// From the orthonormal matrix nearest to V, and with μ by the graph where none is given; else from U and V.
    pub stable: bool,
    /// μ of the first iteration.
    pub mu: Option<f64>,
    /// ρ, what μ grows by.
    pub growth: f64,
}

impl Setting {
    /// The published setting or the stable one, with a given μ or ρ instead of its own.
    pub fn new(stable: bool, mu: Option<f64>, growth: Option<f64>) -> Self {
        let (own, grow) = if stable { (None, 1.01) } else { (Some(1e-3), 1.05) };
        Self { stable, mu: mu.or(own), growth: growth.unwrap_or(grow) }
    }
}

/// Where it starts.
pub(super) struct Begun<T> {
    pub(super) f: Mat<T>,
    pub(super) g: Mat<T>,
    pub(super) mu: f64,
    /// (GᵀG)⁻¹ where G is not orthonormal.
    pub(super) inverse: Option<Mat<T>>,
    pub(super) polar: Polar,
}

impl Rmnmf<'_> {
    pub(super) fn begin<T: Real, X: Data<T>>(&self, x: &X, start: &mut Start<'_, T>) -> Result<Begun<T>> {
        let Factors { u: mut f, v: mut g } = start.factors(x)?;
        let mut polar = Polar::new(g.shape());
        let failed = Error::diverged(0);
        let inverse = if self.setting.stable {
            if !polar.replace(&mut g) {
                return Err(failed);
            }
            x.t_dot(&vec![T::ONE; g.rows()], &g, &mut f);
            None
        } else {
            Some(pseudo_inverse(Gram::new(g.cols()).of(&g.cast())).ok_or(failed)?.cast())
        };
        let own = || LEAST.max(self.lambda * largest_eigenvalue(self.graph) / 8.0);
        Ok(Begun { f, g, mu: self.setting.mu.unwrap_or_else(own), inverse, polar })
    }
}

/// G⁻¹, or what comes nearest to it.
fn pseudo_inverse(g: &Mat<f64>) -> Option<Mat<f64>> {
    let (values, vectors) = symmetric_eigen(g)?;
    let largest = values.last().copied().unwrap_or(0.0);
    let inverse = |value: f64| if value > SINGULAR * largest { 1.0 / value } else { 0.0 };
    let entry = |k, l| (0..g.cols()).map(|t| vectors[(k, t)] * inverse(values[t]) * vectors[(l, t)]).sum();
    Some(Mat::from_fn(g.rows(), g.cols(), entry))
}

/// λ_max(L) by power iteration; at most twice the largest degree.
fn largest_eigenvalue(graph: &Graph) -> f64 {
    let n = graph.nodes();
    // Neighbours should differ: the vector of the largest eigenvalue alternates.
    let mut vector =
        Mat::from_fn(n, 1, |i, _| 1.0 + (i as f64 * 0.618_033_988_75).fract() - 2.0 * (i % 2) as f64);
    let (mut pull, mut largest) = (Mat::zeros(n, 1), 0.0);
    for _ in 0..POWER_ITER {
        let length = vector.as_slice().iter().map(|x| x * x).sum::<f64>().sqrt();
        if length == 0.0 {
            break;
        }
        vector.as_mut_slice().iter_mut().for_each(|x| *x /= length);
        graph.dot(&vector, &mut pull);
        let parts = vector.as_slice().iter().zip(pull.as_slice()).zip(graph.degrees());
        let next: Vec<f64> = parts.map(|((x, pull), degree)| degree * x - pull).collect();
        largest = next.iter().zip(vector.as_slice()).map(|(next, x)| next * x).sum();
        vector.as_mut_slice().copy_from_slice(&next);
    }
    largest
}
