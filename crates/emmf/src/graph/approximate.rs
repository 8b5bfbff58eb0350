//! Approximate nearest neighbours: hierarchical navigable small worlds (Malkov and Yashunin 2018), for so many samples
//! that all pairs take too long.
//!
//! The samples are cut into a fixed number of shards with an index each, made by one thread from one seed, and every
//! sample asks all of them: so the neighbours do not depend on the number of threads. Distances are computed in
//! single precision on the way and by their definition for those found. Memory: a copy of X in single precision and
//! the indices, about 300 bytes a sample.

use instant_distance::{Builder, Hnsw, Point, PointId, Search};

use super::Neighbours;
use super::distance::{Sample, Spare};
use super::nearest::complete;
use super::shortlist::offer;
use crate::cancel::Cancel;
use crate::data::{Data, vectorized};
use crate::error::{Error, Result};
use crate::real::Real;
use crate::threads::prelude::*;
use crate::threads::{each_in, made};

/// Minimum number of samples of a shard, and maximum number of shards.
const SHARD: usize = 2_000;
const SHARDS: usize = 4;
/// Candidates that a search looks at: more find more and take longer.
const EFFORT: usize = 64;
/// Candidates of each shard beyond those wanted.
const SPARE: usize = 4;
const LANES: usize = 16;

/// The `k` nearest other samples of nearly every sample, most of the time without a mistake: see the recall in the
/// tests. Ties go to the smaller index among those found.
pub fn nearest_approximately<T: Real, X: Data<T>>(x: &X, k: usize, cancel: &Cancel) -> Result<Neighbours> {
    let n = x.shape().0;
    let k = k.min(n.saturating_sub(1));
    let rows = Rows::of(x);
    let shards = (n / SHARD).clamp(1, SHARDS);
    let shard = |s: usize| {
        cancel.check_time()?;
        Shard::new(&rows, (s..n).step_by(shards))
    };
    let shards = made(shards, shard).into_iter().collect::<Result<Vec<Shard<'_>>>>()?;
    let mut found = vec![(f64::INFINITY, u32::MAX); n * k];
    let room = || (Search::default(), Sample::default(), Sample::default(), Spare::default());
    each_in(found.par_chunks_mut(k.max(1)).enumerate(), room, |(search, own, other, spare), (i, found)| {
        if cancel.is_cancelled() || cancel.is_late() {
            return;
        }
        own.load(x, i, spare);
        for shard in &shards {
            let query = Row { rows: &rows, at: i as u32 };
            let near = shard.index.search(&query, search).map(|item| item.point.at);
            for j in near.filter(|&j| j as usize != i).take(k + SPARE) {
                other.load(x, j as usize, spare);
                offer(found, (own.distance_sq(other), j));
            }
        }
    });
    cancel.check_time()?;
    complete(x, k, &mut found, cancel)?;
    x.intact()?;
    Neighbours::of(found, k, x.norms_sq())
}

/// The index of some of the samples.
struct Shard<'a> {
    index: Hnsw<Row<'a>>,
}

impl<'a> Shard<'a> {
    fn new(rows: &'a Rows, samples: impl Iterator<Item = usize>) -> Result<Self> {
        let points: Vec<Row<'a>> = samples.map(|i| Row { rows, at: i as u32 }).collect();
        let builder = Builder::default().seed(1).ef_construction(EFFORT).ef_search(EFFORT);
        // Several threads would race for the edges.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Error::Threads { threads: 1, why: error.to_string() })?;
        let (index, _): (_, Vec<PointId>) = pool.install(|| builder.build_hnsw(points));
        Ok(Self { index })
    }
}

/// One of the samples.
#[derive(Clone)]
struct Row<'a> {
    rows: &'a Rows,
    at: u32,
}

impl Point for Row<'_> {
    fn distance(&self, other: &Self) -> f32 {
        self.rows.distance_sq(self.at as usize, other.at as usize)
    }
}

/// The samples in single precision.
enum Rows {
    Dense { d: usize, values: Vec<f32> },
    Sparse { starts: Vec<usize>, features: Vec<u32>, values: Vec<f32> },
}

impl Rows {
    fn of<T: Real, X: Data<T>>(x: &X) -> Self {
        let (n, d) = x.shape();
        if !x.is_sparse() {
            let mut values = vec![0.0; n * d];
            let rows = values.par_chunks_mut(d.max(1)).enumerate();
            each_in(
                rows,
                || vec![T::ZERO; d],
                |row, (i, out)| {
                    x.read(i..i + 1, 0..d, row);
                    out.iter_mut().zip(row).for_each(|(out, value)| *out = value.to_f64() as f32);
                },
            );
            return Self::Dense { d, values };
        }
        let (mut starts, mut features, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut entries = Vec::new();
        for i in 0..n {
            entries.clear();
            x.for_each_of_sample(i, |j, value| entries.push((j as u32, value.to_f64() as f32)));
            entries.sort_unstable_by_key(|entry| entry.0);
            features.extend(entries.iter().map(|entry| entry.0));
            values.extend(entries.iter().map(|entry| entry.1));
            starts.push(values.len());
        }
        Self::Sparse { starts, features, values }
    }

    fn distance_sq(&self, i: usize, j: usize) -> f32 {
        match self {
            Self::Dense { d, values } => {
                vectorized!(dense(&values[i * d..(i + 1) * d], &values[j * d..(j + 1) * d]))
            }
            Self::Sparse { starts, features, values } => {
                let row = |i: usize| {
                    let range = starts[i]..starts[i + 1];
                    (&features[range.clone()], &values[range])
                };
                sparse(row(i), row(j))
            }
        }
    }
}

#[inline(always)]
fn dense(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for t in 0..LANES {
            sums[t] += (a[t] - b[t]) * (a[t] - b[t]);
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f32>() + rest
}

fn sparse((a, a_values): (&[u32], &[f32]), (b, b_values): (&[u32], &[f32])) -> f32 {
    let (mut s, mut t, mut sum) = (0, 0, 0.0);
    while s < a.len() || t < b.len() {
        let (left, right) = (a.get(s).copied().unwrap_or(u32::MAX), b.get(t).copied().unwrap_or(u32::MAX));
        let mut difference = 0.0;
        if left <= right {
            difference += a_values[s];
            s += 1;
        }
        if right <= left {
            difference -= b_values[t];
            t += 1;
        }
        sum += difference * difference;
    }
    sum
}
