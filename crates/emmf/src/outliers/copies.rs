//! The same junk many times: a small tight group apart from everything, found before the start.
//!
//! Near-copies of one sample look usual to scores that they take part in: they make their own values frequent. But they are much
//! nearer to each other than samples are to their neighbours, and far from all others. They are looked for among the half of the
//! samples with the higher scores.

use super::bulk::quantile;
use super::groups::{FEATURES, FEWEST, Rare, Rest, distance, held, linked, most_compared, nearest};
use crate::data::Data;
use crate::real::Real;

/// The share of the samples that are not looked at, since they score too little.
const USUAL: f64 = 0.5;
/// Samples of these that the others are compared with.
const DRAWN: usize = 256;
/// Copies are nearer to each other than this share of how near samples usually are, and all of them than this share of how far
/// they are from others. An object that was seen from all sides is near itself, but not all of its views are as near.
const TIGHT: f64 = 0.25;
const SAME: f64 = 0.1;
/// A group is apart from the others by so many times what is usual between neighbours.
const APART: f64 = 2.0;

/// Which of the samples that count, with these scores, are near-copies of each other and of no others.
pub(super) fn copies<T: Real, X: Data<T>>(x: &X, scores: &[f64], counts: &[bool]) -> Vec<bool> {
    let (n, d) = x.shape();
    let step = d.div_ceil(FEATURES).max(1);
    let mut order: Vec<usize> = (0..n).filter(|&i| counts[i]).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (usual, far) = order.split_at((USUAL * order.len() as f64) as usize);
    let far = thinned(far, most_compared(d));
    let none = vec![false; n];
    if far.len() < FEWEST || usual.len() < FEWEST {
        return none;
    }
    let rest = Rest::of(held(x, &thinned(usual, DRAWN.min(most_compared(d))), step), n);
    let own = held(x, &far, step);
    let apart = rest.distances(&own);
    let groups = linked(&own, |i, j| SAME * apart[i].min(apart[j]));
    let is_tight = |members: &Vec<usize>| {
        let gap = members.iter().map(|&at| apart[at]).fold(f64::INFINITY, f64::min);
        let near = quantile(&nearest(&own, members), 0.5);
        let far = members.iter().map(|&at| distance(own.row(members[0]), own.row(at))).fold(0.0, f64::max);
        let is_one = near <= TIGHT * rest.middle && far <= SAME * gap;
        members.len() >= FEWEST && is_one && gap >= APART * rest.middle
    };
    let tight: Vec<Vec<usize>> = groups.into_iter().filter(is_tight).collect();
    if tight.is_empty() {
        return none;
    }
    let tight: Vec<Vec<usize>> = tight.iter().map(|of| of.iter().map(|&at| far[at]).collect()).collect();
    Rare::of(x, &tight).hold(x).into_iter().zip(counts).map(|(held, counts)| held && *counts).collect()
}

/// At most so many of them, evenly spaced.
fn thinned(rows: &[usize], most: usize) -> Vec<usize> {
    let many = rows.len().min(most);
    (0..many).map(|at| rows[at * rows.len() / many]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;
    use crate::init::Random;
    use crate::matrix::Mat;
    use rand::RngExt;

    /// Which of hundred samples near 0 and ten far from them are copies, where the ten lie like this and score the most.
    fn found(far: impl Fn(usize, usize, f64) -> f64) -> Vec<usize> {
        found_above(100.0, far)
    }

    /// The same where they score more than so many of the others.
    fn found_above(many: f64, far: impl Fn(usize, usize, f64) -> f64) -> Vec<usize> {
        let mut random = Random::new(1);
        let mut x = Mat::from_fn(110, 8, |_, _| random.0.random::<f64>());
        for i in 100..110 {
            (0..8).for_each(|j| x[(i, j)] = far(i, j, x[(i, j)]));
        }
        let scores: Vec<f64> = (0..110).map(|i| if i < 100 { f64::from(i) } else { many }).collect();
        let held = copies(&Dense::new(x.view(), None), &scores, &[true; 110]);
        (0..110).filter(|&i| held[i]).collect()
    }

    #[test]
    fn of_one_sample() {
        assert_eq!(found(|_, j, noise| 2.0 + j as f64 + 0.01 * noise), (100..110).collect::<Vec<_>>());
    }

    #[test]
    fn that_score_no_more_than_many_others() {
        assert_eq!(
            found_above(60.5, |_, j, noise| 2.0 + j as f64 + 0.01 * noise),
            (100..110).collect::<Vec<_>>()
        );
    }

    #[test]
    fn not_a_cluster_nor_views_of_one_thing() {
        assert_eq!(found(|_, j, noise| 2.0 + j as f64 + 0.5 * noise), [0; 0]);
        let turned = |i: usize, j: usize| (0.3 * (i - 100) as f64 + j as f64).sin();
        assert_eq!(found(|i, j, _| 3.0 + 2.0 * turned(i, j)), [0; 0]);
    }

    #[test]
    fn not_where_they_are_not_apart() {
        assert_eq!(found(|_, _, noise| 0.6 + 0.01 * noise), [0; 0]);
    }
}
