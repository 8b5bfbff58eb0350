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
//! matrix, and two vectors of length n for each layer. All that has a row per sample is wherever the [`SampleSide`] has it; the loop has
//! U, B and sums ([`LayerSide`](super::side::LayerSide)).

mod balance;
mod first;
mod hierarchy;
mod layer;
mod shares;
mod small;
mod stack;
mod step;

use std::borrow::Cow;
use std::sync::OnceLock;

use super::irls::{IrlsState, smoothing};
use super::side::{Column, Finish, LayerPull, OfLayers, Tree, Weighed, archive_column, total};
use super::{Coding, Ending, Extra, Irls, Method, Outcome, SampleSide, Value, room};
use crate::cancel::Cancel;
use crate::checkpoint::Archive;
use crate::data::Gram;
use crate::error::Result;
use crate::graph::Graph;
use crate::init::{Factors, Start};
use crate::loss::{Loss, Stats};
use crate::matrix::Mat;
use crate::real::Real;
use crate::spec::LabelRule;

pub(crate) use balance::Balance;
pub(crate) use first::Alone;
use hierarchy::Hierarchy;
pub use layer::{Layer, Layers, certainty};
pub(crate) use small::product;
pub use stack::Stack;

/// Sweeps of coordinate descent that give the layers above their first centroids.
const SWEEPS: usize = 20;

/// The sample-weighted method with layers.
pub struct Deep<'a> {
    /// The first layer, before there are others.
    pub(crate) irls: Irls<'a>,
    /// Of the multiplicative updates.
    pub(crate) exponent: f64,
    /// Widths of the layers above the first.
    pub(crate) above: &'a [usize],
    /// Along what they are merged; without it every node has a share in each of the layer above.
    pub(crate) merging: Option<Merging<'a>>,
    /// When the first layer alone has been fitted, where no start is given.
    pub(crate) alone: Alone,
    /// What all restarts have in common, once the first has it.
    pub(crate) agreed: OnceLock<Balance>,
    /// How the node of a sample is read off V.
    pub(crate) labels: LabelRule,
}

/// Along what layers are merged.
pub(crate) struct Merging<'a> {
    /// A graph over samples.
    pub(crate) graph: Cow<'a, Graph>,
    /// The numbers of these samples, where they are not all.
    pub(crate) some: Option<Vec<usize>>,
}

/// A layer as the loop sees it.
struct Sight {
    loss: Box<dyn Loss>,
    lambda: f64,
    weighed: Weighed,
}

/// What changes from iteration to iteration, besides what is on the sample side.
pub struct DeepState<T, S> {
    /// [U₁ … U_L], d×C.
    u: Mat<T>,
    stack: Stack<T>,
    certainty: Option<Vec<Vec<f64>>>,
    sights: Vec<Sight>,
    side: S,
    /// What weights of each layer are multiplied by: λₗ times a factor.
    factors: Vec<f64>,
    /// Sums over the residuals of every layer.
    stats: Vec<Stats>,
    pull: Tree<LayerPull<T>>,
    /// VₗᵀQₗVₗ or UₗᵀUₗ on the diagonal, C×C.
    gram: Mat<T>,
    /// VᵀQₗV.
    moments: Vec<Mat<f64>>,
    grams: Gram<T>,
    scratch: Vec<T>,
    epsilon: f64,
    iteration: usize,
    /// Whether the first layer was fitted alone.
    has_begun: bool,
}

impl<T, S> DeepState<T, S> {
    /// ε² where the loss has a pole at 0.
    fn smoothing(&self) -> f64 {
        smoothing(&*self.sights[0].loss, self.epsilon)
    }

    fn objective(&self) -> f64 {
        self.sights.iter().map(|sight| sight.lambda * sight.weighed.objective).sum()
    }
}

impl Deep<'_> {
    /// How the layers above are made of the first.
    fn hierarchy<T: Real, S: SampleSide<T>>(
        &self,
        u: &Mat<T>,
        side: &mut S,
        start: &mut Start<'_, T>,
    ) -> Result<Hierarchy> {
        let Some(Merging { graph, some }) = &self.merging else {
            // As small as the centroids, and made even of what a fit has that is cancelled.
            return Hierarchy::shared(u, self.above, start.rng(), &Cancel::new());
        };
        let nodes = side.layers()?.nodes(u, self.labels)?;
        let nodes = match some {
            Some(some) => some.iter().map(|&i| nodes[i]).collect(),
            None => nodes,
        };
        Ok(Hierarchy::along(graph, &nodes, u, self.above))
    }

    /// All layers, those above with the weights of the first, before they have centroids.
    fn stacked<T: Real, S: SampleSide<T>>(
        &self,
        flat: IrlsState<T, S>,
        by: Hierarchy,
    ) -> Result<DeepState<T, S>> {
        let (epsilon, has_begun) = (flat.epsilon(), flat.iteration > 0);
        let IrlsState { u, mut side, loss, weighed, .. } = flat;
        let ((d, c), layers) = (u.shape(), self.above.len() + 1);
        let stack = Stack::new(c, by.b);
        let all = stack.columns();
        side.layers()?.begin_layers(&stack)?;
        let another = || Sight { loss: (self.irls.loss)(), lambda: 0.0, weighed };
        let mut sights: Vec<Sight> = (1..layers).map(|_| another()).collect();
        sights.insert(0, Sight { loss, lambda: 1.0, weighed });
        Ok(DeepState {
            u: Mat::from_fn(d, all, |j, k| if k < c { u[(j, k)] } else { T::ZERO }),
            certainty: by.certainty,
            sights,
            side,
            factors: vec![0.0; layers],
            stats: Vec::new(),
            pull: Tree::default(),
            gram: Mat::zeros(all, all),
            moments: Vec::new(),
            grams: Gram::new(all),
            scratch: vec![T::ZERO; room((d, all))],
            stack,
            epsilon,
            iteration: 0,
            has_begun,
        })
    }
}

