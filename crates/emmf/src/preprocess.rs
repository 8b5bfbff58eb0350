//! What is done to the samples before the fit, and again to new samples before `transform`.
//!
//! Steps that multiply whole samples (`unit`, `max`, `clip`) keep the caller's array and only
//! remember a factor for each sample; `tfidf` and `shift` make a copy.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::data::vectorized;
use crate::error::{Error, Result};
use crate::matrix::{CsrView, Mat, Samples, View};
use crate::real::Real;

/// One step of preprocessing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalize {
    /// Every sample to unit length (the paper's); a zero sample stays zero.
    Unit,
    /// All entries divided by the largest one.
    Max,
    /// Counts times ln((1 + n)/(1 + n_j)) + 1, n_j the samples in which feature j occurs.
    Tfidf,
    /// Features with negative entries moved to a minimum of 0. Dense data only.
    Shift,
    /// Samples longer than the median sample shortened to its length.
    Clip,
}

/// A step with what it learned from the training samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fitted {
    /// Every sample to unit length.
    Unit,
    /// All entries times this number.
    Max(f64),
    /// Feature j times its inverse document frequency.
    Tfidf(Vec<f64>),
    /// This much is added to feature j.
    Shift(Vec<f64>),
    /// Longer samples are shortened to this length.
    Clip(f64),
}

/// Samples after preprocessing: values, borrowed where they did not change, and a factor for each.
pub(crate) struct Prepared<'a, T> {
    values: Values<'a, T>,
    scale: Option<Vec<T>>,
    /// What was done to the values, for the way back of those that are filled in.
    done: Vec<Done<T>>,
}

/// A step as it was done to the samples.
enum Done<T> {
    /// Sample i times a factor.
    Times(Vec<T>),
    /// Feature j plus a number.
    Plus(Vec<f64>),
}

