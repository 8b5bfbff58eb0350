//! Which samples are outliers, and why: few of clean data, of whatever kind; gross ones all, with their reason; new samples by
//! the same rule.

use crate::oracle;

use emmf::metrics::roc_auc;
use emmf::outliers::{Reason, THRESHOLD};
use emmf::preprocess::Normalize;
use emmf::synth::{Junk, Rays, add_junk, add_outliers, rays_with_outliers};
use emmf::{Csr, Fit, Mat, Running, Spec};
use oracle::problems::{rng, uniform};
use rand::RngExt;

/// The methods whose scores people see.
const METHODS: [&str; 3] = ["emmf", "g-emmf", "nmf"];

fn times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.rows(), b.cols(), |i, j| (0..a.cols()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

/// Samples without outliers, and the number of centroids: exact, of few features, discrete, with heavy tails.
fn clean() -> Vec<(&'static str, Mat<f64>, usize)> {
    let mut rng = rng(1);
    let exact = times(&uniform(200, 3, &mut rng), &uniform(3, 20, &mut rng));
    let square = uniform(900, 5, &mut rng);
    let heavy = Mat::from_fn(800, 12, |_, _| (1.0 - rng.random::<f64>()).powf(-0.5) - 1.0);
    let lengths: Vec<f64> = (0..800).map(|_| (3.0 * (rng.random::<f64>() - 0.5)).exp()).collect();
    let unequal = Mat::from_fn(800, 12, |i, _| lengths[i] * rng.random::<f64>());
    let counts = Mat::from_fn(600, 20, |_, _| f64::from(rng.random_range(0..5_u8)));
    let binary = Mat::from_fn(600, 30, |_, _| f64::from(u8::from(rng.random::<f64>() < 0.3)));
    let centers = Mat::from_fn(12, 60, |_, _| if rng.random::<f64>() < 0.3 { rng.random() } else { 0.0 });
    let clusters = Mat::from_fn(1200, 60, |i, j| centers[(i % 12, j)] + 0.05 * rng.random::<f64>());
    let mut constant = uniform(300, 8, &mut rng);
    (0..300).for_each(|i| constant[(i, 3)] = 1.0);
    let number = uniform(200, 11, &mut rng);
    let numbered =
        |by: f64| Mat::from_fn(200, 11, |i, j| if j == 0 { by * (i + 1) as f64 } else { number[(i, j)] });
    vec![
        ("exact, rank 3", exact.clone(), 3),
        ("exact, k too small", exact.clone(), 2),
        ("exact, k too large", exact, 6),
        ("as many centroids as features", square.clone(), 5),
        ("more centroids than features", square, 9),
        ("heavy tails", heavy, 4),
        ("unequal lengths", unequal, 4),
        ("counts", counts, 4),
        ("binary", binary, 6),
        ("clusters", clusters.clone(), 12),
        ("clusters, k too small", clusters.clone(), 5),
        ("clusters, k too large", clusters, 30),
        ("a constant feature", constant, 3),
        ("the number of the sample", numbered(1.0), 3),
        ("large numbers of samples", numbered(1000.0), 3),
    ]
}

fn marked(fit: &Fit<f64>) -> usize {
    fit.outliers(emmf::Cut::default()).unwrap().iter().filter(|outlier| **outlier).count()
}

#[test]
fn clean_data_have_no_outliers() {
    for (name, x, k) in clean() {
        for method in METHODS {
            let fit = Spec::new(method, k).max_iter(60).fit(&x).unwrap();
            assert!(fit.set_aside.len() * 500 <= x.rows(), "{name}, {method}: {:?}", fit.set_aside);
            assert!(marked(&fit) * 100 <= x.rows(), "{name}, {method}: {} of {}", marked(&fit), x.rows());
            assert!(fit.scores.iter().all(|score| score.abs() < 1e3), "{name}, {method}");
        }
    }
}

/// Every sample divided by a factor of its own: its length, its largest value.
fn scaled(x: &Mat<f64>) -> [(&'static str, Mat<f64>); 2] {
    let by = |factor: &dyn Fn(&[f64]) -> f64| {
        let factors: Vec<f64> = (0..x.rows()).map(|i| factor(x.row(i)).max(f64::MIN_POSITIVE)).collect();
        Mat::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)] / factors[i])
    };
    [
        ("of unit length", by(&|row| row.iter().map(|x| x * x).sum::<f64>().sqrt())),
        ("with the largest value 1", by(&|row| row.iter().copied().fold(0.0, f64::max))),
    ]
}

