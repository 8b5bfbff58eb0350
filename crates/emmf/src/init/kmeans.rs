//! k-means: greedy k-means++ seeding (Arthur and Vassilvitskii 2007), then Lloyd's iterations.
//!
//! Cost O(ndc) for the seeding's c/(2 + ln c) trials and for every iteration.

use rand::RngExt;

use super::Random;
use crate::cancel::Cancel;
use crate::data::{Data, is_small};
use crate::error::Result;
use crate::matrix::Mat;
use crate::real::Real;

/// Maximum number of Lloyd iterations.
const MAX_ITER: usize = 300;

/// A clustering: centroids (d×c, one a column), the nearest of each sample, and how near.
#[derive(Debug, Clone)]
pub struct Kmeans<T> {
    /// d×c, one centroid a column.
    pub centroids: Mat<T>,
    /// The centroid of each sample.
    pub labels: Vec<usize>,
    /// Squared distance of each sample to its centroid.
    pub distances: Vec<f64>,
    /// Weighted sum of the squared distances of the samples that count.
    pub inertia: f64,
}

/// k-means of X into `k` clusters, sample i counting `weights[i]` times. When the time is up, the clusters are those of the
/// centroids there are then.
pub fn kmeans<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    weights: &[f64],
    rng: &mut Random,
    cancel: &Cancel,
) -> Result<Kmeans<T>> {
    let centroids = seed(x, k, weights, (rng, cancel), |_| {})?;
    lloyd(x, centroids, cancel, |_| weights.to_vec())
}

/// Whether k-means is to end with what it has. Where a walk over the samples is next to nothing it need not, and gives the same
/// clusters whatever the time.
fn is_late<T: Real, X: Data<T>>(x: &X, k: usize, cancel: &Cancel) -> bool {
    let (n, d) = x.shape();
    cancel.is_late() && !is_small(n.saturating_mul(d).saturating_mul(k))
}

/// Lloyd's iterations from the given centroids until no sample changes its cluster. `weigh` gives
/// every sample's weight in the next centroids, from the distances to the present ones.
pub(super) fn lloyd<T: Real, X: Data<T>>(
    x: &X,
    centroids: Mat<T>,
    cancel: &Cancel,
    mut weigh: impl FnMut(&[f64]) -> Vec<f64>,
) -> Result<Kmeans<T>> {
    let (n, k) = (x.shape().0, centroids.cols());
    let mut state = Kmeans { centroids, labels: vec![k; n], distances: vec![0.0; n], inertia: f64::INFINITY };
    let (mut weights, mut products) = (vec![0.0; n], Mat::zeros(n, k));
    let mut moved: Vec<usize> = (0..k).collect();
    for _ in 0..MAX_ITER {
        cancel.check()?;
        let before = (state.labels.clone(), weights);
        assign(x, &mut state, &moved, &mut products);
        weights = weigh(&state.distances);
        let inertia = state.distances.iter().zip(&weights).map(|(d, w)| d * w).sum();
        // The second test ends the cycles that ties and rounding can make.
        let settled = state.labels == before.0 || inertia >= state.inertia;
        state.inertia = inertia;
        if settled || is_late(x, k, cancel) {
            break;
        }
        moved = update(x, &mut state, &weights, &before);
        if moved.is_empty() {
            break;
        }
    }
    Ok(state)
}

/// The nearest of these centroids, d×c, to every sample.
pub(crate) fn nearest_centroids<T: Real, X: Data<T>>(x: &X, centroids: &Mat<T>) -> Vec<usize> {
    let (n, k) = (x.shape().0, centroids.cols());
    let (labels, distances) = (vec![0; n], vec![0.0; n]);
    let mut state = Kmeans { centroids: centroids.clone(), labels, distances, inertia: 0.0 };
    let moved: Vec<usize> = (0..k).collect();
    assign(x, &mut state, &moved, &mut Mat::zeros(n, k));
    state.labels
}

/// Nearest centroid of every sample. Only the products with centroids that moved are made; after a few
/// iterations these are few.
fn assign<T: Real, X: Data<T>>(x: &X, state: &mut Kmeans<T>, moved: &[usize], products: &mut Mat<T>) {
    let lengths = column_norms_sq(&state.centroids);
    let (k, labels) = (lengths.len(), &mut state.labels);
    let points = Mat::from_fn(state.centroids.rows(), moved.len(), |j, t| state.centroids[(j, moved[t])]);
    let mut nearest: Vec<(usize, f64)> = vec![(0, 0.0); labels.len()];
    x.project(&points, products.as_mut_slice(), &mut nearest, |block| {
        let rows = block.a.chunks_exact_mut(k).zip(block.p.chunks_exact(moved.len()));
        for ((i, (products, fresh)), nearest) in block.rows.zip(rows).zip(block.r) {
            moved.iter().zip(fresh).for_each(|(&k, &fresh)| products[k] = fresh);
            let score = |k: usize| lengths[k] - 2.0 * products[k].to_f64();
            let best = (1..k).fold(0, |best, k| if score(k) < score(best) { k } else { best });
            *nearest = (best, (x.norms_sq()[i] + score(best)).max(0.0));
        }
    });
    for (i, (label, distance)) in nearest.into_iter().enumerate() {
        (labels[i], state.distances[i]) = (label, distance);
    }
}

