//! How many clusters there are: the largest number for which two halves of the data agree, or the communities of their graph
//! where these are many more and half of the data show the same ones, or where halves agree about nothing.
//!
//! The data are cut into random halves, several times (`halves.rs`). If k is right, the clusters that either half finds in the
//! other are those that the other finds by itself.
//! If the halves agree about nothing, the clusters are not well separated, but a graph may still show them: then k is the number
//! of [communities](crate::graph::communities) of the graph of 5 nearest neighbours, and how much that depends on the 5 says
//! how sure it is. If halves do agree, they may do so about groups of clusters, or about the few that k-means can tell apart:
//! communities are taken if there are at least twice as many and half of the samples alone show the same ones (`graph.rs`). In few dimensions a graph falls into
//! far more communities than there are clusters, but into others for other samples.
//! Outliers that the fit would set aside are left out beforehand.
//! Halves are made of at most [`MOST_SAMPLES`] samples, the graph of at most [`MOST_IN_GRAPH`].

mod graph;
mod halves;

use std::fmt;
use std::ops::{ControlFlow, RangeInclusive};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::cancel::{Cancel, Deadline, in_time};
use crate::data::{Data, Stored, unit_factors};
use crate::error::{Error, Result};
use crate::matrix::{Part, Samples};
use crate::outliers::screen;
use crate::preprocess;
use crate::real::Real;
use crate::spec::{Missing, Spec};
use crate::threads::Running;

use graph::Communities;
pub use halves::{RESTARTS, SPLITS};

/// Steps that are told: those of the halves, and those of the graph.
const STEPS: usize = SPLITS + graph::STEPS;

/// How many samples are looked at in halves, at most.
pub const MOST_SAMPLES: usize = 2_000;
/// How many samples a graph is made of, at most.
pub const MOST_IN_GRAPH: usize = 20_000;
/// Numbers that are tried with halves, the smallest of those asked for.
const HALVES: usize = 19;
/// Halves that agree less than this agree about nothing.
pub const AGREED: f64 = 0.9;
/// Clusters of a group of clusters, on average at the least.
const LEAST_IN_GROUP: usize = 2;
/// Samples of a half for every cluster, at the least.
const LEAST_MEMBERS: usize = 3;
/// Agreements that differ by less are equal.
const TOLERANCE: f64 = 0.02;

/// A number of clusters, or a rank, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// The chosen number.
    pub k: usize,
    /// The numbers that were tried.
    pub ks: Vec<usize>,
    /// For each, the mean agreement of two halves of the data or, for a rank, the mean share of held-out values that is
    /// explained; 1 at best.
    pub stability: Vec<f64>,
    /// Standard deviation of that over the splits.
    pub spread: Vec<f64>,
    /// Number of splits that choose the same number by themselves.
    pub agreeing: usize,
    /// Number of splits: of the data into halves, or of their values into those that are seen and those that are held out.
    pub splits: usize,
    /// If it is the number of communities: the smallest and the largest with other numbers of neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_graph: Option<(usize, usize)>,
    /// Whether it is a rank, see [`Spec::choose_rank`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rank: bool,
    /// The community of every sample, if it is the number of communities: a fit can [start](crate::Given::clusters) there.
    #[serde(skip)]
    pub clusters: Option<Vec<usize>>,
}

/// What was chosen and how sure that is, in a sentence.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (self.ks.first().unwrap_or(&0), self.ks.last().unwrap_or(&0));
        let at = self.ks.iter().position(|k| *k == self.k).unwrap_or(0);
        let (k, splits, own) = (self.k, self.splits, 100.0 * self.stability.get(at).unwrap_or(&0.0));
        let best = 100.0 * self.stability.iter().copied().fold(0.0, f64::max);
        match self.by_graph {
            _ if self.rank => write!(
                f,
                "{k} of {first} to {last}: the smallest rank that explains held-out values as well as any, \
                 {own:.1} % of them in the median sample (at best {best:.1} %); \
                 {} of {splits} masks choose it",
                self.agreeing
            ),
            Some((low, high)) if self.is_agreed() => write!(
                f,
                "{k} by the graph: its communities, {low} to {high} with 4 to 8 neighbours, and half of the samples show the same; \
                 they lie in {} groups, about which random halves of the data agree to {best:.0} %",
                self.by_halves()
            ),
            Some((low, high)) => write!(
                f,
                "{k} by the graph: its communities, {low} to {high} with 4 to 8 neighbours; random halves of the data agree to \
                 {best:.0} % at best"
            ),
            None => write!(
                f,
                "{k} of {first} to {last}: two halves of the data agree to {own:.0} %; {} of {splits} splits choose it",
                self.agreeing
            ),
        }?;
        let is_last = self.by_graph.is_none() && first < last && self.k == *last;
        if is_last { write!(f, "; no larger number was tried") } else { Ok(()) }
    }
}

