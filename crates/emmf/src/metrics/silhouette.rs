//! Silhouettes (Rousseeuw 1987): whether a sample is nearer to its own cluster than to the next one.
//!
//! s = (b − a)/max(a, b), where a is the mean distance to the other samples of its cluster and b the smallest mean distance to those
//! of another one. It is 1 if clusters are far apart, 0 between two of them, and negative if another cluster is nearer.
//!
//! The distance is 1 − cos. Its mean over a cluster C follows from the sum of C's samples at unit length, 1 − x·Σ_C/|C|, so that
//! silhouettes of all n samples take O(ndk), not O(n²d).

use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::matrix::Samples;
use crate::model::Model;
use crate::preprocess;
use crate::real::Real;
use crate::spec::Missing;
use crate::threads::Running;

/// The silhouettes of samples with these labels, after the preprocessing of the model. The only sample of a cluster gets 0,
/// and so do all samples if there is only one cluster.
///
/// ```
/// use emmf::metrics::silhouettes;
/// use emmf::{Mat, Running, Spec};
/// let x = Mat::from_rows([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]]);
/// let fit = Spec::emmf(2).fit(&x)?;
/// let found = silhouettes(&fit.model, &x, &fit.labels, &Running::default())?;
/// assert!(found.iter().all(|s| *s > 0.9));
/// # Ok::<(), emmf::Error>(())
/// ```
pub fn silhouettes<'a, T: Real>(
    model: &Model<T>,
    x: impl Into<Samples<'a, T>>,
    labels: &[usize],
    running: &Running<'_>,
) -> Result<Vec<f64>> {
    T::silhouettes(model, x.into(), labels, running)
}

/// See [`silhouettes`].
pub(crate) fn silhouettes_of<T: Real>(
    model: &Model<T>,
    x: Samples<'_, T>,
    labels: &[usize],
    running: &Running<'_>,
) -> Result<Vec<f64>> {
    model.check_features(&x)?;
    if labels.len() != x.shape().0 {
        return Err(Error::Shape { what: "the labels", got: (labels.len(), 1), want: (x.shape().0, 1) });
    }
    if model.spec().missing == Missing::Nan {
        return Err(Error::param("missing", "nan", "error: silhouettes need all values"));
    }
    running.threads.run(|_| {
        let mut prepared = preprocess::apply(model.preprocessing(), x, false)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq);
        let unit = data.unit();
        let mut members = vec![Vec::new(); labels.iter().max().map_or(0, |last| last + 1)];
        labels.iter().enumerate().for_each(|(i, &label)| members[label].push(i));
        let sums = unit.sums_of(&members, &vec![T::ONE; labels.len()]);
        let products = unit.dot(&sums);
        unit.intact()?;
        running.cancel.check()?;
        let sizes: Vec<f64> = members.iter().map(|members| members.len() as f64).collect();
        let norms_sq = unit.norms_sq();
        Ok((0..labels.len()).map(|i| silhouette(labels[i], norms_sq[i], (products.row(i), &sizes))).collect())
    })?
}

/// Of a sample of this cluster, given its products with the sums of all clusters.
fn silhouette<T: Real>(own: usize, norm_sq: f64, (products, sizes): (&[T], &[f64])) -> f64 {
    if sizes[own] < 2.0 {
        return 0.0;
    }
    // Its distance to itself is none.
    let others = sizes[own] - 1.0;
    let within = (1.0 - (products[own].to_f64() - norm_sq) / others).max(0.0);
    let to = |k: usize| (1.0 - products[k].to_f64() / sizes[k]).max(0.0);
    let next = (0..sizes.len()).filter(|&k| k != own && sizes[k] > 0.0).map(to).fold(f64::INFINITY, f64::min);
    let most = within.max(next);
    // Distances that are rounding say nothing.
    if next.is_finite() && most > 16.0 * T::NOISE.to_f64() { (next - within) / most } else { 0.0 }
}
