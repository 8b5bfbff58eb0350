//! What a fit leaves behind: the [`Model`], which codes and scores new samples, and the [`Fit`] around it.

mod columns;
mod consensus;
mod layers;
mod past;
mod samples;
mod tree;
mod written;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cancel::Cancel;
use crate::data::{BLOCK, Data, Stored};
use crate::derived::Derived;
use crate::error::{Error, Result};
use crate::iterate::Stop;
use crate::matrix::{Mat, Samples, View};
use crate::method::{Coding, Extra, Normal, Shares, largest};
use crate::outliers::{Cut, Judge, Judged, Part, Reason, outliers};
use crate::preprocess::{self, Fitted, Prepared, median};
use crate::real::Real;
use crate::real::sealed::Left;
use crate::spec::{Missing, Spec};
use crate::threads::{Running, Threads};

pub use crate::method::{Layer, certainty};
pub use consensus::{Consensus, STABLE};
use layers::Above;
pub use layers::OnLayer;
pub use past::Past;
pub(crate) use past::check_half_life;
pub(crate) use samples::{judging, outlier_parts, transform};
pub use tree::{NodeTree, TreeNode};
use written::Written;

/// Sweeps of coordinate descent that a coding may have: a file must not keep anyone busy for ever.
pub(crate) const MOST_SWEEPS: usize = 10_000;

/// The residuals of the training samples in two robust numbers, against which samples are scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResidualScale {
    /// The median residual.
    pub center: f64,
    /// 1.4826 times the median absolute deviation from it: the standard deviation of a normal
    /// distribution.
    pub spread: f64,
}

impl ResidualScale {
    pub(crate) fn of(residuals: &[f64]) -> Self {
        let center = median(&mut residuals.to_vec());
        let deviations: Vec<f64> = residuals.iter().map(|r| (r - center).abs()).collect();
        let spread = 1.4826 * median(&mut deviations.clone());
        // More than half of the residuals may be equal; then the mean deviation has to do.
        let mean = deviations.iter().sum::<f64>() / deviations.len().max(1) as f64;
        let spread = if spread > 1e-12 * center { spread } else { mean };
        Self { center, spread: spread.max(f64::MIN_POSITIVE) }
    }

    /// This scale after it has gone a share of the way to another one.
    fn towards(self, other: Self, share: f64) -> Self {
        let mix = |from: f64, to: f64| from + share * (to - from);
        Self { center: mix(self.center, other.center), spread: mix(self.spread, other.spread) }
    }

    /// How many robust standard deviations the residual lies above the median one.
    pub fn score(&self, residual: f64) -> f64 {
        (residual - self.center) / self.spread
    }
}

/// A fitted factorization. Immutable; knows all that is needed to code and score new samples.
///
/// With serde it can be written in self-describing formats such as JSON; what is read is checked as by
/// [`from_parts`](Self::from_parts) and the like. The model file of `emmf-io` (safetensors) is smaller and also keeps the names
/// of the features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Written<T>",
    into = "Written<T>",
    bound(serialize = "T: Real + Serialize", deserialize = "T: Real + serde::de::DeserializeOwned")
)]
pub struct Model<T> {
    spec: Spec,
    u: Mat<T>,
    preprocess: Vec<Fitted>,
    residual_scale: ResidualScale,
    coding: Coding,
    label_centres: Vec<Option<Vec<f64>>>,
    judge: Option<Judge<T>>,
    past: Option<Past>,
    above: Above<T>,
    /// The normal equations of U.
    normal: Derived<Normal>,
}

/// Samples in terms of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Coded<T> {
    /// Coefficients, one row per sample: the best for the loss of an entry-wise method, for all other methods the exact
    /// nonnegative least squares solution.
    pub v: Mat<T>,
    /// The cluster, by the rule of the fit.
    pub labels: Vec<usize>,
    /// ‖x − U·v‖₂ of every preprocessed sample.
    pub residuals: Vec<f64>,
    /// Outlier score of every sample, see [`outliers`](crate::outliers); higher is worse.
    pub scores: Vec<f64>,
    /// What decides the score of every sample.
    pub reasons: Vec<Reason>,
    /// The samples as they were given, with missing values filled in, if there can be any.
    pub imputed: Option<Mat<T>>,
    /// The samples on every layer, starting with the first, if there are several.
    pub layers: Vec<OnLayer>,
}

