//! Widths of layers from the data: communities of the graph at several resolutions.

use super::graph;
use crate::data::Data;
use crate::error::Result;
use crate::graph::communities_at;
use crate::matrix::Samples;
use crate::real::Real;
use crate::spec::{GraphKind, GraphSpec, Spec};
use crate::threads::Running;

/// Maximum number of layers.
const MOST: usize = 3;
/// A layer is at least so many times as wide as the one above.
const WIDER: usize = 2;
/// Samples that a node of the first layer has at the least, in the mean.
const MEMBERS: usize = 4;
/// How often the resolution is doubled, at most.
const DOUBLED: i32 = 10;

impl Spec {
    /// Chooses the widths of layers for these samples, from the bottom up, as [`layered`](Self::layered) takes them: the last layer has
    /// as many nodes as the graph of the samples' directions has communities (modularity, Louvain), the layers below as many as
    /// there are at higher resolutions, each at least twice as many as the layer above. Preprocessing and graph are those of the fit.
    ///
    /// ```
    /// use emmf::{Running, Spec, synth};
    /// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    /// let widths = Spec::deep(&[6, 3]).choose_layers(&data.x, &Running::default())?;
    /// assert!(widths.windows(2).all(|pair| pair[0] >= 2 * pair[1]));
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn choose_layers<'a, T: Real>(
        &self,
        x: impl Into<Samples<'a, T>>,
        running: &Running<'_>,
    ) -> Result<Vec<usize>> {
        T::choose_layers(self, x.into(), running)
    }
}

pub(super) fn choose_layers<T: Real>(
    spec: &Spec,
    x: Samples<'_, T>,
    running: &Running<'_>,
) -> Result<Vec<usize>> {
    spec.prepared(x, (false, running), |data, _| {
        let graph = spec.graph.filter(|graph| graph.kind != GraphKind::Given).unwrap_or_default();
        let graph =
            graph::find(GraphSpec { kind: GraphKind::Knn, ..graph }, &data.unit(), None, &running.cancel)?;
        let most = (data.shape().0 / MEMBERS).max(1);
        let mut widths: Vec<usize> = Vec::new();
        for doubled in 0..DOUBLED {
            running.cancel.check()?;
            let found = communities_at(&graph, 2.0_f64.powi(doubled));
            let width = found.iter().max().map_or(1, |last| last + 1);
            let above = widths.last().copied();
            if above.is_some() && (width > most || widths.len() == MOST) {
                break;
            }
            if above.is_none_or(|above| width >= WIDER * above) {
                widths.push(width.min(most));
            }
        }
        widths.reverse();
        Ok(widths)
    })
}
