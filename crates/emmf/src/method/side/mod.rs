//! Everything with one row per sample (X, V, the residuals and weights), wherever it is: [`SampleSide`].
//!
//! U, Gram matrices and sums are small and live with the loop, which sends orders to the sample side and gets sums
//! back. [`Host`] is a sample side in this memory, over any [`Data`](crate::data::Data). [`Shards`] makes one of several. Sums are
//! trees over parts of the samples ([`Tree`]), so that it does not matter who holds which of them: the same bits.

mod entries;
mod gather;
mod history;
mod host;
mod layers;
mod pull;
mod recode;
mod remote;
mod rows;
mod serve;
mod shards;

use serde::{Deserialize, Serialize};

pub use crate::data::{Node, Place, Summand, Tree};
pub use crate::init::{Draw, Look, Near, RandomRows};
pub use entries::{
    Digits, EntryCensus, EntryCoding, EntryLook, EntrySums, EntrySweep, EntryTotals, EntryWeights,
};
pub use gather::{gathered, joined, share};
pub use history::History;
pub use host::Host;
pub(super) use host::{gone_on, weigh_all};
pub use layers::{Crossed, LayerOrder, LayerPull, LayerSide, LayerSweep, OfLayers};
pub use pull::Pull;
pub use recode::Recode;
pub use remote::{Answer, Carrier, Order, Remote, Server};
pub use rows::Rows;
pub use serve::{Held, leaf_rows, serve, some_samples};
pub use shards::{Shards, in_shards, start};

use super::{Ending, Update};
use crate::cancel::{Cancel, Deadline};
use crate::checkpoint::Archive;
use crate::error::{Error, Result};
use crate::init::Start;
use crate::loss::{Loss, Stats};
use crate::matrix::Mat;
use crate::opaque::opaque;
use crate::real::Real;
use crate::spec::LabelRule;

opaque! {
    [T, X] Host<'_, T, X>;
    [T] Shards<'_, T>;
    [T] Remote<'_, T>;
    [T] Server<'_, T>;
    [] Recode;
}

/// X and all that has a row per sample, wherever they are.
pub trait SampleSide<T: Real>: Send + Sync {
    /// Samples, of all shards, and features.
    fn shape(&self) -> (usize, usize);

    /// Another V over the same samples.
    fn another(&self) -> Result<Box<dyn SampleSide<T> + '_>>;

    /// Lengths of the samples.
    fn lengths(&self, out: &mut Tree<Lengths>) -> Result<()>;

    /// V and U where the iterations begin; returns U.
    fn start(&mut self, start: &mut Start<'_, T>) -> Result<Mat<T>>;

    /// Begins with this V, a row for each of its samples.
    fn begin(&mut self, v: Mat<T>) -> Result<()>;

    /// Begins with the V that says to which of these centroids, d×c, each sample is nearest.
    fn begin_nearest(&mut self, centroids: &Mat<T>) -> Result<()>;

    /// Begins with the V that chance gives the samples by their numbers among all.
    fn begin_random(&mut self, rows: &RandomRows) -> Result<()> {
        let _ = rows;
        Err(Error::param("init", "random", "another one for samples in this place"))
    }

    /// The nearest of some points, d×m, to every sample, and what it sums to.
    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()>;

    /// Samples that are drawn by chance, the more likely the farther they are from the points that they were
    /// [measured](Self::nearest) against, in their order.
    fn drawn(&self, draw: &Draw) -> Result<Mat<T>>;

    /// Some samples, by their numbers among all, which ascend.
    fn rows(&self, samples: &[usize]) -> Result<Rows<T>>;

    /// P = X·U block by block, V moved, and the residuals after it; `g` is UᵀU.
    fn sweep(&mut self, u: &Mat<T>, g: &Mat<T>, sweep: &Sweep, out: &mut Tree<Stats>) -> Result<()>;

    /// The objective and the weights at the residuals, given their sums over all samples.
    fn weigh(&mut self, loss: &dyn Loss, stats: &Stats, out: &mut Tree<Weighed>) -> Result<()>;

    /// XᵀQV and VᵀQV, Q being the weights times `scale`, or what it was last.
    fn pull(&mut self, scale: Option<f64>, out: &mut Tree<Pull<T>>) -> Result<()>;

    /// What all entries sum to, and their residuals at U; for methods that weight entries.
    fn look_at_entries(&self, u: &Mat<T>, look: &EntryLook, out: &mut Tree<EntryCensus>) -> Result<()> {
        let _ = (u, look, out);
        Err(no_entries())
    }

    /// V moved, the objective, and what the next U step needs, where each entry has a weight.
    fn sweep_entries(
        &mut self,
        u: &Mat<T>,
        sweep: &EntrySweep<T>,
        out: &mut Tree<EntrySums<T>>,
    ) -> Result<()> {
        let _ = (u, sweep, out);
        Err(no_entries())
    }

    /// A sweep of coordinate descent over U and V on the absolute residuals, for which all samples are in one memory.
    fn sweep_medians(&mut self, u: &mut Mat<T>) -> Result<()> {
        let _ = u;
        Err(Error::param("median-sweeps", "above 0", "0 unless all samples are in one memory"))
    }

    /// The samples as layers see them.
    fn layers(&mut self) -> Result<&mut dyn LayerSide<T>> {
        layers::no_layers()
    }

    /// Lets V go on, or brings it back.
    fn shift(&mut self, shift: Shift) -> Result<()>;

    /// How far V is from where it was when this was asked for last; at first it has not moved.
    fn movement(&mut self, out: &mut Tree<Movement>) -> Result<()>;

    /// Reads the labels off V, codes the samples anew where that is wanted, and measures their residuals by the definition.
    fn finish(&mut self, u: &Mat<T>, finish: &Finish, out: &mut Tree<Stats>) -> Result<()>;

    /// A column of every sample.
    fn column(&self, what: Column) -> Result<Vec<f64>>;

    /// Gives a column of every sample these values.
    fn set_column(&mut self, what: Column, values: &[f64]) -> Result<()>;

    /// What is left after [`finish`](Self::finish).
    fn into_tall(self: Box<Self>) -> Result<Tall<T>>;
}

/// A side that has no sums over entries, such as a card.
fn no_entries() -> Error {
    let must = "in one memory or in shards of several, for methods that weight entries";
    Error::param("the place of the samples", "another", must)
}

/// Saves or loads a column of a side.
pub(super) fn archive_column<T: Real>(
    side: &mut (impl SampleSide<T> + ?Sized),
    (name, what): (&'static str, Column),
    archive: &mut Archive,
) {
    archive.elsewhere(name, side, |side| side.column(what), |side, values| side.set_column(what, values));
}

/// What a sweep does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// How V is moved; `None` leaves it.
    pub update: Option<Update>,
    /// What ‖m‖² grows by under the root of the residual.
    pub smoothing: f64,
}

/// How V goes on in the direction in which it moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Shift {
    /// From now on a V that has gone on is kept beside V; at first it is V.
    Begin,
    /// V and the one that has gone on change places.
    Swap,
    /// They change places again, and V has not gone on.
    Back,
    /// V goes on by this share of its movement since the last time.
    Extrapolate(f64),
}

