//! Samples on a card.
#![allow(unsafe_code, reason = "kernels are launched through the C interface of the driver")]

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaSlice, CudaView};
use emmf::data::{Dense, Sparse};
use emmf::init::Start;
use emmf::method::SampleSide;
use emmf::method::side::Place;
use emmf::{Device, Factors, Mat, Prepared, Result, Samples};
use rayon::prelude::*;

use crate::card::{Card, Kernel, launch};
use crate::kernels::{Kept, Part, Program, Shape, TENSOR_ARCH, Types};
use crate::library::failed;
use crate::number::Number;
use crate::side::Side;

/// Bytes that are staged for the card at a time.
const STAGED: usize = 1 << 26;

/// X, its factors, lengths and weights, on a card.
pub(crate) struct Loaded<'x, T: Number> {
    pub(crate) card: Card,
    pub(crate) place: Place,
    pub(crate) d: usize,
    /// The distance of rows of X; columns from d on are zero.
    pub(crate) ldx: usize,
    /// The bytes of the entries, whole parts of rows; those beyond the samples are zero.
    pub(crate) x: CudaSlice<u8>,
    pub(crate) kept: Kept,
    /// What each sample is multiplied by, here and there.
    pub(crate) factors: Vec<T>,
    pub(crate) factor: CudaSlice<T>,
    pub(crate) norms_sq: CudaSlice<f64>,
    pub(crate) s: CudaSlice<f64>,
    pub(crate) prepared: Prepared<'x, T>,
    /// Kernels that were asked for: to find one takes longer than to launch it.
    kernels: Mutex<HashMap<(Shape, Part, &'static str), Kernel>>,
}

impl<'x, T: Number> Loaded<'x, T> {
    /// Takes all samples to the card.
    pub(crate) fn new(card: &Card, prepared: Prepared<'x, T>) -> Result<Self> {
        let (n, d) = prepared.x.shape();
        if matches!(prepared.x, Samples::Csr(_)) {
            return Err(failed(
                card.name(),
                "the data are sparse; use the device cpu, or store them as dense",
            ));
        }
        let (place, kept) = (Place::whole(n), kept::<T>(card, &prepared.x)?);
        let ldx = d.next_multiple_of(if kept == Kept::Reals { 4 } else { 32 });
        let rows = n.next_multiple_of(place.rows_per_part().max(1));
        let x = card.zeros::<u8>(rows * ldx * size_of_entry::<T>(kept))?;
        let factors = prepared.factors.map_or_else(|| vec![T::ONE; n], <[T]>::to_vec);
        let (factor, norms_sq, s) =
            (card.upload(&factors)?, card.upload(prepared.norms_sq)?, card.upload(prepared.weights)?);
        let card = card.clone();
        let kernels = Mutex::default();
        let mut loaded =
            Self { card, place, d, ldx, x, kept, factors, factor, norms_sq, s, prepared, kernels };
        loaded.fill()?;
        Ok(loaded)
    }

    /// Brings X to the card, some samples at a time.
    fn fill(&mut self) -> Result<()> {
        let (n, card) = (self.n(), self.card.clone());
        // Rows of halves are made there, of rows that follow each other.
        let width = if self.kept == Kept::Reals { self.ldx } else { self.d };
        let each = (STAGED / (width * size_of::<T>()).max(1)).clamp(1, n.max(1));
        let mut staged = vec![T::ZERO; each * width];
        let mut there = if self.kept == Kept::Reals { None } else { Some(card.zeros::<T>(each * width)?) };
        for first in (0..n).step_by(each) {
            let rows = first..(first + each).min(n);
            let staged = &mut staged[..rows.len() * width];
            stage(&self.prepared.x, rows.clone(), staged)?;
            if let Some(there) = &mut there {
                card.put(staged, &mut there.as_view_mut())?;
                self.halve(rows, there)?;
            } else {
                let from = first * width;
                let len = self.x.len() / size_of::<T>();
                // SAFETY: the buffer has room for numbers of this type, and allocations of the driver are aligned for it.
                if let Some(mut x) = unsafe { self.x.transmute_mut::<T>(len) } {
                    card.put(staged, &mut x.slice_mut(from..from + staged.len()))?;
                }
            }
        }
        if self.kept != Kept::Reals && n > 0 {
            self.factors = card.download(&self.factor.slice(..n))?;
        }
        Ok(())
    }

    /// Rows that are on the card as numbers become halves; their factors take back what these are raised by.
    fn halve(&mut self, rows: Range<usize>, from: &CudaSlice<T>) -> Result<()> {
        let (kernel, card) = (self.shared("into_halves")?, &self.card);
        let (first, n, d, ldx) = (rows.start as i64, rows.len() as i64, self.d as i32, self.ldx as i64);
        let grid = kernel.for_rows(rows.len());
        launch!(card, kernel, grid, [from, &first, &n, &d, &mut self.x, &ldx, &mut self.factor])
    }

    pub(crate) fn n(&self) -> usize {
        self.place.count
    }

    /// Parts that samples fill.
    pub(crate) fn parts(&self) -> usize {
        self.n().div_ceil(self.place.rows_per_part().max(1))
    }