impl Spec {
    /// Chooses a number of clusters for these samples; `seen(done, all)` is told how far it is and can end the search with
    /// the splits made so far, until the graph's turn comes. The preprocessing, the start and the seed are those of the fit.
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
        return Err(Error::Missing { what: "choosing k".into(), instead: "give the number of clusters" });
    }
    let cancel = &running.cancel.until(Deadline::halfway(spec.time_limit));
    running.threads.run(|_| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(spec.seed);
        let n = x.shape().0;
        let rows = some_of(n, MOST_SAMPLES, &mut random);
        let some = Directions::find(spec, &x, &rows, (&ks, cancel))?.kept()?;
        let (curves, ended) = halves::curves((spec, &ks), &some, (&mut random, seen), cancel)?;
        let choice = Choice::new(ks.into_iter().take(curves[0].len()).collect(), &curves);
        if ended || cancel.is_late() {
            return Ok(choice);
        }
        let rows = some_of(n, MOST_IN_GRAPH, &mut random);
        let some = Directions::find(spec, &x, &rows, (&choice.ks, cancel))?;
        // Nothing is left that could be ended.
        let mut tick = |done| {
            let _ = seen(SPLITS + done, STEPS);
        };
        let found = Communities::find(&some, &mut random, &mut tick, cancel);
        let Some(found) = in_time(found)? else { return Ok(choice) };
        // One more or less is within what cutting or joining two of many changes.
        let finer = found.are_agreed()
            && found.count() >= LEAST_IN_GROUP * choice.k
            && asked.contains(&found.count());
        if choice.is_agreed() && !finer {
            return Ok(choice);
        }
        let choice = choice.in_graph(&found, &asked);
        if choice.k != found.count() {
            return Ok(choice);
        }
        let clusters = found.of_all((spec, x), (&some, &rows), cancel)?;
        Ok(Choice { clusters, ..choice })
    })?
}

/// So many of `n` samples, ascending.
fn some_of(n: usize, most: usize, random: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    let mut rows = all.partial_shuffle(random, most.min(n)).0.to_vec();
    rows.sort_unstable();
    rows
}

/// The directions of some samples. Clusters are directions, but an outlier may be one by its length.
struct Directions<'a, T> {
    all: Part<'a, T>,
    /// Those that the fit would not set aside.
    kept: Vec<usize>,
}

impl<'a, T: Real> Directions<'a, T> {
    fn find(
        spec: &Spec,
        x: &Samples<'a, T>,
        rows: &[usize],
        (ks, cancel): (&[usize], &Cancel),
    ) -> Result<Self> {
        let part = Part::copy(x, rows, |_| T::ONE)?;
        let (_, mut prepared) = preprocess::fit(&spec.normalize, part.samples(), false)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale.clone(), norms_sq);
        let mut kept: Vec<usize> = (0..rows.len()).collect();
        if spec.sets_aside() {
            let found = screen(&data, ks.last().copied().unwrap_or(1), &vec![1.0; rows.len()], cancel);
            if let Some(found) = in_time(found)? {
                kept.retain(|&at| !found[at]);
            }
        }
        let (factors, _) = unit_factors(scale.as_deref(), data.norms_sq());
        let every: Vec<usize> = (0..rows.len()).collect();
        Ok(Self { all: Part::copy(&prepared.samples(), &every, |i| factors[i])?, kept })
    }

    /// Those that the fit would not set aside.
    fn kept(self) -> Result<Part<'a, T>> {
        if self.kept.len() == self.all.samples().shape().0 {
            return Ok(self.all);
        }
        Part::copy(&self.all.samples(), &self.kept, |_| T::ONE)
    }
}

impl Choice {
    /// The same without the clusters, which are not written to files.
    #[must_use]
    pub fn without_clusters(self) -> Self {
        Self { clusters: None, ..self }
    }

    /// By the agreement of every split for every number.
    pub(crate) fn new(ks: Vec<usize>, curves: &[Vec<f64>]) -> Self {
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
        Self { k, ks, stability, spread, agreeing, splits, by_graph: None, rank: false, clusters: None }
    }

    /// Whether the halves agree about the number.
    fn is_agreed(&self) -> bool {
        self.stability.iter().any(|stability| *stability >= AGREED)
    }

    /// The number by halves alone.
    fn by_halves(&self) -> usize {
        best(&self.ks, &self.stability)
    }

    /// The number of communities instead, within what was asked for.
    fn in_graph(self, found: &Communities, asked: &RangeInclusive<usize>) -> Self {
        let within = |count: usize| count.clamp(*asked.start(), *asked.end());
        let (low, high) = found.range();
        Self { k: within(found.count()), by_graph: Some((within(low), within(high))), ..self }
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
            format!("a number: {n} samples are too few to choose one from {} to {}", ks.start(), ks.end());
        return Err(Error::param("k", "to be chosen", must));
    }
    Ok(possible)
}
