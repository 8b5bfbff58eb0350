//! Numbers that were computed independently, on the tiny problem of the method notes: objectives
//! before any update, after 1 and after 10 iterations, in double precision.

use emmf::data::Dense;
use emmf::loss::entry::{EntryCorrentropy, EntryLoss};
use emmf::loss::weighted_median;
use emmf::method::median_sweep;
use emmf::{Factors, Mat, Solver, Spec};

fn samples() -> Mat<f64> {
    Mat::from_rows([[1.0, 0.0, 2.0], [2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [4.0, 1.0, 5.0]])
}

fn start() -> Factors<f64> {
    Factors {
        u: Mat::from_rows([[1.0, 0.5], [0.5, 1.0], [1.0, 1.0]]),
        v: Mat::from_rows([[1.0, 0.5], [0.5, 1.0], [0.5, 0.5], [1.0, 1.0]]),
    }
}

fn fit(spec: &Spec) -> emmf::Fit<f64> {
    spec.on(&samples()).start(&start()).fit().unwrap()
}

/// All given digits are right: nine decimals.
fn check(spec: Spec, facts: [f64; 3]) {
    let spec = spec.max_iter(10).polish(false);
    let fit = fit(&spec);
    for (ours, fact) in [fit.initial, fit.trace[0], fit.trace[9]].into_iter().zip(facts) {
        assert!((ours - fact).abs() < 1e-9, "{spec:?}: {ours} should be {fact}");
    }
    assert!((fit.objective - fit.trace[9]).abs() < 1e-12 * fit.objective);
}

#[test]
fn nmf() {
    check(Spec::new("nmf", 2).solver(Solver::Mu), [25.75, 11.355_341_497, 3.333_780_239]);
    check(Spec::new("nmf", 2).exponent(0.5), [25.75, 15.432_706_924, 6.196_322_203]);
    check(
        Spec::new("nmf", 2).solver(Solver::Hals).sweeps(1).extrapolate(false),
        [25.75, 7.291_854_148, 3.015_318_482],
    );
}

#[test]
fn l21_nmf() {
    let spec = Spec::new("l21-nmf", 2).epsilon(1e-3);
    check(spec.clone(), [9.274_384_627, 6.252_510_865, 4.936_676_005]);
    check(spec.exponent(0.5), [9.274_384_627, 7.631_644_805, 4.977_605_356]);
}

#[test]
fn hx_nmf() {
    check(Spec::new("hx-nmf", 2).epsilon(1e-3), [4.612_364_891, 3.579_141_595, 2.742_497_817]);
}

#[test]
fn capped_nmf() {
    let spec = Spec::new("capped-nmf", 2).epsilon(1e-3).param("threshold", 2.0);
    check(spec, [6.965_672_107, 5.371_556_777, 3.982_474_742]);
}

#[test]
fn rcim_nmf() {
    check(Spec::new("rcim-nmf", 2).param("width", 1.0), [3.229_868_084, 2.135_923_176, 1.682_891_671]);
}

#[test]
fn emmf() {
    let spec = Spec::emmf(2).epsilon(1e-3);
    check(spec.clone(), [11.967_152_554, 10.134_078_607, 4.778_903_976]);
    check(spec.clone().exponent(1.0), [11.967_152_554, 7.995_070_836, 4.665_449_980]);
    check(
        spec.solver(Solver::Hals).sweeps(1).extrapolate(false),
        [11.967_152_554, 5.355_181_602, 2.799_401_774],
    );
}

#[test]
fn nmf_div() {
    check(Spec::new("nmf-div", 2), [8.773_560_050, 5.592_857_152, 1.908_032_421]);
    // The approximation of every sample has the sum of the sample.
    let fit = fit(&Spec::new("nmf-div", 2).max_iter(1).polish(false));
    for (i, sum) in [3.0, 3.0, 4.0, 10.0].into_iter().enumerate() {
        let row = fit.model.reconstruct(&fit.v).unwrap().row(i).to_vec();
        assert!((row.iter().sum::<f64>() - sum).abs() < 1e-12);
    }
}

#[test]
fn beta_nmf() {
    let beta = |beta: f64| Spec::new("beta-nmf", 2).param("beta", beta);
    check(beta(0.5), [10.384_371_966, 8.295_713_131, 3.575_454_006]);
    check(beta(1.5), [9.934_956_166, 5.368_050_196, 1.674_220_700]);
    check(beta(2.0), [12.875, 5.677_670_748, 1.666_890_119]);
    check(beta(3.0), [27.302_083_333, 13.678_376_315, 5.943_415_177]);
    // Half a unit more everywhere: up to 0 no entry may be 0.
    let x = Mat::from_fn(4, 3, |i, j| samples()[(i, j)] + 0.5);
    for (at, facts) in [
        (0.0, [5.332_675_092, 2.573_418_988, 1.070_429_042]),
        (-0.5, [4.564_159_065, 2.316_908_719, 1.088_051_476]),
    ] {
        let spec = beta(at).max_iter(10).polish(false);
        let fit = spec.on(&x).start(&start()).fit().unwrap();
        for (ours, fact) in [fit.initial, fit.trace[0], fit.trace[9]].into_iter().zip(facts) {
            assert!((ours - fact).abs() < 1e-9, "{at}: {ours} should be {fact}");
        }
    }
}

/// α_W, α_H and the share of the entries, times what scikit-learn multiplies them with.
#[test]
fn penalties() {
    let with = |spec: Spec, [alpha_w, alpha_h, l1_ratio]: [f64; 3]| {
        spec.param("alpha-w", alpha_w).param("alpha-h", alpha_h).param("l1-ratio", l1_ratio)
    };
    let (both, entries) = ([0.05, 0.02, 0.5], [0.05, 0.05, 1.0]);
    let hals = || Spec::new("nmf", 2).solver(Solver::Hals).sweeps(1);
    check(with(hals(), both), [27.605, 9.754_190_463, 5.482_808_002]);
    check(with(hals(), [0.2, 0.2, 1.0]), [40.95, 23.466_039_246, 19.192_314_514]);
    check(hals().param("alpha-w", 0.2).param("l1-ratio", 1.0), [40.95, 23.466_039_246, 19.192_314_514]);
    check(with(Spec::new("nmf", 2).solver(Solver::Mu), both), [27.605, 13.558_876_284, 5.851_487_494]);
    check(with(Spec::new("nmf-div", 2), both), [9.701_060_050, 7.508_747_931, 3.777_522_679]);
    check(with(Spec::new("nmf-div", 2), entries), [10.673_560_050, 7.780_249_855, 4.027_235_486]);
    let beta = Spec::new("beta-nmf", 2).param("beta", 0.5);
    check(with(beta, [0.05, 0.02, 0.3]), [11.162_871_966, 9.740_829_760, 6.063_424_975]);
}

#[test]
fn l1_nmf() {
    let l1 = |epsilon: f64| Spec::new("l1-nmf", 2).epsilon(epsilon);
    check(l1(0.1), [13.684_148_974, 10.630_396_063, 7.470_806_094]);
    check(l1(1e-3), [13.501_008_589, 10.833_641_138, 8.091_044_940]);
    // Where no ε is given, it is 0.05 of the mean entry.
    let (free, given) = (fit(&Spec::new("l1-nmf", 2)).initial, fit(&l1(0.05 * 20.0 / 12.0)).initial);
    assert!((free - given).abs() < 1e-12);
}

/// The true l1 norm before, after 1 and after 10 sweeps.
#[test]
fn weighted_medians() {
    assert_eq!(weighted_median(&mut [(3.0, 1.0), (1.0, 1.0), (2.0, 3.0)]), 2.0);
    let (x, mut factors) = (samples(), start());
    let data = Dense::new(x.view(), None);
    let l1 = |f: &Factors<f64>| -> f64 {
        let y = |i: usize, j: usize| -> f64 { f.u.row(j).iter().zip(f.v.row(i)).map(|(u, v)| u * v).sum() };
        (0..4).map(|i| (0..3).map(|j| (x[(i, j)] - y(i, j)).abs()).sum::<f64>()).sum()
    };
    assert_eq!(l1(&factors), 13.5);
    let mut after = Vec::new();
    for _ in 0..10 {
        median_sweep(&data, &[1.0; 4], &mut factors);
        after.push(l1(&factors));
    }
    assert!((after[0] - 4.875).abs() < 1e-9 && (after[9] - 3.565_086_207).abs() < 1e-9, "{after:?}");
    assert!(after.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12), "{after:?}");
}