/// Centroids become the weighted means of their members; an empty cluster takes the sample that is
/// farthest from its centroid. Returns those that are not as they were with the labels and weights `before`.
fn update<T: Real, X: Data<T>>(
    x: &X,
    state: &mut Kmeans<T>,
    weights: &[f64],
    before: &(Vec<usize>, Vec<f64>),
) -> Vec<usize> {
    let (d, c) = state.centroids.shape();
    let mut members = vec![Vec::new(); c];
    let mut changed = vec![false; c + 1];
    for (i, &label) in state.labels.iter().enumerate() {
        if weights[i] > 0.0 {
            members[label].push(i);
        }
        if (label, weights[i]) != (before.0[i], before.1[i]) {
            (changed[label], changed[before.0[i]]) = (true, true);
        }
    }
    if members.iter().any(Vec::is_empty) {
        let mut far: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0.0).collect();
        far.sort_by(|&a, &b| state.distances[a].total_cmp(&state.distances[b]).then(b.cmp(&a)));
        let empty: Vec<usize> = (0..c).filter(|&k| members[k].is_empty()).collect();
        for empty in empty {
            // Nobody is taken from a cluster of its own.
            let Some(at) = far.iter().rposition(|&i| members[state.labels[i]].len() > 1) else { break };
            let sample = far.remove(at);
            members[state.labels[sample]].retain(|&i| i != sample);
            members[empty].push(sample);
            (changed[empty], changed[state.labels[sample]]) = (true, true);
        }
    }
    let moved: Vec<usize> = (0..c).filter(|&k| changed[k] && !members[k].is_empty()).collect();
    let mut shares = vec![T::ZERO; weights.len()];
    for members in &members {
        let total: f64 = members.iter().map(|&i| weights[i]).sum();
        members.iter().for_each(|&i| shares[i] = T::from_f64(weights[i] / total));
    }
    let members: Vec<Vec<usize>> = moved.iter().map(|&k| std::mem::take(&mut members[k])).collect();
    let means = x.sums_of(&members, &shares);
    for (t, &k) in moved.iter().enumerate() {
        (0..d).for_each(|j| state.centroids[(j, k)] = means[(j, t)]);
    }
    moved
}

/// k-means++: each next centroid is the best of a few samples drawn with probability proportional to
/// their weighted squared distance to the nearest centroid so far. `screen` may lower these weighted
/// distances before the draw.
pub(super) fn seed<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    weights: &[f64],
    (rng, cancel): (&mut Random, &Cancel),
    screen: impl Fn(&mut [f64]),
) -> Result<Mat<T>> {
    let (n, d) = x.shape();
    let trials = 2 + (k as f64).ln() as usize;
    let mut columns: Vec<Vec<T>> = Vec::with_capacity(k);
    let mut nearest: Vec<f64> = vec![f64::INFINITY; n];
    let mut chances = weights.to_vec();
    for at in 0..k {
        cancel.check()?;
        if is_late(x, k, cancel) {
            // As the chances are now: nobody measures how far the others are.
            let drawn = draw(&chances, rng);
            chances[drawn] = 0.0;
            columns.push(row(x, drawn));
            continue;
        }
        let drawn: Vec<usize> = (0..if at == 0 { 1 } else { trials }).map(|_| draw(&chances, rng)).collect();
        let candidates: Vec<Vec<T>> = drawn.iter().map(|&i| row(x, i)).collect();
        let distances = distances_to(x, &Mat::from_fn(d, drawn.len(), |j, t| candidates[t][j]));
        let potential =
            |t: usize| -> f64 { (0..n).map(|i| weights[i] * nearest[i].min(distances[(i, t)])).sum() };
        let best = (0..drawn.len()).min_by(|&a, &b| potential(a).total_cmp(&potential(b))).unwrap_or(0);
        columns.extend(candidates.into_iter().nth(best));
        for i in 0..n {
            nearest[i] = nearest[i].min(distances[(i, best)]);
            chances[i] = weights[i] * nearest[i];
        }
        screen(&mut chances);
    }
    Ok(Mat::from_fn(d, k, |j, k| columns[k][j]))
}

/// Sample i as a vector.
pub(super) fn row<T: Real, X: Data<T>>(x: &X, i: usize) -> Vec<T> {
    let mut row = vec![T::ZERO; x.shape().1];
    x.add_row(i, T::ONE, &mut row);
    row
}

/// An index drawn with the given chances; uniform where all of them are zero.
fn draw(chances: &[f64], rng: &mut Random) -> usize {
    let total: f64 = chances.iter().sum();
    if total <= 0.0 {
        return rng.0.random_range(0..chances.len());
    }
    let mut left = rng.0.random::<f64>() * total;
    let last = chances.iter().rposition(|&chance| chance > 0.0).unwrap_or(0);
    chances
        .iter()
        .take(last)
        .position(|&chance| {
            left -= chance;
            left < 0.0
        })
        .unwrap_or(last)
}

/// Squared distances of all samples to the columns of `points`.
fn distances_to<T: Real, X: Data<T>>(x: &X, points: &Mat<T>) -> Mat<f64> {
    let lengths = column_norms_sq(points);
    let products = x.dot(points);
    let distance = |i: usize, t: usize| x.norms_sq()[i] + lengths[t] - 2.0 * products[(i, t)].to_f64();
    Mat::from_fn(products.rows(), lengths.len(), |i, t| distance(i, t).max(0.0))
}

pub(super) fn column_norms_sq<T: Real>(a: &Mat<T>) -> Vec<f64> {
    (0..a.cols()).map(|k| (0..a.rows()).map(|j| a[(j, k)].to_f64().powi(2)).sum()).collect()
}
