//! A fit ends with finite numbers, or with an error that says what is to blame and never advises what is done already.

use crate::oracle;

use emmf::graph::Weighting;
use emmf::preprocess::Normalize;
use emmf::registry::{self, METHODS};
use emmf::{Error, Factors, Fit, GraphKind, GraphSpec, Init, Mat, Outliers, Real, Result, Running, Spec};
use oracle::problems::{rng, uniform};
use oracle::{fit_from, says};

/// All that a fit leaves is finite; an error names something to do.
fn check<T: Real>(result: Result<Fit<T>>, what: &str) {
    match result {
        Ok(fit) => {
            let factors = fit.model.centroids().as_slice().iter().chain(fit.v.as_slice());
            assert!(factors.map(|x| x.to_f64()).all(|x| x >= 0.0 && x.is_finite()), "{what}");
            let numbers = [&fit.residuals, &fit.weights, &fit.scores, &fit.trace];
            assert!(numbers.into_iter().flatten().all(|x| x.is_finite()), "{what}");
            assert!(fit.objective.is_finite() && fit.initial.is_finite(), "{what}");
            let scale = fit.model.residual_scale();
            assert!(scale.center.is_finite() && scale.spread.is_finite(), "{what}");
        }
        Err(error) => {
            let text = error.to_string();
            assert!(!text.ends_with("; ") && text.len() > 20, "{what}: {text}");
        }
    }
}

/// Samples in a range of numbers where squares vanish or overflow.
fn of_size<T: Real>(size: f64) -> Mat<T> {
    uniform(30, 5, &mut rng(4)).map(|x| size * x)
}

trait Map {
    fn map<T: Real>(&self, f: impl Fn(f64) -> f64) -> Mat<T>;
}

impl Map for Mat<f64> {
    fn map<T: Real>(&self, f: impl Fn(f64) -> f64) -> Mat<T> {
        Mat::from_fn(self.rows(), self.cols(), |i, j| T::from_f64(f(self[(i, j)])))
    }
}

#[test]
fn promise_05_every_method_takes_or_refuses_numbers_of_any_size() {
    for size in [4e-323, 1e-310, 1e-200, 1e-162, 1e-150, 1e-100, 1e-50, 1e100, 1e150, 1e160, 1e200, 1e300] {
        for method in METHODS {
            for normalize in [vec![], vec![Normalize::Unit], vec![Normalize::Max]] {
                for init in [Init::Kmeans, Init::Nndsvd, Init::Random] {
                    let what = format!("{} {init:?} {normalize:?} {size:e}", method.name);
                    let spec = Spec::new(method.name, 2).normalize(normalize.clone()).init(init).max_iter(4);
                    check(spec.fit(&of_size::<f64>(size)), &what);
                    check(spec.fit(&of_size::<f32>(size.cbrt())), &what);
                }
            }
        }
    }
}

#[test]
fn promise_05_vanishing_squares_are_no_perfect_fit() {
    for size in [1e-150, 1e-160, 1e-170, 1e-300] {
        says(Spec::emmf(2).fit(&of_size::<f64>(size)), &["too small", "normalize = unit or max"]);
    }
    says(Spec::new("symnmf", 2).fit(&of_size::<f64>(1e200)), &["too large", "normalize = unit or max"]);
    says(
        Spec::emmf(2).normalize([Normalize::Unit]).fit(&of_size::<f64>(4e-323)),
        &["sample 0", "length", "multiply"],
    );
}

/// A start that no data go with.
fn overflowing(spec: &Spec) -> Result<Fit<f64>> {
    let start = Factors { u: Mat::from_fn(5, 1, |_, _| 1e200), v: Mat::from_fn(20, 1, |_, _| 1e200) };
    fit_from(spec, &uniform(20, 5, &mut rng(1)), &start)
}

#[test]
fn promise_05_parameters_are_named_as_what_is_to_blame() {
    for (name, value, text) in
        [("shape", 1e300, "1e300"), ("rate", 1e-300, "1e-300"), ("lambda", 5e-324, "5e-324")]
    {
        let spec = Spec::new("pnmf", 1).param(name, value);
        let parts = [name, text, "at most 1e30"];
        says(spec.fit(&uniform(20, 5, &mut rng(1))), &parts);
    }
    let spec = Spec::new("pnmf", 1).param("shape", 1e30).param("rate", 1e-30);
    says(overflowing(&spec), &["pnmf", "shape = 1e30", "rate = 1e-30"]);
}

