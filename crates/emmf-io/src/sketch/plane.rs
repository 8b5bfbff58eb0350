//! Samples as points: which ones, by principal components, and in a layout that keeps neighbours together.

use emmf::embed::{Layout, Likeness};
use emmf::metrics::silhouettes;
use emmf::{Fit, Missing, Real, Running, Samples};
use serde::{Deserialize, Serialize};

/// The most points of the plane.
pub const MOST_POINTS: usize = 10_000;
/// Of these, samples with the highest scores.
const MOST_OUTLIERS: usize = 1_000;

/// Samples as points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlaneSketch {
    /// Which samples, where these are not all.
    pub rows: Option<Vec<usize>>,
    /// Across.
    pub x: Vec<f32>,
    /// Upwards.
    pub y: Vec<f32>,
    /// Shares of the variance along both.
    pub shares: [f64; 2],
    /// Whose variance; older records have coefficients.
    #[serde(default = "coefficients")]
    pub by: Likeness,
    /// Where the centroids are; older records do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub centroids: Vec<[f32; 2]>,
}

/// The same samples, near each other where they are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LayoutSketch {
    /// Across.
    pub x: Vec<f32>,
    /// Upwards.
    pub y: Vec<f32>,
    /// What is alike.
    pub by: Likeness,
}

/// How far the clusters are apart, by [`silhouettes`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SilhouetteSketch {
    /// Of the samples of the plane, in its order.
    pub points: Vec<f32>,
    /// The mean of every cluster, 0 of an empty one.
    pub clusters: Vec<f64>,
    /// The mean of all samples.
    pub mean: f64,
}

/// The samples to show: all (`None`), or the worst ones and as many others as there is room for, evenly spaced.
pub(super) fn shown(order: &[usize]) -> Option<Vec<usize>> {
    let n = order.len();
    if n <= MOST_POINTS {
        return None;
    }
    let others = MOST_POINTS - MOST_OUTLIERS;
    let mut rows: Vec<usize> = order[..MOST_OUTLIERS].to_vec();
    rows.extend((0..others).map(|at| at * n / others));
    rows.sort_unstable();
    rows.dedup();
    Some(rows)
}

fn coefficients() -> Likeness {
    Likeness::Coefficients
}

impl PlaneSketch {
    /// Of the layout of these samples, or of all.
    pub(super) fn new(layout: &Layout, rows: Option<Vec<usize>>) -> Self {
        let along = |axis: usize| layout.plane.points.iter().map(|point| rounded(point[axis])).collect();
        let centroids = layout.plane.centroids.iter().map(|point| point.map(rounded)).collect();
        Self { x: along(0), y: along(1), shares: layout.plane.shares, by: layout.plane.by, centroids, rows }
    }

    /// The sample of a point.
    pub(super) fn row(&self, at: usize) -> usize {
        self.rows.as_ref().map_or(at, |rows| rows[at])
    }
}

impl LayoutSketch {
    pub(super) fn new(layout: &Layout) -> Self {
        let along = |axis: usize| layout.points.iter().map(|point| rounded(point[axis])).collect();
        Self { x: along(0), y: along(1), by: layout.plane.by }
    }
}

impl SilhouetteSketch {
    /// None where there is one cluster, or values are missing.
    pub(super) fn new<T: Real>(
        fit: &Fit<T>,
        x: Samples<'_, T>,
        plane: &PlaneSketch,
        running: &Running<'_>,
    ) -> emmf::Result<Option<Self>> {
        let clusters = fit.model.spec().label_count();
        if clusters < 2 || fit.model.spec().missing == Missing::Nan {
            return Ok(None);
        }
        let all = silhouettes(&fit.model, x, &fit.labels, running)?;
        let mut sums = vec![(0.0, 0_usize); clusters];
        fit.labels
            .iter()
            .zip(&all)
            .for_each(|(&label, s)| sums[label] = (sums[label].0 + s, sums[label].1 + 1));
        Ok(Some(Self {
            points: (0..plane.x.len()).map(|at| rounded(all[plane.row(at)])).collect(),
            clusters: sums.iter().map(|&(sum, count)| sum / count.max(1) as f64).collect(),
            mean: all.iter().sum::<f64>() / all.len().max(1) as f64,
        }))
    }
}

/// To the precision of a picture.
fn rounded(value: f64) -> f32 {
    ((value * 1e4).round() / 1e4) as f32
}
