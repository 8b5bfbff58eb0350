//! The card as an [`Engine`].
#![allow(unsafe_code, reason = "kernels are launched through the C interface of the driver")]

use std::ops::Range;

use cudarc::driver::CudaSlice;
use emmf::init::Start;
use emmf::loss::{LossSpec, Stats};
use emmf::method::side::{Column, Movement, Place, Pull, Sweep, Weighed};
use emmf::{Error, Factors, Mat, Real, Result};

use crate::card::{THREADS, launch};
use crate::engine::Engine;
use crate::kernels::{CHUNK, Shape, loss_in_kernels};
use crate::loaded::Loaded;
use crate::number::Number;
use crate::state::{State, add_up, chunks};

/// Rows, `ld` apart and zero from `c` on, from such that follow each other.
fn spread<T: Number>(rows: &[T], Shape { c, ld }: Shape) -> Vec<T> {
    let mut out = vec![T::ZERO; rows.len() / c.max(1) * ld];
    out.chunks_exact_mut(ld).zip(rows.chunks_exact(c)).for_each(|(out, row)| out[..c].copy_from_slice(row));
    out
}

/// The same back.
fn gathered<T: Number, S>(rows: &[T], Shape { c, ld }: Shape, value: impl Fn(T) -> S) -> Vec<S> {
    rows.chunks_exact(ld).flat_map(|row| &row[..c]).map(|&entry| value(entry)).collect()
}

impl<T: Number> Loaded<'_, T> {
    /// Downloads V or one like it.
    fn matrix(&self, from: &CudaSlice<T>, shape: Shape) -> Result<Vec<T>> {
        let len = self.n() * shape.ld;
        let all = if len == 0 { Vec::new() } else { self.card.download(&from.slice(..len))? };
        Ok(gathered(&all, shape, |entry| entry))
    }
}

