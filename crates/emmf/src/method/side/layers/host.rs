//! Layers over samples in this memory.

use super::sweep::Move;
use super::{Crossed, LayerPull, LayerSide, LayerSweep, OfLayers, no_layers};
use crate::data::{BLOCK, Block, Data, Gram, PARTS, Place, Summand, Tree, add_up, least_parts, vectorized};
use crate::error::Result;
use crate::init::Factors;
use crate::loss::{Loss, Stats};
use crate::matrix::Mat;
use crate::method::deep::{Stack, rows_times};
use crate::method::side::host::{Host, stats, weigh};
use crate::method::side::{Finish, Weighed};
use crate::method::{Coding, coding, largest};
use crate::real::Real;
use crate::real::sealed::Left;
use crate::spec::LabelRule;
use crate::threads::each;
use crate::threads::prelude::*;

/// What samples in this memory are on their layers.
pub(in crate::method::side) struct Layered<T> {
    /// rᵢ on every layer, smoothed where the loss asks for it.
    r: Vec<Vec<f64>>,
    /// diag(Qₗ), and the same times a factor in the type of V.
    weights: Vec<Vec<f64>>,
    a: Vec<Vec<T>>,
    ones: Vec<T>,
    /// [Q₁V₁ … Q_LV_L], then X·[U₁ … U_L], n×C.
    tall: Mat<T>,
    /// Residuals of a sample on all layers, side by side.
    seen: Vec<f64>,
    rooms: Vec<T>,
    gram: Gram<T>,
    /// ‖xᵢ − Uₗ·B̄ₗᵀ·vᵢ‖₂ on the layers above the first, side by side, at the end.
    above: Vec<f64>,
}

impl<T: Real> Layered<T> {
    fn new(stack: &Stack<T>, r: &[f64], weights: &[f64]) -> Self {
        let (n, layers, all) = (r.len(), stack.ranges.len(), stack.columns());
        Self {
            r: vec![r.to_vec(); layers],
            weights: vec![weights.to_vec(); layers],
            a: vec![vec![T::ZERO; n]; layers],
            ones: vec![T::ONE; n],
            tall: Mat::zeros(n, all),
            seen: vec![0.0; n * layers],
            rooms: vec![T::ZERO; PARTS * BLOCK.min(n) * (3 * all + 2 * stack.first())],
            gram: Gram::new(stack.first()),
            above: Vec::new(),
        }
    }

    /// Residuals of every sample on all layers, side by side.
    pub(in crate::method::side) fn residuals(&self) -> Vec<f64> {
        side_by_side(&self.r)
    }

    /// Weights of every sample on all layers, side by side.
    pub(in crate::method::side) fn weights(&self) -> Vec<f64> {
        side_by_side(&self.weights)
    }

    pub(in crate::method::side) fn set_residuals(&mut self, values: &[f64]) {
        set_side_by_side(&mut self.r, values);
    }

    pub(in crate::method::side) fn set_weights(&mut self, values: &[f64]) {
        set_side_by_side(&mut self.weights, values);
    }

    /// The weights on the first layer, and the residuals on the others.
    pub(in crate::method::side) fn into_left(self) -> (Vec<f64>, Vec<f64>) {
        (self.weights.into_iter().next().unwrap_or_default(), self.above)
    }

    fn multiply(&mut self, factors: &[f64]) {
        for ((a, weights), factor) in self.a.iter_mut().zip(&self.weights).zip(factors) {
            let pairs = a.iter_mut().zip(weights);
            vectorized!(pairs.for_each(|(a, weight)| *a = T::from_f64(factor * weight)));
        }
    }

    /// P = X·[U₁ … U_L].
    fn project<X: Data<T>>(&mut self, x: &X, u: &Mat<T>) {
        if !self.ones.is_empty() {
            let mut none = vec![(); self.ones.len()];
            x.project(u, self.tall.as_mut_slice(), &mut none, |Block { p, a, .. }| a.copy_from_slice(p));
        }
    }

    /// Sums over the residuals on every layer, which are those that were seen.
    fn sums(&mut self, (place, s): (&Place, &[f64]), out: &mut Tree<OfLayers<Stats>>) {
        set_side_by_side(&mut self.r, &self.seen);
        let each = self.r.iter().map(|r| {
            let mut sums = Tree::default();
            stats(place, r, s, &mut sums);
            sums
        });
        together(place, each.collect(), out);
    }
}

