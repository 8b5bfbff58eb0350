//! What a [`Side`](crate::Side) asks of whoever holds the samples: the card, or, in tests, this memory.

use std::ops::Range;

use emmf::init::Start;
use emmf::loss::{LossSpec, Stats};
use emmf::method::side::{Column, Movement, Place, Pull, Sweep, Weighed};
use emmf::{Mat, Real, Result};

/// Samples somewhere, and what can be done with all of them at once. Sums over samples come back in chunks of [`chunk`](Self::chunk) rows, each part of
/// the samples beginning a chunk of its own.
pub trait Engine<T: Real>: Send + Sync {
    /// V and all else that iterations change.
    type State: Send + Sync;

    /// Where the samples are among all.
    fn place(&self) -> &Place;

    /// Features of a sample.
    fn features(&self) -> usize;

    /// ‖xᵢ‖² of every sample.
    fn norms_sq(&self) -> &[f64];

    /// How often each sample counts.
    fn weights(&self) -> &[f64];

    /// Samples of a chunk.
    fn chunk(&self) -> usize;

    /// U and V where iterations begin, made of samples in this memory.
    fn factors(&self, start: &mut Start<'_, T>) -> Result<emmf::Factors<T>>;

    /// Whether samples, with all their zeros, are few enough bytes to be fetched by the thousands. Otherwise k-means runs on those in
    /// this memory.
    fn fetches(&self) -> bool {
        true
    }

    /// Begins with this V.
    fn begin(&self, v: &Mat<T>) -> Result<Self::State>;

    /// Begins with the V of samples in these clusters, of so many.
    fn begin_at(&self, labels: &[i32], clusters: usize) -> Result<Self::State>;

    /// For every sample the nearest of some points, d×m, and how far it is, squared.
    fn nearest(&self, points: &Mat<T>) -> Result<(Vec<i32>, Vec<f64>)>;

    /// Σ sᵢxᵢ over the samples of each of so many clusters, d×clusters, for each of these ranges of whole parts.
    fn cluster_sums(&self, labels: &[i32], clusters: usize, nodes: &[Range<usize>]) -> Result<Vec<Mat<T>>>;

    /// Some samples, by their numbers from the first one here.
    fn rows(&self, samples: &[usize]) -> Result<Mat<T>>;

    /// Moves V and measures the residuals after it; `g` is UᵀU.
    fn sweep(&self, state: &mut Self::State, u: &Mat<T>, g: &Mat<T>, sweep: &Sweep) -> Result<Vec<Stats>>;

    /// Sums over the residuals as they are.
    fn stats(&self, state: &mut Self::State) -> Result<Vec<Stats>>;

    /// The objective and the weights at the residuals; nothing where this loss is not known here.
    fn weigh(&self, state: &mut Self::State, loss: LossSpec, stats: &Stats) -> Result<Option<Vec<Weighed>>>;

    /// XᵀQV and VᵀQV for each of these ranges of whole parts, Q being the weights times `scale`, or what it was last.
    fn pull(
        &self,
        state: &mut Self::State,
        scale: Option<f64>,
        nodes: &[Range<usize>],
    ) -> Result<Vec<Pull<T>>>;

    /// A V that has gone on is kept beside V from now on, where there is none yet.
    fn keep_ahead(&self, state: &mut Self::State) -> Result<()>;

    /// V and the one that has gone on change places.
    fn swap(&self, state: &mut Self::State);

    /// The one that has gone on becomes V.
    fn forget_ahead(&self, state: &mut Self::State) -> Result<()>;

    /// V goes on by this share of its movement.
    fn go_on(&self, state: &mut Self::State, share: f64) -> Result<()>;

    /// How far V is from where it was when this was asked for last.
    fn movement(&self, state: &mut Self::State) -> Result<Vec<Movement>>;

    /// The largest coefficient of every sample, times these lengths of centroids.
    fn largest(&self, state: &mut Self::State, lengths: &[f64]) -> Result<Vec<usize>>;

    /// X·U of these samples in double precision.
    fn project_exactly(&self, u: &Mat<T>, rows: Range<usize>) -> Result<Vec<f64>>;

    /// Residuals by their definition in place of those that are negative.
    fn by_definition(&self, state: &mut Self::State, u: &Mat<T>, residuals: &mut Vec<f64>) -> Result<()>;

    /// A column of every sample.
    fn column(&self, state: &Self::State, what: Column) -> Result<Vec<f64>>;

    /// Gives a column of every sample these values.
    fn set_column(&self, state: &mut Self::State, what: Column, values: &[f64]) -> Result<()>;

    /// V.
    fn coefficients(&self, state: &Self::State) -> Result<Mat<T>>;

    /// Gives some rows of V these values.
    fn set_rows(&self, state: &mut Self::State, rows: Range<usize>, v: &[T]) -> Result<()>;
}
