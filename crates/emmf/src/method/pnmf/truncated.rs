//! Moments and entropy of the normal distribution truncated to [0, ∞).
//!
//! TN(μ, 1/τ) has σ = τ^−½ and x = −μ/σ; with L = φ(x)/(1 − Φ(x)) its mean is σ(L − x) and its variance
//! σ²(1 − L(L − x)). For x > 0 both differences cancel: at x = 50 ten digits are lost. So L − x and the
//! variance are approximated themselves, each by one polynomial for all x ≥ 0, which is right to a few
//! units in the last place from 0 to the far tail and needs neither an asymptotic series nor a function that
//! could underflow. Everything for x < 0 follows from it. There are no branches: a loop over entries
//! becomes vector instructions.

use super::coefficients::{MEAN, VARIANCE};
use crate::loss::entry::elementary::{exp_of_negative, ln};

/// ½·ln 2π and (2π)^−½.
const HALF_LN_2PI: f64 = 0.918_938_533_204_672_8;
const INV_SQRT_2PI: f64 = 0.398_942_280_401_432_7;

/// TN(−x, 1): mean, variance, and entropy.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Standard {
    pub(super) mean: f64,
    pub(super) variance: f64,
    /// ½ + ½x·mean − ln L = ½ + ½ln 2π + ½xL + ln Φ(−x).
    pub(super) entropy: f64,
}

impl Standard {
    /// The distribution with this x, which is finite.
    #[inline(always)]
    pub(super) fn at(x: f64) -> Self {
        let a = x.abs();
        let (q, inverse) = ((a - 4.0) / (a + 4.0), 1.0 / (1.0 + a));
        let mean = polynomial(&MEAN, q) * inverse;
        let variance = polynomial(&VARIANCE, q) * inverse * inverse;
        // L at |x|; the tail beyond |x| is φ/L.
        let hazard = a + mean;
        let density = INV_SQRT_2PI * exp_of_negative(0.5 * a * a);
        let below = 1.0 - density / hazard;
        let pull = density / below;
        let positive = x < 0.0;
        let log = ln(if positive { below } else { hazard });
        Self {
            mean: if positive { a + pull } else { mean },
            variance: if positive { 1.0 - pull * (pull + a) } else { variance },
            entropy: if positive {
                0.5 + HALF_LN_2PI - 0.5 * pull * a + log
            } else {
                0.5 + 0.5 * a * mean - log
            },
        }
    }
}

