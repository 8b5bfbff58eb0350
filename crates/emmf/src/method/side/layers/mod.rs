//! Layers over samples, wherever these are: [`LayerSide`]. B, the centroids of all layers and sums are small and live with the loop.

mod elsewhere;
mod host;
mod sweep;

use serde::{Deserialize, Serialize};

pub use elsewhere::LayerOrder;
pub(super) use elsewhere::obey;
pub(super) use host::Layered;

use super::{Finish, Summand, Tree, Weighed};
use crate::error::{Error, Result};
use crate::loss::{Loss, Stats};
use crate::matrix::Mat;
use crate::method::deep::Stack;
use crate::real::Real;
use crate::spec::LabelRule;

/// A [`SampleSide`](super::SampleSide) whose samples are seen on several layers. `u` are the centroids of all layers side by side, d×C,
/// and `stack` says how the layers are made of the first.
pub trait LayerSide<T: Real> {
    /// The node of each sample in the first layer.
    fn nodes(&mut self, u: &Mat<T>, rule: LabelRule) -> Result<Vec<usize>>;

    /// From now on samples are seen on these layers; on each they have the residuals and weights that they have now.
    fn begin_layers(&mut self, stack: &Stack<T>) -> Result<()>;

    /// Xᵀ·[Q₁V₁ … Q_LV_L] and VᵀQₗV, Qₗ being the weights of a layer times its factor.
    fn pull_layers(&mut self, stack: &Stack<T>, factors: &[f64], out: &mut Tree<LayerPull<T>>) -> Result<()>;

    /// VᵀQₗ(XUₗ), side by side. X·[U₁ … U_L] is kept for a sweep.
    fn cross_layers(
        &mut self,
        u: &Mat<T>,
        stack: &Stack<T>,
        factors: &[f64],
        out: &mut Tree<Crossed>,
    ) -> Result<()>;

    /// V moved, and the residuals on every layer after it; `g` has UₗᵀUₗ on its diagonal.
    fn sweep_layers(
        &mut self,
        centroids: (&Mat<T>, &Mat<T>),
        stack: &Stack<T>,
        sweep: &LayerSweep,
        out: &mut Tree<OfLayers<Stats>>,
    ) -> Result<()>;

    /// The objective and the weights on every layer, given the sums of its residuals over all samples.
    fn weigh_layers(
        &mut self,
        losses: &[&dyn Loss],
        stats: &[Stats],
        out: &mut Tree<OfLayers<Weighed>>,
    ) -> Result<()>;

    /// Multiplies the columns of V.
    fn scale_columns(&mut self, by: &[f64]) -> Result<()>;

    /// As [`finish`](super::SampleSide::finish), by the first layer, with residuals on all.
    fn finish_layers(
        &mut self,
        u: &Mat<T>,
        stack: &Stack<T>,
        finish: &Finish,
        out: &mut Tree<OfLayers<Stats>>,
    ) -> Result<()>;
}

/// What a sweep over layers does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerSweep {
    /// What the weights of each layer are multiplied by.
    pub factors: Vec<f64>,
    /// Of the multiplicative step on V; `None` leaves V.
    pub exponent: Option<f64>,
    /// What ‖m‖² grows by under the root of the residual.
    pub smoothing: f64,
    /// Whether X·[U₁ … U_L] is there.
    pub is_crossed: bool,
}

/// One sum for each layer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct OfLayers<S>(pub Vec<S>);

impl<S: Summand> Summand for OfLayers<S> {
    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(sum, other)| sum.add(other));
    }
}

/// What the samples pull the centroids of all layers towards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayerPull<T> {
    /// Xᵀ·[Q₁V₁ … Q_LV_L], d×C.
    pub p: Mat<T>,
    /// VᵀQₗV of every layer, c×c.
    pub moments: Vec<Mat<T>>,
}

impl<T: Real> Summand for LayerPull<T> {
    fn add(&mut self, other: &Self) {
        add(&mut self.p, &other.p);
        self.moments.iter_mut().zip(&other.moments).for_each(|(sum, other)| add(sum, other));
    }
}

/// VᵀQₗ(XUₗ) of all layers side by side, c×C.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Crossed(pub Mat<f64>);

impl Summand for Crossed {
    fn add(&mut self, other: &Self) {
        add(&mut self.0, &other.0);
    }
}

/// A ← A + B.
fn add<T: Real>(a: &mut Mat<T>, b: &Mat<T>) {
    a.as_mut_slice().iter_mut().zip(b.as_slice()).for_each(|(a, b)| *a += *b);
}

/// A side that sees no layers, such as a card.
pub(super) fn no_layers<T>() -> Result<T> {
    Err(Error::param("layers", "given", "left out for samples in this place"))
}
