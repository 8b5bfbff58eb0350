//! A layout of samples in a plane that keeps neighbours together.
//!
//! The graph of nearest neighbours, whose weights fall with the distance at a pace of each sample's own, is laid out so that edges
//! pull and all other pairs push (UMAP: McInnes, Healy and Melville 2018; with the kernel 1/(1 + d²) of t-SNE, which needs no
//! power). It starts at the two main directions of the samples (Kobak and Linderman 2021: what a layout says about far
//! samples comes from its start). Random numbers come from one seed, and one thread moves the points: the same samples have the same layout.
//!
//! Samples are compared by direction: all are first scaled to unit length, after the preprocessing of the fit.

use super::compared::{Compared, compared};
use super::descent::descend;
use super::principal::{Plane, along_axes};
use crate::error::{Error, Result};
use crate::graph::{fuzzy_graph, nearest};
use crate::matrix::{Mat, Part, Samples};
use crate::model::Fit;
use crate::preprocess;
use crate::real::Real;
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
    /// The same along their two principal components, at unit length; what they are compared by holds for both.
    pub plane: Plane,
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
    running.threads.run(|_| {
        let v = Mat::try_from_rows(rows.iter().map(|&i| fit.v.row(i)))?;
        let part = match (rows.len() < n, preprocess::changes_values(fit.model.preprocessing())) {
            _ if work(&x, rows) > WORK => {
                return compared(&fit.model, (&v, None), |by| laid_out_by(&by, running));
            }
            (false, _) => None,
            (true, false) => Some(Part::of(&x, rows)?),
            // Values that change are in memory anyway, as in the fit.
            (true, true) => Some(Part::copy(&x, rows, |_| T::ONE)?),
        };
        let chosen = part.as_ref().map_or(x, Part::samples);
        compared(&fit.model, (&v, Some(chosen)), |by| laid_out_by(&by, running))
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

fn laid_out_by<T: Real>(compared: &Compared<'_, T>, running: &Running<'_>) -> Result<Layout> {
    let (plane, cancel) = (along_axes(compared)?, &running.cancel);
    let near = nearest(compared.samples, NEIGHBOURS, cancel)?;
    // With fewer neighbours there is nothing to keep together.
    let points = if near.k < 2 {
        plane.points.clone()
    } else {
        descend(&fuzzy_graph(&near)?, plane.points.clone(), cancel)?
    };
    Ok(Layout { points, plane })
}