impl<T: Real> Model<T> {
    /// Rebuilds a model from its parts, for example from a file.
    pub fn from_parts(
        spec: Spec,
        u: Mat<T>,
        preprocess: Vec<Fitted>,
        residual_scale: ResidualScale,
    ) -> Result<Self> {
        let d = u.rows();
        if u.cols() != spec.k || d == 0 || spec.k == 0 {
            return Err(Error::Shape { what: "U", got: u.shape(), want: (d.max(1), spec.k.max(1)) });
        }
        for step in &preprocess {
            let values: &[&Vec<f64>] = match step {
                Fitted::Tfidf(values) | Fitted::Shift(values) => &[values],
                Fitted::MinMax(plus, times) => &[plus, times],
                _ => &[],
            };
            if let Some(values) = values.iter().find(|values| values.len() != d) {
                return Err(Error::Shape { what: "the preprocessing", got: (values.len(), 1), want: (d, 1) });
            }
        }
        if u.as_slice().iter().any(|value| !(*value >= T::ZERO && value.is_finite())) {
            return Err(Error::param("U", "partly negative or not finite", "finite and nonnegative"));
        }
        Ok(Self {
            spec,
            u,
            preprocess,
            residual_scale,
            coding: Coding::LeastSquares,
            label_centres: Vec::new(),
            judge: None,
            past: None,
            above: Above::default(),
            normal: Derived::default(),
        })
    }

    /// The same model, but it codes samples in this way.
    pub fn with_coding(self, coding: Coding) -> Result<Self> {
        let (d, c) = self.u.shape();
        let (got, want) = match &coding {
            Coding::Entries { median_sweeps, .. } if *median_sweeps > MOST_SWEEPS => {
                return Err(Error::param("median_sweeps", median_sweeps, format!("at most {MOST_SWEEPS}")));
            }
            Coding::Penalised(penalty) | Coding::Entries { penalty, .. } => {
                penalty.check()?;
                (0, 0)
            }
            Coding::LeastSquares => (0, 0),
            Coding::Features(weights) => (weights.len(), d),
            Coding::Posterior(posterior) if posterior.rate.len() == c => (posterior.second.len(), c),
            Coding::Posterior(posterior) => (posterior.rate.len(), c),
            Coding::Separable { features } => {
                if let Some(j) = features.iter().find(|j| **j >= d) {
                    return Err(Error::param("coding", format!("feature {j}"), format!("below {d}")));
                }
                (features.len().max(c), c)
            }
        };
        if got != want {
            return Err(Error::Shape { what: "the coding", got: (got, 1), want: (want, 1) });
        }
        Ok(Self { coding, ..self })
    }

    /// The same model, but it labels samples by the nearest of these rows of coefficients, one per cluster; a cluster
    /// without a row gets no samples. Without any rows, labels follow `spec.label_rule`.
    pub fn with_label_centres(self, label_centres: Vec<Option<Vec<f64>>>) -> Result<Self> {
        let (c, count) = (self.u.cols(), self.spec.label_count());
        let length = label_centres.iter().flatten().map(Vec::len).find(|&len| len != c);
        let rows = label_centres.len();
        if length.is_some() || (rows > 0 && rows != count) {
            let got = (rows, length.unwrap_or(c));
            return Err(Error::Shape { what: "the label centres", got, want: (count, c) });
        }
        Ok(Self { label_centres, ..self })
    }

    /// The same model, but it scores samples in this way; without a judge it scores them by their residuals alone.
    pub fn with_judge(self, judge: Judge<T>) -> Result<Self> {
        let d = self.u.rows();
        if let Some(got) = judge.features().find(|features| *features != d) {
            return Err(Error::Shape { what: "the reference of the scores", got: (got, 1), want: (d, 1) });
        }
        Ok(Self { judge: Some(judge), ..self })
    }

