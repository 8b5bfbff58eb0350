//! Numbers that were computed independently, on the tiny problem of the method notes: objectives
//! before any update, after 1 and after 10 iterations, in double precision.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use emmf::{Factors, Given, Mat, Solver, Spec, Step};
use std::ops::ControlFlow;

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
    let mut observer = |_: &Step| ControlFlow::Continue(());
    let given = Given { sample_weights: None, start: Some(&start()), observer: &mut observer };
    spec.fit_with(&samples(), given).unwrap()
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
    check(Spec::new("nmf", 2), [25.75, 11.355_341_497, 3.333_780_239]);
    check(Spec::new("nmf", 2).exponent(0.5), [25.75, 15.432_706_924, 6.196_322_203]);
    check(Spec::new("nmf", 2).solver(Solver::Hals).sweeps(1), [25.75, 7.291_854_148, 3.015_318_482]);
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
    check(spec.solver(Solver::Hals).sweeps(1), [11.967_152_554, 5.355_181_602, 2.799_401_774]);
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
    let mut observer = |_: &Step| ControlFlow::Continue(());
    let given = Given { sample_weights: None, start: Some(&start), observer: &mut observer };
    let fit = Spec::emmf(1).epsilon(0.5).max_iter(2).polish(false).fit_with(&x, given).unwrap();
    for (ours, fact) in
        [fit.initial, fit.trace[0], fit.trace[1]].into_iter().zip([2.375_676, 2.362_296, 2.357_889])
    {
        assert!((ours - fact).abs() < 1e-6, "{ours} should be {fact}");
    }
}
