//! Samples that clearly do not belong to the others, found before the start and without knowing how many there are: those
//! that a [`Judge`] finds without a fit, near-[copies](super::copies) of each other, and [those](super::directions) that the leading directions of the others do not
//! describe, if the scores of most of them stand out, too. What is usual is learned again without them, until they stay the same. A few of
//! the latter that score no higher than nearly all others are the tail of the data, and stay.
//!
//! Nothing here is drawn by the seed of the fit.

use super::bulk::quantile;
use super::copies::copies;
use super::directions::{FEW, count, scattered};
use super::{Judge, LEAST, THRESHOLD, TOO_MANY};
use crate::cancel::Cancel;
use crate::data::Data;
use crate::error::Result;
use crate::real::Real;

/// The share of others that a group must be above.
const NEARLY_ALL: f64 = 0.95;
/// How often what is usual is learned.
const ROUNDS: usize = 4;

/// Which samples clearly do not belong to the others, if these are to be described by `k` centroids. Samples of weight 0 do not
/// count.
pub fn screen<T: Real, X: Data<T>>(x: &X, k: usize, weights: &[f64], cancel: &Cancel) -> Result<Vec<bool>> {
    let none = vec![false; x.shape().0];
    let counting: Vec<bool> = weights.iter().map(|weight| *weight > 0.0).collect();
    let screening = Screening { x, all: count(&counting), counting, cancel };
    if screening.all < LEAST {
        return Ok(none);
    }
    let scattered = scattered(x, k, &screening.counting, cancel)?;
    let first = screening.scores::<T>(&screening.counting)?;
    let copies = copies(x, &first, &screening.counting);
    Ok(match screening.find::<T>((&copies, &scattered), first)? {
        Some((found, scores)) => screening.without_the_tail(found, &copies, &scores),
        None => none,
    })
}

/// Samples among which some may not belong to the others.
struct Screening<'a, X> {
    x: &'a X,
    counting: Vec<bool>,
    /// How many count.
    all: usize,
    cancel: &'a Cancel,
}

impl<X> Screening<'_, X> {
    /// Samples that stand out, and the scores of all, learned without these; nothing where they are too many.
    fn find<T: Real>(
        &self,
        (copies, scattered): (&[bool], &[bool]),
        mut scores: Vec<f64>,
    ) -> Result<Option<(Vec<bool>, Vec<f64>)>>
    where
        X: Data<T>,
    {
        let mut found = vec![false; scattered.len()];
        for round in 0..ROUNDS {
            if round > 0 {
                scores = self.scores::<T>(&self.others(&found))?;
            }
            let mut far = copies.to_vec();
            let stands = |i: usize| self.counting[i] && scores[i] > THRESHOLD;
            far.iter_mut().enumerate().for_each(|(i, far)| *far |= stands(i));
            if stands_out(&scores, scattered, &self.others(&far)) {
                far.iter_mut().zip(scattered).for_each(|(far, scattered)| *far |= scattered);
            }
            if count(&far) as f64 > TOO_MANY * self.all as f64 {
                return Ok(None);
            }
            let same = far == found;
            found = far;
            if same {
                break;
            }
        }
        Ok(Some((found, scores)))
    }

    /// What was found without the tail of the others: a few that leading directions do not describe, but whose own scores are no
    /// higher than those of nearly all others. More than a few are no tail.
    fn without_the_tail(&self, mut found: Vec<bool>, copies: &[bool], scores: &[f64]) -> Vec<bool> {
        let others = self.others(&found);
        let limit = quantile(&ascending(scores, |i| others[i]), NEARLY_ALL);
        let is_tail = |&i: &usize| found[i] && !copies[i] && scores[i] <= limit;
        let tail: Vec<usize> = (0..found.len()).filter(is_tail).collect();
        if (tail.len() as f64) < FEW * self.all as f64 {
            tail.into_iter().for_each(|i| found[i] = false);
        }
        found
    }

    /// The scores of all samples beside those that count.
    fn scores<T: Real>(&self, counts: &[bool]) -> Result<Vec<f64>>
    where
        X: Data<T>,
    {
        self.cancel.check_time()?;
        Ok(Judge::learn(self.x, &[], counts).1.scores)
    }

    /// Those that count, without these.
    fn others(&self, without: &[bool]) -> Vec<bool> {
        self.counting.iter().zip(without).map(|(counts, without)| *counts && !without).collect()
    }
}

/// Whether most of a group score higher than nearly all others that count.
fn stands_out(scores: &[f64], group: &[bool], counts: &[bool]) -> bool {
    let (own, others) = (ascending(scores, |i| group[i]), ascending(scores, |i| counts[i] && !group[i]));
    !own.is_empty() && quantile(&own, 0.5) > quantile(&others, NEARLY_ALL)
}

/// The scores of these samples, in ascending order.
fn ascending(scores: &[f64], which: impl Fn(usize) -> bool) -> Vec<f64> {
    let mut some: Vec<f64> = (0..scores.len()).filter(|&i| which(i)).map(|i| scores[i]).collect();
    some.sort_unstable_by(f64::total_cmp);
    some
}
