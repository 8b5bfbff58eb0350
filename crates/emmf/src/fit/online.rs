//! Samples that come in batches and are not kept: [`Spec::fit_online`] starts, [`Model::update`] continues.
//!
//! U minimises ½·Σ ρᵢqᵢ‖xᵢ − U·vᵢ‖² over all samples seen so far, with the weights q and the coefficients v that each had when it was
//! seen: of the past, A = Σ ρqvᵀv and B = Σ ρqxvᵀ are enough ([`Past`]). A batch is first scored by the model, and its
//! outliers are left out. The others are coded exactly and weighted by the loss of the method, and U is updated by coordinate descent;
//! this is done twice, since the coefficients of the batch follow U. The same batches in the same order give the same bits.

use super::device::refused;
use super::{Given, check};
use crate::cancel::Cancel;
use crate::data::{Data, Gram, Stored};
use crate::error::{Error, Result};
use crate::loss::{Loss, Stats};
use crate::matrix::{Mat, Samples};
use crate::method::{Update, room};
use crate::model::{Coded, Fit, Model, Past, check_half_life};
use crate::outliers::THRESHOLD;
use crate::preprocess::{self, median};
use crate::real::Real;
use crate::registry::{self, Entry, Places, SetAside};
use crate::spec::{Init, Missing, Outliers, Spec};
use crate::threads::Running;

/// Times that a batch is coded and U moves.
const PASSES: usize = 2;
/// Sweeps over U each time.
const SWEEPS: usize = 10;
/// How many typical residuals one residual counts in their sum, at most.
const MOST: f64 = 4.0;
/// Share of the usual residual below which a sample weighs no more: what it weighs is never taken back.
const LEAST: f64 = 0.02;

/// The least residual that is told from none.
const NOTHING: f64 = 1e-100;

/// A model that has learned from one more batch.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Updated<T> {
    /// The model, with the batch in its past.
    pub model: Model<T>,
    /// The batch as the model saw it before.
    pub coded: Coded<T>,
    /// The samples of the batch that the model took for outliers and left out, ascending.
    pub set_aside: Vec<usize>,
}

impl Spec {
    /// Fits a first batch with a model that keeps learning: see [`Model::update`]. After `half_life` more samples a sample counts half;
    /// without it all count the same for ever. The first batch is a fit like any other, whose outliers are set aside unless the
    /// parameters say otherwise: it provides the start and the reference for outliers, so it should be typical.
    ///
    /// ```
    /// use emmf::{Given, Running, Spec, synth};
    /// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    /// let first = Spec::emmf(3).fit_online(&data.x, Given::default(), None)?;
    /// let next = first.model.update(&data.x, None, &Running::default())?;
    /// assert_eq!(next.model.past().map(|past| past.seen), Some(2 * data.x.rows() as u64));
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn fit_online<'a, T: Real>(
        &self,
        x: impl Into<Samples<'a, T>>,
        given: Given<'_, T>,
        half_life: Option<f64>,
    ) -> Result<Fit<T>> {
        T::fit_online(self, x.into(), given, half_life)
    }
}

impl<T: Real> Model<T> {
    /// Learns from a batch of samples, which can be discarded afterwards; see [`Spec::fit_online`].
    pub fn update<'a>(
        &self,
        x: impl Into<Samples<'a, T>>,
        sample_weights: Option<&[f64]>,
        running: &Running<'_>,
    ) -> Result<Updated<T>> {
        T::update(self, x.into(), sample_weights, running)
    }
}

pub(super) fn fit_online<T: Real>(
    spec: &Spec,
    x: Samples<'_, T>,
    given: Given<'_, T>,
    half_life: Option<f64>,
) -> Result<Fit<T>> {
    let entry = registry::find(&spec.method)?;
    check_half_life(half_life)?;
    check_method(spec, entry)?;
    if let Some(device) = given.device {
        return Err(refused(&device.name(), "batches"));
    }
    let mut spec = spec.clone();
    if spec.outliers.is_none() && entry.facts.set_aside != SetAside::Never {
        spec.outliers = Some(Outliers::SetAside);
    }
    let (running, weights) = (given.running.clone(), given.sample_weights);
    let mut fit = T::fit(&spec, x, given)?;
    let counts = counts(weights, entry, x.shape().0)?;
    let mut loss = entry.loss(&spec.params).ok_or_else(|| unfit(entry))?;
    loss.calibrate(&mut || Ok(fit.residuals.iter().copied().zip(counts.iter().copied()).collect()))?;
    let loss = loss.spec().ok_or_else(|| unfit(entry))?;
    let empty = Past::new(fit.model.centroids().shape(), half_life, loss);
    // A fit that was broken off has a past, too.
    let calm = Running { cancel: Cancel::new(), ..running };
    let past = in_batch(&fit.model, x, &counts, &calm, |batch| {
        let coded = batch.coded(&fit.model)?;
        let mut kept = batch.kept(&spec, &coded);
        fit.set_aside.iter().for_each(|&i| kept[i] = 0.0);
        let mut past = batch.learned(&empty, &coded, &kept);
        past.drift = drift(&coded);
        Ok(past)
    })?;
    fit.model = fit.model.with_past(past)?;
    Ok(fit)
}

