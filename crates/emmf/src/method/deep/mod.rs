//! Layers: Deep EMMF, and the same for every loss of weighted samples (the paper's future work; the sum over layers that all look at
//! X is the data-centric one of De Handschutter and Gillis 2022).
//!
//! Widths fall, c₁ > … > c_L. With V ≥ 0 (n×c₁), Bₗ ≥ 0 (cₗ₋₁×cₗ, rows that sum to 1), B̄ₗ = B₂⋯Bₗ (B̄₁ = I) and Uₗ ≥ 0 (d×cₗ)
//!
//!   F = Σₗ λₗ·Φ(r⁽ˡ⁾),  rᵢ⁽ˡ⁾ = √(‖xᵢ − Uₗ·B̄ₗᵀ·vᵢ‖² + ε²),  λₗ = 1/Φ(r⁽ˡ⁾) before the first iteration of the first restart,
//!
//! so that F is the same function for all restarts, whose objectives are compared, Φ being the loss, which is the same in every layer: for the entropy an outlier is one at every layer. A layer explains X itself
//! by centroids of its own, so that no product of matrices collapses into one, and B says which node is part of which.
//!
//! **Descent.** Φ is concave and nondecreasing in every r², so ½·Σ qᵢrᵢ² + const with q the weights of the loss touches it from
//! above, and with aᵢₗ = λₗqᵢ⁽ˡ⁾ the function M = ½·Σₗ Σᵢ aᵢₗ‖xᵢ − Uₗ·B̄ₗᵀ·vᵢ‖² touches F (up to a constant). As a function of any one of
//! Uₗ, Bₗ, V alone, M is a quadratic form ½·zᵀKz − pᵀz + const in the entries z ≥ 0 of that factor, with K and p
//! that have no negative entry, since all factors and weights have none:
//!
//! - Uₗ: G = VₗᵀQₗVₗ, P = XᵀQₗVₗ with Vₗ = V·B̄ₗ, Qₗ = diag(a·ₗ);
//! - V, row by row: G = Σₗ aᵢₗ·B̄ₗ(UₗᵀUₗ)B̄ₗᵀ, p = Σₗ aᵢₗ·(xᵢᵀUₗ)B̄ₗᵀ; Q does not cancel, since every sample weighs the layers in its own way;
//! - Bₘ: with A = V·B̄ₘ₋₁ and Rₗ = Bₘ₊₁⋯Bₗ, K·z stands for Σₗ (AᵀQₗA)·B·(Rₗ(UₗᵀUₗ)Rₗᵀ), p for Σₗ AᵀQₗXUₗRₗᵀ, l from m to L.
//!
//! For such a form z ← z∘(p/Kz)^e lowers it for every exponent e in (0, 1], as diag(Kz/z) − K has no negative eigenvalue (Lee and Seung
//! 2001). So M falls with every step and F with every iteration. Rows of B are brought to the sum 1 by factors that go
//! into the layer below: no product changes. Where B is a merge, its pattern has one entry a row, which is 1 and stays.
//!
//! **Cost.** X is read twice: X·[U₁ … U_L] and Xᵀ·[Q₁V₁ … Q_LV_L], Σ cₗ columns, as in a flat fit of that width. Memory: V, one n×Σcₗ
//! matrix, and two vectors of length n for each layer.

mod balance;
mod coefficients;
mod first;
mod hierarchy;
mod layer;
mod shares;
mod small;
mod stack;
mod step;

use std::borrow::Cow;
use std::sync::OnceLock;

use super::coding;
use super::irls::{IrlsState, smoothing};
use super::side::{Host, Weighed, weigh_all};
use super::{Coding, Ending, Extra, Irls, Method, Outcome, Value, largest, room};
use crate::cancel::Cancel;
use crate::checkpoint::Archive;
use crate::data::{BLOCK, Data, Gram, PARTS};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::{Factors, Start};
use crate::loss::Loss;
use crate::matrix::Mat;
use crate::real::Real;
use crate::spec::LabelRule;

pub(crate) use balance::Balance;
pub(crate) use first::Alone;
use hierarchy::Hierarchy;
pub use layer::{Layer, Layers, certainty};
pub(crate) use small::product;
use stack::Stack;

