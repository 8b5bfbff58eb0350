//! Fits with a graph: numbers that were computed independently, descent, gradients, storage, and odd graphs.

use crate::oracle;

use emmf::method::Value;
use emmf::{
    Error, Factors, Fit, Given, Graph, GraphKind, GraphSpec, Mat, Real, Samples, Solver, Spec, Stop, StopBy,
};
use oracle::problems::{KINDS, Kind, Sparse, cast, distance, problem, rng, two_triangles, uniform};
use proptest::prelude::*;

const KNN: GraphSpec = GraphSpec {
    kind: GraphKind::Knn,
    neighbours: 5,
    weighting: emmf::graph::Weighting::Binary,
    normalized: None,
    approximate: None,
};

fn on_graph<'a, T: Real>(
    spec: &Spec,
    x: impl Into<Samples<'a, T>>,
    graph: &Graph,
    start: Option<&Factors<T>>,
) -> emmf::Result<Fit<T>> {
    spec.on(x).given(Given { start, graph: Some(graph), ..Given::default() }).fit()
}

fn extra<T>(fit: &Fit<T>, name: &str) -> Vec<f64> {
    match &fit.extras.iter().find(|extra| extra.name == name).unwrap().value {
        Value::Number(number) => vec![*number],
        Value::Vector(vector) => vector.clone(),
        _ => vec![],
    }
}

fn near(ours: f64, fact: f64) {
    assert!((ours - fact).abs() < 1e-9 * fact.abs().max(1.0), "{ours} should be {fact}");
}

/// graph.md 1: the published rule.
#[test]
fn facts_of_the_published_rule() {
    let (x, start, graph) = two_triangles();
    let spec = Spec::new("g-emmf", 2).param("lambda", 10.0).epsilon(1e-10);
    let fit = |t: usize| on_graph(&spec.clone().max_iter(t), &x, &graph, Some(&start)).unwrap();
    let one = fit(1);
    near(one.initial, 29.998_542_61);
    near(one.trace[0], 27.025_134_962);
    near(extra(&one, "loss")[0], 15.959_346_464_7);
    near(extra(&one, "graph-misfit")[0], 1.106_578_849_73);
    let ten = fit(10);
    near(ten.trace[9], 22.224_066_348_6);
    near(ten.objective, 22.224_066_348_6);
    near(extra(&ten, "loss")[0], 11.295_391_593_3);
    near(extra(&ten, "graph-misfit")[0], 1.092_867_475_54);
    let orthogonality = extra(&ten, "orthogonality");
    assert_eq!(orthogonality.len(), 11);
    near(orthogonality[10], 0.431_298_040_903);
    assert_eq!(extra(&ten, "lambda"), [10.0]);
}

/// graph.md 1: the monotone variant.
#[test]
fn facts_of_the_monotone_variant() {
    let (x, start, graph) = two_triangles();
    let spec =
        Spec::new("g-emmf", 2).param("lambda", 10.0).param("monotone", 1.0).epsilon(1e-10).max_iter(10);
    let fit = on_graph(&spec, &x, &graph, Some(&start)).unwrap();
    near(fit.trace[0], 22.992_409_766_3);
    near(fit.trace[9], 17.172_563_536_3);
}

/// λ of the data is (1/2c)·Σq‖x‖², q at the start.
#[test]
fn lambda_of_the_data() {
    let (x, start, graph) = two_triangles();
    let q = [
        0.597_689_128_071,
        0.597_689_128_071,
        6.453_563_291_12,
        0.415_955_488_758,
        0.754_350_854_099,
        4.309_380_312_98,
    ];
    let norms = (0..6).map(|i| x.row(i).iter().map(|x| x * x).sum::<f64>());
    let pull: f64 = norms.zip(q).map(|(norm, q)| norm * q).sum();
    let fit = on_graph(&Spec::new("g-emmf", 2).max_iter(1), &x, &graph, Some(&start)).unwrap();
    let lambda = extra(&fit, "lambda")[0];
    near(lambda / (pull / 4.0), (lambda / (pull / 4.0)).round());
}