#[test]
fn promise_05_sample_weights_of_any_size() {
    let x = uniform(20, 5, &mut rng(1));
    for entry in METHODS.iter().filter(|entry| entry.facts.weights) {
        for params in oracle::problems::settings(entry) {
            for (small, large) in
                [(1e-300, 1.0), (1.0, 1e300), (1e-300, 1e300), (1e300, 1e300), (1e-300, 1e-300)]
            {
                let weights: Vec<f64> = (0..20).map(|i| if i % 2 == 0 { small } else { large }).collect();
                let mut spec = Spec::new(entry.name, 3).max_iter(3);
                spec.params.clone_from(&params);
                check(spec.on(&x).weights(&weights).fit(), &format!("{spec:?} {small:e} {large:e}"));
            }
        }
    }
    let weights: Vec<f64> = (0..20).map(|i| if i == 0 { 1e-300 } else { 1.0 }).collect();
    says(Spec::emmf(2).on(&x).weights(&weights).fit(), &["sample_weight", "1e-300 to 1e0", "or 0"]);
}

/// What is done already is not advised.
#[test]
fn promise_15_no_message_advises_what_is_so() {
    let huge = of_size::<f64>(1e200);
    for (normalize, unit) in [(vec![], true), (vec![Normalize::Tfidf], true), (vec![Normalize::Clip], true)] {
        let error = Spec::emmf(2).normalize(normalize).fit(&huge).unwrap_err().to_string();
        assert_eq!(error.contains("normalize = unit"), unit, "{error}");
        assert!(!error.contains("f64"), "{error}");
    }
    let error = Spec::emmf(2).fit(&of_size::<f32>(1e20)).unwrap_err().to_string();
    assert!(error.contains("use f64") && error.contains("normalize = unit or max"), "{error}");
    let error = overflowing(&Spec::emmf(1).normalize([Normalize::Unit])).unwrap_err().to_string();
    assert!(error.contains("start") && !error.contains("f64") && !error.contains("normalize"), "{error}");
}

/// A centroid that the graph has no use for must not grow without end: two blocks of samples that the graph ties together
/// firmly, and a third centroid for the little that is left.
#[test]
fn promise_15_graphs_do_not_drive_factors_out_of_range() {
    let x = Mat::from_fn(60, 8, |i, j| {
        let own = usize::from(i >= 30) == usize::from(j >= 4);
        (if own { 1.0 } else { 0.0 }) + 1e-3 * ((i * 7 + j * 3) % 5) as f64
    });
    for monotone in [0.0, 1.0] {
        for k in [2, 5, 9] {
            let spec = Spec::new("g-emmf", k).normalize([Normalize::Unit]).param("monotone", monotone);
            let spec = spec.outliers(Outliers::Keep).max_iter(3000);
            let fit = spec.fit(&x).unwrap();
            check(Ok(fit.clone()), &format!("k = {k}"));
            let largest = fit.model.centroids().as_slice().iter().copied().fold(0.0, f64::max);
            assert!(largest < 1e10, "{largest:e}");
            if registry::find("g-emmf").unwrap().is_monotone(&spec.params) {
                let falls = fit.trace.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-9));
                assert!(falls, "{:?}", fit.trace);
            }
        }
    }
}

/// Every graph of every method over samples that are barely numbers.
#[test]
fn promise_13_graphs_of_denormal_samples() {
    let x = Mat::from_fn(30, 5, |i, j| 5e-324 * f64::from(1 + ((i + 2 * j) % 4) as u32));
    let kinds = [GraphKind::Knn, GraphKind::Adaptive];
    let weightings = [Weighting::Binary, Weighting::Cosine, Weighting::Heat { width: None }];
    for normalize in [vec![], vec![Normalize::Unit], vec![Normalize::Max, Normalize::Unit]] {
        for method in METHODS.iter().filter(|method| method.facts.graph.is_open()) {
            for (kind, weighting) in kinds.into_iter().flat_map(|kind| weightings.map(|by| (kind, by))) {
                let graph = GraphSpec { kind, weighting, ..GraphSpec::default() };
                let spec = Spec::new(method.name, 2).normalize(normalize.clone()).max_iter(3);
                check(spec.clone().graph(graph).fit(&x), method.name);
                check(spec.clone().fit(&x), method.name);
                let _ = spec.graph(graph).graph_of(&x, &Running::default());
            }
        }
    }
    let _ =
        Spec::new("nmfan", 2).normalize([Normalize::Unit]).fit(&x).map_err(|error: Error| error.to_string());
}

/// Weights that are learned where nearly all samples are the same.
#[test]
fn promise_13_a_learned_graph_does_not_rise() {
    for (n, d, k, neighbours) in [(12, 9, 12, 7.0), (12, 9, 3, 7.0), (20, 4, 5, 3.0), (9, 2, 9, 8.0)] {
        let mut x = Mat::zeros(n, d);
        x[(n / 2, d / 2)] = 1.0;
        for init in [Init::Kmeans, Init::Random, Init::Nndsvd] {
            for seed in 0..20 {
                let spec =
                    Spec::new("nmfan", k).param("neighbors", neighbours).init(init).seed(seed).max_iter(30);
                let fit = spec.fit(&x).unwrap();
                let values: Vec<f64> = std::iter::once(fit.initial).chain(fit.trace).collect();
                let rise = values.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
                assert!(rise <= 1e-12 * values[0].abs().max(1.0), "{n}x{d} {init:?} {seed}: {rise:e}");
            }
        }
    }
}
