//! Passes over X on tensor cores.
#![allow(unsafe_code, reason = "kernels are launched through the C interface of the driver")]

use cudarc::driver::CudaSlice;
use emmf::{Mat, Result};

use crate::card::{Kernel, launch};
use crate::kernels::{Kept, MOST_IN_REGISTERS, Part, Pass, Shape};
use crate::loaded::Loaded;
use crate::number::Number;

/// Rows of a block, and what it works on at a time: see `kernels/tensor.cu`.
const ROWS: usize = 128;
const STEP: usize = 32;
const STAGES: usize = 3;
/// Threads of a block.
const THREADS: usize = 256;
/// Samples of a piece at least and at most, and blocks that the pieces of XᵀQV and those of VᵀQV should make together.
const LEAST_PIECE: usize = 256;
const MOST_PIECE: usize = 8192;
const BLOCKS: usize = 1056;
const GRAM_BLOCKS: usize = 528;
/// Blocks that look for the largest entries of columns.
const LOOKING: usize = 528;

/// What passes on tensor cores need besides X and V.
pub(crate) struct Tensor<T: Number> {
    shape: Shape,
    u: CudaSlice<T>,
    packed: CudaSlice<u32>,
    up: CudaSlice<T>,
    g: CudaSlice<T>,
    packed_g: CudaSlice<u32>,
    most: CudaSlice<u32>,
    /// diag(w)·V.
    packed_v: CudaSlice<u32>,
    /// Samples of a piece of XᵀQV and of VᵀQV, and these.
    piece: usize,
    pieces: CudaSlice<T>,
    gram_piece: usize,
    grams: CudaSlice<T>,
}

/// Where V and all that is measured of it are.
pub(crate) struct Moved<'a, T> {
    pub(crate) v: &'a mut CudaSlice<T>,
    pub(crate) r: &'a mut CudaSlice<f64>,
    /// The exponent of the multiplicative step.
    pub(crate) exponent: f64,
    pub(crate) smoothing: f64,
}

impl<T: Number> Tensor<T> {
    /// Whether this card can, for V of this shape.
    pub(crate) fn serves(loaded: &Loaded<'_, T>, shape: Shape) -> bool {
        matches!(loaded.kept, Kept::Halves | Kept::Exact) && shape.ld <= MOST_IN_REGISTERS && loaded.n() > 0
    }

    pub(crate) fn new(loaded: &Loaded<'_, T>, shape: Shape) -> Result<Self> {
        let (card, tiles, part) = (&loaded.card, shape.ld / 8, loaded.place.rows_per_part());
        let cut = |samples: usize| samples.next_multiple_of(STEP).clamp(LEAST_PIECE, MOST_PIECE);
        let piece = cut(loaded.n() * loaded.d.div_ceil(ROWS) / BLOCKS);
        let gram_piece = cut(loaded.n() / GRAM_BLOCKS);
        let pieces = |piece: usize| loaded.parts() * part.div_ceil(piece);
        Ok(Self {
            shape,
            u: card.zeros(loaded.d * shape.c)?,
            packed: card.zeros(loaded.ldx.div_ceil(STEP) * (STEP / 16) * tiles * 32 * 4)?,
            up: card.zeros(shape.ld)?,
            g: card.zeros(shape.c * shape.c)?,
            packed_g: card.zeros(tiles * tiles * 32 * 4)?,
            most: card.zeros(shape.ld)?,
            packed_v: card.zeros(loaded.parts() * part.div_ceil(STEP) * (STEP / 16) * tiles * 32 * 4)?,
            piece,
            pieces: card.zeros(pieces(piece) * loaded.ldx * shape.ld)?,
            gram_piece,
            grams: card.zeros(pieces(gram_piece) * shape.ld * shape.ld)?,
        })
    }

    /// Bytes of shared memory of a block, for the steps that are on their way.
    fn room(&self, loaded: &Loaded<'_, T>) -> usize {
        let planes = if loaded.kept == Kept::Exact { 1 } else { 2 };
        STAGES * (ROWS * STEP * 2 * planes + STEP / 16 * (self.shape.ld / 8) * 32 * 16)
    }

    fn kernel(&self, loaded: &Loaded<'_, T>, part: Part, name: &'static str, room: usize) -> Result<Kernel> {
        loaded.kernel(self.shape, part, name, room)
    }

    /// U in the order in which threads need it.
    fn pack(&mut self, loaded: &Loaded<'_, T>, pass: Part, u: &Mat<T>) -> Result<()> {
        let card = &loaded.card;
        card.put(u.as_slice(), &mut self.u.as_view_mut())?;
        let d = loaded.d as i32;
        let raise = self.kernel(loaded, pass, "raise_columns", 0)?;
        launch!(card, raise, raise.grid((self.shape.ld, 1), 32), [&self.u, &d, &mut self.up])?;
        let pack = self.kernel(loaded, pass, "pack", 0)?;
        let many = (self.packed.len() / 4) as i64;
        launch!(
            card,
            pack,
            pack.for_each(self.packed.len() / 4),
            [&self.u, &d, &self.up, &mut self.packed, &many]
        )
    }

