//! The smallest eigenvalues of the Laplacian of the links, and P, their eigenvectors: the embedding.
//!
//! *Normalised*: with B = D₁^-½·G·D₂^-½ the smallest eigenvalues of I − \[0 B; Bᵀ 0\] are 1 − σ for the largest singular values σ of
//! B, and these come from BᵀB, which is m×m.
//!
//! *Unnormalised*: L = \[D₁ −G; −Gᵀ D₂\] has no such form, but L + σI is solved exactly through its Schur complement
//! C = D₂ + σ − Gᵀ(D₁ + σ)⁻¹G, m×m and positive definite: p₂ = C⁻¹(b₂ + Gᵀ(D₁ + σ)⁻¹b₁), p₁ = (D₁ + σ)⁻¹(b₁ + Gp₂). So inverse
//! iteration on a block of vectors, twice as many as are wanted, finds the smallest eigenvalues: one Cholesky factor, then
//! O(nk + m²) for a vector and a step. It starts from the last embedding, and no step raises an eigenvalue that it has found
//! (‖·‖-quotients fall under inverse iteration, so by Courant and Fischer their least maxima over subspaces do): a few steps in each
//! iteration of the method are enough for it to descend, and all that are made where a step takes a while. Where the block is the whole space (tiny problems) none is needed.

use super::links::Links;
use crate::checkpoint::Archive;
use crate::data::{Cholesky, symmetric_eigen, times_small};
use crate::init::Random;
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::{Left, Product};
use crate::threads::each;
use crate::threads::prelude::*;

/// Vectors of a block beyond twice those wanted.
pub(in crate::method) const SPARE: usize = 8;
/// Maximum number of steps: where the block is small, and from the last embedding where it is so large that a step takes a while.
const STEPS: usize = 60;
const LARGE_STEPS: usize = 6;
/// Multiplications of a step from which on it takes a while.
const LARGE: usize = 100_000_000;
/// Residuals of eigenvectors below this share of the largest degree are rounding.
const EXACT: f64 = 1e-11;
/// σ as a share of the mean degree.
const SHIFT: f64 = 1e-6;
/// Rows of a small product that one thread makes.
const PART: usize = 48;
/// Directions below this share of the longest count as dependent.
const DEPENDENT: f64 = 1e-13;

/// The c smallest eigenvalues and the embedding that belongs to them.
pub(super) struct Spectrum {
    c: usize,
    normalized: bool,
    /// Sum of the c smallest eigenvalues.
    pub(super) sum: f64,
    /// Rows of samples (n×c) and, as columns, of local centroids (c×m), in terms of which links have their length.
    pub(super) samples: Mat<f64>,
    pub(super) centroids: Mat<f64>,
    /// Orthonormal, n+m rows.
    block: Mat<f64>,
    /// Maximum number of steps to make.
    steps: usize,
}

impl Spectrum {
    pub(super) fn new((n, m, c): (usize, usize, usize), normalized: bool, rng: &mut Random) -> Self {
        let width = if normalized { 0 } else { (2 * c + SPARE).min(n + m) };
        let block = Mat::from_fn(n + m, width, |_, _| rng.exponential() - 1.0);
        let block = orthonormal(orthonormal(block));
        let (samples, centroids) = (Mat::zeros(n, c), Mat::zeros(c, m));
        Self { c, normalized, sum: 0.0, samples, centroids, block, steps: STEPS }
    }

    /// What the next iteration needs, see [`Method::parts`](crate::method::Method::parts).
    pub(super) fn parts(&mut self, archive: &mut Archive) {
        archive.reals("eigenvectors", self.block.as_mut_slice());
        archive.count("eigenvector-steps", &mut self.steps);
    }

    /// Finds them for these links; `None` where the decomposition fails.
    pub(super) fn find<T: Real>(&mut self, links: &Links<T>) -> Option<()> {
        if self.normalized { self.find_normalized(links) } else { self.find_plain(links) }
    }

