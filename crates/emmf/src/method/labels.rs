//! Clusters read off the coefficients: the largest of each sample, or k-means on what the samples are made of.
//!
//! Sample i is made of shares vᵢₖ·‖uₖ‖ of centroids of unit length; brought to unit length themselves, they do not say how long the
//! sample is. Two clusters may share a centroid, and one cluster may be made of two: k-means sees that, the largest share does not.

use crate::cancel::Cancel;
use crate::data::Dense;
use crate::error::Result;
use crate::init::{Random, best_of, kmeans, some_rows};
use crate::matrix::Mat;
use crate::real::Real;
use crate::spec::LabelRule;
use crate::threads::prelude::*;
use crate::threads::{each_in, made};

use super::Ending;

/// Runs of k-means, of which the best is taken.
const RUNS: usize = 10;
/// Samples on which k-means runs; the others go to the nearest cluster.
pub(crate) const MOST_LABELLED: usize = 20_000;
/// Samples that a thread takes to their clusters at the least.
const TAKEN: usize = 256;

impl LabelRule {
    /// Whether labels are the clusters that k-means makes of the coefficients.
    pub(crate) fn is_kmeans(self) -> bool {
        matches!(self, Self::Kmeans | Self::KmeansRaw)
    }

    /// As users write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Largest => "largest",
            Self::Unit => "unit",
            Self::Kmeans => "kmeans",
            Self::KmeansRaw => "kmeans-raw",
            Self::Components => "components",
        }
    }
}

impl Ending {
    /// The cluster of each sample by the rule.
    pub(crate) fn read<T: Real>(&self, v: &Mat<T>, u: &Mat<T>) -> Result<Vec<usize>> {
        if self.labels.is_kmeans() {
            self.clustered(&Shares::new(v, u, self.labels))
        } else {
            Ok(largest(v, u, self.labels))
        }
    }

    /// The labels that were read off V where the samples are, unless k-means is to find them: then those of the V that is left, by
    /// which new samples are labelled, too.
    pub(super) fn labels_of<T: Real>(&self, read: Vec<usize>, v: &Mat<T>, u: &Mat<T>) -> Result<Vec<usize>> {
        if self.labels.is_kmeans() { self.read(v, u) } else { Ok(read) }
    }

    /// k-means of the shares, each as often as its sample counts, numbered after the centroids that the clusters are mostly made of.
    fn clustered<T: Real>(&self, shares: &Shares<'_, T>) -> Result<Vec<usize>> {
        let (n, c) = shares.v.shape();
        let some = some_rows(self.seed, n, MOST_LABELLED);
        let (mut part, mut row) = (Mat::zeros(some.len(), c), vec![0.0; c]);
        for (at, &i) in some.iter().enumerate() {
            shares.read(i, &mut row);
            part.row_mut(at).iter_mut().zip(&row).for_each(|(to, &share)| *to = T::from_f64(share));
        }
        let rows = Dense::new(part.view(), None);
        let weights: Vec<f64> = some.iter().map(|&i| self.weights.get(i).copied().unwrap_or(1.0)).collect();
        // A fit that is cancelled has labels, too.
        let (mut rng, cancel) = (Random::new(self.seed), Cancel::new());
        let run = || kmeans(&rows, self.clusters, &weights, &mut rng, &cancel);
        let best = best_of(RUNS, &self.cancel.until(self.deadline), run)?;
        let centre = |k: usize| Some((0..c).map(|j| best.centroids[(j, k)].to_f64()).collect());
        let mut labels = shares.nearest(&(0..self.clusters).map(centre).collect::<Vec<_>>());
        let names = numbers(&shares.centres(&labels, &self.weights, self.clusters));
        for (i, label) in labels.iter_mut().enumerate() {
            *label = if shares.are_nothing(i) { 0 } else { names[*label] };
        }
        Ok(labels)
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

/// What samples are made of, as k-means sees it.
pub(crate) struct Shares<'a, T> {
    v: &'a Mat<T>,
    /// ‖uₖ‖, where rows are brought to unit length.
    lengths: Option<Vec<f64>>,
}

impl<'a, T: Real> Shares<'a, T> {
    pub(crate) fn new(v: &'a Mat<T>, u: &Mat<T>, rule: LabelRule) -> Self {
        Self { v, lengths: (rule == LabelRule::Kmeans).then(|| lengths(u)) }
    }

    /// The shares of sample i.
    fn read(&self, i: usize, out: &mut [f64]) {
        out.iter_mut().zip(self.v.row(i)).for_each(|(out, v)| *out = v.to_f64());
        let Some(lengths) = &self.lengths else { return };
        out.iter_mut().zip(lengths).for_each(|(share, length)| *share *= length);
        // Shares whose squares would vanish or overflow count like others.
        let most = out.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let norm = out.iter().map(|share| (share / most).powi(2)).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        out.iter_mut().for_each(|share| *share = *share / most / norm);
    }

    /// Whether a sample is made of nothing: it is as far from every cluster, and is said to belong to the first one.
    fn are_nothing(&self, i: usize) -> bool {
        self.lengths.is_some() && self.v.row(i).iter().all(|&v| v == T::ZERO)
    }

    /// The mean of every cluster, each sample as often as it counts, which stands for it when new samples are labelled. A cluster where
    /// none counts has none and is infinitely far.
    pub(crate) fn centres(&self, labels: &[usize], weights: &[f64], count: usize) -> Vec<Option<Vec<f64>>> {
        let c = self.v.cols();
        // A thread for each cluster: its samples are added up in their order.
        made(count, |k| {
            let (mut sum, mut count, mut row) = (vec![0.0; c], 0.0, vec![0.0; c]);
            let of = labels.iter().enumerate().filter(|(_, label)| **label == k).map(|(i, _)| i);
            for i in of.filter(|&i| !self.are_nothing(i)) {
                let weight = weights.get(i).copied().unwrap_or(1.0);
                count += weight;
                self.read(i, &mut row);
                sum.iter_mut().zip(&row).for_each(|(sum, share)| *sum += weight * share);
            }
            (count > 0.0).then(|| sum.into_iter().map(|sum| sum / count).collect())
        })
    }

    /// The nearest of the centres for every sample, the first of equally near ones.
    pub(crate) fn nearest(&self, centres: &[Option<Vec<f64>>]) -> Vec<usize> {
        let mut labels = vec![0; self.v.rows()];
        let samples = labels.par_iter_mut().with_min_len(TAKEN).enumerate();
        let room = || vec![0.0; self.v.cols()];
        each_in(samples, room, |row, (i, label)| {
            if !self.are_nothing(i) {
                self.read(i, row);
                *label = nearest_to(row, centres);
            }
        });
        labels
    }
}

/// The nearest of the centres, the first of equally near ones.
fn nearest_to(row: &[f64], centres: &[Option<Vec<f64>>]) -> usize {
    let distance = |centre: &[f64]| -> f64 {
        row.iter().zip(centre).map(|(share, centre)| (share - centre).powi(2)).sum()
    };
    let there = centres.iter().enumerate().filter_map(|(k, centre)| Some((k, distance(centre.as_ref()?))));
    there.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
}

/// New numbers of clusters: k for the one with the most of centroid k, as far as that goes.
fn numbers(means: &[Option<Vec<f64>>]) -> Vec<usize> {
    let count = means.len();
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
    names.into_iter().map(|name| name.or_else(|| free.next()).unwrap_or(0)).collect()
}
