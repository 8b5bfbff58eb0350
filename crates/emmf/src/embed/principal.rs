//! The two main directions of samples, by subspace iteration. Cost: [`ITERATIONS`] times two products with [`WIDTH`] columns.

use super::compared::{Compared, Likeness, compared};
use crate::data::{Data, Dense, orthonormal_basis};
use crate::error::{Error, Result};
use crate::matrix::{Mat, Samples};
use crate::model::Model;
use crate::real::Real;
use crate::threads::Running;

/// Vectors that are worked on, more than the two that are wanted: they make the two come out fast.
const WIDTH: usize = 6;
/// A picture needs few digits.
const ITERATIONS: usize = 12;

/// Samples along their two principal components.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// One for each sample; all the same where samples do not differ.
    pub points: Vec<[f64; 2]>,
    /// Shares of the variance along the two axes.
    pub shares: [f64; 2],
    /// Where the centroids lie.
    pub centroids: Vec<[f64; 2]>,
    /// What is compared.
    pub by: Likeness,
}

/// Any samples along their two principal components, at unit length, as in [`layout`](super::layout()). They have the coefficients
/// `v`, which take their place where they are not given or values are missing.
///
/// ```
/// use emmf::embed::plane;
/// use emmf::{Running, Spec, synth};
/// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
/// let fit = Spec::emmf(3).fit(&data.x)?;
/// let found = plane(&fit.model, &fit.v, Some((&data.x).into()), &Running::default())?;
/// assert_eq!(found.points.len(), fit.labels.len());
/// # Ok::<(), emmf::Error>(())
/// ```
pub fn plane<T: Real>(
    model: &Model<T>,
    v: &Mat<T>,
    x: Option<Samples<'_, T>>,
    running: &Running<'_>,
) -> Result<Plane> {
    T::plane(model, v, x, running)
}

/// See [`plane`].
pub(crate) fn plane_of<T: Real>(
    model: &Model<T>,
    v: &Mat<T>,
    x: Option<Samples<'_, T>>,
    running: &Running<'_>,
) -> Result<Plane> {
    let c = model.centroids().cols();
    let n = x.as_ref().map_or(v.rows(), |x| x.shape().0);
    if v.shape() != (n, c) {
        return Err(Error::Shape { what: "the coefficients", got: v.shape(), want: (n, c) });
    }
    if let Some(x) = &x {
        model.check_features(x)?;
    }
    running.threads.run(|_| compared(model, (v, x), |compared| along_axes(&compared)))?
}

/// The plane of these samples.
pub(super) fn along_axes<T: Real>(
    &Compared { by, samples: x, centroids }: &Compared<'_, T>,
) -> Result<Plane> {
    let (n, d) = x.shape();
    let width = WIDTH.min(d).min(n);
    let ones = vec![T::ONE; n];
    let mut mean = Mat::zeros(d, 1);
    x.t_dot(&ones, &Mat::from_fn(n, 1, |_, _| T::from_f64(1.0 / n as f64)), &mut mean);
    // Vectors that seem random and are the same each time.
    let mut b = orthonormal_basis(Mat::from_fn(d, width, |j, k| T::from_f64(scattered(j * WIDTH + k))));
    for _ in 0..ITERATIONS {
        let along = centered(x.dot(&b), &mean, &b);
        let mut next = Mat::zeros(d, width);
        x.t_dot(&ones, &along, &mut next);
        // Columns of what is centered add up to 0, so that the mean has no part in the product.
        b = orthonormal_basis(next);
    }
    x.intact()?;
    let along = centered(x.dot(&b), &mean, &b);
    let mut order: Vec<usize> = (0..width).collect();
    let spread = |k: usize| (0..n).map(|i| along[(i, k)].to_f64().powi(2)).sum::<f64>();
    let spreads: Vec<f64> = (0..width).map(spread).collect();
    order.sort_by(|&a, &b| spreads[b].total_cmp(&spreads[a]));
    let length = (0..d).map(|j| mean[(j, 0)].to_f64().powi(2)).sum::<f64>();
    let total = x.norms_sq().iter().sum::<f64>() - n as f64 * length;
    // Rounding may leave more along an axis than there is, and next to nothing where all samples are alike.
    let share =
        |&k: &usize| if spreads[k] > 0.0 && total > 0.0 { (spreads[k] / total).min(1.0) } else { 0.0 };
    let shares = [0, 1].map(|rank| order.get(rank).map_or(0.0, share));
    let places = |along: &Mat<T>| {
        let at = |i: usize, rank: usize| order.get(rank).map_or(0.0, |&k| along[(i, k)].to_f64());
        (0..along.rows()).map(|i| [at(i, 0), at(i, 1)]).collect()
    };
    let centroids = places(&centered(Dense::new(centroids.view(), None).dot(&b), &mean, &b));
    Ok(Plane { points: places(&along), shares, centroids, by })
}

/// (X − 1·meanᵀ)·B, from X·B.
fn centered<T: Real>(mut along: Mat<T>, mean: &Mat<T>, b: &Mat<T>) -> Mat<T> {
    let shift = |k: usize| (0..b.rows()).map(|j| mean[(j, 0)].to_f64() * b[(j, k)].to_f64()).sum::<f64>();
    let shift: Vec<T> = (0..b.cols()).map(|k| T::from_f64(shift(k))).collect();
    for i in 0..along.rows() {
        along.row_mut(i).iter_mut().zip(&shift).for_each(|(value, &shift)| *value -= shift);
    }
    along
}

/// A number in [−½, ½) for every number (SplitMix64).
pub(super) fn scattered(number: usize) -> f64 {
    let mut z = (number as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}
