//! Samples that clearly do not belong to the others, found before the start and without knowing how many there are: those
//! that a [`Judge`] finds without a fit, and [those](super::directions) that the leading directions of the others do not
//! describe, if their scores stand out, too. What is usual is learned again without them, until they stay the same.
//!
//! Nothing here is drawn by the seed of the fit.

use super::bulk::quantile;
use super::directions::scattered;
use super::{Judge, THRESHOLD};
use crate::cancel::Cancel;
use crate::data::Data;
use crate::error::Result;
use crate::real::Real;

/// From fewer samples nothing can be told.
const LEAST: usize = 20;
/// The share of others that a group must be above.
const NEARLY_ALL: f64 = 0.95;
/// More than this share of the samples is not set aside: a third of outliers beside the others are a quarter of all.
const TOO_MANY: f64 = 0.3;
/// How often what is usual is learned.
const ROUNDS: usize = 4;

/// Which samples clearly do not belong to the others, if these are to be described by `k` centroids. Samples of weight 0 do not
/// count.
pub fn screen<T: Real, X: Data<T>>(x: &X, k: usize, weights: &[f64], cancel: &Cancel) -> Result<Vec<bool>> {
    let none = vec![false; x.shape().0];
    let all = weights.iter().filter(|weight| **weight > 0.0).count();
    if all < LEAST {
        return Ok(none);
    }
    let counts = |found: &[bool]| -> Vec<bool> {
        weights.iter().zip(found).map(|(weight, found)| *weight > 0.0 && !found).collect()
    };
    let scattered = scattered(x, k, &counts(&none), cancel)?;
    let mut found = none.clone();
    for _ in 0..ROUNDS {
        cancel.check_time()?;
        let (_, judged) = Judge::learn(x, None, &counts(&found));
        let far =
            judged.scores.iter().zip(weights).map(|(score, weight)| *weight > 0.0 && *score > THRESHOLD);
        let mut far: Vec<bool> = far.collect();
        if stands_out(&judged.scores, &scattered, &counts(&far)) {
            far.iter_mut().zip(&scattered).for_each(|(far, scattered)| *far |= scattered);
        }
        if far.iter().filter(|far| **far).count() as f64 > TOO_MANY * all as f64 {
            return Ok(none);
        }
        let same = far == found;
        found = far;
        if same {
            break;
        }
    }
    Ok(found)
}

/// Whether most of a group score higher than nearly all others that count.
fn stands_out(scores: &[f64], group: &[bool], counts: &[bool]) -> bool {
    let of = |which: &dyn Fn(usize) -> bool| -> Vec<f64> {
        let mut of: Vec<f64> = (0..scores.len()).filter(|&i| which(i)).map(|i| scores[i]).collect();
        of.sort_unstable_by(f64::total_cmp);
        of
    };
    let (own, others) = (of(&|i| group[i]), of(&|i| counts[i] && !group[i]));
    !own.is_empty() && quantile(&own, 0.5) > quantile(&others, NEARLY_ALL)
}
