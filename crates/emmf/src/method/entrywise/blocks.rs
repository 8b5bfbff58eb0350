//! Going through X and its approximation block by block, outside the loop.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::data::{BLOCK, Data};
use crate::init::Factors;
use crate::loss::entry::sum;
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::made;

/// Entries of a block: a few such blocks stay in cache.
const ENTRIES: usize = 16_384;

/// Samples in a block of this many features.
pub(super) fn rows_of_block(d: usize) -> usize {
    (ENTRIES / d).clamp(8, BLOCK)
}

/// `see(samples, X_b, Y_b)` of every block of samples, Y = V·Uᵀ, in order.
pub(crate) fn approximated<T: Real, X: Data<T>, R: Send>(
    x: &X,
    u: &Mat<T>,
    v: &Mat<T>,
    see: impl Fn(Range<usize>, &[T], &[T]) -> R + Sync + Send,
) -> Vec<R> {
    let ((n, d), c, ut) = (x.shape(), u.cols(), u.transposed());
    let rows = rows_of_block(d);
    let block = |at: usize| {
        let samples = at * rows..((at + 1) * rows).min(n);
        let (mut x_b, mut y_b) = (vec![T::ZERO; samples.len() * d], vec![T::ZERO; samples.len() * d]);
        x.read(samples.clone(), 0..d, &mut x_b);
        let v = &v.as_slice()[samples.start * c..samples.end * c];
        let shape = (samples.len(), c, d);
        T::gemm((&mut y_b, d), Left::Rows((v, c)), (ut.as_slice(), d), shape, false);
        see(samples, &x_b, &y_b)
    };
    made(n.div_ceil(rows), block)
}

/// The mean of `f(x)` over the entries that are not missing, sample i counting `weights[i]` times.
pub(super) fn mean<T: Real, X: Data<T>>(x: &X, weights: &[f64], f: impl Fn(f64) -> f64 + Sync + Send) -> f64 {
    let (n, d) = x.shape();
    let rows = rows_of_block(d);
    let block = |at: usize| {
        let samples = at * rows..((at + 1) * rows).min(n);
        let mut x_b = vec![T::ZERO; samples.len() * d];
        x.read(samples.clone(), 0..d, &mut x_b);
        total(&weights[samples], d, (&x_b, &x_b), |x, _| f(x))
    };
    ratio(&made(n.div_ceil(rows), block))
}

/// Σ s·f(x, y) and Σ s over the rows of a block.
fn total<T: Real>(s: &[f64], d: usize, (x, y): (&[T], &[T]), f: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    let rows = x.chunks_exact(d).zip(y.chunks_exact(d)).zip(s);
    rows.fold((0.0, 0.0), |(total, count), ((x, y), s)| {
        (total + s * sum(x, y, &f), count + s * sum(x, y, |_, _| 1.0))
    })
}

fn ratio(totals: &[(f64, f64)]) -> f64 {
    let (total, count) = totals.iter().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
    total / count
}

/// Bits of a number that are found at a time.
const DIGIT: u32 = 16;

/// The median of |x − y| at these factors, sample i counting `weights[i]` times, exactly and without keeping the
/// residuals: nonnegative numbers have the order of their bits, which are found sixteen at a time. Never 0: then
/// the mean, or 1.
pub(super) fn median_residual<T: Real, X: Data<T>>(x: &X, weights: &[f64], factors: &Factors<T>) -> f64 {
    let (d, Factors { u, v }) = (x.shape().1, factors);
    let (mut found, mut rank) = (0_u64, None);
    for shift in (0..u64::BITS).step_by(DIGIT as usize).rev() {
        let above = |bits: u64| bits.checked_shr(shift + DIGIT).unwrap_or(0);
        let counted = approximated(x, u, v, |samples, x, y| {
            let mut counts = BTreeMap::new();
            for (at, (x, y)) in x.iter().zip(y).enumerate().filter(|(_, (x, _))| !x.to_f64().is_nan()) {
                let bits = (x.to_f64() - y.to_f64()).abs().to_bits();
                if above(bits) == above(found) {
                    *counts.entry(bits >> shift).or_insert(0.0) += weights[samples.start + at / d];
                }
            }
            counts
        });
        let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
        for (digits, count) in counted.into_iter().flatten() {
            *counts.entry(digits).or_insert(0.0) += count;
        }
        let mut left: f64 = rank.unwrap_or_else(|| 0.5 * counts.values().sum::<f64>());
        let here = counts.iter().find(|(_, count)| {
            let here = left < **count;
            left -= if here { 0.0 } else { **count };
            here
        });
        found = here.or(counts.iter().next_back()).map_or(0, |(digits, _)| digits << shift);
        rank = Some(left);
    }
    let median = f64::from_bits(found);
    if median > 0.0 {
        return median;
    }
    let absolute = |x: f64, y: f64| (x - y).abs();
    let mean = ratio(&approximated(x, u, v, |samples, x, y| total(&weights[samples], d, (x, y), absolute)));
    if mean > 0.0 { mean } else { 1.0 }
}