/// Values of several layers, those of a sample next to each other.
fn side_by_side(columns: &[Vec<f64>]) -> Vec<f64> {
    let n = columns.first().map_or(0, Vec::len);
    (0..n).flat_map(|i| columns.iter().map(move |column| column[i])).collect()
}

fn set_side_by_side(columns: &mut [Vec<f64>], values: &[f64]) {
    let layers = columns.len();
    for (layer, column) in columns.iter_mut().enumerate().filter(|_| !values.is_empty()) {
        column.iter_mut().zip(values[layer..].iter().step_by(layers)).for_each(|(to, from)| *to = *from);
    }
}

/// Sums of each layer as one sum.
fn together<S: Summand>(place: &Place, mut each: Vec<Tree<S>>, out: &mut Tree<OfLayers<S>>) {
    for (node, _) in place.nodes() {
        *out.fill(node) = Some(OfLayers(each.iter_mut().filter_map(|sums| sums.fill(node).take()).collect()));
    }
}

/// Gives every layer of a stacked row its factor.
#[inline(always)]
fn weigh_row<T: Real>(row: &mut [T], ranges: &[std::ops::Range<usize>], a: &[Vec<T>], i: usize) {
    for (range, a) in ranges.iter().zip(a) {
        let by = a[i];
        row[range.clone()].iter_mut().for_each(|entry| *entry *= by);
    }
}

/// VᵀQₗ(XUₗ) of the samples of a part, V beginning with the first of them.
fn crossed<T: Real>(
    (v, tall): (&[T], &[T]),
    stack: &Stack<T>,
    (a, first): (&[Vec<T>], usize),
    out: &mut [f64],
) {
    let (c, all) = (stack.first(), stack.columns());
    let (mut sum, mut weighed) = (vec![T::ZERO; c * all], vec![T::ZERO; BLOCK * all]);
    for (block, (v, tall)) in v.chunks(BLOCK * c).zip(tall.chunks(BLOCK * all)).enumerate() {
        let weighed = &mut weighed[..tall.len()];
        weighed.copy_from_slice(tall);
        for (at, row) in weighed.chunks_exact_mut(all).enumerate() {
            weigh_row(row, &stack.ranges, a, first + block * BLOCK + at);
        }
        let count = v.len() / c;
        T::gemm((&mut sum, all), Left::Columns((v, c)), (&*weighed, all), (c, count, all), true);
    }
    out.iter_mut().zip(sum).for_each(|(out, sum)| *out = sum.to_f64());
}

