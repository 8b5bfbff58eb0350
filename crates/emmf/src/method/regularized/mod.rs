//! Least squares with local coordinates and graphs: CF, LCF, NLCF, GNMF, LCCF, NMFAN and SRMCF in one.
//!
//! Objective: ‖X − VUᵀ‖² + μ·Σ V_ik‖u_k − xᵢ‖² + λ·tr(VᵀLV), with U, V ≥ 0, L = D − W the Laplacian of a graph, and U
//! free or, in *concept factorization*, U = XᵀB with B ≥ 0 (n×c): centroids are mixtures of samples.
//!
//! | method | U | μ | graph | reference |
//! |---|---|---|---|---|
//! | `gnmf` | free | 0 | given | Cai, He, Han and Huang, TPAMI 2011 |
//! | `cf` | XᵀB | 0 | none | Xu and Gong, SIGIR 2004 |
//! | `lccf` | XᵀB | 0 | given | Cai, He and Han, TKDE 2011 |
//! | `nlcf` | free | μ | none | Chen, Zhang, Cai, Liu and He, TIP 2013 |
//! | `lcf` | XᵀB | μ | none | Liu, Yang, Yang, Wu and Li, TNNLS 2014 |
//! | `nmfan` | free | 0 | learned from X and V | Huang, Xu and Wang, IJCNN 2017 |
//! | `srmcf` | XᵀB | 0 | learned from V | Ma et al., IJCAI 2018; reconstructed, see `learned.rs` |
//!
//! One iteration, each step a majoriser's minimum, so the objective never rises:
//!
//! - V ← V ∘ ((1+μ)·XU + λWV) / (V·UᵀU + ½μ(a1ᵀ + 1bᵀ) + λDV), aᵢ = ‖xᵢ‖², b_k = ‖u_k‖²;
//! - U ← U ∘ (1+μ)·XᵀV / U(VᵀV + μ·diag(h)), h the column sums of V; or
//!   B ← B ∘ (1+μ)·X(XᵀV) / (XU)(VᵀV + μ·diag(h)), then U = XᵀB;
//! - where columns of V are to have unit length, from the start on: V ← V·diag(1/s), B ← B·diag(s), which keeps the fit but not the graph
//!   term, so the objective may rise then;
//! - where the graph is learned: its new weights.
//!
//! K = XXᵀ of the published rules is never formed: K·B is X·(XᵀB). Cost O(ndc + edges·c): two products with X, four in
//! concept factorization. Memory: U, V, B, three more n×c and two d×c, and the graph. Takes dense and sparse X.
//!
//! With μ > 0 there is no scale freedom, and for large μ V tends to 0; its ratios stay meaningful, so labels are the
//! largest coefficients. From about μ = 10 on that needs double precision: in single precision rows of V underflow.
//! λ·tr(VᵀLV) of `gnmf` and `lccf` has no minimiser: V → V/t shrinks it at the same fit. Labels are k-means on V there,
//! as the authors read them. Concept factorization starts from V alone: B = V·diag(1/n_k), n_k the samples whose
//! largest coefficient is k.
//!
//! V stays as the last iteration left it, because least squares would undo what λ and μ did to it; only `cf`, which
//! minimises nothing but the fit, is polished. `transform` codes new samples by least squares. Without a graph, sample
//! weights are counts; a graph counts every sample once.

mod affinity;
mod learned;

use self::affinity::Affinity;
use super::update::{multiply_power, ratio, times};
use super::{Coding, Ending, Extra, Method, Outcome, Update, Value, residual_sq};
use crate::checkpoint::Archive;
use crate::data::{BLOCK, Block, Data, Gram, vectorized};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::each;
use crate::threads::prelude::*;

pub(super) use affinity::roughness;
pub(crate) use learned::CANDIDATES;
pub use learned::Learning;

/// What is minimised besides the fit, and what U is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// U = XᵀB.
    pub concepts: bool,
    /// μ of the local coordinates.
    pub local: f64,
    /// λ of the graph term.
    pub lambda: f64,
    /// Whether columns of V are scaled to unit length in every iteration, with concepts only.
    pub unit: bool,
    /// Where the graph comes from.
    pub graph: Source,
}

