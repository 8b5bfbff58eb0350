//! Several sample sides as one.

use super::{
    Column, Draw, EntryCensus, EntryLook, EntrySums, EntrySweep, Finish, Host, LayerSide, Lengths, Look,
    Movement, Near, Place, Pull, RandomRows, Rows, SampleSide, Shift, Summand, Sweep, Tall, Tree, Weighed,
};
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::init::{Scattered, Start, mean_of, random};
use crate::loss::{Loss, Stats};
use crate::matrix::{Mat, Part, Samples};
use crate::real::Real;
use crate::spec::Init;
use crate::threads::each;
use crate::threads::prelude::*;

/// Cuts samples in this memory into so many shards, some of them empty where there are few samples, and does something with
/// them as one sample side. The borders depend on the shape of X only.
pub fn in_shards<T: Real, R>(
    x: &Samples<'_, T>,
    sample_weights: &[f64],
    shards: usize,
    work: impl FnOnce(&mut Shards<'_, T>) -> Result<R>,
) -> Result<R> {
    let rows_per_leaf = Stored::new(*x, None, None).rows_per_leaf();
    let places = Place::cut(x.shape().0, rows_per_leaf, shards);
    let part = |place: &Place| Part::of(x, &(place.first..place.first + place.count).collect::<Vec<_>>());
    let parts = places.iter().map(part).collect::<Result<Vec<_>>>()?;
    let stored: Vec<Stored<'_, T>> =
        parts.iter().map(|part| Stored::new(part.samples(), None, None).in_leaves(rows_per_leaf)).collect();
    let host = |(place, stored): (&Place, _)| -> (Place, Box<dyn SampleSide<T> + '_>) {
        let weights = &sample_weights[place.first..place.first + place.count];
        (*place, Box::new(Host::placed(stored, weights, *place)))
    };
    work(&mut Shards::new(places.iter().zip(&stored).map(host).collect())?)
}

/// Several sample sides as one: every order goes to all, their sums come back as one tree.
pub struct Shards<'a, T> {
    places: Vec<Place>,
    pub(super) sides: Vec<Box<dyn SampleSide<T> + 'a>>,
}

impl<'a, T: Real> Shards<'a, T> {
    /// Sides whose samples follow each other, with their places among all.
    pub fn new(sides: Vec<(Place, Box<dyn SampleSide<T> + 'a>)>) -> Result<Self> {
        let (places, sides): (Vec<_>, Vec<_>) = sides.into_iter().unzip();
        let mut next = 0;
        for place in &places {
            let total = places.iter().map(|place| place.count).sum();
            if (place.first, place.total) != (next, total) {
                return Err(Error::param(
                    "the shards",
                    format!("{place:?}"),
                    format!("sample {next} of {total} next"),
                ));
            }
            next += place.count;
        }
        Ok(Self { places, sides })
    }

    /// Gives an order to every side; the sums come back in `out`.
    pub(super) fn order<S: Summand + Send>(
        &mut self,
        out: &mut Tree<S>,
        order: impl Fn(&mut dyn SampleSide<T>, &mut Tree<S>) -> Result<()> + Sync,
    ) -> Result<()> {
        let mut obeyed: Vec<(Tree<S>, Result<()>)> =
            self.sides.iter().map(|_| (Tree::default(), Ok(()))).collect();
        each(self.sides.par_iter_mut().zip(&mut obeyed), |(side, (tree, obeyed))| {
            *obeyed = order(&mut **side, tree);
        });
        obeyed.into_iter().try_for_each(|(mut tree, obeyed)| {
            obeyed?;
            out.take(&mut tree);
            Ok(())
        })
    }
}

/// Samples that are clustered where they are.
struct Anywhere<'a, S: ?Sized>(&'a mut S);

impl<T: Real, S: SampleSide<T> + ?Sized> Scattered<T> for Anywhere<'_, S> {
    fn features(&self) -> usize {
        self.0.shape().1
    }

    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()> {
        self.0.nearest(points, look, out)
    }

    fn drawn(&self, draw: &Draw) -> Result<Mat<T>> {
        self.0.drawn(draw)
    }
}

