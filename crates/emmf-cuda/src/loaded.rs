//! Samples on a card.
#![allow(unsafe_code, reason = "kernels are launched through the C interface of the driver")]

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ahead::Ahead;
use crate::blocks::{Blocks, Work, resident, stage};
use crate::card::{Card, Kernel, launch};
use crate::kept::{columns_of_row, kept, size_of_entry};
use crate::kernels::{Kept, Part, Program, Shape, Types};
use crate::number::Number;
use crate::room::{besides, check_solver};
use crate::side::Side;
use crate::sparse::{self, Entries};
use cudarc::driver::{CudaSlice, CudaView, DevicePtr};
use emmf::data::{Dense, Sparse};
use emmf::init::Start;
use emmf::method::SampleSide;
use emmf::method::side::Place;
use emmf::{Device, Error, Factors, Mat, Prepared, Result, Samples};

/// Samples that are worked on at a time: enough for launches not to count.
pub(crate) const AT_ONCE: usize = 1 << 17;
/// Bytes that are staged for the card at a time.
const STAGED: usize = 1 << 26;

/// X, its factors, lengths and weights, on a card.
pub(crate) struct Loaded<'x, T: Number> {
    pub(crate) card: Card,
    pub(crate) place: Place,
    pub(crate) d: usize,
    /// The distance of rows of X; columns from d on are zero.
    pub(crate) ldx: usize,
    /// The bytes of the entries, whole parts of rows; those beyond the samples are zero. Of sparse samples, where their entries are.
    pub(crate) x: CudaSlice<u8>,
    pub(crate) kept: Kept,
    pub(crate) sparse: Option<Entries<T>>,
    /// How samples come here, where not all stay.
    blocks: Option<Blocks<T>>,
    /// What each sample is multiplied by, here and there.
    pub(crate) factors: Vec<T>,
    pub(crate) factor: CudaSlice<T>,
    pub(crate) norms_sq: CudaSlice<f64>,
    pub(crate) s: CudaSlice<f64>,
    pub(crate) prepared: Prepared<'x, T>,
    _ahead: Ahead,
    /// Kernels that were asked for: to find one takes longer than to launch it.
    kernels: Mutex<HashMap<(Shape, Part, &'static str), Kernel>>,
}

impl<'x, T: Number> Loaded<'x, T> {
    /// Takes all samples to the card.
    pub(crate) fn new(card: &Card, prepared: Prepared<'x, T>) -> Result<Self> {
        check_solver::<T>(card, prepared.spec)?;
        let (n, d) = prepared.x.shape();
        let (place, kept) = (Place::whole(n), kept(card, &prepared)?);
        let width = |kept| d.next_multiple_of(columns_of_row(kept));
        let besides = besides((n, d), prepared.spec, size_of::<T>())?;
        let stay = |row_bytes| resident(card, &place, row_bytes, besides);
        let stays = match kept {
            Kept::Sparse => n,
            _ => stay(width(kept) * size_of_entry::<T>(kept))?,
        };
        // What comes again and again comes as it is.
        let kept = if stays < n { Kept::Reals } else { kept };
        let ldx = width(kept);
        let stays = if stays < n { stay(ldx * size_of::<T>())? } else { n };
        let (sparse, x) = if let Samples::Csr(x) = prepared.x {
            let (entries, addresses) = Entries::new(card, x, &place)?;
            (Some(entries), addresses)
        } else {
            let all = n.next_multiple_of(place.rows_per_part().max(1));
            let rows = if stays < n { stays } else { all };
            (None, card.zeros::<u8>(rows * ldx * size_of_entry::<T>(kept))?)
        };
        let blocks = if stays < n { Some(Blocks::new(card, &place, ldx, stays)?) } else { None };
        let factors = prepared.factors.map_or_else(|| vec![T::ONE; n], <[T]>::to_vec);
        let (factor, norms_sq, s) =
            (card.upload(&factors)?, card.upload(prepared.norms_sq)?, card.upload(prepared.weights)?);
        let card = card.clone();
        let ahead = Ahead::begin(&card, Program::of_fit(&Types::of::<T>(kept), prepared.spec)?);
        let kernels = Mutex::default();
        let mut loaded = Self {
            card,
            place,
            d,
            ldx,
            x,
            kept,
            sparse,
            blocks,
            factors,
            factor,
            norms_sq,
            s,
            prepared,
            _ahead: ahead,
            kernels,
        };
        if kept != Kept::Sparse {
            loaded.fill(stays)?;
        }
        Ok(loaded)
    }

