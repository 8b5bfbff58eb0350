//! What iterations change, on a card, and the orders that change it.
#![allow(unsafe_code, reason = "kernels are launched through the C interface of the driver")]

use std::ops::Range;

use cudarc::driver::{CudaSlice, DevicePtr};
use emmf::loss::Stats;
use emmf::method::Update;
use emmf::method::side::{Pull, Sweep};
use emmf::{Error, Mat, Result};

use crate::card::{Kernel, THREADS, launch};
use crate::kernels::{CHUNK, Part, Shape};
use crate::loaded::Loaded;
use crate::number::Number;
use crate::plain::Plain;
use crate::room::{LEAST_ROWS, check_descent};
use crate::tensor::{Moved, Tensor};

/// Bytes of shared memory in which rows are moved by coordinate descent.
const DESCENDING: usize = 96 << 10;
/// Rows that a block measures by the definition.
const MEASURED: usize = 64;

/// V, residuals and weights on a card.
pub(crate) struct State<T: Number> {
    pub(crate) shape: Shape,
    pub(crate) v: CudaSlice<T>,
    pub(crate) ahead: Option<CudaSlice<T>>,
    pub(crate) before: Option<CudaSlice<T>>,
    pub(crate) r: CudaSlice<f64>,
    pub(crate) weights: CudaSlice<f64>,
    pub(crate) q: CudaSlice<T>,
    /// q times the factors of samples.
    w: CudaSlice<T>,
    /// Sums of chunks.
    pub(crate) sums: CudaSlice<f64>,
    how: How<T>,
}

/// How passes over X are made.
enum How<T: Number> {
    /// On tensor cores; P and V·G where a step does not go there.
    Tensor(Box<Tensor<T>>, Option<[CudaSlice<T>; 2]>),
    /// By cuBLAS.
    Plain(Box<Plain<T>>),
}

impl<T: Number> State<T> {
    /// With this V, whose rows are as far apart as on the card.
    pub(crate) fn new(loaded: &Loaded<'_, T>, shape: Shape, v: CudaSlice<T>) -> Result<Self> {
        let (card, n) = (&loaded.card, loaded.n());
        let how = if Tensor::serves(loaded, shape) {
            How::Tensor(Box::new(Tensor::new(loaded, shape)?), None)
        } else {
            How::Plain(Box::new(Plain::new(loaded, shape)?))
        };
        Ok(Self {
            shape,
            v,
            ahead: None,
            before: None,
            r: card.zeros(n)?,
            weights: card.zeros(n)?,
            q: card.upload(&vec![T::ONE; n.max(1)])?,
            w: card.zeros(n)?,
            sums: card.zeros(4 * chunks(loaded))?,
            how,
        })
    }

    pub(crate) fn kernel(&self, loaded: &Loaded<'_, T>, name: &'static str) -> Result<Kernel> {
        loaded.kernel(self.shape, Part::Plain, name, 0)
    }

    /// Moves V and measures the residuals after it.
    pub(crate) fn sweep(
        &mut self,
        loaded: &Loaded<'_, T>,
        u: &Mat<T>,
        g: &Mat<T>,
        sweep: &Sweep,
    ) -> Result<()> {
        let (smoothing, shape) = (sweep.smoothing, self.shape);
        let Self { v, r, how, .. } = self;
        match (how, sweep.update) {
            (How::Tensor(tensor, _), Some(Update::Multiplicative { exponent })) => {
                tensor.sweep(loaded, u, g, Moved { v, r, exponent, smoothing })?;
            }
            (How::Tensor(..), None) => measure_rows(loaded, shape, (v, r), (u, g), smoothing)?,
            (How::Tensor(tensor, room), update) => {
                let [p, vg] = if let Some(room) = room {
                    room
                } else {
                    let len = loaded.n() * shape.ld;
                    room.insert([loaded.card.zeros(len)?, loaded.card.zeros(len)?])
                };
                tensor.project(loaded, u, p)?;
                let g = loaded.card.upload(g.as_slice())?;
                step_rows(loaded, shape, (v, r), (p, vg, &g), (0..loaded.n(), update, smoothing))?;
            }
            (How::Plain(plain), update) => {
                let card = &loaded.card;
                card.put(u.as_slice(), &mut plain.u.as_view_mut())?;
                let g = card.upload(g.as_slice())?;
                plain.project(loaded, shape, &mut |rows, p, vg| {
                    step_rows(loaded, shape, (v, r), (p, vg, &g), (rows, update, smoothing))
                })?;
            }
        }
        Ok(())
    }

