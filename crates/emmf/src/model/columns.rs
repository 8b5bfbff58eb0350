//! Some features of some samples, as the model sees them.

use super::Model;
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::matrix::{Mat, Part, Samples};
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
        let part = Part::of(&x, rows)?;
        let mut prepared =
            preprocess::apply(&self.preprocess, part.samples(), self.spec.missing == Missing::Nan)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq);
        let mut place = vec![None; d];
        features.iter().enumerate().for_each(|(at, &j)| place[j] = Some(at));
        let mut out = Mat::zeros(rows.len(), features.len());
        for i in 0..rows.len() {
            let row = out.row_mut(i);
            data.for_each_of_sample(i, |j, value| place[j].iter().for_each(|&at: &usize| row[at] = value));
        }
        data.intact()?;
        Ok(out)
    }
}
