//! How many clusters there are: the largest number for which two halves of the data agree, or else the communities of their
//! graph.
//!
//! The data are cut into random halves, several times. For every k both halves are clustered by themselves (k-means,
//! the start of a fit), and each half is also assigned to the centroids of the other one. Where k is right the two
//! labelings agree (adjusted Rand index near 1); with more clusters than there are, one of them is cut in an arbitrary
//! way and the halves cut it differently (Tibshirani and Walther 2005, prediction strength; Lange et al. 2004).
//! Where the halves agree about nothing, clusters are not apart, but a graph may still hold together: then it is the number
//! of [`communities`] of the graph of 5 nearest neighbours, and how much that hangs on 5 says how sure it is. (In few dimensions
//! such a graph falls into far more; there halves agree where there are clusters.)
//! Outliers that the fit would set aside are left out before.
//! Cost: 2·[`SPLITS`]·[`RESTARTS`] runs of k-means for every k, on at most [`MOST_SAMPLES`] samples.

use std::ops::{ControlFlow, RangeInclusive};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::cancel::{Cancel, Deadline};
use crate::data::{Data, Stored, unit_factors};
use crate::error::{Error, Result};
use crate::graph::{Weighting, communities, knn_graph, nearest};
use crate::init::{Kmeans, Random, best_of, kmeans, nearest_centroids, trimmed_kmeans};
use crate::matrix::{Part, Samples};
use crate::metrics::ari;
use crate::outliers::screen;
use crate::preprocess;
use crate::real::Real;
use crate::spec::{Init, Missing, Spec};
use crate::threads::Running;

/// How often the data are cut into halves.
pub const SPLITS: usize = 10;
/// k-means runs of which the best is taken.
pub const RESTARTS: usize = 4;
/// Samples that are looked at in halves, at the most.
pub const MOST_SAMPLES: usize = 2_000;
/// Samples that a graph is made of, at the most.
pub const MOST_IN_GRAPH: usize = 10_000;
/// Numbers that are tried with halves, the smallest of those asked for.
const HALVES: usize = 19;
/// Halves that agree less than this agree about nothing.
pub const AGREED: f64 = 0.9;
/// Neighbours in the graph, and those that tell how sure it is.
const NEIGHBOURS: usize = 5;
const OTHER_NEIGHBOURS: [usize; 4] = [4, 6, 7, 8];
/// Samples of a half for every cluster, at the least.
const LEAST_MEMBERS: usize = 3;
/// Agreements that differ by less are equal.
const TOLERANCE: f64 = 0.02;

/// A number of clusters, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The chosen number.
    pub k: usize,
    /// The numbers that were tried.
    pub ks: Vec<usize>,
    /// For each the mean agreement of two halves of the data, 1 at best.
    pub stability: Vec<f64>,
    /// Standard deviation of that over the splits.
    pub spread: Vec<f64>,
    /// Splits that choose the same number by themselves.
    pub agreeing: usize,
    /// Splits in all.
    pub splits: usize,
    /// Where the halves did not agree: the least and the largest number of communities with other numbers of neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_graph: Option<(usize, usize)>,
}

impl Spec {
    /// Chooses a number of clusters for these samples; `seen(done, all)` is told how far it is and may end it, with
    /// the splits up to then. The preprocessing, the start and the seed are those of the fit.
    ///
    /// ```
    /// use emmf::{Running, Spec, synth};
    /// use std::ops::ControlFlow;
    /// let rays = synth::Rays { outliers: 0, ..synth::Rays::default() };
    /// let data = synth::rays_with_outliers::<f64>(&rays)?;
    /// let go_on = |_, _| ControlFlow::Continue(());
    /// let choice = Spec::emmf(1).choose_k(&data.x, 2..=6, go_on, &Running::default())?;
    /// assert_eq!(choice.k, 3);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn choose_k<'a, T: Real>(
        &self,
        x: impl Into<Samples<'a, T>>,
        ks: RangeInclusive<usize>,
        mut seen: impl FnMut(usize, usize) -> ControlFlow<()> + Send,
        running: &Running<'_>,
    ) -> Result<Choice> {
        T::choose_k(self, x.into(), ks, &mut seen, running)
    }
}

