//! The layers of a model, and samples on them.

use serde::{Deserialize, Serialize};

use super::{Model, ResidualScale};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::init::Factors;
use crate::matrix::Mat;
use crate::method::{Layer, Layers, largest, observed_residuals, product, residuals, rows_times};
use crate::outliers::Reason;
use crate::real::Real;
use crate::spec::Missing;

/// Samples on one layer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OnLayer {
    /// The node of every sample, from 0.
    pub labels: Vec<usize>,
    /// ‖x − Uₗ·B̄ₗᵀ·v‖₂ of every preprocessed sample.
    pub residuals: Vec<f64>,
    /// The outlier score of the sample with its residual on this layer: a sample may fit its node of a fine layer but none of a
    /// coarse one.
    pub scores: Vec<f64>,
    /// What decides the score.
    #[serde(default)]
    pub reasons: Vec<Reason>,
}

impl OnLayer {
    pub(crate) fn of(
        labels: Vec<usize>,
        residuals: Vec<f64>,
        (scores, reasons): (Vec<f64>, Vec<Reason>),
    ) -> Self {
        Self { labels, residuals, scores, reasons }
    }

    /// With the residuals of all layers and their verdicts, those on the first being `first`.
    pub(crate) fn judge(
        layers: &mut [Self],
        first: (&[f64], &[Reason]),
        above: Vec<(Vec<f64>, Vec<Reason>)>,
    ) {
        let first = std::iter::once((first.0.to_vec(), first.1.to_vec()));
        for (on, verdict) in layers.iter_mut().zip(first.chain(above)) {
            (on.scores, on.reasons) = verdict;
        }
    }

    /// The residuals of samples on all layers, those on the first being `first`.
    pub(crate) fn residuals<'a>(layers: &'a [Self], first: &'a [f64]) -> Vec<&'a [f64]> {
        std::iter::once(first).chain(layers.iter().skip(1).map(|on| &on.residuals[..])).collect()
    }

    fn scored(labels: Vec<usize>, residuals: Vec<f64>, scale: ResidualScale) -> Self {
        let scores = residuals.iter().map(|&r| scale.score(r)).collect();
        let reasons = vec![Reason::default(); residuals.len()];
        Self { labels, residuals, scores, reasons }
    }
}

/// The layers above the first, each with what its scores are relative to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Above<T> {
    layers: Vec<Layer<T>>,
    scales: Vec<ResidualScale>,
}

impl<T> Default for Above<T> {
    fn default() -> Self {
        Self { layers: Vec::new(), scales: Vec::new() }
    }
}

impl<T: Real> Model<T> {
    /// The same model with these layers above, from the bottom up, each with the scale of its residuals.
    pub fn with_layers(self, layers: Vec<Layer<T>>, scales: Vec<ResidualScale>) -> Result<Self> {
        let (d, mut below) = self.u.shape();
        let (got, want) = ((layers.len(), scales.len()), (self.spec.above.len(), self.spec.above.len()));
        if got != want {
            return Err(Error::Shape { what: "the layers and their scales", got, want });
        }
        for (layer, &width) in layers.iter().zip(&self.spec.above) {
            let sure = (layer.certainty.len(), 1);
            let parts = [
                ("the centroids of a layer", layer.u.shape(), (d, width)),
                ("the shares of a layer", layer.b.shape(), (below, width)),
                ("the certainties of a layer", sure, (below, 1)),
            ];
            if let Some((what, got, want)) = parts.into_iter().find(|(_, got, want)| got != want) {
                return Err(Error::Shape { what, got, want });
            }
            let numbers = layer.u.as_slice().iter().map(|u| u.to_f64());
            let mut numbers =
                numbers.chain(layer.b.as_slice().iter().copied()).chain(layer.certainty.iter().copied());
            if numbers.any(|number| !(number >= 0.0 && number.is_finite())) {
                return Err(Error::param("a layer", "negative or not finite", "finite and nonnegative"));
            }
            below = width;
        }
        Ok(Self { above: Above { layers, scales }, ..self })
    }

