//! The B step, and rows of B that sum to 1.

use super::DeepState;
use super::small::{add, between, identity, product};
use super::step::weigh_row;
use crate::data::{BLOCK, rows_per_part};
use crate::matrix::Mat;
use crate::method::update::multiply_power;
use crate::real::Real;
use crate::real::sealed::Left;
use crate::threads::made;

impl<T: Real> DeepState<T> {
    /// Bₘ ← Bₘ∘(Σ AᵀQₗXUₗRₗᵀ / Σ (AᵀQₗA)Bₘ(RₗUₗᵀUₗRₗᵀ))^e, one layer after the other.
    pub(super) fn update_b(&mut self, exponent: f64) {
        let crossed = self.crossed();
        let grams: Vec<Mat<f64>> = self
            .stack
            .ranges
            .iter()
            .map(|range| {
                Mat::from_fn(range.len(), range.len(), |k, l| {
                    self.gram[(range.start + k, range.start + l)].to_f64()
                })
            })
            .collect();
        for m in 0..self.stack.b.len() {
            let bar = self.stack.bars[m].clone();
            let (below, width) = self.stack.b[m].shape();
            let (mut num, mut den) = (Mat::zeros(below, width), Mat::zeros(below, width));
            let mut right = identity(width);
            for layer in m + 1..self.stack.ranges.len() {
                if layer > m + 1 {
                    right = product(&right, &self.stack.b[layer - 1]);
                }
                let pull = product(&product(&bar.transposed(), &crossed[layer]), &right.transposed());
                add(&mut num, &pull);
                let turned = product(&product(&right, &grams[layer]), &right.transposed());
                let moment = between(&bar, &self.moments[layer]);
                add(&mut den, &product(&product(&moment, &self.stack.b[m]), &turned));
            }
            multiply_power(self.stack.b[m].as_mut_slice(), num.as_slice(), den.as_slice(), exponent);
            self.stack.renew();
        }
    }

    /// VᵀQₗ(XUₗ) of every layer.
    fn crossed(&self) -> Vec<Mat<f64>> {
        let Self { v, tall, a, stack, .. } = self;
        let ((n, c), all) = (v.shape(), stack.columns());
        let rows = rows_per_part(n);
        let part = |part: usize| {
            let (mut sum, mut weighed) = (Mat::<T>::zeros(c, all), vec![T::ZERO; BLOCK * all]);
            let samples = part * rows..((part + 1) * rows).min(n);
            for start in samples.clone().step_by(BLOCK) {
                let count = BLOCK.min(samples.end - start);
                let weighed = &mut weighed[..count * all];
                weighed.copy_from_slice(&tall.as_slice()[start * all..(start + count) * all]);
                for (at, row) in weighed.chunks_exact_mut(all).enumerate() {
                    weigh_row(row, &stack.ranges, a, start + at);
                }
                let left = Left::Columns((&v.as_slice()[start * c..(start + count) * c], c));
                T::gemm((sum.as_mut_slice(), all), left, (&*weighed, all), (c, count, all), true);
            }
            sum.cast::<f64>()
        };
        let mut total = Mat::zeros(c, all);
        made(n.div_ceil(rows), part).iter().for_each(|part| add(&mut total, part));
        let of =
            |range: &std::ops::Range<usize>| Mat::from_fn(c, range.len(), |k, l| total[(k, range.start + l)]);
        stack.ranges.iter().map(of).collect()
    }

    /// Brings the rows of every B to the sum 1; the factors go to the layer below, and its centroids make up for it.
    pub(super) fn normalize(&mut self) {
        let Self { u, v, stack, .. } = self;
        for m in (0..stack.b.len()).rev() {
            let sum = |a: usize| stack.b[m].row(a).iter().sum::<f64>();
            let sums: Vec<f64> =
                (0..stack.b[m].rows()).map(sum).map(|sum| if sum > 0.0 { sum } else { 1.0 }).collect();
            for (a, sum) in sums.iter().enumerate() {
                stack.b[m].row_mut(a).iter_mut().for_each(|share| *share /= sum);
            }
            let (start, all) = (stack.ranges[m].start, u.cols());
            for row in u.as_mut_slice().chunks_exact_mut(all) {
                let nodes = row[start..].iter_mut().zip(&sums);
                nodes.for_each(|(entry, sum)| *entry = T::from_f64(entry.to_f64() / sum));
            }
            if m > 0 {
                let below = &mut stack.b[m - 1];
                let width = below.cols();
                for row in below.as_mut_slice().chunks_exact_mut(width) {
                    row.iter_mut().zip(&sums).for_each(|(share, sum)| *share *= sum);
                }
            } else {
                let width = v.cols();
                for row in v.as_mut_slice().chunks_exact_mut(width) {
                    row.iter_mut().zip(&sums).for_each(|(v, sum)| *v = T::from_f64(v.to_f64() * sum));
                }
            }
        }
        stack.renew();
    }
}
