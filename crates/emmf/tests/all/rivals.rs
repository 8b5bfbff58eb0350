//! The methods with graphs and concepts: numbers that were computed independently on the test input of the method
//! notes, and every iteration against slow, plain versions.

use crate::oracle;

use emmf::method::Value;
use emmf::metrics::accuracy;
use emmf::preprocess::Normalize;
use emmf::{Factors, Fit, Graph, Mat, Spec};
use oracle::dense::{distance_sq, polar, t_times};
use oracle::escapes::Escapes;
use oracle::lsnmf::Lsnmf;
use oracle::problems::{Kind, distance, problem, rng, two_triangles, uniform};
use oracle::rivals::Rival;
use oracle::rmnmf::Rmnmf;
use oracle::{determined, fit_from};

/// The share of the comparisons with the oracle that may be excused: a little above what was measured.
const EXCUSED: f64 = 0.005;

fn samples() -> Mat<f64> {
    two_triangles().0
}

fn start() -> Factors<f64> {
    two_triangles().1
}

fn graph() -> Graph {
    two_triangles().2
}

fn fit_on(spec: &Spec, x: &Mat<f64>, graph: &Graph, start: &Factors<f64>) -> Fit<f64> {
    spec.on(x).start(start).graph(graph).fit().unwrap()
}

/// Objectives before, after 1 and after 10 iterations, to ten digits.
#[track_caller]
fn check(fit: &Fit<f64>, facts: [f64; 3]) {
    for (ours, fact) in [fit.initial, fit.trace[0], fit.trace[9]].into_iter().zip(facts) {
        assert!((ours - fact).abs() < 1e-10 * fact, "{:?}: {ours} should be {fact}", fit.model.spec());
    }
}

fn ten(spec: Spec) -> Fit<f64> {
    fit_from(&spec.max_iter(10).polish(false), &samples(), &start()).unwrap()
}

fn ten_on_graph(spec: Spec) -> Fit<f64> {
    fit_on(&spec.max_iter(10).polish(false), &samples(), &graph(), &start())
}

fn number(fit: &Fit<f64>, name: &str) -> f64 {
    let extra = fit.extras.iter().find(|extra| extra.name == name).unwrap();
    let Value::Number(number) = extra.value else { unreachable!() };
    number
}

#[test]
fn concept_factorization() {
    check(&ten(Spec::new("cf", 2)), [115.0624, 9.130_274_594_21, 3.396_084_463_4]);
}

#[test]
fn given_graph() {
    let with = |method: &str| Spec::new(method, 2).param("lambda", 1.0);
    check(&ten_on_graph(with("gnmf")), [30.24, 5.819_054_883_51, 3.509_345_564_79]);
    check(&ten_on_graph(with("lccf")), [117.0624, 10.319_461_537_8, 4.486_145_164_81]);
}

#[test]
fn symmetric() {
    let spec = Spec::new("symnmf", 2);
    check(&ten_on_graph(spec.clone()), [1.044_772_281_75, 1.005_931_538_43, 0.931_571_980_721]);
    check(&ten_on_graph(spec.param("half", 1.0)), [1.044_772_281_75, 0.989_730_530_384, 0.927_349_513_634]);
}

#[test]
fn robust_manifold() {
    let spec = Spec::new("rmnmf", 2).param("lambda", 1.0);
    let stable = spec.clone().param("stable", 1.0);
    let fit = ten_on_graph(stable.clone());
    check(&fit, [8.227_144_598_98, 7.749_569_973_92, 4.621_078_832_61]);
    assert!((number(&fit, "split") - 0.095_375_565_514_7).abs() < 1e-11);
    let last = fit_on(&stable.max_iter(500), &samples(), &graph(), &start());
    assert!((last.trace[499] - 5.65441).abs() < 1e-5, "{}", last.trace[499]);
    let fit = ten_on_graph(spec.param("penalty", 1.0).param("growth", 1.05));
    check(&fit, [fit.initial, 16.595_861_528, 3.252_159_281_38]);
    // Gaps that the fit does not report.
    let w = dense(&graph());
    let g = polar(&start().v);
    assert!((g[(0, 0)] - 1.0 / 3_f64.sqrt()).abs() < 1e-12 && g[(0, 1)].abs() < 1e-12);
    let mut plain = Rmnmf::new(&samples(), (&w, 1.0), (t_times(&samples(), &g), g), (10.0, 1.01));
    plain.iterate();
    let (rest, split) = plain.gaps();
    assert!((rest - 0.111_266_048_197).abs() < 1e-11 && (split - 0.115_315_794_702).abs() < 1e-11);
    (0..9).for_each(|_| plain.iterate());
    let (rest, split) = plain.gaps();
    assert!((rest - 0.012_813_614_367_4).abs() < 1e-11 && (split - 0.095_375_565_514_7).abs() < 1e-11);
}

