//! How a fit ends: cancelled, out of time, converged, with the best of its restarts.

use crate::oracle;

use std::ops::ControlFlow;

use emmf::{
    Factors, Fit, GraphKind, GraphSpec, Init, Mat, Solver, Spec, Step, Stop, StopBy, registry, synth,
};
use oracle::problems::{Kind, methods, problem, rng, uniform};
use oracle::{fit_from, residuals};

fn samples() -> Mat<f64> {
    uniform(60, 12, &mut rng(9))
}

fn observed(spec: &Spec, x: &Mat<f64>, mut see: impl FnMut(&Step) -> ControlFlow<()> + Send) -> Fit<f64> {
    spec.on(x).observe(&mut see).fit().unwrap()
}

#[test]
fn cancelled_at_iteration_k_leaves_k_points() {
    let x = samples();
    for spec in methods(3) {
        // One that ends by itself is told not to.
        let spec = if spec.method == "lsnmf" { spec.param("adapt", 0.0) } else { spec };
        let whole = spec.clone().max_iter(9).fit(&x).unwrap();
        for k in [1, 4] {
            let fit = observed(&spec.clone().max_iter(9), &x, |step| {
                if step.iteration == k { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!((fit.stop, fit.trace.len()), (Stop::Cancelled, k), "{}", spec.method);
            assert_eq!(fit.trace, whole.trace[..k]);
            // What is left can be used like any other fit that was not polished.
            let coded = fit.model.transform(&x).unwrap();
            let whole = spec.clone().max_iter(k).fit(&x).unwrap();
            assert!(
                coded.v == whole.v || !registry::find(&spec.method).unwrap().facts.codes_alone,
                "{}",
                spec.method
            );
        }
    }
}

/// The fit was cancelled, whichever of its restarts is returned.
#[test]
fn cancelled_in_a_later_restart() {
    let x = samples();
    let spec = Spec::emmf(3).init(Init::Random).restarts(4).max_iter(20);
    let mut steps = 0;
    let fit = observed(&spec, &x, |step| {
        steps += 1;
        if step.restart == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(steps, 41, "nothing runs after the observer ended it");
    assert_eq!(fit.stop, Stop::Cancelled);
    assert!(fit.restart < 2, "one iteration is not better than twenty");
}

#[test]
fn out_of_time() {
    let x = uniform(400, 40, &mut rng(1));
    let spec = Spec::emmf(5).max_iter(1_000_000).time_limit(0.2);
    let fit = spec.fit(&x).unwrap();
    assert_eq!(fit.stop, Stop::TimeLimit);
    assert!(!fit.trace.is_empty());
    // No time at all still gives a result.
    let fit = Spec::emmf(5).time_limit(1e-9).restarts(3).fit(&x).unwrap();
    assert_eq!((fit.stop, fit.trace.len(), fit.restart), (Stop::TimeLimit, 1, 0));
}

#[test]
fn converged() {
    let x = samples();
    // A rule that need not descend need not converge; lsnmf ends by itself.
    let settles = |spec: &Spec| {
        let entry = registry::find(&spec.method).unwrap();
        (entry.facts.graph != registry::GraphUse::Needed && spec.method != "lsnmf")
            || entry.is_monotone(&spec.params)
    };
    for spec in methods(3).into_iter().filter(settles) {
        let spec = spec.stop_by(StopBy::Objective);
        let fit = spec.clone().tol(1e-3).max_iter(2000).fit(&x).unwrap();
        assert_eq!(fit.stop, Stop::Converged, "{}", spec.method);
        let all: Vec<f64> = [fit.initial].into_iter().chain(fit.trace.iter().copied()).collect();
        let small = |pair: &[f64]| (pair[0] - pair[1]).abs() <= 1e-3 * pair[0].abs();
        let first = all.windows(2).position(small).unwrap() + 1;
        assert_eq!(fit.trace.len(), first, "{}: stops at the first small change", spec.method);
        let fit = spec.tol(0.0).max_iter(7).fit(&x).unwrap();
        assert_eq!((fit.stop, fit.trace.len()), (Stop::MaxIter, 7));
    }
}

#[test]
fn the_change_of_v_ends_every_method_that_has_one() {
    let x = samples();
    for spec in methods(3) {
        let fit = spec.clone().stop_by(StopBy::Coefficients).tol(0.5).max_iter(2000).fit(&x);
        match fit {
            Ok(fit) => assert_eq!(fit.stop, Stop::Converged, "{}", spec.method),
            Err(refused) => assert!(
                spec.method == "lsnmf" && refused.to_string().contains("stop_by"),
                "{}: {refused}",
                spec.method
            ),
        }
    }
}

#[test]
fn the_best_restart_is_kept_whole() {
    let x = samples();
    for init in [Init::Random, Init::Kmeans] {
        let spec = Spec::emmf(4).init(init).restarts(5).max_iter(8).polish(false);
        let mut last = vec![f64::NAN; 5];
        let fit = observed(&spec, &x, |step| {
            last[step.restart] = step.objective;
            ControlFlow::Continue(())
        });
        let best = last.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(fit.trace.last(), Some(&best));
        assert_eq!(last[fit.restart], best);
        let r = residuals(&x, &Factors { u: fit.model.centroids().clone(), v: fit.v.clone() });
        r.iter().zip(&fit.residuals).for_each(|(a, b)| assert!((a - b).abs() < 1e-9));
        // Restart 0 of many is the only restart of one.
        let mut alone = f64::NAN;
        observed(&spec.clone().restarts(1), &x, |step| {
            alone = step.objective;
            ControlFlow::Continue(())
        });
        assert_eq!(alone, last[0]);
        let mut distinct = last.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        assert!(distinct.len() > 1, "{init:?}: every restart has its own stream");
    }
}

#[test]
fn observers_see_every_iteration_in_order() {
    let mut seen = Vec::new();
    let spec = Spec::emmf(2).restarts(2).max_iter(3);
    let fit = observed(&spec, &samples(), |step| {
        seen.push(*step);
        ControlFlow::Continue(())
    });
    let order: Vec<_> = seen.iter().map(|step| (step.restart, step.iteration)).collect();
    assert_eq!(order, [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3)]);
    let kept: Vec<f64> = seen.iter().filter(|s| s.restart == fit.restart).map(|s| s.objective).collect();
    assert_eq!(kept, fit.trace);
}

/// A given start is where the fit starts.
#[test]
fn given_factors() {
    let p = problem(Kind::Plain, 3);
    let fit = fit_from(&Spec::new("nmf", p.k).max_iter(1), &p.x, &p.start).unwrap();
    let expected: f64 = residuals(&p.x, &p.start).iter().map(|r| r * r).sum();
    assert!((fit.initial - expected).abs() < 1e-12 * expected);
    // Going on from where a fit ended is the same as never having stopped.
    let spec = Spec::new("nmf", p.k).solver(Solver::Mu).polish(false);
    let half = fit_from(&spec.clone().max_iter(5), &p.x, &p.start).unwrap();
    let middle = Factors { u: half.model.centroids().clone(), v: half.v.clone() };
    let rest = fit_from(&spec.clone().max_iter(5), &p.x, &middle).unwrap();
    let whole = fit_from(&spec.max_iter(10), &p.x, &p.start).unwrap();
    assert_eq!((rest.model.centroids(), &rest.v), (whole.model.centroids(), &whole.v));
}

/// Plain NMF is taken to its minimum by default, no worse than the published rule comes from the same start in all its
/// iterations, and everything can be said otherwise.
#[test]
fn nmf_converges_by_default() {
    let x = samples();
    let nmf = || Spec::new("nmf", 4);
    let fit = |spec: Spec| spec.fit(&x).unwrap();
    let (default, published) = (fit(nmf()), fit(nmf().as_published()));
    assert!(default.stop == Stop::Converged && default.trace.len() < 500, "{:?}", default.stop);
    assert!(published.stop == Stop::MaxIter && published.trace.len() == 500);
    let slow = fit(nmf().init(Init::Nndsvd).as_published());
    assert!(default.objective <= slow.objective, "{} {}", default.objective, slow.objective);
    let spec = default.model.spec();
    assert_eq!((spec.solver, spec.tol, spec.init), (Some(Solver::Hals), Some(1e-6), Some(Init::Nndsvd)));
    let spec = published.model.spec().clone();
    assert_eq!((spec.solver, spec.tol, spec.init), (Some(Solver::Mu), Some(0.0), Some(Init::Kmeans)));
    assert_eq!(fit(nmf().tol(0.0).max_iter(9)).trace.len(), 9);
    assert_eq!(fit(nmf().exponent(0.5).max_iter(9)).stop, Stop::MaxIter);
    assert_eq!(fit(Spec::emmf(4).max_iter(9)).stop, Stop::MaxIter);
}

/// A method of weighted samples that follows a graph stops once its coefficients hardly change; the published one does not.
#[test]
fn fits_along_a_graph_settle_by_default() {
    let data = synth::rays_with_outliers::<f64>(&synth::Rays { outliers: 0, ..synth::Rays::default() });
    let x = data.unwrap().x;
    let graph = GraphSpec { kind: GraphKind::Knn, ..GraphSpec::default() };
    for spec in [Spec::new("g-emmf", 3), Spec::new("nmf", 3).graph(graph)] {
        let fit = spec.clone().fit(&x).unwrap();
        assert!(fit.stop == Stop::Converged && fit.trace.len() < 500, "{}: {}", spec.method, fit.trace.len());
        assert_eq!(fit.model.spec().tol, Some(1e-4));
        let whole = spec.clone().tol(0.0).fit(&x).unwrap();
        assert_eq!((whole.stop, whole.trace.len()), (Stop::MaxIter, 500));
        assert_eq!(fit.trace, whole.trace[..fit.trace.len()]);
        assert_eq!(fit.labels, whole.labels, "{}", spec.method);
        let published = spec.clone().as_published().max_iter(200).fit(&x).unwrap();
        assert_eq!((published.stop, published.model.spec().tol), (Stop::MaxIter, Some(0.0)));
        // The objective is mostly a constant, whose change says nothing.
        let by = spec.stop_by(StopBy::Objective).max_iter(9).fit(&x).unwrap();
        assert_eq!((by.stop, by.trace.len()), (Stop::MaxIter, 9));
    }
}