/// Binary images of very different sizes: at unit length, all values of a sample say how many pixels are white.
fn unequal_binary() -> Mat<f64> {
    let mut rng = rng(8);
    let centers: Vec<(f64, Vec<f64>)> =
        (0..12).map(|i| (0.05 + 0.05 * f64::from(i), (0..120).map(|_| rng.random()).collect())).collect();
    Mat::from_fn(900, 120, |i, j| {
        let (white, center) = &centers[i % 12];
        let flipped = rng.random::<f64>() < 0.08;
        f64::from(u8::from((center[j] < *white) != flipped))
    })
}

/// A factor that all values of a sample have in common makes no outlier.
#[test]
fn clean_data_have_no_outliers_at_any_length() {
    let sets = clean().into_iter().chain([("binary, unequal", unequal_binary(), 12)]);
    for (name, x, k) in sets {
        for (how, x) in scaled(&x) {
            let fit = Spec::new("g-emmf", k).max_iter(20).fit(&x).unwrap();
            assert_eq!(fit.set_aside, [0; 0], "{name}, {how}");
            assert!(marked(&fit) * 100 <= x.rows(), "{name}, {how}: {} of {}", marked(&fit), x.rows());
        }
    }
}

fn rays(n: usize) -> Mat<f64> {
    let rays =
        Rays { classes: 4, features: 50, samples: n, outliers: 0, noise: 0.1, seed: 3, ..Rays::default() };
    rays_with_outliers(&rays).unwrap().x
}

/// Samples with some of another kind after them.
fn kinds(x: &Mat<f64>) -> Vec<(&'static str, Mat<f64>)> {
    let (n, d) = x.shape();
    let many = n / 10;
    let with = |change: &dyn Fn(usize, usize) -> f64| {
        Mat::from_fn(n + many, d, |i, j| if i < n { x[(i, j)] } else { change(i - n, j) })
    };
    let junk = uniform(1, d, &mut rng(9));
    vec![
        ("huge", add_outliers(x, many, 1)),
        ("scattered", add_junk(x, Junk::Scattered, many, 1)),
        ("too long", add_junk(x, Junk::Long, many, 1)),
        ("copies", with(&|i, j| 3.0 * junk[(0, j)] * (1.0 + 1e-3 * ((i * 7 + j) % 5) as f64))),
    ]
}

#[test]
fn gross_outliers_are_marked_with_their_reason() {
    let x = rays(300);
    for (kind, all) in kinds(&x) {
        for method in METHODS {
            for chain in [vec![], vec![Normalize::Unit]] {
                let what = format!("{kind}, {method}, {chain:?}");
                let fit = Spec::new(method, 4).normalize(chain).max_iter(40).fit(&all).unwrap();
                let truth: Vec<bool> = (0..all.rows()).map(|i| i >= 300).collect();
                assert!(roc_auc(&fit.scores, &truth).unwrap() > 0.999, "{what}");
                let found = fit.outliers(emmf::Cut::default()).unwrap();
                assert!(found[300..].iter().all(|outlier| *outlier), "{what}");
                assert!(found[..300].iter().filter(|outlier| **outlier).count() <= 3, "{what}");
                if matches!(kind, "huge" | "too long") {
                    assert!(fit.reasons[300..].iter().all(|reason| *reason == Reason::Length), "{what}");
                }
            }
        }
    }
}

