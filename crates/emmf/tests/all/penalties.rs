//! Penalties on the entries of the factors, and divergences that are infinite at zero.

use crate::oracle;

use emmf::registry::{METHODS, find};
use emmf::{Error, Fit, GraphSpec, Init, Mat, Missing, Solver, Spec};
use oracle::fit_from;
use oracle::problems::{KINDS, Sparse, distance, problem, rng, uniform};

/// Every method that can have penalties, with every solver.
fn methods(k: usize) -> Vec<Spec> {
    let able = METHODS.iter().filter(|entry| entry.facts.penalties);
    let all = able.flat_map(|entry| {
        entry.solvers.iter().map(|&solver| Spec::new(entry.name, k).solver(solver).tol(0.0))
    });
    all.collect()
}

/// α_W, α_H and the share of the entries.
const PENALTIES: [[f64; 3]; 6] = [
    [0.02, 0.02, 0.0],
    [0.02, 0.02, 1.0],
    [0.05, 0.01, 0.4],
    [0.1, 0.0, 0.5],
    [0.0, 0.1, 1.0],
    [3.0, 3.0, 0.5],
];

fn with(spec: &Spec, [alpha_w, alpha_h, l1_ratio]: [f64; 3]) -> Spec {
    spec.clone().param("alpha-w", alpha_w).param("alpha-h", alpha_h).param("l1-ratio", l1_ratio)
}

/// What the penalties are by their definition, with half the squared error.
fn penalty(fit: &Fit<f64>, weights: &[f64], [alpha_w, alpha_h, l1_ratio]: [f64; 3]) -> f64 {
    let of = |row: &[f64]| -> f64 {
        row.iter().map(|a| l1_ratio * a + 0.5 * (1.0 - l1_ratio) * a * a).sum::<f64>()
    };
    let u = fit.model.centroids();
    let n: f64 = weights.iter().sum();
    let of_v: f64 = (0..fit.v.rows()).map(|i| weights[i] * of(fit.v.row(i))).sum();
    alpha_w * u.rows() as f64 * of_v + alpha_h * n * of(u.as_slice())
}

#[test]
fn no_penalty_changes_no_bit() {
    let x = uniform(40, 12, &mut rng(3));
    let sparse = Sparse::of(&Mat::from_fn(40, 12, |i, j| if x[(i, j)] < 0.5 { 0.0 } else { x[(i, j)] }));
    for spec in methods(3) {
        let spec = spec.max_iter(20);
        for samples in [emmf::Samples::from(&x), sparse.narrow().into()] {
            let (plain, none) =
                (spec.fit(samples).unwrap(), with(&spec, [0.0, 0.0, 0.5]).fit(samples).unwrap());
            assert_eq!((&plain.v, plain.trace), (&none.v, none.trace), "{spec:?}");
            assert_eq!(plain.model.centroids(), none.model.centroids(), "{spec:?}");
        }
    }
}

/// Every iteration lowers the loss plus the penalties, and that is what is reported.
#[test]
fn the_objective_with_penalties_falls() {
    for (seed, kind) in KINDS.into_iter().enumerate() {
        let p = problem(kind, seed as u64);
        for spec in methods(p.k) {
            for penalties in PENALTIES {
                let spec = with(&spec, penalties).max_iter(30);
                let fit = fit_from(&spec, &p.x, &p.start).unwrap();
                let size = fit.initial.abs() + p.x.as_slice().iter().map(|x| x + x * x).sum::<f64>();
                let mut last = fit.initial;
                for (at, &value) in fit.trace.iter().enumerate() {
                    assert!(
                        value <= last + 1e-12 * size,
                        "{kind:?} {spec:?}, iteration {at}: {last} to {value}"
                    );
                    last = value;
                }
                assert!(fit.objective <= last + 1e-9 * size, "{kind:?} {spec:?}: coding raises {last}");
                if spec.method == "nmf" {
                    let squares: f64 = fit.residuals.iter().map(|r| r * r).sum();
                    let whole = squares + 2.0 * penalty(&fit, &vec![1.0; p.x.rows()], penalties);
                    assert!((fit.objective - whole).abs() <= 1e-10 * size, "{kind:?} {spec:?}");
                }
            }
        }
    }
}

