//! Outliers that are set aside: the fit sees only the other samples and codes these afterwards, so that they do not
//! affect the start, the centroids, the graph or the scale of the scores.

use crate::cancel::{Cancel, in_time};
use crate::data::{Data, Dense, Stored};
use crate::error::{Error, Result};
use crate::init::{Factors, filled};
use crate::matrix::{Mat, Part, Samples};
use crate::model::{Fit, OnLayer};
use crate::outliers::screen;
use crate::real::Real;
use crate::registry::{Entry, SetAside};
use crate::spec::{Missing, Outliers, Spec};

/// Outliers are set aside by a method that can.
pub(super) fn check(spec: &Spec, entry: &Entry) -> Result<()> {
    if spec.outliers == Some(Outliers::SetAside) && entry.facts.set_aside == SetAside::Never {
        let must = format!("keep with {}, which does not weight samples or entries", entry.name);
        return Err(Error::param("outliers", "set-aside", must));
    }
    Ok(())
}

/// Samples that take part, and those that do not; both ascend.
pub(super) struct Split {
    kept: Vec<usize>,
    aside: Vec<usize>,
}

impl Split {
    /// Where some of the samples are to be set aside, and there is time to find them.
    pub(super) fn find<T: Real>(
        spec: &Spec,
        data: &Stored<'_, T>,
        weights: &[f64],
        cancel: &Cancel,
    ) -> Result<Option<Self>> {
        if !spec.sets_aside() {
            return Ok(None);
        }
        let found = if spec.missing == Missing::Nan {
            let filled = filled(data);
            screen(&Dense::new(filled.view(), None), spec.k, weights, cancel)
        } else {
            screen(data, spec.k, weights, cancel)
        };
        data.intact()?;
        let Some(found) = in_time(found)? else { return Ok(None) };
        let (aside, kept): (Vec<usize>, Vec<usize>) = (0..found.len()).partition(|&i| found[i]);
        Ok((!aside.is_empty()).then_some(Self { kept, aside }))
    }

    /// Of n samples, without these, which ascend.
    pub(super) fn new(aside: &[usize], n: usize) -> Self {
        let kept = (0..n).filter(|i| aside.binary_search(i).is_err()).collect();
        Self { kept, aside: aside.to_vec() }
    }

    /// The samples that do not.
    pub(super) fn aside(&self) -> &[usize] {
        &self.aside
    }

    /// The samples that take part.
    pub(super) fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// Of one value a sample those of the samples that take part.
    pub(super) fn of<V: Copy>(&self, values: &[V]) -> Vec<V> {
        self.kept.iter().map(|&i| values[i]).collect()
    }

    /// A start for the samples that take part.
    pub(super) fn start<T: Real>(&self, start: &Factors<T>) -> Factors<T> {
        let v = Mat::from_fn(self.kept.len(), start.v.cols(), |at, k| start.v[(self.kept[at], k)]);
        Factors { u: start.u.clone(), v }
    }

    /// The fit of the samples that take part, with those that do not coded by its model.
    pub(super) fn complete<T: Real>(
        self,
        fit: Fit<T>,
        samples: &Samples<'_, T>,
        scale: Option<&[T]>,
    ) -> Result<Fit<T>> {
        let part = Part::of(samples, &self.aside)?;
        let scale = scale.map(|scale| self.aside.iter().map(|&i| scale[i]).collect());
        // Where the fit was cancelled there is a result to complete.
        let coded = fit.model.code(&Stored::new(part.samples(), scale, None), &Cancel::new())?;
        let mut v = Mat::zeros(self.kept.len() + self.aside.len(), fit.v.cols());
        for (rows, from) in [(&self.kept, &fit.v), (&self.aside, &coded.v)] {
            rows.iter().enumerate().for_each(|(at, &i)| v.row_mut(i).copy_from_slice(from.row(at)));
        }
        let layers = fit
            .layers
            .iter()
            .zip(&coded.layers)
            .map(|(fitted, coded)| self.on_layer(fitted, coded))
            .collect();
        Ok(Fit {
            v,
            layers,
            labels: self.merged(&fit.labels, &coded.labels),
            residuals: self.merged(&fit.residuals, &coded.residuals),
            weights: self.merged(&fit.weights, &vec![0.0; self.aside.len()]),
            scores: self.merged(&fit.scores, &coded.scores),
            reasons: self.merged(&fit.reasons, &coded.reasons),
            groups: Vec::new(),
            set_aside: self.aside,
            ..fit
        })
    }

    fn on_layer(&self, fitted: &OnLayer, coded: &OnLayer) -> OnLayer {
        OnLayer::of(
            self.merged(&fitted.labels, &coded.labels),
            self.merged(&fitted.residuals, &coded.residuals),
            (self.merged(&fitted.scores, &coded.scores), self.merged(&fitted.reasons, &coded.reasons)),
        )
    }

    fn merged<V: Copy + Default>(&self, kept: &[V], aside: &[V]) -> Vec<V> {
        let mut all = vec![V::default(); self.kept.len() + self.aside.len()];
        self.kept
            .iter()
            .zip(kept)
            .chain(self.aside.iter().zip(aside))
            .for_each(|(&i, value)| all[i] = *value);
        all
    }
}
