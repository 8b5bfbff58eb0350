//! What a page shows of a fit besides its numbers: centroids, the worst samples beside their approximations, and all
//! samples as points of a plane. Its size is bounded, whatever the data.

mod check;
mod features;
mod levels;
mod plane;
mod reduce;

use emmf::embed::layout;
use emmf::outliers::Part;
use emmf::synth::ImageShape;
use emmf::{Cut, Fit, Mat, Real, Running, Samples};
use serde::{Deserialize, Serialize};

use crate::factors::TINY;
pub use features::FeatureSketch;
pub use levels::{Levels, base64};
pub use plane::{LayoutSketch, MOST_POINTS, PlaneSketch, SilhouetteSketch};

use features::sketch_features;
use levels::range;
use reduce::Reduction;

/// The most centroids that are shown: those of the largest clusters.
const MOST_CENTROIDS: usize = 200;
/// Samples with the highest scores that are shown.
const OUTLIERS: usize = 48;
/// Features that are named with a centroid or a sample.
const FEATURES: usize = 12;
/// Bytes of thumbnails of samples that are not among the worst.
const MOST_THUMBNAIL_BYTES: usize = 1_600_000;

/// What a page shows of a fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sketch {
    /// Height and width of samples and centroids, where they are images; pixels run row by row.
    pub image: Option<[usize; 2]>,
    /// Whether each pixel is three numbers, red, green and blue, one after the other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub colour: bool,
    /// The centroids of the largest clusters.
    pub centroids: Vec<CentroidSketch>,
    /// The samples with the highest scores, the worst first.
    pub outliers: Vec<SampleSketch>,
    /// The samples as points.
    pub plane: PlaneSketch,
    /// The same points, near each other where the samples are alike; older records do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<LayoutSketch>,
    /// How far the clusters are apart, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silhouettes: Option<SilhouetteSketch>,
    /// Features at these points, all or those that tell the centroids apart best; none where thumbnails hold them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<FeatureSketch>,
    /// The other samples of the plane as thumbnails, where they are images and few enough; in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thumbnails: Vec<Levels>,
    /// The centroids of every layer, from the first on, where there are several; those with the most samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Vec<CentroidSketch>>,
}

/// A centroid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CentroidSketch {
    /// Its cluster, from 0.
    pub cluster: usize,
    /// As an image or a curve.
    pub shape: Levels,
    /// The features that it has most of.
    pub top: Vec<Feature>,
}

/// A sample and its approximation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleSketch {
    /// Its row, from 0.
    pub row: usize,
    /// As an image or a curve, after the preprocessing.
    pub shape: Levels,
    /// Its approximation U·v.
    pub fitted: Levels,
    /// The features that fit worst.
    pub worst: Vec<Misfit>,
    /// What every reason makes of its score; older records do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// A feature by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Its name, or its number from 1.
    pub name: String,
    /// How much of it there is.
    pub value: f64,
}

/// A feature that does not fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Misfit {
    /// Its name, or its number from 1.
    pub name: String,
    /// How much of it there is, after the preprocessing.
    pub value: f64,
    /// How much the model expects.
    pub fitted: f64,
}

/// Names and shape of the features.
#[derive(Debug, Clone, Copy, Default)]
pub struct Features<'a> {
    /// One name a feature.
    pub names: Option<&'a [String]>,
    /// How they make up an image.
    pub image: Option<ImageShape>,
}

impl Features<'_> {
    /// The name of feature j, from 0.
    pub fn name(&self, j: usize) -> String {
        self.names.and_then(|names| names.get(j)).cloned().unwrap_or_else(|| format!("x{}", j + 1))
    }
}

impl Sketch {
    /// The sketch of a fit of these samples, on all cores.
    pub fn new<T: Real>(fit: &Fit<T>, x: Samples<'_, T>, features: Features<'_>) -> emmf::Result<Self> {
        Self::on(&Running::default(), fit, x, features)
    }

    /// The same on other threads.
    pub fn on<T: Real>(
        running: &Running<'_>,
        fit: &Fit<T>,
        x: Samples<'_, T>,
        features: Features<'_>,
    ) -> emmf::Result<Self> {
        let reduction = Reduction::new(features.image, x.shape().1);
        let order = worst_first(fit)?;
        let worst = &order[..order.len().min(OUTLIERS)];
        let outlier = |(&row, parts)| sketch_sample(fit, x, (row, parts), (features, &reduction));
        let outliers = worst.iter().zip(parts(fit, x, worst, running)?).map(outlier);
        let outliers = outliers.collect::<emmf::Result<_>>()?;
        let shown = plane::shown(&order);
        let rows = shown.clone().unwrap_or_else(|| (0..order.len()).collect());
        let layout = layout(fit, x, &rows, running)?;
        let (plane, layout) = (PlaneSketch::new(&layout, shown), LayoutSketch::new(&layout));
        let thumbnails = thumbnails(fit, x, &plane, &reduction)?;
        let layers: Vec<Vec<CentroidSketch>> = std::iter::once(fit.model.centroids())
            .chain(fit.model.layers().iter().map(|layer| &layer.u))
            .zip(&fit.layers)
            .map(|(u, on)| sketch_centroids((u, &on.labels), features, &reduction))
            .collect();
        // Clusters are the nodes of the last layer.
        let flat = || sketch_centroids((fit.model.centroids(), &fit.labels), features, &reduction);
        let pixels = !thumbnails.is_empty();
        Ok(Self {
            image: reduction.image(),
            colour: reduction.is_colour(),
            centroids: layers.last().cloned().unwrap_or_else(flat),
            outliers,
            layout: Some(layout),
            silhouettes: SilhouetteSketch::new(fit, x, &plane, running)?,
            features: if pixels { Vec::new() } else { sketch_features(fit, x, &plane, features)? },
            plane,
            thumbnails,
            layers,
        })
    }
}

