//! Where the bulk of the samples lies, side by side, and how far from it outliers begin.

use serde::{Deserialize, Deserializer, Serialize};

use super::Reason;
use super::bulk::bulk;
use crate::preprocess::median;

/// Least spread of a logarithm: where most samples are alike, rounding would decide.
pub(super) const LEAST: f64 = 0.02;
/// Share of the usual value below which differences do not count.
const NOTHING: f64 = 1e-3;
/// How many reasons there are.
pub(super) const PARTS: usize = Reason::PARTS.len();

/// Where the bulk of the samples lies, and how far it is spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// What is added to a value before its logarithm is taken, if it is taken.
    pub floor: Option<f64>,
    /// The centre.
    pub center: f64,
    /// The robust standard deviation.
    pub spread: f64,
}

impl Scale {
    /// Of the logarithms of these values, with at least this spread.
    pub(super) fn of_logs(values: &[f64], least: f64) -> Self {
        let floor = (NOTHING * median(&mut values.to_vec())).max(f64::MIN_POSITIVE);
        let logs: Vec<f64> = values.iter().map(|value| (value + floor).ln()).collect();
        let (center, spread) = bulk(&logs, least);
        Self { floor: Some(floor), center, spread }
    }

    /// Of these values, with at least this spread.
    pub(super) fn of(values: &[f64], least: f64) -> Self {
        let (center, spread) = bulk(values, least);
        Self { floor: None, center, spread }
    }

    /// How many robust standard deviations the value lies above the centre.
    pub fn z(&self, value: f64) -> f64 {
        let value = self.floor.map_or(value, |floor| (value + floor).ln());
        (value - self.center) / self.spread
    }

    pub(super) fn is_sound(&self) -> bool {
        let floor = self.floor.unwrap_or(1.0);
        let finite = [floor, self.center, self.spread].iter().all(|x| x.is_finite());
        finite && floor > 0.0 && self.spread > 0.0
    }
}

/// The scales of everything that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scales {
    /// In the order of [`Reason::PARTS`].
    #[serde(deserialize_with = "all_parts")]
    pub parts: [Option<Scale>; PARTS],
    /// How many robust standard deviations make an outlier.
    pub cut: f64,
    /// How many of them, in the logarithm of its length, make a sample too long.
    pub length_cut: f64,
    /// The share of the second largest part that is added to the largest: all of it after a fit.
    #[serde(default)]
    pub second: f64,
}

/// Of models that were written before there were so many, too.
fn all_parts<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<[Option<Scale>; PARTS], D::Error> {
    let mut parts = Vec::deserialize(from)?;
    if parts.len() < PARTS {
        parts.resize(PARTS, None);
    }
    parts.try_into().map_err(|parts: Vec<_>| {
        serde::de::Error::invalid_length(parts.len(), &"as many scales as there are reasons")
    })
}
