//! Probabilistic NMF by mean-field variational Bayes (Brouwer, Frellsen and Liò 2017).
//!
//! Model: X_ij ~ N(vᵢ·uⱼ, 1/τ), U_jk ~ Exp(λ), V_ik ~ Exp(λ), τ ~ Gamma(a, b). The posterior is approximated
//! by independent entries U_jk, V_ik ~ TN(μ, 1/τ_q), normal but truncated to [0, ∞), and τ ~ Gamma(a*, b*).
//! One iteration, each distribution the best one given the others, with t = E\[τ\] = a*/b*:
//!
//! - every row of U, its entries in order: τ_q = t·Σᵢ E\[V_ik²\],
//!   μ = (t·((XᵀV)_jk − (UG)_jk + U_jk·G_kk) − λ)/τ_q with means for U and V and G = VᵀV;
//! - every row of V likewise;
//! - with `ard`, λ_k ~ Gamma(a₀ + n + d, b₀ + Σⱼ E\[U_jk\] + Σᵢ E\[V_ik\]), one for column k of U and V
//!   (automatic relevance determination: columns that are not needed fade away);
//! - a* = a + nd/2, b* = b + ½·E‖X − VUᵀ‖²,
//!   E‖X − VUᵀ‖² = ‖X − E\[V\]E\[U\]ᵀ‖² + Σ_k (ΣE\[U²\]·ΣE\[V²\] − ΣE\[U\]²·ΣE\[V\]²).
//!
//! The objective is the evidence lower bound (ELBO), which never falls; the squared error may rise. Results are
//! the means E\[U\], E\[V\], the variances of the entries, E\[τ\] and E\[λ_k\]. `transform` gives E\[V\]
//! of new samples under the fitted distributions, and so does polishing. In single precision X and the
//! means are single, moments and sums double; the objective is then right to about 1e-5 of itself.
//!
//! Starts are the published ones: τ_q = 1 and μ = U₀, V₀ as given or made by `init`, or μ ~ Exp(λ) where
//! `init` is random; published are 100 iterations. Sample weights are counts: an integer weight equals
//! repeating the sample. Cost O(ndc), two products with X (published: a residual
//! matrix for every k, O(ndc²)). Takes dense and sparse X.

mod coefficients;
mod factor;
mod gamma;
mod posterior;
mod truncated;

pub(super) use self::factor::EXTRA;
use self::factor::{Factor, Move};
use self::gamma::ln_gamma;
use super::{Coding, Ending, Extra, Method, Normal, Outcome, Value, residuals};
use crate::checkpoint::Archive;
use crate::data::{Block, Data};
use crate::error::Result;
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;
use crate::spec::Init;
use crate::threads::each;
use crate::threads::prelude::*;

pub use posterior::Posterior;

/// A gamma distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gamma {
    /// Its shape.
    pub shape: f64,
    /// Its rate; the mean is shape/rate.
    pub rate: f64,
}

impl Gamma {
    /// Σ over all of −E[ln q/p] of a gamma distribution `self` with prior `prior`, where the terms in E[ln ·]
    /// and E[·] have cancelled against those of the numbers it is fitted to.
    fn evidence(self, prior: Self) -> f64 {
        let constant = |g: Self| g.shape * g.rate.ln() - ln_gamma(g.shape);
        constant(prior) - constant(self)
    }
}

/// Probabilistic NMF.
#[derive(Debug)]
pub struct Pnmf<'a> {
    /// λ: the prior of every entry of U and V is Exp(λ).
    pub(crate) lambda: f64,
    /// Prior of the precision τ.
    pub(crate) noise: Gamma,
    /// Prior of λ_k; `None` keeps λ fixed.
    pub(crate) relevance: Option<Gamma>,
    /// How often each sample counts.
    pub(crate) sample_weights: &'a [f64],
}

/// What changes from iteration to iteration.
pub struct PnmfState<T> {
    u: Factor<T>,
    v: Factor<T>,
    /// E[τ].
    precision: f64,
    /// E[λ_k].
    rate: Vec<f64>,
    elbo: f64,
    /// The sample weights in the type of the data.
    q: Vec<T>,
    /// XᵀV, and as large a matrix for any use.
    p: Mat<T>,
    scratch: Mat<T>,
    /// The other factor's Gram matrix and second moments while a factor moves.
    gram: Mat<T>,
    second: Vec<f64>,
}

