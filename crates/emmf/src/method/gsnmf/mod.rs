//! Generalized separable NMF (Pan and Gillis, TPAMI 2021).
//!
//! X ≈ P₁·X(K₁,:) + X(:,K₂)·P₂ᵀ with P₁ (n×r₁), P₂ (d×r₂) ≥ 0 and r₁ + r₂ = c: every sample is a mixture of
//! a few samples K₁ and a few features K₂, which are chosen once, from X scaled to equal sums, by successive
//! projection or by a convex problem. In terms of factors U = \[X(K₁,:)ᵀ, P₂\] and V = \[P₁, X(:,K₂)\]. The
//! iterations then lower ‖X − VUᵀ‖² over P₁ and P₂ by coordinate descent, ten sweeps over each; this
//! problem is convex, every iteration lowers the objective, and it tends to the minimum.
//!
//! On noiseless generalized separable data the choice is exact and the fit tends to X. The start plays no part
//! and nothing is random. Components have unrelated scales, so labels compare V_ik·‖U_k‖. Sample weights are
//! counts; samples without weight are not chosen.
//!
//! Cost: c products with single vectors for the choice, then O(ndc) an iteration. Takes dense and sparse X; no
//! n×n matrix is made, and the convex choice works on at most 320 representative samples and features.

mod bounded;
mod convex;
mod preselect;
mod scaled;
mod spa;

use rayon::prelude::*;

use self::scaled::Scaled;
use self::spa::Choice;
use super::update::{Coordinates, hals_rows};
use super::{Method, residual_sq};
use crate::data::{BLOCK, Block, Data, Gram, vectorized};
use crate::error::{Error, Result};
use crate::init::Factors;
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;

/// Sweeps of coordinate descent over each factor in an iteration.
const SWEEPS: usize = 10;

/// Generalized separable NMF.
pub struct Gsnmf {
    /// λ of the convex choice; `None` chooses by successive projection.
    pub(crate) convex: Option<f64>,
    /// How often each sample counts.
    pub(crate) sample_weights: Vec<f64>,
}

/// What changes from iteration to iteration.
pub struct GsnmfState<T> {
    u: Mat<T>,
    v: Mat<T>,
    choice: Choice,
    /// ‖xᵢ − U·vᵢ‖².
    r: Vec<f64>,
    objective: f64,
    /// The sample weights in the type of the data.
    q: Vec<T>,
    /// XᵀV, and as large a matrix for any use.
    p: Mat<T>,
    scratch: Mat<T>,
    gram: Gram<T>,
    iteration: usize,
}

impl Gsnmf {
    fn choose<T: Real, X: Data<T>>(&self, x: &X, c: usize) -> Choice {
        let z = Scaled::new(x, &self.sample_weights);
        match self.convex {
            None => spa::choose(&z, c),
            Some(lambda) => preselect::choose(&z, c, lambda),
        }
    }

    /// P₂, the last columns of U.
    fn update_u<T: Real, X: Data<T>>(x: &X, state: &mut GsnmfState<T>) {
        let GsnmfState { u, v, choice, q, p, scratch, gram, .. } = state;
        let c = u.cols();
        let by = Coordinates { free: choice.samples.len()..c, sweeps: SWEEPS };
        x.t_dot(q, v, p);
        let g = gram.weighted(q, v);
        let rows = u.as_mut_slice().par_chunks_mut(BLOCK * c).zip(p.as_slice().par_chunks(BLOCK * c));
        let rows = rows.zip(scratch.as_mut_slice().par_chunks_mut(BLOCK * c));
        rows.for_each(|((u, p), scratch)| hals_rows(u, p, g, &by, scratch));
    }