/// W.
fn dense(graph: &Graph) -> Mat<f64> {
    let mut w = Mat::zeros(graph.nodes(), graph.nodes());
    for i in 0..graph.nodes() {
        let (near, weights) = graph.row(i);
        near.iter().zip(weights).for_each(|(&j, &weight)| w[(i, j as usize)] = weight);
    }
    w
}

#[test]
fn local_coordinates() {
    check(&ten(Spec::new("nlcf", 2).param("mu", 1.0)), [80.64, 34.173_762_725_8, 14.454_477_849_3]);
    check(&ten(Spec::new("lcf", 2).param("mu", 1.0)), [192.9984, 35.714_509_928_3, 14.767_345_671_1]);
}

#[test]
fn orthogonal() {
    let spec = Spec::new("onmf", 2);
    let fit = ten(spec.clone());
    check(&fit, [28.24, 6.723_411_815_34, 3.109_773_803_22]);
    assert!((number(&fit, "orthogonality") - 0.162_998_363_336).abs() < 1e-11);
    let one = fit_from(&spec.max_iter(1), &samples(), &start()).unwrap();
    assert!((number(&one, "orthogonality") - 0.348_093_155_831).abs() < 1e-11);
}

#[test]
fn learned_neighbours() {
    let fit = ten(Spec::new("nmfan", 2).param("lambda", 1.0).param("neighbors", 2.0));
    check(&fit, [132.905_890_767, 108.338_754_283, 106.440_186_135]);
    assert_eq!(number(&fit, "gamma"), 25.0);
    let srmcf = Spec::new("srmcf", 2).param("lambda", 1.0).param("neighbors", 2.0);
    check(&ten(srmcf.clone()), [115.0624, 9.227_874_868_34, 3.482_279_762_69]);
    check(&ten(srmcf.param("gamma", 1.0)), [118.082_755_092, 11.507_153_044_8, 5.891_928_035_45]);
}

/// T of the notes: three local centroids for two clusters.
fn local_centroids() -> Lsnmf {
    Lsnmf {
        x: samples(),
        f: Mat::from_rows([[5.0, 0.0, 2.0], [1.0, 4.0, 6.0], [1.0, 1.0, 1.0]]),
        g: Mat::from_rows([
            [1.0, 0.1, 0.0],
            [1.0, 0.0, 0.1],
            [1.0, 0.0, 0.2],
            [0.0, 1.0, 0.1],
            [0.0, 0.5, 0.5],
            [0.1, 0.0, 1.0],
        ]),
        lambda: 0.1,
        c: 2,
        k: 2,
        stable: false,
    }
}

#[test]
fn local_centroids_facts() {
    let mut plain = local_centroids();
    let mut values = vec![plain.objective()];
    for _ in 0..10 {
        plain.iterate();
        values.push(plain.objective());
    }
    for (at, fact) in [(0, 6.736_370_123_27), (1, 2.727_875_825_44), (10, 1.658_537_228_9)] {
        assert!((values[at] - fact).abs() < 1e-10 * fact, "{at}: {} should be {fact}", values[at]);
    }
    // λ is doubled until there are two components.
    let mut plain = local_centroids();
    let mut iterations = 0;
    loop {
        plain.iterate();
        iterations += 1;
        let mut found = plain.components();
        found.sort_unstable();
        found.dedup();
        if found.len() >= 2 || iterations == 50 {
            break;
        }
        plain.lambda *= 2.0;
    }
    assert_eq!((iterations, plain.lambda), (11, 102.4));
    let of = plain.components();
    assert!(of[0] == of[1] && of[1] == of[2] && of[3] == of[4] && of[4] == of[5] && of[2] != of[3], "{of:?}");
}