/// `transform` gives the fit's V, where no coefficient can be moved for the better.
#[test]
fn coding_minimises_the_penalised_loss() {
    let x = uniform(30, 9, &mut rng(12)).as_slice().iter().map(|x| x + 0.01).collect::<Vec<_>>();
    let x = Mat::from_fn(30, 9, |i, j| x[i * 9 + j]);
    let (alpha, l1_ratio) = (0.03, 0.4);
    let (l1, l2) = (9.0 * alpha * l1_ratio, 9.0 * alpha * (1.0 - l1_ratio));
    for (spec, beta) in [
        (Spec::new("nmf", 3), 2.0),
        (Spec::new("nmf-div", 3), 1.0),
        (Spec::new("beta-nmf", 3).param("beta", 1.5), 1.5),
        (Spec::new("beta-nmf", 3).param("beta", 0.5), 0.5),
        (Spec::new("beta-nmf", 3).param("beta", 0.0), 0.0),
        (Spec::new("beta-nmf", 3).param("beta", 3.0), 3.0),
    ] {
        let fit = with(&spec, [alpha, alpha, l1_ratio]).max_iter(20).fit(&x).unwrap();
        assert_eq!(fit.model.transform(&x).unwrap().v, fit.v, "{spec:?}");
        let (u, y) = (fit.model.centroids(), fit.model.reconstruct(&fit.v).unwrap());
        for (i, k) in (0..30).flat_map(|i| (0..3).map(move |k| (i, k))) {
            let pull = |j: usize| u[(j, k)] * (y[(i, j)] - x[(i, j)]) * y[(i, j)].powf(beta - 2.0);
            let slope = (0..9).map(pull).sum::<f64>() + l1 + l2 * fit.v[(i, k)];
            let size: f64 = (0..9).map(|j| u[(j, k)] * y[(i, j)].powf(beta - 1.0)).sum::<f64>() + l1;
            let settled = slope >= -1e-4 * size && (fit.v[(i, k)] < 1e-6 || slope <= 1e-4 * size);
            assert!(settled, "{spec:?}, {i} {k}: {slope} of {size} at {}", fit.v[(i, k)]);
        }
    }
}

#[test]
fn weights_and_storage_count_the_same() {
    let x = uniform(20, 15, &mut rng(5));
    let x = Mat::from_fn(20, 15, |i, j| if (i + 2 * j) % 4 == 0 { 0.0 } else { x[(i, j)] });
    let weights: Vec<f64> = (0..20).map(|i| f64::from(1 + i % 3)).collect();
    let rows: Vec<usize> = (0..20).flat_map(|i| std::iter::repeat_n(i, 1 + i % 3)).collect();
    let repeated = Mat::from_fn(rows.len(), 15, |i, j| x[(rows[i], j)]);
    for spec in methods(3) {
        let spec = with(&spec, [0.05, 0.02, 0.5]).init(Init::Nndsvd).max_iter(8);
        let (whole, weighted) = (spec.fit(&repeated).unwrap(), spec.on(&x).weights(&weights).fit().unwrap());
        let sparse = Sparse::of(&x);
        let stored = spec.on(sparse.narrow()).weights(&weights).fit().unwrap();
        for fit in [&weighted, &stored] {
            assert!((fit.objective / whole.objective - 1.0).abs() < 1e-9, "{spec:?}");
            let by = distance(fit.model.centroids(), whole.model.centroids());
            assert!(by < 1e-7, "{spec:?}: {by}");
        }
    }
}

/// A penalty on entries makes zeros, by coordinate descent; one that outweighs everything leaves nothing.
#[test]
fn entries_vanish() {
    let x = uniform(60, 20, &mut rng(9));
    let zeros = |alpha: f64| {
        let spec = Spec::new("nmf", 5).solver(Solver::Hals).max_iter(100);
        let fit = with(&spec, [alpha, alpha, 1.0]).fit(&x).unwrap();
        let all = fit.v.as_slice().iter().chain(fit.model.centroids().as_slice());
        all.filter(|a| **a == 0.0).count()
    };
    let counts = [0.0, 0.02, 0.1].map(zeros);
    assert!(counts.is_sorted() && counts[0] < counts[2], "{counts:?}");
    for spec in methods(3) {
        let fit = with(&spec, [1e6, 1e6, 1.0]).max_iter(50).fit(&x).unwrap();
        assert!(fit.objective.is_finite() && fit.v.as_slice().iter().all(|v| *v < 1e-3), "{spec:?}");
    }
}

