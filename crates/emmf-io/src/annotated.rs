//! The AnnData file of new samples, with what a model says of them.

use std::path::Path;

use emmf::{Coded, Mat, Model, Real};

use crate::atomic::write_atomically;
use crate::error::Error;
use crate::hdf5::{Annotations, annotate};
use crate::sketch::Features;

/// What a model says of samples, to be written into a copy of their AnnData file.
#[derive(Debug)]
pub struct Annotated {
    coefficients: Mat<f64>,
    centroids: Mat<f64>,
    features: Vec<String>,
    labels: Vec<usize>,
    scores: Vec<f64>,
    residuals: Vec<f64>,
    outliers: Vec<bool>,
}

impl Annotated {
    /// Of samples that the model has coded. Those above the usual score are outliers.
    pub fn new<T: Real>(model: &Model<T>, coded: &Coded<T>, features: Features<'_>) -> Self {
        let centroids = model.centroids();
        Self {
            coefficients: coded.v.cast(),
            centroids: centroids.cast(),
            features: (0..centroids.rows()).map(|j| features.name(j)).collect(),
            labels: coded.labels.clone(),
            scores: coded.scores.clone(),
            residuals: coded.residuals.clone(),
            outliers: emmf::outliers::outliers(&coded.scores, &[], emmf::outliers::THRESHOLD).collect(),
        }
    }

    /// Writes a copy of the file `from`, as a whole or not at all.
    pub fn write(&self, path: &Path, from: &Path) -> Result<(), Error> {
        let found = Annotations {
            coefficients: &self.coefficients,
            centroids: &self.centroids,
            features: &self.features,
            labels: &self.labels,
            scores: &self.scores,
            residuals: &self.residuals,
            outliers: &self.outliers,
        };
        write_atomically(path, |out| annotate(out, from, &found))
    }
}
