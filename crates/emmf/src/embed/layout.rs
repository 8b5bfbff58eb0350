//! A layout of samples in a plane that keeps neighbours together.
//!
//! The graph of nearest neighbours, whose weights fall with the distance at a pace of each sample's own, is laid out so that edges
//! pull and all other pairs push (UMAP: McInnes, Healy and Melville 2018; with the kernel 1/(1 + d²) of t-SNE, which needs no
//! power). It starts at the two main directions of the samples (Kobak and Linderman 2021: what a layout says about far
//! samples comes from its start). Random numbers come from one seed, and one thread moves the points: the same samples have the same layout.
//!
//! Samples are compared by direction: all are first scaled to unit length, after the preprocessing of the fit.

use serde::{Deserialize, Serialize};

use super::descent::descend;
use super::directions::{Directions, directions_of_centroids};
use super::principal::{Plane, plane};
use crate::cancel::Cancel;
use crate::data::{Data, Dense, Stored};
use crate::error::{Error, Result};
use crate::graph::{fuzzy_graph, nearest};
use crate::matrix::{Mat, Part, Samples};
use crate::model::Fit;
use crate::preprocess;
use crate::real::Real;
use crate::spec::Missing;
use crate::threads::Running;

/// Neighbours of each sample: with 5 small clusters fall apart, with 15 long ones (COIL20) run into each other.
const NEIGHBOURS: usize = 8;
/// Products up to which neighbours are looked for among the samples themselves: a few seconds on two cores.
const WORK: f64 = 1e11;
/// A stored entry of sparse samples takes as long as so many of dense ones.
const SPARSE: usize = 4;

/// Points of a plane, near each other if their samples are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// One for each sample that was asked for.
    pub points: Vec<[f64; 2]>,
    /// What is compared.
    pub by: Likeness,
    /// The same along its two principal components, at unit length.
    pub plane: Plane,
}

/// What samples are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// The samples themselves.
    Samples,
    /// Their coefficients: if values are missing, or if the samples are so many and so long that finding their neighbours would take minutes.
    Coefficients,
}

/// The layout of these samples of a fit; `rows` must ascend. It depends on the fit only if samples are compared by coefficients,
/// but for the places of the centroids.
///
/// Time O(m²d) for the neighbours of m samples with d features, and O(m) for the layout.
///
/// ```
/// use emmf::embed::layout;
/// use emmf::{Running, Spec, synth};
/// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
/// let fit = Spec::emmf(3).fit(&data.x)?;
/// let all: Vec<usize> = (0..fit.labels.len()).collect();
/// let found = layout(&fit, &data.x, &all, &Running::default())?;
/// assert_eq!(found.points.len(), all.len());
/// # Ok::<(), emmf::Error>(())
/// ```
pub fn layout<'a, T: Real>(
    fit: &Fit<T>,
    x: impl Into<Samples<'a, T>>,
    rows: &[usize],
    running: &Running<'_>,
) -> Result<Layout> {
    T::layout(fit, x.into(), rows, running)
}

/// See [`layout`].
pub(crate) fn laid_out<T: Real>(
    fit: &Fit<T>,
    x: Samples<'_, T>,
    rows: &[usize],
    running: &Running<'_>,
) -> Result<Layout> {
    fit.model.check_features(&x)?;
    let n = fit.v.rows();
    if x.shape().0 != n {
        return Err(Error::Shape { what: "the samples of the fit", got: x.shape(), want: (n, x.shape().1) });
    }
    if let Some(row) = rows.iter().find(|row| **row >= n) {
        return Err(Error::param("row", row, format!("less than the number of samples, {n}")));
    }
    let cancel = &running.cancel;
    running.threads.run(|_| {
        if fit.model.spec().missing == Missing::Nan || work(&x, rows) > WORK {
            let directions = Directions::of(fit.model.centroids(), &fit.v);
            let entries = rows.iter().flat_map(|&i| directions.row(i)).collect();
            let directions = Mat::from_vec(entries, rows.len(), fit.v.cols())?;
            // A sample that consists of one centroid alone has one coefficient.
            let pure = Mat::from_fn(fit.v.cols(), fit.v.cols(), |a, b| if a == b { T::ONE } else { T::ZERO });
            let of = Dense::new(directions.view(), None);
            return laid_out_by(Likeness::Coefficients, &of, &pure, cancel);
        }
        let steps = fit.model.preprocessing();
        let part = match (rows.len() < n, preprocess::changes_values(steps)) {
            (false, _) => None,
            (true, false) => Some(Part::of(&x, rows)?),
            // Values that change are in memory anyway, as in the fit.
            (true, true) => Some(Part::copy(&x, rows, |_| T::ONE)?),
        };
        let chosen = part.as_ref().map_or(x, Part::samples);
        let mut prepared = preprocess::apply(steps, chosen, false)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq);
        let centroids = directions_of_centroids(fit.model.centroids());
        laid_out_by(Likeness::Samples, &data.unit(), &centroids, cancel)
    })?
}

/// Products that the search for neighbours makes.
fn work<T: Real>(x: &Samples<'_, T>, rows: &[usize]) -> f64 {
    let entries = match x {
        Samples::Csr(x) => SPARSE * rows.iter().map(|&i| x.row_values(i).len()).sum::<usize>(),
        _ => rows.len() * x.shape().1,
    };
    0.5 * rows.len() as f64 * entries as f64
}

fn laid_out_by<T: Real, X: Data<T>>(
    by: Likeness,
    x: &X,
    centroids: &Mat<T>,
    cancel: &Cancel,
) -> Result<Layout> {
    let plane = plane(x, centroids)?;
    let near = nearest(x, NEIGHBOURS, cancel)?;
    // With fewer neighbours there is nothing to keep together.
    let points = if near.k < 2 {
        plane.points.clone()
    } else {
        descend(&fuzzy_graph(&near)?, plane.points.clone(), cancel)?
    };
    Ok(Layout { points, by, plane })
}
