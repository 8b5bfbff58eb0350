//! The same junk many times: a small tight group apart from everything, found before the start.
//!
//! Near-copies of one sample look usual to scores that they take part in: they make their own values frequent. But they are much
//! nearer to each other than samples are to their neighbours, and far from all others. They are looked for among the samples with
//! the highest scores.

use super::bulk::quantile;
use super::groups::{ALIKE, FEATURES, FEWEST, Rare, Rest, held, linked, most_compared, nearest};
use crate::data::Data;
use crate::real::Real;

/// The share of the samples that are not looked at, since they score too little.
const USUAL: f64 = 0.8;
/// Samples of these that the others are compared with.
const DRAWN: usize = 256;
/// Copies are nearer to each other than this share of how near samples usually are.
const TIGHT: f64 = 0.25;
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
    let groups = linked(&own, |i, j| ALIKE * apart[i].min(apart[j]));
    let is_tight = |members: &Vec<usize>| {
        let gap = members.iter().map(|&at| apart[at]).fold(f64::INFINITY, f64::min);
        let near = quantile(&nearest(&own, members), 0.5);
        members.len() >= FEWEST && near <= TIGHT * rest.middle && gap >= APART * rest.middle
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