    fn find_normalized<T: Real>(&mut self, links: &Links<T>) -> Option<()> {
        let (n, m) = (links.sample_degrees.len(), links.centroids());
        let root = |degrees: &[f64]| -> Vec<f64> {
            degrees.iter().map(|d| if *d > 0.0 { 1.0 / d.sqrt() } else { 0.0 }).collect()
        };
        let (by_sample, by_centroid) = (root(&links.sample_degrees), root(&links.centroid_degrees));
        let b = |i: usize, (j, g): (u32, T)| g.to_f64() * (by_sample[i] * by_centroid[j as usize]);
        let mut gram = Mat::zeros(m, m);
        for i in 0..n {
            for &one in links.row(i) {
                links
                    .row(i)
                    .iter()
                    .for_each(|&two| gram[(one.0 as usize, two.0 as usize)] += b(i, one) * b(i, two));
            }
        }
        let (values, vectors) = symmetric_eigen(&gram)?;
        self.sum = 0.0;
        for k in 0..self.c {
            let at = m - 1 - k;
            let sigma = values[at].max(0.0).sqrt();
            self.sum += 1.0 - sigma.min(1.0);
            let half = std::f64::consts::FRAC_1_SQRT_2;
            (0..m).for_each(|j| self.centroids[(k, j)] = half * vectors[(j, at)] * by_centroid[j]);
            for (i, by_sample) in by_sample.iter().enumerate() {
                let sum: f64 =
                    links.row(i).iter().map(|&link| b(i, link) * vectors[(link.0 as usize, at)]).sum();
                let p = if sigma > DEPENDENT { sum / sigma } else { 0.0 };
                self.samples[(i, k)] = half * p * by_sample;
            }
        }
        Some(())
    }

    fn find_plain<T: Real>(&mut self, links: &Links<T>) -> Option<()> {
        let n = links.sample_degrees.len();
        let degrees = || links.sample_degrees.iter().chain(&links.centroid_degrees);
        let largest = degrees().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mean = degrees().sum::<f64>() / degrees().count() as f64;
        let mut inverse = None;
        for step in 0..=self.steps {
            let (values, residual) = self.turn(links)?;
            self.sum = values[..self.c].iter().map(|value| value.max(0.0)).sum();
            if residual <= EXACT * largest || step == self.steps {
                break;
            }
            if inverse.is_none() {
                inverse = Some(Inverse::new(links, (SHIFT * mean).max(f64::MIN_POSITIVE))?);
            }
            let solved = inverse.as_ref()?.apply(links, &self.block);
            self.block = orthonormal(orthonormal(solved));
        }
        let (rows, width) = self.block.shape();
        if rows * width * width > LARGE {
            self.steps = LARGE_STEPS;
        }
        for k in 0..self.c {
            (0..n).for_each(|i| self.samples[(i, k)] = self.block[(i, k)]);
            (0..links.centroids()).for_each(|j| self.centroids[(k, j)] = self.block[(n + j, k)]);
        }
        Some(())
    }

    /// Turns the block to the eigenvectors that its span holds; their eigenvalues and the largest residual of the first c.
    fn turn<T: Real>(&mut self, links: &Links<T>) -> Option<(Vec<f64>, f64)> {
        if self.block.cols() < self.c {
            return None;
        }
        let image = laplacian(links, &self.block);
        let (values, vectors) = symmetric_eigen(&between(&self.block, &image))?;
        self.block = product(&self.block, &vectors);
        let image = product(&image, &vectors);
        let residual = |k: usize| -> f64 {
            let entry = |i: usize| (image[(i, k)] - values[k] * self.block[(i, k)]).powi(2);
            (0..image.rows()).map(entry).sum::<f64>().sqrt()
        };
        let worst = (0..self.c).map(residual).fold(0.0, f64::max);
        Some((values, worst))
    }
}

/// (L + σI)⁻¹ by its Schur complement.
struct Inverse {
    shift: f64,
    schur: Cholesky,
}