#[test]
fn cim_nmf() {
    check(Spec::new("cim-nmf", 2).param("width", 1.0), [4.869_380_898, 4.276_216_798, 1.636_619_902]);
    // Without a width, 2σ² is the mean square at the start.
    let double_variance: f64 = 2.145_833_333_333_333_5;
    let width = (double_variance / 2.0).sqrt();
    let (refreshed, fixed) = (
        fit(&Spec::new("cim-nmf", 2).max_iter(1)),
        fit(&Spec::new("cim-nmf", 2).max_iter(1).param("width", width)),
    );
    assert!((refreshed.initial - fixed.initial).abs() < 1e-12);
    let loss = EntryCorrentropy { double_variance };
    assert!((loss.weight(1.0, 1.25) - 0.971_293_866).abs() < 1e-9);
}

#[test]
fn hypersurface_nmf() {
    let spec = |delta: f64| Spec::new("hypersurface-nmf", 2).param("delta", delta);
    check(spec(1.0), [7.495_898_067, 4.091_259_224, 2.414_320_429]);
    check(spec(0.1), [1.248_414_897, 0.943_039_606, 0.627_080_609]);
}

#[test]
fn l12_nmf() {
    check(Spec::new("l12-nmf", 2).epsilon(1e-3), [8.722_284_790, 5.619_023_927, 3.613_156_801]);
    check(Spec::new("l12-squared-nmf", 2).epsilon(1e-3), [55.631_050_568, 29.528_213_927, 22.172_712_796]);
}

