//! Laws that every registered method obeys with every solver, number type and storage.

use crate::oracle;

use emmf::registry::{self, Goal, Storage};
use emmf::{Factors, Fit, Mat, Real, Samples, Spec};
use oracle::escapes::Escapes;
use oracle::problems::{KINDS, Kind, cast, distance, in_every_storage, problem, specs};
use oracle::{Oracle, determined, fit_from, rounding};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        max_shrink_iters: 0,
        ..Default::default()
    }
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(&KINDS[..])
}

/// Shares of the comparisons of a law that may be excused: a little above what was measured.
const OF_STORAGE_F64: f64 = 0.0005;
const OF_STORAGE_F32: f64 = 0.003;
const OF_THE_ORACLE: f64 = 0.0005;
const OF_PRECISION: f64 = 0.006;

/// Holds for problems of every kind, with at most this share of excuses.
fn law(name: &str, share: f64, check: impl Fn(Kind, u64, &Escapes)) {
    let escapes = Escapes::default();
    let problems = (kinds(), any::<u64>());
    let tried = TestRunner::new(cases(18)).run(&problems, |(kind, seed)| {
        check(kind, seed, &escapes);
        Ok(())
    });
    tried.unwrap();
    escapes.at_most(name, share);
}

/// The weight of the capped norm jumps at θ, so a residual within rounding of θ sends the whole fit one way
/// or the other: equal samples have equal residuals, and θ may be one of them; where most samples are
/// capped or fitted exactly, U is left to chance; and in single precision rounding is wide.
fn jumps<T: Real>(kind: Kind, x: &Mat<f64>, fit: &Fit<T>) -> bool {
    let steady = matches!(kind, Kind::Plain | Kind::Zeros) && T::NAME == "f64" && determined(fit, x);
    fit.model.spec().method == "capped-nmf" && !steady
}

/// The weights of correntropy vanish in single precision where residuals exceed thirteen times its width: such
/// a sample or feature stays where it is, while in double precision it still follows weights of 1e-40.
fn vanishes(spec: &Spec, x: &Mat<f64>) -> bool {
    let largest = x.as_slice().iter().copied().fold(0.0, f64::max);
    spec.method == "cim-nmf" && spec.params.get("width").is_some_and(|width| 13.0 * width < largest)
}

/// Two ways to compute this fit lead to the same factors.
fn comparable<T: Real>(kind: Kind, x: &Mat<f64>, fit: &Fit<T>) -> bool {
    !jumps(kind, x, fit) && determined(fit, x)
}

/// One of the solvers that the oracle knows; methods with their own have their own oracles.
fn has_common_solver(spec: &Spec) -> bool {
    !registry::find(&spec.method).unwrap().solvers.is_empty()
}

/// It takes X in this storage.
fn takes(spec: &Spec, samples: &Samples<'_, impl Real>) -> bool {
    let sparse = matches!(samples, Samples::Csr(_));
    !sparse || registry::find(&spec.method).unwrap().storage.contains(&Storage::Sparse)
}

/// Rounding makes no large difference: no entries are chosen by their size, and no singular vectors are taken, of which
/// those of equal singular values are arbitrary.
fn is_continuous(spec: &Spec) -> bool {
    !["rmnmf", "lsnmf"].contains(&&*spec.method)
}

/// Shapes, signs, finite numbers.
fn check_form<T: Real>(fit: &Fit<T>, (n, d): (usize, usize), k: usize) {
    assert_eq!(fit.model.centroids().shape(), (d, k));
    assert_eq!(fit.v.shape(), (n, k));
    let entries = fit.model.centroids().as_slice().iter().chain(fit.v.as_slice());
    entries.for_each(|x| assert!(*x >= T::ZERO && x.is_finite()));
    for numbers in [&fit.residuals, &fit.weights] {
        assert_eq!(numbers.len(), n);
        assert!(numbers.iter().all(|x| *x >= 0.0 && x.is_finite()), "{numbers:?}");
    }
    assert!(fit.scores.len() == n && fit.scores.iter().all(|x| x.is_finite()));
    assert!(fit.labels.len() == n && fit.labels.iter().all(|&label| label < k));
    assert!(fit.initial.is_finite() && fit.objective.is_finite());
}