    /// The layers above the first, from the bottom up.
    pub fn layers(&self) -> &[Layer<T>] {
        &self.above.layers
    }

    /// What the scores on the layers above are relative to.
    pub fn layer_scales(&self) -> &[ResidualScale] {
        &self.above.scales
    }

    /// The coefficients of samples on a layer, counted from 1, given those on the first: V·B₂⋯Bₗ.
    pub fn coefficients_on(&self, v: &Mat<T>, layer: usize) -> Result<Mat<T>> {
        let ((n, c), want) = (v.shape(), self.u.cols());
        if c != want {
            return Err(Error::Shape { what: "V", got: (n, c), want: (n, want) });
        }
        Ok(self.bar(layer)?.map_or_else(|| v.clone(), |bar| rows_times(v, &bar)))
    }

    /// The nodes on a layer, counted from 1, of samples that belong to these nodes of the first.
    pub fn labels_on(&self, nodes: &[usize], layer: usize) -> Result<Vec<usize>> {
        self.check_layer(layer)?;
        let mut labels = nodes.to_vec();
        for above in &self.above.layers[..layer - 1] {
            let parents = above.parents();
            labels.iter_mut().for_each(|node| *node = parents.get(*node).copied().unwrap_or(0));
        }
        Ok(labels)
    }

    /// B₂⋯Bₗ, which is nothing for the first layer.
    fn bar(&self, layer: usize) -> Result<Option<Mat<f64>>> {
        self.check_layer(layer)?;
        let mut bar: Option<Mat<f64>> = None;
        for above in &self.above.layers[..layer - 1] {
            bar = Some(bar.map_or_else(|| above.b.clone(), |bar| product(&bar, &above.b)));
        }
        Ok(bar)
    }

    fn check_layer(&self, layer: usize) -> Result<()> {
        let count = self.above.layers.len() + 1;
        if (1..=count).contains(&layer) {
            return Ok(());
        }
        Err(Error::param("layer", layer, format!("from 1 to {count}, the number of layers")))
    }

    /// Samples that a fit has left on all layers; nothing where there is only one.
    pub(crate) fn seen(&self, nodes: &[usize], first: &[f64], above: &[Vec<f64>]) -> Result<Vec<OnLayer>> {
        let scales = std::iter::once(self.residual_scale).chain(self.above.scales.iter().copied());
        let residuals = std::iter::once(first).chain(above.iter().map(Vec::as_slice));
        let layers = (1..).zip(residuals).zip(scales);
        layers
            .map(|((layer, r), scale)| Ok(OnLayer::scored(self.labels_on(nodes, layer)?, r.to_vec(), scale)))
            .collect()
    }

    /// Coded samples on all layers, with the residuals of the first; nothing where there is only one.
    pub(super) fn on_layers<X: Data<T>>(&self, x: &X, v: &Mat<T>, first: &[f64]) -> Result<Vec<OnLayer>> {
        if self.above.layers.is_empty() {
            return Ok(Vec::new());
        }
        let mut above = Vec::new();
        for (at, layer) in self.above.layers.iter().enumerate() {
            let v = self.coefficients_on(v, at + 2)?;
            above.push(match self.spec.missing {
                Missing::Nan => observed_residuals(x, &layer.u, &v),
                Missing::Refuse => residuals(x, &mut Factors { u: layer.u.clone(), v })?,
            });
        }
        self.seen(&largest(v, &self.u, self.spec.label_rule.unwrap_or_default()), first, &above)
    }

    /// The model with the layers that a fit has left, and its samples on them.
    pub(crate) fn layered(self, left: Layers<T>, first: &[f64]) -> Result<(Self, Vec<OnLayer>)> {
        let Layers { above, labels, residuals } = left;
        let scales = residuals.iter().map(|residuals| ResidualScale::of(residuals)).collect();
        let model = self.with_layers(above, scales)?;
        let seen = model.seen(&labels, first, &residuals)?;
        Ok((model, seen))
    }
}
