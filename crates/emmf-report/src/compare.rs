//! How a method did on data whose outliers are known.

use emmf::metrics::{Clustering, precision_at, roc_auc};
use emmf_io::{OUTLIER, Record, without_outliers};

use crate::Error;

/// One method on contaminated data.
pub struct Comparison<'a> {
    /// The run.
    pub record: &'a Record,
    /// Which samples are outliers.
    pub outlier: Vec<bool>,
    /// Clusters against classes, on the good samples only.
    pub good: Clustering,
    /// Outliers among as many samples with the highest scores.
    pub found: usize,
    /// Probability that an outlier scores higher than a good sample.
    pub auc: f64,
}

impl<'a> Comparison<'a> {
    /// From a record whose true classes name the outliers.
    pub fn new(record: &'a Record) -> Result<Self, Error> {
        record.check()?;
        let samples = &record.samples;
        let no_truth = || Error::NoTruth { method: record.spec.method.clone() };
        let truth = samples.truth.as_ref().ok_or_else(no_truth)?;
        let outlier: Vec<bool> = truth.iter().map(|class| class == OUTLIER).collect();
        let (classes, labels) = without_outliers(truth, &samples.label);
        let count = outlier.iter().filter(|outlier| **outlier).count();
        let share = precision_at(&samples.score, &outlier, count)?;
        Ok(Self {
            record,
            good: Clustering::compare(&classes, &labels)?,
            found: (share * count as f64).round() as usize,
            auc: roc_auc(&samples.score, &outlier)?,
            outlier,
        })
    }

    /// Number of outliers.
    pub fn outliers(&self) -> usize {
        self.outlier.iter().filter(|outlier| **outlier).count()
    }
}

/// One method on several data sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Its name.
    pub method: String,
    /// Mean accuracy on the good samples.
    pub accuracy: f64,
    /// The lowest accuracy.
    pub worst: f64,
    /// The highest accuracy.
    pub best: f64,
    /// Mean normalized mutual information on the good samples.
    pub nmi: f64,
    /// Outliers found in all data sets.
    pub found: usize,
    /// Outliers in all data sets.
    pub outliers: usize,
    /// Mean wall time.
    pub seconds: f64,
}

impl Summary {
    /// One for each method; every data set holds the same methods in the same order.
    pub fn all(data_sets: &[Vec<Comparison<'_>>]) -> Vec<Self> {
        let methods = data_sets.iter().map(Vec::len).min().unwrap_or(0);
        (0..methods).map(|at| Self::of(data_sets, at)).collect()
    }

    fn of(data_sets: &[Vec<Comparison<'_>>], at: usize) -> Self {
        let runs = || data_sets.iter().map(|set| &set[at]);
        let mean =
            |value: fn(&Comparison<'_>) -> f64| runs().map(value).sum::<f64>() / data_sets.len() as f64;
        let accuracies = || runs().map(|run| run.good.accuracy);
        Self {
            method: runs().next().map(|run| run.record.spec.method.clone()).unwrap_or_default(),
            accuracy: mean(|run| run.good.accuracy),
            worst: accuracies().fold(f64::INFINITY, f64::min),
            best: accuracies().fold(f64::NEG_INFINITY, f64::max),
            nmi: mean(|run| run.good.nmi),
            found: runs().map(|run| run.found).sum(),
            outliers: runs().map(Comparison::outliers).sum(),
            seconds: mean(|run| run.record.seconds.total),
        }
    }
}
