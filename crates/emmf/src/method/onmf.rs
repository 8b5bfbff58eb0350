//! Orthogonal NMF (Ding, Li, Peng and Park, KDD 2006).
//!
//! Objective: ‖X − VUᵀ‖² with U, V ≥ 0 and VᵀV = I. One iteration:
//!
//! - U ← U ∘ XᵀV / U(VᵀV);
//! - V ← V ∘ √(XU / V(VᵀXU)).
//!
//! VᵀXU stands for the multiplier of VᵀV = I, of which only the diagonal is exact: the objective may rise, and VᵀV is
//! near I only; the extra `orthogonality` is ‖VᵀV − I‖. Columns of V start with unit length. VᵀXU is made from the XᵀV of
//! the step before. Cost O(ndc), two products with X; memory U, V and two d×c. Takes dense and sparse X. Sample weights
//! are counts. V stays as it is at the end; `transform` codes new samples by least squares.

use super::update::multiply_power;
use super::{Coding, Ending, Extra, Method, Outcome, Update, Value, residual_sq, residuals};
use crate::checkpoint::Archive;
use crate::data::{Block, Data, Gram, vectorized};
use crate::error::{Error, Result};
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;

/// Orthogonal NMF.
#[derive(Debug)]
pub struct Onmf<'a> {
    /// How often each sample counts.
    pub(crate) sample_weights: &'a [f64],
}

/// What changes from iteration to iteration.
pub struct OnmfState<T> {
    factors: Factors<T>,
    /// XᵀV, and as large a matrix for any use.
    z: Mat<T>,
    scratch: Mat<T>,
    /// VᵀXU.
    multiplier: Mat<T>,
    /// ‖xᵢ − U·vᵢ‖².
    r: Vec<f64>,
    q: Vec<T>,
    gram: Gram<T>,
    objective: f64,
    iteration: usize,
}

impl Onmf<'_> {
    fn update_u<T: Real, X: Data<T>>(x: &X, state: &mut OnmfState<T>) {
        let OnmfState { factors: Factors { u, v }, z, scratch, multiplier, q, gram, .. } = state;
        let (d, c) = u.shape();
        x.t_dot(q, v, z);
        Update::Multiplicative { exponent: 1.0 }.matrix(u, z, gram.weighted(q, v), scratch.as_mut_slice());
        let left = Left::Columns((z.as_slice(), c));
        T::gemm((multiplier.as_mut_slice(), c), left, (u.as_slice(), c), (c, d, c), false);
    }

    /// V, but not where `frozen`, and the objective after it.
    fn update_v<T: Real, X: Data<T>>(&self, x: &X, state: &mut OnmfState<T>, frozen: bool) -> Result<()> {
        let OnmfState { factors: Factors { u, v }, multiplier, r, gram, .. } = state;
        let (c, g) = (u.cols(), gram.of(u));
        x.project(u, v.as_mut_slice(), r, |Block { rows, p, scratch, a: v, r }| {
            let shape = (rows.len(), c, c);
            if !frozen {
                T::gemm((scratch, c), Left::Rows((v, c)), (multiplier.as_slice(), c), shape, false);
                multiply_power(v, p, scratch, 0.5);
                // A zero sample has no use for any centroid, but the rule cannot tell for one that is zero.
                let empty = rows.clone().zip(v.chunks_exact_mut(c)).filter(|(i, _)| x.norms_sq()[*i] == 0.0);
                empty.for_each(|(_, v)| v.fill(T::ZERO));
            }
            T::gemm((scratch, c), Left::Rows((v, c)), (g.as_slice(), c), shape, false);
            vectorized!({
                for (at, i) in rows.enumerate() {
                    let row = at * c..(at + 1) * c;
                    r[at] = residual_sq(x, i, u, (&v[row.clone()], &p[row.clone()], &scratch[row]));
                }
            });
        });
        state.objective = state.r.iter().zip(self.sample_weights).map(|(r, s)| s * r).sum();
        if state.objective.is_finite() { Ok(()) } else { Err(Error::diverged(state.iteration)) }
    }
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for Onmf<'_> {
    type State = OnmfState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<OnmfState<T>> {
        let Factors { mut u, mut v } = start.factors(x)?;
        let ((n, d), c) = (x.shape(), u.cols());
        for k in 0..c {
            let squares = (0..n).map(|i| self.sample_weights[i] * v[(i, k)].to_f64().powi(2));
            let length = squares.sum::<f64>().sqrt();
            if length > 0.0 {
                (0..n).for_each(|i| v[(i, k)] = T::from_f64(v[(i, k)].to_f64() / length));
                (0..d).for_each(|j| u[(j, k)] = T::from_f64(u[(j, k)].to_f64() * length));
            }
        }
        let mut state = OnmfState {
            factors: Factors { u, v },
            z: Mat::zeros(d, c),
            scratch: Mat::zeros(d, c),
            multiplier: Mat::zeros(c, c),
            r: vec![0.0; n],
            q: self.sample_weights.iter().map(|&s| T::from_f64(s)).collect(),
            gram: Gram::new(c),
            objective: 0.0,
            iteration: 0,
        };
        self.update_v(x, &mut state, true)?;
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut OnmfState<T>) -> Result<()> {
        state.iteration += 1;
        Self::update_u(x, state);
        self.update_v(x, state, false)
    }

    fn objective(&self, state: &OnmfState<T>) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut OnmfState<T>, archive: &mut Archive) {
        let OnmfState { factors, r, objective, iteration, .. } = state;
        archive.reals("u", factors.u.as_mut_slice());
        archive.reals("v", factors.v.as_mut_slice());
        archive.reals("residuals", r);
        archive.number("objective", objective);
        archive.count("iteration", iteration);
    }

    fn coefficients<'s>(&self, state: &'s OnmfState<T>) -> Option<&'s Mat<T>> {
        Some(&state.factors.v)
    }

    fn finish(&self, x: &X, state: OnmfState<T>, ending: Ending) -> Result<Outcome<T>> {
        let OnmfState { mut factors, objective, mut gram, q, .. } = state;
        let labels = ending.read(&factors.v, &factors.u)?;
        let orthogonality = off_identity(gram.weighted(&q, &factors.v));
        Ok(Outcome {
            residuals: residuals(x, &mut factors)?,
            factors,
            labels,
            weights: self.sample_weights.iter().map(|s| 2.0 * s).collect(),
            objective,
            coding: Coding::LeastSquares,
            extras: vec![Extra::new("orthogonality", Value::Number(orthogonality))],
            layers: None,
        })
    }
}

/// ‖G − I‖.
fn off_identity<T: Real>(g: &Mat<T>) -> f64 {
    let c = g.cols();
    let entry = |at: usize| g.as_slice()[at].to_f64() - f64::from(u8::from(at / c == at % c));
    (0..c * c).map(|at| entry(at).powi(2)).sum::<f64>().sqrt()
}