/// Sweeps of coordinate descent that give the layers above their first centroids.
const SWEEPS: usize = 20;

/// The sample-weighted method with layers.
pub struct Deep<'a> {
    /// The first layer, before there are others.
    pub(crate) irls: Irls<'a>,
    /// Of the multiplicative updates.
    pub(crate) exponent: f64,
    /// sᵢ, how often each sample counts.
    pub(crate) sample_weights: &'a [f64],
    /// Widths of the layers above the first.
    pub(crate) above: &'a [usize],
    /// The graph along which they are merged; without one every node has a share in each of the layer above.
    pub(crate) graph: Option<Cow<'a, Graph>>,
    /// When the first layer alone has been fitted, where no start is given.
    pub(crate) alone: Alone,
    /// What all restarts have in common, once the first has it.
    pub(crate) agreed: OnceLock<Balance>,
    /// How the node of a sample is read off V.
    pub(crate) labels: LabelRule,
}

/// A layer as the samples see it.
struct Sight {
    loss: Box<dyn Loss>,
    lambda: f64,
    /// rᵢ, smoothed where the loss asks for it.
    r: Vec<f64>,
    /// diag(Q).
    weights: Vec<f64>,
    weighed: Weighed,
}

/// What changes from iteration to iteration.
pub struct DeepState<T> {
    /// [U₁ … U_L], d×C.
    u: Mat<T>,
    v: Mat<T>,
    stack: Stack<T>,
    certainty: Option<Vec<Vec<f64>>>,
    sights: Vec<Sight>,
    /// λₗqᵢ⁽ˡ⁾ for every layer, times a factor.
    a: Vec<Vec<T>>,
    ones: Vec<T>,
    /// [Q₁V₁ … Q_LV_L], then X·[U₁ … U_L], n×C.
    tall: Mat<T>,
    /// Xᵀ·[Q₁V₁ … Q_LV_L], d×C.
    pull: Mat<T>,
    /// VₗᵀQₗVₗ or UₗᵀUₗ on the diagonal, C×C.
    gram: Mat<T>,
    /// VᵀQₗV.
    moments: Vec<Mat<f64>>,
    grams: (Gram<T>, Gram<T>),
    /// Residuals of a sample on all layers, side by side.
    seen: Vec<f64>,
    scratch: Vec<T>,
    rooms: Vec<T>,
    epsilon: f64,
    iteration: usize,
    /// Whether the first layer was fitted alone.
    has_begun: bool,
}

impl<T: Real> DeepState<T> {
    /// ε² where the loss has a pole at 0.
    fn smoothing(&self) -> f64 {
        smoothing(&*self.sights[0].loss, self.epsilon)
    }

    /// Gives every layer its residuals.
    fn see(&mut self) -> Result<()> {
        let layers = self.sights.len();
        for (layer, sight) in self.sights.iter_mut().enumerate() {
            let column = self.seen[layer..].iter().step_by(layers);
            sight.r.iter_mut().zip(column).for_each(|(r, seen)| *r = *seen);
            if !sight.r.iter().sum::<f64>().is_finite() {
                return Err(Error::diverged(self.iteration));
            }
        }
        Ok(())
    }

    /// The objective and Q of every layer at its residuals.
    fn weigh(&mut self, sample_weights: &[f64]) {
        for sight in &mut self.sights {
            sight.weighed = weigh_all(&*sight.loss, &sight.r, sample_weights, &mut sight.weights);
        }
    }

    fn objective(&self) -> f64 {
        self.sights.iter().map(|sight| sight.lambda * sight.weighed.objective).sum()
    }
}

