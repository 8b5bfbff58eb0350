//! Which samples a fit and the screening before it agree to set aside.

use super::directions::{FEW, count};
use super::{THRESHOLD, TOO_MANY};

/// Which of the samples that count are to be set aside, given those that were, and scores for which these did not count.
///
/// Where only a few of those that were do not reach [`THRESHOLD`], these are no outliers if they are nearer to the others than to
/// those that do. More than a few are junk that scores little. Others that reach it are outliers as well, if these together are
/// more than a few and not too many.
pub(crate) fn agreed(scores: &[f64], aside: &[usize], counts: &[bool]) -> Vec<usize> {
    let all = count(counts) as f64;
    let mut out = vec![false; scores.len()];
    aside.iter().for_each(|&i| out[i] = true);
    let (marked, unmarked): (Vec<usize>, Vec<usize>) = aside.iter().partition(|&&i| scores[i] > THRESHOLD);
    if (unmarked.len() as f64) < FEW * all && !marked.is_empty() {
        let others = (0..scores.len()).filter(|&i| counts[i] && !out[i] && scores[i] <= THRESHOLD);
        let highest = others.map(|i| scores[i]).fold(f64::NEG_INFINITY, f64::max);
        let least = marked.iter().map(|&i| scores[i]).fold(f64::INFINITY, f64::min);
        let is_usual = |i: &usize| scores[*i] < f64::midpoint(highest, least);
        unmarked.into_iter().filter(is_usual).for_each(|i| out[i] = false);
    }
    let more: Vec<bool> = (0..out.len()).map(|i| out[i] || (counts[i] && scores[i] > THRESHOLD)).collect();
    let many = count(&more) as f64;
    let agreed = if many >= FEW * all && many <= TOO_MANY * all { more } else { out };
    (0..agreed.len()).filter(|&i| agreed[i]).collect()
}
