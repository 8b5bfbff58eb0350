//! Exponential and logarithm without branches and calls, so that loops over them become vector instructions:
//! a call for every entry would take longer than the products around it. Right to the last digits.

/// 1.5·2⁵²: adding it leaves the nearest whole number in the last bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts, the first with zeros at its end.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// exp(−708) is the last that is a normal number.
const LAST: f64 = 708.0;

/// exp(−t) of t ≥ −708; 0 below the normal numbers.
#[inline(always)]
pub(crate) fn exp_of_negative(t: f64) -> f64 {
    let (power, rest) = split(t);
    if t > LAST { 0.0 } else { power + power * rest }
}

/// 1 − exp(−t) of t ≥ 0, right to the last digits also where t is small.
#[inline(always)]
pub(super) fn one_minus_exp_of_negative(t: f64) -> f64 {
    let (power, rest) = split(t);
    if t > LAST { 1.0 } else { (1.0 - power) - power * rest }
}

/// base^exponent of a normal number base > 0, to about as many digits as |exponent·ln base| leaves.
#[inline(always)]
pub(super) fn power(base: f64, exponent: f64) -> f64 {
    let t = -(exponent * ln(base));
    exp_of_negative(if t < -LAST { -LAST } else { t })
}

/// exp(−t) = power·(1 + rest) with a power of two.
#[inline(always)]
fn split(t: f64) -> (f64, f64) {
    let x = if t > LAST { -LAST } else { -t };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    // Taylor's series: |r| ≤ ½·ln 2, so the first term left out is below 1e-17.
    let mut sum = 1.0 / 6_227_020_800.0;
    for inverse in [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
    ] {
        sum = sum * r + inverse;
    }
    (f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52), sum * r)
}

/// The bits of √½ and of 2⁵².
const ROOT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
const TWO_52: u64 = 0x4330_0000_0000_0000;
/// 2⁵² + 2048.
const BIASED: f64 = 4_503_599_627_372_544.0;

/// ln x of a normal number x > 0.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    // x = m·2ᵉ with √½ ≤ m < √2.
    let above = x.to_bits().wrapping_sub(ROOT_HALF);
    let e_and_bias = above.wrapping_add(1 << 63) >> 52;
    let e = f64::from_bits(TWO_52 + e_and_bias) - BIASED;
    let m = f64::from_bits(x.to_bits().wrapping_sub(above & !((1 << 52) - 1)));
    // ln m = 2·artanh s, s = (m − 1)/(m + 1), |s| < 0.172: the first term left out is below 1e-18.
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut sum = 2.0 / 21.0;
    for inverse in [
        2.0 / 19.0,
        2.0 / 17.0,
        2.0 / 15.0,
        2.0 / 13.0,
        2.0 / 11.0,
        2.0 / 9.0,
        2.0 / 7.0,
        2.0 / 5.0,
        2.0 / 3.0,
    ] {
        sum = sum * z + inverse;
    }
    e * LN2_HIGH + (2.0 * s + (s * z * sum + e * LN2_LOW))
}

#[cfg(test)]
mod tests {
    use super::{exp_of_negative, ln, one_minus_exp_of_negative, power};

    #[test]
    fn exponential() {
        for at in 0..100_000 {
            let t = f64::from(at) * 0.007_08;
            let (ours, exact) = (exp_of_negative(t), (-t).exp());
            assert!((ours - exact).abs() <= 4e-16 * exact, "{t}: {ours}, should be {exact}");
            for t in [t, t * 1e-9] {
                let (ours, exact) = (one_minus_exp_of_negative(t), -(-t).exp_m1());
                assert!((ours - exact).abs() <= 4e-16 * exact, "{t}: {ours}, should be {exact}");
            }
        }
        assert_eq!(
            (exp_of_negative(0.0), exp_of_negative(709.0), exp_of_negative(f64::INFINITY)),
            (1.0, 0.0, 0.0)
        );
        assert!(exp_of_negative(f64::NAN).is_nan());
    }

    #[test]
    fn powers() {
        for at in 1..10_000 {
            for base in [f64::from(at) * 3.3e-5, f64::from(at) * 1e60] {
                for exponent in [-3.0, -0.5, 0.0, 0.3, 1.0, 2.0] {
                    let (ours, exact) = (power(base, exponent), base.powf(exponent));
                    let digits = 4e-16 * (1.0 + (exponent * base.ln()).abs());
                    assert!(
                        (ours - exact).abs() <= digits * exact,
                        "{base}^{exponent}: {ours}, should be {exact}"
                    );
                }
            }
        }
        assert!(power(1e300, 3.0) > 1e307 && power(1e-300, 3.0) == 0.0);
    }

    #[test]
    fn logarithm() {
        for at in 1..100_000 {
            for x in [f64::from(at) * 3.3e-5, f64::from(at) * 1e290, 1e-303 * f64::from(at)] {
                let (ours, exact) = (ln(x), x.ln());
                assert!((ours - exact).abs() <= 4e-16 * exact.abs(), "{x}: {ours}, should be {exact}");
            }
        }
        assert_eq!(ln(1.0), 0.0);
    }
}