fn rivals() -> Vec<(Rival, Spec)> {
    let spec = |name: &str, params: &[(&str, f64)]| {
        params.iter().fold(Spec::new(name, 0), |spec, (name, value)| spec.param(*name, *value))
    };
    let (lambda, mu, k) = (0.7, 0.4, 3);
    vec![
        (Rival::Gnmf { lambda }, spec("gnmf", &[("lambda", lambda)])),
        (Rival::Lccf { lambda, unit: false }, spec("lccf", &[("lambda", lambda)])),
        (Rival::Lccf { lambda, unit: true }, spec("lccf", &[("lambda", lambda), ("unit", 1.0)])),
        (Rival::Symnmf { half: false }, spec("symnmf", &[])),
        (Rival::Symnmf { half: true }, spec("symnmf", &[("half", 1.0)])),
        (Rival::Cf, spec("cf", &[])),
        (Rival::Nlcf { mu }, spec("nlcf", &[("mu", mu)])),
        (Rival::Lcf { mu }, spec("lcf", &[("mu", mu)])),
        (Rival::Onmf, spec("onmf", &[])),
        (Rival::Nmfan { lambda, k }, spec("nmfan", &[("lambda", lambda), ("neighbors", 3.0)])),
        (Rival::Srmcf { lambda, k, gamma: None }, spec("srmcf", &[("lambda", lambda), ("neighbors", 3.0)])),
        (
            Rival::Srmcf { lambda, k, gamma: Some(0.3) },
            spec("srmcf", &[("lambda", lambda), ("neighbors", 3.0), ("gamma", 0.3)]),
        ),
    ]
}

/// In two parts, with weights, and without an edge at the last sample.
fn some_graph(n: usize, seed: u64) -> Graph {
    let weights = uniform(n, n, &mut rng(seed));
    let edges = (0..n - 1).flat_map(|i| (i + 1..n - 1).map(move |j| (i, j)));
    let edges = edges.filter(|(i, j)| i % 2 == j % 2 && weights[(*i, *j)] < 0.6);
    Graph::from_edges(n, edges.map(|(i, j)| (i, j, weights[(i, j)]))).unwrap()
}

/// Entries of V grow where the objective falls with them, and shrink where it rises: the step has the sign of the gradient,
/// which is taken by finite differences.
#[test]
fn steps_for_v_go_downhill() {
    for seed in 0..4 {
        let p = problem(Kind::Plain, seed);
        let w = dense(&some_graph(p.x.rows(), seed));
        for (rival, _) in rivals().into_iter().filter(|(rival, _)| *rival != Rival::Onmf) {
            let place = rival.begin(&p.x, &p.start, &w);
            let mut moved = place.clone();
            rival.move_v(&p.x, &mut moved);
            for i in 0..place.v.rows() {
                for k in 0..place.v.cols() {
                    let at = |by: f64| {
                        let mut place = place.clone();
                        place.v[(i, k)] += by;
                        rival.objective(&p.x, &place)
                    };
                    let step = 1e-5 * place.v[(i, k)];
                    let gradient = (at(step) - at(-step)) / (2.0 * step);
                    let by = moved.v[(i, k)] - place.v[(i, k)];
                    assert!(gradient.abs() < 1e-4 || gradient * by < 0.0, "{rival:?}: {gradient} {by}");
                }
            }
        }
    }
}

#[test]
fn robust_manifold_is_that_of_the_oracle() {
    for seed in 0..6 {
        let p = problem(Kind::Plain, seed);
        let graph = some_graph(p.x.rows(), seed);
        for stable in [false, true] {
            let spec =
                Spec::new("rmnmf", p.k).param("lambda", 0.4).param("stable", f64::from(u8::from(stable)));
            let fit = fit_on(&spec.param("penalty", 3.0).max_iter(8), &p.x, &graph, &p.start);
            let g = if stable { polar(&p.start.v) } else { p.start.v.clone() };
            let f = if stable { t_times(&p.x, &g) } else { p.start.u.clone() };
            let growth = if stable { 1.01 } else { 1.05 };
            let mut plain = Rmnmf::new(&p.x, (&dense(&graph), 0.4), (f, g), (3.0, growth));
            for ours in [fit.initial].iter().chain(&fit.trace) {
                let theirs = plain.objective();
                assert!((ours - theirs).abs() < 1e-8 * theirs, "{seed} {stable}: {ours}, should be {theirs}");
                plain.iterate();
            }
            // What is left is orthonormal.
            let extra = fit.extras.iter().find(|extra| extra.name == "g").unwrap();
            let Value::Matrix(g) = &extra.value else { unreachable!() };
            let gram = t_times(g, g);
            let unit = Mat::from_fn(p.k, p.k, |k, l| f64::from(u8::from(k == l)));
            assert!(distance_sq(gram.as_slice(), unit.as_slice()).sqrt() < 1e-13);
        }
    }
}