impl<'x, T: Real, X: SampleSide<T> + ?Sized + 'x> Method<'x, T, X> for Deep<'_> {
    type State = DeepState<T, Box<dyn SampleSide<T> + 'x>>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<Self::State> {
        let mut flat = self.first(x.another()?, start)?;
        let hierarchy = self.hierarchy(&flat.u, &mut flat.side, start)?;
        let mut state = self.stacked(flat, hierarchy)?;
        state.first_centroids(SWEEPS)?;
        state.update_v(None, false)?;
        self.balance(&mut state, start.resumes())?;
        Ok(state)
    }

    fn has_begun(&self, state: &Self::State) -> bool {
        state.has_begun
    }

    fn step(&self, _: &X, state: &mut Self::State) -> Result<()> {
        let is_free = self.merging.is_none();
        state.iteration += 1;
        state.share_out();
        state.gather_pull()?;
        state.update_u(self.exponent);
        if is_free {
            state.update_b(self.exponent)?;
        }
        state.update_v(Some(self.exponent), is_free)?;
        if is_free {
            state.normalize()?;
        }
        state.weigh()
    }

    fn objective(&self, state: &Self::State) -> f64 {
        state.objective()
    }

    fn parts(&self, state: &mut Self::State, archive: &mut Archive) {
        archive.reals("u", state.u.as_mut_slice());
        let mut shares: Vec<f64> = state.stack.b.iter().flat_map(|b| b.as_slice().to_vec()).collect();
        archive.reals("shares", &mut shares);
        let entries = state.stack.b.iter_mut().flat_map(|b| b.as_mut_slice().iter_mut());
        entries.zip(shares).for_each(|(entry, share)| *entry = share);
        state.stack.renew();
        let columns = [
            ("v", Column::Coefficients),
            ("residuals-by-sample", Column::Residuals),
            ("weights-by-sample", Column::Weights),
        ];
        columns.into_iter().for_each(|column| archive_column(&mut state.side, column, archive));
        let mut numbers: Vec<f64> =
            state.sights.iter().flat_map(|sight| [sight.weighed.objective, sight.weighed.largest]).collect();
        archive.reals("weighed", &mut numbers);
        for (sight, numbers) in state.sights.iter_mut().zip(numbers.chunks_exact(2)) {
            sight.weighed = Weighed { objective: numbers[0], largest: numbers[1] };
        }
        archive.count("iteration", &mut state.iteration);
        if let Some(certainty) = &mut state.certainty {
            let mut numbers = certainty.concat();
            archive.reals("certainty", &mut numbers);
            certainty.iter_mut().flatten().zip(numbers).for_each(|(to, from)| *to = from);
        }
        self.archive_balance(state, archive);
    }

    fn coefficients<'s>(&self, _: &'s Self::State) -> Option<&'s Mat<T>> {
        None
    }

    fn movement(&self, state: &mut Self::State) -> Result<Option<f64>> {
        first::moved(&mut state.side).map(Some)
    }

    fn finish(&self, _: &X, mut state: Self::State, ending: Ending) -> Result<Outcome<T>> {
        let finish = Finish { smoothing: state.smoothing(), ..Finish::of(&ending) };
        let DeepState { u, stack, side, .. } = &mut state;
        let ended = |out: &mut _| side.layers()?.finish_layers(u, stack, &finish, out);
        OfLayers(state.stats) = total(&mut Tree::default(), ended)?;
        state.weigh()?;
        let DeepState { u: all, stack, certainty, sights, side, .. } = state;
        let objective = sights.iter().map(|sight| sight.lambda * sight.weighed.objective).sum();
        let told = |number: fn(&Sight) -> f64| Value::Vector(sights.iter().map(number).collect());
        let (above, tall) = (above_of(&stack, &all, certainty), side.into_tall()?);
        let parents: Vec<Vec<usize>> = above.iter().map(Layer::parents).collect();
        let top = |node: &usize| parents.iter().fold(*node, |node, parents| parents[node]);
        let on = |layer: usize| tall.above.iter().skip(layer).step_by(above.len()).copied().collect();
        let residuals = (0..above.len()).map(on).collect();
        Ok(Outcome {
            labels: tall.labels.iter().map(top).collect(),
            factors: Factors { u: stack.part(&all, 0), v: tall.v },
            residuals: tall.residuals,
            weights: tall.weights,
            objective,
            coding: Coding::LeastSquares,
            extras: vec![
                Extra::new("layer-weights", told(|sight| sight.lambda)),
                Extra::new("layer-losses", told(|sight| sight.weighed.objective)),
            ],
            layers: Some(Layers { above, labels: tall.labels, residuals }),
        })
    }
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
