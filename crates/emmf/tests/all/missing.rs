//! Missing values: they have no part in the objective, and the fit fills them in.

use crate::oracle;

use emmf::preprocess::{Normalize, masked};
use emmf::{Csr, Factors, Fit, Init, Mat, Missing, Real, Solver, Spec, registry};
use oracle::entrywise::product;
use oracle::problems::{distance, methods, problem, rng, uniform};
use oracle::{fit_from, says};

/// Rank k, positive.
fn low_rank(n: usize, d: usize, k: usize) -> Mat<f64> {
    let mut rng = rng(21);
    product(&Factors { u: uniform(d, k, &mut rng), v: uniform(n, k, &mut rng) })
}

/// 1 where a value is there: all but a fifth, and at least one in every row and column.
fn mask(n: usize, d: usize) -> Mat<f64> {
    let chance = uniform(n, d, &mut rng(22));
    Mat::from_fn(n, d, |i, j| f64::from(u8::from(chance[(i, j)] > 0.2 || i % d == j || j % n == i)))
}

fn hidden(x: &Mat<f64>) -> Mat<f64> {
    masked(x, &mask(x.rows(), x.cols())).unwrap()
}

fn spec(method: &str, k: usize) -> Spec {
    Spec::new(method, k).missing(Missing::Nan)
}

/// Root mean square error of the hidden values against the root mean square of all.
fn error(x: &Mat<f64>, imputed: &Mat<f64>) -> f64 {
    let mask = mask(x.rows(), x.cols());
    let gaps: Vec<usize> = (0..mask.as_slice().len()).filter(|&at| mask.as_slice()[at] == 0.0).collect();
    let square = |at: &usize| (x.as_slice()[*at] - imputed.as_slice()[*at]).powi(2);
    let all = x.as_slice().iter().map(|x| x * x).sum::<f64>() / x.as_slice().len() as f64;
    (gaps.iter().map(square).sum::<f64>() / gaps.len() as f64 / all).sqrt()
}

/// A fifth of a matrix of low rank comes back, by every method that takes missing values.
#[test]
fn hidden_values_are_recovered() {
    let x = low_rank(120, 40, 4);
    let x_hidden = hidden(&x);
    for entry in registry::METHODS.iter().filter(|entry| entry.facts.missing) {
        let fit = spec(entry.name, 4).init(Init::Random).exponent(1.0).max_iter(1500).fit(&x_hidden).unwrap();
        let imputed = fit.imputed.as_ref().unwrap();
        let by = error(&x, imputed);
        assert!(by < 0.05, "{}: {by}", entry.name);
        // What is there stays as it is.
        for (ours, given) in imputed.as_slice().iter().zip(x_hidden.as_slice()) {
            assert!(given.is_nan() || ours == given);
        }
    }
}

/// In the units of the data, whatever the preprocessing.
#[test]
fn filled_in_before_preprocessing() {
    let x = low_rank(120, 40, 4);
    let large = Mat::from_fn(120, 40, |i, j| 700.0 * x[(i, j)] * (1.0 + (i % 3) as f64));
    for chain in [vec![Normalize::Unit], vec![Normalize::Max], vec![Normalize::Clip, Normalize::Max]] {
        let fit = spec("nmf", 4).normalize(chain.clone()).init(Init::Random).max_iter(1500);
        let fit = fit.fit(&hidden(&large)).unwrap();
        let by = error(&large, fit.imputed.as_ref().unwrap());
        assert!(by < 0.05, "{chain:?}: {by}");
    }
    let shifted = Mat::from_fn(120, 40, |i, j| x[(i, j)] - 0.7);
    let fit = spec("nmf", 5).normalize([Normalize::Shift]).init(Init::Random).max_iter(1500);
    let by = error(&shifted, fit.fit(&hidden(&shifted)).unwrap().imputed.as_ref().unwrap());
    assert!(by < 0.3, "shift: {by}");
}

/// Where nothing is missing, nothing changes.
#[test]
fn a_mask_of_ones_changes_nothing() {
    for seed in 0..3 {
        let p = problem(oracle::problems::Kind::Plain, seed);
        let takes_missing = |spec: &Spec| registry::find(&spec.method).unwrap().facts.missing;
        for method in methods(p.k).into_iter().filter(takes_missing) {
            // By the same solver: coordinate descent takes no gaps.
            let mu = registry::find(&method.method).unwrap().solvers.contains(&Solver::Mu);
            let method = Spec { solver: mu.then_some(Solver::Mu), ..method.max_iter(8) };
            let without = fit_from(&method, &p.x, &p.start).unwrap();
            let ones = Mat::from_fn(p.x.rows(), p.x.cols(), |_, _| 1.0);
            let x = masked(&p.x, &ones).unwrap();
            let with = fit_from(&method.clone().missing(Missing::Nan), &x, &p.start).unwrap();
            for (a, b) in without.trace.iter().zip(&with.trace) {
                assert!((a - b).abs() <= 1e-9 * a.abs(), "{method:?}: {a} {b}");
            }
            assert!(distance(without.model.centroids(), with.model.centroids()) < 1e-9, "{method:?}");
            assert!(distance(&without.v, &with.v) < 1e-8, "{method:?}");
            assert_eq!(with.imputed.as_ref(), Some(&p.x));
            assert!(without.imputed.is_none());
        }
    }
}

