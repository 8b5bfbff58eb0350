//! Sums over chunks and parts of samples, in a fixed order.

use std::ops::Range;

use emmf::loss::{Loss, Stats};
use emmf::method::side::{Place, Summand, Weighed};

/// The sum of all, in their order.
pub(crate) fn summed<S: Summand + Copy>(items: &[S]) -> Option<S> {
    items.iter().copied().reduce(added)
}

pub(crate) fn added<S: Summand + Copy>(mut a: S, b: S) -> S {
    a.add(&b);
    a
}

/// The sum as a binary tree: ((0 + 1) + (2 + 3)) + …
pub(crate) fn tree_of<S: Summand + Copy>(mut items: Vec<S>) -> Option<S> {
    while items.len() > 1 {
        items = items.chunks(2).filter_map(summed).collect();
    }
    items.pop()
}

/// Σ sᵢDᵢ² and Σ sᵢ of each of so many points over these samples: trees over their parts.
pub(crate) fn inertia(
    (labels, distances): (&[i32], &[f64]),
    weights: &[f64],
    rows: Range<usize>,
    (place, count): (&Place, usize),
) -> (f64, Vec<f64>) {
    let part = place.rows_per_part().max(1);
    let mut parts: Vec<Vec<f64>> = Vec::new();
    for first in rows.clone().step_by(part) {
        let mut sums = vec![0.0; count + 1];
        for i in first..(first + part).min(rows.end) {
            sums[0] += weights[i] * distances[i];
            if count > 0 {
                sums[1 + labels[i] as usize] += weights[i];
            }
        }
        parts.push(sums);
    }
    while parts.len() > 1 {
        let pairs = parts.chunks(2).map(|pair| match pair {
            [a, b] => a.iter().zip(b).map(|(a, b)| a + b).collect(),
            _ => pair.concat(),
        });
        parts = pairs.collect();
    }
    let sums = parts.pop().unwrap_or_else(|| vec![0.0; count + 1]);
    (sums[0], sums[1..].to_vec())
}

/// The objective and the largest weight of every chunk, by a loss in this memory.
pub(crate) fn weigh_here(
    (loss, stats): (&dyn Loss, &Stats),
    r: &[f64],
    s: &[f64],
    weights: &mut [f64],
    (place, chunk): (&Place, usize),
) -> Vec<Weighed> {
    let part = place.rows_per_part().max(1);
    let mut found = Vec::new();
    for ((r, s), weights) in r.chunks(part).zip(s.chunks(part)).zip(weights.chunks_mut(part)) {
        for ((r, s), weights) in r.chunks(chunk).zip(s.chunks(chunk)).zip(weights.chunks_mut(chunk)) {
            let (objective, largest) = loss.weigh(r, s, stats, weights);
            found.push(Weighed { objective, largest });
        }
    }
    found
}
