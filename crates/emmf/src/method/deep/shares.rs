//! The B step, and rows of B that sum to 1.

use super::DeepState;
use super::small::{add, between, identity, product};
use crate::error::Result;
use crate::matrix::Mat;
use crate::method::side::{Crossed, SampleSide, Tree, total};
use crate::method::update::multiply_power;
use crate::real::Real;

impl<T: Real, S: SampleSide<T>> DeepState<T, S> {
    /// Bₘ ← Bₘ∘(Σ AᵀQₗXUₗRₗᵀ / Σ (AᵀQₗA)Bₘ(RₗUₗᵀUₗRₗᵀ))^e, one layer after the other.
    pub(super) fn update_b(&mut self, exponent: f64) -> Result<()> {
        let crossed = self.crossed()?;
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
        Ok(())
    }

    /// VᵀQₗ(XUₗ) of every layer.
    fn crossed(&mut self) -> Result<Vec<Mat<f64>>> {
        let Self { u, stack, side, factors, .. } = self;
        let Crossed(total) =
            total(&mut Tree::default(), |out| side.layers()?.cross_layers(u, stack, factors, out))?;
        Ok((0..stack.ranges.len()).map(|layer| stack.part(&total, layer)).collect())
    }

    /// Brings the rows of every B to the sum 1; the factors go to the layer below, and its centroids make up for it.
    pub(super) fn normalize(&mut self) -> Result<()> {
        let Self { u, side, stack, .. } = self;
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
                side.layers()?.scale_columns(&sums)?;
            }
        }
        stack.renew();
        Ok(())
    }
}
