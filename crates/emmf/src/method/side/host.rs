//! A sample side in this memory.

use std::ops::Range;

use super::{
    Column, Draw, EntryCensus, EntryLook, EntrySums, EntrySweep, Finish, LayerSide, Lengths, Look, Movement,
    Near, Place, Pull, RandomRows, Rows, SampleSide, Shift, Summand, Sweep, Tall, Tree, Weighed,
    layers::Layered,
};
use crate::data::{Block, Data, Gram, PARTS, least_parts, sum_of_parts, vectorized};
use crate::error::{Error, Result};
use crate::init::{Factors, Measured, Start, membership, nearest_centroids};
use crate::loss::{Loss, Stats};
use crate::matrix::{Csr, Mat};
use crate::method::entrywise::{self, Counted, Room, Walk, check_beta, median_sweep};
use crate::method::{Coding, labels, residual};
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Multiplications that take as long as the share and the weight of a sample.
const LOGARITHM: usize = 16;
/// Entries of V that one thread takes at a time.
const CHUNK: usize = 1 << 14;

/// X in this memory, or read from it, with V and all that has a row per sample.
pub struct Host<'x, T, X> {
    pub(super) x: &'x X,
    /// sᵢ, how often each sample counts.
    pub(super) sample_weights: &'x [f64],
    pub(super) place: Place,
    pub(in crate::method) v: Mat<T>,
    /// rᵢ, smoothed where the loss asks for it.
    pub(in crate::method) r: Vec<f64>,
    /// diag(Q), and the same times a factor in the type of V.
    pub(in crate::method) weights: Vec<f64>,
    pub(in crate::method) q: Vec<T>,
    pub(in crate::method) gram: Gram<T>,
    /// How far the samples are from points that k-means‖ measures them against.
    measured: Measured,
    /// V gone on, where it does.
    ahead: Option<Mat<T>>,
    /// V at the last look at its movement.
    pub(super) before: Option<Mat<T>>,
    pub(super) labels: Vec<usize>,
    pub(super) residuals: Vec<f64>,
    /// Of walks over entries.
    room: Room<T>,
    /// What they are on layers, where they are seen on several.
    pub(super) layers: Option<Layered<T>>,
}

impl<'x, T: Real, X: Data<T>> Host<'x, T, X> {
    /// All samples.
    pub fn new(x: &'x X, sample_weights: &'x [f64]) -> Self {
        Self::placed(x, sample_weights, Place::whole(x.shape().0))
    }

    /// A shard: samples at this place among more.
    pub fn placed(x: &'x X, sample_weights: &'x [f64], place: Place) -> Self {
        Self {
            x,
            sample_weights,
            place,
            v: Mat::zeros(0, 0),
            r: Vec::new(),
            weights: Vec::new(),
            q: Vec::new(),
            gram: Gram::new(0),
            measured: Measured::default(),
            ahead: None,
            before: None,
            labels: Vec::new(),
            residuals: Vec::new(),
            room: Room::default(),
            layers: None,
        }
    }

    /// Sums over the residuals.
    pub(in crate::method) fn stats(&self, out: &mut Tree<Stats>) {
        stats(&self.place, &self.r, self.sample_weights, out);
    }
}

/// Adds up `sum(rows, items)` over the parts of samples at this place, each with its own of the `items`, one for every sample; `work`
/// is what it takes a sample.
fn over_parts<A: Send, S: Summand + Copy + Default + Send>(
    place: &Place,
    work: usize,
    items: &mut [A],
    out: &mut Tree<S>,
    sum: impl Fn(Range<usize>, &mut [A]) -> S + Sync,
) {
    let (size, least) = (place.rows_per_part(), least_parts(work * place.count));
    for (node, rows) in place.nodes() {
        let mut sums = [S::default(); PARTS];
        let parts = sums.par_iter_mut().zip(items[rows.clone()].par_chunks_mut(size)).enumerate();
        each(parts.with_min_len(least), |(part, (out, items))| {
            let start = rows.start + part * size;
            *out = sum(start..start + items.len(), items);
        });
        *out.fill(node) = Some(sum_of_parts(rows.len().div_ceil(size), |part| sums[part], added));
    }
}

/// No item for any sample.
fn nothing(place: &Place) -> Vec<()> {
    vec![(); place.count]
}

