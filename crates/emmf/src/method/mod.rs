//! Factorizations: what happens inside the loop of [`iterate`](crate::iterate).

mod at_work;
mod centroids;
mod coding;
mod deep;
pub mod entrywise;
mod graph;
mod gsnmf;
mod hals;
mod irls;
mod labels;
mod lsnmf;
pub(crate) mod memory;
mod momentum;
mod nnls;
mod onmf;
mod outcome;
mod penalised;
mod penalty;
mod pnmf;
mod regularized;
mod residual;
mod rmnmf;
pub mod side;
mod symnmf;
mod update;

pub use coding::Coding;
pub(crate) use deep::{Alone, Merging, product, rows_times};
pub use deep::{Deep, DeepState, Layer, Layers, Stack, certainty};
pub(crate) use entrywise::{Aim, Exponents, check_beta};
pub use entrywise::{Entrywise, Recipe, SparseDivergence, median_sweep};
pub use graph::{GraphIrls, GraphState};
pub use gsnmf::{Gsnmf, GsnmfState};
pub use irls::{Irls, IrlsState};
pub use lsnmf::{Lsnmf, LsnmfState};
pub use onmf::{Onmf, OnmfState};
pub use outcome::{Ending, Extra, Outcome, Value};
pub use penalised::{Penalised, PenalisedState};
pub use penalty::Penalty;
pub use pnmf::{Gamma, Pnmf, PnmfState, Posterior};
pub use regularized::{Learning, Regularized, RegularizedState, Source, Terms};
pub use rmnmf::{Rmnmf, RmnmfState, Setting};
pub use side::SampleSide;
pub use symnmf::{Symnmf, SymnmfState};
pub use update::Update;

pub(crate) use at_work::{AtWork, Factorization, Of};
pub(crate) use coding::{observed_residuals, residuals};
pub(crate) use labels::{MOST_LABELLED, Shares, largest};
pub(crate) use nnls::{Nnls, Normal};
pub(crate) use penalty::Penalties;
pub(crate) use regularized::CANDIDATES;
pub(crate) use residual::residual_sq;
pub(crate) use update::room;

use crate::checkpoint::Archive;
use crate::error::Result;
use crate::init::Start;
use crate::matrix::Mat;
use crate::opaque::opaque;

opaque! {
    [] Irls<'_>;
    [T, S] IrlsState<T, S>;
    [] Deep<'_>;
    [T, S] DeepState<T, S>;
    [T] Stack<T>;
    [] GraphIrls<'_>;
    [T, X] GraphState<'_, T, X>;
    [T] GsnmfState<T>;
    [T] LsnmfState<T>;
    [T] OnmfState<T>;
    [T] PnmfState<T>;
    [T] RegularizedState<'_, T>;
    [T] RmnmfState<T>;
    [T] SymnmfState<T>;
    [] Entrywise<'_>;
}

/// One factorization of what is in `X`: [`Data`](crate::data::Data) for methods that need all samples at once, otherwise a
/// [`SampleSide`]. It provides the step; the loop is that of [`iterate`](crate::iterate).
pub trait Method<'x, T, X: ?Sized>: Sync {
    /// Everything that changes from iteration to iteration.
    type State: Send;

    /// The state before the first iteration. Factors are made only if `start` is asked for them.
    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<Self::State>;

    /// Whether the start has made iterations of its own, so that there is something to keep of a fit that is cancelled in it.
    fn has_begun(&self, _: &Self::State) -> bool {
        false
    }

    /// One iteration. Fails if a factor is no longer finite.
    fn step(&self, x: &X, state: &mut Self::State) -> Result<()>;

    /// The true objective of the state. The [registry](crate::registry) says whether it is minimised or
    /// maximised.
    fn objective(&self, state: &Self::State) -> f64;

    /// Whether the method itself ends at this state, whatever the change of the objective.
    fn has_settled(&self, _: &Self::State) -> bool {
        false
    }

    /// Shows everything that iterations change and the next one needs: a state that has made the same start and is given the
    /// same parts continues like this one.
    fn parts(&self, state: &mut Self::State, archive: &mut Archive);

    /// V of the state, for stop rules that look at it; nothing if it has none, or not here.
    fn coefficients<'s>(&self, state: &'s Self::State) -> Option<&'s Mat<T>>;

    /// ‖V − V'‖/‖V‖, where V' is V when this was last asked for; nothing if there is no V other than that of `coefficients`.
    fn movement(&self, _: &mut Self::State) -> Result<Option<f64>> {
        Ok(None)
    }

    /// What is left of the last state.
    fn finish(&self, x: &X, state: Self::State, ending: Ending) -> Result<Outcome<T>>;
}
