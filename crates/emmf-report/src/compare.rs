//! How a method did on data whose outliers are known.

use emmf::metrics::{Clustering, precision_at, roc_auc};
use emmf_io::Record;

use crate::Error;

/// Class of the samples that belong to none.
pub const OUTLIER: &str = "outlier";

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
        let samples = &record.samples;
        let no_truth = || Error::NoTruth { method: record.spec.method.clone() };
        let truth = samples.truth.as_ref().ok_or_else(no_truth)?;
        let outlier: Vec<bool> = truth.iter().map(|class| class == OUTLIER).collect();
        let good = || outlier.iter().enumerate().filter(|(_, outlier)| !**outlier).map(|(i, _)| i);
        let classes: Vec<&str> = good().map(|i| truth[i].as_str()).collect();
        let labels: Vec<usize> = good().map(|i| samples.label[i]).collect();
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
