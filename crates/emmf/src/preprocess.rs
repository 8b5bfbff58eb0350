//! Preprocessing of the samples before the fit, and of new samples before `transform`.
//!
//! Steps that multiply whole samples (`unit`, `max`, `clip`, `l1`, `counts`) keep the caller's array and only
//! remember a factor for each sample; the others make a copy.

use serde::{Deserialize, Serialize};

use crate::data::{Factor, Survey, Wanted};
use crate::error::{Error, Result};
use crate::matrix::{CsrView, Mat, Row, Samples, View};
use crate::real::Real;

/// One step of preprocessing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Normalize {
    /// Every sample to unit length, as in the paper; a zero sample stays zero.
    Unit,
    /// All entries divided by the largest one.
    Max,
    /// Counts times ln((1 + n)/(1 + n_j)) + 1, where n_j is the number of samples in which feature j occurs.
    Tfidf,
    /// Features with negative entries shifted to a minimum of 0. Dense data only.
    Shift,
    /// Samples longer than the median sample shortened to its length.
    Clip,
    /// Every sample to a sum of 1; a zero sample stays zero.
    L1,
    /// Every sample to the median sum of the training samples: for counts of cells that were sequenced to different depths.
    Counts,
    /// ln(1 + x) of every entry.
    Log1p,
    /// Every feature rescaled so that its smallest value is 0 and its largest 1; a constant feature becomes 0.
    MinMax,
}

/// A step with what it learned from the training samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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
    /// Every sample to a sum of 1.
    L1,
    /// Every sample to this sum.
    Counts(f64),
    /// ln(1 + x) of every entry.
    Log1p,
    /// The first is added to feature j, which then is multiplied by the second.
    MinMax(Vec<f64>, Vec<f64>),
}

impl Normalize {
    /// Whether it multiplies whole samples by what follows from their lengths.
    fn scales(self) -> bool {
        matches!(self, Self::Unit | Self::Max | Self::Clip)
    }

    /// Whether the values may stay as they are but for factors.
    fn keeps_lengths(self) -> bool {
        !matches!(self, Self::Tfidf | Self::Log1p | Self::MinMax)
    }

    /// Whether it has to see what every feature holds.
    fn needs_features(self) -> bool {
        matches!(self, Self::Tfidf | Self::Shift | Self::MinMax)
    }

    /// What it needs to learn where that is nothing.
    fn known(self) -> Option<Fitted> {
        match self {
            Self::Unit => Some(Fitted::Unit),
            Self::L1 => Some(Fitted::L1),
            Self::Log1p => Some(Fitted::Log1p),
            _ => None,
        }
    }
}

impl Fitted {
    fn kind(&self) -> Normalize {
        match self {
            Self::Unit => Normalize::Unit,
            Self::Max(_) => Normalize::Max,
            Self::Tfidf(_) => Normalize::Tfidf,
            Self::Shift(_) => Normalize::Shift,
            Self::Clip(_) => Normalize::Clip,
            Self::L1 => Normalize::L1,
            Self::Counts(_) => Normalize::Counts,
            Self::Log1p => Normalize::Log1p,
            Self::MinMax(..) => Normalize::MinMax,
        }
    }

    /// What a step is called that multiplies every sample by a factor of its own.
    fn own_factor(&self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Clip(_) => "clip",
            Self::L1 => "l1",
            _ => "counts",
        }
    }

    /// What a preprocessed value of feature j was before the step, where that is the same for all samples.
    fn undo(&self, j: usize, value: f64) -> Option<f64> {
        match self {
            Self::Unit | Self::Clip(_) | Self::L1 | Self::Counts(_) => None,
            Self::Max(factor) => Some(value / factor),
            Self::Tfidf(idf) => Some(value / idf[j]),
            Self::Shift(shift) => Some(value - shift[j]),
            Self::Log1p => Some(value.exp_m1()),
            // Of a constant feature only what was added is left.
            Self::MinMax(plus, times) if times[j] == 0.0 => Some(-plus[j]),
            Self::MinMax(plus, times) => Some(value / times[j] - plus[j]),
        }
    }

    /// What a sample of this length is multiplied by.
    fn factor(&self, length: f64) -> f64 {
        match self {
            Self::Unit if length > 0.0 => 1.0 / length,
            Self::Max(factor) => *factor,
            Self::Clip(most) if length > *most => most / length,
            _ => 1.0,
        }
    }
}

/// A step that is ahead, with what it has to learn from the samples where that is known already.
struct Step {
    kind: Normalize,
    known: Option<Fitted>,
}

