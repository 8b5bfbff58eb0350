//! Sparse samples on a card: their entries by sample, and once more by feature, part after part, so that sums over samples need no atomic
//! additions and have the same bits every time.
#![allow(unsafe_code, reason = "kernels are launched through the C interface of the driver")]

use std::ops::Range;

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr};
use emmf::method::side::Place;
use emmf::{CsrView, Error, Result};
use rayon::prelude::*;

use crate::card::{Card, launch};
use crate::loaded::Loaded;
use crate::number::Number;

/// Bytes of entries that are put in order in this memory at a time, unless one part has more.
const STAGED: usize = 1 << 27;
/// Entries of a feature in a part from which on a whole block adds them up, and its threads: see `kernels/sparse.cu`.
const LONG: i64 = 4096;
const OF_LONG: usize = 1024;

/// The entries of X twice.
pub(crate) struct Entries<T> {
    /// By sample; kernels have their addresses.
    _by_sample: Lists<T>,
    by_feature: Lists<T>,
    /// Lists of `by_feature` that a block each adds up.
    long: CudaSlice<i64>,
    longs: usize,
}

/// Lists of entries: where each begins, and of every entry its place and value.
struct Lists<T> {
    starts: CudaSlice<i64>,
    places: CudaSlice<i32>,
    values: CudaSlice<T>,
}

impl<T: Number> Lists<T> {
    /// Room for so many lists and entries.
    fn room(card: &Card, lists: usize, entries: usize) -> Result<Self> {
        Ok(Self {
            starts: card.zeros(lists + 1)?,
            places: card.zeros(entries)?,
            values: card.zeros(entries)?,
        })
    }

    /// Puts lists there, the first of which has this number and begins at this entry.
    fn put(&mut self, card: &Card, (list, entry): (usize, usize), lists: &InMemory<T>) -> Result<()> {
        let (starts, places, values) = lists;
        let starts: Vec<i64> = starts.iter().map(|start| start + entry as i64).collect();
        card.put(&starts, &mut self.starts.slice_mut(list..list + starts.len()))?;
        if values.is_empty() {
            return Ok(());
        }
        let to = entry..entry + values.len();
        card.put(places, &mut self.places.slice_mut(to.clone()))?;
        card.put(values, &mut self.values.slice_mut(to))
    }

    /// The addresses of all three, as kernels know them.
    fn addresses(&self, card: &Card) -> [u64; 3] {
        let stream = card.stream();
        [self.starts.device_ptr(stream).0, self.places.device_ptr(stream).0, self.values.device_ptr(stream).0]
    }
}

/// The same in this memory.
type InMemory<T> = (Vec<i64>, Vec<i32>, Vec<T>);

impl<T: Number> Entries<T> {
    /// Takes all entries to the card; also the addresses of those by sample.
    pub(crate) fn new(card: &Card, x: CsrView<'_, T>, place: &Place) -> Result<(Self, CudaSlice<u8>)> {
        if i32::try_from(x.cols()).is_err() {
            let must = format!("at most {} on a card; use the device cpu", i32::MAX);
            return Err(Error::param("features", x.cols(), must));
        }
        let ((n, d), part) = ((x.rows(), x.cols()), place.rows_per_part().max(1));
        let mut rows = Lists::room(card, n, x.nnz())?;
        let mut features = Lists::room(card, n.div_ceil(part) * d, x.nnz())?;
        let (mut entry, mut long) = (0, Vec::new());
        for some in groups(x, part, STAGED / (size_of::<T>() + size_of::<i32>())) {
            let (list, by_sample) = (some.start / part * d, by_sample(x, some.clone()));
            let by_feature = by_feature(&by_sample, (some.len(), d), part);
            rows.put(card, (some.start, entry), &by_sample)?;
            features.put(card, (list, entry), &by_feature)?;
            let ends = (list as i64..).zip(by_feature.0.windows(2));
            long.extend(ends.filter_map(|(list, ends)| (ends[1] - ends[0] >= LONG).then_some(list)));
            entry += by_sample.2.len();
        }
        let addresses: Vec<u8> = rows.addresses(card).into_iter().flat_map(u64::to_ne_bytes).collect();
        let longs = long.len();
        let long = if long.is_empty() { card.zeros(1) } else { card.upload(&long) }?;
        Ok((Self { _by_sample: rows, by_feature: features, long, longs }, card.upload(&addresses)?))
    }

