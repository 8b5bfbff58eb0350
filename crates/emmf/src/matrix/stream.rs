//! Rows that are read when they are needed: from a file larger than memory, for example.

use std::ops::Range;

use crate::error::Result;

/// Dense samples that are not in memory. Fits and `transform` read them in blocks, from several threads at
/// once: for every product, and once before the first.
pub trait RowSource<T>: Sync {
    /// Samples and features.
    fn shape(&self) -> (usize, usize);

    /// Puts these samples into `out`, one after the other. A source must return the same numbers every time.
    fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()>;
}