/// Σ ρ(rᵢ), rᵢ² = (d/oᵢ)·Σ m² over the oᵢ values that are there; entry-wise losses sum over those.
#[test]
fn the_objective_is_the_one_of_the_values_that_are_there() {
    let x = hidden(&low_rank(30, 12, 3));
    for name in ["emmf", "l21-nmf", "nmf", "nmf-div"] {
        let fit = spec(name, 2).max_iter(7).epsilon(1e-3).fit(&x).unwrap();
        let y = product(&Factors { u: fit.model.centroids().clone(), v: fit.v.clone() });
        let there = |i: usize| (0..12).filter(move |&j| !hidden(&low_rank(30, 12, 3))[(i, j)].is_nan());
        let residual = |i: usize| {
            let count = there(i).count() as f64;
            let sum: f64 = there(i).map(|j| (x[(i, j)] - y[(i, j)]).powi(2)).sum();
            (sum * 12.0 / count).sqrt()
        };
        for i in 0..30 {
            assert!((fit.residuals[i] - residual(i)).abs() < 1e-12);
        }
        let r: Vec<f64> = (0..30).map(|i| (residual(i).powi(2) + 1e-6).sqrt()).collect();
        let total: f64 = r.iter().sum();
        let expected: f64 = match name {
            "emmf" => r.iter().map(|r| r * (total / r).ln()).sum(),
            "l21-nmf" => total,
            "nmf" => (0..30).map(|i| residual(i).powi(2)).sum(),
            _ => {
                let share =
                    |i: usize, j: usize| x[(i, j)] * (x[(i, j)] / y[(i, j)]).ln() - x[(i, j)] + y[(i, j)];
                (0..30).map(|i| there(i).map(|j| share(i, j)).sum::<f64>()).sum()
            }
        };
        assert!((fit.objective - expected).abs() <= 1e-9 * expected, "{name}: {} {expected}", fit.objective);
    }
}

/// No iteration makes it worse, in both types.
fn descends<T: Real>(rounding: f64) {
    let x: Mat<T> = hidden(&uniform(40, 15, &mut rng(3))).cast();
    for method in methods(3) {
        let entry = registry::find(&method.method).unwrap();
        if !entry.facts.missing || !entry.is_monotone(&method.params) {
            continue;
        }
        let fit = method.clone().missing(Missing::Nan).init(Init::Random).max_iter(40).fit(&x).unwrap();
        let all: Vec<f64> = [fit.initial].into_iter().chain(fit.trace).collect();
        for pair in all.windows(2) {
            assert!(pair[1] <= pair[0] * (1.0 + rounding), "{method:?}: {} to {}", pair[0], pair[1]);
        }
    }
}

#[test]
fn the_objective_never_rises() {
    descends::<f64>(1e-12);
    descends::<f32>(1e-5);
}

/// The start and the preprocessing see no NaN, the result does not depend on the threads, and `transform`
/// repeats the fit.
#[test]
fn every_start_any_threads_and_transform() {
    let x = hidden(&low_rank(150, 30, 3));
    for init in [Init::Kmeans, Init::KmeansParallel, Init::Trimmed, Init::Random, Init::Nndsvd] {
        for name in ["emmf", "nmf-div", "l12-nmf"] {
            let fit = |threads: usize| -> Fit<f64> {
                let spec = spec(name, 3).init(init).normalize([Normalize::Unit]).max_iter(20);
                spec.on(&x).threads(threads).fit().unwrap()
            };
            let (one, three) = (fit(1), fit(3));
            assert_eq!(
                (one.model.centroids(), &one.v, &one.trace),
                (three.model.centroids(), &three.v, &three.trace)
            );
            let coded = one.model.transform(&x).unwrap();
            assert_eq!((&coded.v, &coded.residuals, &coded.imputed), (&one.v, &one.residuals, &one.imputed));
            let second = Mat::from_fn(1, 30, |_, j| x[(1, j)]);
            assert_eq!(one.model.transform(&second).unwrap().v.row(0), one.v.row(1));
        }
    }
}

/// A model of complete data codes samples with gaps when it is told so.
#[test]
fn a_model_of_complete_data_fills_in_new_samples() {
    let x = low_rank(120, 40, 4);
    let model = Spec::new("nmf", 4).init(Init::Random).max_iter(1500).fit(&x).unwrap().model;
    let x_hidden = hidden(&x);
    says(model.transform(&x_hidden), &["NaN", "missing = nan"]);
    let coded = model.with_missing(Missing::Nan).transform(&x_hidden).unwrap();
    assert!(error(&x, coded.imputed.as_ref().unwrap()) < 0.02);
}

#[test]
fn what_cannot_be() {
    let x = hidden(&low_rank(20, 8, 2));
    says(Spec::new("nmf", 2).fit(&x), &["is NaN", "replace or remove", "missing = nan"]);
    says(
        spec("nmf", 2).solver(Solver::Hals).fit(&x),
        &["missing values", "solver = hals", "use `solver = mu`"],
    );
    says(spec("nmf", 2).normalize([Normalize::Tfidf]).fit(&x), &["missing values", "normalize = tfidf"]);
    let sparse = Csr::from_triplets((3, 2), vec![(0, 0, 1.0), (1, 1, 2.0), (2, 0, 3.0)]).unwrap();
    says(spec("nmf", 2).fit(&sparse), &["missing values", "sparse data", "dense"]);
    let mut infinite = x.clone();
    infinite[(0, 0)] = f64::INFINITY;
    says(spec("nmf", 2).fit(&infinite), &["inf", "sample 0, feature 0"]);
    let mut gone = x.clone();
    gone.row_mut(3).fill(f64::NAN);
    says(spec("nmf", 2).fit(&gone), &["sample 3", "no value at all", "remove it"]);
    says(spec("nmf", 2).fit(&x).unwrap().model.transform(&gone), &["sample 3", "no value at all"]);
    let mut gone = x.clone();
    (0..20).for_each(|i| gone[(i, 5)] = f64::NAN);
    says(spec("nmf", 2).fit(&gone), &["feature 5", "no value at all"]);
    says(masked(&x, &Mat::zeros(20, 7)), &["the mask is 20x7", "20x8"]);
}