    /// Brings the first n samples to the card, some at a time.
    fn fill(&mut self, n: usize) -> Result<()> {
        let card = self.card.clone();
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
                let mut x = unsafe { self.x.transmute_mut::<T>(len) }.ok_or_else(too_short)?;
                card.put(staged, &mut x.slice_mut(from..from + staged.len()))?;
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

    /// X as numbers of its type, in which it is kept.
    pub(crate) fn reals(&self) -> Result<CudaView<'_, T>> {
        let len = self.x.len() / size_of::<T>();
        // SAFETY: the buffer was filled with numbers of this type, and allocations of the driver are aligned for it.
        let x = if self.kept == Kept::Reals { unsafe { self.x.transmute(len) } } else { None };
        x.ok_or_else(too_short)
    }

    /// These rows of X as numbers of its type, where it is kept otherwise.
    pub(crate) fn as_reals(&self, rows: Range<usize>) -> Result<CudaSlice<T>> {
        let (kernel, card) = (self.shared("as_reals")?, &self.card);
        let mut out = card.zeros::<T>(rows.len() * self.ldx)?;
        let (ldx, first, n) = (self.ldx as i64, rows.start as i64, rows.len() as i64);
        launch!(card, kernel, kernel.for_each(rows.len() * self.ldx), [&self.x, &ldx, &first, &n, &mut out])?;
        Ok(out)
    }

    /// These dense rows in double precision, without their factors: from row `first` of what is there.
    fn widened<B>(&self, x: &impl DevicePtr<B>, first: usize, rows: usize) -> Result<CudaSlice<f64>> {
        let (kernel, card) = (self.shared("widen")?, &self.card);
        let mut out = card.zeros::<f64>(rows * self.ldx)?;
        let (ldx, first, n) = (self.ldx as i64, first as i64, rows as i64);
        let (x, _used) = x.device_ptr(card.stream());
        launch!(card, kernel, kernel.for_each(rows * self.ldx), [&x, &ldx, &first, &n, &mut out])?;
        Ok(out)
    }

    /// X·U of these samples in double precision, without their factors.
    pub(crate) fn projected_exactly(&self, u: &Mat<T>, rows: Range<usize>) -> Result<Vec<f64>> {
        let (card, c, ldx) = (&self.card, u.cols(), self.ldx);
        let (u, mut p) = (card.upload(u.cast::<f64>().as_slice())?, card.zeros::<f64>(rows.len() * c)?);
        if self.sparse.is_some() {
            sparse::project_exactly(self, rows, (&u, c), (&mut p, c))?;
        } else if self.blocks.is_some() {
            let first = rows.start;
            self.each_block(rows, &mut |rows, x| {
                let (x, many) = (self.widened(x, 0, rows.len())?, rows.len());
                let mut p = p.slice_mut((rows.start - first) * c..(rows.end - first) * c);
                card.product((&mut p, c), (&x, ldx), (&u, c), (many, self.d, c))
            })?;
        } else {
            let x = self.widened(&self.x, rows.start, rows.len())?;
            card.product((&mut p, c), (&x, ldx), (&u, c), (rows.len(), self.d, c))?;
        }
        card.download(&p)
    }

    /// Does something with these dense samples as numbers of their type, some at a time.
    pub(crate) fn each_block(&self, rows: Range<usize>, work: &mut Work<'_, T>) -> Result<()> {
        let all = if self.kept == Kept::Reals { Some(self.reals()?) } else { None };
        if let (Some(blocks), Some(all)) = (&self.blocks, &all) {
            return blocks.each((&self.card, &self.place, self.ldx), (&self.prepared.x, all), rows, work);
        }
        for first in rows.clone().step_by(AT_ONCE) {
            let rows = first..(first + AT_ONCE).min(rows.end);
            match &all {
                Some(all) => work(rows.clone(), &all.slice(rows.start * self.ldx..rows.end * self.ldx))?,
                None => work(rows.clone(), &self.as_reals(rows)?.as_view())?,
            }
        }
        Ok(())
    }

    /// Whether not all samples stay on the card.
    pub(crate) fn is_in_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Rows that [`each_block`](Self::each_block) gives at a time, at most.
    pub(crate) fn at_once(&self) -> usize {
        self.blocks.as_ref().map_or(AT_ONCE, |blocks| blocks.rows).min(self.n().max(1))
    }

    /// Some samples, times their factors. They are read in this memory: on the card they may be rounded, by which k-means would end
    /// elsewhere.
    pub(crate) fn gathered(&self, samples: &[usize]) -> Result<Mat<T>> {
        let mut found = Mat::zeros(samples.len(), self.d);
        for (at, &i) in samples.iter().enumerate() {
            let row = found.row_mut(at);
            self.prepared.x.read(i..i + 1, row)?;
            let factor = self.prepared.factors.map_or(T::ONE, |factors| factors[i]);
            row.iter_mut().for_each(|value| *value *= factor);
        }
        Ok(found)
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

fn too_short() -> Error {
    Error::param("the samples", "shorter than their rows", "whole on the card")
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
