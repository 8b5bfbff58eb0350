//! Factorizations: what happens inside the loop of [`fit`](crate::fit).

pub mod gsnmf;
mod irls;
mod nnls;
pub mod pnmf;
mod residual;
mod update;

pub use irls::{Irls, IrlsState};

pub(crate) use nnls::Nnls;
pub(crate) use residual::residual_sq;
pub use update::Update;

use crate::error::Result;
use crate::init::Factors;

/// One factorization. It gives the step; the loop is the one of [`fit`](crate::fit).
pub trait Method<T, X> {
    /// Everything that changes from iteration to iteration.
    type State;

    /// The state before the first iteration.
    fn start(&self, x: &X, init: Factors<T>) -> Result<Self::State>;

    /// One iteration. Fails where a factor is no longer finite.
    fn step(&self, x: &X, state: &mut Self::State) -> Result<()>;

    /// The true objective of the state.
    fn objective(&self, state: &Self::State) -> f64;
}