/// Sums over residuals `r` of samples with weights `s`.
pub(super) fn stats(place: &Place, r: &[f64], s: &[f64], out: &mut Tree<Stats>) {
    over_parts(place, LOGARITHM, &mut nothing(place), out, |rows, _| Stats::of(&r[rows.clone()], &s[rows]));
}

/// Lengths of samples with these squares and weights `s`.
fn lengths(place: &Place, norms_sq: &[f64], s: &[f64], out: &mut Tree<Lengths>) {
    over_parts(place, 1, &mut nothing(place), out, |rows, _| {
        let of_one = |(norm_sq, s): (&f64, &f64)| {
            let length = norm_sq.sqrt();
            Lengths { n: *s, sum: s * length, longest: length }
        };
        let samples = norms_sq[rows.clone()].iter().zip(&s[rows]);
        samples.map(of_one).fold(Lengths::default(), added)
    });
}

/// What [`SampleSide::weigh`] finds at residuals of all samples, which are here.
pub(in crate::method) fn weigh_all(loss: &dyn Loss, r: &[f64], s: &[f64], weights: &mut [f64]) -> Weighed {
    let (place, mut sums, mut found) = (Place::whole(r.len()), Tree::default(), Tree::default());
    stats(&place, r, s, &mut sums);
    let sums = sums.total().copied().unwrap_or_default();
    weigh((loss, &sums), &place, (r, s), weights, &mut found);
    found.total().copied().unwrap_or_default()
}

/// The sum over both.
fn added<S: Summand + Copy>(mut a: S, b: S) -> S {
    a.add(&b);
    a
}

/// The entry after its movement from `last` to `now` went on by a share.
#[inline(always)]
pub(in crate::method) fn gone_on<T: Real>(now: T, last: T, share: T) -> T {
    let next = now + share * (now - last);
    if next < T::TINY { T::ZERO } else { next }
}

