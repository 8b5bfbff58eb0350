//! Local centroids structured NMF (Gao, Nie and Huang, AAAI 2017): a bipartite graph between samples and local centroids
//! whose components are the clusters.
//!
//! Objective: ‖X − GFᵀ‖² + 2λ·tr(PᵀLP), F ≥ 0 (d×m), G ≥ 0 (n×m) with at most k entries in a row, m > c local centroids, L the
//! Laplacian of the bipartite graph \[0 G; Gᵀ 0\], PᵀP = I, (n+m)×c. The trace is the sum of the c smallest eigenvalues of L, which is 0
//! just where the graph has c components. One iteration:
//!
//! - F ← F ∘ XᵀG / F(GᵀG);
//! - T = max(0, G − η(GFᵀF − XF + λa)), aᵢⱼ = ‖pᵢ − p_{n+j}‖², η = 1/λ_max(FᵀF); G keeps the k largest entries of each row of T;
//! - P for this G, see `spectrum.rs`;
//! - fewer than c components: λ ← 2λ; more: λ ← λ/2; just c: it is done.
//!
//! As published in the authors' code, with two corrections: a step η that cannot raise the objective (theirs is 2e-5, with which
//! G hardly moves while λ runs away), and the eigenvectors 1 to c (theirs are 2 to c+1). Start, m and k are ours: k-means with m
//! clusters gives F, the k nearest of them 1/k each. A given start has one local centroid for each cluster.
//!
//! Published is the unnormalised Laplacian. It cuts off single weak samples, so that the real clusters merge. With `stable` it is
//! the normalised one, aᵢⱼ = ‖pᵢ/√d₁ᵢ − p_{n+j}/√d₂ⱼ‖², which clusters far better; samples and centroids without any link do not count as
//! components then, a local centroid whose links are next to nothing loses them, and where more than a third of the samples would
//! be left without a link, G stays and λ is halved. Where λ stays as it is (`adapt` = 0), the objective of the unnormalised form
//! never rises; else it may.
//!
//! Labels are the components. Where there are more than c, the c with most samples stay, and samples of others, also those
//! without a link, go with the nearest local centroid. Vᵢₖ is the sum of a sample's links to cluster k, and U ≥ 0 the best for it; F is
//! an extra. V stays so; `transform` codes new samples by least squares. Cost O(ndm + dm² + m³), memory F and a few more d×m and m×m;
//! nothing is (n+m)×(n+m). Takes dense and sparse X.

mod clusters;
mod links;
mod spectrum;

use std::cmp::Ordering;

use self::links::Links;
pub(super) use self::spectrum::SPARE;
use self::spectrum::Spectrum;
use super::centroids::best_centroids;
use super::{Coding, Ending, Extra, Method, Outcome, Update, Value, residuals};
use crate::checkpoint::Archive;
use crate::data::{BLOCK, Block, Data, vectorized};
use crate::error::{Error, Result};
use crate::init::{Factors, Start, kmeans};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::spec::LabelRule;
use crate::threads::prelude::*;
use crate::threads::{each, made};

/// λ does not grow beyond this.
const MOST: f64 = 1e30;
/// Power iterations for λ_max(FᵀF), and where they end.
const POWER_ITER: usize = 500;
const EXACT: f64 = 1e-14;

/// Local centroids structured NMF.
#[derive(Debug)]
pub struct Lsnmf<'a> {
    /// λ of the first iteration.
    pub(crate) lambda: f64,
    /// Whether λ follows the number of components.
    pub(crate) adapt: bool,
    /// The normalised Laplacian.
    pub(crate) stable: bool,
    /// m.
    pub(crate) centroids: Option<usize>,
    /// k.
    pub(crate) links: usize,
    /// All 1.
    pub(crate) sample_weights: &'a [f64],
}

/// What changes from iteration to iteration.
pub struct LsnmfState<T> {
    /// F, d×m.
    f: Mat<T>,
    /// G.
    links: Links<T>,
    spectrum: Spectrum,
    /// Its embedding: n×c and c×m.
    near: Mat<T>,
    turned: Mat<T>,
    /// GᵀX (m×d), its transpose, a matrix as large, GᵀG and FᵀF.
    sums: Mat<T>,
    p: Mat<T>,
    scratch: Mat<T>,
    links_gram: Mat<T>,
    gram: Mat<T>,
    /// ‖xᵢ − F·gᵢ‖².
    r: Vec<f64>,
    lambda: f64,
    /// A member of the component of each sample and local centroid.
    component: Vec<u32>,
    /// How many components there are.
    components: usize,
    settled: bool,
    objective: f64,
    iteration: usize,
}

