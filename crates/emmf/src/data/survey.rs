//! What one walk over the samples finds: all that is asked about X before the first product.

use super::vectorized;
use crate::error::{Error, Result};
use crate::matrix::{Row, Samples};
use crate::real::Real;

/// What a walk lets pass, and what it finds beside the rest.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// The smallest entry that is allowed.
    pub(crate) least: f64,
    /// NaN is allowed: a missing value.
    pub(crate) missing: bool,
    /// Length and largest entry of every sample.
    pub(crate) sizes: bool,
    /// What every feature holds.
    pub(crate) features: bool,
}

/// The factor of a sample, by its place and its length.
pub(crate) type Factor<'a, T> = &'a (dyn Fn(usize, f64) -> T + Sync);

/// What one walk over the samples found.
pub(crate) struct Survey<T> {
    /// The first entry that is not allowed: sample, feature and value.
    bad: Option<(usize, usize, f64)>,
    /// Smallest and largest stored entry.
    extent: (f64, f64),
    /// Number of stored entries.
    stored: usize,
    /// The factor of every sample, where there are any.
    pub(crate) scale: Option<Vec<T>>,
    /// ‖xᵢ‖² of every sample times its factor.
    pub(crate) norms_sq: Vec<f64>,
    /// Of every sample, before its factor; empty where nobody wants them.
    pub(crate) sizes: Vec<Size>,
    /// Of every feature, with the factors; empty where nobody wants them.
    pub(crate) features: Vec<Feature>,
}

/// How large a sample is.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    /// ‖x‖. Missing values count like the mean of those that are there.
    pub(crate) length: f64,
    /// The largest entry.
    pub(crate) largest: f64,
}

/// What the entries of a feature are.
#[derive(Clone, Copy)]
pub(crate) struct Feature {
    /// How many are not zero.
    pub(crate) count: usize,
    /// The smallest, at most 0.
    pub(crate) lowest: f64,
    /// How many are stored, and the smallest and the largest of these; missing ones count as stored.
    stored: (usize, f64, f64),
}

impl Default for Feature {
    fn default() -> Self {
        Self { count: 0, lowest: 0.0, stored: (0, f64::INFINITY, f64::NEG_INFINITY) }
    }
}

impl Feature {
    /// The smallest and the largest of the entries of so many samples; those that are not stored are 0.
    pub(crate) fn range(&self, samples: usize) -> (f64, f64) {
        let (stored, low, high) = self.stored;
        let (low, high) = if stored < samples { (low.min(0.0), high.max(0.0)) } else { (low, high) };
        if low <= high { (low, high) } else { (0.0, 0.0) }
    }

    fn add(&mut self, value: f64) {
        self.count += usize::from(value != 0.0);
        self.lowest = self.lowest.min(value);
        let (stored, low, high) = self.stored;
        self.stored = (stored + 1, low.min(value), high.max(value));
    }

    fn join(&mut self, next: Self) {
        self.count += next.count;
        self.lowest = self.lowest.min(next.lowest);
        let ((stored, low, high), (more, lower, higher)) = (self.stored, next.stored);
        self.stored = (stored + more, low.min(lower), high.max(higher));
    }
}

impl<T: Real> Survey<T> {
    /// Walks over the samples once, each times its factor where there are any. Fails at the first entry that is not
    /// allowed.
    pub(crate) fn of(x: &Samples<'_, T>, wanted: Wanted, factor: Option<Factor<'_, T>>) -> Result<Self> {
        let (rows, cols) = x.shape();
        let empty = Error::Empty { rows, cols };
        if rows == 0 || cols == 0 {
            return Err(empty);
        }
        let start = || Self {
            bad: None,
            extent: (f64::INFINITY, f64::NEG_INFINITY),
            stored: 0,
            scale: factor.map(|_| Vec::new()),
            norms_sq: Vec::new(),
            sizes: Vec::new(),
            features: vec![Feature::default(); if wanted.features { cols } else { 0 }],
        };
        let windows = x.try_fold_windows(start, |survey, row| survey.add(&row, wanted, factor))?;
        let mut survey = windows.into_iter().reduce(Self::join).ok_or(empty)?;
        // They live as long as X.
        survey.norms_sq.shrink_to_fit();
        match survey.bad {
            None => Ok(survey),
            Some((row, col, value)) if value.is_finite() => Err(Error::Negative { row, col, value }),
            Some((row, col, value)) => Err(Error::NonFinite { row, col, value }),
        }
    }