/// Ten iterations from one start, objectives and factors.
#[test]
fn every_iteration_is_that_of_the_oracle() {
    let escapes = Escapes::default();
    for kind in
        [Kind::Plain, Kind::Zeros, Kind::Outliers, Kind::ZeroFeatures, Kind::MoreCentroidsThanFeatures]
    {
        for seed in 0..4 {
            let p = problem(kind, seed);
            for (rival, spec) in rivals() {
                let mut spec = spec.max_iter(10).polish(false);
                spec.k = p.k;
                let graph = some_graph(p.x.rows(), seed);
                let facts = emmf::registry::find(&spec.method).unwrap().facts;
                let fit = if facts.graph == emmf::registry::GraphUse::Needed {
                    fit_on(&spec, &p.x, &graph, &p.start)
                } else {
                    fit_from(&spec, &p.x, &p.start).unwrap()
                };
                let normalized = spec.method == "symnmf";
                let w = dense(&if normalized { graph.normalized() } else { graph });
                let mut place = rival.begin(&p.x, &p.start, &w);
                for at in 0..=10 {
                    let ours = if at == 0 { fit.initial } else { fit.trace[at - 1] };
                    let theirs = rival.objective(&p.x, &place);
                    assert!(
                        (ours - theirs).abs() <= 1e-8 * theirs,
                        "{kind:?} {rival:?} {at}: {ours}, should be {theirs}"
                    );
                    if at < 10 {
                        rival.iterate(&p.x, &mut place);
                    }
                }
                let by = distance(&fit.v, &place.v);
                let by = if normalized { by } else { by.max(distance(fit.model.centroids(), &place.u)) };
                assert!(escapes.holds(by < 1e-7, || !determined(&fit, &p.x)), "{kind:?} {rival:?}: {by}");
            }
        }
    }
    escapes.at_most("rivals", EXCUSED);
}

/// A given start has as many local centroids as clusters.
#[test]
fn local_centroids_is_that_of_the_oracle() {
    for stable in [false, true] {
        for seed in 0..6 {
            let p = problem(Kind::Plain, seed);
            if p.k == 1 {
                continue;
            }
            let spec =
                Spec::new("lsnmf", p.k).param("adapt", 0.0).param("stable", f64::from(u8::from(stable)));
            let spec = spec.param("lambda", 0.3).param("neighbors", 2.0).max_iter(6);
            let fit = fit_from(&spec, &p.x, &p.start).unwrap();
            let mut g = Mat::zeros(p.x.rows(), p.k);
            for i in 0..g.rows() {
                let mut order: Vec<usize> = (0..p.k).collect();
                order.sort_by(|&a, &b| p.start.v[(i, b)].total_cmp(&p.start.v[(i, a)]));
                order.iter().take(2).for_each(|&k| g[(i, k)] = p.start.v[(i, k)]);
            }
            let (x, f) = (p.x.clone(), p.start.u.clone());
            let mut plain = Lsnmf { x, f, g, lambda: 0.3, c: p.k, k: 2, stable };
            for at in 0..=6 {
                let ours = if at == 0 { fit.initial } else { fit.trace[at - 1] };
                let theirs = plain.objective();
                assert!(
                    (ours - theirs).abs() <= 1e-8 * theirs,
                    "{stable} {seed} {at}: {ours}, should be {theirs}"
                );
                plain.iterate();
            }
        }
    }
}

/// λ is halved where it leaves too many samples without a link, so that a far too large one still ends in clusters.
#[test]
fn local_centroids_forgive_a_large_lambda() {
    let x = noisy_classes();
    let truth: Vec<usize> = (0..x.rows()).map(|i| i % 8).collect();
    for seed in 0..4 {
        let spec = Spec::new("lsnmf", 8).param("stable", 1.0).param("lambda", 1e6);
        let fit = spec.normalize([Normalize::Unit]).seed(seed).fit(&x).unwrap();
        let accuracy = accuracy(&truth, &fit.labels).unwrap();
        assert!(accuracy > 0.25, "{seed}: {accuracy}, by chance 0.125");
    }
}

/// Eight classes of 20 samples with 64 features, weak among much noise.
fn noisy_classes() -> Mat<f64> {
    let mut rng = rng(5);
    let (means, noise) = (uniform(8, 64, &mut rng), uniform(160, 64, &mut rng));
    Mat::from_fn(160, 64, |i, j| means[(i % 8, j)] + 2.0 * noise[(i, j)])
}
