//! k-means‖ (Bahmani et al. 2012): k-means++ whose draws do not wait for each other, for samples that may be anywhere.
//!
//! In each of five rounds every sample is drawn on its own, with probability ℓ·sᵢDᵢ²/Σ sD², ℓ = 2k, Dᵢ its distance to the nearest
//! sample drawn before (all alike at first). Those that were drawn are candidates, each counting as often as the samples that are nearest to
//! it; weighted k-means++ and Lloyd's iterations make k centroids of them, and Lloyd's iterations over all samples follow. What comes back
//! from the samples are sums, k×d at most, and candidates, about 10k in all. A draw is a hash of seed, round and the number of the sample among
//! all: it does not matter who holds which.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::kmeans::column_norms_sq;
use super::{Random, best_of, hash, kmeans};
use crate::cancel::Cancel;
use crate::data::{Data, Dense, Place, Summand, Tree, sum_of_parts};
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::real::Real;
use crate::spec::Spec;
use crate::threads::each;
use crate::threads::prelude::*;

/// Rounds of draws, and at most, where nothing was drawn in those.
const ROUNDS: u64 = 6;
const MOST_ROUNDS: u64 = 60;
/// Candidates that a round is to draw, for each cluster.
const OVERSAMPLE: f64 = 2.0;
/// Lloyd's iterations over all samples at most, and by what share the last of them lowers the inertia.
const LLOYD: usize = 100;
const SETTLED: f64 = 1e-4;

/// Samples that are clustered wherever they are.
pub(crate) trait Scattered<T> {
    /// Features of a sample.
    fn features(&self) -> usize;

    /// The nearest of some points, d×m, to every sample, and what it sums to.
    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()>;

    /// Samples that are drawn by chance, in their order.
    fn drawn(&self, draw: &Draw) -> Result<Mat<T>>;
}

/// How samples are measured against points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Look {
    /// Points against which they were measured before, which count, too. Where there are none, and none now, all are at
    /// distance 1.
    pub before: usize,
    /// Whether the samples nearest to each point are added up.
    pub sums: bool,
}

/// Sums over samples, each of which belongs to the nearest point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Near<T> {
    /// Σ sᵢDᵢ².
    pub inertia: f64,
    /// Σ sᵢ of each point.
    pub counts: Vec<f64>,
    /// Σ sᵢxᵢ of each point, d×m, where they are wanted.
    pub sums: Option<Mat<T>>,
}

impl<T> Near<T> {
    /// What some samples sum to: Σ sᵢDᵢ², Σ sᵢ of each point, and Σ sᵢxᵢ of each, d×m, where they are wanted.
    pub fn new(inertia: f64, counts: Vec<f64>, sums: Option<Mat<T>>) -> Self {
        Self { inertia, counts, sums }
    }
}

impl<T: Real> Summand for Near<T> {
    fn add(&mut self, other: &Self) {
        self.inertia += other.inertia;
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, other)| *sum += other);
        if let (Some(sums), Some(other)) = (&mut self.sums, &other.sums) {
            sums.as_mut_slice().iter_mut().zip(other.as_slice()).for_each(|(sum, &other)| *sum += other);
        }
    }
}

/// A draw of samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// Draws of other seeds and rounds have nothing to do with it.
    pub seed: u64,
    /// See there.
    pub round: u64,
    /// A sample is drawn with probability `chance`·sᵢDᵢ².
    pub chance: f64,
}

impl Draw {
    /// A number from 0 up to 1 for a sample, by its number among all.
    pub fn lot(&self, sample: usize) -> f64 {
        let bits = hash(hash(self.seed, self.round), sample as u64) >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }
}

