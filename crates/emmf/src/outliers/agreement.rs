//! Which samples a fit and the screening before it agree to set aside.

use super::directions::{FEW, count};
use super::{LEAST, THRESHOLD, TOO_MANY};

/// As many samples are no tail of the others, however few there are.
const NO_TAIL: usize = 8;

/// Which of the samples that count are to be set aside, given those that were, and scores for which these did not count.
///
/// Where only a few of those that were do not reach [`THRESHOLD`], these are no outliers if they are nearer to the others than to
/// those that do. More than a few are junk that scores little. Others that reach it are outliers as well, if they are more than a
/// few and not in one of the `groups` that are alike: such a group may be a cluster that the fit has lost. What becomes of these
/// depends on the others alone, whoever was set aside.
pub(crate) fn agreed(scores: &[f64], aside: &[usize], groups: &[Vec<usize>], counts: &[bool]) -> Vec<usize> {
    let all = count(counts);
    if all < LEAST {
        return aside.to_vec();
    }
    let (far, unmarked): (Vec<usize>, Vec<usize>) = aside.iter().partition(|&&i| scores[i] > THRESHOLD);
    let others: Vec<usize> =
        (0..scores.len()).filter(|i| counts[*i] && aside.binary_search(i).is_err()).collect();
    let (mut more, usual): (Vec<usize>, Vec<usize>) = others.iter().partition(|&&i| scores[i] > THRESHOLD);
    more.retain(|i| groups.iter().all(|group| group.binary_search(i).is_err()));
    let is_few = |many: usize, of: usize| (many as f64) < FEW * of as f64;
    let mut out = vec![false; scores.len()];
    aside.iter().for_each(|&i| out[i] = true);
    if is_few(unmarked.len(), all) && !far.is_empty() {
        let of = |rows: &[usize], by: fn(f64, f64) -> f64| rows.iter().map(|&i| scores[i]).reduce(by);
        let highest = of(&usual, f64::max).unwrap_or(f64::NEG_INFINITY);
        let between = f64::midpoint(highest, of(&far, f64::min).unwrap_or(f64::INFINITY));
        unmarked.into_iter().filter(|&i| scores[i] < between).for_each(|i| out[i] = false);
    }
    let is_junk = more.len() >= NO_TAIL && !is_few(more.len(), others.len());
    if is_junk && (aside.len() + more.len()) as f64 <= TOO_MANY * all as f64 {
        more.into_iter().for_each(|i| out[i] = true);
    }
    (0..out.len()).filter(|&i| out[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hundred usual samples, then these scores, of which the last so many were set aside.
    fn found(more: &[f64], aside: usize) -> Vec<usize> {
        let scores: Vec<f64> = (0..100).map(|i| 0.02 * f64::from(i)).chain(more.iter().copied()).collect();
        let aside: Vec<usize> = (scores.len() - aside..scores.len()).collect();
        agreed(&scores, &aside, &[], &vec![true; scores.len()])
    }

    #[test]
    fn a_few_usual_ones_are_let_back_in() {
        assert_eq!(found(&[2.6, 11.0, 12.0], 3), [101, 102]);
        assert_eq!(found(&[11.0, 12.0], 2), [100, 101]);
        assert_eq!(found(&[3.4, 3.6, 3.7], 3), [100, 101, 102], "as near to the outliers as to the others");
        let little = [2.6, 2.7, 2.8, 2.9, 3.0, 11.0];
        assert_eq!(found(&little, 6), (100..106).collect::<Vec<_>>(), "more than a few");
        assert_eq!(found(&little[..5], 5), (100..105).collect::<Vec<_>>(), "none that the fit marks");
    }

    #[test]
    fn more_than_a_few_marked_ones_are_set_aside() {
        let many = vec![5.0; 12];
        assert_eq!(found(&many, 0), (100..112).collect::<Vec<_>>());
        assert_eq!(found(&many, 4), (100..112).collect::<Vec<_>>());
        assert_eq!(found(&many[..7], 0), [0; 0], "the tail of clean data");
        assert_eq!(found(&[4.0, 9.0, 9.0], 2), [101, 102], "whoever was set aside");
        assert_eq!(found(&vec![5.0; 50], 0), [0; 0], "too many to say which");
    }

    #[test]
    fn samples_without_weight_are_left_alone() {
        let scores = [vec![1.0; 40], vec![9.0; 10]].concat();
        let counts: Vec<bool> = (0..50).map(|i| i < 40).collect();
        assert_eq!(agreed(&scores, &[], &[], &counts), [0; 0]);
    }

    #[test]
    fn what_is_alike_may_be_a_cluster() {
        let scores = [vec![1.0; 80], vec![9.0; 20]].concat();
        let found = |group: std::ops::Range<usize>| agreed(&scores, &[], &[group.collect()], &[true; 100]);
        assert_eq!(found(80..98), [0; 0]);
        assert_eq!(found(80..86), (86..100).collect::<Vec<_>>());
    }
}