impl Lsnmf<'_> {
    fn update_f<T: Real, X: Data<T>>(x: &X, state: &mut LsnmfState<T>) {
        let LsnmfState { f, links, sums, p, scratch, links_gram, .. } = state;
        links.sums(x, sums);
        let (d, m) = f.shape();
        each(p.as_mut_slice().par_chunks_mut(m).enumerate(), |(j, p)| {
            p.iter_mut().enumerate().for_each(|(k, p)| *p = sums.as_slice()[k * d + j]);
        });
        links.gram(links_gram);
        Update::Multiplicative { exponent: 1.0 }.matrix(f, p, links_gram, scratch.as_mut_slice());
    }

    /// G, but not where `frozen`, and the fit after it.
    fn update_g<T: Real, X: Data<T>>(x: &X, state: &mut LsnmfState<T>, frozen: bool) {
        let LsnmfState { f, links, near, turned, gram, r, lambda, .. } = state;
        let (d, m) = f.shape();
        let (k, c) = (links.k, near.cols());
        each(gram.as_mut_slice().par_chunks_mut(BLOCK * m).enumerate(), |(block, gram)| {
            let left = Left::Columns((&f.as_slice()[block * BLOCK..], m));
            let rows = gram.len() / m;
            T::gemm((gram, m), left, (f.as_slice(), m), (rows, d, m), false);
        });
        let eta = T::from_f64(1.0 / largest_eigenvalue(gram));
        let column = |j: usize| (0..c).map(|k| turned[(k, j)] * turned[(k, j)]).sum::<T>();
        let lengths: Vec<T> = (0..m).map(column).collect();
        let (f, gram, near, turned) = (&*f, &*gram, &*near, &*turned);
        let rule = Rule { gram, lengths: &lengths, lambda: T::from_f64(*lambda), eta };
        x.project(f, &mut links.rows, r, |Block { rows, p, scratch, a: links, r }| {
            if !frozen {
                let left = Left::Rows((&near.as_slice()[rows.start * c..rows.end * c], c));
                T::gemm((scratch, m), left, (turned.as_slice(), m), (rows.len(), c, m), false);
            }
            for (at, i) in rows.enumerate() {
                let (p, row) = (&p[at * m..(at + 1) * m], &mut scratch[at * m..(at + 1) * m]);
                let links = &mut links[at * k..(at + 1) * k];
                if !frozen {
                    vectorized!(rule.slopes(near.row(i), p, links, row));
                    keep_largest(row, links);
                }
                r[at] = rule.residual_sq((x, i), f, (p, links), row);
            }
        });
        links.sort();
    }

    /// P and the components for the present G; the objective.
    fn embed<T: Real>(state: &mut LsnmfState<T>) -> Result<()> {
        let LsnmfState { links, spectrum, near, turned, component, r, lambda, .. } = state;
        let failed = Error::diverged(state.iteration);
        if !r.iter().all(|r| r.is_finite()) {
            return Err(failed);
        }
        spectrum.find(links).ok_or(failed.clone())?;
        let narrow = |to: &mut Mat<T>, from: &Mat<f64>| {
            to.as_mut_slice().iter_mut().zip(from.as_slice()).for_each(|(to, from)| *to = T::from_f64(*from));
        };
        narrow(near, &spectrum.samples);
        narrow(turned, &spectrum.centroids);
        state.objective = r.iter().sum::<f64>() + 2.0 * *lambda * spectrum.sum;
        state.components = links.components(component);
        if state.objective.is_finite() { Ok(()) } else { Err(failed) }
    }

    /// λ for the next iteration: it follows the number of components.
    fn follow<T: Real>(&self, state: &mut LsnmfState<T>) {
        let found = state.components - if self.stable { state.links.alone() } else { 0 };
        let c = state.near.cols();
        match found.cmp(&c) {
            Ordering::Less => state.lambda = (2.0 * state.lambda).min(MOST),
            Ordering::Equal => state.settled = true,
            Ordering::Greater => state.lambda /= 2.0,
        }
    }

    /// F and G of the start.
    fn begin<T: Real, X: Data<T>>(&self, x: &X, start: &mut Start<'_, T>) -> Result<(Mat<T>, Links<T>)> {
        let (n, c) = (x.shape().0, start.centroids());
        if let Some(Factors { u, v }) = start.given() {
            let k = self.links.min(c);
            let mut rows = vec![(0, T::ZERO); n * k];
            rows.chunks_exact_mut(k).enumerate().for_each(|(i, links)| keep_largest(v.row(i), links));
            return Ok((u.clone(), Links::new(rows, k, c)));
        }
        let (m, cancel) = (local_centroids(self.centroids, n, c), start.cancel());
        let f = kmeans(x, m, self.sample_weights, start.rng(), &cancel)?.centroids;
        let k = self.links.min(m);
        let mut rows = vec![(0, T::ZERO); n * k];
        let half: Vec<T> = (0..m).map(|j| T::from_f64(0.5 * column_sq(&f, j))).collect();
        x.project(&f, &mut rows, &mut vec![(); n], |Block { p, scratch, a, .. }| {
            let blocks = a.chunks_exact_mut(k).zip(p.chunks_exact(m)).zip(scratch.chunks_exact_mut(m));
            for ((links, p), nearness) in blocks {
                // The farther, the closer to 0.
                let far =
                    (0..m).map(|j| half[j] - p[j]).fold(T::ZERO, |far, d| if d > far { d } else { far });
                nearness.iter_mut().enumerate().for_each(|(j, near)| *near = far + T::ONE - (half[j] - p[j]));
                keep_largest(nearness, links);
                links.iter_mut().for_each(|link| link.1 = T::from_f64(1.0 / k as f64));
            }
        });
        Ok((f, Links::new(rows, k, m)))
    }
}