fn every_storage_agrees<T: Real>(kind: Kind, seed: u64, tolerance: f64, escapes: &Escapes) {
    let p = problem(kind, seed);
    let (x, start): (Mat<T>, _) = (p.x.cast(), cast::<T>(&p.start));
    for spec in specs(p.k) {
        let spec = spec.max_iter(5);
        let mut first: Option<Fit<T>> = None;
        in_every_storage(&x, |storage, samples| {
            if !takes(&spec, &samples) {
                return;
            }
            let fit = fit_from(&spec, samples, &start).unwrap();
            check_form(&fit, x.shape(), p.k);
            if !is_continuous(&spec) {
                return;
            }
            let first = first.get_or_insert_with(|| fit.clone());
            let noise = slack(first, &p.x) + slack(&fit, &p.x);
            let close =
                (first.objective - fit.objective).abs() <= tolerance * first.initial.abs() + 9.0 * noise;
            assert!(
                escapes.holds(close, || jumps(kind, &p.x, &fit)),
                "{storage} {kind:?} {spec:?}: {} {}",
                first.objective,
                fit.objective
            );
            let by = distance(first.model.centroids(), fit.model.centroids());
            // V of dependent centroids is not unique.
            let by = if p.k <= x.cols() { by.max(distance(&first.v, &fit.v)) } else { by };
            let holds = escapes.holds(by <= tolerance, || !comparable(kind, &p.x, &fit));
            assert!(holds, "{storage} {kind:?} {spec:?}: {by}");
        });
    }
}

#[test]
fn form_and_every_storage_f64() {
    law("every storage, f64", OF_STORAGE_F64, |kind, seed, escapes| {
        every_storage_agrees::<f64>(kind, seed, 1e-8, escapes);
    });
}

#[test]
fn form_and_every_storage_f32() {
    law("every storage, f32", OF_STORAGE_F32, |kind, seed, escapes| {
        every_storage_agrees::<f32>(kind, seed, 2e-2, escapes);
    });
}

/// Each from where the last one ended, so that no rounding is amplified on the way.
#[test]
fn each_of_twenty_iterations_equals_the_oracle() {
    law("the oracle", OF_THE_ORACLE, |kind, seed, escapes| {
        let p = problem(kind, seed);
        for spec in specs(p.k).into_iter().filter(only_iterates).filter(has_common_solver) {
            let spec = spec.max_iter(1).polish(false);
            let mut start = p.start.clone();
            for at in 1..=20 {
                let fit = fit_from(&spec, &p.x, &start).unwrap();
                let mut oracle = Oracle::new(&spec, &p.x);
                oracle.begin(&mut start);
                for (moves, ours) in [fit.initial, fit.trace[0]].into_iter().enumerate() {
                    if moves > 0 {
                        oracle.iterate(&mut start);
                    }
                    let theirs = oracle.objective(&start);
                    let noise = oracle.noise::<f64>(&start);
                    let close = (ours - theirs).abs() <= 1e-9 * theirs.abs() + 9.0 * noise;
                    let holds = escapes.holds(close, || jumps(kind, &p.x, &fit));
                    assert!(holds, "{kind:?} {spec:?}, iteration {at}: {ours}, should be {theirs}");
                }
                for (ours, theirs) in [(fit.model.centroids(), &start.u), (&fit.v, &start.v)] {
                    let by = distance(ours, theirs);
                    let holds = escapes.holds(by <= 1e-9, || !comparable(kind, &p.x, &fit));
                    assert!(holds, "{kind:?} {spec:?}, iteration {at}: {by}");
                }
                start = Factors { u: fit.model.centroids().clone(), v: fit.v.clone() };
            }
        }
    });
}

#[test]
fn single_precision_is_near_double() {
    law("single precision", OF_PRECISION, |kind, seed, escapes| {
        let p = problem(kind, seed);
        for spec in specs(p.k).into_iter().filter(only_iterates).filter(is_continuous) {
            // Which step extrapolation takes back may depend on the last digit.
            let spec = spec.max_iter(10).polish(false).extrapolate(false);
            let double = fit_from(&spec, &p.x, &p.start).unwrap();
            let single = fit_from(&spec, &p.x.cast::<f32>(), &cast(&p.start)).unwrap();
            let excuse = || {
                !(comparable(kind, &p.x, &double) && comparable(kind, &p.x, &single)) || vanishes(&spec, &p.x)
            };
            let by = (double.objective - single.objective).abs();
            let noise = slack(&double, &p.x) + slack(&single, &p.x);
            let close = by <= 1e-4 * double.initial.abs() + 9.0 * noise;
            assert!(escapes.holds(close, excuse), "{kind:?} {spec:?}: {by}");
            let by = distance(&product(&double), &product(&single));
            assert!(escapes.holds(by <= 1e-3, excuse), "{kind:?} {spec:?}: {by}");
        }
    });
}

/// V·Uᵀ in double precision.
fn product<T: Real>(fit: &Fit<T>) -> Mat<f64> {
    let (u, v): (Mat<f64>, Mat<f64>) = (fit.model.centroids().cast(), fit.v.cast());
    Mat::from_fn(v.rows(), u.rows(), |i, j| v.row(i).iter().zip(u.row(j)).map(|(v, u)| v * u).sum())
}

