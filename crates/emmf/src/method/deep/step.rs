//! The U step of all layers at once, and what it is made of.

use super::DeepState;
use super::small::between;
use crate::data::{BLOCK, Block, Data, least_parts, vectorized};
use crate::matrix::Mat;
use crate::method::Update;
use crate::method::hals::{Coordinates, move_rows};
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Gives every layer of a stacked row its factor.
#[inline(always)]
pub(super) fn weigh_row<T: Real>(row: &mut [T], ranges: &[std::ops::Range<usize>], a: &[Vec<T>], i: usize) {
    for (range, a) in ranges.iter().zip(a) {
        let by = a[i];
        row[range.clone()].iter_mut().for_each(|entry| *entry *= by);
    }
}

impl<T: Real> DeepState<T> {
    /// λₗqᵢ⁽ˡ⁾ with a maximum of 1: a common factor changes nothing, but what is larger might overflow.
    pub(super) fn share_out(&mut self) {
        let largest =
            self.sights.iter().map(|sight| sight.lambda * sight.weighed.largest).fold(0.0, f64::max);
        let by = if largest > 0.0 { 1.0 / largest } else { 0.0 };
        for (a, sight) in self.a.iter_mut().zip(&self.sights) {
            let factor = by * sight.lambda;
            let pairs = a.iter_mut().zip(&sight.weights);
            vectorized!(pairs.for_each(|(a, weight)| *a = T::from_f64(factor * weight)));
        }
    }

    /// XᵀQₗVₗ and VₗᵀQₗVₗ of all layers.
    pub(super) fn gather_pull<X: Data<T>>(&mut self, x: &X) {
        let Self { v, stack, a, ones, tall, pull, gram, moments, grams: (grams, _), .. } = self;
        let (c, all, stack, a) = (stack.first(), stack.columns(), &*stack, &*a);
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
        x.t_dot(ones, tall, pull);
        *moments = a.iter().map(|a| grams.weighted(a, v).cast()).collect();
        gram.as_mut_slice().fill(T::ZERO);
        for (layer, (moment, bar)) in moments.iter().zip(&stack.bars).enumerate() {
            stack.put(layer, &between(bar, moment), gram);
        }
    }

    /// Uₗ ← Uₗ∘(XᵀQₗVₗ / Uₗ(VₗᵀQₗVₗ))^e, all side by side.
    pub(super) fn update_u(&mut self, exponent: f64) {
        let Self { u, pull, gram, scratch, .. } = self;
        Update::Multiplicative { exponent }.matrix(u, pull, gram, scratch);
    }

    /// P = X·[U₁ … U_L] and UₗᵀUₗ.
    pub(super) fn project<X: Data<T>>(&mut self, x: &X) {
        let Self { u, stack, tall, gram, grams: (_, grams), ones, .. } = self;
        let mut none = vec![(); ones.len()];
        x.project(u, tall.as_mut_slice(), &mut none, |Block { p, a, .. }| a.copy_from_slice(p));
        gram.as_mut_slice().copy_from_slice(grams.of(u).as_slice());
        stack.within(gram);
    }

    /// The layers above get centroids: means of those below, then least squares with the weights of the first layer.
    pub(super) fn first_centroids<X: Data<T>>(&mut self, x: &X, sweeps: usize) {
        self.share_first();
        self.gather_pull(x);
        let Self { u, stack, pull, gram, .. } = self;
        for layer in 1..stack.ranges.len() {
            let (bar, start) = (&stack.bars[layer], stack.ranges[layer].start);
            let sums: Vec<f64> =
                (0..bar.cols()).map(|k| (0..bar.rows()).map(|a| bar[(a, k)]).sum::<f64>()).collect();
            for j in 0..u.rows() {
                let row = u.row_mut(j);
                for (k, sum) in sums.iter().enumerate().filter(|(_, sum)| **sum > 0.0) {
                    let of_below: f64 = (0..bar.rows()).map(|a| row[a].to_f64() * bar[(a, k)]).sum();
                    row[start + k] = T::from_f64(of_below / sum);
                }
            }
        }
        let free = stack.first()..stack.columns();
        let by = Coordinates::new(free, sweeps);
        let mut spare = Mat::zeros(u.rows(), u.cols());
        move_rows(u.as_mut_slice(), pull.as_slice(), gram, &by, spare.as_mut_slice());
    }

    /// The weights of the first layer for all.
    fn share_first(&mut self) {
        let largest = self.sights[0].weighed.largest;
        let by = if largest > 0.0 { 1.0 / largest } else { 0.0 };
        let Self { a, sights, .. } = self;
        for a in a {
            a.iter_mut().zip(&sights[0].weights).for_each(|(a, weight)| *a = T::from_f64(by * weight));
        }
    }
}