    /// A kernel for V of this shape, whose blocks get so many bytes of shared memory, always as many.
    pub(crate) fn kernel(&self, shape: Shape, part: Part, name: &'static str, room: usize) -> Result<Kernel> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&(shape, part, name)) {
            return Ok(kernel.clone());
        }
        let program = Program { types: Types::of::<T>(self.kept), shape, part };
        let kernel = self.card.kernel(&program, name, room)?;
        kernels.insert((shape, part, name), kernel.clone());
        Ok(kernel)
    }

    /// A kernel that does not depend on V.
    pub(crate) fn shared(&self, name: &'static str) -> Result<Kernel> {
        self.kernel(Shape::new(1), Part::Shared, name, 0)
    }

    /// X as numbers of its type, where it is kept so.
    pub(crate) fn reals(&self) -> Option<CudaView<'_, T>> {
        let len = self.x.len() / size_of::<T>();
        // SAFETY: the buffer was filled with numbers of this type, and allocations of the driver are aligned for it.
        if self.kept == Kept::Reals { unsafe { self.x.transmute(len) } } else { None }
    }

    /// These rows of X as numbers of its type, where it is kept otherwise.
    pub(crate) fn as_reals(&self, rows: Range<usize>) -> Result<Option<CudaSlice<T>>> {
        if self.kept == Kept::Reals {
            return Ok(None);
        }
        let (kernel, card) = (self.shared("as_reals")?, &self.card);
        let mut out = card.zeros::<T>(rows.len() * self.ldx)?;
        let (ldx, first, n) = (self.ldx as i64, rows.start as i64, rows.len() as i64);
        launch!(card, kernel, kernel.for_each(rows.len() * self.ldx), [&self.x, &ldx, &first, &n, &mut out])?;
        Ok(Some(out))
    }

    /// These rows of X in double precision, without their factors.
    pub(crate) fn widened(&self, rows: Range<usize>) -> Result<CudaSlice<f64>> {
        let (kernel, card) = (self.shared("widen")?, &self.card);
        let mut out = card.zeros::<f64>(rows.len() * self.ldx)?;
        let (ldx, first, n) = (self.ldx as i64, rows.start as i64, rows.len() as i64);
        launch!(card, kernel, kernel.for_each(rows.len() * self.ldx), [&self.x, &ldx, &first, &n, &mut out])?;
        Ok(out)
    }

    /// Some samples, times their factors.
    pub(crate) fn gathered(&self, samples: &[usize]) -> Result<Mat<T>> {
        if samples.is_empty() {
            return Ok(Mat::zeros(0, self.d));
        }
        let (kernel, card) = (self.shared("gather")?, &self.card);
        let rows = card.upload(&samples.iter().map(|&i| i as i64).collect::<Vec<_>>())?;
        let mut out = card.zeros::<T>(samples.len() * self.d)?;
        let (ldx, many, d) = (self.ldx as i64, samples.len() as i64, self.d as i32);
        let grid = kernel.for_each(samples.len() * self.d);
        launch!(card, kernel, grid, [&self.x, &ldx, &self.factor, &rows, &many, &d, &mut out])?;
        Mat::from_vec(card.download(&out)?, samples.len(), self.d)
    }

    /// The start that needs all samples in this memory.
    pub(crate) fn factors_here(&self, start: &mut Start<'_, T>) -> Result<Factors<T>> {
        let scale = self.prepared.factors.map(<[T]>::to_vec);
        match self.prepared.x {
            Samples::Dense(x) => start.factors(&Dense::new(x, scale)),
            Samples::Csr(x) => start.factors(&Sparse::new(x, scale)),
            Samples::Stream(x) => start.factors(&Dense::streamed(x, scale)),
        }
    }
}

/// How this card keeps such samples.
fn kept<T: Number>(card: &Card, x: &Samples<'_, T>) -> Result<Kept> {
    if !T::SINGLE || card.arch() < TENSOR_ARCH {
        return Ok(Kept::Reals);
    }
    Ok(if are_halves(x)? { Kept::Exact } else { Kept::Halves })
}

fn size_of_entry<T>(kept: Kept) -> usize {
    match kept {
        Kept::Reals => size_of::<T>(),
        Kept::Halves => 4,
        Kept::Exact => 2,
    }
}

/// Whether all entries are whole numbers up to 2048, which eleven digits hold.
fn are_halves<T: Number>(x: &Samples<'_, T>) -> Result<bool> {
    let (n, d) = x.shape();
    let is_exact = |value: &T| {
        let value = value.to_f64();
        value <= 2048.0 && value.fract() == 0.0
    };
    let window = (STAGED / 16 / (d * size_of::<T>()).max(1)).max(1);
    let looked = (0..n.div_ceil(window)).into_par_iter().map(|at| {
        let rows = at * window..((at + 1) * window).min(n);
        let mut buffer = vec![T::ZERO; rows.len() * d];
        x.read(rows, &mut buffer)?;
        Ok(buffer.iter().all(is_exact))
    });
    let other: Result<Option<bool>> =
        looked.filter(|found| !matches!(found, Ok(true))).find_any(|_| true).transpose();
    Ok(other?.is_none())
}

/// Puts rows into `staged`, which has the same room for each.
fn stage<T: Number>(x: &Samples<'_, T>, rows: Range<usize>, staged: &mut [T]) -> Result<()> {
    let (d, each) = (x.shape().1, staged.len() / rows.len().max(1));
    let lines = staged.par_chunks_mut(each.max(1)).enumerate();
    lines.try_for_each(|(at, out)| x.read(rows.start + at..rows.start + at + 1, &mut out[..d]))
}

impl Device for Card {
    fn name(&self) -> String {
        self.name().to_owned()
    }

    fn take_f32<'x>(&'x self, samples: Prepared<'x, f32>) -> Result<Box<dyn SampleSide<f32> + 'x>> {
        Ok(Box::new(Side::new(Arc::new(Loaded::new(self, samples)?))))
    }

    fn take_f64<'x>(&'x self, samples: Prepared<'x, f64>) -> Result<Box<dyn SampleSide<f64> + 'x>> {
        Ok(Box::new(Side::new(Arc::new(Loaded::new(self, samples)?))))
    }
}
