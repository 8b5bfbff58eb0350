//! A sample side in another process: orders and answers as plain data.
//!
//! [`Remote`] turns calls into [`Order`]s and hands them to whatever carries them; [`Server`], where the samples are, obeys. How
//! the bytes travel is up to the caller: both are serde.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::{
    Column, Crossed, Draw, EntryCensus, EntryLook, EntrySums, EntrySweep, Finish, LayerOrder, LayerPull,
    LayerSide, Lengths, Look, Movement, Near, OfLayers, Pull, RandomRows, Rows, SampleSide, Shift, Sweep,
    Tall, Tree, Weighed, layers,
};
use crate::error::{Error, Result};
use crate::init::Start;
use crate::loss::{Loss, LossSpec, Stats};
use crate::matrix::Mat;
use crate::real::Real;

/// What a sample side is to do, see [`SampleSide`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "named after the functions of the trait and their parameters")]
#[non_exhaustive]
pub enum Order<T> {
    Another(u64),
    Lengths,
    Begin(Mat<T>),
    BeginNearest(Mat<T>),
    BeginRandom(RandomRows),
    Nearest { points: Mat<T>, look: Look },
    Drawn(Draw),
    Rows(Vec<usize>),
    Sweep { u: Mat<T>, g: Mat<T>, sweep: Sweep },
    Weigh { loss: LossSpec, stats: Stats },
    Pull(Option<f64>),
    LookAtEntries { u: Mat<T>, look: EntryLook },
    SweepEntries { u: Mat<T>, sweep: EntrySweep<T> },
    Layers(LayerOrder<T>),
    Shift(Shift),
    Movement,
    Finish { u: Mat<T>, finish: Finish },
    Column(Column),
    SetColumn(Column, Vec<f64>),
    IntoTall,
    Leave { samples: Vec<usize>, labels: bool },
    Drop,
}

impl<T> Order<T> {
    /// Whether it brings back more than that it was obeyed. One that does not may wait for the next that does.
    pub fn asks(&self) -> bool {
        match self {
            Self::Another(_)
            | Self::Begin(_)
            | Self::BeginNearest(_)
            | Self::BeginRandom(_)
            | Self::Shift(_)
            | Self::SetColumn(..)
            | Self::Drop => false,
            Self::Layers(order) => order.asks(),
            _ => true,
        }
    }
}

/// What it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "T: Real + Deserialize<'de>"))]
#[expect(missing_docs, reason = "named after what they hold")]
#[non_exhaustive]
pub enum Answer<T> {
    Done,
    Lengths(Tree<Lengths>),
    Near(Tree<Near<T>>),
    Drawn(Mat<T>),
    Rows(Rows<T>),
    Stats(Tree<Stats>),
    Weighed(Tree<Weighed>),
    Pull(Tree<Pull<T>>),
    EntryCensus(Tree<EntryCensus>),
    EntrySums(Tree<EntrySums<T>>),
    Movement(Tree<Movement>),
    Nodes(Vec<usize>),
    LayerPull(Tree<LayerPull<T>>),
    Crossed(Tree<Crossed>),
    LayerStats(Tree<OfLayers<Stats>>),
    LayerWeighed(Tree<OfLayers<Weighed>>),
    Column(Vec<f64>),
    Tall(Tall<T>),
}

/// The sample sides of one place, by number; number 0 is there from the beginning.
pub struct Server<'a, T> {
    first: &'a dyn SampleSide<T>,
    sides: BTreeMap<u64, Box<dyn SampleSide<T> + 'a>>,
}

impl<'a, T: Real> Server<'a, T> {
    /// Serves the samples of this side.
    pub fn new(first: &'a dyn SampleSide<T>) -> Self {
        Self { first, sides: BTreeMap::new() }
    }

    /// Does what side `number` is told.
    pub fn obey(&mut self, number: u64, order: Order<T>) -> Result<Answer<T>> {
        let unknown = || Error::param("the side", number, "one that was begun");
        match order {
            Order::Another(new) => {
                self.sides.insert(new, self.first.another()?);
                Ok(Answer::Done)
            }
            Order::Drop => {
                self.sides.remove(&number);
                Ok(Answer::Done)
            }
            Order::IntoTall => Ok(Answer::Tall(self.sides.remove(&number).ok_or_else(unknown)?.into_tall()?)),
            Order::Leave { samples, labels } => {
                let tall = self.sides.remove(&number).ok_or_else(unknown)?.into_tall()?;
                Ok(Answer::Tall(tall.of(&samples, labels)?))
            }
            Order::Rows(samples) => Ok(Answer::Rows(self.first.rows(&samples)?)),
            Order::Lengths => summed(Answer::Lengths, |out| self.first.lengths(out)),
            Order::Column(Column::SampleWeights) => {
                Ok(Answer::Column(self.first.column(Column::SampleWeights)?))
            }
            order => obey(&mut **self.sides.get_mut(&number).ok_or_else(unknown)?, order),
        }
    }
}

