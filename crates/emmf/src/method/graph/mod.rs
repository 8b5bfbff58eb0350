//! The sample-weighted method with a graph: Algorithm 2 of the paper for any [`Loss`](crate::loss::Loss).
//!
//! Objective: f + λ‖S − VVᵀ‖², f = Σ sᵢ·ρ(rᵢ) as in [`Irls`], U, V ≥ 0, S a graph over the samples. V starts with columns of
//! unit length (and U times their lengths, which leaves V·Uᵀ as it was). One iteration:
//!
//! - Q from the residuals; U as in [`Irls`], Eq. (15);
//! - with A = QXU, B = QVUᵀU and C = SV, Eq. (29) pulls VᵀV to the identity:
//!   V ← V ∘ √((A + 2λC + V·VᵀB) / (B + V·Vᵀ(A + 2λC))).
//!
//! The 2λ is as published; it belongs to f + (λ/2)‖S − VVᵀ‖², while the objective that the paper states, and that
//! is traced here, would need 4λ. That rule descends only where λ is not small and is no descent method otherwise: its
//! multipliers of VᵀV = I are right on the diagonal alone. The **monotone** variant leaves the constraint out and
//! lowers the traced objective at any λ: with a = 4λ·V·VᵀV, b = B, g = A + 4λC it solves a·t² + b·t = g entry by entry and
//! takes V ← V ∘ √t. (A quadratic bound for b, a logarithmic one for g, the quartic one
//! Tr(VVᵀVVᵀ) ≤ Σ (WWᵀW)ᵢₖVᵢₖ⁴/Wᵢₖ³ for a.)
//!
//! ‖S − VVᵀ‖² is ‖S‖² − 2·Tr(VᵀSV) + ‖VᵀV‖²; nothing is n×n. Cost: that of [`Irls`], plus O(edges·c + nc²). Memory: two n×c
//! buffers more. Takes dense and sparse X. Sample weights count in the loss, not in the graph. V is not polished: what it
//! is for a sample depends on the sample's neighbours. `transform` codes new samples by least squares, and the residuals that
//! are told are those of such a coding, so that samples of the fit and new ones are judged alike.

mod step;

use std::borrow::Cow;

use super::irls::IrlsState;
use super::side::{Host, weigh_all};
use super::{Coding, Ending, Extra, Irls, Method, Outcome, Value};
use crate::checkpoint::Archive;
use crate::data::{BLOCK, Data, PARTS, least_parts, rows_per_part};
use crate::error::Result;
use crate::graph::Graph;
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Iterations for which room is made before the first.
const NOTED: usize = 10_000;

/// The sample-weighted method with a graph.
pub struct GraphIrls<'a> {
    /// The loss, and how U is moved.
    pub(crate) irls: Irls<'a>,
    /// sᵢ, how often each sample counts.
    pub(crate) sample_weights: &'a [f64],
    /// S.
    pub(crate) graph: Cow<'a, Graph>,
    /// λ; `None` is taken from the data.
    pub(crate) lambda: Option<f64>,
    /// The variant that descends at any λ.
    pub(crate) monotone: bool,
}

/// What changes from iteration to iteration.
pub struct GraphState<'x, T, X> {
    inner: IrlsState<T, Host<'x, T, X>>,
    lambda: f64,
    /// ‖S‖².
    norm_sq: f64,
    /// XU, n×c.
    p: Mat<T>,
    /// SV between iterations, and A + 2λC or its like within, n×c.
    sv: Mat<T>,
    /// VᵀV.
    vv: Mat<T>,
    small: [Mat<T>; 3],
    /// Two blocks of rows for each part.
    scratch: Vec<T>,
    /// ‖S − VVᵀ‖².
    misfit: f64,
    /// ‖VᵀV − I‖ before the first iteration and after each.
    orthogonality: Vec<f64>,
}

impl<T: Real, X: Data<T>> GraphState<'_, T, X> {
    /// Columns of V that the graph has no use for shrink for ever, and those of U grow as much, since only their product
    /// counts in the loss: without a bound they overflow. A column whose square is lost in rounding beside the unit columns
    /// is given that length, and U what it takes from it.
    fn keep_from_vanishing(&mut self) {
        let IrlsState { u, side: Host { v, gram, .. }, .. } = &mut self.inner;
        let (c, least, squares) = (v.cols(), T::NOISE.to_f64(), gram.of(v));
        for k in 0..c {
            let square = squares[(k, k)].to_f64();
            if square > 0.0 && square < least {
                let by = (least / square).sqrt();
                for (factor, by) in [(&mut *v, by), (&mut *u, 1.0 / by)] {
                    let column = factor.as_mut_slice()[k..].iter_mut().step_by(c);
                    column.for_each(|entry| *entry = T::from_f64(entry.to_f64() * by));
                }
            }
        }
    }

    /// The terms of the objective that depend on V alone, given V.
    fn measure(&mut self, graph: &Graph) {
        self.keep_from_vanishing();
        let Self { inner: IrlsState { side: Host { v, gram, .. }, .. }, sv, vv, .. } = self;
        graph.dot(v, sv);
        vv.as_mut_slice().copy_from_slice(gram.of(v).as_slice());
        let square = |from: f64| {
            let entry = |(at, &value): (usize, &T)| {
                let diagonal = at % (vv.cols() + 1) == 0;
                (value.to_f64() - if diagonal { from } else { 0.0 }).powi(2)
            };
            vv.as_slice().iter().enumerate().map(entry).sum::<f64>()
        };
        self.misfit = self.norm_sq - 2.0 * trace(v, sv) + square(0.0);
        self.orthogonality.push(square(1.0).sqrt());
    }
}

