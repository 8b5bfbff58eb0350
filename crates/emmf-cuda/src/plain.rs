//! Passes over X by cuBLAS, or entry by entry where it is sparse: in double precision, for many centroids, and on cards without tensor cores for halves.
#![allow(unsafe_code, reason = "kernels are launched through the C interface of the driver")]

use std::ops::Range;

use cudarc::driver::CudaSlice;
use emmf::Result;

use crate::card::{Kernel, THREADS, launch};
use crate::kernels::{MOST_IN_REGISTERS, Part, Shape};
use crate::loaded::Loaded;
use crate::number::Number;
use crate::sparse;

/// Samples of a piece of VᵀQV at least and at most, and blocks that its pieces should make together.
const LEAST_PIECE: usize = 256;
const MOST_PIECE: usize = 8192;
const GRAM_BLOCKS: usize = 528;

/// Room for products by cuBLAS.
pub(crate) struct Plain<T: Number> {
    pub(crate) u: CudaSlice<T>,
    pub(crate) p: CudaSlice<T>,
    pub(crate) vg: CudaSlice<T>,
    /// Rows of `p` and `vg`.
    pub(crate) block: usize,
    /// diag(q)·V, whole parts of rows, and the products of parts.
    weighted: CudaSlice<T>,
    pub(crate) pieces: CudaSlice<T>,
    /// Samples of a piece of VᵀQV, and these.
    pub(crate) gram_piece: usize,
    pub(crate) grams: CudaSlice<T>,
}

impl<T: Number> Plain<T> {
    pub(crate) fn new(loaded: &Loaded<'_, T>, shape: Shape) -> Result<Self> {
        let (card, parts, rows) = (&loaded.card, loaded.parts(), loaded.place.rows_per_part());
        let block = loaded.at_once();
        let gram_piece = if shape.ld <= MOST_IN_REGISTERS {
            (loaded.n() / GRAM_BLOCKS).clamp(LEAST_PIECE, MOST_PIECE)
        } else {
            rows.max(1)
        };
        Ok(Self {
            u: card.zeros(loaded.d * shape.c)?,
            p: card.zeros(block * shape.ld)?,
            vg: card.zeros(block * shape.ld)?,
            block,
            weighted: card.zeros(parts * rows * shape.ld)?,
            pieces: card.zeros(parts * loaded.ldx * shape.ld)?,
            gram_piece,
            grams: card.zeros(parts * rows.div_ceil(gram_piece) * shape.ld * shape.ld)?,
        })
    }
}

/// What is done with P of some rows; the other room is for as many.
type Then<'a, T> = dyn FnMut(Range<usize>, &CudaSlice<T>, &mut CudaSlice<T>) -> Result<()> + 'a;

impl<T: Number> Plain<T> {
    /// P = X·U of all samples, some at a time.
    pub(crate) fn project(
        &mut self,
        loaded: &Loaded<'_, T>,
        shape: Shape,
        then: &mut Then<'_, T>,
    ) -> Result<()> {
        let Self { u, p, vg, block, .. } = self;
        let (card, d, ldx, Shape { c, ld }) = (&loaded.card, loaded.d, loaded.ldx, shape);
        let n = loaded.n();
        if loaded.sparse.is_some() {
            for first in (0..n).step_by(*block) {
                let rows = first..(first + *block).min(n);
                sparse::project(loaded, rows.clone(), (u, c), (&mut *p, ld))?;
                then(rows, p, vg)?;
            }
            return Ok(());
        }
        loaded.each_block(0..n, &mut |rows, x| {
            card.product((&mut *p, ld), (x, ldx), (&*u, c), (rows.len(), d, c))?;
            then(rows, p, vg)
        })
    }

    /// The products of all parts.
    pub(crate) fn pull(
        &mut self,
        loaded: &Loaded<'_, T>,
        shape: Shape,
        v: &CudaSlice<T>,
        (q, w, kernel): (&CudaSlice<T>, &CudaSlice<T>, &Kernel),
    ) -> Result<()> {
        let (card, n, ld) = (&loaded.card, loaded.n() as i64, shape.ld);
        let (parts, rows) = (loaded.parts(), loaded.place.rows_per_part());
        let grid = kernel.for_each(loaded.n() * ld);
        if ld <= MOST_IN_REGISTERS {
            let gram = loaded.kernel(shape, Part::Plain, "gram_pieces", 0)?;
            let (per_part, piece) = (rows as i64, self.gram_piece as i64);
            let blocks = (parts * rows.div_ceil(self.gram_piece), 1);
            launch!(card, gram, gram.grid(blocks, THREADS), [v, q, &n, &per_part, &piece, &mut self.grams])?;
        } else {
            launch!(card, kernel, grid, [v, q, &mut self.weighted, &n])?;
            card.turned_products(
                (&mut self.grams, false),
                (v, ld),
                (&self.weighted, ld),
                (ld, rows, ld),
                parts,
            )?;
        }
        launch!(card, kernel, grid, [v, w, &mut self.weighted, &n])?;
        if let Some(entries) = &loaded.sparse {
            return entries.pull(loaded, (&self.weighted, ld), &mut self.pieces);
        }
        if loaded.is_in_blocks() {
            return loaded.pull_parts((&self.weighted, ld), &mut self.pieces);
        }
        let (x, pieces, weighted) = (loaded.reals()?, (&mut self.pieces, false), (&self.weighted, ld));
        card.turned_products(pieces, (&x, loaded.ldx), weighted, (loaded.ldx, rows, ld), parts)
    }
}