/// Rows by falling score, outliers before the others: one that was set aside may score less.
fn worst_first<T: Real>(fit: &Fit<T>) -> emmf::Result<Vec<usize>> {
    let outlier = fit.outliers(Cut::default())?;
    let mut order: Vec<usize> = (0..outlier.len()).collect();
    order.sort_by(|&a, &b| outlier[b].cmp(&outlier[a]).then(fit.scores[b].total_cmp(&fit.scores[a])));
    Ok(order)
}

/// What every reason makes of the scores of these samples.
fn parts<T: Real>(
    fit: &Fit<T>,
    x: Samples<'_, T>,
    rows: &[usize],
    running: &Running<'_>,
) -> emmf::Result<Vec<Vec<Part>>> {
    let mut given = Vec::new();
    for &row in rows {
        given.extend(x.row(row)?);
    }
    fit.model.outlier_parts(&Mat::from_vec(given, rows.len(), x.shape().1)?, running)
}

fn sketch_centroids<T: Real>(
    (u, labels): (&Mat<T>, &[usize]),
    features: Features<'_>,
    reduction: &Reduction,
) -> Vec<CentroidSketch> {
    let most = labels.iter().max().map_or(0, |label| label + 1);
    let mut sizes = vec![0_usize; u.cols().max(most)];
    labels.iter().for_each(|&label| sizes[label] += 1);
    let mut clusters: Vec<usize> = (0..u.cols()).collect();
    clusters.sort_by_key(|&k| std::cmp::Reverse(sizes[k]));
    clusters.truncate(MOST_CENTROIDS);
    clusters.sort_unstable();
    let centroid = |cluster: usize| {
        let values: Vec<f64> = (0..u.rows()).map(|j| u[(j, cluster)].to_f64()).collect();
        let shown = reduction.apply(&values);
        let top = largest(&values, FEATURES);
        let least = top.first().map_or(0.0, |&most| TINY * values[most]);
        let top = top.into_iter().filter(|&j| values[j] > least);
        CentroidSketch {
            cluster,
            shape: Levels::new(&shown, range(&shown)),
            top: top.map(|j| Feature { name: features.name(j), value: values[j] }).collect(),
        }
    };
    clusters.into_iter().map(centroid).collect()
}

fn sketch_sample<T: Real>(
    fit: &Fit<T>,
    x: Samples<'_, T>,
    (row, parts): (usize, Vec<Part>),
    (features, reduction): (Features<'_>, &Reduction),
) -> emmf::Result<SampleSketch> {
    let sample = prepared(fit, x, row)?;
    let fitted = approximation(fit, row);
    let (shown, shown_fitted) = (reduction.apply(&sample), reduction.apply(&fitted));
    // One scale for both, so that they can be compared.
    let range = range(shown.iter().chain(&shown_fitted));
    Ok(SampleSketch {
        row,
        shape: Levels::new(&shown, range),
        fitted: Levels::new(&shown_fitted, range),
        worst: misfits(&sample, &fitted, features),
        parts,
    })
}

/// The features that fit worst, the worst first.
pub fn misfits(sample: &[f64], fitted: &[f64], features: Features<'_>) -> Vec<Misfit> {
    let gaps: Vec<f64> = sample.iter().zip(fitted).map(|(x, y)| (x - y).abs()).collect();
    let worst = largest(&gaps, FEATURES).into_iter().filter(|&j| gaps[j] > 0.0);
    worst.map(|j| Misfit { name: features.name(j), value: sample[j], fitted: fitted[j] }).collect()
}

/// The places of the largest numbers, the largest first; NaN is none.
fn largest(values: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).filter(|&j| !values[j].is_nan()).collect();
    let falling = |a: &usize, b: &usize| values[*b].total_cmp(&values[*a]).then(a.cmp(b));
    if order.len() > count {
        order.select_nth_unstable_by(count, falling);
        order.truncate(count);
    }
    order.sort_by(falling);
    order
}

/// A sample after the preprocessing of the fit.
fn prepared<T: Real>(fit: &Fit<T>, x: Samples<'_, T>, row: usize) -> emmf::Result<Vec<f64>> {
    let given = x.row(row)?;
    let d = given.len();
    let prepared = fit.model.prepare(&Mat::from_vec(given, 1, d)?)?;
    Ok(prepared.as_slice().iter().map(|value| value.to_f64()).collect())
}

/// U·v of a sample.
fn approximation<T: Real>(fit: &Fit<T>, row: usize) -> Vec<f64> {
    let (u, v) = (fit.model.centroids(), fit.v.row(row));
    let entry = |j: usize| u.row(j).iter().zip(v).map(|(u, v)| u.to_f64() * v.to_f64()).sum();
    (0..u.rows()).map(entry).collect()
}

/// Every sample of the plane as a thumbnail, where there is room for that.
fn thumbnails<T: Real>(
    fit: &Fit<T>,
    x: Samples<'_, T>,
    plane: &PlaneSketch,
    reduction: &Reduction,
) -> emmf::Result<Vec<Levels>> {
    let pixels = reduction.numbers().unwrap_or(usize::MAX);
    if pixels.saturating_mul(plane.x.len()) > MOST_THUMBNAIL_BYTES {
        return Ok(Vec::new());
    }
    let thumbnail = |at: usize| {
        let shown = reduction.apply(&prepared(fit, x, plane.row(at))?);
        Ok(Levels::new(&shown, range(&shown)))
    };
    (0..plane.x.len()).map(thumbnail).collect()
}