/// m, for `n` samples and `c` clusters.
pub(super) fn local_centroids(asked: Option<usize>, n: usize, c: usize) -> usize {
    let own = || (n / 4).min(c.saturating_mul(10)).max(c.saturating_add(1));
    asked.unwrap_or_else(own).max(c).min(n)
}

/// What the rows of G have in common while they move.
struct Rule<'a, T> {
    /// FᵀF.
    gram: &'a Mat<T>,
    /// ‖p_{n+j}‖².
    lengths: &'a [T],
    lambda: T,
    eta: T,
}

impl<T: Real> Rule<'_, T> {
    /// `row` ← g − η(gFᵀF − p + λa), given the products of the sample's embedding with all others in it.
    #[inline(always)]
    fn slopes(&self, near: &[T], p: &[T], links: &[(u32, T)], row: &mut [T]) {
        let own: T = near.iter().map(|&near| near * near).sum();
        // A distance that is rounding would be one beside a large λ.
        let (two, noise) = (T::from_f64(2.0), T::NOISE * T::from_f64(near.len() as f64));
        for ((row, &p), &length) in row.iter_mut().zip(p).zip(self.lengths) {
            let a = own + length - two * *row;
            *row = self.lambda * if a > noise * (own + length) { a } else { T::ZERO } - p;
        }
        for &(j, g) in links.iter().filter(|link| link.1 > T::ZERO) {
            row.iter_mut().zip(self.gram.row(j as usize)).for_each(|(row, &gram)| *row += g * gram);
        }
        row.iter_mut().for_each(|row| *row = -self.eta * *row);
        links.iter().for_each(|&(j, g)| row[j as usize] += g);
    }

    /// ‖xᵢ − F·g‖² in double precision, and by the definition where cancellation has eaten its digits.
    fn residual_sq<X: Data<T>>(
        &self,
        (x, i): (&X, usize),
        f: &Mat<T>,
        (p, links): (&[T], &[(u32, T)]),
        room: &mut [T],
    ) -> f64 {
        let norm = x.norms_sq()[i];
        let cross: f64 = links.iter().map(|&(j, g)| g.to_f64() * p[j as usize].to_f64()).sum();
        let row = |&(j, g): &(u32, T)| -> f64 {
            let entry =
                |&(l, other): &(u32, T)| other.to_f64() * self.gram[(j as usize, l as usize)].to_f64();
            g.to_f64() * links.iter().map(entry).sum::<f64>()
        };
        let fitted: f64 = links.iter().map(row).sum();
        let sum = norm - 2.0 * cross + fitted;
        if sum >= T::CANCELLATION * norm.max(fitted) || sum.is_nan() {
            return sum;
        }
        room.fill(T::ZERO);
        links.iter().for_each(|&(j, g)| room[j as usize] += g);
        x.residual_sq(i, f, room)
    }
}

/// The positive entries of a row that are largest, the first of equal ones, as many as there is room for.
fn keep_largest<T: Real>(row: &[T], links: &mut [(u32, T)]) {
    links.fill((0, T::ZERO));
    let last = links.len() - 1;
    for (j, &value) in row.iter().enumerate() {
        if value > links[last].1 {
            let at = links.partition_point(|link| link.1 >= value);
            links[at..].rotate_right(1);
            links[at] = (j as u32, value);
        }
    }
}

fn column_sq<T: Real>(f: &Mat<T>, j: usize) -> f64 {
    (0..f.rows()).map(|i| f[(i, j)].to_f64().powi(2)).sum()
}

