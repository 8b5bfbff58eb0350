//! What to do about numbers that are too large, too small or not numbers at all: never something that is already done.

use crate::error::{Error, Result};
use crate::model::Fit;
use crate::preprocess::Normalize;
use crate::real::Real;
use crate::spec::Spec;

/// What may be to blame.
pub(super) struct Blame<'a> {
    pub(super) spec: &'a Spec,
    /// How often each sample counts.
    pub(super) weights: &'a [f64],
}

impl Blame<'_> {
    /// The remedies for entries of the wrong size.
    pub(super) fn magnitude<T: Real>(&self) -> String {
        let remedies = self.scaling::<T>();
        if remedies.is_empty() {
            return "multiply all entries by a number that brings the largest near 1".into();
        }
        remedies.join(" or ")
    }

    /// The remedies for a fit that left the range of numbers.
    pub(super) fn divergence<T: Real>(&self) -> String {
        let mut remedies = self.scaling::<T>();
        let Spec { method, k, params, .. } = self.spec;
        let set: Vec<String> = params.iter().map(|(name, value)| format!("{name} = {value:e}")).collect();
        if !set.is_empty() {
            remedies.push(format!("give {method} other values than {}", set.join(", ")));
        }
        if remedies.is_empty() {
            remedies.push(format!(
                "try another start, fewer centroids than {k}, or another method than {method}"
            ));
        }
        remedies.join(" or ")
    }

    fn scaling<T: Real>(&self) -> Vec<String> {
        let scaled = |step: &Normalize| matches!(step, Normalize::Unit | Normalize::Max);
        let mut remedies = Vec::new();
        if !self.spec.normalize.iter().any(scaled) {
            remedies.push("scale the data (`normalize = unit or max`)".into());
        }
        if T::NAME == f32::NAME {
            remedies.push("use f64".into());
        }
        remedies
    }
}

/// Everything that a fit leaves is finite.
pub(super) fn check_finite<T: Real>(fit: &Fit<T>) -> Result<()> {
    let scale = fit.model.residual_scale();
    let one = |value: f64| vec![value];
    let factor =
        |entries: &[T]| entries.iter().map(|x| x.to_f64()).find(|x| !x.is_finite()).into_iter().collect();
    let results = [
        ("the objective", one(fit.objective)),
        ("the objective at the start", one(fit.initial)),
        ("a centroid", factor(fit.model.centroids().as_slice())),
        ("a coefficient", factor(fit.v.as_slice())),
        ("a residual", fit.residuals.clone()),
        ("the weight of a sample", fit.weights.clone()),
        ("the score of a sample", fit.scores.clone()),
        ("the spread of the residuals", vec![scale.center, scale.spread]),
    ];
    for (what, values) in results {
        if let Some(value) = values.into_iter().find(|value| !value.is_finite()) {
            return Err(Error::NotFinite { what, value, remedy: String::new() });
        }
    }
    Ok(())
}