/// The answer with the sums that an order gives.
pub(super) fn summed<T, S: super::Summand>(
    answer: impl FnOnce(Tree<S>) -> Answer<T>,
    order: impl FnOnce(&mut Tree<S>) -> Result<()>,
) -> Result<Answer<T>> {
    let mut tree = Tree::default();
    order(&mut tree)?;
    Ok(answer(tree))
}

fn obey<T: Real>(side: &mut dyn SampleSide<T>, order: Order<T>) -> Result<Answer<T>> {
    match order {
        Order::Begin(v) => side.begin(v)?,
        Order::BeginNearest(centroids) => side.begin_nearest(&centroids)?,
        Order::BeginRandom(rows) => side.begin_random(&rows)?,
        Order::Nearest { points, look } => {
            return summed(Answer::Near, |out| side.nearest(&points, look, out));
        }
        Order::Drawn(draw) => return Ok(Answer::Drawn(side.drawn(&draw)?)),
        Order::Shift(shift) => side.shift(shift)?,
        Order::SetColumn(what, values) => side.set_column(what, &values)?,
        Order::Sweep { u, g, sweep } => return summed(Answer::Stats, |out| side.sweep(&u, &g, &sweep, out)),
        Order::Weigh { loss, stats } => {
            return summed(Answer::Weighed, |out| side.weigh(&*loss.make(), &stats, out));
        }
        Order::Pull(scale) => return summed(Answer::Pull, |out| side.pull(scale, out)),
        Order::LookAtEntries { u, look } => {
            return summed(Answer::EntryCensus, |out| side.look_at_entries(&u, &look, out));
        }
        Order::SweepEntries { u, sweep } => {
            return summed(Answer::EntrySums, |out| side.sweep_entries(&u, &sweep, out));
        }
        Order::Layers(order) => return layers::obey(side.layers()?, order),
        Order::Movement => return summed(Answer::Movement, |out| side.movement(out)),
        Order::Finish { u, finish } => return summed(Answer::Stats, |out| side.finish(&u, &finish, out)),
        Order::Column(what) => return Ok(Answer::Column(side.column(what)?)),
        Order::Another(_)
        | Order::Lengths
        | Order::Rows(_)
        | Order::IntoTall
        | Order::Leave { .. }
        | Order::Drop => {}
    }
    Ok(Answer::Done)
}

/// Carries an order to a side, by its number, and brings the answer.
pub trait Carrier<T>: Send + Sync {
    /// The answer of side `number`.
    fn carry(&self, number: u64, order: Order<T>) -> Result<Answer<T>>;
}

impl<T, F: Fn(u64, Order<T>) -> Result<Answer<T>> + Send + Sync> Carrier<T> for F {
    fn carry(&self, number: u64, order: Order<T>) -> Result<Answer<T>> {
        self(number, order)
    }
}

/// A sample side that is elsewhere.
pub struct Remote<'a, T> {
    shape: (usize, usize),
    carrier: &'a dyn Carrier<T>,
    next: &'a AtomicU64,
    number: u64,
    /// Samples of which V, residuals and weights are fetched at the end, where it is not all.
    fetched: Option<&'a [usize]>,
    /// Whether labels were read off V where the samples are.
    labels: bool,
}

impl<'a, T: Real> Remote<'a, T> {
    /// The samples of one place, of n×d samples in all. `next` counts the sides that were begun there, from 1.
    pub fn new(shape: (usize, usize), carrier: &'a dyn Carrier<T>, next: &'a AtomicU64) -> Self {
        Self { shape, carrier, next, number: 0, fetched: None, labels: true }
    }

    /// The same, which in the end fetches V, residuals and weights of these samples alone, which ascend, and labels of all, but for those
    /// that k-means would make. A [`Fit`](crate::Fit) has no more of them then; its model codes the others where they are.
    #[must_use]
    pub fn fetching(self, samples: &'a [usize]) -> Self {
        Self { fetched: Some(samples), ..self }
    }

    pub(super) fn ask(&self, order: Order<T>) -> Result<Answer<T>> {
        self.carrier.carry(self.number, order)
    }

    fn tell(&self, order: Order<T>) -> Result<()> {
        self.ask(order).map(|_| ())
    }
}

/// The answer must be of the kind that was asked for.
macro_rules! ask {
    ($self:ident, $order:expr, $kind:ident) => {
        match $self.ask($order)? {
            Answer::$kind(found) => found,
            _ => return Err(Error::param("the answer", "another one", stringify!($kind))),
        }
    };
}

