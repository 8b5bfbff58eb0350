//! A start that has lost a cluster: two groups share a centroid while another group has two.
//!
//! k-means ends in such states, and no sample can leave them one by one. A swap can: the cluster that gains most by being cut in
//! two is cut, and the two clusters that lose least are put together, where that lowers the inertia
//! (Kaukoranta, Fränti and Nevalainen 1998, merge and split). A dead centroid costs nothing to give up, a doubled one little.

use super::kmeans::{Kmeans, kmeans, lloyd};
use super::{Random, best_of};
use crate::cancel::Cancel;
use crate::data::Data;
use crate::error::Result;
use crate::matrix::Mat;
use crate::real::Real;

/// Clusters, those with the most inertia, that may be cut each time.
const CUT: usize = 3;
/// Runs of k-means that cut one, of which the best is taken.
const RUNS: usize = 2;
/// What a swap must gain, as a share of the inertia, and how many there are at most: a start that lost more is no good.
const LEAST: f64 = 1e-3;
const SWAPS: usize = 5;

/// Two clusters instead of one.
struct Cutting<T> {
    cluster: usize,
    gain: f64,
    halves: Mat<T>,
}

/// The clusters after all swaps that lower the inertia, as long as there is time.
pub(super) fn mended<T: Real, X: Data<T>>(
    x: &X,
    mut found: Kmeans<T>,
    weights: &[f64],
    (rng, cancel): (&mut Random, &Cancel),
) -> Result<Kmeans<T>> {
    for _ in 0..SWAPS {
        if found.centroids.cols() < 3 || cancel.is_late() {
            break;
        }
        let (sizes, inertias) = shares(&found, weights);
        let Some(cutting) = best_cutting(x, &found, (weights, &inertias), (rng, cancel))? else { break };
        let Some((a, b, cost)) = cheapest_pair(&found.centroids, &sizes, cutting.cluster) else { break };
        if cutting.gain - cost <= LEAST * found.inertia {
            break;
        }
        let centroids = swapped(&found.centroids, &sizes, (a, b), &cutting);
        let next = lloyd(x, centroids, cancel, |_| weights.to_vec())?;
        if next.inertia >= found.inertia {
            break;
        }
        found = next;
    }
    Ok(found)
}

/// How many samples each cluster has, as they count, and their share of the inertia.
fn shares<T: Real>(found: &Kmeans<T>, weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let k = found.centroids.cols();
    let (mut sizes, mut inertias) = (vec![0.0; k], vec![0.0; k]);
    for ((&label, distance), weight) in found.labels.iter().zip(&found.distances).zip(weights) {
        sizes[label] += weight;
        inertias[label] += weight * distance;
    }
    (sizes, inertias)
}

/// The cluster that gains most by being cut, of those with the most inertia.
fn best_cutting<T: Real, X: Data<T>>(
    x: &X,
    found: &Kmeans<T>,
    (weights, inertias): (&[f64], &[f64]),
    (rng, cancel): (&mut Random, &Cancel),
) -> Result<Option<Cutting<T>>> {
    let mut order: Vec<usize> = (0..inertias.len()).collect();
    order.sort_by(|&a, &b| inertias[b].total_cmp(&inertias[a]).then(a.cmp(&b)));
    let mut best: Option<Cutting<T>> = None;
    for &cluster in order.iter().take(CUT) {
        // Samples of other clusters do not count.
        let members: Vec<f64> = found
            .labels
            .iter()
            .zip(weights)
            .map(|(&label, &w)| if label == cluster { w } else { 0.0 })
            .collect();
        let two = best_of(RUNS, cancel, || kmeans(x, 2, &members, rng, cancel))?;
        let gain = inertias[cluster] - two.inertia;
        if best.as_ref().is_none_or(|best| gain > best.gain) {
            best = Some(Cutting { cluster, gain, halves: two.centroids });
        }
    }
    Ok(best)
}

/// The two clusters that lose least by being put together, and how much; the one that is cut is none of them.
fn cheapest_pair<T: Real>(centroids: &Mat<T>, sizes: &[f64], cut: usize) -> Option<(usize, usize, f64)> {
    let distance = |a: usize, b: usize| -> f64 {
        (0..centroids.rows()).map(|j| (centroids[(j, a)].to_f64() - centroids[(j, b)].to_f64()).powi(2)).sum()
    };
    let cost = |a: usize, b: usize| {
        let both = sizes[a] + sizes[b];
        if both > 0.0 { sizes[a] * sizes[b] / both * distance(a, b) } else { 0.0 }
    };
    let others = || (0..sizes.len()).filter(|&k| k != cut);
    let pairs = others().flat_map(|a| others().filter(move |&b| b > a).map(move |b| (a, b)));
    pairs.map(|(a, b)| (a, b, cost(a, b))).min_by(|a, b| a.2.total_cmp(&b.2))
}

/// The centroids with `a` and `b` as one, and the cluster that is cut as two.
fn swapped<T: Real>(
    centroids: &Mat<T>,
    sizes: &[f64],
    (a, b): (usize, usize),
    cutting: &Cutting<T>,
) -> Mat<T> {
    let mut next = centroids.clone();
    let both = (sizes[a] + sizes[b]).max(f64::MIN_POSITIVE);
    for j in 0..next.rows() {
        let mean = (sizes[a] * centroids[(j, a)].to_f64() + sizes[b] * centroids[(j, b)].to_f64()) / both;
        next[(j, a)] = T::from_f64(mean);
        (next[(j, b)], next[(j, cutting.cluster)]) = (cutting.halves[(j, 0)], cutting.halves[(j, 1)]);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;

    /// Twelve groups of thirty samples, one beside the other.
    fn groups() -> Mat<f64> {
        let noise = |i: usize, j: usize| ((i * 37 + j * 101 + i * j * 13) % 97) as f64 / 97.0;
        Mat::from_fn(360, 12, |i, j| noise(i, j) + if j == 0 { (i / 30 * 20) as f64 } else { 0.0 })
    }

    #[test]
    fn a_lost_cluster_is_found() {
        let x = groups();
        let (data, weights, cancel) = (Dense::new(x.view(), None), vec![1.0; 360], Cancel::new());
        // The first group has more than one centroid, the last ones share one.
        for doubled in 1..=3 {
            let of = |k: usize| k.saturating_sub(doubled);
            let centroids = Mat::from_fn(12, 12, |j, k| x[(of(k) * 30 + k, j)]);
            let lost = lloyd(&data, centroids, &cancel, |_| weights.clone()).unwrap();
            let by = (&mut Random::new(1), &cancel);
            let found = mended(&data, lost.clone(), &weights, by).unwrap();
            assert!(lost.inertia > 10.0 * found.inertia, "{} {}", lost.inertia, found.inertia);
            for group in found.labels.chunks(30) {
                assert!(group.iter().all(|label| *label == group[0]), "{doubled}: {group:?}");
            }
        }
    }

    #[test]
    fn what_is_right_stays() {
        let x = groups();
        let (data, weights, cancel) = (Dense::new(x.view(), None), vec![1.0; 360], Cancel::new());
        let centroids = Mat::from_fn(12, 12, |j, k| x[(k * 30, j)]);
        let right = lloyd(&data, centroids, &cancel, |_| weights.clone()).unwrap();
        let found = mended(&data, right.clone(), &weights, (&mut Random::new(1), &cancel)).unwrap();
        assert_eq!((found.labels, found.centroids), (right.labels, right.centroids));
    }
}