/// The centroids, d×k, of the samples.
pub(super) fn kmeans_parallel<T: Real>(
    samples: &mut dyn Scattered<T>,
    spec: &Spec,
    rng: &mut Random,
    cancel: &Cancel,
) -> Result<Mat<T>> {
    let mut near = Tree::default();
    let (candidates, counts) = candidates(samples, spec.k, rng.0.random(), (&mut near, cancel))?;
    let x = Dense::new(candidates.view(), None);
    let clusters = best_of(spec.init_restarts, cancel, || kmeans(&x, spec.k, &counts, rng, cancel))?;
    let (mut centroids, mut last) = (clusters.centroids, f64::INFINITY);
    for _ in 0..LLOYD {
        cancel.check()?;
        near.clear();
        samples.nearest(&centroids, Look { before: 0, sums: true }, &mut near)?;
        let Some(Near { inertia, counts, sums: Some(sums) }) = near.total() else { break };
        if *inertia >= (1.0 - SETTLED) * last || cancel.is_late() {
            break;
        }
        last = *inertia;
        for j in 0..centroids.rows() {
            for (k, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
                centroids[(j, k)] = T::from_f64(sums[(j, k)].to_f64() / count);
            }
        }
    }
    Ok(centroids)
}

/// Samples that were drawn, one a row, and how often each counts.
fn candidates<T: Real>(
    samples: &mut dyn Scattered<T>,
    k: usize,
    seed: u64,
    (near, cancel): (&mut Tree<Near<T>>, &Cancel),
) -> Result<(Mat<T>, Vec<f64>)> {
    let (d, mut found, mut counts) = (samples.features(), Vec::new(), Vec::new());
    let mut points = Mat::zeros(d, 0);
    for round in 0..MOST_ROUNDS {
        cancel.check()?;
        near.clear();
        let before = found.len() / d;
        samples.nearest(&points, Look { before: before - points.cols(), sums: false }, near)?;
        let inertia = near.total().map_or(0.0, |near| {
            counts.clone_from(&near.counts);
            near.inertia
        });
        let is_enough = before > 0 && (round >= ROUNDS || cancel.is_late());
        if is_enough || inertia <= 0.0 {
            break;
        }
        let drawn = samples.drawn(&Draw { seed, round, chance: OVERSAMPLE * k as f64 / inertia })?;
        points = Mat::from_fn(d, drawn.rows(), |j, t| drawn[(t, j)]);
        found.extend_from_slice(drawn.as_slice());
    }
    let rows = found.len() / d;
    if rows == 0 {
        return Err(Error::param("the samples' weights", "0", "positive for some samples"));
    }
    // Those of the last round count once, where nobody has measured them.
    counts.resize(rows, 1.0);
    Ok((Mat::from_vec(found, rows, d)?, counts))
}

/// Samples that are here, with their place among all and their weights.
type Held<'a, X> = (&'a X, &'a Place, &'a [f64]);

/// The nearest point of every sample, so far.
#[derive(Default)]
pub(crate) struct Measured {
    labels: Vec<usize>,
    distances: Vec<f64>,
}

impl Measured {
    /// See [`Scattered::nearest`].
    pub(crate) fn nearest<T: Real, X: Data<T>>(
        &mut self,
        (x, place, s): Held<'_, X>,
        points: &Mat<T>,
        look: Look,
        out: &mut Tree<Near<T>>,
    ) -> Result<()> {
        let d = x.shape().1;
        if points.rows() != d {
            return Err(Error::Shape { what: "the points", got: points.shape(), want: (d, points.cols()) });
        }
        if look.before == 0 {
            let far = if points.cols() == 0 { 1.0 } else { f64::INFINITY };
            *self = Self { labels: vec![0; place.count], distances: vec![far; place.count] };
        } else if look.sums {
            return Err(Error::param("the sums", "wanted", "of points that are measured at once"));
        }
        self.is_there(place)?;
        if points.cols() > 0 && place.count > 0 {
            self.measure(x, points, look.before);
        }
        x.intact()?;
        self.sum((x, place, s), look.before + points.cols(), look.sums, out);
        x.intact()
    }

    fn is_there(&self, place: &Place) -> Result<()> {
        if self.distances.len() == place.count {
            return Ok(());
        }
        Err(Error::param("the samples", "not measured", "measured against points before"))
    }

