//! Variational Bayes NMF: published numbers, the plain version, and the promise that the ELBO never falls.
#![expect(clippy::panic, reason = "a test may panic")]

use crate::oracle;

use emmf::method::Value;
use emmf::{Factors, Fit, Init, Mat, Real, Spec};
use oracle::pnmf::{Bayes, Priors};
use oracle::problems::{KINDS, Kind, cast, distance, in_every_storage, problem, rng, uniform};
use oracle::{fit_from, residuals, weighted_fit_from};

fn extra<'a, T>(fit: &'a Fit<T>, name: &str) -> &'a Value<T> {
    &fit.extras.iter().find(|extra| extra.name == name).unwrap().value
}

fn number<T>(fit: &Fit<T>, name: &str) -> f64 {
    let Value::Number(number) = extra(fit, name) else { panic!("{name}") };
    *number
}

fn matrix<'a, T>(fit: &'a Fit<T>, name: &str) -> &'a Mat<T> {
    let Value::Matrix(matrix) = extra(fit, name) else { panic!("{name}") };
    matrix
}

/// The tiny problem of the method notes.
#[test]
fn published_numbers() {
    let x = Mat::from_rows([[1.0, 0.0, 2.0], [2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [4.0, 1.0, 5.0]]);
    let start = Factors {
        u: Mat::from_rows([[1.0, 0.5], [0.5, 1.0], [1.0, 1.0]]),
        v: Mat::from_rows([[1.0, 0.5], [0.5, 1.0], [0.5, 0.5], [1.0, 1.0]]),
    };
    let spec = Spec::new("pnmf", 2).polish(false);
    for (iterations, elbo, precision, error) in [
        (1, -48.208_035_378, 0.242_323_777, 19.966_632_082),
        (10, -46.687_593_745, 0.403_698_603, 14.822_759_030),
    ] {
        let fit = fit_from(&spec.clone().max_iter(iterations), &x, &start).unwrap();
        assert!((fit.initial + 50.322_635_178).abs() < 1e-9);
        assert!((fit.objective - elbo).abs() < 1e-9 && fit.objective == fit.trace[iterations - 1]);
        assert!((number(&fit, "precision") - precision).abs() < 1e-9);
        let squares: f64 = fit.residuals.iter().map(|r| r * r).sum();
        assert!((squares - error).abs() < 1e-9);
    }
    let priors = Priors { lambda: 0.1, noise: (1.0, 1.0), relevance: None };
    let bayes = Bayes::new(&x, &[1.0; 4], &start, priors);
    assert!((bayes.precision - 0.162_100_401).abs() < 1e-9 && (bayes.elbo() + 50.322_635_178).abs() < 1e-9);
}

/// Lambdas, priors and relevance.
fn settings(k: usize) -> Vec<(Spec, Priors)> {
    let spec = Spec::new("pnmf", k).polish(false);
    let priors = Priors { lambda: 0.1, noise: (1.0, 1.0), relevance: None };
    vec![
        (spec.clone(), priors),
        (spec.clone().param("lambda", 2.0), Priors { lambda: 2.0, ..priors }),
        (spec.clone().param("shape", 3.0).param("rate", 0.2), Priors { noise: (3.0, 0.2), ..priors }),
        (spec.clone().param("ard", 1.0), Priors { relevance: Some((1.0, 1.0)), ..priors }),
        (
            spec.param("ard", 1.0).param("ard-shape", 2.0).param("ard-rate", 0.5),
            Priors { relevance: Some((2.0, 0.5)), ..priors },
        ),
    ]
}

#[test]
fn equal_to_the_plain_version() {
    for (seed, kind) in (0..).zip([Kind::Plain, Kind::Zeros, Kind::ZeroSamples, Kind::Outliers]) {
        let p = problem(kind, seed);
        let counts: Vec<f64> = (0..p.x.rows()).map(|i| [1.0, 2.0, 1.5][i % 3]).collect();
        for (spec, priors) in settings(p.k) {
            let mut bayes = Bayes::new(&p.x, &counts, &p.start, priors);
            let fit = weighted_fit_from(&spec.clone().max_iter(4), &p.x, &p.start, Some(&counts)).unwrap();
            let elbos: Vec<f64> = [fit.initial].into_iter().chain(fit.trace.iter().copied()).collect();
            for elbo in elbos {
                assert!((bayes.elbo() - elbo).abs() <= 1e-9 * elbo.abs().max(1.0), "{kind:?} {spec:?}");
                bayes.iterate();
            }
            let mut bayes = Bayes::new(&p.x, &counts, &p.start, priors);
            (0..4).for_each(|_| bayes.iterate());
            let (means, variances) = (bayes.means(), bayes.variances());
            assert!(distance(&means.u, fit.model.centroids()) < 1e-9, "{kind:?} {spec:?}");
            assert!(distance(&means.v, &fit.v) < 1e-9, "{kind:?} {spec:?}");
            assert!(distance(&variances.u, matrix(&fit, "u-variance")) < 1e-9, "{kind:?} {spec:?}");
            assert!(distance(&variances.v, matrix(&fit, "v-variance")) < 1e-9, "{kind:?} {spec:?}");
            assert!((number(&fit, "precision") / bayes.precision - 1.0).abs() < 1e-9);
            let Value::Vector(rate) = extra(&fit, "rate") else { panic!("rate") };
            rate.iter().zip(&bayes.rate).for_each(|(a, b)| assert!((a / b - 1.0).abs() < 1e-9));
        }
    }
}

/// What rounding can do to the ELBO: ½·E[τ] times that of the squared error, whose Gram form is off by the
/// rounding of its terms unless it was computed from its definition; and the last digits of the sum itself.
fn slack<T: Real>(fit: &Fit<T>, x: &Mat<f64>, elbo: f64) -> f64 {
    let unit = if T::NAME == "f32" { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let norm: f64 = x.as_slice().iter().map(|x| x * x).sum();
    let squares: f64 = fit.residuals.iter().map(|r| r * r).sum();
    let gram = if squares > 0.5 * T::CANCELLATION * norm { norm } else { 0.0 };
    let error = 4.0 * unit * (gram + (squares * norm).sqrt() + unit * norm);
    0.5 * number(fit, "precision") * error
        + 64.0 * f64::EPSILON * elbo.abs()
        + 4.0 * unit * (fit.v.as_slice().len() + fit.model.centroids().as_slice().len()) as f64
}

fn never_falls<T: Real>(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        for kind in KINDS {
            let p = problem(kind, seed);
            let (x, start): (Mat<T>, Factors<T>) = (p.x.cast(), cast(&p.start));
            for (spec, _) in settings(p.k) {
                let fit = fit_from(&spec.clone().max_iter(60), &x, &start).unwrap();
                let slack = slack(&fit, &p.x, fit.objective);
                let mut last = fit.initial;
                for (at, &elbo) in fit.trace.iter().enumerate() {
                    let fell = last - elbo;
                    assert!(fell <= slack, "{kind:?} {seed} {spec:?}, iteration {at}: {fell:e} > {slack:e}");
                    last = elbo;
                }
                let polished = fit_from(&spec.max_iter(60).polish(true), &x, &start).unwrap();
                let fell = fit.objective - polished.objective;
                assert!(fell <= slack + 1e-9 * fit.objective.abs(), "{kind:?} {seed} polish: {fell:e}");
            }
        }
    }
}

#[test]
fn the_elbo_never_falls_f64() {
    never_falls::<f64>(0..6);
}

#[test]
fn the_elbo_never_falls_f32() {
    never_falls::<f32>(0..3);
}

/// λ = 1000 pushes all μ far below zero, a prior of τ without substance makes τ huge.
#[test]
fn far_tails() {
    let p = problem(Kind::ExactRank, 5);
    for (name, value) in [("lambda", 1e3), ("lambda", 1e6), ("rate", 1e-12), ("lambda", 1e-9)] {
        let spec = Spec::new("pnmf", p.k).param(name, value).max_iter(60);
        let fit = fit_from(&spec, &p.x, &p.start).unwrap();
        let slack = slack(&fit, &p.x, fit.objective);
        let falls = fit.trace.windows(2).filter(|pair| pair[1] < pair[0] - slack).count();
        assert_eq!(falls, 0, "{name} {value}");
        let variances = [matrix(&fit, "u-variance"), matrix(&fit, "v-variance")];
        assert!(variances.iter().all(|m| m.as_slice().iter().all(|x| *x > 0.0 && x.is_finite())));
    }
}

#[test]
fn every_storage_and_transform() {
    let x = Mat::from_fn(300, 21, |i, j| if (i * j) % 3 == 0 { 0.0 } else { ((i * 7 + j * 13) % 11) as f64 });
    let mut first: Option<Fit<f64>> = None;
    in_every_storage(&x, |storage, samples| {
        let fit = Spec::new("pnmf", 4).max_iter(20).seed(2).fit(samples).unwrap();
        let coded = fit.model.transform(samples).unwrap();
        assert_eq!((&coded.v, &coded.residuals), (&fit.v, &fit.residuals), "{storage}");
        let one = Mat::from_fn(1, 21, |_, j| x[(37, j)]);
        if storage == "C order" {
            assert_eq!(fit.model.transform(&one).unwrap().v.row(0), fit.v.row(37));
        }
        let first = first.get_or_insert_with(|| fit.clone());
        assert!((first.objective - fit.objective).abs() <= 1e-9 * fit.objective.abs(), "{storage}");
        assert!(distance(&first.v, &fit.v) < 1e-7, "{storage}");
    });
}

/// Four components with relevance for two blocks and noise: two of them fade away.
#[test]
fn unneeded_components_fade() {
    let mut rng = rng(8);
    let (v, u, noise) = (uniform(80, 1, &mut rng), uniform(30, 1, &mut rng), uniform(80, 30, &mut rng));
    let x = Mat::from_fn(80, 30, |i, j| {
        let block = if (i < 40) == (j < 15) { (1.0 + v[(i, 0)]) * (1.0 + u[(j, 0)]) } else { 0.0 };
        block + 0.3 * noise[(i, j)]
    });
    for seed in 0..3 {
        let spec = Spec::new("pnmf", 4).param("ard", 1.0).init(Init::Random).seed(seed);
        let fit = spec.max_iter(300).fit(&x).unwrap();
        let size = |k: usize| {
            let of_v = (0..80).map(|i| fit.v[(i, k)].powi(2)).sum::<f64>();
            of_v * (0..30).map(|j| fit.model.centroids()[(j, k)].powi(2)).sum::<f64>()
        };
        let mut sizes: Vec<f64> = (0..4).map(size).collect();
        sizes.sort_by(f64::total_cmp);
        assert!(sizes[1] < 1e-2 * sizes[2], "{sizes:?}");
    }
}

/// The published random start: μ ~ Exp(λ), another for every seed.
#[test]
fn random_start() {
    let x = uniform(50, 10, &mut rng(3));
    let fit = |seed: u64, lambda: f64| {
        Spec::new("pnmf", 3)
            .param("lambda", lambda)
            .init(Init::Random)
            .seed(seed)
            .max_iter(3)
            .fit(&x)
            .unwrap()
    };
    assert_eq!(fit(1, 0.1).initial, fit(1, 0.1).initial);
    assert_ne!(fit(1, 0.1).initial, fit(2, 0.1).initial);
    // E[μ] = 1/λ, so the first fit is far off.
    assert!(fit(1, 0.1).initial < fit(1, 10.0).initial);
    let spec = Spec::new("pnmf", 3).init(Init::Random).max_iter(30).polish(false);
    let mut last = [0.0; 4];
    let mut observer = |step: &emmf::Step| {
        last[step.restart] = step.objective;
        std::ops::ControlFlow::Continue(())
    };
    let best = spec.restarts(4).on(&x).observe(&mut observer).fit().unwrap();
    assert_eq!(best.objective, last.iter().copied().fold(f64::NEG_INFINITY, f64::max), "more is better");
    let f = Factors { u: best.model.centroids().clone(), v: best.v.clone() };
    residuals(&x, &f).iter().zip(&best.residuals).for_each(|(a, b)| assert!((a - b).abs() < 1e-9));
}
