//! What samples are compared by when they are shown: themselves, or their coefficients.

use serde::{Deserialize, Serialize};

use super::directions::{Directions, directions_of_centroids};
use crate::data::Stored;
use crate::error::Result;
use crate::matrix::{Mat, Samples};
use crate::model::Model;
use crate::preprocess;
use crate::real::Real;
use crate::spec::Missing;

/// What samples are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// The samples themselves.
    Samples,
    /// Their coefficients: if the samples are gone or values are missing, or if there are so many samples and they are so long
    /// that finding their neighbours would take minutes.
    Coefficients,
}

/// Samples at unit length, and the centroids, one a row, beside them.
pub(super) struct Compared<'a, T> {
    pub by: Likeness,
    pub samples: &'a Stored<'a, T>,
    pub centroids: &'a Mat<T>,
}

/// Calls `work` with the samples `x` as the model prepares them. Without them, or where values are missing, it gets their
/// coefficients `v`.
pub(super) fn compared<T: Real, R>(
    model: &Model<T>,
    (v, x): (&Mat<T>, Option<Samples<'_, T>>),
    work: impl FnOnce(Compared<'_, T>) -> Result<R>,
) -> Result<R> {
    let Some(x) = x.filter(|_| model.spec().missing != Missing::Nan) else {
        let directions = Directions::of(model.centroids(), v);
        let rows: Vec<T> = (0..v.rows()).flat_map(|i| directions.row(i)).collect();
        let rows = Mat::from_vec(rows, v.rows(), v.cols())?;
        // A sample that consists of one centroid alone has one coefficient.
        let pure = Mat::from_fn(v.cols(), v.cols(), |a, b| if a == b { T::ONE } else { T::ZERO });
        let samples = Stored::new(rows.view().into(), None, None);
        return work(Compared { by: Likeness::Coefficients, samples: &samples, centroids: &pure });
    };
    let mut prepared = preprocess::apply(model.preprocessing(), x, false)?;
    let (scale, norms_sq) = prepared.take_factors();
    let data = Stored::new(prepared.samples(), scale, norms_sq);
    let centroids = directions_of_centroids(model.centroids());
    work(Compared { by: Likeness::Samples, samples: &data.unit(), centroids: &centroids })
}
