//! The consensus of restarts: a model like any other, and the same whatever happens on the way.

use crate::oracle;

use std::ops::ControlFlow;
use std::time::Duration;

use emmf::model::Consensus;
use emmf::registry::METHODS;
use emmf::{Cancel, Error, Fit, Init, LabelRule, Mat, Outliers, Samples, Spec, Step, Stop, synth};
use oracle::problems::{Sparse, rng, uniform};
use rand::RngExt;

fn consensus(fit: &Fit<f64>) -> &Consensus {
    fit.consensus.as_ref().unwrap()
}

/// Samples made of these parts (rows), of some of them each, with a little noise.
fn made_of(parts: &Mat<f64>, n: usize) -> Mat<f64> {
    let (k, d) = parts.shape();
    let mut rng = rng(3);
    let mut shares = Mat::zeros(n, k);
    for share in shares.as_mut_slice() {
        let drawn: f64 = rng.random_range(0.0..1.0);
        *share = if drawn < 0.6 { 0.0 } else { drawn };
    }
    let noise = uniform(n, d, &mut rng);
    let mixed = |i: usize, j: usize| (0..k).map(|part| shares[(i, part)] * parts[(part, j)]).sum::<f64>();
    Mat::from_fn(n, d, |i, j| mixed(i, j) + 0.02 * noise[(i, j)])
}

/// Parts of five features each.
fn parts() -> Mat<f64> {
    Mat::from_fn(6, 30, |part, j| if j / 5 == part { 1.0 + (j % 5) as f64 / 5.0 } else { 0.0 })
}

fn cosine(u: &Mat<f64>, k: usize, part: &[f64]) -> f64 {
    let column: Vec<f64> = (0..u.rows()).map(|j| u[(j, k)]).collect();
    let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    column.iter().zip(part).map(|(a, b)| a * b).sum::<f64>() / (length(&column) * length(part))
}

#[test]
fn true_parts_are_stable_and_superfluous_ones_are_not() {
    let (parts, k) = (parts(), 9);
    let x = made_of(&parts, 200);
    for spec in [Spec::new("nmf", k), Spec::emmf(k).init(Init::Random).exponent(1.0)] {
        let fit = spec.restarts(20).max_iter(300).consensus(true).fit(&x).unwrap();
        let found = consensus(&fit);
        let best = |part: usize| {
            let like = |a: &usize, b: &usize| {
                let to = |k| cosine(fit.centroids(), k, parts.row(part));
                to(*a).total_cmp(&to(*b))
            };
            (0..k).max_by(like).unwrap()
        };
        let of_parts: Vec<usize> = (0..6).map(best).collect();
        let least = of_parts.iter().map(|&k| found.stability[k]).fold(1.0, f64::min);
        let others = (0..k).filter(|k| !of_parts.contains(k)).map(|k| found.stability[k]);
        let most = others.fold(0.0, f64::max);
        assert!(least > most, "{least} {most} {found:?}");
        assert!(
            of_parts.iter().enumerate().all(|(part, &k)| cosine(fit.centroids(), k, parts.row(part)) > 0.98)
        );
    }
}

/// Whatever the method, type and storage: V is what `transform` gives, and the objective is that of U and V.
#[test]
fn a_consensus_is_a_model_like_any_other() {
    let x = made_of(&parts(), 60);
    let sparse = Sparse::of(&x);
    for entry in METHODS.iter().filter(|entry| entry.facts.consensus) {
        let spec = Spec::new(entry.name, 4).restarts(3).max_iter(6).consensus(true).init(Init::Random);
        let sparse = entry.storage.contains(&emmf::registry::Storage::Sparse).then(|| sparse.narrow().into());
        for samples in [Some(Samples::from(&x)), sparse].into_iter().flatten() {
            for labels in [LabelRule::Largest, LabelRule::Kmeans] {
                let fit = spec.clone().label_rule(labels).fit(samples).unwrap();
                let found = consensus(&fit);
                assert_eq!((found.stability.len(), found.distances.len(), found.weights.len()), (4, 3, 3));
                assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                let coded = fit.model.transform(samples).unwrap();
                let apart = coded.v.as_slice().iter().zip(fit.v.as_slice()).map(|(a, b)| (a - b).abs());
                assert!(apart.fold(0.0, f64::max) < 1e-6, "{}", entry.name);
                assert_eq!(coded.labels, fit.labels, "{}", entry.name);
            }
        }
    }
}