enum Values<'a, T> {
    Borrowed(Samples<'a, T>),
    Dense(Mat<T>),
    Csr(CsrView<'a, T>, Vec<T>),
}

impl<'a, T: Real> Prepared<'a, T> {
    fn new(x: Samples<'a, T>) -> Self {
        Self { values: Values::Borrowed(x), scale: None, done: Vec::new() }
    }

    /// The values, before the factors.
    pub(crate) fn samples(&self) -> Samples<'_, T> {
        match &self.values {
            Values::Borrowed(x) => *x,
            Values::Dense(x) => Samples::Dense(x.view()),
            Values::Csr(pattern, values) => Samples::Csr(pattern.with_values(values)),
        }
    }

    /// The factor of each sample, taken out.
    pub(crate) fn take_scale(&mut self) -> Option<Vec<T>> {
        self.scale.take()
    }

    fn factor(&self, i: usize) -> T {
        self.scale.as_ref().map_or(T::ONE, |scale| scale[i])
    }

    /// What a preprocessed value of sample i, feature j was before.
    pub(crate) fn undo(&self, i: usize, j: usize, value: f64) -> f64 {
        self.done.iter().rev().fold(value, |value, step| match step {
            Done::Times(factors) => value / factors[i].to_f64(),
            Done::Plus(shift) => value - shift[j],
        })
    }

    /// Norm of each sample, with the factors. Missing values count like the mean of those that are there.
    fn norms(&self) -> Result<Vec<f64>> {
        let norms: Vec<AtomicU64> = (0..self.samples().shape().0).map(|_| AtomicU64::new(0)).collect();
        self.samples().try_for_rows(|i, row| {
            let norm = vectorized!(norm(row)) * self.factor(i).to_f64();
            norms[i].store(norm.to_bits(), Ordering::Relaxed);
            Ok(())
        })?;
        Ok(norms.into_iter().map(|norm| f64::from_bits(norm.into_inner())).collect())
    }

    /// Multiplies sample i by `factor(norm of sample i)`.
    fn scale_samples(&mut self, factor: impl Fn(f64) -> f64) -> Result<()> {
        let norms = self.norms()?;
        let factors: Vec<T> = norms.iter().map(|&norm| T::from_f64(factor(norm))).collect();
        let all: Vec<T> = factors.iter().enumerate().map(|(i, &factor)| factor * self.factor(i)).collect();
        if let Some(row) = all.iter().position(|factor| !factor.is_finite()) {
            return Err(Error::TooShort { row, length: norms[row] });
        }
        self.scale = Some(all);
        self.done.push(Done::Times(factors));
        Ok(())
    }

    /// Replaces every stored entry by `change(feature, entry)`, the factors included.
    fn map(&mut self, change: impl Fn(usize, f64) -> f64) -> Result<()> {
        let entry = |i: usize, j: usize, x: T| {
            let x = x.to_f64() * self.factor(i).to_f64();
            T::from_f64(if x.is_nan() { x } else { change(j, x) })
        };
        let mapped_csr = |x: CsrView<'a, T>, entries: CsrView<'_, T>| {
            let rows = (0..x.rows()).flat_map(|i| entries.row(i).map(move |(j, value)| (i, j, value)));
            Values::Csr(x, rows.map(|(i, j, value)| entry(i, j, value)).collect())
        };
        let dense = |x: View<'_, T>| Mat::from_fn(x.rows(), x.cols(), |i, j| entry(i, j, x.at(i, j)));
        self.values = match &self.values {
            Values::Borrowed(Samples::Dense(x)) => Values::Dense(dense(*x)),
            Values::Dense(x) => Values::Dense(dense(x.view())),
            Values::Borrowed(Samples::Csr(x)) => mapped_csr(*x, *x),
            Values::Borrowed(Samples::Stream(_)) => {
                return Err(Error::WouldLoad {
                    what: "normalize = tfidf or shift",
                    instead: "leave it out, do it before, or allow more memory",
                });
            }
            Values::Csr(x, values) => mapped_csr(*x, x.with_values(values)),
        };
        self.scale = None;
        Ok(())
    }

    /// Checks the values after all steps. The caller's own array, once checked in full, is not read again.
    fn check_changes(&self, negative_was_allowed: bool, missing: bool) -> Result<()> {
        match self.values {
            Values::Borrowed(_) if !negative_was_allowed => Ok(()),
            _ => check(&self.samples(), false, missing),
        }
    }

    fn apply(&mut self, step: &Fitted) -> Result<()> {
        match step {
            Fitted::Unit => self.scale_samples(|norm| if norm > 0.0 { 1.0 / norm } else { 1.0 })?,
            Fitted::Max(factor) => self.scale_samples(|_| *factor)?,
            Fitted::Clip(length) => {
                self.scale_samples(|norm| if norm > *length { length / norm } else { 1.0 })?;
            }
            Fitted::Tfidf(idf) => self.map(|j, x| x * idf[j])?,
            Fitted::Shift(shift) if shift.iter().all(|&s| s == 0.0) && !self.has_negative()? => {}
            Fitted::Shift(_) if matches!(self.samples(), Samples::Csr(_)) => {
                return Err(Error::WouldDensify {
                    what: "normalize = shift",
                    instead: "remove the negative entries or give a dense matrix",
                });
            }
            // New samples may lie below the smallest training value: they are cut off at 0.
            Fitted::Shift(shift) => {
                self.map(|j, x| (x + shift[j]).max(0.0))?;
                self.done.push(Done::Plus(shift.clone()));
            }
        }
        Ok(())
    }

    fn has_negative(&self) -> Result<bool> {
        let found = AtomicBool::new(false);
        self.samples().try_for_rows(|_, row| {
            found.fetch_or(row.iter().any(|&x| x < T::ZERO), Ordering::Relaxed);
            Ok(())
        })?;
        Ok(found.into_inner())
    }

    fn learn(&self, step: Normalize) -> Result<Fitted> {
        let (n, d) = self.samples().shape();
        Ok(match step {
            Normalize::Unit => Fitted::Unit,
            Normalize::Max => {
                let mut largest = 0.0;
                self.samples().try_for_each(|i, _, x| {
                    largest = f64::max(largest, x.to_f64() * self.factor(i).to_f64());
                    Ok(())
                })?;
                Fitted::Max(if largest > 0.0 { 1.0 / largest } else { 1.0 })
            }
            Normalize::Clip => Fitted::Clip(median(&mut self.norms()?)),
            Normalize::Tfidf => {
                let mut counts = vec![0.0; d];
                self.samples().try_for_each(|_, j, x| {
                    counts[j] += f64::from(u8::from(x != T::ZERO));
                    Ok(())
                })?;
                Fitted::Tfidf(counts.iter().map(|&m| ((1.0 + n as f64) / (1.0 + m)).ln() + 1.0).collect())
            }
            Normalize::Shift => {
                let mut shift = vec![0.0; d];
                self.samples().try_for_each(|i, j, x| {
                    shift[j] = f64::max(shift[j], -x.to_f64() * self.factor(i).to_f64());
                    Ok(())
                })?;
                Fitted::Shift(shift)
            }
        })
    }
}

