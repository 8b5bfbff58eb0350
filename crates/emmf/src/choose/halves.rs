//! How well random halves of the data agree about their clusters.
//!
//! For every k both halves are clustered by themselves (k-means, the start of a fit), and each half is also assigned to the
//! centroids of the other one. Where k is right the two labelings agree (adjusted Rand index near 1); with more clusters than
//! there are, one of them is cut in an arbitrary way and the halves cut it differently (Tibshirani and Walther 2005,
//! prediction strength; Lange et al. 2004).
//!
//! k-means sees the samples in their [`LEADING`] leading directions: these hold what k clusters explain, and as many again (Cohen
//! et al. 2015). Halves that can no longer agree are given up. Cost: at most 2·[`SPLITS`]·[`RESTARTS`] runs of k-means for
//! every k.

use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{AGREED, Choice, STEPS, Seen};
use crate::cancel::Cancel;
use crate::data::{Data, Dense, Stored};
use crate::error::Result;
use crate::init::{Kmeans, Random, best_of, kmeans, leading, nearest_centroids, trimmed_kmeans};
use crate::matrix::{Mat, Part};
use crate::metrics::ari;
use crate::real::Real;
use crate::spec::{Init, Spec};

/// How often the data are cut into halves.
pub const SPLITS: usize = 10;
/// Number of k-means runs, of which the best is used.
pub const RESTARTS: usize = 4;
/// Splits before halves are given up, and the least standard deviation that is reckoned with.
const LEAST_SPLITS: usize = 3;
const LEAST_SPREAD: f64 = 0.05;
/// Directions in which samples are looked at, where they have more features than twice as many.
const LEADING: usize = 40;

/// The agreement of every split for every number of clusters, and whether it was ended before there were enough. When time is
/// up, the first split may lack the last numbers, and a later one is not begun or left out.
pub(super) fn curves<T: Real>(
    (spec, ks): (&Spec, &[usize]),
    some: &Part<'_, T>,
    (random, seen): (&mut Xoshiro256PlusPlus, Seen<'_>),
    cancel: &Cancel,
) -> Result<(Vec<Vec<f64>>, bool)> {
    let some = in_few_directions(spec.seed, &Stored::new(some.samples(), None, None));
    let mut order: Vec<usize> = (0..some.rows()).collect();
    let mut curves: Vec<Vec<f64>> = Vec::new();
    for split in 0..SPLITS {
        order.shuffle(random);
        let (a, b) = order.split_at(order.len() / 2);
        let half = |rows: &[usize]| Mat::from_fn(rows.len(), some.cols(), |at, j| some[(rows[at], j)]);
        let (a, b) = (half(a), half(b));
        let halves = [&a, &b].map(|half| Dense::new(half.view(), None));
        let mut random = Random::stream(spec.seed, split);
        let init = spec.init.unwrap_or_default();
        let mut curve = Vec::with_capacity(ks.len());
        for &k in ks {
            if cancel.is_late() && !(split == 0 && curve.is_empty()) {
                break;
            }
            curve.push(agreement(init, &halves, k, (&mut random, cancel))?);
        }
        if cancel.is_late() && split > 0 {
            return Ok((curves, true));
        }
        curves.push(curve);
        if seen(split + 1, STEPS).is_break() {
            return Ok((curves, true));
        }
        if curves.len() >= LEAST_SPLITS && is_hopeless(ks, &curves) {
            break;
        }
    }
    Ok((curves, false))
}

/// Whether the mean agreement is more than two standard errors below what counts, for every number of clusters.
fn is_hopeless(ks: &[usize], curves: &[Vec<f64>]) -> bool {
    let so_far = Choice::new(ks.to_vec(), curves);
    let error = |spread: f64| spread.max(LEAST_SPREAD) / (curves.len() as f64).sqrt();
    so_far.stability.iter().zip(&so_far.spread).all(|(mean, spread)| mean + 2.0 * error(*spread) < AGREED)
}

/// The samples as points in their leading directions.
pub(super) fn in_few_directions<T: Real>(seed: u64, data: &Stored<'_, T>) -> Mat<T> {
    let (n, d) = data.shape();
    if d > 2 * LEADING
        && let Some(points) = leading(data, LEADING, &mut Random::new(seed))
    {
        return points;
    }
    let mut all = Mat::zeros(n, d);
    data.read(0..n, 0..d, all.as_mut_slice());
    all
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
    best_of(RESTARTS, cancel, || match init {
        Init::Trimmed => trimmed_kmeans(x, k, &weights, random, cancel),
        Init::Kmeans | Init::KmeansParallel | Init::Random | Init::Nndsvd | Init::Nndsvdar | Init::Graph => {
            kmeans(x, k, &weights, random, cancel)
        }
    })
}
