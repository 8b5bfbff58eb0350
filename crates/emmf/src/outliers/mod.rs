//! Which samples are outliers, and why.
//!
//! A sample is looked at from five sides ([`Reason`]): its residual, its mean distance to the nearest of a few other samples
//! ([`Reference`]), as they are and scaled to unit length, the part of it that their leading directions do not describe, and how
//! rare its values are, feature by feature ([`Rarity`]). Each becomes a number of robust standard deviations above the bulk of the
//! samples, of the logarithm if it is a distance. The score is the sum of the two largest; the residual counts no more than the largest
//! of the others. There is nothing to set and nothing to train.
//!
//! Where outliers begin is read off the scores of all samples: beyond what an exponential tail with the slope of the bulk would reach once
//! in 5000 samples, or beyond a valley that such a tail does not have. Scores are scaled so that this is [`THRESHOLD`].
//! Thus heavy tails make no outliers, and up to a third of outliers do not hide each other.
//!
//! A few samples that are alike, and as far from the rest as its clusters are from each other, are a rare cluster ([`Rare`]) and not
//! outliers.

mod agreement;
mod bulk;
mod copies;
mod directions;
mod groups;
mod judge;
mod rarity;
mod reason;
mod reference;
mod scale;
mod score;
mod screen;
mod seen;
mod span;

pub(crate) use agreement::agreed;
pub use groups::Rare;
pub(crate) use groups::most_compared;
pub use judge::{Judge, Judged};
pub use rarity::{Bins, Rarity};
pub(crate) use rarity::{most_binned, most_held, most_read};
pub use reason::{Doubt, Reason};
pub use reference::Reference;
pub(crate) use reference::most as most_drawn;
pub use scale::{Scale, Scales};
pub use score::Part;
pub use screen::screen;
pub(crate) use span::has_directions;

use crate::error::{Error, Result};
pub use crate::loss::THRESHOLD;

/// Of fewer samples nobody can say who does not belong to the others.
const LEAST: usize = 20;
/// More than this share of the samples is not set aside: a third of outliers beside the others are a quarter of all.
const TOO_MANY: f64 = 0.3;

/// The score above which samples are outliers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// Above this score; [`THRESHOLD`] by default.
    Score(f64),
    /// Above the score that this share of the samples exceeds, in [0, 1): if you know how many outliers there are.
    Share(f64),
}

impl Default for Cut {
    fn default() -> Self {
        Self::Score(THRESHOLD)
    }
}

impl Cut {
    /// The score above which a sample is an outlier, given those of all.
    pub fn threshold(self, scores: &[f64]) -> Result<f64> {
        let share = match self {
            Self::Score(score) if score.is_nan() => {
                return Err(Error::param("threshold", score, "a number, the score that outliers exceed"));
            }
            Self::Score(score) => return Ok(score),
            Self::Share(share) => share,
        };
        if !(0.0..1.0).contains(&share) {
            let must = "at least 0 and below 1, the share of outliers";
            return Err(Error::param("contamination", share, must));
        }
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let above = (share * sorted.len() as f64).round() as usize;
        let at = sorted.len().saturating_sub(above + 1);
        Ok(sorted.get(at).copied().unwrap_or(THRESHOLD))
    }
}

/// Whether each sample is an outlier: its score is above the threshold, or it is one of `set_aside`, which must ascend.
pub fn outliers(scores: &[f64], set_aside: &[usize], threshold: f64) -> impl Iterator<Item = bool> {
    let is_aside = |row: usize| set_aside.binary_search(&row).is_ok();
    scores.iter().enumerate().map(move |(row, score)| *score > threshold || is_aside(row))
}