pub(super) fn update<T: Real>(
    model: &Model<T>,
    x: Samples<'_, T>,
    sample_weights: Option<&[f64]>,
    running: &Running<'_>,
) -> Result<Updated<T>> {
    let past = model.past().ok_or_else(|| {
        let must = "one that can keep learning: made from a first batch, not by a fit of all samples at once";
        Error::param("the model", "one without a past", must)
    })?;
    let entry = registry::find(&model.spec().method)?;
    check_method(model.spec(), entry)?;
    model.check_features(&x)?;
    let counts = counts(sample_weights, entry, x.shape().0)?;
    in_batch(model, x, &counts, running, |batch| {
        let coded = batch.coded(model)?;
        let kept = batch.kept(model.spec(), &coded);
        let usual: Vec<f64> =
            kept.iter().zip(&coded.residuals).filter(|(s, _)| **s > 0.0).map(|(_, r)| *r).collect();
        let (mut moved, mut learned) = (model.clone(), past.clone());
        for pass in 0..PASSES {
            let again = if pass == 0 { None } else { Some(batch.coded(&moved)?) };
            learned = batch.learned(past, again.as_ref().unwrap_or(&coded), &kept);
            let many = kept.iter().sum::<f64>();
            if many == 0.0 {
                break;
            }
            let share = many / learned.samples;
            moved = model.moved(step(moved.centroids(), &learned), &usual, share);
            batch.cancel.check()?;
        }
        learned.drift = drift(&coded);
        let set_aside = (0..kept.len()).filter(|&i| kept[i] == 0.0 && batch.counts[i] > 0.0).collect();
        Ok(Updated { model: moved.with_past(learned)?, coded, set_aside })
    })
}

fn unfit(entry: &Entry) -> Error {
    Error::param("method", entry.name, "one that weights samples, for samples that come in batches")
}

/// What needs all samples at once does not work in batches.
fn check_method(spec: &Spec, entry: &Entry) -> Result<()> {
    if spec.is_deep() {
        return Err(Error::param(
            "layers",
            format!("{:?}", spec.widths()),
            "one for samples that come in batches",
        ));
    }
    if entry.facts.places != Places::Anywhere || spec.graph.is_some() || spec.init == Some(Init::Graph) {
        let must = "one that weights samples and uses no graph, for samples that come in batches";
        return Err(Error::param("method", entry.name, must));
    }
    check::no_penalties(spec, entry, "that come in batches")?;
    if spec.missing == Missing::Nan {
        return Err(Error::param("missing", "nan", "left out for samples that come in batches"));
    }
    Ok(())
}

/// How often each sample counts, as it was given: a batch is no measure of what 1 is.
fn counts(given: Option<&[f64]>, entry: &Entry, n: usize) -> Result<Vec<f64>> {
    check::sample_weights(given, entry, n).map(|ones| given.map_or(ones, <[f64]>::to_vec))
}

fn drift<T>(coded: &Coded<T>) -> f64 {
    let above = coded.scores.iter().filter(|score| **score > THRESHOLD).count();
    above as f64 / coded.scores.len().max(1) as f64
}

/// U after some sweeps towards what the past pulls it to.
fn step<T: Real>(u: &Mat<T>, past: &Past) -> Mat<T> {
    let (mut exact, update) = (
        u.cast::<f64>(),
        Update::Hals { sweeps: SWEEPS, extrapolate: false, deadline: crate::cancel::Deadline::default() },
    );
    let mut scratch = vec![0.0; room(u.shape())];
    update.matrix(&mut exact, &past.b, &past.a, &mut scratch);
    // A centroid that nothing was ever made of stays.
    Mat::from_fn(u.rows(), u.cols(), |j, k| {
        if past.a[(k, k)] > 0.0 { T::from_f64(exact[(j, k)]) } else { u[(j, k)] }
    })
}