/// The median, the upper one of an even number; 0 of none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// The matrix with NaN, which stands for a missing value, wherever `observed` is 0.
pub fn masked<T: Real>(x: &Mat<T>, observed: &Mat<T>) -> Result<Mat<T>> {
    if observed.shape() != x.shape() {
        return Err(Error::Shape { what: "the mask", got: observed.shape(), want: x.shape() });
    }
    Ok(Mat::from_fn(x.rows(), x.cols(), |i, j| {
        if observed[(i, j)] == T::ZERO { T::from_f64(f64::NAN) } else { x[(i, j)] }
    }))
}

/// ‖x‖, relative to the largest entry, so that no square overflows or vanishes. Missing values count like the
/// mean of those that are there.
#[inline(always)]
fn norm<T: Real>(x: &[T]) -> f64 {
    // The maximum of a number and NaN is the number.
    let largest = x.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return 0.0;
    }
    // Several sums at a time, which one sum in order would not allow.
    let (whole, rest) = x.as_chunks::<8>();
    let (mut sums, mut missing) = ([0.0; 8], [0.0; 8]);
    let mut add = |t: usize, x: T| {
        let square = (x.to_f64() / largest).powi(2);
        sums[t] += if square.is_nan() { 0.0 } else { square };
        missing[t] += if square.is_nan() { 1.0 } else { 0.0 };
    };
    whole.iter().for_each(|x| (0..8).for_each(|t| add(t, x[t])));
    rest.iter().enumerate().for_each(|(t, &x)| add(t, x));
    let (sum, missing): (f64, f64) = (sums.iter().sum(), missing.iter().sum());
    let d = x.len() as f64;
    largest * if missing == 0.0 { sum.sqrt() } else { (sum * d / (d - missing)).sqrt() }
}

/// Finite (or `missing`, where that is allowed) and not negative, with the place of the first entry that is not.
fn check<T: Real>(x: &Samples<'_, T>, negative_allowed: bool, missing: bool) -> Result<()> {
    let (rows, cols) = x.shape();
    if rows == 0 || cols == 0 {
        return Err(Error::Empty { rows, cols });
    }
    let good =
        |x: T| (x.is_finite() && (negative_allowed || x >= T::ZERO)) || (missing && x.to_f64().is_nan());
    let all_good = AtomicBool::new(true);
    x.try_for_rows(|_, row| {
        let bad = vectorized!(row.iter().filter(|x| !good(**x)).count());
        all_good.fetch_and(bad == 0, Ordering::Relaxed);
        Ok(())
    })?;
    if all_good.into_inner() {
        return Ok(());
    }
    x.try_for_each(|row, col, value| match value.to_f64() {
        _ if good(value) => Ok(()),
        value if value.is_finite() => Err(Error::Negative { row, col, value }),
        value => Err(Error::NonFinite { row, col, value }),
    })
}

/// Learns the steps from the training samples and applies them.
pub(crate) fn fit<'a, T: Real>(
    steps: &[Normalize],
    x: Samples<'a, T>,
    missing: bool,
) -> Result<(Vec<Fitted>, Prepared<'a, T>)> {
    let shifts = steps.contains(&Normalize::Shift);
    check(&x, shifts, missing)?;
    let mut prepared = Prepared::new(x);
    let mut fitted = Vec::with_capacity(steps.len());
    for &step in steps {
        let step = prepared.learn(step)?;
        prepared.apply(&step)?;
        fitted.push(step);
    }
    prepared.check_changes(shifts, missing)?;
    Ok((fitted, prepared))
}

/// Applies steps that were learned before to new samples.
pub(crate) fn apply<'a, T: Real>(
    steps: &[Fitted],
    x: Samples<'a, T>,
    missing: bool,
) -> Result<Prepared<'a, T>> {
    let shifts = steps.iter().any(|step| matches!(step, Fitted::Shift(_)));
    check(&x, shifts, missing)?;
    let mut prepared = Prepared::new(x);
    steps.iter().try_for_each(|step| prepared.apply(step))?;
    prepared.check_changes(shifts, missing)?;
    Ok(prepared)
}