    fn measure<T: Real, X: Data<T>>(&mut self, x: &X, points: &Mat<T>, before: usize) {
        let (lengths, m) = (column_norms_sq(points), points.cols());
        x.project(points, &mut self.labels, &mut self.distances, |block| {
            let rows = block.rows.zip(block.p.chunks_exact(m)).zip(block.a.iter_mut().zip(block.r));
            for ((i, products), (label, distance)) in rows {
                for (t, product) in products.iter().enumerate() {
                    let to = (x.norms_sq()[i] + lengths[t] - 2.0 * product.to_f64()).max(0.0);
                    if to < *distance {
                        (*label, *distance) = (before + t, to);
                    }
                }
            }
        });
    }

    /// Fills the tree with the sums of the subtrees that are here.
    fn sum<T: Real, X: Data<T>>(
        &self,
        (x, place, s): Held<'_, X>,
        points: usize,
        sums: bool,
        out: &mut Tree<Near<T>>,
    ) {
        let (size, wide) = (place.rows_per_part(), points + 1);
        let weights: Vec<T> = if sums { s.iter().map(|&s| T::from_f64(s)).collect() } else { Vec::new() };
        let belongs = |i: usize, k: usize| if self.labels[i] == k { T::ONE } else { T::ZERO };
        let members = if sums { Mat::from_fn(place.count, points, belongs) } else { Mat::zeros(0, 0) };
        for (node, rows) in place.nodes() {
            let parts = rows.len().div_ceil(size);
            let mut partial = vec![0.0; parts * wide];
            each(partial.par_chunks_mut(wide).enumerate(), |(part, partial)| {
                let start = rows.start + part * size;
                for i in start..(start + size).min(rows.end) {
                    partial[0] += s[i] * self.distances[i];
                    if points > 0 {
                        partial[1 + self.labels[i]] += s[i];
                    }
                }
            });
            let sum = |at: usize| sum_of_parts(parts, |part| partial[part * wide + at], |a, b| a + b);
            let (inertia, counts) = (sum(0), (1..wide).map(sum).collect());
            let sums = sums.then(|| {
                let mut sums = Mat::zeros(x.shape().1, points);
                x.t_dot_of(rows, &weights, &members, &mut sums);
                sums
            });
            *out.fill(node) = Some(Near { inertia, counts, sums });
        }
    }

    /// See [`Scattered::drawn`].
    pub(crate) fn drawn<T: Real, X: Data<T>>(
        &self,
        (x, place, s): Held<'_, X>,
        draw: &Draw,
    ) -> Result<Mat<T>> {
        self.is_there(place)?;
        let is_drawn = |i: &usize| draw.lot(place.first + i) < draw.chance * s[*i] * self.distances[*i];
        let drawn: Vec<usize> = (0..place.count).filter(is_drawn).collect();
        let mut rows = Mat::zeros(drawn.len(), x.shape().1);
        drawn.iter().enumerate().for_each(|(at, &i)| x.add_row(i, T::ONE, rows.row_mut(at)));
        x.intact()?;
        Ok(rows)
    }
}

/// Samples in this memory.
pub(super) struct Here<'a, X> {
    x: &'a X,
    weights: &'a [f64],
    place: Place,
    measured: Measured,
}

impl<'a, X> Here<'a, X> {
    pub(super) fn new<T: Real>(x: &'a X, weights: &'a [f64]) -> Self
    where
        X: Data<T>,
    {
        Self { x, weights, place: Place::whole(x.shape().0), measured: Measured::default() }
    }
}

impl<T: Real, X: Data<T>> Scattered<T> for Here<'_, X> {
    fn features(&self) -> usize {
        self.x.shape().1
    }

    fn nearest(&mut self, points: &Mat<T>, look: Look, out: &mut Tree<Near<T>>) -> Result<()> {
        self.measured.nearest((self.x, &self.place, self.weights), points, look, out)
    }

    fn drawn(&self, draw: &Draw) -> Result<Mat<T>> {
        self.measured.drawn((self.x, &self.place, self.weights), draw)
    }
}