impl Deep<'_> {
    /// How the layers above are made of the first.
    fn hierarchy<T: Real>(&self, u: &Mat<T>, v: &Mat<T>, start: &mut Start<'_, T>) -> Result<Hierarchy> {
        if let Some(graph) = &self.graph {
            return Ok(Hierarchy::along(graph, &largest(v, u, self.labels), u, self.above));
        }
        // As small as the centroids, and made even of what a fit has that is cancelled.
        Hierarchy::shared(u, self.above, start.rng(), &Cancel::new())
    }

    /// All layers, those above with the weights of the first, before they have centroids.
    fn stacked<T: Real>(&self, first: Factors<T>, sight: Sight, by: Hierarchy, epsilon: f64) -> DeepState<T> {
        let Factors { u, v } = first;
        let ((n, c), d, layers) = (v.shape(), u.rows(), self.above.len() + 1);
        let stack = Stack::new(c, by.b);
        let all = stack.columns();
        let another = || Sight {
            loss: (self.irls.loss)(),
            lambda: 0.0,
            r: vec![0.0; n],
            weights: sight.weights.clone(),
            weighed: sight.weighed,
        };
        let mut sights: Vec<Sight> = (1..layers).map(|_| another()).collect();
        sights.insert(0, sight);
        DeepState {
            u: Mat::from_fn(d, all, |j, k| if k < c { u[(j, k)] } else { T::ZERO }),
            v,
            certainty: by.certainty,
            sights,
            a: vec![vec![T::ZERO; n]; layers],
            ones: vec![T::ONE; n],
            tall: Mat::zeros(n, all),
            pull: Mat::zeros(d, all),
            gram: Mat::zeros(all, all),
            moments: Vec::new(),
            grams: (Gram::new(c), Gram::new(all)),
            seen: vec![0.0; n * layers],
            scratch: vec![T::ZERO; room((d, all))],
            rooms: vec![T::ZERO; PARTS * BLOCK.min(n) * (3 * all + 2 * c)],
            stack,
            epsilon,
            iteration: 0,
            has_begun: false,
        }
    }
}

impl<'x, T: Real, X: Data<T> + 'x> Method<'x, T, X> for Deep<'x> {
    type State = DeepState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<Self::State> {
        let flat = self.first(x, start)?;
        let (epsilon, has_begun) = (flat.epsilon(), flat.iteration > 0);
        let (factors, sight) = left_of(flat);
        let hierarchy = self.hierarchy(&factors.u, &factors.v, start)?;
        let mut state = self.stacked(factors, sight, hierarchy, epsilon);
        state.has_begun = has_begun;
        state.first_centroids(x, SWEEPS);
        state.project(x);
        state.update_v(x, None);
        self.balance(&mut state, start.resumes())?;
        Ok(state)
    }

    fn has_begun(&self, state: &Self::State) -> bool {
        state.has_begun
    }

    fn step(&self, x: &X, state: &mut Self::State) -> Result<()> {
        state.iteration += 1;
        state.share_out();
        state.gather_pull(x);
        state.update_u(self.exponent);
        state.project(x);
        if self.graph.is_none() {
            state.update_b(self.exponent);
        }
        state.update_v(x, Some(self.exponent));
        if self.graph.is_none() {
            state.normalize();
        }
        state.see()?;
        state.weigh(self.sample_weights);
        Ok(())
    }

    fn objective(&self, state: &Self::State) -> f64 {
        state.objective()
    }

    fn parts(&self, state: &mut Self::State, archive: &mut Archive) {
        archive.reals("u", state.u.as_mut_slice());
        archive.reals("v", state.v.as_mut_slice());
        let mut shares: Vec<f64> = state.stack.b.iter().flat_map(|b| b.as_slice().to_vec()).collect();
        archive.reals("shares", &mut shares);
        let entries = state.stack.b.iter_mut().flat_map(|b| b.as_mut_slice().iter_mut());
        entries.zip(shares).for_each(|(entry, share)| *entry = share);
        state.stack.renew();
        let mut columns: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        let mut numbers = Vec::new();
        for sight in &state.sights {
            columns[0].extend(&sight.r);
            columns[1].extend(&sight.weights);
            numbers.extend([sight.weighed.objective, sight.weighed.largest]);
        }
        archive.reals("residuals", &mut columns[0]);
        archive.reals("weights", &mut columns[1]);
        archive.reals("weighed", &mut numbers);
        let n = state.ones.len();
        for (layer, sight) in state.sights.iter_mut().enumerate() {
            let samples = layer * n..(layer + 1) * n;
            sight.r.copy_from_slice(&columns[0][samples.clone()]);
            sight.weights.copy_from_slice(&columns[1][samples]);
            sight.weighed = Weighed { objective: numbers[2 * layer], largest: numbers[2 * layer + 1] };
        }
        archive.count("iteration", &mut state.iteration);
        if let Some(certainty) = &mut state.certainty {
            let mut numbers = certainty.concat();
            archive.reals("certainty", &mut numbers);
            certainty.iter_mut().flatten().zip(numbers).for_each(|(to, from)| *to = from);
        }
        self.archive_balance(state, archive);
    }