/// Is told how much is done, and of how much; may end it.
pub(crate) type Seen<'a> = &'a mut (dyn FnMut(usize, usize) -> ControlFlow<()> + Send);

/// See [`Spec::choose_k`].
pub(crate) fn choose_k<T: Real>(
    spec: &Spec,
    x: Samples<'_, T>,
    ks: &RangeInclusive<usize>,
    seen: Seen<'_>,
    running: &Running<'_>,
) -> Result<Choice> {
    let (asked, ks) = (ks.clone(), possible(x.shape().0, ks)?);
    if spec.missing == Missing::Nan {
        return Err(Error::Missing { what: "a choice of k".into(), instead: "give the number of clusters" });
    }
    let cancel = &running.cancel;
    running.threads.run(|_| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(spec.seed);
        let some = directions(spec, &x, &some_of(x.shape().0, MOST_SAMPLES, &mut random), (&ks, cancel))?;
        let mut order: Vec<usize> = (0..some.samples().shape().0).collect();
        let mut curves: Vec<Vec<f64>> = Vec::new();
        for split in 0..SPLITS {
            order.shuffle(&mut random);
            let (a, b) = order.split_at(order.len() / 2);
            let [a, b] = [a, b].map(|half| Part::copy(&some.samples(), half, |_| T::ONE));
            let (a, b) = (a?, b?);
            let halves = [&a, &b].map(|half| Stored::new(half.samples(), None, None));
            let mut random = Random::stream(spec.seed, split);
            let curve = ks
                .iter()
                .map(|&k| agreement(spec.init.unwrap_or_default(), &halves, k, (&mut random, cancel)));
            curves.push(curve.collect::<Result<_>>()?);
            if seen(split + 1, SPLITS).is_break() {
                break;
            }
        }
        let choice = Choice::new(ks, &curves);
        if choice.is_agreed() {
            return Ok(choice);
        }
        let rows = some_of(x.shape().0, MOST_IN_GRAPH, &mut random);
        let found = in_graph(&directions(spec, &x, &rows, (&choice.ks, cancel))?, cancel)?;
        let (least, most) = (*asked.start(), *asked.end());
        let range = found.iter().copied().min().zip(found.iter().copied().max());
        let by_graph = range.map(|(low, high)| (low.clamp(least, most), high.clamp(least, most)));
        Ok(Choice { k: found[0].clamp(least, most), by_graph, ..choice })
    })?
}

/// So many of `n` samples, ascending.
fn some_of(n: usize, most: usize, random: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    let mut rows = all.partial_shuffle(random, most.min(n)).0.to_vec();
    rows.sort_unstable();
    rows
}

/// The directions of these samples, without those that the fit would set aside. Clusters are directions, but an outlier may be
/// one by its length.
fn directions<'a, T: Real>(
    spec: &Spec,
    x: &Samples<'a, T>,
    rows: &[usize],
    (ks, cancel): (&[usize], &Cancel),
) -> Result<Part<'a, T>> {
    let part = Part::copy(x, rows, |_| T::ONE)?;
    let (_, mut prepared) = preprocess::fit(&spec.normalize, part.samples(), false)?;
    let (scale, norms_sq) = prepared.take_factors();
    let data = Stored::new(prepared.samples(), scale.clone(), norms_sq);
    let mut kept: Vec<usize> = (0..rows.len()).collect();
    if spec.sets_aside() {
        let found = screen(&data, ks.last().copied().unwrap_or(1), &vec![1.0; rows.len()], cancel)?;
        kept.retain(|&at| !found[at]);
    }
    let (factors, _) = unit_factors(scale.as_deref(), data.norms_sq());
    Part::copy(&prepared.samples(), &kept, |i| factors[i])
}

