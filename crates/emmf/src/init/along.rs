//! Clusters along a graph, whatever it looks like: components first, then spectral clustering.

use super::kmeans::{kmeans, lloyd, nearest_centroids};
use super::{Random, best_of, from_labels};
use crate::cancel::Cancel;
use crate::data::{Data, Dense};
use crate::error::Result;
use crate::graph::{Graph, eigen_width, mended, merged as merged_nodes, spectral_clusters};
use crate::matrix::Mat;
use crate::real::Real;

/// A component with fewer than this share of the samples of a mean cluster is no cluster of its own.
const SMALL: usize = 20;
/// Runs of k-means on components, of which the best is taken.
const RUNS: usize = 10;

/// Centroids of the wide fits whose graphs are looked at, where clusters do not want more.
const WIDTHS: [usize; 2] = [50, 100];
/// A wide fit has at most one centroid for so many samples.
const LEAST_SAMPLES: usize = 3;

/// Centroids of the wide fits: twice as many as clusters at the least, so that each has room to be more than one direction. With
/// more centroids than features a fit describes noise as well as anything.
pub(crate) fn widths(k: usize, (n, d): (usize, usize)) -> Vec<usize> {
    let most = d.min(n / LEAST_SAMPLES);
    let mut widths = vec![WIDTHS[0].min(most).max(2 * k), WIDTHS[1]];
    widths.retain(|&width| width >= 2 * k && width <= most);
    widths.dedup();
    widths
}

/// The largest of them.
pub(crate) fn widest(k: usize, shape: (usize, usize)) -> usize {
    widths(k, shape).into_iter().max().unwrap_or(0)
}

/// Numbers that the eigenvectors of a graph may hold, as of 300,000 samples with 20 clusters: minutes for each graph.
const MOST_NUMBERS: usize = 1 << 23;
/// Parts for each cluster.
const PARTS: usize = 3;

/// Samples, at most, by which is told whether clusters are clouds.
pub(crate) const PREDICTED: usize = 2_000;

/// Parts of the samples, several for each cluster.
pub(crate) struct Parts {
    /// The part of every sample.
    pub(crate) of: Vec<usize>,
    pub(crate) count: usize,
}

impl Parts {
    /// How many are needed, where the samples are too many for eigenvectors: clusters are merged from parts instead, which are
    /// nodes of a small graph.
    pub(crate) fn needed(n: usize, k: usize) -> Option<usize> {
        (n * eigen_width(k) > MOST_NUMBERS).then(|| WIDTHS[0].max(PARTS * k))
    }

    /// `k` clusters along the graph over these samples.
    fn merged(&self, graph: &Graph, samples: &[usize], k: usize) -> Vec<usize> {
        let of: Vec<usize> = samples.iter().map(|&i| self.of[i]).collect();
        let clusters = merged_nodes(&graph.between(&of, self.count), k);
        of.into_iter().map(|part| clusters[part]).collect()
    }
}

/// `k` clusters along the graph over these samples, merged from `parts` where these are given. Components that are too small to be clusters join the nearest one; where
/// there are more large components than clusters, near ones are put together. No cluster is empty, as long as there are
/// k samples.
pub(crate) fn clusters_along<T: Real, X: Data<T>>(
    graph: &Graph,
    x: &X,
    k: usize,
    parts: Option<&Parts>,
    cancel: &Cancel,
) -> Result<Vec<usize>> {
    let n = graph.nodes();
    let component = graph.components();
    let mut sizes = vec![0; component.iter().max().map_or(0, |last| *last as usize + 1)];
    component.iter().for_each(|&at| sizes[at as usize] += 1);
    let least = (n / (SMALL * k)).max(2);
    let is_large = |i: &usize| sizes[component[*i] as usize] >= least;
    let large: Vec<usize> = (0..n).filter(is_large).collect();
    let count = sizes.iter().filter(|size| **size >= least).count();
    let of_large = if count > k {
        merged(x, &large, &component, k, cancel)?
    } else if let Some(parts) = parts {
        parts.merged(&graph.among(&large), &large, k)
    } else {
        let graph = graph.among(&large);
        let found = spectral_clusters(&graph, k, cancel)?;
        mended(&graph, found, k, cancel)?
    };
    let mut labels = labels_nearby(x, (&large, &of_large), k);
    fill(x, &mut labels, k);
    Ok(labels)
}

/// The clusters of all samples, where those of `some` are known: the others go to the nearest mean of them.
pub(crate) fn labels_nearby<T: Real, X: Data<T>>(
    x: &X,
    (some, known): (&[usize], &[usize]),
    k: usize,
) -> Vec<usize> {
    let n = x.shape().0;
    let (mut labels, mut counts) = (vec![0; n], vec![0.0; n]);
    some.iter().zip(known).for_each(|(&i, &label)| (labels[i], counts[i]) = (label, 1.0));
    if some.len() < n {
        let near = nearest_centroids(x, &from_labels(x, &labels, k, &counts).u);
        (0..n).filter(|&i| counts[i] == 0.0).for_each(|i| labels[i] = near[i]);
    }
    labels
}

