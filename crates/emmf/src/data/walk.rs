//! The walk over blocks of samples that dense and sparse X share, and its buffers.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::product::TILE_ROWS;
use super::{BLOCK, Block, PARTS, blocks};
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// A buffer that lives as long as X, so that no iteration allocates.
pub(super) struct Scratch<T>(Mutex<Vec<T>>);

impl<T: Real> Scratch<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Lends out this many numbers, of any value.
    pub(super) fn lend<R>(&self, size: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
        let mut buffer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        work(lent(&mut buffer, size))
    }
}

/// Buffers in double precision that several threads borrow at the same time, kept as long as X.
pub(super) struct Rooms(Mutex<Vec<Vec<f64>>>);

impl Rooms {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Lends out this many numbers, of any value.
    pub(super) fn lend<R>(&self, size: usize, work: impl FnOnce(&mut [f64]) -> R) -> R {
        let mut room = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let result = work(lent(&mut room, size));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(room);
        result
    }
}

/// This many numbers of a buffer, of any value.
fn lent<T: Real>(buffer: &mut Vec<T>, size: usize) -> &mut [T] {
    if buffer.len() < size {
        // Not twice as much as is needed: it may be large.
        let more = size - buffer.len();
        buffer.reserve_exact(more);
        buffer.resize(size, T::ZERO);
    }
    let lent = &mut buffer[..size];
    // Whoever reads what it has not written fails every test, not only the one with the right shapes.
    if cfg!(debug_assertions) {
        lent.fill(T::from_f64(f64::NAN));
    }
    lent
}

/// How a walk is laid out.
pub(super) struct Layout {
    /// Samples.
    pub(super) n: usize,
    /// Columns of P.
    pub(super) c: usize,
    /// Numbers that `fill` wants besides, for a block.
    pub(super) spare: usize,
    /// Multiplications of the whole walk.
    pub(super) work: usize,
}

/// For every block: `fill(rows, P_b, spare)` makes P, then `visit` gets it with the block's items.
pub(super) fn walk<T: Real, A: Send, R: Send>(
    layout: &Layout,
    scratch: &Scratch<T>,
    (a, r): (&mut [A], &mut [R]),
    fill: impl Fn(Range<usize>, &mut [T], &mut [T]) + Sync + Send,
    visit: impl Fn(Block<'_, T, A, R>) + Sync + Send,
) {
    let &Layout { n, c, spare, work } = layout;
    let (a_items, r_items) = (a.len() / n, r.len() / n);
    let rows = rows_per_part(n);
    let slot = 2 * BLOCK * c + spare;
    scratch.lend(PARTS * slot, |buffer| {
        let parts = a.par_chunks_mut(rows * a_items).zip(r.par_chunks_mut(rows * r_items));
        let parts = parts.zip(buffer.par_chunks_mut(slot)).enumerate();
        each(parts.with_min_len(least_parts(work)), |(part, ((a, r), buffer))| {
            let start = part * rows;
            let (p, rest) = buffer.split_at_mut(BLOCK * c);
            let (scratch, spare) = rest.split_at_mut(BLOCK * c);
            for block in blocks(start..(start + rows).min(n), BLOCK) {
                let size = block.len() * c;
                let (from, to) = (block.start - start, block.end - start);
                let (p, scratch) = (&mut p[..size], &mut scratch[..size]);
                fill(block.clone(), p, spare);
                let (a, r) = (&mut a[from * a_items..to * a_items], &mut r[from * r_items..to * r_items]);
                visit(Block { rows: block, p, scratch, a, r });
            }
        });
    });
}

/// Rows of each of at most [`PARTS`] nearly equal parts of whole tiles.
pub(crate) fn rows_per_part(n: usize) -> usize {
    n.div_ceil(PARTS).next_multiple_of(TILE_ROWS)
}

/// Samples from which on sums are made of more than [`PARTS`] parts, over this.
const LARGE_PART: usize = 1 << 16;

/// Parts of n samples whose sums are the leaves of a tree: [`PARTS`] up to a million samples, then a larger power of two, so
/// that there are more shards to share the samples among.
pub(crate) fn summed_parts(n: usize) -> usize {
    n.div_ceil(LARGE_PART).next_power_of_two().max(PARTS)
}

/// Rows of each of them: whole tiles.
pub(crate) fn rows_per_summed_part(n: usize) -> usize {
    n.div_ceil(summed_parts(n)).next_multiple_of(TILE_ROWS)
}

/// Rows that sums as large as U are made of at a time: whole parts, and `least` to [`PARTS`] times in as many parts.
/// They are more the more features there are, so that the sums together are no larger than V.
pub(super) fn rows_per_leaf((n, d): (usize, usize), least: usize) -> usize {
    let subtree = n / (summed_parts(n) / PARTS);
    let leaves = 1 << (subtree / d.max(1)).clamp(least, PARTS).ilog2();
    rows_per_summed_part(n) * (PARTS / leaves)
}

/// The same where an iteration makes all its products leaf by leaf: at least four, for as many threads.
pub(crate) fn entry_leaf_rows(shape: (usize, usize)) -> usize {
    rows_per_leaf(shape, 4)
}

/// The same of samples that may be sparse, wherever they are: a leaf of sparse ones is worth a slab.
pub(crate) fn leaf_rows_of((n, d): (usize, usize), sparse: bool) -> usize {
    rows_per_leaf((n, if sparse { d.max(super::sparse::SLAB) } else { d }), 1)
}

/// Multiplications below which handing some to another thread costs more than it brings.
const SMALL: usize = 100_000;

/// The least number of parts that one thread takes: all of them where there is little to do.
pub(crate) fn least_parts(work: usize) -> usize {
    if is_small(work) { PARTS } else { 1 }
}

/// Whether so many multiplications are not worth a second thread.
pub(crate) fn is_small(work: usize) -> bool {
    work < SMALL
}