/// Σr² + λ‖S − VVᵀ‖² by its definition.
fn objective(x: &Mat<f64>, f: &Factors<f64>, s: &Mat<f64>, lambda: f64) -> f64 {
    let loss: f64 = oracle::residuals(x, f).iter().map(|r| r * r).sum();
    let n = x.rows();
    let vv = |i: usize, j: usize| f.v.row(i).iter().zip(f.v.row(j)).map(|(a, b)| a * b).sum::<f64>();
    let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    loss + lambda * pairs.map(|(i, j)| (s[(i, j)] - vv(i, j)).powi(2)).sum::<f64>()
}

/// A sample counts in the loss as often as its weight says, and once in the graph.
#[test]
fn sample_weights_count_in_the_loss_only() {
    let (x, start, graph) = two_triangles();
    let weights = [1.0, 3.0, 2.0, 1.5, 1.0, 4.0];
    for monotone in [0.0, 1.0] {
        let spec = Spec::new("g-emmf", 2).param("lambda", 10.0).param("monotone", monotone).epsilon(1e-10);
        let fit = |weights: &[f64]| {
            let spec = spec.clone().max_iter(10);
            spec.on(&x).weights(weights).start(&start).graph(&graph).fit().unwrap()
        };
        let weighted = fit(&weights);
        let factors = Factors { u: weighted.centroids().clone(), v: weighted.v.clone() };
        let r = oracle::residuals(&x, &factors);
        let total: f64 = r.iter().zip(weights).map(|(r, weight)| weight * r).sum();
        let loss: f64 = r.iter().zip(weights).map(|(r, weight)| -weight * r * (r / total).ln()).sum();
        near(extra(&weighted, "loss")[0], loss);
        let least_squares = r.iter().map(|r| r * r).sum::<f64>();
        let misfit = objective(&x, &factors, &dense(&graph.normalized()), 1.0) - least_squares;
        near(extra(&weighted, "graph-misfit")[0], misfit);
        let alike = on_graph(&spec.clone().max_iter(10), &x, &graph, Some(&start)).unwrap();
        assert_eq!(fit(&[1.0; 6]).v, alike.v);
        assert!(distance(&weighted.v, &alike.v) > 1e-3);
    }
}

fn dense(graph: &Graph) -> Mat<f64> {
    let mut s = Mat::zeros(graph.nodes(), graph.nodes());
    for i in 0..graph.nodes() {
        graph.row(i).0.iter().zip(graph.row(i).1).for_each(|(&j, &w)| s[(i, j as usize)] = w);
    }
    s
}