/// A third of outliers is marked, and changes nothing about which of the others are.
#[test]
fn a_third_of_outliers() {
    let x = rays(300);
    for many in [3, 30, 100] {
        let fit = Spec::new("g-emmf", 4).max_iter(40).fit(&add_outliers(&x, many, 5)).unwrap();
        let found = fit.outliers(emmf::Cut::default()).unwrap();
        assert!(found.iter().enumerate().all(|(i, outlier)| *outlier == (i >= 300)), "{many}");
    }
}

/// A class with few samples among full ones is no outlier.
#[test]
fn rare_classes_are_not_outliers() {
    // Classes that differ about as much as their samples do, as images of digits do.
    let (own, noise) = (rays(400), uniform(400, 50, &mut rng(4)));
    let x = Mat::from_fn(400, 50, |i, j| own[(i, j)] + 0.5 * noise[(i, j)]);
    for few in [8, 20, 60] {
        // Class 0 comes first.
        let rows: Vec<usize> = (0..few).chain(100..400).collect();
        let rare = Mat::from_fn(rows.len(), 50, |i, j| x[(rows[i], j)]);
        for method in METHODS {
            let fit = Spec::new(method, 4).max_iter(60).fit(&rare).unwrap();
            let found = fit.outliers(emmf::Cut::default()).unwrap();
            let hit = found[..few].iter().filter(|outlier| **outlier).count();
            assert_eq!(hit, 0, "{few} samples, {method}");
        }
    }
}

/// The same sample has the same score wherever it comes from, and another batch does not change it.
#[test]
fn new_samples_are_judged_alike() {
    let x = rays(300);
    let all = add_outliers(&x, 30, 2);
    for chain in [vec![], vec![Normalize::Unit], vec![Normalize::Shift]] {
        let fit = Spec::new("g-emmf", 4).normalize(chain.clone()).max_iter(30).fit(&all).unwrap();
        let whole = fit.model.transform(&all).unwrap();
        assert_eq!((&whole.scores, &whole.reasons), (&fit.scores, &fit.reasons), "{chain:?}");
        for i in [0, 299, 310] {
            let one = Mat::from_fn(1, 50, |_, j| all[(i, j)]);
            let coded = fit.model.transform(&one).unwrap();
            assert_eq!(coded.scores[0].to_bits(), fit.scores[i].to_bits(), "{chain:?}, {i}");
        }
        let strange = Mat::from_fn(2, 50, |i, j| if i == 0 { 1e6 } else { f64::from(u8::from(j == 7)) });
        let coded = fit.model.transform(&strange).unwrap();
        assert!(coded.scores.iter().all(|score| *score > THRESHOLD), "{chain:?}: {:?}", coded.scores);
    }
}

/// Clusters far apart from each other, the last of so few samples.
fn clusters_with_a_rare_one(few: usize, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    let centers =
        Mat::from_fn(9, 60, |_, _| if rng.random::<f64>() < 0.3 { rng.random::<f64>() } else { 0.0 });
    let cluster = |i: usize| if i < 800 { i % 8 } else { 8 };
    Mat::from_fn(800 + few, 60, |i, j| centers[(cluster(i), j)] + 0.05 * rng.random::<f64>())
}

/// A rare class is no outlier, and new samples of it are none, either.
#[test]
fn a_rare_cluster_is_no_outlier() {
    for (few, seed) in [(8, 1), (20, 2), (60, 3), (8, 4)] {
        let x = clusters_with_a_rare_one(few, seed);
        for method in ["emmf", "g-emmf"] {
            let fit = Spec::new(method, 8).max_iter(60).fit(&x).unwrap();
            let found = fit.outliers(emmf::Cut::default()).unwrap();
            let rare = found[800..].iter().filter(|outlier| **outlier).count();
            assert!(
                rare * 8 <= few && marked(&fit) * 100 <= x.rows(),
                "{method}, {few}: {rare}, {}",
                marked(&fit)
            );
            let again = fit.model.transform(&x).unwrap();
            assert_eq!(again.scores, fit.scores, "{method}, {few}");
        }
    }
}