    fn add(&mut self, row: &Row<'_, T>, wanted: Wanted, factor: Option<Factor<'_, T>>) {
        let values = row.values;
        let (extent, gaps) = vectorized!(extent(values));
        if self.bad.is_none() {
            self.bad = first_bad(row, (extent, gaps), wanted);
        }
        self.extent = wider(self.extent, extent);
        self.stored += values.len();
        let most = extent.1.max(-extent.0);
        let length = if wanted.sizes { vectorized!(length(values, most)) } else { 0.0 };
        if wanted.sizes {
            self.sizes.push(Size { length, largest: extent.1 });
        }
        let factor = factor.map_or(T::ONE, |factor| factor(row.sample, length));
        if let Some(scale) = &mut self.scale {
            scale.push(factor);
        }
        self.norms_sq.push(vectorized!(norm_sq(values, factor)));
        if wanted.features {
            for (at, &value) in values.iter().enumerate() {
                self.features[row.feature(at)].add(value.to_f64() * factor.to_f64());
            }
        }
    }

    /// What was found of these samples and of those that follow them.
    fn join(mut self, next: Self) -> Self {
        self.bad = self.bad.or(next.bad);
        self.extent = wider(self.extent, next.extent);
        self.stored += next.stored;
        if let (Some(scale), Some(next)) = (&mut self.scale, next.scale) {
            scale.extend(next);
        }
        self.norms_sq.extend(next.norms_sq);
        self.sizes.extend(next.sizes);
        for (feature, next) in self.features.iter_mut().zip(next.features) {
            feature.join(next);
        }
        self
    }

    /// Whether any entry is below zero.
    pub(crate) fn has_negative(&self) -> bool {
        self.extent.0 < 0.0
    }

    /// The largest entry before the factors, at least 0.
    pub(crate) fn largest(&self) -> f64 {
        self.extent.1.max(0.0)
    }

    /// The value of all entries where it is the same for so many, zeros that are not stored among them.
    pub(crate) fn constant(&self, entries: usize) -> Option<f64> {
        let (smallest, largest) = if self.stored == 0 { (0.0, 0.0) } else { self.extent };
        // What is missing differs from nothing.
        let zeros = self.stored < entries;
        (smallest >= largest && (!zeros || largest == 0.0)).then_some(largest)
    }
}

fn wider(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The first entry of a sample that is not allowed, looked for where the extent of the sample and whether it has `gaps` tell
/// that there is one.
fn first_bad<T: Real>(
    row: &Row<'_, T>,
    ((smallest, largest), gaps): ((f64, f64), bool),
    wanted: Wanted,
) -> Option<(usize, usize, f64)> {
    if smallest >= wanted.least && largest <= f64::MAX && (wanted.missing || !gaps) {
        return None;
    }
    let good = |x: f64| (wanted.least..=f64::MAX).contains(&x) || (wanted.missing && x.is_nan());
    let at = row.values.iter().position(|x| !good(x.to_f64()))?;
    Some((row.sample, row.feature(at), row.values[at].to_f64()))
}

/// Smallest and largest entry, and whether there is NaN, which is neither.
#[inline(always)]
fn extent<T: Real>(x: &[T]) -> ((f64, f64), bool) {
    let smallest = chosen(x, T::from_f64(f64::INFINITY), |least, x| if x < least { x } else { least });
    let largest = chosen(x, T::from_f64(f64::NEG_INFINITY), |most, x| if x > most { x } else { most });
    let gap = chosen(x, T::ZERO, |gap, x| if x.to_f64().is_nan() { x } else { gap });
    ((smallest.to_f64(), largest.to_f64()), gap.to_f64().is_nan())
}

/// The entry, or the start, that `choose` prefers to all others: eight at a time, which one after the other would not allow.
#[inline(always)]
fn chosen<T: Real>(x: &[T], start: T, choose: impl Fn(T, T) -> T) -> T {
    let (whole, rest) = x.as_chunks::<8>();
    let mut lanes = [start; 8];
    for x in whole {
        for t in 0..8 {
            lanes[t] = choose(lanes[t], x[t]);
        }
    }
    lanes.iter().chain(rest).fold(start, |best, &x| choose(best, x))
}

/// ‖x‖, relative to the largest entry, so that no square overflows or vanishes. Missing values count like the
/// mean of those that are there.
#[inline(always)]
fn length<T: Real>(x: &[T], largest: f64) -> f64 {
    if largest <= 0.0 {
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

/// ‖factor·x‖² in double precision, without missing values.
#[inline(always)]
pub(super) fn norm_sq<T: Real>(x: &[T], factor: T) -> f64 {
    let factor = factor.to_f64();
    let squares = x.iter().map(|x| (x.to_f64() * factor).powi(2));
    // A choice of numbers, which is faster than to leave some out.
    squares.map(|square| if square.is_nan() { 0.0 } else { square }).sum()
}