/// Tr(AᵀB) in double precision.
fn trace<T: Real>(a: &Mat<T>, b: &Mat<T>) -> f64 {
    let (n, c) = a.shape();
    let size = rows_per_part(n) * c;
    let mut sums = [0.0; PARTS];
    let parts = sums.par_iter_mut().zip(a.as_slice().par_chunks(size)).zip(b.as_slice().par_chunks(size));
    each(parts.with_min_len(least_parts(n * c)), |((sum, a), b)| {
        *sum = a.iter().zip(b).map(|(a, b)| a.to_f64() * b.to_f64()).sum();
    });
    sums.iter().sum()
}

/// Columns of V get unit length, those of U their lengths: the product stays.
fn normalize_columns<T: Real>(u: &mut Mat<T>, v: &mut Mat<T>) {
    let c = v.cols();
    let mut lengths = vec![0.0; c];
    for row in v.as_slice().chunks_exact(c) {
        lengths.iter_mut().zip(row).for_each(|(sum, v)| *sum += v.to_f64().powi(2));
    }
    lengths.iter_mut().for_each(|length| *length = if *length > 0.0 { length.sqrt() } else { 1.0 });
    for (factor, power) in [(&mut *u, 1), (&mut *v, -1)] {
        let by: Vec<f64> = lengths.iter().map(|length| length.powi(power)).collect();
        for row in factor.as_mut_slice().chunks_exact_mut(c) {
            row.iter_mut().zip(&by).for_each(|(entry, by)| *entry = T::from_f64(entry.to_f64() * by));
        }
    }
}

impl GraphIrls<'_> {
    /// λ where none is given. Columns of V have unit length, so the coefficients of a cluster are of the order √(c/n), and the
    /// two parts of the numerator balance at λ = (1/2c)·Σ qᵢ‖xᵢ‖². From about a thousand times that on
    /// accuracy changed little on the data sets of docs/lambda.md, on which the factor was chosen.
    fn balance<T: Real, X: Data<T>>(x: &X, weights: &[f64], c: usize) -> f64 {
        let pull: f64 = x.norms_sq().iter().zip(weights).map(|(norm_sq, q)| q * norm_sq).sum();
        MULTIPLE * 0.5 * pull / c as f64
    }
}

/// The graph weighs this many times as much as the loss where λ is not given: see docs/lambda.md.
const MULTIPLE: f64 = 1000.0;

impl<'x, T: Real, X: Data<T> + 'x> Method<'x, T, X> for GraphIrls<'x> {
    type State = GraphState<'x, T, X>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<Self::State> {
        let mut inner = self.irls.begin(Host::new(x, self.sample_weights), start)?;
        normalize_columns(&mut inner.u, &mut inner.side.v);
        let (n, c) = inner.side.v.shape();
        let mut state = GraphState {
            lambda: self.lambda.unwrap_or_else(|| Self::balance(x, &inner.side.weights, c)),
            norm_sq: self.graph.norm_sq(),
            inner,
            p: Mat::zeros(n, c),
            sv: Mat::zeros(n, c),
            vv: Mat::zeros(c, c),
            small: std::array::from_fn(|_| Mat::zeros(c, c)),
            scratch: vec![T::ZERO; PARTS * 2 * BLOCK * c],
            misfit: 0.0,
            orthogonality: Vec::with_capacity(NOTED),
        };
        state.measure(&self.graph);
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut Self::State) -> Result<()> {
        state.inner.iteration += 1;
        let scale = state.inner.scale();
        state.inner.update_u(self.irls.update, true)?;
        self.update_v(x, state, scale);
        state.inner.weigh_own()?;
        state.measure(&self.graph);
        Ok(())
    }

    fn objective(&self, state: &Self::State) -> f64 {
        state.inner.weighed.objective + state.lambda * state.misfit
    }

    fn parts(&self, state: &mut Self::State, archive: &mut Archive) {
        let GraphState { inner, sv, vv, misfit, orthogonality, .. } = state;
        Irls::archive(inner, archive);
        archive.reals("graph-pull", sv.as_mut_slice());
        archive.reals("gram", vv.as_mut_slice());
        archive.number("misfit", misfit);
        archive.list("orthogonality", orthogonality);
    }

    fn coefficients<'s>(&self, state: &'s Self::State) -> Option<&'s Mat<T>> {
        Some(&state.inner.side.v)
    }

    fn finish(&self, x: &X, state: Self::State, ending: Ending) -> Result<Outcome<T>> {
        let GraphState { inner, lambda, misfit, orthogonality, .. } = state;
        let by = inner.smoothing();
        let IrlsState { u, side: Host { v, mut weights, .. }, loss, .. } = inner;
        let labels = ending.read(&v, &u)?;
        let (mut factors, coding) = (Factors { u, v }, Coding::LeastSquares);
        let fitted = Ending { polish: false, ..ending.clone() };
        let residuals = coding.finish(x, &mut factors, &fitted, false)?;
        let smoothed: Vec<f64> = residuals.iter().map(|r| (r * r + by).sqrt()).collect();
        let fitted = weigh_all(&*loss, &smoothed, self.sample_weights, &mut weights).objective;
        let objective = fitted + lambda * misfit;
        // A sample is judged by what the centroids leave of it, as a new one is, not by where its neighbours pull it.
        let residuals = if ending.polish {
            let own = factors.v.clone();
            let residuals = coding.finish(x, &mut factors, &ending, false)?;
            factors.v = own;
            residuals
        } else {
            residuals
        };
        let number = |name, value| Extra::new(name, Value::Number(value));
        let extras = vec![
            number("lambda", lambda),
            number("loss", fitted),
            number("graph-misfit", misfit),
            Extra::new("orthogonality", Value::Vector(orthogonality)),
        ];
        Ok(Outcome { factors, labels, residuals, weights, objective, coding, extras, layers: None })
    }
}
