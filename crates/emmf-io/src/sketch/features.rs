//! The values of features at the points of the plane, so that it can be coloured by them.

use emmf::{Fit, Mat, Real, Samples};
use serde::{Deserialize, Serialize};

use super::levels::{Levels, range};
use super::{Features, PlaneSketch, largest};

/// Maximum number of values of all features together.
const MOST_VALUES: usize = 1_000_000;

/// A feature at the points of the plane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureSketch {
    /// Its name, or its number from 1.
    pub name: String,
    /// Its values after the preprocessing, in the order of the plane.
    pub values: Levels,
}

/// All features, or those that tell the centroids apart best, as many as there is room for.
pub(super) fn sketch_features<T: Real>(
    fit: &Fit<T>,
    x: Samples<'_, T>,
    plane: &PlaneSketch,
    features: Features<'_>,
) -> emmf::Result<Vec<FeatureSketch>> {
    let most = MOST_VALUES / plane.x.len().max(1);
    let chosen = telling(fit.model.centroids(), most);
    let rows: Vec<usize> = (0..plane.x.len()).map(|at| plane.row(at)).collect();
    let values = fit.model.prepare_columns(x, &rows, &chosen)?;
    let sketch = |(at, &j): (usize, &usize)| {
        let column: Vec<f64> = (0..rows.len()).map(|i| values[(i, at)].to_f64()).collect();
        FeatureSketch { name: features.name(j), values: Levels::new(&column, range(&column)) }
    };
    Ok(chosen.iter().enumerate().map(sketch).collect())
}

/// The features whose shares in the centroids differ most, in their order.
fn telling<T: Real>(u: &Mat<T>, most: usize) -> Vec<usize> {
    let (d, c) = u.shape();
    if d <= most {
        return (0..d).collect();
    }
    let length = |k: usize| (0..d).map(|j| u[(j, k)].to_f64().powi(2)).sum::<f64>().sqrt();
    let lengths: Vec<f64> = (0..c).map(|k| length(k).max(f64::MIN_POSITIVE)).collect();
    let spread = |j: usize| {
        let shares = (0..c).map(|k| u[(j, k)].to_f64() / lengths[k]);
        let (low, high) = shares.fold((f64::INFINITY, 0.0_f64), |(low, high), s| (low.min(s), high.max(s)));
        if c > 1 { high - low } else { high }
    };
    let mut chosen = largest(&(0..d).map(spread).collect::<Vec<f64>>(), most);
    chosen.sort_unstable();
    chosen
}