impl Pnmf<'_> {
    /// μ at the start: the given one, Exp(λ) for a random one, else what `init` makes.
    fn means<T: Real, X: Data<T>>(&self, x: &X, start: &mut Start<'_, T>) -> Result<Factors<T>> {
        if start.given().is_some() || start.init() != Init::Random {
            return start.factors(x);
        }
        let ((n, d), c) = (x.shape(), start.centroids());
        let mut fill =
            |rows| Mat::from_fn(rows, c, |_, _| T::from_f64(start.rng().exponential() / self.lambda));
        Ok(Factors { u: fill(d), v: fill(n) })
    }

    fn update_u<T: Real, X: Data<T>>(x: &X, state: &mut PnmfState<T>) {
        let PnmfState { u, v, precision, rate, q, p, scratch, gram, second, .. } = state;
        x.t_dot(q, &v.mean, p);
        take(v, gram, second);
        u.update(&Move { gram, second, rate, precision: *precision }, p, scratch);
        u.sum(|_| 1.0);
    }

    /// Moves V, but not where `frozen`, and takes the sums of the fit.
    fn update_v<T: Real, X: Data<T>>(&self, x: &X, state: &mut PnmfState<T>, frozen: bool) {
        let PnmfState { u, v, precision, rate, gram, second, .. } = state;
        let c = rate.len();
        take(u, gram, second);
        let by = Move { gram, second, rate, precision: *precision };
        x.project(&u.mean, v.mean.as_mut_slice(), &mut v.rest, |Block { p, scratch, a, r, .. }| {
            if !frozen {
                by.rows(a, r, p, scratch);
            }
            for ((a, p), r) in a.chunks_exact(c).zip(p.chunks_exact(c)).zip(r.chunks_exact_mut(c + EXTRA)) {
                r[c + 1] = a.iter().zip(p).map(|(a, p)| a.to_f64() * p.to_f64()).sum();
            }
        });
        v.sum(|i| self.sample_weights[i]);
    }

    /// ‖X − VUᵀ‖² of the means: ‖X‖² − 2·tr(XᵀVUᵀ) + tr(UᵀU·VᵀV) in double precision, and by its definition
    /// where cancellation has eaten the digits.
    fn squared_error<T: Real, X: Data<T>>(&self, x: &X, state: &mut PnmfState<T>) -> f64 {
        let PnmfState { u, v, .. } = state;
        let c = u.mean.cols();
        let norm: f64 = x.norms_sq().iter().zip(self.sample_weights).map(|(norm, s)| s * norm).sum();
        let grams = u.totals.gram.as_slice().iter().zip(v.totals.gram.as_slice());
        let fitted: f64 = grams.map(|(u, v)| u * v).sum();
        let sum = norm - 2.0 * v.totals.cross + fitted;
        let is_cancelled = sum < T::CANCELLATION * norm.max(fitted);
        if !is_cancelled {
            return sum;
        }
        let rows = v.mean.as_slice().par_chunks_exact(c).zip(v.rest.par_chunks_exact_mut(c + EXTRA));
        each(rows.enumerate(), |(i, (v, rest))| rest[c + 1] = x.residual_sq(i, &u.mean, v));
        let rows = v.rest.chunks_exact(c + EXTRA).zip(self.sample_weights);
        rows.map(|(rest, s)| s * rest[c + 1]).sum()
    }

    /// λ, τ and the ELBO after them.
    fn update_scales<T: Real, X: Data<T>>(&self, x: &X, state: &mut PnmfState<T>) {
        let error = self.squared_error(x, state);
        let PnmfState { u, v, rate, .. } = state;
        let (u, v) = (&u.totals, &v.totals);
        let variances = |k: usize| {
            let (of_u, of_v) = (u.variance[k], v.variance[k]);
            of_u * of_v + of_u * v.gram[(k, k)] + u.gram[(k, k)] * of_v
        };
        let error = error + (0..rate.len()).map(variances).sum::<f64>();
        let samples: f64 = self.sample_weights.iter().sum();
        let (d, entries) = (x.shape().1 as f64, samples * x.shape().1 as f64);
        let noise = Gamma { shape: self.noise.shape + 0.5 * entries, rate: self.noise.rate + 0.5 * error };
        let mut elbo = noise.evidence(self.noise) - 0.5 * std::f64::consts::TAU.ln() * entries;
        for (k, rate) in rate.iter_mut().enumerate() {
            let sum = u.mean[k] + v.mean[k];
            if let Some(prior) = self.relevance {
                let next = Gamma { shape: prior.shape + d + samples, rate: prior.rate + sum };
                *rate = next.shape / next.rate;
                elbo += next.evidence(prior);
            } else {
                elbo += (d + samples) * self.lambda.ln() - self.lambda * sum;
            }
        }
        state.elbo = elbo + u.entropy + v.entropy;
        state.precision = noise.shape / noise.rate;
    }
}