impl<T: Real, X: Data<T>> LayerSide<T> for Host<'_, T, X> {
    fn nodes(&mut self, u: &Mat<T>, rule: LabelRule) -> Result<Vec<usize>> {
        Ok(largest(&self.v, u, rule))
    }

    fn begin_layers(&mut self, stack: &Stack<T>) -> Result<()> {
        self.layers = Some(Layered::new(stack, &self.r, &self.weights));
        (self.r, self.weights, self.q) = (Vec::new(), Vec::new(), Vec::new());
        self.gram = Gram::new(0);
        Ok(())
    }

    fn pull_layers(&mut self, stack: &Stack<T>, factors: &[f64], out: &mut Tree<LayerPull<T>>) -> Result<()> {
        let Self { x, v, place, layers: Some(layers), .. } = self else { return no_layers() };
        layers.multiply(factors);
        let Layered { a, ones, tall, gram, .. } = layers;
        let (d, c, all, a) = (x.shape().1, stack.first(), stack.columns(), &*a);
        let blocks = tall.as_mut_slice().par_chunks_mut(BLOCK * all).zip(v.as_slice().par_chunks(BLOCK * c));
        let least = least_parts(v.rows() * c * all).max(1);
        each(blocks.enumerate().with_min_len(least), |(block, (tall, v))| {
            stack.spread(v, tall);
            vectorized!({
                for (at, row) in tall.chunks_exact_mut(all).enumerate() {
                    weigh_row(row, &stack.ranges, a, block * BLOCK + at);
                }
            });
        });
        for (node, rows) in place.nodes() {
            let new =
                || LayerPull { p: Mat::zeros(d, all), moments: vec![Mat::zeros(c, c); stack.ranges.len()] };
            let LayerPull { p, moments } = out.fill(node).get_or_insert_with(new);
            x.t_dot_of(rows.clone(), ones, tall, p);
            let v = &v.as_slice()[rows.start * c..rows.end * c];
            for (moment, a) in moments.iter_mut().zip(a) {
                let found = gram.weighted_rows(&a[rows.clone()], v, place.rows_per_part());
                moment.as_mut_slice().copy_from_slice(found.as_slice());
            }
        }
        x.intact()
    }

    fn cross_layers(
        &mut self,
        u: &Mat<T>,
        stack: &Stack<T>,
        factors: &[f64],
        out: &mut Tree<Crossed>,
    ) -> Result<()> {
        let Self { x, v, place, layers: Some(layers), .. } = self else { return no_layers() };
        layers.multiply(factors);
        layers.project(*x, u);
        let (c, all, rows_per_part) = (stack.first(), stack.columns(), place.rows_per_part());
        for (node, rows) in place.nodes() {
            let mut sums = vec![0.0; rows.len().div_ceil(rows_per_part) * c * all];
            each(sums.par_chunks_mut(c * all).enumerate(), |(part, sum)| {
                let first = rows.start + part * rows_per_part;
                let end = (first + rows_per_part).min(rows.end);
                let v = &v.as_slice()[first * c..end * c];
                let tall = &layers.tall.as_slice()[first * all..end * all];
                crossed((v, tall), stack, (&layers.a, first), sum);
            });
            add_up(&mut sums, c * all);
            sums.truncate(c * all);
            *out.fill(node) = Some(Crossed(Mat::from_vec(sums, c, all)?));
        }
        x.intact()
    }

    fn sweep_layers(
        &mut self,
        (u, g): (&Mat<T>, &Mat<T>),
        stack: &Stack<T>,
        sweep: &LayerSweep,
        out: &mut Tree<OfLayers<Stats>>,
    ) -> Result<()> {
        let Self { x, v, place, sample_weights, layers: Some(layers), .. } = self else { return no_layers() };
        layers.multiply(&sweep.factors);
        if !sweep.is_crossed {
            layers.project(*x, u);
        }
        let Layered { a, tall, seen, rooms, .. } = layers;
        let by = Move { x: *x, u, stack, a, g, smoothing: sweep.smoothing };
        by.go(v, (tall, seen, rooms), sweep.exponent);
        layers.sums((place, sample_weights), out);
        x.intact()
    }

    fn weigh_layers(
        &mut self,
        losses: &[&dyn Loss],
        stats: &[Stats],
        out: &mut Tree<OfLayers<Weighed>>,
    ) -> Result<()> {
        let Self { place, sample_weights, layers: Some(layers), .. } = self else { return no_layers() };
        let columns = layers.r.iter().zip(&mut layers.weights);
        let each = losses.iter().zip(stats).zip(columns).map(|((loss, stats), (r, weights))| {
            let mut found = Tree::default();
            weigh((*loss, stats), place, (r, sample_weights), weights, &mut found);
            found
        });
        together(place, each.collect(), out);
        Ok(())
    }

    fn scale_columns(&mut self, by: &[f64]) -> Result<()> {
        for row in self.v.as_mut_slice().chunks_exact_mut(by.len().max(1)) {
            row.iter_mut().zip(by).for_each(|(v, by)| *v = T::from_f64(v.to_f64() * by));
        }
        Ok(())
    }

    fn finish_layers(
        &mut self,
        u: &Mat<T>,
        stack: &Stack<T>,
        finish: &Finish,
        out: &mut Tree<OfLayers<Stats>>,
    ) -> Result<()> {
        let Self { x, v, place, sample_weights, labels, residuals, layers: Some(layers), before, .. } = self
        else {
            return no_layers();
        };
        (layers.tall, layers.rooms, *before) = (Mat::zeros(0, 0), Vec::new(), None);
        let first = stack.part(u, 0);
        *labels = largest(v, &first, finish.labels);
        let polish = finish.polish.then_some((finish.deadline, &finish.cancel));
        *residuals = Coding::LeastSquares.polish(*x, (&first, &mut *v), polish, false)?;
        let mut columns = vec![residuals.clone()];
        for (layer, bar) in stack.bars.iter().enumerate().skip(1) {
            columns.push(coding::residuals(
                *x,
                &mut Factors { u: stack.part(u, layer), v: rows_times(v, bar) },
            )?);
        }
        x.intact()?;
        layers.above = side_by_side(&columns[1..]);
        let smoothed = |r: &mut f64| *r = (*r * *r + finish.smoothing).sqrt();
        columns.iter_mut().flatten().for_each(smoothed);
        layers.seen = side_by_side(&columns);
        layers.sums((place, sample_weights), out);
        Ok(())
    }
}
