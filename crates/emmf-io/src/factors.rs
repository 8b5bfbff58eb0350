//! Coefficients and centroids as tables that other programs read.

use crate::dataset::{Dataset, Numbers};
use crate::npy_write::write_reals;
use crate::record::Record;
use crate::text::{field, number, write_named};
use emmf::model::OnLayer;
use emmf::{Fit, Mat, Model, Real};
use std::io::{self, Write};

/// A file format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// Text, with names.
    Csv,
    /// Parquet, with names.
    Parquet,
    /// Bare arrays.
    Npy,
}

/// Features of a centroid that `features.csv` lists.
const TOP: usize = 20;
/// What is less than this share of the largest entry of a centroid is nothing.
pub(crate) const TINY: f64 = 1e-6;

impl TableFormat {
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
            Self::Npy => "npy",
        }
    }
}

/// One row a sample: its coefficients, label, residual and outlier score, more columns by their names, and its name where it
/// has one.
pub fn coefficients<T: Real>(
    v: &Mat<T>,
    (labels, residuals, scores): (&[usize], &[f64], &[f64]),
    more: &[(String, Vec<f64>)],
    names: Option<Vec<String>>,
) -> Dataset
where
    Numbers: From<Mat<T>>,
{
    let k = v.cols();
    let entry = |i: usize, j: usize| match j - j.min(k) {
        _ if j < k => v[(i, j)],
        0 => T::from_f64(labels[i] as f64),
        1 => T::from_f64(residuals[i]),
        2 => T::from_f64(scores[i]),
        at => T::from_f64(more[at - 3].1[i]),
    };
    let columns = (0..k).map(|at| format!("v{at}")).chain(["label", "residual", "score"].map(String::from));
    let columns = columns.chain(more.iter().map(|(name, _)| name.clone()));
    let x = Mat::from_fn(v.rows(), k + 3 + more.len(), entry);
    Dataset { names, ..Dataset::new(x, None, Some(columns.collect())) }
}

/// What samples are on the layers, as columns with their names: coefficients on those above the first (`l2v0`, …), then node and score
/// on every layer (`label1`, `score1`, …). None where there is one layer.
pub fn layer_columns<T: Real>(
    model: &Model<T>,
    v: &Mat<T>,
    on: &[OnLayer],
) -> emmf::Result<Vec<(String, Vec<f64>)>> {
    let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
    for layer in 2..=on.len() {
        let v = model.coefficients_on(v, layer)?;
        let column = |k: usize| (0..v.rows()).map(|i| v[(i, k)].to_f64()).collect();
        columns.extend((0..v.cols()).map(|k| (format!("l{layer}v{k}"), column(k))));
    }
    for (layer, on) in (1..).zip(on) {
        columns.push((format!("label{layer}"), on.labels.iter().map(|&label| label as f64).collect()));
        columns.push((format!("score{layer}"), on.scores.clone()));
    }
    Ok(columns)
}

/// One row a feature: its entry in every centroid.
fn centroids<T: Real>(fit: &Fit<T>, features: &[String]) -> Dataset {
    let u = fit.model.centroids();
    let columns = (0..u.cols()).map(|at| format!("u{at}")).collect();
    Dataset { names: Some(features.to_vec()), ..Dataset::new(u.cast::<f64>(), None, Some(columns)) }
}

/// Writes the coefficients of a fit.
pub(crate) fn write_coefficients<T: Real>(
    out: &mut (dyn Write + Send),
    (fit, record): (&Fit<T>, &Record),
    format: TableFormat,
) -> io::Result<()> {
    if format == TableFormat::Npy {
        return write_reals(out, &fit.v);
    }
    let found = (&fit.labels[..], &fit.residuals[..], &fit.scores[..]);
    let more = layer_columns(&fit.model, &fit.v, &fit.layers).map_err(io::Error::other)?;
    let data = coefficients(&fit.v.cast::<f64>(), found, &more, record.samples.name.clone());
    write(out, &data, "name", format)
}

/// Writes the centroids of a fit.
pub(crate) fn write_centroids<T: Real>(
    out: &mut (dyn Write + Send),
    (fit, features): (&Fit<T>, &[String]),
    format: TableFormat,
) -> io::Result<()> {
    match format {
        TableFormat::Npy => write_reals(out, fit.model.centroids()),
        _ => write(out, &centroids(fit, features), "feature", format),
    }
}

fn write(out: &mut (dyn Write + Send), data: &Dataset, first: &str, format: TableFormat) -> io::Result<()> {
    match format {
        TableFormat::Parquet => parquet(out, data),
        _ => write_named(out, data, (b',', first)),
    }
}

/// A feature that a centroid has much of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MainFeature<T> {
    /// The centroid.
    pub centroid: usize,
    /// Its place among those of the centroid, from 1.
    pub rank: usize,
    /// The feature.
    pub feature: usize,
    /// How much of it there is.
    pub value: T,
    /// Which share of all centroids' that is.
    pub share: f64,
}

/// The features that each centroid has most of, at most so many, the largest first. What is next to nothing is left out.
pub fn main_features<T: Real>(u: &Mat<T>, most: usize) -> Vec<MainFeature<T>> {
    let of = |centroid: usize| {
        let entry = move |j: usize| u[(j, centroid)].to_f64();
        let mut order: Vec<usize> = (0..u.rows()).collect();
        order.sort_by(|&a, &b| entry(b).total_cmp(&entry(a)).then(a.cmp(&b)));
        let least = order.first().map_or(0.0, |&top| TINY * entry(top));
        let kept = order.into_iter().take(most).filter(move |&j| entry(j) > least);
        kept.enumerate().map(move |(at, feature)| {
            let all: f64 = u.row(feature).iter().map(|entry| entry.to_f64()).sum();
            let (rank, share) = (at + 1, entry(feature) / all);
            MainFeature { centroid, rank, feature, value: u[(feature, centroid)], share }
        })
    };
    (0..u.cols()).flat_map(of).collect()
}

/// Writes the features that each centroid has most of.
pub(crate) fn write_features<T: Real>(
    out: &mut dyn Write,
    (fit, features): (&Fit<T>, &[String]),
) -> io::Result<()> {
    writeln!(out, "centroid,rank,feature,value,share")?;
    for MainFeature { centroid, rank, feature, value, share } in main_features(fit.model.centroids(), TOP) {
        let (feature, value, share) = (field(&features[feature]), number(value), number(share));
        writeln!(out, "{centroid},{rank},{feature},{value},{share}")?;
    }
    Ok(())
}

#[cfg(feature = "parquet")]
use crate::parquet::write as parquet;

#[cfg(not(feature = "parquet"))]
fn parquet(_: &mut (dyn Write + Send), _: &Dataset) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "built without the feature `parquet`; write CSV instead"))
}
