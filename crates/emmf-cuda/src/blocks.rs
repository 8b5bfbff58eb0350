//! Samples that do not all fit on a card: the first blocks stay there, the others come through two buffers, one on its way while the one
//! before is worked on.
#![allow(unsafe_code, reason = "pinned memory is got through the C interface of the driver")]

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::CUevent_flags::CU_EVENT_DISABLE_TIMING;
use cudarc::driver::{CudaEvent, CudaSlice, CudaStream, CudaView, PinnedHostSlice};
use emmf::method::side::Place;
use emmf::{Result, Samples};
use rayon::prelude::*;

use crate::card::Card;
use crate::number::Number;

/// Bytes of a block at most. Its rows do not depend on how much of X stays on the card, so that no bit does.
const BLOCK: usize = 1 << 26;
/// Bytes that a thread reads at a time.
const READ: usize = 1 << 20;
/// The share of the free memory that X may take without blocks, and what stays there with blocks: V and the rest need room, too.
const ALL: f64 = 0.8;
const RESIDENT: f64 = 0.5;

/// What is done with some samples and their rows of X.
pub(crate) type Work<'a, T> = dyn FnMut(Range<usize>, &CudaView<'_, T>) -> Result<()> + 'a;

/// Rows of a block of samples in parts; no block lies in two parts.
pub(crate) fn block_rows(place: &Place, row_bytes: usize) -> usize {
    (BLOCK / row_bytes.max(1)).clamp(1, place.rows_per_part().max(1))
}

/// These samples in blocks.
pub(crate) fn cut(place: &Place, block: usize, rows: Range<usize>) -> Vec<Range<usize>> {
    let (part, mut from, mut found) = (place.rows_per_part().max(1), rows.start, Vec::new());
    while from < rows.end {
        let begin = from / part * part;
        let in_part = begin + ((from - begin) / block + 1) * block;
        let end = in_part.min(begin + part).min(rows.end);
        found.push(from..end);
        from = end;
    }
    found
}

/// How many of the first samples stay on the card: all, or whole blocks of what there is room for beside what else a fit needs.
pub(crate) fn resident(card: &Card, place: &Place, row_bytes: usize, besides: usize) -> Result<usize> {
    let (padded, free) = (place.count.next_multiple_of(place.rows_per_part().max(1)), card.free()? as f64);
    let (needed, left) = ((padded * row_bytes) as f64, free - besides as f64);
    let most = match card.most_of_samples() {
        Some(most) if needed > most as f64 => most as f64,
        None if needed > (ALL * free).min(left) => (RESIDENT * free).min(left - 2.0 * BLOCK as f64).max(0.0),
        _ => return Ok(place.count),
    };
    let most = (most / row_bytes.max(1) as f64) as usize;
    let blocks = cut(place, block_rows(place, row_bytes), 0..place.count);
    Ok(blocks.iter().take_while(|block| block.end <= most).last().map_or(0, |block| block.end))
}

/// Samples on their way to the card.
pub(crate) struct Blocks<T: Number> {
    /// Rows of a block.
    pub(crate) rows: usize,
    /// Samples that stay on the card, whole blocks.
    resident: usize,
    copying: Arc<CudaStream>,
    lanes: Mutex<[Lane<T>; 2]>,
}

/// A buffer here and one on the card.
struct Lane<T> {
    here: PinnedHostSlice<T>,
    there: CudaSlice<T>,
    /// When it has come, and when it has been worked on.
    copied: CudaEvent,
    worked: CudaEvent,
}

impl<T: Number> Lane<T> {
    fn new(card: &Card, len: usize) -> Result<Self> {
        let event =
            || card.context().new_event(Some(CU_EVENT_DISABLE_TIMING)).map_err(|error| card.failed(error));
        let failed = |error| card.failed(error);
        // SAFETY: it is written as a whole before anything is read from it.
        let mut here = unsafe { card.context().alloc_pinned_with_flags(len, 0) }.map_err(failed)?;
        let first: *mut T = here.as_mut_ptr().map_err(failed)?;
        // SAFETY: so many numbers begin there, and zeros are numbers. Rows that are longer than samples have no others at their ends.
        unsafe { first.write_bytes(0, len) };
        Ok(Self { here, there: card.zeros(len)?, copied: event()?, worked: event()? })
    }
}