    fn coefficients<'s>(&self, state: &'s Self::State) -> Option<&'s Mat<T>> {
        Some(&state.v)
    }

    fn finish(&self, x: &X, state: Self::State, ending: Ending) -> Result<Outcome<T>> {
        let by = state.smoothing();
        let DeepState { u: all, mut v, stack, certainty: sure, mut sights, tall, rooms, .. } = state;
        drop((tall, rooms));
        let u = stack.part(&all, 0);
        let nodes = largest(&v, &u, ending.labels);
        let polish = ending.polish.then_some((ending.deadline, &ending.cancel));
        let residuals = Coding::LeastSquares.polish(x, (&u, &mut v), polish, false)?;
        let above = above_of(&stack, &all, sure);
        let left = |(layer, bar): (&Layer<T>, &Mat<f64>)| {
            coding::residuals(x, &mut Factors { u: layer.u.clone(), v: rows_times(&v, bar) })
        };
        let on_layers = above.iter().zip(&stack.bars[1..]).map(left).collect::<Result<Vec<Vec<f64>>>>()?;
        let found = std::iter::once(&residuals).chain(&on_layers);
        let loss = |(sight, found): (&mut Sight, &Vec<f64>)| {
            sight.r.iter_mut().zip(found).for_each(|(r, found)| *r = (found * found + by).sqrt());
            weigh_all(&*sight.loss, &sight.r, self.sample_weights, &mut sight.weights).objective
        };
        let objectives: Vec<f64> = sights.iter_mut().zip(found).map(loss).collect();
        x.intact()?;
        let lambdas: Vec<f64> = sights.iter().map(|sight| sight.lambda).collect();
        let objective = lambdas.iter().zip(&objectives).map(|(lambda, phi)| lambda * phi).sum();
        let parents: Vec<Vec<usize>> = above.iter().map(Layer::parents).collect();
        let top = |node: &usize| parents.iter().fold(*node, |node, parents| parents[node]);
        Ok(Outcome {
            labels: nodes.iter().map(top).collect(),
            factors: Factors { u, v },
            residuals,
            weights: sights.swap_remove(0).weights,
            objective,
            coding: Coding::LeastSquares,
            extras: vec![
                Extra::new("layer-weights", Value::Vector(lambdas)),
                Extra::new("layer-losses", Value::Vector(objectives)),
            ],
            layers: Some(Layers { above, labels: nodes, residuals: on_layers }),
        })
    }
}

/// What is left of the first layer alone; its buffers are not.
fn left_of<T: Real, X: Data<T>>(flat: IrlsState<T, Host<'_, T, X>>) -> (Factors<T>, Sight) {
    let IrlsState { u, side: Host { v, r, weights, .. }, loss, weighed, .. } = flat;
    (Factors { u, v }, Sight { loss, lambda: 1.0, r, weights, weighed })
}

/// The layers above the first, with certainties of their own or by their shares.
fn above_of<T: Real>(stack: &Stack<T>, all: &Mat<T>, sure: Option<Vec<Vec<f64>>>) -> Vec<Layer<T>> {
    let by_shares = |b: &Mat<f64>| (0..b.rows()).map(|a| certainty(b.row(a))).collect();
    let sure = sure.unwrap_or_else(|| stack.b.iter().map(by_shares).collect());
    let layers = stack.b.iter().zip(sure).enumerate();
    layers.map(|(at, (b, certainty))| Layer { u: stack.part(all, at + 1), b: b.clone(), certainty }).collect()
}

/// Rows of V times a small matrix.
pub(crate) fn rows_times<T: Real>(v: &Mat<T>, b: &Mat<f64>) -> Mat<T> {
    let b: Mat<T> = b.cast();
    let mut out = Mat::zeros(v.rows(), b.cols());
    let shape = (v.rows(), v.cols(), b.cols());
    let left = crate::real::sealed::Left::Rows((v.as_slice(), v.cols()));
    T::gemm((out.as_mut_slice(), b.cols()), left, (b.as_slice(), b.cols()), shape, false);
    out
}
