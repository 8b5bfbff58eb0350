//! Exact nearest neighbours by blocked products.
//!
//! A block of samples is one side of a product X·B whose other side goes by in strips. Half the squared distance is
//! (‖xᵢ‖² + ‖xⱼ‖²)/2 − xᵢ·xⱼ; with norms that are smaller by what rounding can do to the product it is a lower bound,
//! and every sample keeps the few others with the least. The distances to these are then computed by their
//! definition. Where the k-th of them does not stay below the last bound that was kept, someone left out
//! might be nearer: such samples (with many duplicates, for example) meet all others a second time.
//!
//! Every pair is multiplied once. Time O(n²d/2), memory O(nk) and a few blocks.

use std::cmp::Ordering;
use std::ops::Range;

use super::Neighbours;
use super::distance::{Sample, Spare};
use super::shortlist::{Candidate, before, offer};
use crate::cancel::Cancel;
use crate::data::{BLOCK, Data, PARTS, vectorized};
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::prelude::*;
use crate::threads::{each, each_in, made};

/// Samples of a block, and the maximum number of entries that it has.
const WIDTH: usize = 192;
const ENTRIES: usize = 1 << 22;
/// Candidates beyond those wanted.
const SPARE: usize = 6;
/// Products whose bounds are looked at together.
const LANES: usize = 16;

/// The `k` nearest other samples of every sample by Euclidean distance, ties to the smaller index; all others
/// where there are fewer. Dense and sparse X, and both floating-point types, give the same where the numbers are.
pub fn nearest<T: Real, X: Data<T>>(x: &X, k: usize, cancel: &Cancel) -> Result<Neighbours> {
    nearest_told(x, k, cancel, &mut |_| ())
}

/// The same; `told` hears which share of the pairs has met.
pub(crate) fn nearest_told<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    cancel: &Cancel,
    told: &mut dyn FnMut(f64),
) -> Result<Neighbours> {
    let n = x.shape().0;
    if n > u32::MAX as usize {
        return Err(Error::param("the number of samples", n, "below 2^32 for a graph"));
    }
    let k = k.min(n.saturating_sub(1));
    let search = Search::new(x, k, cancel);
    let lists = search.shortlists(told)?;
    let mut found = vec![(f64::INFINITY, u32::MAX); n * k];
    let unsure = search.settle(&lists, &mut found)?;
    drop(lists);
    search.meet_all(&unsure, &mut found)?;
    x.intact()?;
    Neighbours::of(found, k, x.norms_sq())
}

/// Finds the `k` nearest by comparison with all others, where a list of them is not full.
#[cfg(feature = "approximate")]
pub(super) fn complete<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    found: &mut [Candidate<f64>],
    cancel: &Cancel,
) -> Result<()> {
    let search = Search::new(x, k, cancel);
    let lists = found.chunks_exact(k.max(1)).enumerate();
    let open: Vec<usize> = lists.filter(|(_, list)| list[k - 1].1 == u32::MAX).map(|(i, _)| i).collect();
    search.meet_all(&open, found)
}

/// Candidates that each of `n` samples keeps to find its `k` nearest.
pub(super) fn kept(k: usize, n: usize) -> usize {
    if k == 0 { 0 } else { (k + SPARE.max(k / 4)).min(n.saturating_sub(1)) }
}

/// Samples of a block, where they have `d` features.
pub(super) fn width(d: usize) -> usize {
    (ENTRIES / d.max(1)).clamp(LANES, WIDTH)
}

struct Search<'a, T, X> {
    x: &'a X,
    k: usize,
    /// Candidates that each sample keeps.
    kept: usize,
    /// Half the squared norms, less what rounding can add to a product.
    half: Vec<T>,
    cancel: &'a Cancel,
}

/// Samples for which someone left out might be nearer than those found.
struct Unsure<'a, T> {
    samples: &'a [usize],
    loaded: Vec<Sample>,
    /// Half the squared distances that count as near.
    limits: Vec<f64>,
    /// The samples as columns.
    b: Mat<T>,
}

/// What a thread needs for its share of the samples.
struct Worker<T> {
    p: Vec<T>,
    spare: Vec<T>,
    /// Of the samples of the block.
    lists: Vec<Candidate<T>>,
    /// The last keys of these lists.
    worst: Vec<T>,
}

impl<'a, T: Real, X: Data<T>> Search<'a, T, X> {
    fn new(x: &'a X, k: usize, cancel: &'a Cancel) -> Self {
        let (n, d) = x.shape();
        // |fl(a·b) − a·b| ≤ d·u·|a||b| ≤ d·u·(|a|² + |b|²)/2, and some more roundings; u = NOISE/4.
        let rounding = 0.5 * T::NOISE.to_f64() * (d + 16) as f64;
        let half = x.norms_sq().iter().map(|norm| T::from_f64(0.5 * norm * (1.0 - rounding))).collect();
        Self { x, k, kept: kept(k, n), half, cancel }
    }

