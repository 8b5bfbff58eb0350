//! How well scores rank the true outliers before the normal samples.
//!
//! ROC AUC = P(score of an outlier > score of a normal sample) + ½ P(they tie), over all such pairs
//! (Bamber 1975). Precision at m: the share of outliers among the m highest scores; of
//! samples that tie for the last places it counts the expected number, so that the order of the
//! samples never matters. Time O(n log n).

use crate::error::{Error, Result};
use crate::real::Real;

/// Area under the ROC curve of scores (higher is more of an outlier) against the true outliers:
/// 1 for a perfect ranking, ½ by chance. Needs at least one outlier and one normal sample.
pub fn roc_auc<T: Real>(scores: &[T], outlier: &[bool]) -> Result<f64> {
    let ties = ties(scores, outlier)?;
    let outliers: f64 = ties.iter().map(|tie| tie.outliers).sum();
    let normal: f64 = ties.iter().map(Tie::normal).sum();
    if outliers < 0.5 || normal < 0.5 {
        let got = format!("{outliers} outliers and {normal} normal samples");
        return Err(Error::param("outlier", got, "at least one of each"));
    }
    let mut above = 0.0;
    let mut won = 0.0;
    for tie in &ties {
        won += tie.normal() * (above + 0.5 * tie.outliers);
        above += tie.outliers;
    }
    Ok(won / (outliers * normal))
}

/// Share of true outliers among the `m` highest scores.
pub fn precision_at<T: Real>(scores: &[T], outlier: &[bool], m: usize) -> Result<f64> {
    let ties = ties(scores, outlier)?;
    if m == 0 || m > scores.len() {
        return Err(Error::param("m", m, format!("from 1 to the number of samples, {}", scores.len())));
    }
    let mut places = m as f64;
    let mut found = 0.0;
    for tie in &ties {
        let taken = places.min(tie.size);
        found += taken * tie.outliers / tie.size;
        places -= taken;
    }
    Ok(found / m as f64)
}

/// Samples with the same score.
struct Tie {
    size: f64,
    outliers: f64,
}

impl Tie {
    fn normal(&self) -> f64 {
        self.size - self.outliers
    }
}

/// All samples, highest score first.
fn ties<T: Real>(scores: &[T], outlier: &[bool]) -> Result<Vec<Tie>> {
    if outlier.len() != scores.len() {
        let (got, want) = ((outlier.len(), 1), (scores.len(), 1));
        return Err(Error::Shape { what: "the list of outliers", got, want });
    }
    if scores.is_empty() {
        return Err(Error::Empty { rows: 0, cols: 1 });
    }
    let mut ranked: Vec<(f64, bool)> =
        scores.iter().map(|score| score.to_f64()).zip(outlier.iter().copied()).collect();
    // Infinite scores have a rank, NaN has none.
    if let Some(row) = ranked.iter().position(|(score, _)| score.is_nan()) {
        return Err(Error::NonFinite { row, col: 0, value: f64::NAN });
    }
    ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let tie = |same: &[(f64, bool)]| Tie {
        size: same.len() as f64,
        outliers: same.iter().filter(|(_, outlier)| *outlier).count() as f64,
    };
    // Not by `total_cmp` as above: −0 and +0 tie.
    Ok(ranked.chunk_by(|a, b| a.0 >= b.0 && b.0 >= a.0).map(tie).collect())
}