/// An upper bound on the largest eigenvalue of a symmetric nonnegative matrix that power iteration makes tight: the largest
/// (Ax)ᵢ/xᵢ for any x > 0 (Collatz and Wielandt).
fn largest_eigenvalue<T: Real>(a: &Mat<T>) -> f64 {
    let m = a.cols();
    let mut x = vec![1.0; m];
    let mut bound = f64::INFINITY;
    for _ in 0..POWER_ITER {
        let next: Vec<f64> = made(m, |i| a.row(i).iter().zip(&x).map(|(a, x)| a.to_f64() * x).sum());
        let ratios = || next.iter().zip(&x).filter(|(_, x)| **x > 0.0).map(|(next, x)| next / x);
        let (least, most) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
        bound = bound.min(most);
        let length = next.iter().copied().fold(0.0, f64::max);
        if length == 0.0 || most - least <= EXACT * most {
            break;
        }
        x.iter_mut().zip(next).for_each(|(x, next)| *x = next / length);
    }
    if bound > 0.0 && bound.is_finite() { bound } else { 1.0 }
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for Lsnmf<'_> {
    type State = LsnmfState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<LsnmfState<T>> {
        let ((n, d), c) = (x.shape(), start.centroids());
        let (f, links) = self.begin(x, start)?;
        let m = f.cols();
        let mut state = LsnmfState {
            f,
            links,
            spectrum: Spectrum::new((n, m, c), self.stable, start.rng()),
            near: Mat::zeros(n, c),
            turned: Mat::zeros(c, m),
            sums: Mat::zeros(m, d),
            p: Mat::zeros(d, m),
            scratch: Mat::zeros(d, m),
            links_gram: Mat::zeros(m, m),
            gram: Mat::zeros(m, m),
            r: vec![0.0; n],
            lambda: self.lambda,
            component: vec![0; n + m],
            components: 0,
            settled: false,
            objective: 0.0,
            iteration: 0,
        };
        Self::update_g(x, &mut state, true);
        Self::embed(&mut state)?;
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut LsnmfState<T>) -> Result<()> {
        state.iteration += 1;
        Self::update_f(x, state);
        let before = self.stable.then(|| state.links.rows.clone());
        Self::update_g(x, state, false);
        let mut adapts = self.adapt;
        if let Some(before) = before {
            let pruned = state.links.prune();
            // Outliers may lose all their links. Where more than a third of the samples do, λ is too large.
            let too_large = self.adapt && 3 * state.links.linked() < 2 * state.r.len();
            if too_large {
                state.links.rows = before;
                state.lambda /= 2.0;
                adapts = false;
            }
            if pruned || too_large {
                Self::update_g(x, state, true);
            }
        }
        Self::embed(state)?;
        if adapts {
            self.follow(state);
        }
        Ok(())
    }

    fn objective(&self, state: &LsnmfState<T>) -> f64 {
        state.objective
    }

    fn has_settled(&self, state: &LsnmfState<T>) -> bool {
        state.settled
    }

    fn parts(&self, state: &mut LsnmfState<T>, archive: &mut Archive) {
        let LsnmfState { f, links, spectrum, near, turned, r, lambda, objective, iteration, .. } = state;
        archive.reals("f", f.as_mut_slice());
        links.parts(archive);
        spectrum.parts(archive);
        archive.reals("near", near.as_mut_slice());
        archive.reals("turned", turned.as_mut_slice());
        archive.reals("residuals", r);
        archive.number("lambda", lambda);
        archive.number("objective", objective);
        archive.count("iteration", iteration);
        state.components = state.links.components(&mut state.component);
    }

    /// There are links, and V only at the end.
    fn coefficients<'s>(&self, _: &'s LsnmfState<T>) -> Option<&'s Mat<T>> {
        None
    }

    fn finish(&self, x: &X, state: LsnmfState<T>, ending: Ending) -> Result<Outcome<T>> {
        let (v, labels) = clusters::read(x, &state);
        let mut factors = Factors { u: best_centroids(x, &v), v };
        let labels = match ending.labels {
            LabelRule::Components => labels,
            _ => ending.read(&factors.v, &factors.u)?,
        };
        Ok(Outcome {
            residuals: residuals(x, &mut factors)?,
            weights: vec![2.0; factors.v.rows()],
            factors,
            labels,
            objective: state.objective,
            coding: Coding::LeastSquares,
            extras: vec![
                Extra::new("local-centroids", Value::Matrix(state.f)),
                Extra::new("lambda", Value::Number(state.lambda)),
                Extra::new("components", Value::Number(state.components as f64)),
            ],
            layers: None,
        })
    }
}
