//! Stochastic descent: edges pull their ends together, a few samples drawn by chance push each of them away.
//!
//! An edge of weight w has its turn in a share of the rounds that is w over the largest weight. With d the distance of two
//! points, pulling along an edge descends −log q, q = 1/(1 + d²), and pushing −log(1 − q).

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::principal::scattered;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::graph::Graph;

/// Half the width of the start.
const SIZE: f64 = 10.0;
/// Share of that by which equal points are moved apart.
const APART: f64 = 1e-3;
/// Samples that push, for each that pulls.
const PUSHES: usize = 5;
/// Maximum length of a step along a coordinate.
const LONGEST: f64 = 4.0;
/// Added to d², so that equal points are not thrown away.
const NEAR: f64 = 1e-3;
/// Rounds for few samples and for many, and where many begin.
const ROUNDS: (usize, usize) = (500, 250);
const MANY: usize = 4_000;

/// One of the two directions of an edge.
struct Pull {
    from: u32,
    to: u32,
    /// Rounds from one turn to the next.
    every: f64,
    /// The round of the next turn.
    next: f64,
}

/// The points after all rounds.
pub(super) fn descend(graph: &Graph, start: Vec<[f64; 2]>, cancel: &Cancel) -> Result<Vec<[f64; 2]>> {
    let n = start.len();
    let mut points = spread(start);
    let rounds = if n > MANY { ROUNDS.1 } else { ROUNDS.0 };
    let mut pulls = pulls(graph, rounds);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..rounds {
        cancel.check()?;
        let rate = 1.0 - round as f64 / rounds as f64;
        for pull in pulls.iter_mut().filter(|pull| pull.next <= round as f64) {
            pull.next += pull.every;
            let (from, to) = (pull.from as usize, pull.to as usize);
            let step = attraction(points[from], points[to]);
            shift(&mut points[from], step, rate);
            shift(&mut points[to], step, -rate);
            for _ in 0..PUSHES {
                let other = random.random_range(0..n);
                if other != from {
                    let step = repulsion(points[from], points[other]);
                    shift(&mut points[from], step, rate);
                }
            }
        }
    }
    Ok(points)
}

/// The start at its size, and no two points the same.
fn spread(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    let most = points.iter().flatten().fold(f64::MIN_POSITIVE, |most, x| x.abs().max(most));
    for (i, point) in points.iter_mut().enumerate() {
        for (axis, x) in point.iter_mut().enumerate() {
            *x = SIZE * (*x / most + APART * scattered(2 * i + axis));
        }
    }
    points
}

/// Both directions of every edge that has a turn at all.
fn pulls(graph: &Graph, rounds: usize) -> Vec<Pull> {
    let rows = || (0..graph.nodes()).map(|i| (i, graph.row(i)));
    let most = rows().flat_map(|(_, (_, weights))| weights).copied().fold(0.0, f64::max);
    let mut pulls = Vec::new();
    for (i, (neighbours, weights)) in rows() {
        for (&to, weight) in neighbours.iter().zip(weights) {
            let every = most / weight;
            if every <= rounds as f64 {
                pulls.push(Pull { from: i as u32, to, every, next: every });
            }
        }
    }
    pulls
}

fn attraction(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let (between, square) = between(a, b);
    let force = -2.0 / (1.0 + square);
    between.map(|x| (force * x).clamp(-LONGEST, LONGEST))
}

fn repulsion(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let (between, square) = between(a, b);
    let force = 2.0 / ((NEAR + square) * (1.0 + square));
    between.map(|x| (force * x).clamp(-LONGEST, LONGEST))
}

fn between(a: [f64; 2], b: [f64; 2]) -> ([f64; 2], f64) {
    let between = [a[0] - b[0], a[1] - b[1]];
    (between, between[0] * between[0] + between[1] * between[1])
}

fn shift(point: &mut [f64; 2], step: [f64; 2], rate: f64) {
    point[0] += rate * step[0];
    point[1] += rate * step[1];
}