fn refused(spec: &Spec, x: &Mat<f64>, words: &[&str]) {
    let said = spec.fit(x).unwrap_err().to_string();
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
}

#[test]
fn who_has_none_says_so() {
    let mut x = uniform(20, 6, &mut rng(2));
    refused(&Spec::new("l21-nmf", 2).param("alpha-w", 0.1), &x, &["alpha-w", "0.1", "l21-nmf", "beta-nmf"]);
    refused(&Spec::new("l21-nmf", 2).param("l1-ratio", 0.1), &x, &["l1-ratio", "nmf-div"]);
    let nmf = Spec::new("nmf", 2).param("alpha-w", 0.1);
    refused(&nmf.clone().graph(GraphSpec::default()), &x, &["alpha-w", "left out with a graph or layers"]);
    refused(&nmf.clone().param("alpha-h", -1.0), &x, &["alpha-h", "-1", "at least 0"]);
    refused(&nmf.clone().param("alpha-w", -1e-40), &x, &["alpha-w", "at least"]);
    refused(&nmf.clone().param("l1-ratio", 1.5), &x, &["l1-ratio", "1.5", "at most 1"]);
    let online = nmf.fit_online(&x, emmf::Given::default(), None).unwrap_err().to_string();
    assert!(online.contains("alpha-w") && online.contains("in batches"), "{online}");
    x[(3, 2)] = f64::NAN;
    refused(&nmf.missing(Missing::Nan), &x, &["nmf with penalties", "fill the gaps"]);
    let gaps = Spec::new("nmf-div", 2).param("alpha-w", 0.1).missing(Missing::Nan).fit(&x).unwrap();
    assert!(gaps.trace.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)));
}

#[test]
fn a_zero_is_named_where_the_divergence_is_infinite() {
    let x = uniform(20, 6, &mut rng(2));
    let zero = Mat::from_fn(20, 6, |i, j| if (i, j) == (7, 4) { 0.0 } else { x[(i, j)] });
    for beta in [0.0, -0.5] {
        let spec = Spec::new("beta-nmf", 2).param("beta", beta);
        refused(&spec, &zero, &["beta", "row 7, column 4"]);
        let fit = spec.fit(&x).unwrap();
        assert!(matches!(fit.model.transform(&zero), Err(Error::Param { name: "beta", .. })));
    }
    assert!(Spec::new("beta-nmf", 2).fit(&zero).is_ok());
}

/// At 1 and 2 it is what other methods minimise; the larger β, the more it minds large entries.
#[test]
fn beta_meets_its_neighbours() {
    let x = uniform(25, 8, &mut rng(6));
    let fit = |spec: Spec| spec.init(Init::Nndsvd).solver(Solver::Mu).tol(0.0).max_iter(15).fit(&x).unwrap();
    let beta = |beta: f64| fit(Spec::new("beta-nmf", 3).param("beta", beta));
    let (one, divergence) = (beta(1.0), fit(Spec::new("nmf-div", 3)));
    assert_eq!((one.v, one.trace), (divergence.v, divergence.trace));
    let (two, squares) = (beta(2.0), fit(Spec::new("nmf", 3)));
    assert!(distance(two.model.centroids(), squares.model.centroids()) < 1e-9);
    assert!((2.0 * two.objective / squares.objective - 1.0).abs() < 1e-9);
    let near = |at: f64| (beta(at + 1e-5).objective / beta(at).objective - 1.0).abs();
    assert!(near(0.0) < 1e-3 && near(1.0) < 1e-3, "{} {}", near(0.0), near(1.0));
    assert!(find("beta-nmf").unwrap().is_monotone(&std::collections::BTreeMap::new()));
}