/// Where Lloyd's iterations from the means of these clusters lead.
pub(crate) fn settled<T: Real, X: Data<T>>(
    x: &X,
    (labels, k): (&[usize], usize),
    weights: &[f64],
    cancel: &Cancel,
) -> Result<Vec<usize>> {
    let from = from_labels(x, labels, k, weights).u;
    Ok(lloyd(x, from, cancel, |_| weights.to_vec())?.labels)
}

/// The means of these clusters, d×k.
pub(crate) fn means<T: Real, X: Data<T>>(x: &X, labels: &[usize], k: usize) -> Mat<T> {
    from_labels(x, labels, k, &vec![1.0; labels.len()]).u
}

/// Large components put together by k-means of their means.
fn merged<T: Real, X: Data<T>>(
    x: &X,
    large: &[usize],
    component: &[u32],
    k: usize,
    cancel: &Cancel,
) -> Result<Vec<usize>> {
    let mut named: Vec<u32> = large.iter().map(|&i| component[i]).collect();
    named.sort_unstable();
    named.dedup();
    let mut members = vec![Vec::new(); named.len()];
    // Every large component is among those that are named.
    let place = |i: usize| named.partition_point(|&name| name < component[i]);
    large.iter().for_each(|&i| members[place(i)].push(i));
    let sums = x.sums_of(&members, &vec![T::ONE; x.shape().0]);
    let counts: Vec<f64> = members.iter().map(|members| members.len() as f64).collect();
    let means =
        Mat::from_fn(named.len(), x.shape().1, |at, j| T::from_f64(sums[(j, at)].to_f64() / counts[at]));
    let (means, mut random) = (Dense::new(means.view(), None), Random::new(0));
    let best = best_of(RUNS, cancel, || kmeans(&means, k, &counts, &mut random, cancel))?;
    Ok(large.iter().map(|&i| best.labels[place(i)]).collect())
}

/// Gives every empty cluster the sample that is farthest from the mean of its own, of those that are not alone.
pub(crate) fn fill<T: Real, X: Data<T>>(x: &X, labels: &mut [usize], k: usize) {
    let mut counts = vec![0_usize; k];
    labels.iter().for_each(|&label| counts[label] += 1);
    if !counts.contains(&0) {
        return;
    }
    let u = from_labels(x, labels, k, &vec![1.0; labels.len()]).u;
    let squares: Vec<f64> =
        (0..k).map(|at| (0..u.rows()).map(|j| u[(j, at)].to_f64().powi(2)).sum()).collect();
    let products = x.dot(&u);
    let distance = |i: usize| x.norms_sq()[i] - 2.0 * products[(i, labels[i])].to_f64() + squares[labels[i]];
    let mut far: Vec<(f64, usize)> = (0..labels.len()).map(|i| (distance(i), i)).collect();
    far.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut far = far.into_iter().map(|(_, i)| i);
    for empty in 0..k {
        if counts[empty] > 0 {
            continue;
        }
        let Some(i) = far.find(|&i| counts[labels[i]] > 1) else { return };
        counts[labels[i]] -= 1;
        (labels[i], counts[empty]) = (empty, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Weighting, knn_graph, nearest};

    /// Rings inside each other, which no centroids tell apart, are merged from parts of them along the graph.
    #[test]
    fn clusters_are_merged_from_parts() {
        let (n, k) = (900, 3);
        let x = Mat::from_fn(n, 2, |i, j| {
            let (turn, radius) = (i as f64 * 2.399_963, 1.0 + (i % k) as f64);
            10.0 + radius * if j == 0 { turn.cos() } else { turn.sin() }
        });
        let (data, cancel) = (Dense::new(x.view(), None), Cancel::new());
        let graph = knn_graph(&nearest(&data, 5, &cancel).unwrap(), Weighting::Binary).unwrap();
        let of = kmeans(&data, 120, &vec![1.0; n], &mut Random::new(0), &cancel).unwrap().labels;
        let found = clusters_along(&graph, &data, k, Some(&Parts { of, count: 120 }), &cancel).unwrap();
        assert!((0..n).all(|i| found[i] == found[i % k]) && found[..k].iter().all(|label| *label < k));
        assert!(found[0] != found[1] && found[1] != found[2] && found[0] != found[2]);
    }

    #[test]
    fn wide_fits_have_at_most_one_centroid_for_each_feature() {
        assert_eq!(widths(10, (60_000, 784)), [50, 100]);
        assert_eq!(widths(10, (2_000, 64)), [50]);
        assert_eq!(widths(3, (178, 13)), [13]);
        assert!(widths(200, (10_000, 50)).is_empty());
    }

    #[test]
    fn parts_are_for_many_samples() {
        assert_eq!(Parts::needed(60_000, 100), None);
        assert_eq!(Parts::needed(1_000_000, 10), Some(50));
        assert_eq!(Parts::needed(300_000, 100), Some(300));
    }
}