    /// Residuals by their definition, where they are negative.
    pub(crate) fn measure_marked(
        &mut self,
        loaded: &Loaded<'_, T>,
        u: &Mat<T>,
        smoothing: f64,
    ) -> Result<()> {
        let ut = loaded.card.upload(u.transposed().as_slice())?;
        if !loaded.is_in_blocks() {
            return self.measure_of(loaded, (&loaded.x, 0..loaded.n()), (&ut, smoothing));
        }
        loaded.each_block(0..loaded.n(), &mut |rows, x| self.measure_of(loaded, (x, rows), (&ut, smoothing)))
    }

    /// The same of these rows, of which `x` is the first one.
    fn measure_of<B>(
        &mut self,
        loaded: &Loaded<'_, T>,
        (x, rows): (&impl DevicePtr<B>, Range<usize>),
        (ut, smoothing): (&CudaSlice<T>, f64),
    ) -> Result<()> {
        let (kernel, card, ld) = (self.kernel(loaded, "by_definition")?, &loaded.card, self.shape.ld);
        let (ldx, n, d) = (loaded.ldx as i64, rows.len() as i64, loaded.d as i32);
        let grid = kernel.grid((rows.len().div_ceil(MEASURED), 1), THREADS);
        let (v, factor) = (self.v.slice(rows.start * ld..rows.end * ld), loaded.factor.slice(rows.clone()));
        let (mut r, (x, _used)) = (self.r.slice_mut(rows), x.device_ptr(card.stream()));
        launch!(card, kernel, grid, [&x, &ldx, ut, &v, &factor, &mut r, &n, &d, &smoothing])
    }

    /// Sums over the residuals, and how many are marked as to be measured by their definition.
    pub(crate) fn stats(&mut self, loaded: &Loaded<'_, T>) -> Result<(Vec<Stats>, bool)> {
        let (kernel, card) = (self.kernel(loaded, "stats")?, &loaded.card);
        let (n, part) = (loaded.n() as i64, loaded.place.rows_per_part() as i64);
        let grid = kernel.grid((chunks(loaded), 1), THREADS);
        launch!(card, kernel, grid, [&self.r, &loaded.s, &n, &part, &mut self.sums])?;
        let sums = card.download(&self.sums.slice(..4 * chunks(loaded)))?;
        let stats =
            sums.chunks_exact(4).map(|sums| Stats { n: sums[0], sum: sums[1], sum_sq: sums[2] }).collect();
        Ok((stats, sums.chunks_exact(4).any(|sums| sums[3] > 0.0)))
    }

    /// XᵀQV and VᵀQV over whole parts.
    pub(crate) fn pull(
        &mut self,
        loaded: &Loaded<'_, T>,
        scale: Option<f64>,
        nodes: &[Range<usize>],
    ) -> Result<Vec<Pull<T>>> {
        let (card, n) = (&loaded.card, loaded.n() as i64);
        if let Some(scale) = scale {
            let kernel = self.kernel(loaded, "rescale")?;
            launch!(card, kernel, kernel.for_each(loaded.n()), [&self.weights, &scale, &mut self.q, &n])?;
        }
        let kernel = self.kernel(loaded, "with_factor")?;
        launch!(card, kernel, kernel.for_each(loaded.n()), [&self.q, &loaded.factor, &mut self.w, &n])?;
        let (weighted, shape) = (self.kernel(loaded, "weighted")?, self.shape);
        let Self { v, q, w, how, .. } = self;
        let [p, g] = match how {
            How::Tensor(tensor, _) => {
                tensor.pull(loaded, v, (q, w))?;
                tensor.pieces(loaded)
            }
            How::Plain(plain) => {
                plain.pull(loaded, shape, v, (q, w, &weighted))?;
                [(&plain.pieces, 1), (&plain.grams, loaded.place.rows_per_part().div_ceil(plain.gram_piece))]
            }
        };
        let Shape { c, ld } = shape;
        nodes
            .iter()
            .map(|rows| {
                let p = add_up(loaded, p, (loaded.d, c), (loaded.ldx * ld, ld), rows)?;
                let g = add_up(loaded, g, (c, c), (ld * ld, ld), rows)?;
                Ok(Pull { p, g })
            })
            .collect()
    }
}

/// Chunks of all parts.
pub(crate) fn chunks<T: Number>(loaded: &Loaded<'_, T>) -> usize {
    loaded.parts() * loaded.place.rows_per_part().div_ceil(CHUNK)
}