    /// The same model with scores relative to what is usual among those of these samples that count: for a model whose samples
    /// were not all in one memory.
    pub fn judging<'a>(
        &self,
        x: impl Into<Samples<'a, T>>,
        counts: &[bool],
        running: &Running<'_>,
    ) -> Result<Self> {
        T::judging(self, x.into(), counts, running)
    }

    /// What samples are scored by, if not by their residuals alone.
    pub fn judge(&self) -> Option<&Judge<T>> {
        self.judge.as_ref()
    }

    /// What [`with_label_centres`](Self::with_label_centres) was given.
    pub fn label_centres(&self) -> &[Option<Vec<f64>>] {
        &self.label_centres
    }

    /// How samples are coded.
    pub fn coding(&self) -> &Coding {
        &self.coding
    }

    /// The parameters of the fit.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// U, d×c: one centroid per column, in terms of the preprocessed features.
    pub fn centroids(&self) -> &Mat<T> {
        &self.u
    }

    /// The preprocessing, with what it learned.
    pub fn preprocessing(&self) -> &[Fitted] {
        &self.preprocess
    }

    /// The same model, but it treats NaN in new samples as said here.
    #[must_use]
    pub fn with_missing(mut self, missing: Missing) -> Self {
        self.spec.missing = missing;
        self
    }

    /// What the scores are relative to.
    pub fn residual_scale(&self) -> ResidualScale {
        self.residual_scale
    }

    /// Coefficients, labels, residuals and outlier scores of samples, with U fixed. For the training samples
    /// these are the coefficients of the fit. Each sample is coded on its own. Uses one thread per core; see
    /// [`transform_with`](Self::transform_with).
    pub fn transform<'a>(&self, x: impl Into<Samples<'a, T>>) -> Result<Coded<T>> {
        self.transform_with(x, &Running::default())
    }

    /// The same on other threads, or until it is cancelled. A few samples, which take no longer than starting a thread,
    /// are coded on the calling thread.
    ///
    /// ```
    /// use emmf::{Mat, Pool, Running, Spec};
    /// let x = Mat::from_rows([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]]);
    /// let (fit, pool) = (Spec::emmf(2).fit(&x)?, Pool::new(Some(2))?);
    /// let coded = fit.model.transform_with(&x, &Running::on(&pool))?;
    /// assert_eq!(coded.v, fit.v);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn transform_with<'a>(
        &self,
        x: impl Into<Samples<'a, T>>,
        running: &Running<'_>,
    ) -> Result<Coded<T>> {
        T::transform(self, x.into(), running)
    }

    /// What every reason says of samples as outliers, and the part of the score of [`transform`](Self::transform) that it makes.
    ///
    /// ```
    /// use emmf::{Running, Spec, synth};
    /// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    /// let fit = Spec::emmf(3).fit(&data.x)?;
    /// let parts = fit.model.outlier_parts(&data.x, &Running::default())?;
    /// let sum: f64 = parts[0].iter().map(|part| part.part).sum();
    /// assert!((sum - fit.scores[0]).abs() < 1e-9);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn outlier_parts<'a>(
        &self,
        x: impl Into<Samples<'a, T>>,
        running: &Running<'_>,
    ) -> Result<Vec<Vec<Part>>> {
        T::outlier_parts(self, x.into(), running)
    }

    /// Preprocessed samples in terms of the model.
    pub(crate) fn code(&self, data: &Stored<'_, T>, cancel: &Cancel) -> Result<Coded<T>> {
        let (missing, normal) = (self.spec.missing == Missing::Nan, self.normal.get(|| Normal::new(&self.u)));
        let (v, residuals) = self.coding.code(data, (&self.u, &normal), missing, cancel)?;
        data.intact()?;
        let layers = self.on_layers(data, &v, &residuals)?;
        let labels = match (layers.last(), &self.label_centres[..]) {
            (Some(last), _) => last.labels.clone(),
            (None, []) => largest(&v, &self.u, self.spec.label_rule.unwrap_or_default()),
            (None, centres) => {
                Shares::new(&v, &self.u, self.spec.label_rule.unwrap_or_default()).nearest(centres)
            }
        };
        let scores = residuals.iter().map(|&r| self.residual_scale.score(r)).collect();
        let reasons = vec![Reason::default(); residuals.len()];
        Ok(Coded { v, labels, residuals, scores, reasons, imputed: None, layers })
    }

    /// The same model after its centroids moved, with the residuals of samples that it describes, which make up this share of
    /// all that it has learned from.
    pub(crate) fn moved(&self, u: Mat<T>, residuals: &[f64], share: f64) -> Self {
        let mut moved = Self { u, normal: Derived::default(), ..self.clone() };
        if !residuals.is_empty() {
            moved.residual_scale = self.residual_scale.towards(ResidualScale::of(residuals), share);
            moved.judge.iter_mut().for_each(|judge| judge.follow(residuals, share));
        }
        moved
    }

    /// Scores of samples that are prepared, but for their factors.
    pub(crate) fn judged(
        &self,
        samples: Samples<'_, T>,
        data: &Stored<'_, T>,
        residuals: &[&[f64]],
    ) -> Option<Judged> {
        let judge = self.judge.as_ref()?;
        Some(judge.samples(data.unscaled(samples).as_ref().unwrap_or(data), residuals))
    }

    pub(crate) fn check_features(&self, x: &Samples<'_, T>) -> Result<()> {
        let ((n, d), want) = (x.shape(), self.u.rows());
        if d == want {
            return Ok(());
        }
        Err(Error::Shape { what: "the matrix of new samples", got: (n, d), want: (n, want) })
    }

    /// The samples after the preprocessing of the fit, with their zeros: what [`Model::reconstruct`] approximates.
    pub fn prepare<'a>(&self, x: impl Into<Samples<'a, T>>) -> Result<Mat<T>> {
        let x = x.into();
        self.check_features(&x)?;
        // One thread: to read and to write is most of it.
        Threads::Number(1).run_unless(x.shape().0 <= BLOCK, || {
            let mut prepared = preprocess::apply(&self.preprocess, x, self.spec.missing == Missing::Nan)?;
            let (scale, _) = prepared.take_factors();
            let (n, d) = x.shape();
            let mut out = Mat::zeros(n, d);
            prepared.samples().try_for_each(|i, j, value| {
                out[(i, j)] = scale.as_ref().map_or(value, |scale| scale[i] * value);
                Ok(())
            })?;
            Ok(out)
        })?
    }

    /// V·Uᵀ: the preprocessed samples as the model approximates them.
    pub fn reconstruct(&self, v: &Mat<T>) -> Result<Mat<T>> {
        let ((n, c), d) = (v.shape(), self.u.rows());
        if c != self.u.cols() {
            return Err(Error::Shape { what: "V", got: (n, c), want: (n, self.u.cols()) });
        }
        let mut out = Mat::zeros(n, d);
        let (v, u) = (Left::Rows((v.as_slice(), c)), self.u.transposed());
        T::gemm((out.as_mut_slice(), d), v, (u.as_slice(), d), (n, c, d), false);
        Ok(out)
    }

    /// Preprocessed values, such as those of [`Model::reconstruct`], as they would be without the preprocessing. Steps that
    /// multiply every sample by a factor of its own can only be undone for the samples that the values are `of`.
    pub fn undo(&self, values: &Mat<T>, of: Option<Samples<'_, T>>) -> Result<Mat<T>> {
        let ((n, d), features) = (values.shape(), self.u.rows());
        let want = (of.as_ref().map_or(n, |of| of.shape().0), features);
        if (n, d) != want {
            return Err(Error::Shape { what: "the matrix of preprocessed values", got: (n, d), want });
        }
        of.as_ref().map_or(Ok(()), |of| self.check_features(of))?;
        preprocess::undo(&self.preprocess, values, (of, self.spec.missing == Missing::Nan))
    }
}