impl<T: Number> Engine<T> for Loaded<'_, T> {
    type State = State<T>;

    fn place(&self) -> &Place {
        &self.place
    }

    fn features(&self) -> usize {
        self.d
    }

    fn norms_sq(&self) -> &[f64] {
        self.prepared.norms_sq
    }

    fn weights(&self) -> &[f64] {
        self.prepared.weights
    }

    fn chunk(&self) -> usize {
        CHUNK
    }

    fn factors(&self, start: &mut Start<'_, T>) -> Result<Factors<T>> {
        self.factors_here(start)
    }

    fn fetches(&self) -> bool {
        self.sparse.is_none()
    }

    fn begin(&self, v: &Mat<T>) -> Result<State<T>> {
        let shape = Shape::new(v.cols());
        // Whole parts of rows, for products over them.
        let mut rows = spread(v.as_slice(), shape);
        rows.resize(self.parts() * self.place.rows_per_part() * shape.ld, T::ZERO);
        State::new(self, shape, self.card.upload(&rows)?)
    }

    fn begin_at(&self, labels: &[i32], clusters: usize) -> Result<State<T>> {
        let (shape, card, n) = (Shape::new(clusters), &self.card, self.n() as i64);
        let v = card.zeros(self.parts() * self.place.rows_per_part() * shape.ld)?;
        let mut state = State::new(self, shape, v)?;
        let (kernel, labels) = (state.kernel(self, "membership")?, card.upload(labels)?);
        launch!(card, kernel, kernel.for_each(self.n() * shape.ld), [&labels, &mut state.v, &n])?;
        Ok(state)
    }

    fn nearest(&self, points: &Mat<T>) -> Result<(Vec<i32>, Vec<f64>)> {
        let (card, n, m) = (&self.card, self.n(), points.cols());
        let kernel = self.shared("nearest")?;
        let square = |k: usize| (0..points.rows()).map(|j| points[(j, k)].to_f64().powi(2)).sum::<f64>();
        let lengths = card.upload(&(0..m).map(square).collect::<Vec<_>>())?;
        let (on_card, ld) = (card.upload(points.as_slice())?, m.next_multiple_of(4));
        let (mut labels, mut distances) = (card.zeros::<i32>(n)?, card.zeros::<f64>(n)?);
        let each = self.rows_at_once(ld);
        for first in (0..n).step_by(each) {
            let rows = first..(first + each).min(n);
            let p = self.products(rows.clone(), (&on_card, m, ld))?;
            let (factor, norms_sq) = (self.factor.slice(rows.clone()), self.norms_sq.slice(rows.clone()));
            let (mut label, mut distance) =
                (labels.slice_mut(rows.clone()), distances.slice_mut(rows.clone()));
            let (count, many, ld) = (rows.len() as i64, m as i32, ld as i32);
            let grid = kernel.for_rows(rows.len());
            launch!(
                card,
                kernel,
                grid,
                [&p, &factor, &norms_sq, &lengths, &count, &many, &ld, &mut label, &mut distance]
            )?;
        }
        Ok((card.download(&labels.slice(..n))?, card.download(&distances.slice(..n))?))
    }

    fn cluster_sums(&self, labels: &[i32], clusters: usize, nodes: &[Range<usize>]) -> Result<Vec<Mat<T>>> {
        let (card, n, ld) = (&self.card, self.n() as i64, clusters.next_multiple_of(4));
        let (parts, rows) = (self.parts(), self.place.rows_per_part());
        let (kernel, labels) = (self.shared("members")?, card.upload(labels)?);
        let mut members = card.zeros::<T>(parts * rows * ld)?;
        let wide = ld as i32;
        let grid = kernel.for_each(self.n() * ld);
        launch!(card, kernel, grid, [&labels, &self.s, &self.factor, &mut members, &n, &wide])?;
        let mut pieces = card.zeros::<T>(parts * self.ldx * ld)?;
        if let Some(entries) = &self.sparse {
            entries.pull(self, (&members, ld), &mut pieces)?;
        } else {
            self.pull_parts((&members, ld), &mut pieces)?;
        }
        let sums = |rows| add_up(self, (&pieces, 1), (self.d, clusters), (self.ldx * ld, ld), rows);
        nodes.iter().map(sums).collect()
    }

    fn rows(&self, samples: &[usize]) -> Result<Mat<T>> {
        self.gathered(samples)
    }

    fn sweep(&self, state: &mut State<T>, u: &Mat<T>, g: &Mat<T>, sweep: &Sweep) -> Result<Vec<Stats>> {
        state.sweep(self, u, g, sweep)?;
        let (stats, marked) = state.stats(self)?;
        if !marked {
            return Ok(stats);
        }
        state.measure_marked(self, u, sweep.smoothing)?;
        Ok(state.stats(self)?.0)
    }

    fn stats(&self, state: &mut State<T>) -> Result<Vec<Stats>> {
        Ok(state.stats(self)?.0)
    }

    fn weigh(&self, state: &mut State<T>, loss: LossSpec, stats: &Stats) -> Result<Option<Vec<Weighed>>> {
        let Some((loss, scale)) = loss_in_kernels(loss, stats) else { return Ok(None) };
        let (kernel, card) = (state.kernel(self, "weigh")?, &self.card);
        let (n, part) = (self.n() as i64, self.place.rows_per_part() as i64);
        let grid = kernel.grid((chunks(self), 1), THREADS);
        let State { r, weights, sums, .. } = state;
        launch!(card, kernel, grid, [&*r, &self.s, &n, &part, &loss, &scale, weights, &mut *sums])?;
        let sums = card.download(&sums.slice(..2 * chunks(self)))?;
        Ok(Some(sums.chunks_exact(2).map(|sums| Weighed { objective: sums[0], largest: sums[1] }).collect()))
    }

    fn pull(&self, state: &mut State<T>, scale: Option<f64>, nodes: &[Range<usize>]) -> Result<Vec<Pull<T>>> {
        state.pull(self, scale, nodes)
    }

    fn keep_ahead(&self, state: &mut State<T>) -> Result<()> {
        if state.ahead.is_none() {
            state.ahead = Some(self.like(&state.v)?);
        }
        Ok(())
    }

    fn swap(&self, state: &mut State<T>) {
        if let Some(ahead) = &mut state.ahead {
            std::mem::swap(&mut state.v, ahead);
        }
    }

    fn forget_ahead(&self, state: &mut State<T>) -> Result<()> {
        let State { v, ahead, .. } = state;
        ahead.as_mut().map_or(Ok(()), |ahead| self.card.copy(v, ahead))
    }

    fn go_on(&self, state: &mut State<T>, share: f64) -> Result<()> {
        let (kernel, card, n) = (state.kernel(self, "go_on")?, &self.card, self.n() as i64);
        let (share, grid) = (T::from_f64(share), kernel.for_each(self.n() * state.shape.ld));
        let State { v, ahead, .. } = state;
        ahead.as_mut().map_or(Ok(()), |ahead| launch!(card, kernel, grid, [&*v, ahead, &share, &n]))
    }

    fn movement(&self, state: &mut State<T>) -> Result<Vec<Movement>> {
        if state.before.is_none() {
            state.before = Some(self.like(&state.v)?);
        }
        let (kernel, card) = (state.kernel(self, "movement")?, &self.card);
        let (n, part) = (self.n() as i64, self.place.rows_per_part() as i64);
        let grid = kernel.grid((chunks(self), 1), THREADS);
        let State { v, before, sums, .. } = state;
        if let Some(before) = before {
            launch!(card, kernel, grid, [&*v, before, &n, &part, &mut *sums])?;
        }
        let sums = card.download(&sums.slice(..2 * chunks(self)))?;
        Ok(sums.chunks_exact(2).map(|sums| Movement { moved: sums[0], length: sums[1] }).collect())
    }

    fn largest(&self, state: &mut State<T>, lengths: &[f64]) -> Result<Vec<usize>> {
        let (kernel, card, n) = (state.kernel(self, "largest")?, &self.card, self.n() as i64);
        let (lengths, mut labels) = (card.upload(lengths)?, card.zeros::<i32>(self.n())?);
        launch!(card, kernel, kernel.for_each(self.n()), [&state.v, &lengths, &mut labels, &n])?;
        let labels = card.download(&labels.slice(..self.n()))?;
        Ok(labels.into_iter().map(|label| label.cast_unsigned() as usize).collect())
    }

    fn project_exactly(&self, u: &Mat<T>, rows: Range<usize>) -> Result<Vec<f64>> {
        let mut p = self.projected_exactly(u, rows.clone())?;
        for (p, factor) in p.chunks_exact_mut(u.cols()).zip(&self.factors[rows]) {
            p.iter_mut().for_each(|p| *p *= factor.to_f64());
        }
        Ok(p)
    }

    fn by_definition(&self, state: &mut State<T>, u: &Mat<T>, residuals: &mut Vec<f64>) -> Result<()> {
        if residuals.iter().all(|r| *r >= 0.0 || r.is_nan()) {
            return Ok(());
        }
        self.card.put(residuals, &mut state.r.as_view_mut())?;
        state.measure_marked(self, u, 0.0)?;
        *residuals = self.card.download(&state.r.slice(..self.n()))?;
        Ok(())
    }

    fn column(&self, state: &State<T>, what: Column) -> Result<Vec<f64>> {
        let reals = |from| Ok(self.matrix(from, state.shape)?.into_iter().map(Real::to_f64).collect());
        match what {
            Column::Coefficients => reals(&state.v),
            Column::Ahead => state.ahead.as_ref().map_or(Ok(Vec::new()), reals),
            Column::Residuals => self.card.download(&state.r.slice(..self.n())),
            Column::Weights => self.card.download(&state.weights.slice(..self.n())),
            _ => Err(Error::param("the column", format!("{what:?}"), "one that iterations change")),
        }
    }

    fn set_column(&self, state: &mut State<T>, what: Column, values: &[f64]) -> Result<()> {
        let shape = state.shape;
        let narrow = || spread(&values.iter().map(|&value| T::from_f64(value)).collect::<Vec<_>>(), shape);
        match what {
            Column::Coefficients => self.card.put(&narrow(), &mut state.v.as_view_mut()),
            Column::Ahead => state
                .ahead
                .as_mut()
                .map_or(Ok(()), |ahead| self.card.put(&narrow(), &mut ahead.as_view_mut())),
            Column::Residuals => self.card.put(values, &mut state.r.as_view_mut()),
            Column::Weights => self.card.put(values, &mut state.weights.as_view_mut()),
            _ => Err(Error::param("the column", format!("{what:?}"), "one that iterations change")),
        }
    }

    fn coefficients(&self, state: &State<T>) -> Result<Mat<T>> {
        Mat::from_vec(self.matrix(&state.v, state.shape)?, self.n(), state.shape.c)
    }

    fn set_rows(&self, state: &mut State<T>, rows: Range<usize>, v: &[T]) -> Result<()> {
        let shape = state.shape;
        let mut to = state.v.slice_mut(rows.start * shape.ld..rows.end * shape.ld);
        self.card.put(&spread(v, shape), &mut to)
    }
}

impl<T: Number> Loaded<'_, T> {
    /// A copy of V.
    fn like(&self, v: &CudaSlice<T>) -> Result<CudaSlice<T>> {
        let mut copy = self.card.zeros(v.len())?;
        self.card.copy(v, &mut copy)?;
        Ok(copy)
    }

    /// XᵀW of every part, rows of W being `ld` apart.
    pub(crate) fn pull_parts(
        &self,
        (w, ld): (&CudaSlice<T>, usize),
        pieces: &mut CudaSlice<T>,
    ) -> Result<()> {
        let rows = self.place.rows_per_part();
        for part in 0..self.parts() {
            let (w, mut piece) = (
                w.slice(part * rows * ld..(part + 1) * rows * ld),
                pieces.slice_mut(part * self.ldx * ld..(part + 1) * self.ldx * ld),
            );
            self.each_block(part * rows..((part + 1) * rows).min(self.n()), &mut |block, x| {
                let from = block.start - part * rows;
                let w = w.slice(from * ld..(from + block.len()) * ld);
                let to = (&mut piece, from > 0);
                self.card.turned_products(to, (x, self.ldx), (&w, ld), (self.ldx, block.len(), ld), 1)
            })?;
        }
        Ok(())
    }
}