/// Where the graph comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Source {
    /// There is none.
    None,
    /// From the samples, once.
    Given,
    /// It is learned.
    Learned(Learning),
}

impl Terms {
    /// No iteration raises the objective.
    pub(crate) fn descends(&self) -> bool {
        let fixed = !matches!(self.graph, Source::Learned(Learning::Coefficients { gamma: None, .. }));
        fixed && !self.unit
    }

    /// Nothing but the fit.
    pub(crate) fn is_plain(&self) -> bool {
        self.local == 0.0 && self.graph == Source::None
    }
}

/// Least squares with local coordinates and a graph.
#[derive(Debug)]
pub struct Regularized<'a> {
    /// What is minimised.
    pub(crate) terms: Terms,
    /// The given graph.
    pub(crate) graph: Option<&'a Graph>,
    /// How often each sample counts.
    pub(crate) sample_weights: &'a [f64],
}

/// What changes from iteration to iteration.
pub struct RegularizedState<'a, T> {
    u: Mat<T>,
    v: Mat<T>,
    /// B of the concepts.
    b: Option<Mat<T>>,
    affinity: Option<Affinity<'a>>,
    /// W·V.
    pull: Mat<T>,
    /// X·U.
    p: Mat<T>,
    /// XᵀV with sample weights, and a matrix as large as U and one as large as V for any use.
    z: Mat<T>,
    short: Mat<T>,
    tall: Mat<T>,
    /// ‖xᵢ − U·vᵢ‖² and Σ_k V_ik‖u_k − xᵢ‖² of every sample.
    shares: Vec<[f64; 2]>,
    /// The sample weights in the type of the data.
    q: Vec<T>,
    gram: Gram<T>,
    /// (VᵀQV + μ·diag(h))/(1+μ).
    curvature: Mat<T>,
    objective: f64,
    iteration: usize,
}

