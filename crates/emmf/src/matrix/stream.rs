//! Rows that are read when they are needed: from a file larger than memory, for example.

use std::ops::Range;

use crate::error::Result;
use crate::real::Real;

/// Dense samples that are not in memory. Fits and `transform` read them in blocks, from several threads at
/// once and once for every product.
pub trait RowSource<T>: Sync {
    /// Samples and features.
    fn shape(&self) -> (usize, usize);

    /// Puts these samples into `out`, one after the other. A source must give the same numbers every time.
    fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()>;
}

/// Samples that are read together where they are only looked at.
const WINDOW: usize = 256;

/// Calls `visit(first row, entries)` with windows of the rows, in order, until it fails.
pub(super) fn try_for_windows<T: Real>(
    source: &dyn RowSource<T>,
    mut visit: impl FnMut(usize, &[T]) -> Result<()>,
) -> Result<()> {
    let (n, d) = source.shape();
    let mut window = vec![T::ZERO; WINDOW.min(n) * d];
    for start in (0..n).step_by(WINDOW) {
        let rows = start..(start + WINDOW).min(n);
        let entries = &mut window[..rows.len() * d];
        source.read(rows, entries)?;
        visit(start, entries)?;
    }
    Ok(())
}