/// The result of a fit. With serde it is written as a whole; the files of a fit are those of `emmf-io`.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Real + Serialize", deserialize = "T: Real + serde::de::DeserializeOwned"))]
pub struct Fit<T> {
    /// Centroids and everything needed for new samples.
    pub model: Model<T>,
    /// V, n×c: coefficients, one row per sample.
    pub v: Mat<T>,
    /// Cluster of each sample, from 0, read off V as the last iteration left it.
    pub labels: Vec<usize>,
    /// ‖xᵢ − U·vᵢ‖₂ of every preprocessed sample.
    pub residuals: Vec<f64>,
    /// Qᵢᵢ: how much each sample pulls on the centroids, by its residual; 0 for those set aside.
    pub weights: Vec<f64>,
    /// Outlier score of every sample, see [`outliers`](crate::outliers); higher is worse.
    pub scores: Vec<f64>,
    /// What decides the score of every sample.
    pub reasons: Vec<Reason>,
    /// Outliers that are alike, if there are several: the samples of each group, ascending.
    pub groups: Vec<Vec<usize>>,
    /// The samples that were set aside as outliers before the start, ascending.
    pub set_aside: Vec<usize>,
    /// The samples as they were given, with missing values filled in, if there can be any.
    pub imputed: Option<Mat<T>>,
    /// What else the method found.
    pub extras: Vec<Extra<T>>,
    /// The samples on every layer, starting with the first, if there are several.
    pub layers: Vec<OnLayer>,
    /// The objective of `model` and `v`.
    pub objective: f64,
    /// The objective before the first iteration.
    pub initial: f64,
    /// The objective after each iteration.
    pub trace: Vec<f64>,
    /// Why the loop ended.
    pub stop: Stop,
    /// Which of the restarts was best, from 0.
    pub restart: usize,
    /// What the restarts agree on, if the model is their consensus. Not of a fit that was ended early.
    pub consensus: Option<Consensus>,
    /// Wall time of the parts of the fit.
    pub seconds: Seconds,
}