impl Regularized<'_> {
    /// V ← V ∘ ((1+μ)·XU + λWV) / (V·UᵀU + ½μ(a1ᵀ + 1bᵀ) + λDV).
    fn update_v<T: Real, X: Data<T>>(&self, x: &X, state: &mut RegularizedState<'_, T>) {
        let RegularizedState { u, v, affinity, pull, p, tall, gram, .. } = state;
        let (c, g) = (u.cols(), gram.of(u));
        let [fit, half, lambda] =
            [1.0 + self.terms.local, 0.5 * self.terms.local, self.terms.lambda].map(T::from_f64);
        let degrees = affinity.as_ref().map(Affinity::degrees);
        let blocks = v.as_mut_slice().par_chunks_mut(BLOCK * c).zip(p.as_slice().par_chunks(BLOCK * c));
        let blocks = blocks.zip(tall.as_mut_slice().par_chunks_mut(BLOCK * c)).enumerate();
        each(blocks, |(block, ((v, p), den))| {
            T::gemm((den, c), Left::Rows((v, c)), (g.as_slice(), c), (v.len() / c, c, c), false);
            let rows = v.chunks_exact_mut(c).zip(p.chunks_exact(c)).zip(den.chunks_exact(c));
            vectorized!({
                for (i, ((v, p), den)) in (block * BLOCK..).zip(rows) {
                    let a = T::from_f64(x.norms_sq()[i]);
                    match degrees {
                        Some(degrees) => {
                            let (degree, pull) = (lambda * T::from_f64(degrees[i]), pull.row(i));
                            multiply(v, |k, v| {
                                (fit * p[k] + lambda * pull[k], den[k] + half * (a + g[(k, k)]) + degree * v)
                            });
                        }
                        // A zero sample has no use for any centroid, but a rule cannot tell for one that is zero.
                        None if a == T::ZERO => v.fill(T::ZERO),
                        None => multiply(v, |k, _| (fit * p[k], den[k] + half * (a + g[(k, k)]))),
                    }
                }
            });
        });
    }

    /// U ← U ∘ (1+μ)·XᵀV / U(VᵀV + μ·diag(h)), or its like for B and U = XᵀB.
    fn update_u<T: Real, X: Data<T>>(&self, x: &X, state: &mut RegularizedState<'_, T>) {
        let RegularizedState { u, v, b, p, z, short, q, gram, curvature, .. } = state;
        x.t_dot(q, v, z);
        curvature.as_mut_slice().copy_from_slice(gram.weighted(q, v).as_slice());
        if self.terms.local > 0.0 {
            self.add_local(v, curvature);
        }
        let Some(b) = b else {
            return Update::Multiplicative { exponent: 1.0 }.matrix(u, z, curvature, short.as_mut_slice());
        };
        let c = z.cols();
        let curvature = (curvature.as_slice(), c);
        x.project(
            z,
            b.as_mut_slice(),
            &mut vec![(); q.len()],
            |Block { rows, p: kv, scratch, a: b, .. }| {
                let kb = Left::Rows((&p.as_slice()[rows.start * c..rows.end * c], c));
                T::gemm((scratch, c), kb, curvature, (rows.len(), c, c), false);
                multiply_power(b, kv, scratch, 1.0);
            },
        );
        if self.terms.unit {
            normalize(v, b);
        }
        x.t_dot(q, b, u);
    }

    /// G ← (G + μ·diag(h))/(1+μ).
    fn add_local<T: Real>(&self, v: &Mat<T>, g: &mut Mat<T>) {
        let (c, mu) = (v.cols(), self.terms.local);
        for k in 0..c {
            let column = v.as_slice()[k..].iter().step_by(c).zip(self.sample_weights);
            let h: f64 = column.map(|(v, s)| s * v.to_f64()).sum();
            g[(k, k)] += T::from_f64(mu * h);
        }
        let by = T::from_f64(1.0 / (1.0 + mu));
        g.as_mut_slice().iter_mut().for_each(|g| *g *= by);
    }

    /// X·U, W·V and the objective of what is there.
    fn assess<T: Real, X: Data<T>>(&self, x: &X, state: &mut RegularizedState<'_, T>) -> Result<()> {
        let RegularizedState { u, v, affinity, pull, p, shares, gram, .. } = state;
        let (c, g, v) = (u.cols(), gram.of(u), &*v);
        x.project(u, p.as_mut_slice(), shares, |Block { rows, p, scratch, a, r }| {
            a.copy_from_slice(p);
            let v = &v.as_slice()[rows.start * c..rows.end * c];
            T::gemm((scratch, c), Left::Rows((v, c)), (g.as_slice(), c), (rows.len(), c, c), false);
            vectorized!({
                for (at, i) in rows.enumerate() {
                    let row = at * c..(at + 1) * c;
                    let (v, p) = (&v[row.clone()], &p[row.clone()]);
                    r[at][0] = residual_sq(x, i, u, (v, p, &scratch[row]));
                    let distance = |k: usize| x.norms_sq()[i] + g[(k, k)].to_f64() - 2.0 * p[k].to_f64();
                    r[at][1] = (0..c).map(|k| v[k].to_f64() * distance(k).max(0.0)).sum();
                }
            });
        });
        let share = |([fit, local], s): (&[f64; 2], &f64)| s * (fit + self.terms.local * local);
        let mut objective: f64 = shares.iter().zip(self.sample_weights).map(share).sum();
        if let Some(affinity) = affinity {
            affinity.dot(v, pull);
            objective += affinity.value(v);
        }
        state.objective = objective;
        if objective.is_finite() { Ok(()) } else { Err(Error::diverged(state.iteration)) }
    }
}

/// v ← v ∘ num/den.
#[inline(always)]
fn multiply<T: Real>(v: &mut [T], terms: impl Fn(usize, T) -> (T, T)) {
    for (k, v) in v.iter_mut().enumerate() {
        let (num, den) = terms(k, *v);
        *v = times(*v, ratio(num, den));
    }
}

/// V ← V·diag(1/s), B ← B·diag(s), s the lengths of the columns of V.
fn normalize<T: Real>(v: &mut Mat<T>, b: &mut Mat<T>) {
    let c = v.cols();
    for k in 0..c {
        let length = v.as_slice()[k..].iter().step_by(c).map(|v| v.to_f64().powi(2)).sum::<f64>().sqrt();
        if length > 0.0 {
            let (up, down) = (T::from_f64(length), T::from_f64(1.0 / length));
            v.as_mut_slice()[k..].iter_mut().step_by(c).for_each(|v| *v *= down);
            b.as_mut_slice()[k..].iter_mut().step_by(c).for_each(|b| *b *= up);
        }
    }
}