    /// Samples of a block.
    fn width(&self) -> usize {
        width(self.x.shape().1)
    }

    /// The samples as columns, d×samples.
    fn columns(&self, samples: impl ExactSizeIterator<Item = usize>) -> Mat<T> {
        let (d, width) = (self.x.shape().1, samples.len());
        let mut b = Mat::zeros(d, width);
        let mut row = vec![T::ZERO; if self.x.is_sparse() { 0 } else { d }];
        for (t, i) in samples.enumerate() {
            if self.x.is_sparse() {
                self.x.for_each_of_sample(i, |j, value| b[(j, t)] = value);
            } else {
                self.x.read(i..i + 1, 0..d, &mut row);
                b.as_mut_slice()[t..].iter_mut().step_by(width).zip(&row).for_each(|(b, &value)| *b = value);
            }
        }
        b
    }

    fn workers(&self, width: usize) -> Vec<Worker<T>> {
        let worker = || Worker {
            p: vec![T::ZERO; BLOCK * width],
            spare: Vec::new(),
            lists: vec![(infinity(), u32::MAX); width * self.kept],
            worst: vec![infinity(); width],
        };
        (0..PARTS).map(|_| worker()).collect()
    }

    /// For every sample the others with the least bounds.
    fn shortlists(&self, told: &mut dyn FnMut(f64)) -> Result<Vec<Candidate<T>>> {
        let (n, kept, width) = (self.x.shape().0, self.kept, self.width());
        let mut lists = vec![(infinity(), u32::MAX); n * kept];
        if kept == 0 {
            return Ok(lists);
        }
        let mut workers = self.workers(width);
        for start in (0..n).step_by(width) {
            if start > 0 {
                self.cancel.check_time()?;
            }
            told((start as f64 / n as f64).powi(2));
            let block = start..(start + width).min(n);
            let b = self.columns(block.clone());
            for worker in &mut workers {
                worker.lists.fill((infinity(), u32::MAX));
                worker.worst.fill(infinity());
            }
            // Samples after the block meet it when it is their turn.
            let rows = block.end.div_ceil(PARTS);
            let parts = lists[..block.end * kept].par_chunks_mut(rows * kept).zip(&mut workers).enumerate();
            each(parts, |(part, (lists, worker))| {
                let from = part * rows;
                for (at, lists) in (from..).step_by(BLOCK).zip(lists.chunks_mut(BLOCK * kept)) {
                    let strip = at..at + lists.len() / kept;
                    let Worker { p, spare, .. } = &mut *worker;
                    self.x.project_rows(strip.clone(), &b, &mut p[..strip.len() * block.len()], spare);
                    self.meet((strip, lists), &block, worker);
                }
            });
            for worker in &workers {
                let own = lists[block.start * kept..].chunks_exact_mut(kept);
                for (own, found) in own.zip(worker.lists.chunks_exact(kept)) {
                    found.iter().for_each(|candidate| offer(own, *candidate));
                }
            }
        }
        Ok(lists)
    }

    /// Offers the samples of a strip and of a block to each other, given their products.
    fn meet(
        &self,
        (strip, lists): (Range<usize>, &mut [Candidate<T>]),
        block: &Range<usize>,
        worker: &mut Worker<T>,
    ) {
        let (kept, width) = (self.kept, block.len());
        let Worker { p, lists: block_lists, worst, .. } = worker;
        let half = &self.half[block.clone()];
        let rows = strip.zip(lists.chunks_exact_mut(kept)).zip(p.chunks_exact(width));
        vectorized!({
            for ((i, list), p) in rows {
                let own = self.half[i];
                // A sample of the block meets the rest of it here, and the others need not return the visit.
                let inside = block.contains(&i);
                for start in (0..width).step_by(LANES) {
                    let lanes = start..(start + LANES).min(width);
                    let nearest = list[kept - 1].0;
                    if !any_near(
                        own,
                        nearest,
                        &p[lanes.clone()],
                        (&half[lanes.clone()], &worst[lanes.clone()]),
                    ) {
                        continue;
                    }
                    for t in lanes.filter(|t| block.start + t != i) {
                        let key = (own + half[t]) - p[t];
                        offer(list, (key, (block.start + t) as u32));
                        if !inside {
                            let list = &mut block_lists[t * kept..(t + 1) * kept];
                            offer(list, (key, i as u32));
                            worst[t] = list[kept - 1].0;
                        }
                    }
                }
            }
        });
    }

