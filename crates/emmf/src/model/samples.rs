//! What a model does with samples: it codes and scores them, says why, and learns what is usual among them.

use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::matrix::Samples;
use crate::outliers::{Judge, Part, Reason};
use crate::preprocess::{self, Prepared};
use crate::real::Real;
use crate::spec::Missing;
use crate::threads::Running;

use super::{Coded, Model, OnLayer, impute, with_gaps};

/// See [`Model::transform_with`].
pub(crate) fn transform<T: Real>(
    model: &Model<T>,
    x: Samples<'_, T>,
    running: &Running<'_>,
) -> Result<Coded<T>> {
    coded(model, x, running, |mut coded, prepared, data| {
        let residuals = OnLayer::residuals(&coded.layers, &coded.residuals);
        if let Some(judged) = model.judged(prepared.samples(), data, &residuals) {
            (coded.scores, coded.reasons) = (judged.scores, judged.reasons);
            OnLayer::judge(&mut coded.layers, (&coded.scores, &coded.reasons), judged.above);
        }
        let missing = model.spec.missing == Missing::Nan;
        coded.imputed = if missing { impute(prepared, &x, (&model.u, &coded.v)) } else { None };
        coded
    })
}

/// See [`Model::outlier_parts`].
pub(crate) fn outlier_parts<T: Real>(
    model: &Model<T>,
    x: Samples<'_, T>,
    running: &Running<'_>,
) -> Result<Vec<Vec<Part>>> {
    let alone = |&score: &f64| vec![Part { reason: Reason::Centroids, z: score, part: score }];
    coded(model, x, running, |coded, prepared, data| {
        let plain = data.unscaled(prepared.samples());
        let plain = plain.as_ref().unwrap_or(data);
        let by = model.judge.as_ref().map(|judge| judge.parts(plain, &coded.residuals));
        by.unwrap_or_else(|| coded.scores.iter().map(alone).collect())
    })
}

/// Something about samples that are prepared and coded.
fn coded<T: Real, R: Send>(
    model: &Model<T>,
    x: Samples<'_, T>,
    running: &Running<'_>,
    then: impl FnOnce(Coded<T>, &Prepared<'_, T>, &Stored<'_, T>) -> R + Send,
) -> Result<R> {
    model.check_features(&x)?;
    let missing = model.spec.missing == Missing::Nan;
    let small = model.coding.is_small(x.shape().0, missing);
    running.threads.run_unless(small, || {
        if missing {
            check_missing(&x)?;
        }
        let mut prepared = preprocess::apply(&model.preprocess, x, missing)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq);
        let coded = model.code(&data, &running.cancel)?;
        let found = then(coded, &prepared, &data);
        data.intact()?;
        running.cancel.check()?;
        Ok(found)
    })?
}

/// See [`Model::judging`].
pub(crate) fn judging<T: Real>(
    model: &Model<T>,
    x: Samples<'_, T>,
    counts: &[bool],
    running: &Running<'_>,
) -> Result<Model<T>> {
    model.check_features(&x)?;
    if counts.len() != x.shape().0 {
        return Err(Error::Shape { what: "the counts", got: (counts.len(), 1), want: (x.shape().0, 1) });
    }
    running.threads.run(|_| {
        let mut prepared = preprocess::apply(&model.preprocess, x, false)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq);
        let coded = model.code(&data, &running.cancel)?;
        let plain = data.unscaled(prepared.samples());
        let residuals = OnLayer::residuals(&coded.layers, &coded.residuals);
        let (judge, _) = Judge::learn(plain.as_ref().unwrap_or(&data), &residuals, counts);
        data.intact()?;
        running.cancel.check()?;
        model.clone().with_judge(judge)
    })?
}

/// Dense, and every sample has a value.
fn check_missing<T: Real>(x: &Samples<'_, T>) -> Result<()> {
    let x = with_gaps(x)?;
    let empty = |i: &usize| (0..x.cols()).all(|j| x.at(*i, j).to_f64().is_nan());
    (0..x.rows()).find(empty).map_or(Ok(()), |at| Err(Error::NothingObserved { what: "sample", at }))
}
