//! Distances by their definition, in double precision: dense and sparse samples give the same bits.

use crate::data::{Data, vectorized};
use crate::real::Real;

/// Sums that run side by side; feature j belongs to sum j mod `LANES`.
const LANES: usize = 8;

/// A sample in double precision.
#[derive(Debug, Clone, Default)]
pub(super) struct Sample {
    /// All entries of a dense sample, the nonzero ones of a sparse one.
    values: Vec<f64>,
    /// Of a sparse sample, ascending.
    features: Vec<usize>,
}

impl Sample {
    /// Becomes sample i.
    pub(super) fn load<T: Real, X: Data<T>>(&mut self, x: &X, i: usize, spare: &mut Spare<T>) {
        self.values.clear();
        self.features.clear();
        if x.is_sparse() {
            spare.entries.clear();
            x.for_each_of_sample(i, |j, value| spare.entries.push((j, value.to_f64())));
            spare.entries.sort_unstable_by_key(|entry| entry.0);
            self.features.extend(spare.entries.iter().map(|entry| entry.0));
            self.values.extend(spare.entries.iter().map(|entry| entry.1));
        } else {
            spare.row.resize(x.shape().1, T::ZERO);
            x.read(i..i + 1, 0..spare.row.len(), &mut spare.row);
            self.values.extend(spare.row.iter().map(|value| value.to_f64()));
        }
    }

    /// ‖a − b‖².
    pub(super) fn distance_sq(&self, other: &Self) -> f64 {
        let sums = if self.features.is_empty() && other.features.is_empty() {
            vectorized!(dense(&self.values, &other.values))
        } else {
            sparse(self, other)
        };
        sums.iter().sum()
    }
}

/// Room to be used again.
#[derive(Debug, Default)]
pub(super) struct Spare<T> {
    row: Vec<T>,
    entries: Vec<(usize, f64)>,
}

#[inline(always)]
fn dense(a: &[f64], b: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for t in 0..LANES {
            sums[t] += (a[t] - b[t]) * (a[t] - b[t]);
        }
    }
    for (sum, (a, b)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *sum += (a - b) * (a - b);
    }
    sums
}

fn sparse(a: &Sample, b: &Sample) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    let (mut s, mut t) = (0, 0);
    loop {
        let (left, right) = (a.features.get(s), b.features.get(t));
        let (feature, difference) = match (left, right) {
            (None, None) => return sums,
            (Some(&j), Some(&l)) if j == l => (j, a.values[s] - b.values[t]),
            (Some(&j), l) if l.is_none_or(|&l| j < l) => (j, a.values[s]),
            (_, l) => (l.copied().unwrap_or_default(), -b.values[t]),
        };
        s += usize::from(left == Some(&feature));
        t += usize::from(right == Some(&feature));
        sums[feature % LANES] += difference * difference;
    }
}