/// Extrapolation takes back what does not descend: once in these ten iterations.
#[test]
fn extrapolated() {
    let hals = |spec: Spec| spec.solver(Solver::Hals).sweeps(1);
    check(hals(Spec::new("nmf", 2)), [25.75, 7.291_854_148, 3.015_328_127]);
    check(hals(Spec::emmf(2).epsilon(1e-3)), [11.967_152_554, 5.355_181_602, 0.459_038_733]);
}

/// The first U of EMMF.
#[test]
fn emmf_first_u() {
    let fit = fit(&Spec::emmf(2).epsilon(1e-150).max_iter(1).polish(false));
    assert!((fit.initial - 11.967_150_798).abs() < 1e-9);
    let facts =
        [[1.047_694_818, 0.588_645_354], [0.361_213_197, 0.876_045_534], [1.102_953_274, 0.965_507_056]];
    for (j, row) in facts.into_iter().enumerate() {
        for (k, fact) in row.into_iter().enumerate() {
            assert!((fit.model.centroids()[(j, k)] - fact).abs() < 1e-9);
        }
    }
}

/// √(r² + ε²) descends where the paper's r + ε rises.
#[test]
fn emmf_smoothing_descends() {
    let x = Mat::from_rows([[2.0, 0.0], [1.0, 1.0], [1.0, 1.0]]);
    let start = Factors { u: Mat::from_rows([[1.0], [1.0]]), v: Mat::from_rows([[1.0], [1.0], [1.0]]) };
    let fit = Spec::emmf(1).epsilon(0.5).max_iter(2).polish(false).on(&x).start(&start).fit().unwrap();
    for (ours, fact) in
        [fit.initial, fit.trace[0], fit.trace[1]].into_iter().zip([2.375_676, 2.362_296, 2.357_889])
    {
        assert!((ours - fact).abs() < 1e-6, "{ours} should be {fact}");
    }
}
