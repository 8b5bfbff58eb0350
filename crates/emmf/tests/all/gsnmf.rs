//! Generalized separable NMF: what was planted is found, by both choices, exactly without noise.
#![expect(clippy::panic, reason = "a test may panic")]

use crate::oracle;

use emmf::method::Value;
use emmf::{Fit, Mat, Real, Samples, Spec};
use oracle::problems::{in_every_storage, rng};
use rand::RngExt;

/// The chosen samples and features, sorted.
fn chosen<T: Real>(fit: &Fit<T>) -> [Vec<usize>; 2] {
    ["samples", "features"].map(|name| {
        let extra = fit.extras.iter().find(|extra| extra.name == name).unwrap();
        let Value::Indices(indices) = &extra.value else { panic!("{name}") };
        let mut sorted = indices.clone();
        sorted.sort_unstable();
        sorted
    })
}

fn spec(k: usize, lambda: Option<f64>) -> Spec {
    let spec = Spec::new("gsnmf", k).max_iter(100);
    match lambda {
        None => spec,
        Some(lambda) => spec.param("convex", 1.0).param("lambda", lambda),
    }
}

/// Two outer products. Being of rank 2, it is as well explained by two samples or two features.
#[test]
fn tiny_example() {
    let (a, b) = ([0.0, 1.0, 2.0, 3.0], [1.0, 0.5, 0.25, 0.5, 1.0]);
    let (e, f) = ([1.0, 0.5, 0.25, 0.5], [0.0, 1.0, 2.0, 1.0, 3.0]);
    let x = Mat::from_fn(5, 4, |i, j| a[j] * b[i] + e[j] * f[i]);
    for lambda in [None, Some(1.0), Some(0.1)] {
        for polish in [true, false] {
            let fit = spec(2, lambda).max_iter(200).polish(polish).fit(&x).unwrap();
            assert!(fit.residuals.iter().all(|r| *r < 1e-14), "{lambda:?} {:?}", fit.residuals);
        }
    }
    let fit = spec(2, None).polish(false).fit(&x).unwrap();
    assert_eq!(chosen(&fit), [[0], [0]]);
    // U = [sample 0, P₂], V = [P₁, feature 0].
    (0..4).for_each(|j| assert_eq!(fit.model.centroids()[(j, 0)], x[(0, j)]));
    (0..5).for_each(|i| assert_eq!(fit.v[(i, 1)], x[(i, 0)]));
}

struct Planted {
    x: Mat<f64>,
    places: [Vec<usize>; 2],
}

/// Samples that are mixtures of r₁ of them and of r₂ features, in random places, with relative noise.
fn planted((n, d): (usize, usize), (r1, r2): (usize, usize), noise: f64, seed: u64) -> Planted {
    let mut rng = rng(seed);
    let mut places = |from: usize, many: usize| {
        let mut all: Vec<usize> = (0..from).collect();
        let mut taken: Vec<usize> =
            (0..many).map(|_| all.swap_remove(rng.random_range(0..all.len()))).collect();
        taken.sort_unstable();
        taken
    };
    let places = [places(n, r1), places(d, r2)];
    // Rows of mixtures, pure ones at `own`; and free numbers, zero at `pure`.
    let mut side = |rows: usize, own: &[usize], others: usize, pure: &[usize]| {
        let mut mix = Mat::from_fn(rows, own.len(), |_, _| -(1.0 - rng.random::<f64>()).ln());
        for i in 0..rows {
            let sum: f64 = mix.row(i).iter().sum();
            mix.row_mut(i).iter_mut().for_each(|m| *m /= sum);
        }
        for (k, &i) in own.iter().enumerate() {
            mix.row_mut(i).fill(0.0);
            mix[(i, k)] = 1.0;
        }
        let mut free = Mat::from_fn(others, own.len(), |_, _| rng.random::<f64>());
        pure.iter().for_each(|&j| free.row_mut(j).fill(0.0));
        (mix, free)
    };
    let (p1, w1) = side(n, &places[0], d, &places[1]);
    let (p2, w2) = side(d, &places[1], n, &places[0]);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut x = Mat::from_fn(n, d, |i, j| dot(p1.row(i), w1.row(j)) + dot(w2.row(i), p2.row(j)));
    let norm = (x.as_slice().iter().map(|x| x * x).sum::<f64>() / (n * d) as f64).sqrt();
    for x in x.as_mut_slice() {
        // Uniform, with the standard deviation `noise` times the root mean square.
        *x = (*x + noise * norm * 12_f64.sqrt() * (rng.random::<f64>() - 0.5)).max(0.0);
    }
    Planted { x, places }
}

