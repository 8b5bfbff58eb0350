//! Scales that a minority of residuals cannot move, however large they are.

/// Samples with higher scores are outliers. Of samples whose residuals are normally distributed, one in 4300 is; for the
/// share on real data without outliers see docs/robustness.md.
pub const THRESHOLD: f64 = 3.5;

/// Makes the median absolute deviation of normally distributed values their standard deviation.
const NORMAL: f64 = 1.4826;

/// The smallest value whose cumulated weight reaches half, of (value, weight) pairs with positive weights; 0 of
/// none. Sorts them.
pub fn weighted_median(pairs: &mut [(f64, f64)]) -> f64 {
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * pairs.iter().map(|pair| pair.1).sum::<f64>();
    let mut below = 0.0;
    let reaches = pairs.iter().find(|pair| {
        below += pair.1;
        below >= half
    });
    reaches.or(pairs.last()).map_or(0.0, |pair| pair.0)
}

/// Median and robust standard deviation of residuals with their weights.
pub(super) fn median_and_deviation(mut residuals: Vec<(f64, f64)>) -> (f64, f64) {
    residuals.retain(|(_, weight)| *weight > 0.0);
    let median = weighted_median(&mut residuals);
    residuals.iter_mut().for_each(|(r, _)| *r = (*r - median).abs());
    (median, NORMAL * weighted_median(&mut residuals))
}

/// The variance of normally distributed residuals with this median absolute value.
pub(crate) fn normal_variance(median: f64) -> f64 {
    (NORMAL * median).powi(2)
}
