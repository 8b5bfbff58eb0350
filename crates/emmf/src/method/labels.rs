//! Clusters read off the coefficients: the largest of each sample, or k-means on the rows of V.

use crate::cancel::{Cancel, Deadline};
use crate::data::Dense;
use crate::error::Result;
use crate::init::{Random, best_of, kmeans};
use crate::matrix::Mat;
use crate::real::Real;
use crate::spec::LabelRule;

use super::Ending;

/// Runs of k-means on the rows of V, of which the best is taken.
const RUNS: usize = 10;

impl Ending {
    /// The cluster of each sample by the rule.
    pub(crate) fn read<T: Real>(&self, v: &Mat<T>, u: &Mat<T>) -> Result<Vec<usize>> {
        match self.labels {
            LabelRule::Kmeans => clusters(v, self.seed),
            rule => Ok(largest(v, u, rule)),
        }
    }
}

/// The largest coefficient of each sample, the first of equal ones.
pub(crate) fn largest<T: Real>(v: &Mat<T>, u: &Mat<T>, rule: LabelRule) -> Vec<usize> {
    let lengths: Vec<f64> = if rule == LabelRule::Unit {
        let square = |k: usize| (0..u.rows()).map(move |j| u[(j, k)].to_f64().powi(2));
        (0..u.cols()).map(|k| square(k).sum::<f64>().sqrt()).collect()
    } else {
        vec![1.0; u.cols()]
    };
    let label = |i| {
        let value = |k: usize| v[(i, k)].to_f64() * lengths[k];
        (1..v.cols()).fold(0, |best, k| if value(k) > value(best) { k } else { best })
    };
    (0..v.rows()).map(label).collect()
}

/// k-means of the rows of V into as many clusters as V has columns.
fn clusters<T: Real>(v: &Mat<T>, seed: u64) -> Result<Vec<usize>> {
    let (rows, weights) = (Dense::new(v.view(), None), vec![1.0; v.rows()]);
    // A fit that is cancelled has labels, too.
    let (mut rng, cancel) = (Random::new(seed), Cancel::new());
    let run = || kmeans(&rows, v.cols(), &weights, &mut rng, &cancel);
    Ok(best_of(RUNS, Deadline::default(), run)?.labels)
}

/// The mean row of V of every cluster, which stands for it when new samples are labelled. An empty cluster has none
/// and is infinitely far.
pub(crate) fn centres<T: Real>(v: &Mat<T>, labels: &[usize]) -> Vec<Option<Vec<f64>>> {
    let (mut sums, mut counts) = (vec![vec![0.0; v.cols()]; v.cols()], vec![0.0; v.cols()]);
    for (i, &label) in labels.iter().enumerate() {
        counts[label] += 1.0;
        sums[label].iter_mut().zip(v.row(i)).for_each(|(sum, v)| *sum += v.to_f64());
    }
    let mean = |(sum, count): (Vec<f64>, f64)| {
        (count > 0.0).then(|| sum.into_iter().map(|sum| sum / count).collect())
    };
    sums.into_iter().zip(counts).map(mean).collect()
}

/// The nearest of the centres for every row of V, the first of equally near ones.
pub(crate) fn nearest<T: Real>(v: &Mat<T>, centres: &[Option<Vec<f64>>]) -> Vec<usize> {
    let distance = |i: usize, centre: &[f64]| -> f64 {
        v.row(i).iter().zip(centre).map(|(v, centre)| (v.to_f64() - centre).powi(2)).sum()
    };
    let label = |i: usize| {
        let there =
            centres.iter().enumerate().filter_map(|(k, centre)| Some((k, distance(i, centre.as_ref()?))));
        there.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(k, _)| k)
    };
    (0..v.rows()).map(label).collect()
}