impl<T: Number> Drop for Blocks<T> {
    fn drop(&mut self) {
        // Nothing may be on its way from a buffer that is given back; that the card failed is known by then.
        let _ = self.copying.synchronize();
    }
}

impl<T: Number> Blocks<T> {
    /// Of rows of `ldx` numbers.
    pub(crate) fn new(card: &Card, place: &Place, ldx: usize, resident: usize) -> Result<Self> {
        let rows = block_rows(place, ldx * size_of::<T>());
        let lanes = Mutex::new([Lane::new(card, rows * ldx)?, Lane::new(card, rows * ldx)?]);
        let copying = card.context().new_stream().map_err(|error| card.failed(error))?;
        Ok(Self { rows, resident, copying, lanes })
    }

    /// Does something with these samples, block by block; `resident` are those that are on the card, `ldx` apart.
    pub(crate) fn each(
        &self,
        (card, place, ldx): (&Card, &Place, usize),
        (x, resident): (&Samples<'_, T>, &CudaView<'_, T>),
        rows: Range<usize>,
        work: &mut Work<'_, T>,
    ) -> Result<()> {
        let told = |error| card.failed(error);
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        for (at, rows) in cut(place, self.rows, rows).into_iter().enumerate() {
            if rows.end <= self.resident {
                work(rows.clone(), &resident.slice(rows.start * ldx..rows.end * ldx))?;
                continue;
            }
            let Lane { here, there, copied, worked } = &mut lanes[at % 2];
            // Then its copy is done, too.
            worked.synchronize().map_err(told)?;
            let len = rows.len() * ldx;
            let staged = &mut here.as_mut_slice().map_err(told)?[..len];
            stage(x, rows.clone(), staged)?;
            self.copying.memcpy_htod(staged, &mut there.slice_mut(..len)).map_err(told)?;
            copied.record(&self.copying).map_err(told)?;
            card.stream().wait(copied).map_err(told)?;
            work(rows, &there.slice(..len))?;
            worked.record(card.stream()).map_err(told)?;
        }
        Ok(())
    }
}

/// Puts rows into `staged`, which has the same room for each.
pub(crate) fn stage<T: Number>(x: &Samples<'_, T>, rows: Range<usize>, staged: &mut [T]) -> Result<()> {
    let (d, each) = (x.shape().1, (staged.len() / rows.len().max(1)).max(1));
    let many = if each == d { (READ / (d * size_of::<T>()).max(1)).max(1) } else { 1 };
    staged.par_chunks_mut(many * each).enumerate().try_for_each(|(at, out)| {
        let from = rows.start + at * many;
        let end = (from + many).min(rows.end);
        x.read(from..end, &mut out[..(end - from) * d])
    })
}

#[cfg(test)]
mod tests {
    use emmf::method::side::Place;

    use super::{block_rows, cut};

    /// Blocks cover their rows once, in order, and none lies in two parts; those of a range are those of all.
    #[test]
    fn blocks_are_whole_and_in_one_part() {
        for (n, block) in [(1000, 10), (1000, 63), (1000, 64), (17, 1), (1, 1), (2_000_000, 20_000)] {
            let place = Place::whole(n);
            let (part, all) = (place.rows_per_part(), cut(&place, block, 0..n));
            assert_eq!(all.iter().map(ExactSizeIterator::len).sum::<usize>(), n);
            let mut next = 0;
            for rows in &all {
                assert!(rows.start == next && rows.len() <= block && !rows.is_empty());
                assert_eq!(rows.start / part, (rows.end - 1) / part);
                next = rows.end;
            }
            let second = part..(2 * part).min(n).max(part);
            let inside: Vec<_> = all.into_iter().filter(|rows| second.contains(&rows.start)).collect();
            assert_eq!(cut(&place, block, second.clone()), inside);
        }
        assert!(cut(&Place::whole(5), 2, 3..3).is_empty());
    }

    /// A block is no longer than a part, and has a row even where that is long.
    #[test]
    fn blocks_have_rows() {
        let place = Place::whole(1600);
        assert_eq!(block_rows(&place, 1), place.rows_per_part());
        assert_eq!(block_rows(&place, usize::MAX), 1);
    }
}