/// B = V·diag(1/n_k), n_k the weight of the samples whose largest coefficient is k, at least 1.
fn concepts<T: Real>(v: &Mat<T>, weights: &[f64]) -> Mat<T> {
    let mut counts = vec![0.0; v.cols()];
    for (i, weight) in weights.iter().enumerate() {
        let row = v.row(i);
        counts[(1..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best })] += weight;
    }
    Mat::from_fn(v.rows(), v.cols(), |i, k| v[(i, k)] * T::from_f64(1.0 / counts[k].max(1.0)))
}

impl<'a, 'x, T: Real, X: Data<T>> Method<'x, T, X> for Regularized<'a> {
    type State = RegularizedState<'a, T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<Self::State> {
        let Factors { mut u, mut v } = start.factors(x)?;
        let ((n, d), c) = (x.shape(), u.cols());
        let q: Vec<T> = self.sample_weights.iter().map(|&s| T::from_f64(s)).collect();
        let mut b = self.terms.concepts.then(|| concepts(&v, self.sample_weights));
        if let Some(b) = &mut b {
            if self.terms.unit {
                normalize(&mut v, b);
            }
            x.t_dot(&q, b, &mut u);
        }
        let affinity = Affinity::new(x, &self.terms, self.graph, &start.cancel())?;
        let mut state = RegularizedState {
            pull: if affinity.is_some() { Mat::zeros(n, c) } else { Mat::zeros(0, c) },
            u,
            v,
            b,
            affinity,
            p: Mat::zeros(n, c),
            z: Mat::zeros(d, c),
            short: Mat::zeros(d, c),
            tall: Mat::zeros(n, c),
            shares: vec![[0.0; 2]; n],
            q,
            gram: Gram::new(c),
            curvature: Mat::zeros(c, c),
            objective: 0.0,
            iteration: 0,
        };
        self.assess(x, &mut state)?;
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut Self::State) -> Result<()> {
        state.iteration += 1;
        self.update_v(x, state);
        self.update_u(x, state);
        if let Some(affinity) = &mut state.affinity {
            affinity.learn(&state.v);
        }
        self.assess(x, state)
    }

    fn objective(&self, state: &Self::State) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut Self::State, archive: &mut Archive) {
        let RegularizedState { u, v, b, affinity, pull, p, objective, iteration, .. } = state;
        archive.reals("u", u.as_mut_slice());
        archive.reals("v", v.as_mut_slice());
        archive.reals("projections", p.as_mut_slice());
        archive.reals("graph-pull", pull.as_mut_slice());
        archive.number("objective", objective);
        archive.count("iteration", iteration);
        if let Some(b) = b {
            archive.reals("b", b.as_mut_slice());
        }
        if let Some(Affinity::Learned(learned)) = affinity {
            learned.parts(archive);
        }
    }

    fn coefficients<'s>(&self, state: &'s Self::State) -> Option<&'s Mat<T>> {
        Some(&state.v)
    }

    fn finish(&self, x: &X, state: Self::State, ending: Ending) -> Result<Outcome<T>> {
        let RegularizedState { u, v, b, affinity, objective, .. } = state;
        let labels = ending.read(&v, &u)?;
        let (mut factors, coding) = (Factors { u, v }, Coding::LeastSquares);
        let polish = ending.polish && self.terms.is_plain();
        let residuals = coding.finish(x, &mut factors, &Ending { polish, ..ending }, false)?;
        let fit = || residuals.iter().zip(self.sample_weights).map(|(r, s)| s * r * r).sum();
        let concepts = b.map(|b| Extra::new("b", Value::Matrix(b)));
        let gamma = affinity.and_then(|affinity| affinity.gamma());
        let gamma = gamma.map(|gamma| Extra::new("gamma", Value::Number(gamma)));
        Ok(Outcome {
            objective: if self.terms.is_plain() { fit() } else { objective },
            factors,
            labels,
            residuals,
            weights: self.sample_weights.iter().map(|s| 2.0 * s).collect(),
            coding,
            extras: concepts.into_iter().chain(gamma).collect(),
            layers: None,
        })
    }
}
