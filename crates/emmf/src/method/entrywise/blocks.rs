//! Going through X and its approximation block by block, outside the loop.

use std::ops::Range;

use crate::data::{BLOCK, Data};
use crate::error::Result;
use crate::loss::entry::sum;
use crate::matrix::Mat;
use crate::method::SampleSide;
use crate::method::side::{Digits, EntryCensus, EntryLook, Place, Summand, Tree};
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::made;

/// Entries of a block: a few such blocks stay in cache.
const ENTRIES: usize = 16_384;

/// Samples in a block of this many features.
pub(super) fn rows_of_block(d: usize) -> usize {
    (ENTRIES / d.max(1)).clamp(8, BLOCK)
}

/// X and V with U, of which a census is made.
pub(in crate::method) struct Counted<'a, T, X> {
    pub(in crate::method) x: &'a X,
    pub(in crate::method) u: &'a Mat<T>,
    pub(in crate::method) v: &'a Mat<T>,
    /// sᵢ, how often each sample counts.
    pub(in crate::method) sample_weights: &'a [f64],
}

impl<T: Real, X: Data<T>> Counted<'_, T, X> {
    /// The sums over the parts of samples at this place.
    pub(in crate::method) fn census(&self, place: &Place, look: &EntryLook, out: &mut Tree<EntryCensus>) {
        let ut = self.u.transposed();
        for (node, rows) in place.nodes() {
            let size = place.rows_per_part();
            let part = |at: usize| {
                let start = rows.start + at * size;
                self.of_part(start..(start + size).min(rows.end), &ut, look)
            };
            *out.fill(node) = folded(made(rows.len().div_ceil(size), part));
        }
    }

    fn of_part(&self, rows: Range<usize>, ut: &Mat<T>, look: &EntryLook) -> EntryCensus {
        let (d, mut found) = (self.x.shape().1, EntryCensus::default());
        let size = rows_of_block(d);
        let [mut x, mut y] = [(); 2].map(|()| vec![T::ZERO; size.min(rows.len()) * d]);
        for start in rows.clone().step_by(size) {
            let rows = start..(start + size).min(rows.end);
            let (x, y) = (&mut x[..rows.len() * d], &mut y[..rows.len() * d]);
            self.x.read(rows.clone(), 0..d, x);
            if look.residuals {
                let c = ut.rows();
                let v = &self.v.as_slice()[rows.start * c..rows.end * c];
                T::gemm((y, d), Left::Rows((v, c)), (ut.as_slice(), d), (rows.len(), c, d), false);
            }
            for (i, (x, y)) in rows.zip(x.chunks_exact(d).zip(y.chunks_exact(d))) {
                add_row(&mut found, (x, y), self.sample_weights[i], look);
            }
        }
        found
    }
}

fn add_row<T: Real>(found: &mut EntryCensus, (x, y): (&[T], &[T]), s: f64, look: &EntryLook) {
    if let Some(digits) = look.digits {
        for (x, y) in x.iter().zip(y).filter(|(x, _)| !x.to_f64().is_nan()) {
            if let Some(bits) = digits.of((x.to_f64() - y.to_f64()).abs()) {
                *found.digits.entry(bits).or_default() += s;
            }
        }
        return;
    }
    found.count += s * sum(x, x, |_, _| 1.0);
    found.sum += s * sum(x, x, |x, _| x);
    found.squares += s * sum(x, x, |x, _| x * x);
    if look.residuals {
        found.absolute += s * sum(x, y, |x, y| (x - y).abs());
    }
}

/// The sum, as [`Tree`] makes it.
fn folded<S: Summand>(mut sums: Vec<S>) -> Option<S> {
    while sums.len() > 1 {
        let mut pairs = sums.into_iter();
        let mut halved = Vec::new();
        while let Some(mut first) = pairs.next() {
            if let Some(second) = pairs.next() {
                first.add(&second);
            }
            halved.push(first);
        }
        sums = halved;
    }
    sums.pop()
}

/// A look at the samples of a side.
pub(super) fn census<T: Real>(side: &dyn SampleSide<T>, u: &Mat<T>, look: EntryLook) -> Result<EntryCensus> {
    let mut tree = Tree::default();
    side.look_at_entries(u, &look, &mut tree)?;
    Ok(tree.total().cloned().unwrap_or_default())
}

/// The median of |x − y|, a sample counting as often as it does, exactly and without keeping the residuals: their bits are
/// found sixteen at a time. Never 0: then the mean, or 1.
pub(super) fn median_residual<T: Real>(side: &dyn SampleSide<T>, u: &Mat<T>) -> Result<f64> {
    let (mut found, mut rank) = (0_u64, None);
    for shift in (0..u64::BITS).step_by(Digits::WIDTH as usize).rev() {
        let digits = Some(Digits { shift, like: found });
        let counts = census(side, u, EntryLook { residuals: true, digits, beta: None })?.digits;
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
        return Ok(median);
    }
    let all = census(side, u, EntryLook { residuals: true, ..EntryLook::default() })?;
    let mean = all.absolute / all.count;
    Ok(if mean > 0.0 { mean } else { 1.0 })
}