/// In a line: what has a number for every sample is left out.
impl<T> fmt::Debug for Fit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, v, objective, trace, stop, restart, .. } = self;
        f.debug_struct("Fit")
            .field("method", &model.spec.method)
            .field("u", &model.u.shape())
            .field("v", &v.shape())
            .field("objective", objective)
            .field("iterations", &trace.len())
            .field("stop", stop)
            .field("restart", restart)
            .finish_non_exhaustive()
    }
}

impl<T> Fit<T> {
    /// Whether each sample is an outlier: its score is above the cut, or it was set aside.
    ///
    /// ```
    /// use emmf::{Cut, Spec, synth};
    /// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    /// let fit = Spec::emmf(3).fit(&data.x)?;
    /// let found = fit.outliers(Cut::default())?;
    /// assert!(data.outlier.iter().zip(&found).all(|(true_one, found)| !true_one || *found));
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn outliers(&self, cut: Cut) -> Result<Vec<bool>> {
        let threshold = cut.threshold(&self.scores)?;
        Ok(outliers(&self.scores, &self.set_aside, threshold).collect())
    }
}

impl<T: Real> Fit<T> {
    /// Scores by this judge, of whom the model knows.
    pub(crate) fn judge(&mut self, judge: Judge<T>, judged: Judged) -> Result<()> {
        self.model = self.model.clone().with_judge(judge)?;
        (self.scores, self.reasons, self.groups) = (judged.scores, judged.reasons, judged.groups);
        OnLayer::judge(&mut self.layers, (&self.scores, &self.reasons), judged.above);
        let outlier = self.outliers(Cut::default())?;
        self.groups.retain(|group| group.iter().all(|&i| outlier[i]));
        Ok(())
    }

    /// The residuals on every layer.
    pub(crate) fn residuals_by_layer(&self) -> Vec<&[f64]> {
        OnLayer::residuals(&self.layers, &self.residuals)
    }

    /// U, d×c: see [`Model::centroids`].
    pub fn centroids(&self) -> &Mat<T> {
        self.model.centroids()
    }
}

/// Wall time of the parts of a fit, all restarts together.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Seconds {
    /// Preprocessing and checks.
    pub prepare: f64,
    /// Making the start.
    pub init: f64,
    /// The iterations.
    pub iterate: f64,
    /// The whole fit.
    pub total: f64,
}

/// The samples where some of their values may be missing: only dense ones in memory.
pub(crate) fn with_gaps<'a, 's, T: Real>(x: &'s Samples<'a, T>) -> Result<&'s View<'a, T>> {
    match x {
        Samples::Dense(x) => Ok(x),
        Samples::Csr(_) => Err(Error::Missing {
            what: "sparse data".into(),
            instead: "give a dense matrix; what a sparse one does not store is zero",
        }),
        Samples::Stream(_) => Err(Error::WouldLoad {
            what: "`missing = nan`",
            instead: "allow more memory, or fill the gaps first",
        }),
    }
}

/// The given samples with V·Uᵀ, in their own units, in place of NaN; nothing for sparse samples.
pub(crate) fn impute<T: Real>(
    prepared: &Prepared<'_, T>,
    x: &Samples<'_, T>,
    (u, v): (&Mat<T>, &Mat<T>),
) -> Option<Mat<T>> {
    let Samples::Dense(x) = x else { return None };
    let entry = |i: usize, j: usize| {
        let value = x.at(i, j);
        if !value.to_f64().is_nan() {
            return value;
        }
        let fitted: f64 = u.row(j).iter().zip(v.row(i)).map(|(u, v)| u.to_f64() * v.to_f64()).sum();
        T::from_f64(prepared.undo(i, j, fitted))
    };
    Some(Mat::from_fn(x.rows(), x.cols(), entry))
}