/// Measures the residuals of all rows, some at a time, by cuBLAS: this is done once or twice a fit, and a kernel for it would take longer to
/// compile.
fn measure_rows<T: Number>(
    loaded: &Loaded<'_, T>,
    shape: Shape,
    (v, r): (&mut CudaSlice<T>, &mut CudaSlice<f64>),
    (u, g): (&Mat<T>, &Mat<T>),
    smoothing: f64,
) -> Result<()> {
    let (u, g) = (loaded.card.upload(u.as_slice())?, loaded.card.upload(g.as_slice())?);
    let each = loaded.rows_at_once(shape.ld);
    let mut vg = loaded.card.zeros(each * shape.ld)?;
    for first in (0..loaded.n()).step_by(each) {
        let rows = first..(first + each).min(loaded.n());
        let p = loaded.products(rows.clone(), (&u, shape.c, shape.ld))?;
        step_rows(loaded, shape, (v, r), (&p, &mut vg, &g), (rows, None, smoothing))?;
    }
    Ok(())
}

/// Moves rows of V and measures their residuals, given the same rows of P in `p`; `vg` is room for as many.
fn step_rows<T: Number>(
    loaded: &Loaded<'_, T>,
    shape: Shape,
    (v, r): (&mut CudaSlice<T>, &mut CudaSlice<f64>),
    (p, vg, g): (&CudaSlice<T>, &mut CudaSlice<T>, &CudaSlice<T>),
    (rows, update, smoothing): (Range<usize>, Option<Update>, f64),
) -> Result<()> {
    let (card, Shape { c, ld }, n) = (&loaded.card, shape, rows.len() as i64);
    let mut v = v.slice_mut(rows.start * ld..rows.end * ld);
    let (factor, norms_sq) = (loaded.factor.slice(rows.clone()), loaded.norms_sq.slice(rows.clone()));
    let times_g = (rows.len(), c, c);
    match update {
        None => {}
        Some(Update::Multiplicative { exponent }) => {
            card.product((vg, ld), (&v, ld), (g, c), times_g)?;
            let kernel = loaded.kernel(shape, Part::Plain, "multiply", 0)?;
            let exponent = T::from_f64(exponent);
            let grid = kernel.for_each(rows.len() * ld);
            launch!(card, kernel, grid, [&mut v, p, &*vg, &factor, &norms_sq, &n, &exponent])?;
        }
        Some(Update::Hals { sweeps, .. }) => {
            check_descent::<T>(card, c)?;
            let each = 2 * c * size_of::<T>();
            let threads = (DESCENDING.min(card.shared_memory()?) / each / LEAST_ROWS * LEAST_ROWS)
                .clamp(LEAST_ROWS, 128);
            let kernel = loaded.kernel(shape, Part::Plain, "descend", threads * each)?;
            let sweeps = sweeps.min(i32::MAX as usize) as i32;
            let grid = kernel.grid((rows.len().div_ceil(threads), 1), threads);
            launch!(card, kernel, grid, [&mut v, p, g, &factor, &norms_sq, &n, &sweeps])?;
        }
        Some(other) => {
            return Err(Error::param(
                "solver",
                format!("{other:?}"),
                "mu or hals on a card; use the device cpu",
            ));
        }
    }
    card.product((vg, ld), (&v, ld), (g, c), times_g)?;
    let kernel = loaded.kernel(shape, Part::Plain, "residuals", 0)?;
    let mut r = r.slice_mut(rows.clone());
    let (grid, v) = (kernel.for_rows(rows.len()), v.as_view());
    launch!(card, kernel, grid, [&v, p, &*vg, &factor, &norms_sq, &mut r, &n, &smoothing])
}

/// The sum of the pieces of whole parts as a tree: rows×columns, pieces `apart` from each other and their rows `ld`.
pub(crate) fn add_up<T: Number>(
    loaded: &Loaded<'_, T>,
    (pieces, per_part): (&CudaSlice<T>, usize),
    (rows, columns): (usize, usize),
    (apart, ld): (usize, usize),
    samples: &Range<usize>,
) -> Result<Mat<T>> {
    let (kernel, card, part) = (loaded.shared("add_up")?, &loaded.card, loaded.place.rows_per_part());
    let parts = samples.start / part..samples.end.div_ceil(part);
    let from = pieces.slice(parts.start * per_part * apart..parts.end * per_part * apart);
    let mut out = card.zeros::<T>(rows * columns)?;
    let (height, wide, ld, apart) = (rows as i64, columns as i32, ld as i32, apart as i64);
    let (per_part, many) = (per_part as i32, parts.len() as i32);
    let grid = kernel.for_each(rows * columns);
    launch!(card, kernel, grid, [&from, &height, &wide, &ld, &apart, &per_part, &many, &mut out])?;
    Mat::from_vec(card.download(&out)?, rows, columns)
}
