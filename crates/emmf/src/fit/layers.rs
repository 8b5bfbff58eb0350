//! Widths of layers from the data: communities of the graph at several resolutions.

use super::aside::Split;
use super::{check, graph};
use crate::cancel::Deadline;
use crate::data::{Data, Stored};
use crate::error::Result;
use crate::graph::communities_at;
use crate::matrix::{Part, Samples};
use crate::real::Real;
use crate::registry;
use crate::spec::{GraphKind, Spec};
use crate::threads::Running;

/// Maximum number of layers.
const MOST: usize = 3;
/// A layer is at least so many times as wide as the one above.
const WIDER: usize = 2;
/// Samples that a node of the first layer has at the least, in the mean.
const MEMBERS: usize = 4;
/// Centroids assumed while looking for outliers, before the number is known.
const DESCRIBED: usize = 20;
/// How often the resolution is doubled, at most.
const DOUBLED: i32 = 10;

impl Spec {
    /// Chooses the widths of layers for these samples, from the bottom up, as [`layered`](Self::layered) takes them: the last layer has
    /// as many nodes as the graph of the samples' directions has communities (modularity, Louvain), the layers below as many as
    /// there are at higher resolutions, each at least twice as many as the layer above. Preprocessing and graph are those of the
    /// fit, except that a given graph is replaced by nearest neighbours, and outliers that the fit would set aside are left
    /// out. A single width, where there is nothing to merge, is a flat fit.
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
    let entry = registry::find(&spec.method)?;
    let n = x.shape().0;
    let cancel = running.cancel.until(Deadline::halfway(spec.time_limit));
    let running = &Running { cancel, ..running.clone() };
    // Widths that are not known yet are not what is checked.
    check::spec(&spec.clone().layered(if n > 1 { &[2, 1] } else { &[1] }), entry, x.shape())?;
    check::storage(entry, &x)?;
    let screened = Spec { k: DESCRIBED.min(n), ..spec.clone() };
    spec.prepared(x, (false, running), |data, _| {
        let (samples, scale) = data.parts();
        let plain = data.unscaled(samples);
        let found = plain.as_ref().unwrap_or(data);
        let Some(split) = Split::find(&screened, found, &vec![1.0; n], &running.cancel)? else {
            return widths(spec, data, running);
        };
        let part = Part::of(&samples, split.kept())?;
        let (scale, norms_sq) = (scale.map(|scale| split.of(scale)), split.of(data.norms_sq()));
        widths(spec, &Stored::new(part.samples(), scale, Some(norms_sq)), running)
    })
}

/// As many as there are communities of the graph of these samples at rising resolutions.
fn widths<T: Real>(spec: &Spec, data: &Stored<'_, T>, running: &Running<'_>) -> Result<Vec<usize>> {
    let graph = spec.graph.filter(|graph| graph.kind != GraphKind::Given).unwrap_or_default();
    let graph = graph::find(graph, &data.unit(), None, &running.cancel)?;
    let most = (data.shape().0 / MEMBERS).max(1);
    let mut widths: Vec<usize> = Vec::new();
    for doubled in 0..DOUBLED {
        running.cancel.check()?;
        if running.cancel.is_late() && !widths.is_empty() {
            break;
        }
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
}