impl Inverse {
    fn new<T: Real>(links: &Links<T>, shift: f64) -> Option<Self> {
        let m = links.centroids();
        let mut schur = Mat::zeros(m, m);
        (0..m).for_each(|j| schur[(j, j)] = links.centroid_degrees[j] + shift);
        for (i, degree) in links.sample_degrees.iter().enumerate() {
            for &(j, g) in links.row(i) {
                let by = g.to_f64() / (degree + shift);
                links
                    .row(i)
                    .iter()
                    .for_each(|&(l, other)| schur[(j as usize, l as usize)] -= by * other.to_f64());
            }
        }
        Some(Self { shift, schur: Cholesky::new(&schur)? })
    }

    fn apply<T: Real>(&self, links: &Links<T>, b: &Mat<f64>) -> Mat<f64> {
        let (n, m, width) = (links.sample_degrees.len(), links.centroids(), b.cols());
        let over = |i: usize| 1.0 / (links.sample_degrees[i] + self.shift);
        let mut below = Mat::from_fn(m, width, |j, t| b[(n + j, t)]);
        for i in 0..n {
            for &(j, g) in links.row(i) {
                add(below.row_mut(j as usize), g.to_f64() * over(i), b.row(i));
            }
        }
        let below = self.schur.solve(&below);
        let mut out = b.clone();
        for i in 0..n {
            links.row(i).iter().for_each(|&(j, g)| add(out.row_mut(i), g.to_f64(), below.row(j as usize)));
            out.row_mut(i).iter_mut().for_each(|p| *p *= over(i));
        }
        (0..m).for_each(|j| out.row_mut(n + j).copy_from_slice(below.row(j)));
        out
    }
}

/// L·B.
fn laplacian<T: Real>(links: &Links<T>, b: &Mat<f64>) -> Mat<f64> {
    let n = links.sample_degrees.len();
    let degree = |i: usize| if i < n { links.sample_degrees[i] } else { links.centroid_degrees[i - n] };
    let mut out = Mat::from_fn(b.rows(), b.cols(), |i, t| degree(i) * b[(i, t)]);
    for i in 0..n {
        for &(j, g) in links.row(i) {
            let (g, j) = (g.to_f64(), n + j as usize);
            add(out.row_mut(i), -g, b.row(j));
            add(out.row_mut(j), -g, b.row(i));
        }
    }
    out
}

fn add(out: &mut [f64], factor: f64, row: &[f64]) {
    out.iter_mut().zip(row).for_each(|(out, row)| *out += factor * row);
}

/// AᵀB.
fn between(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let ((n, c), width) = (a.shape(), b.cols());
    let mut out = Mat::zeros(c, width);
    each(out.as_mut_slice().par_chunks_mut((PART * width).max(1)).enumerate(), |(part, out)| {
        let (rows, left) = (out.len() / width, Left::Columns((&a.as_slice()[part * PART..], c)));
        f64::gemm((out, width), left, (b.as_slice(), width), (rows, n, width), false);
    });
    out
}

/// A·B.
fn product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.rows(), b.cols());
    times_small(a, b, &mut out);
    out
}

/// An orthonormal basis of the columns, nearly of as many, exact to rounding after two calls.
fn orthonormal(mut a: Mat<f64>) -> Mat<f64> {
    let (n, c) = a.shape();
    for k in 0..c {
        let length = (0..n).map(|i| a[(i, k)].powi(2)).sum::<f64>().sqrt();
        if length > 0.0 {
            (0..n).for_each(|i| a[(i, k)] /= length);
        }
    }
    let Some((values, vectors)) = symmetric_eigen(&between(&a, &a)) else { return a };
    let largest = values.last().copied().unwrap_or(0.0);
    let kept: Vec<usize> = (0..c).filter(|&k| values[k] > DEPENDENT * largest).collect();
    let turn = Mat::from_fn(c, kept.len(), |l, t| vectors[(l, kept[t])] / values[kept[t]].sqrt());
    product(&a, &turn)
}