#[test]
fn a_consensus_has_the_same_bits_on_any_number_of_threads() {
    let x = uniform(300, 40, &mut rng(4));
    let specs = [Spec::emmf(5), Spec::new("l1-nmf", 4), Spec::deep(&[6, 3])];
    for spec in specs {
        let spec = spec.restarts(5).max_iter(8).init(Init::Random).consensus(true);
        let one = spec.on(&x).threads(1).fit().unwrap();
        for threads in [2, 3] {
            let many = spec.on(&x).threads(threads).fit().unwrap();
            assert_eq!((&one.model, &one.v, &one.consensus), (&many.model, &many.v, &many.consensus));
        }
    }
}

#[test]
fn restarts_that_end_alike_are_their_consensus() {
    let data = synth::rays_with_outliers::<f64>(&synth::Rays::default()).unwrap();
    let spec =
        Spec::emmf(3).solver(emmf::Solver::Hals).max_iter(3000).tol(1e-13).init(Init::Random).restarts(4);
    let (best, fit) = (spec.fit(&data.x).unwrap(), spec.clone().consensus(true).fit(&data.x).unwrap());
    assert_eq!((best.restart, &best.trace), (fit.restart, &fit.trace));
    assert!(consensus(&fit).stability.iter().all(|stability| *stability > 0.99), "{:?}", fit.consensus);
    let column =
        |k: usize| (0..best.centroids().rows()).map(|j| best.centroids()[(j, k)]).collect::<Vec<_>>();
    assert!((0..3).all(|k| cosine(fit.centroids(), k, &column(k)) > 0.99));
    assert!(
        (fit.objective - best.objective).abs() < 0.01 * best.objective,
        "{} {}",
        fit.objective,
        best.objective
    );
    assert_eq!(fit.labels, best.labels);
}

#[test]
fn layers_stand_on_a_consensus() {
    let x = made_of(&parts(), 120);
    for merge in [0.0, 1.0] {
        let spec = Spec::deep(&[8, 4, 2]).param("merge", merge).restarts(6).max_iter(30);
        let fit = spec.consensus(true).fit(&x).unwrap();
        assert_eq!(consensus(&fit).stability.len(), 8);
        let tree = fit.model.tree(&fit.layers).unwrap();
        assert_eq!(tree.leaves().iter().map(|leaf| leaf.members.len()).sum::<usize>(), 120);
        assert_eq!(fit.model.transform(&x).unwrap().v, fit.v);
    }
}

#[test]
fn a_fit_that_is_ended_early_keeps_its_best_restart() {
    let x = uniform(60, 9, &mut rng(6));
    let spec = Spec::emmf(3).init(Init::Random).restarts(4).max_iter(10).consensus(true);
    let mut ends = |step: &Step| {
        if (step.restart, step.iteration) == (2, 4) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let fit = spec.on(&x).observe(&mut ends).fit().unwrap();
    assert_eq!((fit.stop, &fit.consensus), (Stop::Cancelled, &None));
    let limited = spec.clone().time_limit(Duration::from_nanos(1).as_secs_f64()).fit(&x).unwrap();
    assert_eq!((limited.stop, &limited.consensus), (Stop::TimeLimit, &None));
    let token = Cancel::new();
    token.cancel();
    assert!(matches!(spec.on(&x).cancel(&token).fit(), Err(Error::Cancelled)));
    // Cancelled after the last iteration of the last restart.
    let token = Cancel::new();
    let mut last = |step: &Step| {
        if (step.restart, step.iteration) == (3, 10) {
            token.cancel();
        }
        ControlFlow::Continue(())
    };
    let fit = spec.on(&x).observe(&mut last).cancel(&token).fit().unwrap();
    assert_eq!((fit.stop, &fit.consensus), (Stop::Cancelled, &None));
}

#[test]
fn what_has_no_consensus_is_refused_by_name() {
    let x = uniform(20, 6, &mut rng(7));
    let asked = |spec: Spec| spec.restarts(3).consensus(true).max_iter(2).outliers(Outliers::Keep);
    let refused = [
        (asked(Spec::emmf(2)).restarts(1), ["restarts is 1", "at least 2 with consensus"]),
        (Spec::new("g-emmf", 2).restarts(3).consensus(true), ["consensus", "a graph"]),
        (asked(Spec::emmf(2)).graph(emmf::GraphSpec::default()), ["consensus", "a graph"]),
        (Spec::new("pnmf", 2).restarts(3).consensus(true), ["consensus", "pnmf"]),
        (asked(Spec::new("nmf", 2)).init(Init::Nndsvd), ["init is nndsvd", "all restarts would be the same"]),
    ];
    for (spec, says) in refused {
        let error = spec.fit(&x).unwrap_err().to_string();
        assert!(says.iter().all(|says| error.contains(says)), "{error}");
    }
    // A method that starts from NNDSVD by itself starts elsewhere.
    assert!(Spec::new("nmf", 2).restarts(3).consensus(true).fit(&x).unwrap().consensus.is_some());
}