/// Both floating-point types find the places (small ones only, where that takes long); the fit is as good as the noise lets it be, exact without.
fn recovers(shape: (usize, usize), ranks: (usize, usize), noises: &[f64], lambda: Option<f64>) {
    for (seed, &noise) in noises.iter().enumerate() {
        let Planted { x, places } = planted(shape, ranks, noise, seed as u64);
        let iterations = if noise > 0.0 { 100 } else { 400 };
        let spec = spec(ranks.0 + ranks.1, lambda).max_iter(iterations);
        let fit = spec.fit(&x).unwrap();
        assert_eq!(chosen(&fit), places, "{shape:?} {noise} {lambda:?}");
        let norm: f64 = x.as_slice().iter().map(|x| x * x).sum();
        let last = fit.trace[iterations - 1];
        let error = last / norm;
        assert!(error <= 2.0 * noise * noise + 1e-20, "{shape:?} {noise} {lambda:?}: {error:e}");
        assert!(fit.objective <= last * (1.0 + 1e-9) + 1e-25 * norm);
        if lambda.is_none() || shape.0 < 100 {
            let single = spec.max_iter(1).fit(&x.cast::<f32>()).unwrap();
            assert_eq!(chosen(&single), places, "f32 {shape:?} {noise} {lambda:?}");
        }
    }
}

#[test]
fn successive_projection_finds_what_was_planted() {
    recovers((25, 20), (3, 2), &[0.0; 20], None);
    recovers((300, 200), (6, 4), &[0.0, 1e-3, 0.02], None);
    recovers((200, 300), (4, 6), &[0.0, 1e-3, 0.02], None);
}

#[test]
fn the_convex_choice_finds_what_was_planted() {
    recovers((25, 20), (3, 2), &[0.0; 6], Some(1.0));
    recovers((300, 200), (6, 4), &[0.0, 0.02], Some(1.0));
    recovers((60, 90), (4, 6), &[0.0, 0.02], Some(0.3));
}

/// More samples and features than the convex choice works on.
#[test]
fn the_convex_choice_finds_it_through_representatives() {
    recovers((700, 400), (6, 4), &[0.01], Some(1.0));
}

#[test]
fn every_storage_chooses_the_same() {
    let Planted { mut x, places } = planted((60, 40), (4, 3), 0.0, 9);
    // Whatever is empty drops out.
    x.row_mut((0..60).find(|i| !places[0].contains(i)).unwrap()).fill(0.0);
    for lambda in [None, Some(1.0)] {
        in_every_storage(&x, |storage, samples| {
            let fit = spec(7, lambda).fit(samples).unwrap();
            assert_eq!(chosen(&fit), places, "{storage} {lambda:?}");
            let coded = fit.model.transform(samples).unwrap();
            assert_eq!((&coded.v, &coded.residuals), (&fit.v, &fit.residuals), "{storage}");
        });
    }
}

/// A sample counts as often as its weight says, and is not chosen where that is never.
#[test]
fn weights_decide_what_can_be_chosen() {
    let Planted { x, places } = planted((60, 40), (4, 3), 0.0, 10);
    let weights: Vec<f64> = (0..60).map(|i| if i == places[0][0] { 0.0 } else { 1.0 }).collect();
    for lambda in [None, Some(1.0)] {
        let fit = spec(7, lambda).on(&x).weights(&weights).fit().unwrap();
        assert!(!chosen(&fit)[0].contains(&places[0][0]));
    }
}

/// Components beyond the structure of the data: what was planted is among them.
#[test]
fn more_components_than_structure() {
    let Planted { x, places } = planted((30, 20), (2, 2), 0.0, 3);
    for lambda in [None, Some(1.0)] {
        let fit = spec(9, lambda).fit(&x).unwrap();
        let [samples, features] = chosen(&fit);
        assert_eq!(samples.len() + features.len(), 9);
        assert!(places[0].iter().all(|i| samples.contains(i)), "{lambda:?} {places:?} {samples:?}");
        assert!(places[1].iter().all(|j| features.contains(j)), "{lambda:?} {places:?} {features:?}");
    }
}

/// Labels compare components of unit length, unless the user wants them raw.
#[test]
fn labels_do_not_depend_on_scales() {
    let Planted { x, .. } = planted((60, 40), (4, 3), 0.01, 4);
    let fit = spec(7, None).fit(&x).unwrap();
    let unit = spec(7, None).label_rule(emmf::LabelRule::Unit).fit(&x).unwrap();
    assert_eq!((fit.labels, fit.model), (unit.labels, unit.model));
}

/// Sparse samples are never made dense: 20000×5000 with 10 entries a sample would be 800 MB.
#[test]
fn large_sparse_samples() {
    let mut rng = rng(6);
    let entries = (0..20_000).flat_map(|i| (0..10).map(move |t| (i, t)));
    let triplets = entries.map(|(i, t)| (i, (i * 7 + t * t * 501) % 5000, rng.random::<f64>())).collect();
    let x = emmf::Csr::<f64>::from_triplets((20_000, 5000), triplets).unwrap();
    let fit = Spec::new("gsnmf", 8).max_iter(2).fit(Samples::from(&x)).unwrap();
    assert!(fit.objective <= fit.initial);
}