    /// P₁, the first columns of V (not at all where `frozen`), and the residuals after it.
    fn update_v<T: Real, X: Data<T>>(
        &self,
        x: &X,
        state: &mut GsnmfState<T>,
        frozen: bool,
    ) -> Result<()> {
        let GsnmfState { u, v, choice, r, gram, .. } = state;
        let (c, g) = (u.cols(), gram.of(u));
        let by = Coordinates { free: 0..choice.samples.len(), sweeps: SWEEPS };
        x.project(u, v.as_mut_slice(), r, |Block { rows, p, scratch, a: v, r }| {
            if !frozen {
                hals_rows(v, p, g, &by, scratch);
            }
            T::gemm((scratch, c), Left::Rows((v, c)), (g.as_slice(), c), (rows.len(), c, c), false);
            vectorized(|| {
                for (at, i) in rows.enumerate() {
                    let row = at * c..(at + 1) * c;
                    let terms = (&v[row.clone()], &p[row.clone()], &scratch[row]);
                    r[at] = residual_sq(x, i, u, terms);
                }
            });
        });
        state.objective = state.r.iter().zip(&self.sample_weights).map(|(r, s)| s * r).sum();
        if state.objective.is_finite() { Ok(()) } else { Err(Error::Diverged { iteration: state.iteration }) }
    }
}

/// Column j of X for every j in `features`, n×(their number).
fn columns<T: Real, X: Data<T>>(x: &X, features: &[usize]) -> Mat<T> {
    let pick = |j: usize, k: usize| if features[k] == j { T::ONE } else { T::ZERO };
    x.dot(&Mat::from_fn(x.shape().1, features.len(), pick))
}

impl<T: Real, X: Data<T>> Method<T, X> for Gsnmf {
    type State = GsnmfState<T>;

    fn start(&self, x: &X, init: Factors<T>) -> Result<GsnmfState<T>> {
        let ((n, d), c) = (x.shape(), init.u.cols());
        let choice = self.choose(x, c);
        let (mut u, mut v) = (init.u, init.v);
        u.as_mut_slice().fill(T::ZERO);
        v.as_mut_slice().fill(T::ZERO);
        for (k, &i) in choice.samples.iter().enumerate() {
            let mut row = vec![T::ZERO; d];
            x.add_row(i, T::ONE, &mut row);
            row.into_iter().enumerate().for_each(|(j, value)| u[(j, k)] = value);
        }
        let given = choice.samples.len();
        if given < c {
            let chosen = columns(x, &choice.features);
            (0..n).for_each(|i| v.row_mut(i)[given..].copy_from_slice(chosen.row(i)));
        }
        let mut state = GsnmfState {
            u,
            v,
            choice,
            r: vec![0.0; n],
            objective: 0.0,
            q: self.sample_weights.iter().map(|&s| T::from_f64(s)).collect(),
            p: Mat::zeros(d, c),
            scratch: Mat::zeros(d, c),
            gram: Gram::new(c),
            iteration: 0,
        };
        self.update_v(x, &mut state, true)?;
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut GsnmfState<T>) -> Result<()> {
        state.iteration += 1;
        Self::update_u(x, state);
        self.update_v(x, state, false)
    }

    fn objective(&self, state: &GsnmfState<T>) -> f64 {
        state.objective
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;

    fn fit(x: &Mat<f64>, c: usize, convex: Option<f64>, iterations: usize) -> GsnmfState<f64> {
        let (n, d) = x.shape();
        let data = Dense::new(x.view(), None);
        let method = Gsnmf { convex, sample_weights: vec![1.0; n] };
        let init = Factors { u: Mat::zeros(d, c), v: Mat::zeros(n, c) };
        let mut state = method.start(&data, init).unwrap();
        (0..iterations).for_each(|_| method.step(&data, &mut state).unwrap());
        state
    }

    #[test]
    fn tiny_example() {
        let (a, b) = ([0.0, 1.0, 2.0, 3.0], [1.0, 0.5, 0.25, 0.5, 1.0]);
        let (e, f) = ([1.0, 0.5, 0.25, 0.5], [0.0, 1.0, 2.0, 1.0, 3.0]);
        let x = Mat::from_fn(5, 4, |i, j| a[j] * b[i] + e[j] * f[i]);
        for convex in [None, Some(1.0)] {
            let state = fit(&x, 2, convex, 200);
            assert_eq!((&state.choice.samples[..], &state.choice.features[..]), (&[0][..], &[0][..]));
            let worst = state.r.iter().copied().fold(0.0, f64::max).sqrt();
            println!("{convex:?} {worst:e}");
            assert!(worst < 1e-14, "{worst:e}");
        }
    }
}