/// Random factors; the mean entry is that of XᵀQV where V is 1 and Q how often each sample counts.
fn at_random<T: Real>(side: &mut dyn SampleSide<T>, start: &mut Start<'_, T>) -> Result<Mat<T>> {
    let (n, d) = side.shape();
    let weights = side.column(Column::SampleWeights)?;
    side.begin(Mat::from_fn(n, 1, |_, _| T::ONE))?;
    side.set_column(Column::Weights, &weights)?;
    let mut sums = Tree::default();
    side.pull(Some(1.0), &mut sums)?;
    let mean = sums.total().map_or(0.0, |sums| mean_of(&sums.p, &weights));
    let (u, rows) = random((d, start.centroids()), mean, start.rng());
    side.begin_random(&rows)?;
    Ok(u)
}

/// [`SampleSide::start`] by the other orders: at factors that were given or random, at k-means‖, or at k-means of samples that are
/// fetched.
pub fn start<T: Real>(side: &mut dyn SampleSide<T>, start: &mut Start<'_, T>) -> Result<Mat<T>> {
    if let Some(given) = start.given() {
        side.begin(given.v.clone())?;
        return Ok(given.u.clone());
    }
    match start.init() {
        Init::Kmeans | Init::Trimmed => {}
        Init::KmeansParallel => {
            let u = start.scattered(&mut Anywhere(side))?;
            side.begin_nearest(&u)?;
            return Ok(u);
        }
        Init::Random => return at_random(side, start),
        Init::Nndsvd | Init::Nndsvdar | Init::Graph => {
            let must = "kmeans, kmeans-parallel, trimmed or random, or given factors, for samples in shards";
            return Err(Error::param("init", format!("{:?}", start.init()).to_lowercase(), must));
        }
    }
    let chosen = start.chosen(side.shape().0);
    let weights = side.column(Column::SampleWeights)?;
    let weights: Vec<f64> = chosen.iter().map(|&i| weights[i]).collect();
    let rows = side.rows(&chosen)?;
    let u = start.with_weights(&weights, |start| start.factors(&Stored::new(rows.samples(), None, None)))?.u;
    side.begin_nearest(&u)?;
    Ok(u)
}