/// Walks over samples once, each times its factor, for all that the steps ahead ask. Where the next ones multiply whole
/// samples and have nothing to learn, the walk does so on its way: the norms are those after them.
fn survey<T: Real>(
    x: &Samples<'_, T>,
    scale: Option<&[T]>,
    ahead: &[Step],
    missing: bool,
) -> Result<Survey<T>> {
    let scaling = ahead.iter().map_while(|step| step.known.as_ref().filter(|_| step.kind.scales()));
    let scaling: Vec<&Fitted> = scaling.collect();
    let next = ahead.get(scaling.len());
    let factor = |i: usize, length: f64| {
        let before = scale.map_or(T::ONE, |scale| scale[i]);
        scaling.iter().fold(before, |all, step| T::from_f64(step.factor(length * all.to_f64())) * all)
    };
    let factor: Option<Factor<'_, T>> =
        if scale.is_none() && scaling.is_empty() { None } else { Some(&factor) };
    let shifts = ahead.iter().any(|step| matches!(step.kind, Normalize::Shift | Normalize::MinMax));
    let wanted = Wanted {
        least: if shifts { f64::MIN } else { 0.0 },
        missing,
        // Others make other values of these; `shift` may find nothing to do.
        sizes: ahead.iter().take_while(|step| step.kind.keeps_lengths()).any(|step| step.kind.scales()),
        features: next.is_some_and(|step| step.known.is_none() && step.kind.needs_features()),
    };
    Survey::of(x, wanted, factor)
}

/// Samples after preprocessing: values, borrowed where they did not change, and a factor for each.
pub(crate) struct Prepared<'a, T> {
    values: Values<'a, T>,
    scale: Option<Vec<T>>,
    /// NaN is a missing value.
    missing: bool,
    /// What the last walk over the values found.
    survey: Survey<T>,
    /// What was done to the values, for the way back of those that are filled in.
    done: Vec<Done<T>>,
}

/// A step as it was done to the samples.
enum Done<T> {
    /// Sample i times a factor.
    Times(Vec<T>),
    /// Feature j plus a number.
    Plus(Vec<f64>),
    /// Feature j times a number.
    FeatureTimes(Vec<f64>),
    /// ln(1 + x).
    Log1p,
}