impl<T> Drop for Remote<'_, T> {
    fn drop(&mut self) {
        if self.number > 0 {
            // There is nobody to tell that it failed, and nothing to be done.
            let _ = self.carrier.carry(self.number, Order::Drop);
        }
    }
}

impl<T: Real> SampleSide<T> for Remote<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn another(&self) -> Result<Box<dyn SampleSide<T> + '_>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.tell(Order::Another(number))?;
        Ok(Box::new(Remote { number, ..*self }))
    }

    fn lengths(&self, out: &mut Tree<Lengths>) -> Result<()> {
        out.take(&mut ask!(self, Order::Lengths, Lengths));
        Ok(())
    }

    fn start(&mut self, start: &mut Start<'_, T>) -> Result<Mat<T>> {
        super::shards::start(self, start)
    }

    fn begin(&mut self, v: Mat<T>) -> Result<()> {
        self.tell(Order::Begin(v))
    }

    fn begin_nearest(&mut self, centroids: &Mat<T>) -> Result<()> {
        self.tell(Order::BeginNearest(centroids.clone()))
    }

    fn begin_random(&mut self, rows: &RandomRows) -> Result<()> {
        self.tell(Order::BeginRandom(*rows))
    }

    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()> {
        out.take(&mut ask!(self, Order::Nearest { points: points.clone(), look }, Near));
        Ok(())
    }

    fn drawn(&self, draw: &Draw) -> Result<Mat<T>> {
        Ok(ask!(self, Order::Drawn(*draw), Drawn))
    }

    fn rows(&self, samples: &[usize]) -> Result<Rows<T>> {
        Ok(ask!(self, Order::Rows(samples.to_vec()), Rows))
    }

    fn sweep(&mut self, u: &Mat<T>, g: &Mat<T>, sweep: &Sweep, out: &mut Tree<Stats>) -> Result<()> {
        out.take(&mut ask!(self, Order::Sweep { u: u.clone(), g: g.clone(), sweep: *sweep }, Stats));
        Ok(())
    }

    fn weigh(&mut self, loss: &dyn Loss, stats: &Stats, out: &mut Tree<Weighed>) -> Result<()> {
        let must = "one of those in the registry, for samples in another process";
        let loss = loss.spec().ok_or_else(|| Error::param("the loss", "one of your own", must))?;
        out.take(&mut ask!(self, Order::Weigh { loss, stats: *stats }, Weighed));
        Ok(())
    }

    fn pull(&mut self, scale: Option<f64>, out: &mut Tree<Pull<T>>) -> Result<()> {
        out.take(&mut ask!(self, Order::Pull(scale), Pull));
        Ok(())
    }

    fn look_at_entries(&self, u: &Mat<T>, look: &EntryLook, out: &mut Tree<EntryCensus>) -> Result<()> {
        out.take(&mut ask!(self, Order::LookAtEntries { u: u.clone(), look: *look }, EntryCensus));
        Ok(())
    }

    fn sweep_entries(
        &mut self,
        u: &Mat<T>,
        sweep: &EntrySweep<T>,
        out: &mut Tree<EntrySums<T>>,
    ) -> Result<()> {
        out.take(&mut ask!(self, Order::SweepEntries { u: u.clone(), sweep: sweep.clone() }, EntrySums));
        Ok(())
    }

    fn layers(&mut self) -> Result<&mut dyn LayerSide<T>> {
        Ok(self)
    }

    fn shift(&mut self, shift: Shift) -> Result<()> {
        self.tell(Order::Shift(shift))
    }

    fn movement(&mut self, out: &mut Tree<Movement>) -> Result<()> {
        out.take(&mut ask!(self, Order::Movement, Movement));
        Ok(())
    }

    fn finish(&mut self, u: &Mat<T>, finish: &Finish, out: &mut Tree<Stats>) -> Result<()> {
        self.labels = !finish.labels.is_kmeans();
        out.take(&mut ask!(self, Order::Finish { u: u.clone(), finish: finish.clone() }, Stats));
        Ok(())
    }

    fn column(&self, what: Column) -> Result<Vec<f64>> {
        Ok(ask!(self, Order::Column(what), Column))
    }

    fn set_column(&mut self, what: Column, values: &[f64]) -> Result<()> {
        self.tell(Order::SetColumn(what, values.to_vec()))
    }

    fn into_tall(self: Box<Self>) -> Result<Tall<T>> {
        let order = match self.fetched {
            None => Order::IntoTall,
            Some(samples) => Order::Leave { samples: samples.to_vec(), labels: self.labels },
        };
        Ok(ask!(self, order, Tall))
    }
}
