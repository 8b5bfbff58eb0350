//! How far samples are from the others: the mean distance to the nearest of a few of them, drawn once, and the part that
//! the leading directions of these do not describe.
//!
//! Some 256 samples are enough, and better than all: a small tight group far from the rest is not its own neighbourhood
//! (Sugiyama and Borgwardt 2013; Bandaragoda et al. 2018). New samples are compared with the same ones. Everything follows from the
//! products of a sample with those that are drawn, so that the samples are read once.

use super::span::Span;
use crate::data::{BLOCK, Data, Exact};
use crate::derived::Derived;
use crate::init::Random;
use crate::matrix::Mat;
use crate::preprocess::median;
use crate::real::Real;
use crate::threads::each_in;
use crate::threads::prelude::*;

/// Samples that are drawn at most, and the numbers that they may have together.
const MOST: usize = 256;
const NUMBERS: usize = 1 << 22;
const LEAST: usize = 32;
/// The share of them that is near.
const NEAR: f64 = 0.1;
/// Two samples whose squared distance is below this share of their squared lengths are the same one.
const SAME: f64 = 1e-12;

/// A few of the samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference<T> {
    /// d×m, a sample in each column.
    samples: Mat<T>,
    norms_sq: Vec<f64>,
    /// Their leading directions, where there are samples and features enough.
    span: Derived<Option<Span>>,
}

/// Samples that are drawn where each has d numbers.
pub(crate) fn most(d: usize) -> usize {
    MOST.min((NUMBERS / d.max(1)).max(LEAST))
}

/// Mean distance of every sample to the nearest others, as they are and brought to unit length, the spread of its logarithm that
/// chance alone makes, and what the leading directions of the others leave of it.
pub(super) struct Distances {
    pub(super) plain: Vec<f64>,
    pub(super) unit: Vec<f64>,
    pub(super) chance: (f64, f64),
    pub(super) left: Option<Vec<f64>>,
}

/// Room for a block of samples: their products with those that are drawn, and the squares of what directions describe.
#[derive(Default)]
struct Room {
    products: Vec<f64>,
    spare: Vec<f64>,
    described: Vec<f64>,
}

/// What is measured of a sample.
#[derive(Clone, Copy, Default)]
struct Measured {
    plain: Near,
    unit: Near,
    left: f64,
}

/// How far the nearest others are.
#[derive(Clone, Copy, Default)]
struct Near {
    mean: f64,
    farthest: f64,
}

impl<T: Real> Reference<T> {
    /// Drawn from the samples that count, always the same ones.
    pub(super) fn draw<X: Data<T>>(x: &X, counts: &[bool]) -> Self {
        let d = x.shape().1;
        let among: Vec<usize> = (0..counts.len()).filter(|&i| counts[i]).collect();
        let many = most(d).min(among.len());
        let mut samples = Mat::zeros(d, many);
        for (column, at) in Random::new(0).distinct(many, among.len()).into_iter().enumerate() {
            if x.is_sparse() {
                x.for_each_of_sample(among[at], |j, value| samples[(j, column)] = value);
            } else {
                let mut row = vec![T::ZERO; d];
                x.read(among[at]..among[at] + 1, 0..d, &mut row);
                row.iter().enumerate().for_each(|(j, &value)| samples[(j, column)] = value);
            }
        }
        Self::of(samples)
    }

    /// These samples, each a column.
    pub fn of(samples: Mat<T>) -> Self {
        let mut norms_sq = vec![0.0; samples.cols()];
        for j in 0..samples.rows() {
            norms_sq.iter_mut().zip(samples.row(j)).for_each(|(sum, x)| *sum += x.to_f64().powi(2));
        }
        Self { samples, norms_sq, span: Derived::default() }
    }

    /// d×m, a sample in each column.
    pub fn samples(&self) -> &Mat<T> {
        &self.samples
    }

