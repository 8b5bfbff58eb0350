//! Means, deviations, and whether two methods can be told apart.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Sign flips of the paired test.
const FLIPS: usize = 10_000;
/// A difference that chance would make more seldom than this counts.
pub(crate) const LEVEL: f64 = 0.05;
/// With fewer pairs random signs agree more often than that, whatever the differences.
pub(crate) const PAIRS: usize = 6;

/// Mean; 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Standard deviation; 0 for one.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    let (mean, n) = (mean(values), values.len());
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 }
}

/// `0.486 ± 0.012`; of one value there is no deviation.
pub(crate) fn with_deviation(values: &[f64]) -> String {
    let mean = mean(values);
    if values.len() > 1 { format!("{mean:.3} ± {:.3}", deviation(values)) } else { format!("{mean:.3}") }
}

/// How often random signs make the mean of these paired differences as large as it is.
pub(crate) fn chance(differences: &[f64]) -> f64 {
    let seen = differences.iter().sum::<f64>().abs() * (1.0 - 1e-12);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut flipped =
        || differences.iter().map(|x| if random.random::<bool>() { *x } else { -x }).sum::<f64>().abs();
    let as_large = (0..FLIPS).filter(|_| flipped() >= seen).count();
    (as_large + 1) as f64 / (FLIPS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::chance;

    #[test]
    fn a_steady_difference_counts_and_noise_does_not() {
        let noise: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { 0.01 } else { -0.01 }).collect();
        assert!(chance(&[0.01; 20]) < 0.001);
        assert!(chance(&noise) > 0.5);
        assert!(chance(&[0.0; 20]) > 0.99);
    }
}