impl<T: Real> SampleSide<T> for Shards<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.sides.first().map_or((0, 0), SampleSide::shape)
    }

    fn another(&self) -> Result<Box<dyn SampleSide<T> + '_>> {
        let sides = self.sides.iter().map(SampleSide::another).collect::<Result<_>>()?;
        Ok(Box::new(Shards { places: self.places.clone(), sides }))
    }

    fn lengths(&self, out: &mut Tree<Lengths>) -> Result<()> {
        self.sides.iter().try_for_each(|side| side.lengths(out))
    }

    fn start(&mut self, start: &mut Start<'_, T>) -> Result<Mat<T>> {
        self::start(self, start)
    }

    fn begin_nearest(&mut self, centroids: &Mat<T>) -> Result<()> {
        self.order(&mut Tree::<Lengths>::default(), |side, _| side.begin_nearest(centroids))
    }

    fn begin_random(&mut self, rows: &RandomRows) -> Result<()> {
        self.sides.iter_mut().try_for_each(|side| side.begin_random(rows))
    }

    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()> {
        self.order(out, |side, out| side.nearest(points, look, out))
    }

    fn drawn(&self, draw: &Draw) -> Result<Mat<T>> {
        let drawn = self.sides.iter().map(|side| side.drawn(draw)).collect::<Result<Vec<_>>>()?;
        let rows = drawn.iter().map(Mat::rows).sum();
        let entries = drawn.iter().flat_map(Mat::as_slice).copied().collect();
        Mat::from_vec(entries, rows, self.shape().1)
    }

    fn rows(&self, samples: &[usize]) -> Result<Rows<T>> {
        let (mut rows, mut left) = (Rows::default(), samples);
        for (place, side) in self.places.iter().zip(&self.sides) {
            let (here, rest) = left.split_at(left.partition_point(|&i| i < place.first + place.count));
            rows.take(side.rows(here)?);
            left = rest;
        }
        Ok(rows)
    }

    fn begin(&mut self, v: Mat<T>) -> Result<()> {
        let places = self.places.iter().zip(&mut self.sides);
        places.into_iter().try_for_each(|(place, side)| {
            let rows = place.first * v.cols()..(place.first + place.count) * v.cols();
            side.begin(Mat::from_vec(v.as_slice()[rows].to_vec(), place.count, v.cols())?)
        })
    }

    fn sweep(&mut self, u: &Mat<T>, g: &Mat<T>, sweep: &Sweep, out: &mut Tree<Stats>) -> Result<()> {
        self.order(out, |side, out| side.sweep(u, g, sweep, out))
    }

    fn weigh(&mut self, loss: &dyn Loss, stats: &Stats, out: &mut Tree<Weighed>) -> Result<()> {
        self.order(out, |side, out| side.weigh(loss, stats, out))
    }

    fn pull(&mut self, scale: Option<f64>, out: &mut Tree<Pull<T>>) -> Result<()> {
        self.order(out, |side, out| side.pull(scale, out))
    }

    fn look_at_entries(&self, u: &Mat<T>, look: &EntryLook, out: &mut Tree<EntryCensus>) -> Result<()> {
        self.sides.iter().try_for_each(|side| side.look_at_entries(u, look, out))
    }

    fn sweep_entries(
        &mut self,
        u: &Mat<T>,
        sweep: &EntrySweep<T>,
        out: &mut Tree<EntrySums<T>>,
    ) -> Result<()> {
        self.order(out, |side, out| side.sweep_entries(u, sweep, out))
    }

    fn layers(&mut self) -> Result<&mut dyn LayerSide<T>> {
        Ok(self)
    }

    fn shift(&mut self, shift: Shift) -> Result<()> {
        self.sides.iter_mut().try_for_each(|side| side.shift(shift))
    }

    fn movement(&mut self, out: &mut Tree<Movement>) -> Result<()> {
        self.order(out, |side, out| side.movement(out))
    }

    fn finish(&mut self, u: &Mat<T>, finish: &Finish, out: &mut Tree<Stats>) -> Result<()> {
        self.order(out, |side, out| side.finish(u, finish, out))
    }

    fn column(&self, what: Column) -> Result<Vec<f64>> {
        Ok(self.sides.iter().map(|side| side.column(what)).collect::<Result<Vec<_>>>()?.concat())
    }

    fn set_column(&mut self, what: Column, values: &[f64]) -> Result<()> {
        let each = values.len() / self.places.iter().map(|place| place.count).sum::<usize>().max(1);
        self.places.iter().zip(&mut self.sides).try_for_each(|(place, side)| {
            side.set_column(what, &values[place.first * each..(place.first + place.count) * each])
        })
    }

    fn into_tall(self: Box<Self>) -> Result<Tall<T>> {
        let parts = self.sides.into_iter().map(SampleSide::into_tall).collect::<Result<Vec<_>>>()?;
        let columns = parts.iter().map(|part| part.v.cols()).max().unwrap_or(0);
        let rows = parts.iter().map(|part| part.v.rows()).sum();
        let mut all = Tall {
            v: Mat::zeros(0, 0),
            labels: Vec::new(),
            residuals: Vec::new(),
            weights: Vec::new(),
            above: Vec::new(),
        };
        let mut v = Vec::with_capacity(rows * columns);
        for part in parts {
            v.extend_from_slice(part.v.as_slice());
            all.labels.extend(part.labels);
            all.residuals.extend(part.residuals);
            all.weights.extend(part.weights);
            all.above.extend(part.above);
        }
        Ok(Tall { v: Mat::from_vec(v, rows, columns)?, ..all })
    }
}
