//! Robust manifold NMF (Huang, Nie, Huang and Ding, TKDD 2014).
//!
//! Objective: ‖X − GFᵀ‖₂,₁ + λ·tr(GᵀLG), the sum of the samples' residuals, GᵀG = I, G ≥ 0 (n×c), F (d×c) of any sign, L = D − W of
//! the given graph. Augmented Lagrangian with E = X − GFᵀ (multiplier Y), H = G (multiplier Z) and one
//! penalty μ. One iteration:
//!
//! - P = X − GFᵀ + Y/μ, eᵢ = pᵢ·max(0, 1 − 1/(μ‖pᵢ‖)), A = X − E + Y/μ;
//! - F = AᵀG(GᵀG)⁻¹;
//! - H = max(0, G + Z/μ − (λ/μ)·LG);
//! - M = H − Z/μ − (λ/μ)·LH + AF, G = the orthonormal matrix nearest to M;
//! - Y += μ(X − GFᵀ − E), Z += μ(G − H), μ ← ρμ.
//!
//! The authors' code adds (λ/μ)·LH in M; the Lagrangian has a minus, which is what is done here. Two settings:
//!
//! - *published*: from G = V and F = U of the start, μ = 1e-3, ρ = 1.05. The shrinkage 1/μ then exceeds every residual of unit
//!   samples for the first hundred iterations, so E = 0 and the start is forgotten; results are weak;
//! - *stable*: from the orthonormal matrix nearest to V, F = XᵀG, μ = max(10, λ·λ_max(L)/8), ρ = 1.01.
//!
//! Guaranteed is GᵀG = I alone: no quantity is bound to fall, and iterates freeze as μ grows. V is G without its slightly negative
//! entries and U ≥ 0 the best for it; F and G are extras, `split` is ‖G − H‖, and labels are read off G. V stays
//! as it is; `transform` codes new samples by least squares.
//!
//! Between iterations only A is kept, n×d: Y = μ(A − GFᵀ), E follows from P. Cost O(ndc + edges·c + nc²), three products
//! with n×d matrices and a thin SVD. Takes dense X: A would be dense for sparse X too.

mod start;

use super::centroids::best_centroids;
use super::regularized::roughness;
use super::{Coding, Ending, Extra, Method, Outcome, Value, residuals};
use crate::checkpoint::Archive;
use crate::data::{BLOCK, Data, PARTS, Polar, rows_per_part, vectorized};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::each;
use crate::threads::prelude::*;

pub use start::Setting;

/// μ does not grow beyond this.
const MOST: f64 = 1e10;
/// Samples whose rows of A are made at a time.
const STRIP: usize = 16;
/// Features whose rows of F are made at a time: enough that a row of A is read in whole cache lines.
const FEATURES: usize = 64;

/// Robust manifold NMF.
#[derive(Debug)]
pub struct Rmnmf<'a> {
    /// W.
    pub(crate) graph: &'a Graph,
    /// λ.
    pub(crate) lambda: f64,
    /// Where it starts, and how μ grows.
    pub(crate) setting: Setting,
}

/// What changes from iteration to iteration.
pub struct RmnmfState<T> {
    f: Mat<T>,
    g: Mat<T>,
    h: Mat<T>,
    /// The multiplier of H = G.
    z: Mat<T>,
    /// X − E + Y/μ.
    a: Mat<T>,
    mu: f64,
    /// (GᵀG)⁻¹ where G is not orthonormal yet.
    inverse: Option<Mat<T>>,
    /// W·G or W·H, and Fᵀ.
    pull: Mat<T>,
    turned: Mat<T>,
    /// Two strips of samples for every part of them.
    room: Vec<T>,
    polar: Polar,
    /// ‖xᵢ − F·gᵢ‖.
    r: Vec<f64>,
    objective: f64,
    iteration: usize,
}