/// The Gram matrix and the second moments of a factor.
fn take<T: Real>(from: &Factor<T>, gram: &mut Mat<T>, second: &mut [f64]) {
    let entries = gram.as_mut_slice().iter_mut().zip(from.totals.gram.as_slice());
    entries.for_each(|(narrow, &wide)| *narrow = T::from_f64(wide));
    second.iter_mut().enumerate().for_each(|(k, second)| *second = from.totals.second(k));
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for Pnmf<'_> {
    type State = PnmfState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<PnmfState<T>> {
        let init = self.means(x, start)?;
        let (d, c) = init.u.shape();
        let mut state = PnmfState {
            u: Factor::new(init.u),
            v: Factor::new(init.v),
            precision: 1.0,
            rate: vec![self.lambda; c],
            elbo: 0.0,
            q: self.sample_weights.iter().map(|&s| T::from_f64(s)).collect(),
            p: Mat::zeros(d, c),
            scratch: Mat::zeros(d, c),
            gram: Mat::zeros(c, c),
            second: vec![0.0; c],
        };
        state.u.sum(|_| 1.0);
        self.update_v(x, &mut state, true);
        self.update_scales(x, &mut state);
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut PnmfState<T>) -> Result<()> {
        Self::update_u(x, state);
        self.update_v(x, state, false);
        self.update_scales(x, state);
        Ok(())
    }

    fn objective(&self, state: &PnmfState<T>) -> f64 {
        state.elbo
    }

    fn parts(&self, state: &mut PnmfState<T>, archive: &mut Archive) {
        let PnmfState { u, v, precision, rate, elbo, .. } = state;
        archive.reals("u", u.mean.as_mut_slice());
        archive.reals("u-rest", &mut u.rest);
        archive.reals("v", v.mean.as_mut_slice());
        archive.reals("v-rest", &mut v.rest);
        archive.reals("rate", rate);
        archive.number("precision", precision);
        archive.number("objective", elbo);
        u.sum(|_| 1.0);
        v.sum(|i| self.sample_weights[i]);
    }

    fn coefficients<'s>(&self, state: &'s PnmfState<T>) -> Option<&'s Mat<T>> {
        Some(&state.v.mean)
    }

    fn finish(&self, x: &X, mut state: PnmfState<T>, ending: Ending) -> Result<Outcome<T>> {
        let labels = ending.read(&state.v.mean, &state.u.mean)?;
        let posterior = Posterior {
            second: (0..state.rate.len()).map(|k| state.u.totals.second(k)).collect(),
            rate: state.rate.clone(),
            precision: state.precision,
        };
        let (u, cancel) = (&state.u.mean, &ending.cancel);
        if ending.polish
            && let Ok(coded) = posterior.code(x, (u, &Normal::new(u)), cancel)
        {
            (state.v.mean, state.v.rest) = coded;
            state.v.sum(|i| self.sample_weights[i]);
            self.update_scales(x, &mut state);
        }
        let extra = Extra::new;
        let extras = vec![
            extra("u-variance", Value::Matrix(state.u.variances())),
            extra("v-variance", Value::Matrix(state.v.variances())),
            extra("precision", Value::Number(state.precision)),
            extra("rate", Value::Vector(state.rate)),
        ];
        let mut factors = Factors { u: state.u.mean, v: state.v.mean };
        Ok(Outcome {
            residuals: residuals(x, &mut factors)?,
            factors,
            labels,
            weights: self.sample_weights.iter().map(|s| s * state.precision).collect(),
            objective: state.elbo,
            coding: Coding::Posterior(posterior),
            extras,
            layers: None,
        })
    }
}