/// How it ends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Finish {
    /// How labels are read off V.
    pub labels: LabelRule,
    /// Whether samples are coded anew.
    pub polish: bool,
    /// What ‖m‖² grows by under the root of the residual.
    pub smoothing: f64,
    /// How samples are coded whose entries are weighed; else it is by least squares.
    pub entries: Option<EntryCoding>,
    /// Samples that are not coded anew by then stay as they are.
    #[serde(skip)]
    pub deadline: Deadline,
    /// So do those that are left when this says so.
    #[serde(skip)]
    pub cancel: Cancel,
}

impl Finish {
    /// As a fit is to end, by least squares and without smoothing.
    pub(super) fn of(ending: &Ending) -> Self {
        let Ending { labels, polish, deadline, .. } = *ending;
        Self { labels, polish, smoothing: 0.0, entries: None, deadline, cancel: ending.cancel.clone() }
    }

    /// Whether no more samples are to be coded anew: there is no time left, or nobody waits.
    pub fn is_over(&self) -> bool {
        self.deadline.is_over() || self.cancel.is_cancelled()
    }
}

/// One or more numbers of every sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Column {
    /// V.
    Coefficients,
    /// V gone on.
    Ahead,
    /// The residuals, of all layers where there are several.
    Residuals,
    /// The weights, diag(Q), of all layers where there are several.
    Weights,
    /// How often each counts.
    SampleWeights,
}

/// All that has a row per sample, at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tall<T> {
    /// V.
    pub v: Mat<T>,
    /// The clusters.
    pub labels: Vec<usize>,
    /// ‖xᵢ − U·vᵢ‖₂.
    pub residuals: Vec<f64>,
    /// diag(Q).
    pub weights: Vec<f64>,
    /// The residuals on the layers above the first, those of a sample next to each other; nothing where there are none.
    pub above: Vec<f64>,
}

impl<T: Real> Tall<T> {
    /// Of these samples alone, and the labels of all or of none.
    fn of(&self, samples: &[usize], labels: bool) -> Result<Self> {
        if let Some(i) = samples.iter().find(|i| **i >= self.residuals.len()) {
            return Err(Error::param("sample", i, format!("below {}", self.residuals.len())));
        }
        let above = self.above.len() / self.residuals.len().max(1);
        let some = |values: &[f64]| samples.iter().map(|&i| values[i]).collect();
        Ok(Self {
            v: Mat::from_fn(samples.len(), self.v.cols(), |at, k| self.v[(samples[at], k)]),
            labels: if labels { self.labels.clone() } else { Vec::new() },
            residuals: some(&self.residuals),
            weights: some(&self.weights),
            above: samples.iter().flat_map(|&i| &self.above[i * above..(i + 1) * above]).copied().collect(),
        })
    }
}

/// The objective and the largest weight.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Weighed {
    /// Σ sᵢ·ρ(rᵢ).
    pub objective: f64,
    /// The largest of the weights.
    pub largest: f64,
}