impl Rmnmf<'_> {
    /// F = AᵀG(GᵀG)⁻¹.
    fn update_f<T: Real>(state: &mut RmnmfState<T>) {
        let RmnmfState { f, g, a, inverse, .. } = state;
        let ((n, d), c) = (a.shape(), g.cols());
        let (a, g) = (a.as_slice(), (g.as_slice(), c));
        each(f.as_mut_slice().par_chunks_mut(FEATURES * c).enumerate(), |(strip, f)| {
            let features = f.len() / c;
            T::gemm((f, c), Left::Columns((&a[strip * FEATURES..], d)), g, (features, n, c), false);
        });
        if let Some(inverse) = inverse.take() {
            let before = f.clone();
            let left = Left::Rows((before.as_slice(), c));
            T::gemm((f.as_mut_slice(), c), left, (inverse.as_slice(), c), (d, c, c), false);
        }
    }

    /// H = max(0, G + Z/μ − (λ/μ)·LG).
    fn update_h<T: Real>(&self, state: &mut RmnmfState<T>) {
        let RmnmfState { g, h, z, pull, mu, .. } = state;
        self.graph.dot(g, pull);
        let (inverse, by) = (T::from_f64(1.0 / *mu), T::from_f64(self.lambda / *mu));
        let c = g.cols();
        for (i, degree) in self.graph.degrees().iter().enumerate() {
            let degree = T::from_f64(*degree);
            let (g, z, pull) = (g.row(i), z.row(i), pull.row(i));
            for k in 0..c {
                let next = g[k] + inverse * z[k] - by * (degree * g[k] - pull[k]);
                h[(i, k)] = if next < T::ZERO { T::ZERO } else { next };
            }
        }
    }

    /// G, the orthonormal matrix nearest to M = H − Z/μ − (λ/μ)·LH + AF, and Z += μ(G − H).
    fn update_g<T: Real>(&self, state: &mut RmnmfState<T>) -> Result<()> {
        let RmnmfState { f, g, h, z, a, pull, mu, polar, iteration, .. } = state;
        let (d, c) = f.shape();
        self.graph.dot(h, pull);
        let (inverse, by) = (T::from_f64(1.0 / *mu), T::from_f64(self.lambda / *mu));
        let rows =
            g.as_mut_slice().par_chunks_mut(BLOCK * c).zip(a.as_slice().par_chunks(BLOCK * d)).enumerate();
        each(rows, |(block, (g, a))| {
            let samples = g.len() / c;
            T::gemm((g, c), Left::Rows((a, d)), (f.as_slice(), c), (samples, d, c), false);
            for (i, g) in (block * BLOCK..).zip(g.chunks_exact_mut(c)) {
                let degree = T::from_f64(self.graph.degrees()[i]);
                let (h, z, pull) = (h.row(i), z.row(i), pull.row(i));
                for k in 0..c {
                    g[k] += h[k] - inverse * z[k] - by * (degree * h[k] - pull[k]);
                }
            }
        });
        let finite = g.as_slice().iter().all(|g| g.is_finite());
        if !finite || !polar.replace(g) {
            return Err(Error::diverged(*iteration));
        }
        let mu = T::from_f64(*mu);
        let terms = g.as_slice().iter().zip(h.as_slice());
        z.as_mut_slice().iter_mut().zip(terms).for_each(|(z, (&g, &h))| *z += mu * (g - h));
        Ok(())
    }

    /// Y of the present F and G with the `last` μ, then A for the next step with the present one; the residuals and the
    /// objective. Before the first step Y is 0.
    fn reflect<T: Real, X: Data<T>>(
        &self,
        x: &X,
        state: &mut RmnmfState<T>,
        last: Option<f64>,
    ) -> Result<()> {
        let RmnmfState { f, g, a, mu, turned, room, r, .. } = state;
        let (d, c) = f.shape();
        for j in 0..d {
            (0..c).for_each(|k| turned[(k, j)] = f[(j, k)]);
        }
        let (rows, mu, turned, g) = (rows_per_part(a.rows()), *mu, (turned.as_slice(), d), &*g);
        let parts = a.as_mut_slice().par_chunks_mut(rows * d).zip(r.par_chunks_mut(rows));
        each(parts.zip(room.par_chunks_mut(2 * STRIP * d)).enumerate(), |(part, ((a, r), room))| {
            let (samples, fitted) = room.split_at_mut(STRIP * d);
            for (strip, (a, r)) in a.chunks_mut(STRIP * d).zip(r.chunks_mut(STRIP)).enumerate() {
                let first = part * rows + strip * STRIP;
                let (samples, fitted) = (&mut samples[..a.len()], &mut fitted[..a.len()]);
                x.read(first..first + r.len(), 0..d, samples);
                let left = Left::Rows((&g.as_slice()[first * c..(first + r.len()) * c], c));
                T::gemm((fitted, d), left, turned, (r.len(), c, d), false);
                let all = a.chunks_exact_mut(d).zip(samples.chunks_exact(d)).zip(fitted.chunks_exact(d));
                vectorized!({
                    all.zip(r).for_each(|(((a, x), fitted), r)| *r = reflect_row(a, x, fitted, (last, mu)));
                });
            }
        });
        state.objective = state.r.iter().sum::<f64>() + self.lambda * roughness(self.graph, &state.g);
        if state.objective.is_finite() { Ok(()) } else { Err(Error::diverged(state.iteration)) }
    }
}