enum Values<'a, T> {
    Borrowed(Samples<'a, T>),
    Dense(Mat<T>),
    Csr(CsrView<'a, T>, Vec<T>),
}

impl<'a, T: Real> Prepared<'a, T> {
    /// Does these steps one after the other. Gives them, too, with what they learned.
    fn by(steps: &[Step], x: Samples<'a, T>, missing: bool) -> Result<(Vec<Fitted>, Self)> {
        let survey = survey(&x, None, steps, missing)?;
        let mut prepared =
            Self { values: Values::Borrowed(x), scale: None, missing, survey, done: Vec::new() };
        let mut fitted = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let step = match &step.known {
                Some(known) => known.clone(),
                None => prepared.learn(step.kind, &steps[at..])?,
            };
            prepared.apply(&step, &steps[at + 1..])?;
            fitted.push(step);
        }
        Ok((fitted, prepared))
    }

    /// The values, before the factors.
    pub(crate) fn samples(&self) -> Samples<'_, T> {
        match &self.values {
            Values::Borrowed(x) => *x,
            Values::Dense(x) => Samples::Dense(x.view()),
            Values::Csr(pattern, values) => Samples::Csr(pattern.with_values(values)),
        }
    }

    /// What was found in the values, before the factors.
    pub(crate) fn survey(&self) -> &Survey<T> {
        &self.survey
    }

    /// The factor of each sample, and ‖xᵢ‖² with it where it is known, taken out.
    pub(crate) fn take_factors(&mut self) -> (Option<Vec<T>>, Option<Vec<f64>>) {
        let survey = &mut self.survey;
        // Of no use any more.
        (survey.sizes, survey.features) = (Vec::new(), Vec::new());
        let (scale, known) = (self.scale.take(), survey.scale.take());
        let norms_sq = std::mem::take(&mut survey.norms_sq);
        let same = scale == known;
        (scale, same.then_some(norms_sq))
    }

    fn factor(&self, i: usize) -> T {
        self.scale.as_ref().map_or(T::ONE, |scale| scale[i])
    }

    /// What a preprocessed value of sample i, feature j was before.
    pub(crate) fn undo(&self, i: usize, j: usize, value: f64) -> f64 {
        self.done.iter().rev().fold(value, |value, step| match step {
            Done::Times(factors) => value / factors[i].to_f64(),
            Done::Plus(shift) => value - shift[j],
            // Of a constant feature only what was added is left.
            Done::FeatureTimes(factors) if factors[j] == 0.0 => 0.0,
            Done::FeatureTimes(factors) => value / factors[j],
            Done::Log1p => value.exp_m1(),
        })
    }

    /// Length of each sample, with the factors. Missing values count like the mean of those that are there.
    fn lengths(&self) -> Vec<f64> {
        let sizes = self.survey.sizes.iter().enumerate();
        sizes.map(|(i, size)| size.length * self.factor(i).to_f64()).collect()
    }

    /// Sum of each sample, with the factors. Missing values count like the mean of those that are there.
    fn sums(&self) -> Result<Vec<f64>> {
        let add = |sums: &mut Vec<f64>, row: Row<'_, T>| {
            let there = row.values.iter().map(|x| x.to_f64()).filter(|x| !x.is_nan());
            let (count, sum) = there.fold((0_usize, 0.0), |(count, sum), x| (count + 1, sum + x.abs()));
            sums.push(if count == 0 { 0.0 } else { sum * row.values.len() as f64 / count as f64 });
        };
        let sums = self.samples().try_fold_windows(Vec::new, add)?.into_iter().flatten();
        Ok(sums.enumerate().map(|(i, sum)| sum * self.factor(i).to_f64()).collect())
    }

    /// Multiplies every sample by the factor that the step has for its length.
    fn scale_samples(&mut self, step: &Fitted) -> Result<()> {
        let lengths = self.lengths();
        self.multiply(&lengths, |length| step.factor(length))
    }

    /// Brings every sample to a sum.
    fn bring_to_sum(&mut self, wanted: f64) -> Result<()> {
        let sums = self.sums()?;
        self.multiply(&sums, |sum| if sum > 0.0 { wanted / sum } else { 1.0 })
    }

    /// Multiplies every sample by the factor that goes with its size.
    fn multiply(&mut self, lengths: &[f64], factor: impl Fn(f64) -> f64) -> Result<()> {
        let factors: Vec<T> = lengths.iter().map(|&length| T::from_f64(factor(length))).collect();
        let all: Vec<T> = factors.iter().enumerate().map(|(i, &factor)| factor * self.factor(i)).collect();
        if let Some(row) = all.iter().position(|factor| !factor.is_finite()) {
            return Err(Error::TooShort { row, length: lengths[row] });
        }
        self.scale = Some(all);
        self.done.push(Done::Times(factors));
        Ok(())
    }

    /// Replaces every stored entry by `change(feature, entry)`, the factors included; `what` does so.
    fn map(&mut self, what: &'static str, change: impl Fn(usize, f64) -> f64, ahead: &[Step]) -> Result<()> {
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
                    what,
                    instead: "leave it out, do it beforehand, or allow more memory",
                });
            }
            Values::Csr(x, values) => mapped_csr(*x, x.with_values(values)),
        };
        self.scale = None;
        self.survey = survey(&self.samples(), None, ahead, self.missing)?;
        Ok(())
    }

    fn apply(&mut self, step: &Fitted, ahead: &[Step]) -> Result<()> {
        match step {
            Fitted::Unit | Fitted::Max(_) | Fitted::Clip(_) => self.scale_samples(step)?,
            Fitted::L1 => self.bring_to_sum(1.0)?,
            Fitted::Counts(sum) => self.bring_to_sum(*sum)?,
            Fitted::Tfidf(idf) => {
                self.map("`normalize = tfidf`", |j, x| x * idf[j], ahead)?;
                self.done.push(Done::FeatureTimes(idf.clone()));
            }
            Fitted::Log1p => {
                self.map("`normalize = log1p`", |_, x| x.ln_1p(), ahead)?;
                self.done.push(Done::Log1p);
            }
            Fitted::MinMax(plus, _)
                if matches!(self.samples(), Samples::Csr(_)) && plus.iter().any(|&plus| plus != 0.0) =>
            {
                return Err(Error::WouldDensify {
                    what: "`normalize = min-max` of features whose smallest value is not 0",
                    instead: "use `normalize = max`, or give a dense matrix",
                });
            }
            // New samples may lie below the smallest training value: they are cut off at 0.
            Fitted::MinMax(plus, times) => {
                self.map("`normalize = min-max`", |j, x| ((x + plus[j]) * times[j]).max(0.0), ahead)?;
                self.done.push(Done::Plus(plus.clone()));
                self.done.push(Done::FeatureTimes(times.clone()));
            }
            Fitted::Shift(shift) if shift.iter().all(|&s| s == 0.0) && !self.survey.has_negative() => {}
            Fitted::Shift(_) if matches!(self.samples(), Samples::Csr(_)) => {
                return Err(Error::WouldDensify {
                    what: "`normalize = shift`",
                    instead: "remove the negative entries or give a dense matrix",
                });
            }
            // New samples may lie below the smallest training value: they are cut off at 0.
            Fitted::Shift(shift) => {
                self.map("`normalize = shift`", |j, x| (x + shift[j]).max(0.0), ahead)?;
                self.done.push(Done::Plus(shift.clone()));
            }
        }
        Ok(())
    }

    /// What a step, the first of those ahead, takes from the samples.
    fn learn(&mut self, step: Normalize, ahead: &[Step]) -> Result<Fitted> {
        if step.needs_features() && (self.survey.features.is_empty() || self.survey.scale != self.scale) {
            self.survey = survey(&self.samples(), self.scale.as_deref(), ahead, self.missing)?;
        }
        let rows = self.samples().shape().0;
        let n = rows as f64;
        let features = self.survey.features.iter();
        Ok(match step {
            Normalize::Unit => Fitted::Unit,
            Normalize::L1 => Fitted::L1,
            Normalize::Log1p => Fitted::Log1p,
            Normalize::Counts => {
                let mut sums: Vec<f64> = self.sums()?.into_iter().filter(|sum| *sum > 0.0).collect();
                let median = median(&mut sums);
                Fitted::Counts(if median > 0.0 { median } else { 1.0 })
            }
            Normalize::MinMax => {
                let (lows, highs): (Vec<f64>, Vec<f64>) = features.map(|feature| feature.range(rows)).unzip();
                let times = |(low, high): (&f64, &f64)| if high > low { 1.0 / (high - low) } else { 0.0 };
                let times = lows.iter().zip(&highs).map(times).collect();
                Fitted::MinMax(lows.into_iter().map(|low| 0.0 - low).collect(), times)
            }
            Normalize::Max => {
                let sizes = self.survey.sizes.iter().enumerate();
                let largest = sizes.map(|(i, size)| size.largest * self.factor(i).to_f64());
                let largest = largest.fold(0.0, f64::max);
                Fitted::Max(if largest > 0.0 { 1.0 / largest } else { 1.0 })
            }
            Normalize::Clip => Fitted::Clip(median(&mut self.lengths())),
            Normalize::Tfidf => {
                let idf = |count: usize| ((1.0 + n) / (1.0 + count as f64)).ln() + 1.0;
                Fitted::Tfidf(features.map(|feature| idf(feature.count)).collect())
            }
            Normalize::Shift => Fitted::Shift(features.map(|feature| 0.0 - feature.lowest).collect()),
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

/// Learns the steps from the training samples and applies them.
pub(crate) fn fit<'a, T: Real>(
    steps: &[Normalize],
    x: Samples<'a, T>,
    missing: bool,
) -> Result<(Vec<Fitted>, Prepared<'a, T>)> {
    let steps: Vec<Step> = steps.iter().map(|&kind| Step { kind, known: kind.known() }).collect();
    Prepared::by(&steps, x, missing)
}

/// Preprocessed values as they were before: those of other samples than were looked at, or `of` these samples, a row each.
pub(crate) fn undo<T: Real>(
    steps: &[Fitted],
    values: &Mat<T>,
    (of, missing): (Option<Samples<'_, T>>, bool),
) -> Result<Mat<T>> {
    let (n, d) = values.shape();
    if let Some(of) = of {
        let prepared = apply(steps, of, missing)?;
        let value = |i, j| T::from_f64(prepared.undo(i, j, values[(i, j)].to_f64()));
        return Ok(Mat::from_fn(n, d, value));
    }
    if let Some(step) = steps.iter().find(|step| d > 0 && step.undo(0, 0.0).is_none()) {
        let must = "undone with the samples at hand, each of which it multiplied by a factor of its own";
        return Err(Error::param("normalize", step.own_factor(), must));
    }
    let undone = |value: f64, (j, step): (usize, &Fitted)| step.undo(j, value).unwrap_or(value);
    let value =
        |i, j| steps.iter().rev().fold(values[(i, j)].to_f64(), |value, step| undone(value, (j, step)));
    Ok(Mat::from_fn(n, d, |i, j| T::from_f64(value(i, j))))
}

/// Whether one of the steps does more than to multiply whole samples, so that they have to be in memory.
pub(crate) fn changes_values(steps: &[Fitted]) -> bool {
    let changes = [Normalize::Tfidf, Normalize::Shift, Normalize::Log1p, Normalize::MinMax];
    steps.iter().any(|step| changes.contains(&step.kind()))
}

/// Applies steps that were learned before to new samples.
pub(crate) fn apply<'a, T: Real>(
    steps: &[Fitted],
    x: Samples<'a, T>,
    missing: bool,
) -> Result<Prepared<'a, T>> {
    let known = |step: &Fitted| Step { kind: step.kind(), known: Some(step.clone()) };
    let steps: Vec<Step> = steps.iter().map(known).collect();
    Ok(Prepared::by(&steps, x, missing)?.1)
}