/// A batch of samples, preprocessed as the model wants them.
struct Batch<'a, T> {
    data: &'a Stored<'a, T>,
    samples: Samples<'a, T>,
    counts: &'a [f64],
    cancel: &'a Cancel,
}

fn in_batch<T: Real, R: Send>(
    model: &Model<T>,
    x: Samples<'_, T>,
    counts: &[f64],
    running: &Running<'_>,
    work: impl FnOnce(&Batch<'_, T>) -> Result<R> + Send,
) -> Result<R> {
    running.threads.run(|_| {
        let mut prepared = preprocess::apply(model.preprocessing(), x, false)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq);
        data.intact()?;
        let found =
            work(&Batch { data: &data, samples: prepared.samples(), counts, cancel: &running.cancel })?;
        data.intact()?;
        Ok(found)
    })?
}

impl<T: Real> Batch<'_, T> {
    /// The batch in terms of a model, with its scores.
    fn coded(&self, model: &Model<T>) -> Result<Coded<T>> {
        let mut coded = model.code(self.data, self.cancel)?;
        if let Some(judged) = model.judged(self.samples, self.data, &[&coded.residuals]) {
            (coded.scores, coded.reasons) = (judged.scores, judged.reasons);
        }
        Ok(coded)
    }

    /// How often each sample counts, outliers not at all.
    fn kept(&self, spec: &Spec, coded: &Coded<T>) -> Vec<f64> {
        let keeps = spec.outliers == Some(Outliers::Keep);
        let count = |(count, score): (&f64, &f64)| if keeps || *score <= THRESHOLD { *count } else { 0.0 };
        self.counts.iter().zip(&coded.scores).map(count).collect()
    }

    /// The past with these samples in it, which count so often.
    fn learned(&self, past: &Past, coded: &Coded<T>, kept: &[f64]) -> Past {
        let (many, r) = (kept.iter().sum::<f64>(), &coded.residuals);
        let seen = past.seen + kept.len() as u64;
        if many == 0.0 {
            return Past { seen, ..past.clone() };
        }
        let decay = past.decay(many);
        let usual = if past.samples > 0.0 { past.residuals / past.samples } else { usual(r, kept) };
        let sum: f64 = kept.iter().zip(r).map(|(s, r)| s * r.min(MOST * usual)).sum();
        let (samples, residuals) = (decay * past.samples + many, decay * past.residuals + sum);
        let mean = residuals / samples;
        let stats = Stats { n: samples, sum: residuals, sum_sq: residuals * mean };
        let (mut a, mut b) = (past.a.clone(), past.b.clone());
        let (g, p, scale) = self.pulled(&coded.v, &weights(&*past.loss.make(), (r, kept), &stats));
        for (sum, more) in [(&mut a, &g), (&mut b, &p)] {
            let entries = sum.as_mut_slice().iter_mut().zip(more.as_slice());
            entries.for_each(|(sum, more)| *sum = decay * *sum + scale * more.to_f64());
        }
        Past { a, b, samples, residuals, seen, ..past.clone() }
    }

    /// VᵀQV and XᵀQV, both over a factor that brings Q to a maximum of 1, and the factor: what is larger might overflow.
    fn pulled(&self, v: &Mat<T>, q: &[f64]) -> (Mat<T>, Mat<T>, f64) {
        let largest = q.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let q: Vec<T> = q.iter().map(|q| T::from_f64(q / largest)).collect();
        let mut p = Mat::zeros(self.data.shape().1, v.cols());
        self.data.t_dot(&q, v, &mut p);
        (Gram::new(v.cols()).weighted(&q, v).clone(), p, largest)
    }
}

/// The usual residual of a first batch: no mean, which junk would raise, unless most are 0.
fn usual(r: &[f64], kept: &[f64]) -> f64 {
    let mut there: Vec<f64> = r.iter().zip(kept).filter(|(_, s)| **s > 0.0).map(|(r, _)| *r).collect();
    let mean = there.iter().sum::<f64>() / there.len().max(1) as f64;
    let median = median(&mut there);
    if median > 0.0 { median } else { mean }
}

/// Weights of samples with these residuals, which count so often.
fn weights(loss: &dyn Loss, (r, kept): (&[f64], &[f64]), stats: &Stats) -> Vec<f64> {
    let least = (LEAST * stats.sum / stats.n).max(NOTHING);
    let weight = |(r, s): (&f64, &f64)| {
        if *s > 0.0 { s * loss.at(r.max(least), stats).1.clamp(0.0, f64::MAX) } else { 0.0 }
    };
    r.iter().zip(kept).map(weight).collect()
}