/// One sample of [`Rmnmf::reflect`]: with y = μ'(a − f) of the last μ' and p = x − f + y/μ, a ← f + p·min(1, 1/(μ‖p‖));
/// returns ‖x − f‖.
#[inline(always)]
fn reflect_row<T: Real>(a: &mut [T], x: &[T], f: &[T], (last, mu): (Option<f64>, f64)) -> f64 {
    let kept = T::from_f64(last.map_or(0.0, |last| last / mu));
    let (mut residual, mut length) = (0.0, 0.0);
    for ((a, &x), &f) in a.iter_mut().zip(x).zip(f) {
        let m = x - f;
        let p = m + kept * (*a - f);
        residual += m.to_f64() * m.to_f64();
        length += p.to_f64() * p.to_f64();
        *a = p;
    }
    let share = T::from_f64((1.0 / (mu * length.sqrt())).min(1.0));
    a.iter_mut().zip(f).for_each(|(a, &f)| *a = f + share * *a);
    residual.sqrt()
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for Rmnmf<'_> {
    type State = RmnmfState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<RmnmfState<T>> {
        let (n, d) = x.shape();
        let start::Begun { f, g, mu, inverse, polar } = self.begin(x, start)?;
        let c = g.cols();
        let mut state = RmnmfState {
            h: g.clone(),
            z: Mat::zeros(n, c),
            a: Mat::zeros(n, d),
            pull: Mat::zeros(n, c),
            turned: Mat::zeros(c, d),
            room: vec![T::ZERO; PARTS * 2 * STRIP * d],
            r: vec![0.0; n],
            f,
            g,
            mu,
            inverse,
            polar,
            objective: 0.0,
            iteration: 0,
        };
        self.reflect(x, &mut state, None)?;
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut RmnmfState<T>) -> Result<()> {
        state.iteration += 1;
        Self::update_f(state);
        self.update_h(state);
        self.update_g(state)?;
        let last = state.mu;
        state.mu = (self.setting.growth * last).min(MOST);
        self.reflect(x, state, Some(last))
    }

    fn objective(&self, state: &RmnmfState<T>) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut RmnmfState<T>, archive: &mut Archive) {
        let RmnmfState { f, g, h, z, a, mu, inverse, r, objective, iteration, .. } = state;
        archive.reals("f", f.as_mut_slice());
        archive.reals("g", g.as_mut_slice());
        archive.reals("h", h.as_mut_slice());
        archive.reals("multiplier", z.as_mut_slice());
        archive.reals("a", a.as_mut_slice());
        archive.reals("residuals", r);
        archive.number("mu", mu);
        archive.number("objective", objective);
        archive.count("iteration", iteration);
        // G is orthonormal after the first iteration.
        inverse.take_if(|_| *iteration > 0);
    }

    fn coefficients<'s>(&self, state: &'s RmnmfState<T>) -> Option<&'s Mat<T>> {
        Some(&state.g)
    }

    fn finish(&self, x: &X, state: RmnmfState<T>, ending: Ending) -> Result<Outcome<T>> {
        let RmnmfState { f, g, h, r, objective, .. } = state;
        let labels = ending.read(&g, &f)?;
        let positive = |i, k| if g[(i, k)] > T::ZERO { g[(i, k)] } else { T::ZERO };
        let v = Mat::from_fn(g.rows(), g.cols(), positive);
        let mut factors = Factors { u: best_centroids(x, &v), v };
        let pairs = g.as_slice().iter().zip(h.as_slice());
        let split = pairs.map(|(g, h)| (g.to_f64() - h.to_f64()).powi(2)).sum::<f64>().sqrt();
        // The weight of a residual of 0 stays finite.
        let largest = r.iter().copied().fold(1e-100, f64::max);
        Ok(Outcome {
            residuals: residuals(x, &mut factors)?,
            factors,
            labels,
            weights: r.iter().map(|r| 1.0 / r.max(1e-10 * largest)).collect(),
            objective,
            coding: Coding::LeastSquares,
            extras: vec![
                Extra::new("f", Value::Matrix(f)),
                Extra::new("g", Value::Matrix(g)),
                Extra::new("split", Value::Number(split)),
            ],
            layers: None,
        })
    }
}
