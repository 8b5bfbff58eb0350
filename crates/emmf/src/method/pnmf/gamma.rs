//! The logarithm of the gamma function.

/// Where Stirling's series is right to the last digit.
const LARGE: f64 = 16.0;

/// B₂ₘ/(2m(2m − 1)), m = 1, 2, …
const STIRLING: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// ln Γ(x) for x > 0.
pub(super) fn ln_gamma(x: f64) -> f64 {
    // Γ(x + 1) = x·Γ(x) leads up to where the series holds.
    let (mut large, mut product) = (x, 1.0);
    while large < LARGE {
        product *= large;
        large += 1.0;
    }
    let square = 1.0 / (large * large);
    let series = STIRLING.iter().rev().fold(0.0, |sum, term| sum * square + term) / large;
    0.5 * std::f64::consts::TAU.ln() + (large - 0.5) * large.ln() - large + series - product.ln()
}

#[cfg(test)]
mod tests {
    use super::ln_gamma;

    #[test]
    fn known_values() {
        for (x, fact) in [
            (1e-5, 11.512_919_692_895_826),
            (0.5, 0.572_364_942_924_700_1),
            (1.0, 0.0),
            (2.0, 0.0),
            (7.0, 6.579_251_212_010_101),
            (16.5, 29.277_754_515_040_815),
            (16_201.0, 140_828.582_970_709_55),
            (3_686_401.0, 52_052_569.731_531_95),
        ] {
            let by = (ln_gamma(x) - fact).abs();
            assert!(by <= 2e-14 * (1.0 + fact.abs()), "{x}: {by:e}");
        }
    }
}
