//! Clusters read off the coefficients: the largest of each sample, or k-means on what the samples are made of.
//!
//! Sample i is made of shares vᵢₖ·‖uₖ‖ of centroids of unit length; brought to unit length themselves, they do not say how long the
//! sample is. Two clusters may share a centroid, and one cluster may be made of two: k-means sees that, the largest share does not.

use std::borrow::Cow;

use crate::cancel::{Cancel, Deadline};
use crate::data::Dense;
use crate::error::Result;
use crate::init::{Random, best_of, kmeans, nearest_centroids, some_rows};
use crate::matrix::Mat;
use crate::real::Real;
use crate::spec::LabelRule;

use super::Ending;

/// Runs of k-means, of which the best is taken.
const RUNS: usize = 10;
/// Samples on which k-means runs; the others go to the nearest cluster.
const MOST_SAMPLES: usize = 20_000;

impl LabelRule {
    /// Whether labels are the clusters that k-means makes of the coefficients.
    pub(crate) fn is_kmeans(self) -> bool {
        matches!(self, Self::Kmeans | Self::KmeansRaw)
    }
}

impl Ending {
    /// The cluster of each sample by the rule.
    pub(crate) fn read<T: Real>(&self, v: &Mat<T>, u: &Mat<T>) -> Result<Vec<usize>> {
        if self.labels.is_kmeans() {
            clusters(&points(v, u, self.labels), self.clusters, self.seed)
        } else {
            Ok(largest(v, u, self.labels))
        }
    }
}

/// ‖uₖ‖ of every centroid.
fn lengths<T: Real>(u: &Mat<T>) -> Vec<f64> {
    let square = |k: usize| (0..u.rows()).map(move |j| u[(j, k)].to_f64().powi(2));
    (0..u.cols()).map(|k| square(k).sum::<f64>().sqrt()).collect()
}

/// The largest coefficient of each sample, the first of equal ones.
pub(crate) fn largest<T: Real>(v: &Mat<T>, u: &Mat<T>, rule: LabelRule) -> Vec<usize> {
    let lengths = if rule == LabelRule::Unit { lengths(u) } else { vec![1.0; u.cols()] };
    let label = |i| {
        let value = |k: usize| v[(i, k)].to_f64() * lengths[k];
        (1..v.cols()).fold(0, |best, k| if value(k) > value(best) { k } else { best })
    };
    (0..v.rows()).map(label).collect()
}

/// The samples as k-means sees them.
pub(crate) fn points<'a, T: Real>(v: &'a Mat<T>, u: &Mat<T>, rule: LabelRule) -> Cow<'a, Mat<T>> {
    if rule != LabelRule::Kmeans {
        return Cow::Borrowed(v);
    }
    let lengths = lengths(u);
    let mut points = Mat::zeros(v.rows(), v.cols());
    for i in 0..v.rows() {
        let shares: Vec<f64> = v.row(i).iter().zip(&lengths).map(|(v, length)| v.to_f64() * length).collect();
        // Shares whose squares would vanish or overflow count like others.
        let most = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let norm =
            shares.iter().map(|share| (share / most).powi(2)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        let unit = shares.iter().map(|share| T::from_f64(share / most / norm));
        points.row_mut(i).iter_mut().zip(unit).for_each(|(point, share)| *point = share);
    }
    Cow::Owned(points)
}

/// k-means of the rows into so many clusters, numbered after the centroids that they are mostly made of.
fn clusters<T: Real>(points: &Mat<T>, count: usize, seed: u64) -> Result<Vec<usize>> {
    let (mut rng, cancel) = (Random::new(seed), Cancel::new());
    let some = some_rows(seed, points.rows(), MOST_SAMPLES);
    let part = Mat::from_fn(some.len(), points.cols(), |at, k| points[(some[at], k)]);
    let (rows, weights) = (Dense::new(part.view(), None), vec![1.0; some.len()]);
    // A fit that is cancelled has labels, too.
    let best = best_of(RUNS, Deadline::default(), || kmeans(&rows, count, &weights, &mut rng, &cancel))?;
    let labels = if some.len() == points.rows() {
        best.labels
    } else {
        nearest_centroids(&Dense::new(points.view(), None), &best.centroids)
    };
    Ok(numbered(points, labels, count))
}

/// The same clusters, numbered so that number k is that of the cluster with the most of centroid k, as far as that goes.
fn numbered<T: Real>(points: &Mat<T>, labels: Vec<usize>, count: usize) -> Vec<usize> {
    let means = centres(points, &labels, count);
    let mut shares: Vec<(f64, usize, usize)> = Vec::new();
    for (cluster, mean) in means.iter().enumerate() {
        let mean = mean.iter().flatten().enumerate();
        shares.extend(mean.filter(|(k, _)| *k < count).map(|(k, &share)| (share, cluster, k)));
    }
    shares.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut names, mut taken) = (vec![None; count], vec![false; count]);
    for (_, cluster, k) in shares {
        if names[cluster].is_none() && !taken[k] {
            (names[cluster], taken[k]) = (Some(k), true);
        }
    }
    let mut free = (0..count).filter(|&k| !taken[k]);
    let names: Vec<usize> = names.into_iter().map(|name| name.or_else(|| free.next()).unwrap_or(0)).collect();
    labels.into_iter().map(|label| names[label]).collect()
}

/// The mean row of every cluster, which stands for it when new samples are labelled. An empty cluster has none
/// and is infinitely far.
pub(crate) fn centres<T: Real>(points: &Mat<T>, labels: &[usize], count: usize) -> Vec<Option<Vec<f64>>> {
    let (mut sums, mut counts) = (vec![vec![0.0; points.cols()]; count], vec![0.0; count]);
    for (i, &label) in labels.iter().enumerate() {
        counts[label] += 1.0;
        sums[label].iter_mut().zip(points.row(i)).for_each(|(sum, share)| *sum += share.to_f64());
    }
    let mean = |(sum, count): (Vec<f64>, f64)| {
        (count > 0.0).then(|| sum.into_iter().map(|sum| sum / count).collect())
    };
    sums.into_iter().zip(counts).map(mean).collect()
}

/// The nearest of the centres for every row, the first of equally near ones.
pub(crate) fn nearest<T: Real>(points: &Mat<T>, centres: &[Option<Vec<f64>>]) -> Vec<usize> {
    let distance = |i: usize, centre: &[f64]| -> f64 {
        points.row(i).iter().zip(centre).map(|(share, centre)| (share.to_f64() - centre).powi(2)).sum()
    };
    let label = |i: usize| {
        let there =
            centres.iter().enumerate().filter_map(|(k, centre)| Some((k, distance(i, centre.as_ref()?))));
        there.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    };
    (0..points.rows()).map(label).collect()
}
