//! Where U and V start.

mod along;
mod kmeans;
mod mend;
mod nndsvd;
mod parallel;
mod random;
mod trimmed;

use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_distr::Exp1;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::cancel::Cancel;
use crate::data::{Data, Dense};
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::opaque::opaque;
use crate::real::Real;
use crate::spec::{Init, Missing, Spec};
use parallel::Here;

pub(crate) use along::{
    PREDICTED, Parts, clusters_along, fill, labels_nearby, means, settled, widest, widths,
};
pub(crate) use kmeans::nearest_centroids;
pub use kmeans::{Kmeans, kmeans};
pub(crate) use nndsvd::{OVERSAMPLE, leading};
pub use parallel::{Draw, Look, Near};
pub(crate) use parallel::{Measured, Scattered};
pub use random::RandomRows;
pub(crate) use random::{mean_of, random};
pub use trimmed::trimmed_kmeans;

/// A stream of random numbers.
#[derive(Debug)]
pub struct Random(pub(crate) Xoshiro256PlusPlus);

impl Random {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The stream of restart `restart`: the streams of one seed never overlap, so restarts may run in any
    /// order.
    pub(crate) fn stream(seed: u64, restart: usize) -> Self {
        let mut random = Self::new(seed);
        (0..restart).for_each(|_| random.0.jump());
        random
    }
}

impl Random {
    /// So many different numbers below `below`, ascending.
    pub(crate) fn distinct(&mut self, many: usize, below: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..below).collect();
        let many = many.min(below);
        (0..many).for_each(|at| all.swap(at, self.0.random_range(at..below)));
        all.truncate(many);
        all.sort_unstable();
        all
    }

    /// A number of the exponential distribution with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        self.0.sample(Exp1)
    }
}

/// X ≈ V·Uᵀ: U is d×c, the centroids; V is n×c, the coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors<T> {
    /// Centroids, one per column.
    pub u: Mat<T>,
    /// Coefficients, one row per sample.
    pub v: Mat<T>,
}

impl<T: Real> Factors<T> {
    /// Shapes that fit the data, entries finite and not negative.
    pub(crate) fn check(&self, (n, d): (usize, usize), k: usize) -> Result<()> {
        for (what, factor, rows) in [("the given U", &self.u, d), ("the given V", &self.v, n)] {
            if factor.shape() != (rows, k) {
                return Err(Error::Shape { what, got: factor.shape(), want: (rows, k) });
            }
            let bad = |value: &T| !(*value >= T::ZERO && value.is_finite());
            if let Some(at) = factor.as_slice().iter().position(bad) {
                let (row, column) = (at / k, at % k);
                return Err(Error::Param {
                    name: what,
                    got: format!("{} in row {row}, column {column} (from 0)", factor[(row, column)]),
                    must: "finite and nonnegative".into(),
                });
            }
        }
        Ok(())
    }
}

/// Where a method starts: factors, made when they are asked for, and random numbers.
pub struct Start<'a, T> {
    spec: &'a Spec,
    weights: &'a [f64],
    given: Option<&'a Factors<T>>,
    /// The clusters of [`Init::Graph`].
    clusters: Option<&'a [usize]>,
    rng: Random,
    seconds: f64,
    cancel: Cancel,
    /// What comes of the start is given the values of a checkpoint at once.
    resumes: bool,
}

