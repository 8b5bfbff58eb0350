//! The traits of [linfa](https://docs.rs/linfa): a [`Linfa`] fits its data sets, and the [`Fit`] predicts clusters.
//! linfa uses version 0.16 of ndarray, which is `ndarray_of_linfa` here.
//!
//! ```
//! use emmf::{Cut, Spec, linfa::Linfa};
//! use linfa::{DatasetBase, traits::{Fit, Predict}};
//! use ndarray_of_linfa::{Array1, array};
//!
//! let samples = DatasetBase::from(array![[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]]);
//! let fit = Linfa(Spec::emmf(2)).fit(&samples)?;
//! let clusters: Array1<usize> = fit.predict(&samples);
//! assert_eq!(clusters.to_vec(), fit.labels);
//! println!("{:?}", fit.outliers(Cut::default())?);
//! # Ok::<(), emmf::linfa::Error>(())
//! ```

#![cfg(feature = "linfa")]

use linfa::DatasetBase;
use linfa::traits::{Fit as FitDataset, PredictInplace};
use ndarray_of_linfa::{Array1, ArrayBase, Data, Ix2};

use crate::error::{self, Result};
use crate::matrix::View;
use crate::model::Fit;
use crate::real::Real;
use crate::spec::Spec;

/// A [`Spec`] as a set of parameters of linfa. (A `Spec` has a `fit` of its own.)
#[derive(Debug, Clone)]
pub struct Linfa(pub Spec);

/// An error of ours, or one of linfa.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// See [`crate::Error`].
    #[error(transparent)]
    Emmf(#[from] error::Error),
    /// What steps before the fit had to say.
    #[error(transparent)]
    Linfa(#[from] linfa::Error),
}

impl<T: Real, D: Data<Elem = T>, Y> FitDataset<ArrayBase<D, Ix2>, Y, Error> for Linfa {
    type Object = Fit<T>;

    /// The records are the samples; targets and weights are not looked at.
    fn fit(&self, dataset: &DatasetBase<ArrayBase<D, Ix2>, Y>) -> std::result::Result<Fit<T>, Error> {
        Ok(with_samples(&dataset.records, |samples| self.0.fit(samples))?)
    }
}

impl<T: Real, D: Data<Elem = T>> PredictInplace<ArrayBase<D, Ix2>, Array1<usize>> for Fit<T> {
    /// The cluster of every record.
    ///
    /// # Panics
    /// If a record is none that [`transform`](crate::Model::transform) takes: linfa has no place for an error here.
    #[expect(clippy::panic, reason = "the trait has no place for an error")]
    fn predict_inplace<'a>(&'a self, records: &'a ArrayBase<D, Ix2>, clusters: &mut Array1<usize>) {
        match with_samples(records, |samples| self.model.transform(samples)) {
            Ok(coded) => *clusters = coded.labels.into(),
            Err(error) => panic!("{error}"),
        }
    }

    fn default_target(&self, records: &ArrayBase<D, Ix2>) -> Array1<usize> {
        Array1::zeros(records.nrows())
    }
}

/// Rows of an array as samples; they are copied where they do not lie one after the other.
fn with_samples<T: Real, D: Data<Elem = T>, R>(
    array: &ArrayBase<D, Ix2>,
    work: impl FnOnce(View<'_, T>) -> Result<R>,
) -> Result<R> {
    let ((n, d), rows) = (array.dim(), array.as_standard_layout());
    work(View::row_major(rows.as_slice().unwrap_or_default(), n, d)?)
}