    /// P = X·U.
    pub(crate) fn project(&mut self, loaded: &Loaded<'_, T>, u: &Mat<T>, p: &mut CudaSlice<T>) -> Result<()> {
        let (card, part) = (&loaded.card, Part::Sweep(Pass::Project));
        self.pack(loaded, part, u)?;
        let kernel = self.kernel(loaded, part, "project_tiles", self.room(loaded))?;
        let (ldx, n) = (loaded.ldx as i64, loaded.n() as i64);
        let grid = kernel.grid((loaded.n().div_ceil(ROWS), 1), THREADS);
        launch!(card, kernel, grid, [&loaded.x, &ldx, &n, &self.packed, &self.up, p])
    }

    /// P = X·U, the V step and the residuals.
    pub(crate) fn sweep(
        &mut self,
        loaded: &Loaded<'_, T>,
        u: &Mat<T>,
        g: &Mat<T>,
        moved: Moved<'_, T>,
    ) -> Result<()> {
        let (card, exponent) = (&loaded.card, moved.exponent);
        let part = Part::Sweep(Pass::of(exponent));
        self.pack(loaded, part, u)?;
        card.put(g.as_slice(), &mut self.g.as_view_mut())?;
        let pack = self.kernel(loaded, part, "pack_gram", 0)?;
        launch!(card, pack, pack.for_each(self.packed_g.len() / 4), [&self.g, &mut self.packed_g])?;
        // Afterwards it is room for V.
        let room = self.room(loaded).max(ROWS * (self.shape.ld + 4) * 4);
        let kernel = self.kernel(loaded, part, "sweep_tiles", room)?;
        let (ldx, n) = (loaded.ldx as i64, loaded.n() as i64);
        let exponent = exponent as f32;
        let grid = kernel.grid((loaded.n().div_ceil(ROWS), 1), THREADS);
        let Moved { v, r, smoothing, .. } = moved;
        launch!(
            card,
            kernel,
            grid,
            [
                &loaded.x,
                &ldx,
                &n,
                &self.packed,
                &self.up,
                &self.packed_g,
                &loaded.factor,
                &loaded.norms_sq,
                v,
                r,
                &exponent,
                &smoothing
            ]
        )
    }

    /// The pieces of XᵀQV and VᵀQV; `w` is q times the factors.
    pub(crate) fn pull(
        &mut self,
        loaded: &Loaded<'_, T>,
        v: &CudaSlice<T>,
        (q, w): (&CudaSlice<T>, &CudaSlice<T>),
    ) -> Result<()> {
        let (card, part) = (&loaded.card, Part::Pull);
        let rows = loaded.place.rows_per_part();
        let (n, ldx, per_part, piece) =
            (loaded.n() as i64, loaded.ldx as i64, rows as i64, self.piece as i64);
        card.stream().memset_zeros(&mut self.most).map_err(|error| card.failed(error))?;
        let largest = self.kernel(loaded, part, "largest_of_columns", 0)?;
        launch!(card, largest, largest.grid((LOOKING, 1), THREADS), [v, w, &n, &mut self.most])?;
        let pack = self.kernel(loaded, part, "pack_weighted", 0)?;
        let (many, grid) = ((self.packed_v.len() / 4) as i64, pack.for_each(self.packed_v.len() / 4));
        launch!(card, pack, grid, [v, w, &self.most, &n, &per_part, &mut self.packed_v, &many])?;
        let kernel = self.kernel(loaded, part, "pull_tiles", self.room(loaded))?;
        let blocks = (loaded.d.div_ceil(ROWS), loaded.parts() * rows.div_ceil(self.piece));
        launch!(
            card,
            kernel,
            kernel.grid(blocks, THREADS),
            [&loaded.x, &ldx, &self.packed_v, &self.most, &n, &per_part, &piece, &mut self.pieces]
        )?;
        let gram = self.kernel(loaded, Part::Plain, "gram_pieces", 0)?;
        let (blocks, piece) = (loaded.parts() * rows.div_ceil(self.gram_piece), self.gram_piece as i64);
        launch!(card, gram, gram.grid((blocks, 1), THREADS), [v, q, &n, &per_part, &piece, &mut self.grams])
    }

    /// The pieces of XᵀQV and of VᵀQV, and how many each part has.
    pub(crate) fn pieces(&self, loaded: &Loaded<'_, T>) -> [(&CudaSlice<T>, usize); 2] {
        let rows = loaded.place.rows_per_part();
        [(&self.pieces, rows.div_ceil(self.piece)), (&self.grams, rows.div_ceil(self.gram_piece))]
    }
}