    /// How far every sample is from them and, where that is wanted, from their leading `directions`. A sample's distances do not
    /// depend on the other samples.
    pub(super) fn distances<X: Data<T>>(&self, x: &X, directions: bool) -> Distances {
        let (n, m) = (x.shape().0, self.samples.cols());
        let exact = Exact::new(x, &self.samples);
        let span = directions.then(|| self.span.get(|| Span::of(&self.samples)).into_owned()).flatten();
        let mut found = vec![Measured::default(); n];
        let block = |room: &mut Room, (at, found): (usize, &mut [Measured])| {
            let rows = at * BLOCK..at * BLOCK + found.len();
            room.products.resize(found.len() * m, 0.0);
            x.project_exactly(rows.clone(), &exact, &mut room.products, &mut room.spare);
            if let Some(span) = &span {
                span.described(&room.products, &mut room.described);
            }
            let products = room.products.chunks_exact_mut(m.max(1));
            for (at, ((found, products), i)) in found.iter_mut().zip(products).zip(rows).enumerate() {
                let norm_sq = x.norms_sq()[i];
                (found.plain, found.unit) = self.near(products, norm_sq);
                found.left = room.described.get(at).map_or(0.0, |part| (norm_sq - part).max(0.0).sqrt());
            }
        };
        if n <= BLOCK {
            found.chunks_mut(BLOCK).enumerate().for_each(|part| block(&mut Room::default(), part));
        } else {
            each_in(found.par_chunks_mut(BLOCK).enumerate(), Room::default, block);
        }
        let of = |value: fn(&Measured) -> f64| -> Vec<f64> { found.iter().map(value).collect() };
        let left = span.is_some().then(|| of(|measured| measured.left));
        let chance = |near: fn(&Measured) -> Near| chance(found.iter().map(near), self.nearest());
        Distances {
            plain: of(|measured| measured.plain.mean),
            unit: of(|measured| measured.unit.mean),
            chance: (chance(|measured| measured.plain), chance(|measured| measured.unit)),
            left,
        }
    }

    /// How many of them are near.
    fn nearest(&self) -> usize {
        (NEAR * (self.norms_sq.len() as f64 - 1.0)).round().max(1.0) as usize
    }

    /// Mean distance to the nearest, of a sample with this squared length and these products with all.
    fn near(&self, products: &mut [f64], norm_sq: f64) -> (Near, Near) {
        let plain = |(product, other): (&f64, &f64)| {
            let distance_sq = norm_sq + other - 2.0 * product;
            if distance_sq <= SAME * (norm_sq + other) { 0.0 } else { distance_sq.sqrt() }
        };
        let mut distances: Vec<f64> = products.iter().zip(&self.norms_sq).map(plain).collect();
        let itself = distances.iter().position(|distance| *distance == 0.0);
        let unit = |(product, other): (&f64, &f64)| match norm_sq * other {
            both if both > 0.0 => (2.0 - 2.0 * product / both.sqrt()).max(0.0).sqrt(),
            _ if norm_sq == *other => 0.0,
            _ => 1.0,
        };
        let mut angles: Vec<f64> = products.iter().zip(&self.norms_sq).map(unit).collect();
        if let Some(at) = itself {
            distances.swap_remove(at);
            angles.swap_remove(at);
        }
        (least(&mut distances, self.nearest()), least(&mut angles, self.nearest()))
    }
}

/// The spread of the logarithm of a mean distance to so many neighbours among samples that lie evenly, but by chance: 1/(D·√many) in
/// D dimensions, of which the mean distance is the share D/(D + 1) of that to the farthest. Less spread is that of a grid, whose ends
/// are no outliers.
fn chance(near: impl Iterator<Item = Near>, many: usize) -> f64 {
    let shares = near.filter(|near| near.farthest > 0.0).map(|near| near.mean / near.farthest);
    let share = median(&mut shares.collect::<Vec<_>>());
    if share > 0.0 { (1.0 / share - 1.0) / (many as f64).sqrt() } else { 0.0 }
}

fn least(values: &mut [f64], many: usize) -> Near {
    let many = many.min(values.len());
    if many == 0 {
        return Near::default();
    }
    if many < values.len() {
        values.select_nth_unstable_by(many, f64::total_cmp);
    }
    values[..many].sort_unstable_by(f64::total_cmp);
    Near { mean: values[..many].iter().sum::<f64>() / many as f64, farthest: values[many - 1] }
}
