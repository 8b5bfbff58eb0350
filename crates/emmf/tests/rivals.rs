//! The methods with graphs and concepts: numbers that were computed independently on the test input of the method
//! notes, and every iteration against slow, plain versions.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod oracle;

use emmf::{Factors, Fit, Mat, Spec};
use oracle::lsnmf::Lsnmf;
use oracle::problems::{Kind, distance, problem};
use oracle::rivals::Rival;
use oracle::{determined, fit_from};

fn samples() -> Mat<f64> {
    Mat::from_rows([
        [5.0, 0.0, 1.0],
        [4.0, 1.0, 1.0],
        [6.0, 2.0, 1.0],
        [0.0, 4.0, 1.0],
        [1.0, 5.0, 0.0],
        [2.0, 6.0, 2.0],
    ])
}

fn start() -> Factors<f64> {
    let v = Mat::from_fn(6, 2, |i, k| if i / 3 == k { 1.2 } else { 0.2 });
    Factors { u: Mat::from_rows([[5.0, 1.0], [1.0, 5.0], [1.0, 1.0]]), v }
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

fn number(fit: &Fit<f64>, name: &str) -> f64 {
    let extra = fit.extras.iter().find(|extra| extra.name == name).unwrap();
    let emmf::method::Value::Number(number) = extra.value else { unreachable!() };
    number
}

#[test]
fn concept_factorization() {
    check(&ten(Spec::new("cf", 2)), [115.0624, 9.130_274_594_21, 3.396_084_463_4]);
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
    check(&ten(srmcf.clone()), [115.0624 + GRAPH_OF_START, 9.227_874_868_34, 3.482_279_762_69]);
    check(&ten(srmcf.param("gamma", 1.0)), [118.082_755_092, 11.507_153_044_8, 5.891_928_035_45]);
}

/// λ·tr(VᵀLV) of the start is 0: the graph of two neighbours does not leave the clusters.
const GRAPH_OF_START: f64 = 0.0;

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

/// Ten iterations from one start, objectives and factors.
#[test]
fn every_iteration_is_that_of_the_oracle() {
    for kind in
        [Kind::Plain, Kind::Zeros, Kind::Outliers, Kind::ZeroFeatures, Kind::MoreCentroidsThanFeatures]
    {
        for seed in 0..4 {
            let p = problem(kind, seed);
            for (rival, spec) in rivals() {
                let mut spec = spec.max_iter(10).polish(false);
                spec.k = p.k;
                let fit = fit_from(&spec, &p.x, &p.start).unwrap();
                let mut place = rival.begin(&p.x, &p.start, &Mat::zeros(0, 0));
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
                let by = distance(&fit.v, &place.v).max(distance(fit.model.centroids(), &place.u));
                assert!(by < 1e-7 || !determined(&fit, &p.x), "{kind:?} {rival:?}: {by}");
            }
        }
    }
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
