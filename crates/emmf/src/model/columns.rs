//! Some features of some samples, as the model sees them.

use super::Model;
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::matrix::{COPIED, Mat, Part, Samples};
use crate::preprocess;
use crate::real::Real;
use crate::spec::Missing;

impl<T: Real> Model<T> {
    /// These features of these samples after the preprocessing of the fit, one row per sample: [`Model::prepare`] for when all would be too many.
    pub fn prepare_columns<'a>(
        &self,
        x: impl Into<Samples<'a, T>>,
        rows: &[usize],
        features: &[usize],
    ) -> Result<Mat<T>> {
        let x = x.into();
        self.check_features(&x)?;
        let (n, d) = x.shape();
        for (what, indices, count) in [("row", rows, n), ("feature", features, d)] {
            if let Some(index) = indices.iter().find(|index| **index >= count) {
                return Err(Error::param(what, index, format!("below {count}, the number there are")));
            }
        }
        let mut place = vec![None; d];
        features.iter().enumerate().for_each(|(at, &j)| place[j] = Some(at));
        let mut out = Mat::zeros(rows.len(), features.len());
        let few = rows_together(&x, rows.len());
        for (chunk, rows) in rows.chunks(few).enumerate() {
            self.each_prepared(&x, rows, |at, j, value| {
                place[j].iter().for_each(|&column: &usize| out[(chunk * few + at, column)] = value);
            })?;
        }
        Ok(out)
    }

    /// Calls `visit(number in rows, feature, value)` for the stored entries of these samples after the preprocessing.
    fn each_prepared(
        &self,
        x: &Samples<'_, T>,
        rows: &[usize],
        mut visit: impl FnMut(usize, usize, T),
    ) -> Result<()> {
        // A copy, wherever they are: steps that change values cannot do so to samples that are read when needed.
        let part = Part::copy(x, rows, |_| T::ONE)?;
        let mut prepared =
            preprocess::apply(&self.preprocess, part.samples(), self.spec.missing == Missing::Nan)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq);
        for at in 0..rows.len() {
            data.for_each_of_sample(at, |j, value| visit(at, j, value));
        }
        data.intact()
    }
}

/// Samples that are copied together: all sparse ones, else as many as a copy may have bytes for.
fn rows_together<T: Real>(x: &Samples<'_, T>, rows: usize) -> usize {
    let bytes = size_of::<T>() * x.shape().1.max(1);
    match x {
        Samples::Csr(_) => rows.max(1),
        Samples::Dense(_) | Samples::Stream(_) => (COPIED / bytes).max(1),
    }
}
