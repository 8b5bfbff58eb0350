//! The features that vary most, for data in which most features are noise: genes of cells.
//!
//! Features with a large mean vary more whatever they tell. So a feature's dispersion, its variance over its mean, is
//! compared with that of features of about the same mean. Entries count up to a high quantile only, so that a few
//! outliers do not make a feature a variable one.

use crate::budget::Budget;
use crate::dataset::Numbers;
use crate::error::Problem;
use crate::order::Order;
use emmf::{Real, Samples};

/// Groups of features by their mean, and the fewest features that make one.
const GROUPS: usize = 20;
const LEAST: usize = 50;
/// Entries of a feature count up to this quantile of those that are not zero.
const QUANTILE: f64 = 0.98;

/// Where the `most` variable features are, in the order of the data. All features where there are no more.
pub fn variable_features(x: &Numbers, most: usize, budget: &Budget) -> Result<Order, Problem> {
    // The matrix by features.
    budget.fork().take(Some(2 * x.bytes()), "the features one by one")?;
    let places = match x {
        Numbers::F32(x) => most_variable(x.samples(), most),
        Numbers::F64(x) => most_variable(x.samples(), most),
    };
    Ok(Order::of_places(places?))
}

/// The places of the `most` variable features, in their order; all where there are no more.
pub fn most_variable<T: Real>(x: Samples<'_, T>, most: usize) -> emmf::Result<Vec<usize>> {
    let (samples, features) = x.shape();
    let mut order: Vec<usize> = (0..features).collect();
    if most == 0 || features <= most {
        return Ok(order);
    }
    let scores = scores(&by_feature(x, samples)?);
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order.truncate(most);
    order.sort_unstable();
    Ok(order)
}

/// Mean and dispersion of every feature.
fn by_feature<T: Real>(x: Samples<'_, T>, samples: usize) -> emmf::Result<Vec<(f64, f64)>> {
    let (_, features) = x.shape();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); features];
    let mut add = |j: usize, value: T| {
        let value = value.to_f64();
        if value != 0.0 && value.is_finite() {
            columns[j].push(value);
        }
    };
    match x {
        Samples::Csr(x) => (0..samples).for_each(|i| x.row(i).for_each(|(j, value)| add(j, value))),
        _ => {
            for i in 0..samples {
                x.row(i)?.into_iter().enumerate().for_each(|(j, value)| add(j, value));
            }
        }
    }
    Ok(columns.iter_mut().map(|values| moments(values, samples as f64)).collect())
}

fn moments(values: &mut [f64], samples: f64) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let at = ((values.len() - 1) as f64 * QUANTILE) as usize;
    let most = *values.select_nth_unstable_by(at, f64::total_cmp).1;
    let capped = || values.iter().map(|value| value.min(most));
    let mean = capped().sum::<f64>() / samples;
    let variance = (capped().map(|value| value * value).sum::<f64>() / samples - mean * mean).max(0.0);
    (mean, if mean == 0.0 { 0.0 } else { variance / mean.abs() })
}

/// How far the dispersion of a feature lies above the median of its group, in median deviations.
fn scores(moments: &[(f64, f64)]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..moments.len()).filter(|&j| moments[j].1 > 0.0).collect();
    order.sort_by(|&a, &b| moments[a].0.total_cmp(&moments[b].0));
    let mut scores = vec![f64::NEG_INFINITY; moments.len()];
    for group in order.chunks(order.len().div_ceil(GROUPS).max(LEAST)) {
        let logs: Vec<f64> = group.iter().map(|&j| moments[j].1.ln()).collect();
        let middle = median(&logs);
        let spread = median(&logs.iter().map(|log| (log - middle).abs()).collect::<Vec<_>>()).max(1e-12);
        group.iter().zip(&logs).for_each(|(&j, log)| scores[j] = (log - middle) / spread);
    }
    scores
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    let middle = values.len() / 2;
    if values.is_empty() { 0.0 } else { *values.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

#[cfg(test)]
mod tests {
    use super::{Order, variable_features};
    use crate::budget::Budget;
    use crate::dataset::Numbers;
    use emmf::{Csr, Mat};

    /// Features 3, 13, 23 … differ between two groups of samples; feature 7 has one huge entry. Means grow with the features.
    #[test]
    fn what_differs_between_groups_is_kept_and_one_huge_entry_is_not() {
        let x = Mat::from_fn(100, 200, |i, j| {
            let noise = ((i * 31 + j * 17) % 13) as f64 / 13.0;
            let size = 1.0 + j as f64 / 20.0;
            let differs = if j % 10 == 3 && i % 2 == 0 { 4.0 } else { 1.0 };
            let huge = if (i, j) == (5, 7) { 1e6 } else { 0.0 };
            size * differs * (1.0 + 0.3 * noise) + huge
        });
        let wanted: Vec<usize> = (0..200).filter(|j| j % 10 == 3).collect();
        let entries = (0..100).flat_map(|i| (0..200).map(move |j| (i, j)));
        let sparse: Csr<f64> =
            Csr::from_triplets((100, 200), entries.map(|(i, j)| (i, j, x[(i, j)])).collect())
                .unwrap_or_else(|e| unreachable!("{e}"));
        for x in [Numbers::from(x), Numbers::from(sparse)] {
            let found = variable_features(&x, 20, &Budget::default()).unwrap_or_else(|e| unreachable!("{e}"));
            assert_eq!(found, Order::of_places(wanted.clone()));
        }
    }
}
