//! Which samples are outliers: those with a score above a cut, and those that were set aside before the start.

use crate::error::{Error, Result};
pub use crate::loss::THRESHOLD;
use crate::model::Fit;

/// Where the scores of outliers begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cut {
    /// Above this score; [`THRESHOLD`] by default.
    Score(f64),
    /// Above the score that this share of the samples exceeds, in [0, 1): for those who know how many outliers there are.
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
                return Err(Error::param("threshold", score, "a number, the score above which outliers lie"));
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

/// Whether each sample is an outlier: its score is above the threshold, or it is one of those `set_aside`, which ascend.
pub fn outliers(scores: &[f64], set_aside: &[usize], threshold: f64) -> impl Iterator<Item = bool> {
    let is_aside = |row: usize| set_aside.binary_search(&row).is_ok();
    scores.iter().enumerate().map(move |(row, score)| *score > threshold || is_aside(row))
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