#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], q: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * q + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x, mean, variance, entropy − ½, computed with sixty digits.
    const FACTS: &[(f64, f64, f64, f64)] = &[
        (-1000.0, 1000.0, 1.0, 0.918_938_533_204_672_8),
        (-60.0, 60.0, 1.0, 0.918_938_533_204_672_8),
        (-38.0, 38.0, 1.0, 0.918_938_533_204_672_8),
        (-20.0, 20.0, 1.0, 0.918_938_533_204_672_8),
        (-8.3, 8.3, 0.999_999_999_999_996_3, 0.918_938_533_204_670_9),
        (-5.0, 5.000_001_486_719_941, 0.999_992_566_398_085_1, 0.918_934_529_753_207_6),
        (-3.0, 3.004_437_839_042_126, 0.986_666_788_458_259_2, 0.910_930_964_676_736_1),
        (-1.0, 1.287_599_970_939_178_3, 0.629_686_285_776_605_3, 0.602_384_768_711_633_7),
        (-0.5, 1.009_160_433_837_033_5, 0.486_175_435_696_367_1, 0.422_702_009_456_757_95),
        (-0.001, 0.798_248_050_056_433_1, 0.363_598_298_631_158_7, 0.226_190_294_906_956_27),
        (0.0, 0.797_884_560_802_865_4, 0.363_380_227_632_418_7, 0.225_791_352_644_727_44),
        (1.0e-9, 0.797_884_560_439_485_1, 0.363_380_227_414_405_07, 0.225_791_352_245_785_14),
        (0.1, 0.762_617_471_530_936_2, 0.342_152_844_962_668_2, 0.185_914_814_050_946_23),
        (0.5, 0.641_077_770_368_064_5, 0.268_480_407_155_878_95, 0.028_296_214_203_070_25),
        (1.0, 0.525_135_276_160_981_2, 0.199_097_665_570_348_8, -0.159_515_473_724_100_16),
        (2.0, 0.373_215_532_822_840_87, 0.114_279_100_414_081_25, -0.491_030_267_654_518_35),
        (3.7, 0.240_457_521_074_038_5, 0.052_487_352_584_985_85, -0.926_450_424_681_231_8),
        (5.0, 0.186_503_967_125_842_1, 0.032_696_434_617_112_226, -1.179_799_942_969_447_7),
        (8.0, 0.121_368_112_236_112_69, 0.014_324_883_443_340_911, -1.609_026_177_765_426_4),
        (10.0, 0.098_093_233_962_511_96, 0.009_445_377_825_656_262, -1.821_880_447_495_238),
        (15.0, 0.066_086_827_167_822_03, 0.004_330_123_757_559_894, -2.216_795_108_748_357_3),
        (25.0, 0.039_873_012_057_562_586, 0.001_584_841_470_392_889_4, -2.722_056_824_096_054),
        (40.0, 0.024_968_847_207_263_722, 0.000_622_668_378_591_388_8, -3.190_126_536_403_841),
        (49.0, 0.020_391_198_838_456_07, 0.000_415_455_925_583_053_2, -3.392_651_986_918_411),
        (51.0, 0.019_592_794_881_129_73, 0.000_383_583_451_129_754_3, -3.432_593_461_928_826_5),
        (60.0, 0.016_657_420_241_124_928, 0.000_277_315_883_414_769_2, -3.594_899_540_128_718),
        (100.0, 0.009_998_000_999_260_705, 9.994_004_994_826_346e-5, -4.105_370_111_037_381),
        (1000.0, 0.000_999_998_000_01, 9.999_940_000_499_995e-7, -6.407_757_278_974_637),
        (100_000.0, 9.999_999_998e-6, 9.999_999_994e-11, -11.012_925_465_170_229),
        (100_000_000.0, 9.999_999_999_999_999e-9, 9.999_999_999_999_994e-17, -17.920_680_743_952_367),
    ];

    #[track_caller]
    fn close(ours: f64, fact: f64, scale: f64, x: f64) {
        assert!((ours - fact).abs() <= 2e-15 * scale, "{ours:e} should be {fact:e} at {x}");
    }

    #[test]
    fn moments_from_one_tail_to_the_other() {
        for &(x, mean, variance, entropy) in FACTS {
            let ours = Standard::at(x);
            close(ours.mean, mean, mean, x);
            close(ours.variance, variance, variance, x);
            close(ours.entropy, 0.5 + entropy, 1.0 + entropy.abs(), x);
        }
    }

    /// The numbers of the method notes; the variance of TN(−40, 1) there is wrong in its tenth digit.
    #[test]
    fn published_moments() {
        for (mu, mean, variance) in [
            (1.0, 1.287_599_970_939, 0.629_686_285_776_6),
            (-1.0, 0.525_135_276_161_0, 0.199_097_665_570_3),
            (-40.0, 2.496_884_720_727e-2, 6.226_683_785_914e-4),
            (-1000.0, 9.999_980_000_100e-4, 9.999_940_000_50e-7),
        ] {
            let ours = Standard::at(-mu);
            assert!((ours.mean / mean - 1.0).abs() < 1e-12 && (ours.variance / variance - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn no_jump_anywhere() {
        let mut last = Standard::at(-60.0);
        for at in -59_999..60_000_i32 {
            let x = f64::from(at) / 1000.0;
            let next = Standard::at(x);
            assert!(next.mean < last.mean && next.variance <= last.variance * (1.0 + 1e-14), "{x}");
            assert!(next.entropy <= last.entropy + 1e-15, "{x}");
            last = next;
        }
    }

    #[test]
    fn huge_numbers_stay_finite() {
        for x in [1e60, 1e100, -1e60, -1e100] {
            let s = Standard::at(x);
            assert!(s.mean > 0.0 && s.variance > 0.0 && s.entropy.is_finite(), "{x}: {s:?}");
        }
        assert!(Standard::at(f64::NAN).mean.is_nan());
    }
}