opaque! { [T] Start<'_, T>; }

impl<'a, T: Real> Start<'a, T> {
    /// The start that `spec` names, or the `given` one; `weights` are the samples' own.
    pub(crate) fn new(
        spec: &'a Spec,
        weights: &'a [f64],
        given: Option<&'a Factors<T>>,
        rng: Random,
    ) -> Self {
        Self {
            spec,
            weights,
            given,
            clusters: None,
            rng,
            seconds: 0.0,
            cancel: Cancel::default(),
            resumes: false,
        }
    }

    /// The same start, made of what can be had until this token ends it.
    pub(crate) fn ended_by(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// The same start, at these clusters.
    pub(crate) fn at(self, clusters: Option<&'a [usize]>) -> Self {
        Self { clusters, ..self }
    }

    /// The same start of a fit that goes on from a checkpoint, or does not.
    pub(crate) fn resuming(self, resumes: bool) -> Self {
        Self { resumes, ..self }
    }

    /// Whether what comes of it is given the values of a checkpoint at once: then nothing need be iterated.
    pub(crate) fn resumes(&self) -> bool {
        self.resumes
    }

    /// The factors that the caller gave.
    pub fn given(&self) -> Option<&'a Factors<T>> {
        self.given
    }

    /// How factors are made if none are given.
    pub fn init(&self) -> Init {
        match (self.clusters, self.spec.init) {
            (Some(_), _) => Init::Graph,
            // The clusters along a graph are always the same: other restarts start elsewhere.
            (None, Some(Init::Graph) | None) => Init::Kmeans,
            (None, Some(init)) => init,
        }
    }

    /// Number of centroids.
    pub fn centroids(&self) -> usize {
        self.spec.k
    }

    /// The random numbers of this restart.
    pub fn rng(&mut self) -> &mut Random {
        &mut self.rng
    }

    /// What ends the making of the start, and when the time is up.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// The factors that the caller gave, or those of `spec.init`.
    pub fn factors<X: Data<T>>(&mut self, x: &X) -> Result<Factors<T>> {
        if let Some(given) = self.given {
            return Ok(given.clone());
        }
        let began = Instant::now();
        let factors = if self.spec.missing == Missing::Nan {
            let filled = filled(x);
            self.make(&Dense::new(filled.view(), None))
        } else {
            self.make(x)
        };
        self.seconds += began.elapsed().as_secs_f64();
        factors
    }

    /// Makes the start that the parameters name.
    fn make<X: Data<T>>(&mut self, x: &X) -> Result<Factors<T>> {
        let init = self.init();
        let Self { spec, weights, clusters, rng, cancel, .. } = self;
        let clusters = match init {
            Init::Random => return Ok(random::start(x, spec.k, weights, rng)),
            Init::Nndsvd => return nndsvd::start(x, spec.k, weights, rng),
            Init::Nndsvdar => return nndsvd::start_at_random(x, spec.k, weights, rng),
            Init::Kmeans => {
                let best = best_of(spec.init_restarts, cancel, || kmeans(x, spec.k, weights, rng, cancel))?;
                // One run is k-means as published.
                if spec.init_restarts > 1 { mend::mended(x, best, weights, (rng, cancel))? } else { best }
            }
            Init::Trimmed => {
                best_of(spec.init_restarts, cancel, || trimmed_kmeans(x, spec.k, weights, rng, cancel))?
            }
            Init::KmeansParallel => {
                let mut here = Here::new(x, weights);
                let u = self.scattered(&mut here)?;
                let v = membership(&nearest_centroids(x, &u), u.cols());
                return Ok(Factors { u, v });
            }
            Init::Graph => return Ok(from_labels(x, clusters.unwrap_or_default(), spec.k, weights)),
        };
        Ok(from_clusters(&clusters))
    }

    /// The centroids of k-means‖ of samples that are anywhere.
    pub(crate) fn scattered(&mut self, samples: &mut dyn Scattered<T>) -> Result<Mat<T>> {
        let Self { spec, rng, cancel, .. } = self;
        parallel::kmeans_parallel(samples, spec, rng, cancel)
    }

    /// Samples that stand for all n where these are elsewhere: all, or [`CHOSEN`] of them by a hash of the seed and their
    /// numbers.
    pub(crate) fn chosen(&self, n: usize) -> Vec<usize> {
        some_rows(self.spec.seed, n, CHOSEN)
    }

    /// Whether k-means would run on all of n samples where these are elsewhere.
    pub fn sees_all(&self, n: usize) -> bool {
        n <= CHOSEN
    }

    /// Does something with this start for samples with these weights.
    pub fn with_weights<R>(&mut self, weights: &[f64], work: impl FnOnce(&mut Start<'_, T>) -> R) -> R {
        let Self { spec, given, clusters, resumes, .. } = *self;
        let rng = std::mem::replace(&mut self.rng, Random::new(0));
        let start = Start::new(spec, weights, given, rng).at(clusters).ended_by(&self.cancel);
        let mut start = start.resuming(resumes);
        let done = work(&mut start);
        self.seconds += start.seconds;
        self.rng = start.rng;
        done
    }

    /// Time that making the factors took.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// X with the mean of its feature in place of every missing value.
pub(crate) fn filled<T: Real, X: Data<T>>(x: &X) -> Mat<T> {
    let (n, d) = x.shape();
    let mut all = Mat::zeros(n, d);
    x.read(0..n, 0..d, all.as_mut_slice());
    for j in 0..d {
        let there = || (0..n).map(|i| all[(i, j)].to_f64()).filter(|x| !x.is_nan());
        let mean = T::from_f64(there().sum::<f64>() / there().count().max(1) as f64);
        (0..n)
            .filter(|&i| all[(i, j)].to_f64().is_nan())
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|i| all[(i, j)] = mean);
    }
    all
}

/// The clustering with the lowest inertia of so many `runs`, or as there is time for; at least one is made.
pub(crate) fn best_of<T: Real>(
    runs: usize,
    cancel: &Cancel,
    mut cluster: impl FnMut() -> Result<Kmeans<T>>,
) -> Result<Kmeans<T>> {
    let mut best = cluster()?;
    for _ in 1..runs {
        if cancel.is_late() {
            break;
        }
        let next = cluster()?;
        if next.inertia < best.inertia {
            best = next;
        }
    }
    Ok(best)
}

/// Samples on which k-means runs where all are elsewhere.
const CHOSEN: usize = 20_000;

/// All of n samples, or `most` of them by a hash of the seed and their numbers; they ascend.
pub(crate) fn some_rows(seed: u64, n: usize, most: usize) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    // The smallest so far; there may be more samples than memory for all of their numbers.
    let mut hashed: Vec<(u64, usize)> = Vec::with_capacity(2 * most.max(1));
    for i in 0..n {
        hashed.push((hash(seed, i as u64), i));
        if hashed.len() >= 2 * most.max(1) {
            hashed.select_nth_unstable(most);
            hashed.truncate(most);
        }
    }
    if hashed.len() > most {
        hashed.select_nth_unstable(most);
    }
    let mut chosen: Vec<usize> = hashed[..most].iter().map(|(_, i)| *i).collect();
    chosen.sort_unstable();
    chosen
}

/// A number that seems random, of two.
pub(crate) fn hash(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// U = centroids, clamped at 0; V = one-hot labels + 0.2. With an offset of 0 the zeros of V would be
/// locked and the labels could never change.
fn from_clusters<T: Real>(clusters: &Kmeans<T>) -> Factors<T> {
    let mut u = clusters.centroids.clone();
    let clamp = |value: &mut T| {
        if *value < T::ZERO {
            *value = T::ZERO;
        }
    };
    u.as_mut_slice().iter_mut().for_each(clamp);
    let v = membership(&clusters.labels, u.cols());
    Factors { u, v }
}

/// The same of clusters that are found otherwise: U their weighted means.
fn from_labels<T: Real, X: Data<T>>(x: &X, labels: &[usize], k: usize, weights: &[f64]) -> Factors<T> {
    let mut members = vec![Vec::new(); k];
    labels.iter().enumerate().for_each(|(i, &label)| members[label].push(i));
    let count = |members: &Vec<usize>| members.iter().map(|&i| weights[i]).sum::<f64>();
    let counts: Vec<f64> = members.iter().map(count).collect();
    let weights: Vec<T> = weights.iter().map(|&weight| T::from_f64(weight)).collect();
    let mut u = x.sums_of(&members, &weights);
    for row in u.as_mut_slice().chunks_exact_mut(k) {
        for (entry, &count) in row.iter_mut().zip(&counts).filter(|(_, count)| **count > 0.0) {
            *entry = T::from_f64(entry.to_f64() / count);
        }
    }
    Factors { u, v: membership(labels, k) }
}

/// V of samples in these clusters.
pub(crate) fn membership<T: Real>(labels: &[usize], clusters: usize) -> Mat<T> {
    let (member, other) = (T::from_f64(1.2), T::from_f64(0.2));
    Mat::from_fn(labels.len(), clusters, |i, k| if labels[i] == k { member } else { other })
}
