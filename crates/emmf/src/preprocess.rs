//! What is done to the samples before the fit, and again to new samples before `transform`.
//!
//! Steps that multiply whole samples (`unit`, `max`, `clip`) keep the caller's array and only
//! remember a factor for each sample; `tfidf` and `shift` make a copy.

use serde::{Deserialize, Serialize};

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
        let (n, d) = self.samples().shape();
        // Relative to the largest entry, so that no square overflows or vanishes.
        let mut norms = vec![(0.0, 0.0, 0_usize); n];
        self.samples().try_for_each(|i, _, x| {
            let largest: &mut f64 = &mut norms[i].0;
            *largest = largest.max(x.to_f64().abs());
            Ok(())
        })?;
        self.samples().try_for_each(|i, _, x| {
            let (largest, sum, missing) = &mut norms[i];
            if x.to_f64().is_nan() {
                *missing += 1;
            } else if x != T::ZERO {
                *sum += (x.to_f64() / *largest).powi(2);
            }
            Ok(())
        })?;
        let norm = |(i, (largest, sum, missing)): (usize, (f64, f64, usize))| {
            let whole = if missing == 0 { sum } else { sum * d as f64 / (d - missing) as f64 };
            largest * whole.sqrt() * self.factor(i).to_f64()
        };
        Ok(norms.into_iter().enumerate().map(norm).collect())
    }

    /// Multiplies sample i by `factor(norm of sample i)`.
    fn scale_samples(&mut self, factor: impl Fn(f64) -> f64) -> Result<()> {
        let factors: Vec<T> = self.norms()?.iter().map(|&norm| T::from_f64(factor(norm))).collect();
        let all = factors.iter().enumerate().map(|(i, &factor)| factor * self.factor(i)).collect();
        self.scale = Some(all);
        self.done.push(Done::Times(factors));
        Ok(())
    }

    /// Replaces every stored entry by `change(feature, entry)`, the factors included.
    fn map(&mut self, change: impl Fn(usize, f64) -> f64) {
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
            Values::Csr(x, values) => mapped_csr(*x, x.with_values(values)),
        };
        self.scale = None;
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
            Fitted::Tfidf(idf) => self.map(|j, x| x * idf[j]),
            Fitted::Shift(shift) if shift.iter().all(|&s| s == 0.0) && !self.has_negative() => {}
            Fitted::Shift(_) if matches!(self.samples(), Samples::Csr(_)) => {
                return Err(Error::WouldDensify {
                    what: "normalize = shift",
                    instead: "remove the negative entries or give a dense matrix",
                });
            }
            // New samples may lie below the smallest training value: they are cut off at 0.
            Fitted::Shift(shift) => {
                self.map(|j, x| (x + shift[j]).max(0.0));
                self.done.push(Done::Plus(shift.clone()));
            }
        }
        Ok(())
    }

    fn has_negative(&self) -> bool {
        match self.samples() {
            Samples::Dense(x) => (0..x.rows()).any(|i| (0..x.cols()).any(|j| x.at(i, j) < T::ZERO)),
            Samples::Csr(x) => x.values().iter().any(|&value| value < T::ZERO),
        }
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

/// Finite (or `missing`, where that is allowed) and not negative, with the place of the first entry that is not.
fn check<T: Real>(x: &Samples<'_, T>, negative_allowed: bool, missing: bool) -> Result<()> {
    let (rows, cols) = x.shape();
    if rows == 0 || cols == 0 {
        return Err(Error::Empty { rows, cols });
    }
    x.try_for_each(|row, col, value| {
        if (value >= T::ZERO && value.is_finite()) || (missing && value.to_f64().is_nan()) {
            Ok(())
        } else if !value.is_finite() {
            Err(Error::NonFinite { row, col, value: value.to_f64() })
        } else if negative_allowed {
            Ok(())
        } else {
            Err(Error::Negative { row, col, value: value.to_f64() })
        }
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