impl<T: Real, X: Data<T>> SampleSide<T> for Host<'_, T, X> {
    fn shape(&self) -> (usize, usize) {
        (self.place.total, self.x.shape().1)
    }

    fn another(&self) -> Result<Box<dyn SampleSide<T> + '_>> {
        Ok(Box::new(Self::placed(self.x, self.sample_weights, self.place)))
    }

    fn lengths(&self, out: &mut Tree<Lengths>) -> Result<()> {
        lengths(&self.place, self.x.norms_sq(), self.sample_weights, out);
        Ok(())
    }

    fn start(&mut self, start: &mut Start<'_, T>) -> Result<Mat<T>> {
        let Factors { u, v } = start.factors(self.x)?;
        self.begin(v)?;
        Ok(u)
    }

    fn begin(&mut self, v: Mat<T>) -> Result<()> {
        let n = self.x.shape().0;
        (self.r, self.weights, self.q) = (vec![0.0; n], vec![0.0; n], vec![T::ONE; n]);
        self.gram = Gram::new(v.cols());
        self.measured = Measured::default();
        self.room = Room::default();
        self.layers = None;
        self.v = v;
        Ok(())
    }

    fn begin_nearest(&mut self, centroids: &Mat<T>) -> Result<()> {
        let labels = if self.place.count == 0 { Vec::new() } else { nearest_centroids(self.x, centroids) };
        self.begin(membership(&labels, centroids.cols()))?;
        self.x.intact()
    }

    fn begin_random(&mut self, rows: &RandomRows) -> Result<()> {
        self.begin(rows.rows(self.place.first, self.place.count))
    }

    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()> {
        self.measured.nearest((self.x, &self.place, self.sample_weights), points, look, out)
    }

    fn drawn(&self, draw: &Draw) -> Result<Mat<T>> {
        self.measured.drawn((self.x, &self.place, self.sample_weights), draw)
    }

    fn rows(&self, samples: &[usize]) -> Result<Rows<T>> {
        let (Place { first, count, .. }, d) = (self.place, self.x.shape().1);
        if let Some(i) = samples.iter().find(|&&i| !(first..first + count).contains(&i)) {
            return Err(Error::param("row", i, format!("one of {first} to {}", first + count)));
        }
        if self.x.is_sparse() {
            let row = |i: &usize| {
                let mut entries = Vec::new();
                self.x.for_each_of_sample(i - first, |j, value| entries.push((j, value)));
                entries
            };
            return Ok(Rows::Sparse(Csr::of_rows(d, samples.iter().map(row))?));
        }
        let mut rows = Mat::zeros(samples.len(), d);
        samples.iter().enumerate().for_each(|(at, i)| self.x.add_row(i - first, T::ONE, rows.row_mut(at)));
        self.x.intact()?;
        Ok(Rows::Dense(rows))
    }

    fn sweep(&mut self, u: &Mat<T>, g: &Mat<T>, sweep: &Sweep, out: &mut Tree<Stats>) -> Result<()> {
        let Self { x, v, r, .. } = self;
        let (x, c) = (*x, u.cols());
        if !r.is_empty() {
            x.project(u, v.as_mut_slice(), r, |Block { rows, p, scratch, a: v, r }| {
                if let Some(update) = sweep.update {
                    update.rows(v, p, g, scratch);
                    // A zero sample has no use for any centroid, but a rule cannot tell for one that is zero.
                    let empty =
                        rows.clone().zip(v.chunks_exact_mut(c)).filter(|(i, _)| x.norms_sq()[*i] == 0.0);
                    empty.for_each(|(_, v)| v.fill(T::ZERO));
                }
                residual::for_block(x, rows, (u, g), (v, p, scratch), |at, square| {
                    r[at] = (square + sweep.smoothing).sqrt();
                });
            });
        }
        x.intact()?;
        self.stats(out);
        Ok(())
    }

    fn weigh(&mut self, loss: &dyn Loss, stats: &Stats, out: &mut Tree<Weighed>) -> Result<()> {
        weigh((loss, stats), &self.place, (&self.r, self.sample_weights), &mut self.weights, out);
        Ok(())
    }

    fn pull(&mut self, scale: Option<f64>, out: &mut Tree<Pull<T>>) -> Result<()> {
        if let Some(scale) = scale {
            let pairs = self.q.iter_mut().zip(&self.weights);
            vectorized!(pairs.for_each(|(q, weight)| *q = T::from_f64(scale * weight)));
        }
        let (d, c, size) = (self.x.shape().1, self.v.cols(), self.place.rows_per_part());
        for (node, rows) in self.place.nodes() {
            let Pull { p, g } =
                out.fill(node).get_or_insert_with(|| Pull { p: Mat::zeros(d, c), g: Mat::zeros(c, c) });
            self.x.t_dot_of(rows.clone(), &self.q, &self.v, p);
            let v = &self.v.as_slice()[rows.start * c..rows.end * c];
            g.as_mut_slice().copy_from_slice(self.gram.weighted_rows(&self.q[rows], v, size).as_slice());
        }
        self.x.intact()
    }

    fn look_at_entries(&self, u: &Mat<T>, look: &EntryLook, out: &mut Tree<EntryCensus>) -> Result<()> {
        let Self { x, sample_weights, v, .. } = self;
        if let Some(beta) = look.beta {
            check_beta(*x, beta, self.place.first)?;
        }
        Counted { x: *x, u, v, sample_weights }.census(&self.place, look, out);
        x.intact()
    }

    fn sweep_entries(
        &mut self,
        u: &Mat<T>,
        sweep: &EntrySweep<T>,
        out: &mut Tree<EntrySums<T>>,
    ) -> Result<()> {
        let Self { x, sample_weights, v, r, weights, room, .. } = self;
        let tall = entrywise::Tall { v: v.as_mut_slice(), r, weights };
        Walk { x: *x, sample_weights, u, sweep }.go(&self.place, tall, room, out);
        x.intact()
    }

    fn sweep_medians(&mut self, u: &mut Mat<T>) -> Result<()> {
        let mut factors = Factors { u: std::mem::take(u), v: std::mem::take(&mut self.v) };
        median_sweep(self.x, self.sample_weights, &mut factors);
        (*u, self.v) = (factors.u, factors.v);
        self.x.intact()
    }

    fn layers(&mut self) -> Result<&mut dyn LayerSide<T>> {
        Ok(self)
    }

    fn shift(&mut self, shift: Shift) -> Result<()> {
        let Self { v, ahead, .. } = self;
        let ahead = ahead.get_or_insert_with(|| v.clone());
        match shift {
            Shift::Begin => {}
            Shift::Swap => std::mem::swap(v, ahead),
            Shift::Back => {
                std::mem::swap(v, ahead);
                ahead.as_mut_slice().copy_from_slice(v.as_slice());
            }
            Shift::Extrapolate(share) => {
                let share = T::from_f64(share);
                let chunks = ahead.as_mut_slice().par_chunks_mut(CHUNK).zip(v.as_slice().par_chunks(CHUNK));
                each(chunks, |(last, v)| {
                    last.iter_mut().zip(v).for_each(|(last, &v)| *last = gone_on(v, *last, share));
                });
            }
        }
        Ok(())
    }

    fn movement(&mut self, out: &mut Tree<Movement>) -> Result<()> {
        let c = self.v.cols();
        let before = self.before.get_or_insert_with(|| self.v.clone());
        let (before, v) = (before.as_slice(), self.v.as_slice());
        over_parts(&self.place, c, &mut nothing(&self.place), out, |rows, _| {
            let entries = rows.start * c..rows.end * c;
            Movement::between(&before[entries.clone()], &v[entries])
        });
        if let Some(before) = &mut self.before {
            before.as_mut_slice().copy_from_slice(self.v.as_slice());
        }
        Ok(())
    }

    fn finish(&mut self, u: &Mat<T>, finish: &Finish, out: &mut Tree<Stats>) -> Result<()> {
        self.labels = labels::largest(&self.v, u, finish.labels);
        (self.ahead, self.before) = (None, None);
        let polish = finish.polish.then_some((finish.deadline, &finish.cancel));
        let (coding, missing) = match &finish.entries {
            Some(entries) => (entries.coding(), entries.missing),
            None => (Coding::LeastSquares, false),
        };
        self.room = Room::default();
        self.residuals = coding.polish(self.x, (u, &mut self.v), polish, missing)?;
        self.x.intact()?;
        let smoothed = self.r.iter_mut().zip(&self.residuals);
        smoothed.for_each(|(r, residual)| *r = (residual * residual + finish.smoothing).sqrt());
        self.stats(out);
        Ok(())
    }

    fn column(&self, what: Column) -> Result<Vec<f64>> {
        let reals = |values: &Mat<T>| values.as_slice().iter().map(|value| value.to_f64()).collect();
        Ok(match what {
            Column::Coefficients => reals(&self.v),
            Column::Ahead => self.ahead.as_ref().map(reals).unwrap_or_default(),
            Column::Residuals => self.layers.as_ref().map_or_else(|| self.r.clone(), Layered::residuals),
            Column::Weights => self.layers.as_ref().map_or_else(|| self.weights.clone(), Layered::weights),
            Column::SampleWeights => self.sample_weights.to_vec(),
        })
    }

    fn set_column(&mut self, what: Column, values: &[f64]) -> Result<()> {
        let factor = |factor: &mut Mat<T>| {
            factor.as_mut_slice().iter_mut().zip(values).for_each(|(to, &value)| *to = T::from_f64(value));
        };
        match (what, &mut self.layers) {
            (Column::Residuals, Some(layers)) => layers.set_residuals(values),
            (Column::Weights, Some(layers)) => layers.set_weights(values),
            (Column::Coefficients, _) => factor(&mut self.v),
            (Column::Ahead, _) => self.ahead.iter_mut().for_each(factor),
            (Column::Residuals, None) => self.r.copy_from_slice(values),
            (Column::Weights, None) => self.weights.copy_from_slice(values),
            (Column::SampleWeights, _) => {
                return Err(Error::param("the column", "sample weights", "one that iterations change"));
            }
        }
        Ok(())
    }

    fn into_tall(self: Box<Self>) -> Result<Tall<T>> {
        let Self { v, labels, residuals, weights, layers, .. } = *self;
        let (weights, above) = layers.map_or_else(|| (weights, Vec::new()), Layered::into_left);
        Ok(Tall { v, labels, residuals, weights, above })
    }
}

/// The objective and the largest of `weights`, which become diag(Q), at these (smoothed) residuals `r` of samples with weights `s`.
pub(super) fn weigh(
    (loss, stats): (&dyn Loss, &Stats),
    place: &Place,
    (r, s): (&[f64], &[f64]),
    weights: &mut [f64],
    out: &mut Tree<Weighed>,
) {
    over_parts(place, LOGARITHM, weights, out, |rows, weights| {
        let (objective, largest) = loss.weigh(&r[rows.clone()], &s[rows], stats, weights);
        Weighed { objective, largest }
    });
}