/// A group that stands out from samples without clusters is no rare one of theirs, though the fit would give it a centroid.
#[test]
fn a_group_beside_no_clusters_is_set_aside() {
    for seed in 0..4 {
        let mut rng = rng(seed);
        let pattern: Vec<f64> = (0..60).map(|_| 4.0 * rng.random::<f64>()).collect();
        let x = Mat::from_fn(216, 60, |i, j| rng.random::<f64>() + if i < 180 { 1.0 } else { pattern[j] });
        for method in ["emmf", "g-emmf"] {
            let fit = Spec::new(method, 3).max_iter(30).fit(&x).unwrap();
            assert_eq!(fit.set_aside, (180..216).collect::<Vec<_>>(), "{method}, {seed}");
        }
    }
}

/// A whole class is no outlier where a centroid describes it, though there are more classes than directions that are looked at.
#[test]
fn a_class_with_a_centroid_is_no_outlier() {
    for seed in 0..4 {
        let rays =
            Rays { classes: 6, features: 40, samples: 240, outliers: 0, noise: 0.1, seed, ..Rays::default() };
        let fit = Spec::new("g-emmf", 6).fit(&rays_with_outliers(&rays).unwrap().x).unwrap();
        assert!(marked(&fit) <= 2 && fit.set_aside.is_empty(), "seed {seed}: {}", marked(&fit));
    }
}

/// The same junk many times is reported as one group.
#[test]
fn copies_are_a_group() {
    let x = rays(300);
    let mut rng = rng(5);
    let junk: Vec<f64> = (0..50).map(|_| 20.0 * rng.random::<f64>()).collect();
    let x = Mat::from_fn(312, 50, |i, j| {
        if i < 300 { x[(i, j)] } else { junk[j] * (1.0 + 0.001 * rng.random::<f64>()) }
    });
    let fit = Spec::emmf(4).max_iter(60).fit(&x).unwrap();
    assert_eq!(fit.groups, [(300..312).collect::<Vec<_>>()]);
    assert!(fit.outliers(emmf::Cut::default()).unwrap()[300..].iter().all(|outlier| *outlier));
}

/// Where a verdict is impossible, the fit says so.
#[test]
fn doubts_are_told() {
    use emmf::outliers::Doubt;
    let doubt = |x: &Mat<f64>, k: usize| {
        Spec::new("nmf", k).max_iter(500).fit(x).unwrap().model.judge().unwrap().doubt()
    };
    let mut rng = rng(6);
    let exact = times(&uniform(200, 1, &mut rng), &uniform(1, 20, &mut rng));
    assert_eq!(doubt(&exact, 1), Some(Doubt::Exact));
    assert_eq!(doubt(&uniform(30, 20, &mut rng), 2), Some(Doubt::Few));
    assert_eq!(doubt(&rays(300), 2), None);
}

/// Samples of ten directions, and a few whose values are all usual, but do not go together.
#[test]
fn what_is_made_of_something_else_is_found() {
    let mut rng = rng(7);
    let clean = times(&uniform(400, 10, &mut rng), &uniform(10, 80, &mut rng));
    let noisy = Mat::from_fn(400, 80, |i, j| clean[(i, j)] + 0.05 * rng.random::<f64>());
    // Each value from another sample.
    let mixed = Mat::from_fn(440, 80, |i, j| noisy[(if i < 400 { i } else { rng.random_range(0..400) }, j)]);
    let fit = Spec::emmf(4).max_iter(60).fit(&mixed).unwrap();
    let truth: Vec<bool> = (0..440).map(|i| i >= 400).collect();
    assert!(roc_auc(&fit.scores, &truth).unwrap() > 0.99);
    let found = fit.outliers(emmf::Cut::default()).unwrap();
    let reasons = fit.reasons[400..].iter().filter(|reason| **reason == Reason::Structure).count();
    assert!(found[400..].iter().all(|outlier| *outlier) && reasons > 35, "{reasons}, {found:?}");
}