    /// XᵀW of every part, rows of W being `ld` apart.
    pub(crate) fn pull(
        &self,
        loaded: &Loaded<'_, T>,
        (w, ld): (&CudaSlice<T>, usize),
        out: &mut CudaSlice<T>,
    ) -> Result<()> {
        let (card, Lists { starts, places, values }) = (&loaded.card, &self.by_feature);
        let (features, part) = (loaded.d as i64, loaded.place.rows_per_part() as i64);
        let (lists, ld) = ((loaded.parts() * loaded.d) as i64, ld as i32);
        let kernel = loaded.shared("pull_sparse")?;
        let grid = kernel.for_rows(loaded.parts() * loaded.d);
        launch!(card, kernel, grid, [starts, places, values, &lists, &features, &part, w, &ld, &mut *out])?;
        if self.longs == 0 {
            return Ok(());
        }
        let kernel = loaded.shared("pull_long")?;
        let grid = kernel.grid((self.longs, 1), OF_LONG);
        launch!(card, kernel, grid, [starts, places, values, &self.long, &features, &part, w, &ld, out])
    }
}

/// X·B of these samples, B having so many columns; rows of what comes out are as far apart as its last number says.
pub(crate) fn project<T: Number>(
    loaded: &Loaded<'_, T>,
    rows: Range<usize>,
    b: (&CudaSlice<T>, usize),
    to: (&mut CudaSlice<T>, usize),
) -> Result<()> {
    project_by(loaded, "project_sparse", rows, b, to)
}

/// The same in double precision.
pub(crate) fn project_exactly<T: Number>(
    loaded: &Loaded<'_, T>,
    rows: Range<usize>,
    b: (&CudaSlice<f64>, usize),
    to: (&mut CudaSlice<f64>, usize),
) -> Result<()> {
    project_by(loaded, "project_sparse_exactly", rows, b, to)
}

fn project_by<T: Number, N: DeviceRepr>(
    loaded: &Loaded<'_, T>,
    name: &'static str,
    rows: Range<usize>,
    (b, columns): (&CudaSlice<N>, usize),
    (out, ldo): (&mut CudaSlice<N>, usize),
) -> Result<()> {
    let (kernel, card) = (loaded.shared(name)?, &loaded.card);
    let (first, n, wide, ldo) = (rows.start as i64, rows.len() as i64, columns as i32, ldo as i32);
    launch!(card, kernel, kernel.for_rows(rows.len()), [&loaded.x, &first, &n, b, &wide, out, &ldo])
}

/// Samples in groups of whole parts, with so many entries each, unless a part has more.
fn groups<T: Number>(x: CsrView<'_, T>, part: usize, most: usize) -> Vec<Range<usize>> {
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for first in (0..x.rows()).step_by(part) {
        let rows = first..(first + part).min(x.rows());
        let entries = rows.clone().map(|i| x.row(i).count()).sum();
        match found.last_mut() {
            Some((group, all)) if *all + entries <= most => (group.end, *all) = (rows.end, *all + entries),
            _ => found.push((rows, entries)),
        }
    }
    found.into_iter().map(|(rows, _)| rows).collect()
}