    /// The nearest of the shortlists by exact distance; returns the samples for which others might be nearer.
    fn settle(&self, lists: &[Candidate<T>], found: &mut [Candidate<f64>]) -> Result<Vec<usize>> {
        let (k, kept) = (self.k, self.kept);
        if k == 0 {
            return Ok(Vec::new());
        }
        let rows = found.par_chunks_mut(k).zip(lists.par_chunks(kept)).enumerate();
        let room = <(Sample, Sample, Spare<T>)>::default;
        let mut sure = vec![false; self.x.shape().0];
        each_in(rows.zip(&mut sure), room, |(own, other, spare), ((i, (found, list)), sure)| {
            if self.cancel.is_cancelled() {
                return;
            }
            own.load(self.x, i, spare);
            for candidate in list.iter().filter(|candidate| candidate.1 != u32::MAX) {
                other.load(self.x, candidate.1 as usize, spare);
                offer(found, (own.distance_sq(other), candidate.1));
            }
            let (last, bound) = (found[k - 1], list[kept - 1]);
            // With all others on the list nobody was left out; a missing one had no bound.
            let all = kept == self.x.shape().0 - 1;
            let within = !before(&(bound.0.to_f64(), bound.1), &(0.5 * last.0, last.1));
            *sure = bound.1 != u32::MAX && (all || within);
        });
        self.cancel.check()?;
        Ok(sure.iter().enumerate().filter(|(_, sure)| !**sure).map(|(i, _)| i).collect())
    }

    /// Compares these samples with all others that may be as near as those found.
    fn meet_all(&self, samples: &[usize], found: &mut [Candidate<f64>]) -> Result<()> {
        self.cancel.check()?;
        for (at, block) in samples.chunks(self.width()).enumerate() {
            if at > 0 {
                self.cancel.check_time()?;
            }
            self.meet_block(block, found);
        }
        Ok(())
    }

    /// The same of so few that they are compared at once.
    fn meet_block(&self, samples: &[usize], found: &mut [Candidate<f64>]) {
        let (n, k) = (self.x.shape().0, self.k);
        let mut spare = Spare::default();
        let mut loaded = vec![Sample::default(); samples.len()];
        loaded.iter_mut().zip(samples).for_each(|(sample, &i)| sample.load(self.x, i, &mut spare));
        let limits = samples.iter().map(|i| 0.5 * found[i * k + k - 1].0).collect();
        let unsure = Unsure { samples, loaded, limits, b: self.columns(samples.iter().copied()) };
        let strips: Vec<usize> = (0..n).step_by(BLOCK).collect();
        let parts: Vec<&[usize]> = strips.chunks(strips.len().div_ceil(PARTS)).collect();
        let lists = made(parts.len(), |part| self.nearest_in(parts[part], &unsure));
        for (t, &i) in samples.iter().enumerate() {
            let own = &mut found[i * k..(i + 1) * k];
            own.fill((f64::INFINITY, u32::MAX));
            lists.iter().for_each(|list| list[t * k..(t + 1) * k].iter().for_each(|near| offer(own, *near)));
        }
    }

    /// The samples of strips that are nearest to those which are unsure.
    fn nearest_in(&self, strips: &[usize], unsure: &Unsure<'_, T>) -> Vec<Candidate<f64>> {
        let Unsure { samples, loaded, limits, b } = unsure;
        let (n, k, width) = (self.x.shape().0, self.k, samples.len());
        let mut lists = vec![(f64::INFINITY, u32::MAX); width * k];
        let (mut p, mut spare) = (vec![T::ZERO; BLOCK * width], Vec::new());
        let (mut other, mut entries) = (Sample::default(), Spare::default());
        for &start in strips {
            let strip = start..(start + BLOCK).min(n);
            let p = &mut p[..strip.len() * width];
            self.x.project_rows(strip.clone(), b, p, &mut spare);
            for (j, p) in strip.zip(p.chunks_exact(width)) {
                let bound = |t: usize| ((self.half[samples[t]] + self.half[j]) - p[t]).to_f64();
                // What is no number is looked at.
                let far = |t: usize| bound(t).partial_cmp(&limits[t]) == Some(Ordering::Greater);
                let near = |t: &usize| samples[*t] != j && !far(*t);
                for (count, t) in (0..width).filter(near).enumerate() {
                    if count == 0 {
                        other.load(self.x, j, &mut entries);
                    }
                    offer(&mut lists[t * k..(t + 1) * k], (loaded[t].distance_sq(&other), j as u32));
                }
            }
        }
        lists
    }
}

/// Whether a key is small enough for the list of either side. Without branches: nearly always none is.
#[inline(always)]
fn any_near<T: Real>(own: T, nearest: T, p: &[T], (half, worst): (&[T], &[T])) -> bool {
    let mut near = false;
    for ((&p, &half), &worst) in p.iter().zip(half).zip(worst) {
        let key = (own + half) - p;
        near |= key <= nearest;
        near |= key <= worst;
    }
    near
}

fn infinity<T: Real>() -> T {
    T::from_f64(f64::INFINITY)
}