impl Summand for Weighed {
    fn add(&mut self, other: &Self) {
        self.objective += other.objective;
        self.largest = self.largest.max(other.largest);
    }
}

impl Summand for Stats {
    fn add(&mut self, other: &Self) {
        *self = self.plus(*other);
    }
}

/// Lengths of samples.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Lengths {
    /// Σ sᵢ.
    pub n: f64,
    /// Σ sᵢ‖xᵢ‖.
    pub sum: f64,
    /// The longest.
    pub longest: f64,
}

impl Summand for Lengths {
    fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.sum += other.sum;
        self.longest = self.longest.max(other.longest);
    }
}

/// How far V moved.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Movement {
    /// ‖V − V'‖².
    pub moved: f64,
    /// ‖V‖².
    pub length: f64,
}

impl Movement {
    /// From these entries to those.
    pub(crate) fn between<T: Real>(before: &[T], now: &[T]) -> Self {
        let mut found = Self::default();
        for (before, now) in before.iter().zip(now) {
            found.moved += (now.to_f64() - before.to_f64()).powi(2);
            found.length += now.to_f64().powi(2);
        }
        found
    }

    /// ‖V − V'‖/‖V‖.
    pub fn share(&self) -> f64 {
        (self.moved / self.length.max(f64::MIN_POSITIVE)).sqrt()
    }
}

impl Summand for Movement {
    fn add(&mut self, other: &Self) {
        self.moved += other.moved;
        self.length += other.length;
    }
}

impl<T: Real, S: SampleSide<T> + ?Sized> SampleSide<T> for Box<S> {
    fn shape(&self) -> (usize, usize) {
        (**self).shape()
    }

    fn another(&self) -> Result<Box<dyn SampleSide<T> + '_>> {
        (**self).another()
    }

    fn lengths(&self, out: &mut Tree<Lengths>) -> Result<()> {
        (**self).lengths(out)
    }

    fn start(&mut self, start: &mut Start<'_, T>) -> Result<Mat<T>> {
        (**self).start(start)
    }

    fn begin(&mut self, v: Mat<T>) -> Result<()> {
        (**self).begin(v)
    }

    fn begin_nearest(&mut self, centroids: &Mat<T>) -> Result<()> {
        (**self).begin_nearest(centroids)
    }

    fn begin_random(&mut self, rows: &RandomRows) -> Result<()> {
        (**self).begin_random(rows)
    }

    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()> {
        (**self).nearest(points, look, out)
    }

    fn drawn(&self, draw: &Draw) -> Result<Mat<T>> {
        (**self).drawn(draw)
    }

    fn rows(&self, samples: &[usize]) -> Result<Rows<T>> {
        (**self).rows(samples)
    }

    fn sweep(&mut self, u: &Mat<T>, g: &Mat<T>, sweep: &Sweep, out: &mut Tree<Stats>) -> Result<()> {
        (**self).sweep(u, g, sweep, out)
    }

    fn weigh(&mut self, loss: &dyn Loss, stats: &Stats, out: &mut Tree<Weighed>) -> Result<()> {
        (**self).weigh(loss, stats, out)
    }

    fn pull(&mut self, scale: Option<f64>, out: &mut Tree<Pull<T>>) -> Result<()> {
        (**self).pull(scale, out)
    }

    fn look_at_entries(&self, u: &Mat<T>, look: &EntryLook, out: &mut Tree<EntryCensus>) -> Result<()> {
        (**self).look_at_entries(u, look, out)
    }

    fn sweep_entries(
        &mut self,
        u: &Mat<T>,
        sweep: &EntrySweep<T>,
        out: &mut Tree<EntrySums<T>>,
    ) -> Result<()> {
        (**self).sweep_entries(u, sweep, out)
    }

    fn sweep_medians(&mut self, u: &mut Mat<T>) -> Result<()> {
        (**self).sweep_medians(u)
    }

    fn layers(&mut self) -> Result<&mut dyn LayerSide<T>> {
        (**self).layers()
    }

    fn shift(&mut self, shift: Shift) -> Result<()> {
        (**self).shift(shift)
    }

    fn movement(&mut self, out: &mut Tree<Movement>) -> Result<()> {
        (**self).movement(out)
    }

    fn finish(&mut self, u: &Mat<T>, finish: &Finish, out: &mut Tree<Stats>) -> Result<()> {
        (**self).finish(u, finish, out)
    }

    fn column(&self, what: Column) -> Result<Vec<f64>> {
        (**self).column(what)
    }

    fn set_column(&mut self, what: Column, values: &[f64]) -> Result<()> {
        (**self).set_column(what, values)
    }

    fn into_tall(self: Box<Self>) -> Result<Tall<T>> {
        S::into_tall(*self)
    }
}

/// The sum over all samples that `order` fills a tree with; nothing where there are none.
pub(crate) fn total<S: Summand + Clone + Default>(
    tree: &mut Tree<S>,
    order: impl FnOnce(&mut Tree<S>) -> Result<()>,
) -> Result<S> {
    tree.clear();
    order(tree)?;
    Ok(tree.total().cloned().unwrap_or_default())
}