/// The gradient of the penalty is 4λ(V·VᵀV − SV), by finite differences; and the rule of the monotone variant rests
/// where the gradient of the objective vanishes.
#[test]
fn gradient_of_the_objective() {
    let (x, start, graph) = two_triangles();
    let s = dense(&graph.normalized());
    let spec = Spec::new("nmf", 2).param("lambda", 3.0).param("monotone", 1.0).max_iter(3000).tol(0.0);
    let fit = on_graph(&spec, &x, &graph, Some(&start)).unwrap();
    let end = Factors { u: fit.model.centroids().clone(), v: fit.v.clone() };
    near(fit.objective, objective(&x, &end, &s, 3.0));
    let n = 6;
    for i in 0..n {
        for k in 0..2 {
            let slope = |f: &Factors<f64>, of: &dyn Fn(&Factors<f64>) -> f64| {
                let at = |by: f64| {
                    let mut moved = f.clone();
                    moved.v[(i, k)] += by;
                    of(&moved)
                };
                (at(1e-6) - at(-1e-6)) / 2e-6
            };
            let penalty = |f: &Factors<f64>| objective(&x, f, &s, 3.0) - objective(&x, f, &s, 0.0);
            let sv: f64 = (0..n).map(|j| s[(i, j)] * start.v[(j, k)]).sum();
            let vv = |l: usize| (0..n).map(|j| start.v[(j, l)] * start.v[(j, k)]).sum::<f64>();
            let vvv: f64 = (0..2).map(|l| start.v[(i, l)] * vv(l)).sum();
            let exact = 12.0 * (vvv - sv);
            assert!((slope(&start, &penalty) - exact).abs() < 1e-5 * exact.abs().max(1.0));
            let rest = slope(&end, &|f| objective(&x, f, &s, 3.0));
            assert!(rest.abs() * end.v[(i, k)] < 1e-3, "{rest} at {}", end.v[(i, k)]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    /// At any λ, with every loss that descends.
    #[test]
    fn the_monotone_variant_descends(
        kind in prop::sample::select(&KINDS[..]),
        seed in any::<u64>(),
        exponent in -3..6_i32,
        method in prop::sample::select(&["g-emmf", "nmf", "l21-nmf", "hx-nmf"][..]),
    ) {
        let p = problem(kind, seed);
        let spec = Spec::new(method, p.k).param("lambda", 10_f64.powi(exponent)).param("monotone", 1.0);
        let spec = spec.graph(GraphSpec { neighbours: 3, ..GraphSpec::default() }).max_iter(30);
        let fit = oracle::fit_from(&spec, &p.x, &p.start).unwrap();
        let noise = oracle::rounding::<f64>(&p.x, p.k, &fit.residuals, &fit.weights);
        let mut last = fit.initial;
        for (t, &now) in fit.trace.iter().enumerate() {
            prop_assert!(now <= last * (1.0 + 1e-12) + noise, "{spec:?} iteration {t}: {last} to {now}");
            last = now;
        }
    }
}

fn in_every_way<T: Real>(tolerance: f64) {
    for (at, kind) in KINDS.into_iter().enumerate() {
        let p = problem(kind, 30 + at as u64);
        let (x, start): (Mat<T>, Factors<T>) = (p.x.cast(), cast(&p.start));
        for monotone in [0.0, 1.0] {
            let spec = Spec::new("g-emmf", p.k).graph(KNN).param("monotone", monotone).max_iter(8);
            let reference = oracle::fit_from(&spec, &p.x, &p.start).unwrap();
            let dense = oracle::fit_from(&spec, &x, &start).unwrap();
            let sparse = Sparse::of(&x);
            let sparse = oracle::fit_from(&spec, sparse.narrow(), &start).unwrap();
            for fit in [dense, sparse] {
                assert!(fit.v.as_slice().iter().all(|v| v.is_finite() && *v >= T::ZERO));
                let by = distance(&reference.v.cast(), &fit.v);
                // Rounding decides about exact fits.
                let exact =
                    matches!(kind, Kind::ExactRank | Kind::OneSample | Kind::MoreCentroidsThanFeatures);
                assert!(by < tolerance || exact, "{kind:?} {by}");
            }
        }
    }
}

#[test]
fn dense_is_sparse_f64() {
    in_every_way::<f64>(1e-8);
}

#[test]
fn dense_is_sparse_and_single_is_double() {
    in_every_way::<f32>(1e-2);
}

/// Isolated, disconnected, empty, complete: all finite.
#[test]
fn odd_graphs() {
    let x = uniform(30, 6, &mut rng(3));
    let pairs = || (0..30).flat_map(|i| (0..i).map(move |j| (i, j)));
    let graphs = [
        Graph::from_edges(30, []),
        Graph::from_edges(30, [(0, 1, 2.0)]),
        Graph::from_edges(30, pairs().filter(|(i, j)| i % 3 == j % 3).map(|(i, j)| (i, j, 1.0))),
        Graph::from_edges(30, pairs().map(|(i, j)| (i, j, 0.1))),
    ];
    for graph in graphs {
        let graph = graph.unwrap();
        for lambda in [1e-3, 1.0, 1e3, 1e9] {
            for monotone in [0.0, 1.0] {
                let spec =
                    Spec::new("g-emmf", 3).param("lambda", lambda).param("monotone", monotone).max_iter(50);
                let fit = on_graph(&spec, &x, &graph, None).unwrap();
                assert!(
                    fit.v.as_slice().iter().chain(fit.model.centroids().as_slice()).all(|v| v.is_finite())
                );
                assert!(fit.objective.is_finite());
                assert_eq!(fit.model.spec().graph.unwrap().kind, GraphKind::Given);
            }
        }
    }
}

/// Components of a graph are found at large λ.
#[test]
fn a_given_graph_decides() {
    let x = uniform(30, 6, &mut rng(7));
    let pairs = (0..30).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edges = pairs.filter(|(i, j)| i % 3 == j % 3).map(|(i, j)| (i, j, 1.0));
    let graph = Graph::from_edges(30, edges).unwrap();
    let fit = on_graph(&Spec::new("nmf", 3).param("lambda", 1e6).seed(2), &x, &graph, None).unwrap();
    assert!((0..30).all(|i| fit.labels[i] == fit.labels[i % 3]), "{:?}", fit.labels);
}

/// ‖V − V'‖/‖V‖ decides by default, the objective if asked.
#[test]
fn stop_rules() {
    let x = uniform(40, 6, &mut rng(5));
    let spec = Spec::new("g-emmf", 3).tol(1e-4).max_iter(5000);
    let fit = spec.clone().fit(&x).unwrap();
    assert_eq!(fit.stop, Stop::Converged);
    let t = fit.trace.len();
    let at = |t: usize| spec.clone().tol(0.0).max_iter(t).fit(&x).unwrap().v;
    let change = |t: usize| {
        let (a, b) = (at(t - 1), at(t));
        let norm = |a: &Mat<f64>| a.as_slice().iter().map(|a| a * a).sum::<f64>().sqrt();
        let difference = Mat::from_fn(40, 3, |i, k| a[(i, k)] - b[(i, k)]);
        norm(&difference) / norm(&b)
    };
    assert!(change(t) <= 1e-4 && change(t - 1) > 1e-4);
    let by_objective = spec.clone().stop_by(StopBy::Objective).fit(&x).unwrap();
    let trace = &by_objective.trace;
    let last = trace.len() - 1;
    assert!((trace[last] - trace[last - 1]).abs() <= 1e-4 * trace[last - 1]);
    // Other methods can stop by V too.
    let fit = Spec::new("nmf", 3).tol(1e-3).stop_by(StopBy::Coefficients).max_iter(5000).fit(&x).unwrap();
    assert_eq!(fit.stop, Stop::Converged);
}

#[test]
fn refused() {
    let x = uniform(20, 4, &mut rng(1));
    let knn = GraphSpec::default();
    let message = |spec: Spec| spec.fit(&x).unwrap_err().to_string();
    assert!(message(Spec::new("pnmf", 2).graph(knn)).contains("cannot follow one"));
    assert!(message(Spec::new("nmf", 2).graph(knn).solver(Solver::Hals)).contains("mu with a graph"));
    assert!(message(Spec::new("l21-nmf", 2).param("lambda", 1.0)).contains("no parameters"));
    assert!(message(Spec::new("nmf", 2).param("lambda", 1.0)).contains("alpha-w"));
    assert!(message(Spec::new("nmf", 2).graph(knn).param("lambda", 0.0)).contains("above 0"));
    assert!(message(Spec::new("g-emmf", 2).graph(GraphSpec { neighbours: 0, ..knn })).contains("at least 1"));
    assert!(
        message(Spec::new("g-emmf", 2).graph(GraphSpec { kind: GraphKind::Given, ..knn })).contains("given")
    );
    let graph = Graph::from_edges(19, []).unwrap();
    let refused = on_graph(&Spec::new("g-emmf", 2), &x, &graph, None).unwrap_err();
    assert_eq!(refused, Error::Shape { what: "the given graph", got: (19, 19), want: (20, 20) });
}