/// The entries of these samples by sample, their features in order.
fn by_sample<T: Number>(x: CsrView<'_, T>, samples: Range<usize>) -> InMemory<T> {
    let sorted = |i: usize| {
        let mut row: Vec<(i32, T)> = x.row(i).map(|(j, value)| (j as i32, value)).collect();
        row.sort_unstable_by_key(|(j, _)| *j);
        row
    };
    let rows: Vec<Vec<(i32, T)>> = samples.into_par_iter().map(sorted).collect();
    let mut starts = vec![0];
    let entries = rows.iter().map(Vec::len).sum();
    let (mut places, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    for row in rows {
        for (j, value) in row {
            places.push(j);
            values.push(value);
        }
        starts.push(places.len() as i64);
    }
    (starts, places, values)
}

/// The entries by feature, those of one part of `part` samples after those of another; a sample is its place in its part.
fn by_feature<T: Number>(x: &InMemory<T>, (n, d): (usize, usize), part: usize) -> InMemory<T> {
    let (mut starts, mut samples, mut values) =
        (vec![0; n.div_ceil(part) * d + 1], vec![0; x.1.len()], vec![T::ZERO; x.1.len()]);
    let (mut samples_left, mut values_left) = (samples.as_mut_slice(), values.as_mut_slice());
    let mut parts = Vec::new();
    for (at, ends) in starts[1..].chunks_mut(d.max(1)).enumerate() {
        let rows = at * part..((at + 1) * part).min(n);
        let many = (x.0[rows.end] - x.0[rows.start]) as usize;
        let (samples, rest) = samples_left.split_at_mut(many);
        samples_left = rest;
        let (values, rest) = values_left.split_at_mut(many);
        values_left = rest;
        parts.push((rows, ends, samples, values));
    }
    parts.into_par_iter().for_each(|(rows, ends, samples, values)| turn(x, rows, ends, (samples, values)));
    (starts, samples, values)
}

/// The entries of some samples by feature; `ends` says where each feature ends among all.
fn turn<T: Number>(
    x: &InMemory<T>,
    rows: Range<usize>,
    ends: &mut [i64],
    (samples, values): (&mut [i32], &mut [T]),
) {
    let first = x.0[rows.start];
    let entries = |i: usize| x.0[i] as usize..x.0[i + 1] as usize;
    let mut next = vec![0; ends.len()];
    for i in rows.clone() {
        x.1[entries(i)].iter().for_each(|&j| next[j as usize] += 1);
    }
    let mut end = 0;
    for (next, to) in next.iter_mut().zip(ends) {
        (*next, end) = (end, end + *next);
        *to = first + end as i64;
    }
    for i in rows.clone() {
        for at in entries(i) {
            let next = &mut next[x.1[at] as usize];
            (samples[*next], values[*next]) = ((i - rows.start) as i32, x.2[at]);
            *next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use emmf::Csr;

    use super::{by_feature, by_sample, groups};

    /// Every entry is in the list of its sample and in that of its feature in its part, both in order.
    #[test]
    fn lists_hold_every_entry() {
        let columns = vec![2, 0, 1, 2, 0, 2];
        let x =
            Csr::new((5, 4), vec![0, 2, 2, 3, 4, 6], columns, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let rows = by_sample(x.view(), 0..5);
        assert_eq!(rows.0, [0, 2, 2, 3, 4, 6]);
        assert_eq!(
            (rows.1.as_slice(), rows.2.as_slice()),
            (&[0, 2, 1, 2, 0, 2][..], &[2.0, 1.0, 3.0, 4.0, 5.0, 6.0][..])
        );
        // Parts of samples 0 to 1, 2 to 3 and 4.
        let (starts, samples, values) = by_feature(&rows, (5, 4), 2);
        assert_eq!(starts, [0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 5, 6, 6]);
        assert_eq!((samples, values), (vec![0, 0, 0, 1, 0, 0], vec![2.0, 1.0, 3.0, 4.0, 5.0, 6.0]));
        let empty = by_feature(
            &by_sample(Csr::<f32>::new((3, 2), vec![0; 4], vec![], vec![]).unwrap().view(), 0..3),
            (3, 2),
            2,
        );
        assert_eq!(empty, (vec![0; 5], vec![], vec![]));
    }

    /// Groups are whole parts with few entries, and their lists are those of all.
    #[test]
    fn groups_are_whole_parts() {
        let columns = vec![2, 0, 1, 2, 0, 2];
        let x =
            Csr::new((5, 4), vec![0, 2, 2, 3, 4, 6], columns, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(groups(x.view(), 2, 4), [0..4, 4..5]);
        assert_eq!(groups(x.view(), 2, 1), [0..2, 2..4, 4..5]);
        assert!(groups(x.view(), 2, 9).iter().eq([&(0..5)]));
        let whole = by_feature(&by_sample(x.view(), 0..5), (5, 4), 2);
        let mut joined = (vec![0], Vec::new(), Vec::new());
        for rows in groups(x.view(), 2, 4) {
            let some = by_feature(&by_sample(x.view(), rows.clone()), (rows.len(), 4), 2);
            let before = joined.1.len() as i64;
            joined.0.extend(some.0[1..].iter().map(|end| end + before));
            joined.1.extend(some.1);
            joined.2.extend(some.2);
        }
        assert_eq!(joined, whole);
    }
}