/// The number of communities with 5 neighbours, then with others.
fn in_graph<T: Real>(some: &Part<'_, T>, cancel: &Cancel) -> Result<[usize; OTHER_NEIGHBOURS.len() + 1]> {
    let data = Stored::new(some.samples(), None, None);
    let most = OTHER_NEIGHBOURS.into_iter().fold(NEIGHBOURS, usize::max);
    let near = nearest(&data, most, cancel)?;
    let count = |neighbours: usize| -> Result<usize> {
        let graph = knn_graph(&near.truncated(neighbours), Weighting::Binary)?;
        Ok(communities(&graph).into_iter().max().map_or(1, |last| last + 1))
    };
    let mut counts = [count(NEIGHBOURS)?; OTHER_NEIGHBOURS.len() + 1];
    for (counted, neighbours) in counts[1..].iter_mut().zip(OTHER_NEIGHBOURS) {
        *counted = count(neighbours)?;
    }
    Ok(counts)
}

impl Choice {
    fn new(ks: Vec<usize>, curves: &[Vec<f64>]) -> Self {
        let splits = curves.len();
        let mean = |at: usize| curves.iter().map(|curve| curve[at]).sum::<f64>() / splits as f64;
        let stability: Vec<f64> = (0..ks.len()).map(mean).collect();
        let deviation = |at: usize| {
            let squares = curves.iter().map(|curve| (curve[at] - stability[at]).powi(2)).sum::<f64>();
            (squares / splits as f64).sqrt()
        };
        let spread: Vec<f64> = (0..ks.len()).map(deviation).collect();
        let k = best(&ks, &stability);
        let agreeing = curves.iter().filter(|curve| best(&ks, curve) == k).count();
        Self { k, ks, stability, spread, agreeing, splits, by_graph: None }
    }

    /// Whether the halves agree about the number.
    fn is_agreed(&self) -> bool {
        self.stability.iter().any(|stability| *stability >= AGREED)
    }
}

/// The largest number of clusters that is as stable as any.
fn best(ks: &[usize], stability: &[f64]) -> usize {
    let top = stability.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let good = ks.iter().zip(stability).rev().find(|(_, stability)| **stability >= top - TOLERANCE);
    good.map_or(1, |(&k, _)| k)
}

/// The numbers of clusters for which there are enough samples.
fn possible(n: usize, ks: &RangeInclusive<usize>) -> Result<Vec<usize>> {
    let most = n.min(MOST_SAMPLES) / 2 / LEAST_MEMBERS;
    let possible: Vec<usize> = ks.clone().filter(|&k| (2..=most).contains(&k)).take(HALVES).collect();
    if possible.is_empty() {
        let must =
            format!("a number: {n} samples are too few to choose one of {} to {}", ks.start(), ks.end());
        return Err(Error::param("k", "to be chosen", must));
    }
    Ok(possible)
}

/// How well the halves agree about each other's clusters.
fn agreement<T: Real, X: Data<T>>(
    init: Init,
    halves: &[X; 2],
    k: usize,
    (random, cancel): (&mut Random, &Cancel),
) -> Result<f64> {
    let a = clusters(init, &halves[0], k, (random, cancel))?;
    let b = clusters(init, &halves[1], k, (random, cancel))?;
    let there = ari(&b.labels, &nearest_centroids(&halves[1], &a.centroids))?;
    let back = ari(&a.labels, &nearest_centroids(&halves[0], &b.centroids))?;
    Ok(f64::midpoint(there, back))
}

fn clusters<T: Real, X: Data<T>>(
    init: Init,
    x: &X,
    k: usize,
    (random, cancel): (&mut Random, &Cancel),
) -> Result<Kmeans<T>> {
    let weights = vec![1.0; x.shape().0];
    best_of(RESTARTS, Deadline::default(), || match init {
        Init::Trimmed => trimmed_kmeans(x, k, &weights, random, cancel),
        Init::Kmeans | Init::Random | Init::Nndsvd | Init::Graph => kmeans(x, k, &weights, random, cancel),
    })
}
