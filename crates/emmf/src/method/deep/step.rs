//! What all layers ask of the samples, and the U step of all at once.

use super::DeepState;
use super::small::between;
use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::matrix::Mat;
use crate::method::Update;
use crate::method::hals::{Coordinates, move_rows};
use crate::method::side::{LayerSweep, OfLayers, SampleSide, Tree, Weighed, total};
use crate::real::Real;

impl<T: Real, S: SampleSide<T>> DeepState<T, S> {
    /// What brings λₗqᵢ⁽ˡ⁾ to a maximum of 1: a common factor changes nothing, but what is larger might overflow.
    pub(super) fn share_out(&mut self) {
        let largest =
            self.sights.iter().map(|sight| sight.lambda * sight.weighed.largest).fold(0.0, f64::max);
        let by = if largest > 0.0 { 1.0 / largest } else { 0.0 };
        self.factors = self.sights.iter().map(|sight| by * sight.lambda).collect();
    }

    /// XᵀQₗVₗ and VₗᵀQₗVₗ of all layers.
    pub(super) fn gather_pull(&mut self) -> Result<()> {
        let Self { stack, side, pull, factors, gram, moments, .. } = self;
        pull.clear();
        side.layers()?.pull_layers(stack, factors, pull)?;
        let Some(pull) = pull.total() else { return Ok(()) };
        *moments = pull.moments.iter().map(Mat::cast).collect();
        gram.as_mut_slice().fill(T::ZERO);
        for (layer, (moment, bar)) in moments.iter().zip(&stack.bars).enumerate() {
            stack.put(layer, &between(bar, moment), gram);
        }
        Ok(())
    }

    /// Uₗ ← Uₗ∘(XᵀQₗVₗ / Uₗ(VₗᵀQₗVₗ))^e, all side by side; then UₗᵀUₗ.
    pub(super) fn update_u(&mut self, exponent: f64) {
        let Self { u, pull, gram, scratch, .. } = self;
        if let Some(pull) = pull.total() {
            Update::Multiplicative { exponent }.matrix(u, &pull.p, gram, scratch);
        }
        self.multiply_centroids();
    }

    /// UₗᵀUₗ.
    pub(super) fn multiply_centroids(&mut self) {
        let Self { u, stack, gram, grams, .. } = self;
        gram.as_mut_slice().copy_from_slice(grams.of(u).as_slice());
        stack.within(gram);
    }

    /// V ← V∘(Σ Qₗ·XUₗ·B̄ₗᵀ / Σ Qₗ·V·B̄ₗ(UₗᵀUₗ)B̄ₗᵀ)^e, unless it stays, and the residuals of all layers.
    pub(super) fn update_v(&mut self, exponent: Option<f64>, is_crossed: bool) -> Result<()> {
        let smoothing = self.smoothing();
        let Self { u, gram, stack, side, factors, .. } = self;
        let sweep = LayerSweep { factors: factors.clone(), exponent, smoothing, is_crossed };
        let OfLayers(stats) =
            total(&mut Tree::default(), |out| side.layers()?.sweep_layers((u, gram), stack, &sweep, out))?;
        if !stats.iter().all(|stats| stats.sum.is_finite()) {
            return Err(Error::diverged(self.iteration));
        }
        self.stats = stats;
        Ok(())
    }

    /// The objective and Q of every layer at its residuals.
    pub(super) fn weigh(&mut self) -> Result<()> {
        let Self { sights, stats, side, .. } = self;
        let losses: Vec<&dyn Loss> = sights.iter().map(|sight| &*sight.loss).collect();
        let OfLayers(found): OfLayers<Weighed> =
            total(&mut Tree::default(), |out| side.layers()?.weigh_layers(&losses, stats, out))?;
        sights.iter_mut().zip(found).for_each(|(sight, found)| sight.weighed = found);
        Ok(())
    }

    /// The layers above get centroids: means of those below, then least squares with the weights of the first layer.
    pub(super) fn first_centroids(&mut self, sweeps: usize) -> Result<()> {
        let largest = self.sights[0].weighed.largest;
        self.factors = vec![if largest > 0.0 { 1.0 / largest } else { 0.0 }; self.sights.len()];
        self.gather_pull()?;
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
        if let Some(pull) = pull.total() {
            move_rows(u.as_mut_slice(), pull.p.as_slice(), gram, &by, spare.as_mut_slice());
        }
        self.multiply_centroids();
        Ok(())
    }
}