fn slack<T: Real>(fit: &Fit<T>, x: &Mat<f64>) -> f64 {
    let mut oracle = Oracle::new(fit.model.spec(), x);
    let noise = if oracle.is_entrywise() {
        let mut factors = Factors { u: fit.model.centroids().cast(), v: fit.v.cast() };
        oracle.begin(&mut factors);
        // δ may have been another one at the start.
        4.0 * oracle.noise::<T>(&factors)
    } else {
        rounding::<T>(x, fit.v.cols(), &fit.residuals, &fit.weights)
    };
    noise + of_penalties(fit, x) + 1e-15 * fit.objective.abs()
}

/// What rounding can add to the terms besides the fit. Every entry of V is off by e of itself, which a graph of less than
/// twenty neighbours turns into λ·e·20‖V‖²; a distance of a sample and a centroid is off by e·(‖x‖² + ‖u‖²).
fn of_penalties<T: Real>(fit: &Fit<T>, x: &Mat<f64>) -> f64 {
    let spec = fit.model.spec();
    let entry = registry::find(&spec.method).unwrap();
    if !entry.solvers.is_empty() || ["pnmf", "gsnmf"].contains(&entry.name) {
        return 0.0;
    }
    let unit = if T::NAME == "f32" { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let e = 4.0 * (x.cols() + spec.k + 4) as f64 * unit;
    let param = |name: &str| {
        let default = entry.params.iter().find(|param| param.name == name).and_then(|param| param.default);
        spec.params.get(name).copied().or(default).unwrap_or(0.0)
    };
    let square = |a: &[T]| a.iter().map(|a| a.to_f64().powi(2)).sum::<f64>();
    let (u, v) = (fit.model.centroids(), &fit.v);
    let largest = x.as_slice().iter().map(|x| x * x).sum::<f64>() + square(u.as_slice());
    let sum: f64 = v.as_slice().iter().map(|v| v.to_f64()).sum();
    let of_v = square(v.as_slice());
    e * (fit.objective + 20.0 * param("lambda") * (of_v + sum) + param("mu") * largest * sum + of_v * of_v)
}

/// Nothing but iterations moves the factors: no coordinate descent after the last one.
fn only_iterates(spec: &Spec) -> bool {
    !spec.params.contains_key("median-sweeps")
}

fn every_iteration_descends<T: Real>(kind: Kind, seed: u64) {
    let p = problem(kind, seed);
    let (x, start): (Mat<T>, Factors<T>) = (p.x.cast(), cast(&p.start));
    let descends = |spec: &Spec| registry::find(&spec.method).unwrap().is_monotone(&spec.params);
    for spec in specs(p.k).into_iter().filter(descends) {
        let at = |t: usize| fit_from(&spec.clone().max_iter(t).polish(false), &x, &start).unwrap();
        let sign = if registry::find(&spec.method).unwrap().goal == Goal::Least { 1.0 } else { -1.0 };
        let mut before = at(1);
        let risen = sign * (before.trace[0] - before.initial);
        assert!(risen <= 2.0 * slack(&before, &p.x), "{kind:?} {spec:?}");
        for t in 2..=10 {
            let after = at(t);
            assert_eq!(before.trace[..], after.trace[..t - 1]);
            let slack = slack(&before, &p.x) + slack(&after, &p.x);
            let (was, is) = (after.trace[t - 2], after.trace[t - 1]);
            assert!(
                sign * (is - was) <= slack,
                "{kind:?} {spec:?}, iteration {t}: {was} to {is}, slack {slack:e}"
            );
            before = after;
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn the_objective_never_rises_f64(kind in kinds(), seed in any::<u64>()) {
        every_iteration_descends::<f64>(kind, seed);
    }

    #[test]
    fn the_objective_never_rises_f32(kind in kinds(), seed in any::<u64>()) {
        every_iteration_descends::<f32>(kind, seed);
    }
}

/// Also on a centroid that is zero, which the rules themselves leave as they find it.
#[test]
fn zero_samples_have_no_coefficients_after_one_iteration() {
    for seed in 0..50 {
        let p = problem(Kind::ZeroSamples, seed);
        let zero = |i: &usize| p.x.row(*i).iter().all(|&x| x == 0.0);
        assert!((0..p.x.rows()).any(|i| zero(&i)));
        let keeps = |spec: &Spec| registry::find(&spec.method).unwrap().facts.zeros;
        for spec in specs(p.k).into_iter().filter(keeps) {
            let fit = fit_from(&spec.max_iter(1).polish(false), &p.x, &p.start).unwrap();
            assert!((0..p.x.rows()).filter(zero).all(|i| fit.v.row(i).iter().all(|&v| v == 0.0)));
        }
    }
}