/// Models that were written before there was a reason more are read, and judge as they did.
#[test]
fn older_scales_are_read() {
    use emmf::outliers::Scales;
    let scale = r#"{"floor": null, "center": 1.0, "spread": 2.0}"#;
    let scales = |parts: usize| {
        let parts = vec![scale; parts].join(", ");
        serde_json::from_str::<Scales>(&format!(r#"{{"parts": [{parts}], "cut": 3.0, "length_cut": 5.0}}"#))
    };
    let old = scales(5).unwrap();
    assert_eq!((old.parts[4].is_some(), old.parts[5], old.second), (true, None, 0.0));
    let error = scales(7).unwrap_err().to_string();
    assert!(error.contains("as many scales as there are reasons"), "{error}");
}

/// The parts of a score are as many as there are reasons, add up to it, and the largest is the reason; of dense and of sparse
/// samples, with and without a length that they had before.
#[test]
fn reasons_say_what_part_of_a_score_they_make() {
    let x = rays(300);
    for (kind, all) in kinds(&x) {
        for chain in [vec![], vec![Normalize::Unit]] {
            let what = format!("{kind}, {chain:?}");
            let fit = Spec::emmf(4).normalize(chain).max_iter(40).fit(&all).unwrap();
            let parts = fit.model.outlier_parts(&all, &Running::default()).unwrap();
            let (n, d) = all.shape();
            let entries = (0..n * d).map(|at| (at / d, at % d, all[(at / d, at % d)]));
            let csr = Csr::from_triplets((n, d), entries.collect()).unwrap();
            let sparse = fit.model.outlier_parts(&csr, &Running::on(2)).unwrap();
            for (i, own) in parts.iter().enumerate() {
                assert_eq!(own.iter().map(|part| part.reason).collect::<Vec<_>>(), Reason::PARTS, "{what}");
                let sum: f64 = own.iter().map(|part| part.part).sum();
                assert!((sum - fit.scores[i]).abs() <= 1e-9 * (1.0 + sum.abs()), "{what}, {i}: {sum}");
                let largest = own.iter().map(|part| part.part).fold(f64::NEG_INFINITY, f64::max);
                let decides = own[fit.reasons[i] as usize].part;
                assert!(sum < 0.0 || decides == largest, "{what}, {i}: {own:?}");
                let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * (1.0 + a.abs());
                assert!(own.iter().zip(&sparse[i]).all(|(a, b)| near(a.z, b.z)), "{what}, {i}");
            }
        }
    }
    let (rare, few) = (clusters_with_a_rare_one(20, 2), 800..820);
    let fit = Spec::emmf(8).max_iter(60).fit(&rare).unwrap();
    let parts = fit.model.outlier_parts(&rare, &Running::default()).unwrap();
    for i in few {
        let sum: f64 = parts[i].iter().map(|part| part.part).sum();
        assert!((sum - fit.scores[i]).abs() <= 1e-9, "{i}: {sum}, {}", fit.scores[i]);
    }
}

/// Near-copies of a sample within the range of the others are set aside as one group, and the fit is that without them.
#[test]
fn near_copies_are_set_aside() {
    let (x, junk) = (rays(300), uniform(1, 50, &mut rng(5)));
    let mut rng = rng(6);
    let top = x.as_slice().iter().copied().fold(0.0, f64::max);
    let copies = Mat::from_fn(315, 50, |i, j| {
        if i < 300 { x[(i, j)] } else { top * junk[(0, j)] * (1.0 + 0.02 * rng.random::<f64>()) }
    });
    for method in ["emmf", "g-emmf"] {
        let spec = Spec::new(method, 4).max_iter(40);
        let (alone, fit) = (spec.fit(&x).unwrap(), spec.fit(&copies).unwrap());
        assert_eq!(fit.set_aside, (300..315).collect::<Vec<_>>(), "{method}");
        assert_eq!(fit.groups, [(300..315).collect::<Vec<_>>()], "{method}");
        assert_eq!(fit.centroids(), alone.centroids(), "{method}");
    }
}
