//! The choice of a number of clusters.

use std::ops::ControlFlow;

use emmf::preprocess::Normalize;
use emmf::synth::{Rays, rays_with_outliers};
use emmf::{Choice, Csr, Error, LabelRule, Mat, Missing, Real, Running, Samples, Spec};

fn blobs(classes: usize, seed: u64) -> Mat<f64> {
    let rays = Rays {
        classes,
        features: 8,
        samples: 50 * classes,
        outliers: 0,
        noise: 0.1,
        seed,
        ..Rays::default()
    };
    rays_with_outliers::<f64>(&rays).unwrap().x
}

fn chosen<'a, T: Real>(spec: &Spec, x: impl Into<Samples<'a, T>>) -> Choice {
    chosen_on(&Running::default(), spec, x)
}

fn chosen_on<'a, T: Real>(running: &Running<'_>, spec: &Spec, x: impl Into<Samples<'a, T>>) -> Choice {
    spec.choose_k(x, 2..=9, |_, _| ControlFlow::Continue(()), running).unwrap()
}

fn spec(seed: u64) -> Spec {
    Spec::emmf(1).normalize([Normalize::Unit]).seed(seed)
}

#[test]
fn the_true_number_is_chosen_and_most_splits_agree() {
    for (seed, k) in [(0, 2), (1, 3), (2, 4), (3, 5), (4, 7)] {
        let choice = chosen(&spec(seed), &blobs(k, seed));
        assert_eq!(choice.k, k, "{choice:?}");
        assert!(
            choice.agreeing * 2 > choice.splits && choice.ks == (2..=9).collect::<Vec<_>>(),
            "{choice:?}"
        );
    }
}

#[test]
fn threads_storage_and_repetition_do_not_matter() {
    let x = blobs(4, 7);
    let one = chosen_on(&Running::on(1), &spec(7), &x);
    assert_eq!(one, chosen_on(&Running::on(2), &spec(7), &x));
    let (n, d) = x.shape();
    let triplets = (0..n).flat_map(|i| (0..d).map(move |j| (i, j))).map(|(i, j)| (i, j, x[(i, j)])).collect();
    let sparse = chosen(&spec(7), &Csr::from_triplets((n, d), triplets).unwrap());
    assert_eq!((one.k, one.agreeing), (sparse.k, sparse.agreeing));
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let go_on = |_: usize, _: usize| ControlFlow::Continue(());
    let few = Mat::from_rows([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]);
    let all = &Running::default();
    assert!(matches!(spec(0).choose_k(&few, 2..=5, go_on, all), Err(Error::Param { name: "k", .. })));
    let missing = spec(0).missing(Missing::Nan).choose_k(&blobs(3, 0), 2..=5, go_on, all);
    assert!(matches!(missing, Err(Error::Missing { .. })));
    let negative = Mat::from_fn(40, 3, |i, j| if (i, j) == (5, 1) { -1.0 } else { 1.0 + (i * j) as f64 });
    let negative = spec(0).choose_k(&negative, 2..=5, go_on, all);
    assert!(matches!(negative, Err(Error::Negative { row: 5, col: 1, .. })));
}

#[test]
fn it_ends_when_it_is_told() {
    let seen = |done: usize, _| if done == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let choice = spec(0).choose_k(&blobs(3, 0), 2..=4, seen, &Running::default());
    assert_eq!(choice.unwrap().splits, 2);
}

#[test]
fn a_single_sample_is_read_from_every_storage() {
    let x = Mat::from_rows([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]);
    let csr = Csr::from_triplets((2, 3), vec![(0, 0, 1.0), (0, 2, 2.0), (1, 1, 3.0)]).unwrap();
    for i in 0..2 {
        assert_eq!(Samples::from(&x).row(i).unwrap(), x.row(i));
        assert_eq!(Samples::from(&csr).row(i).unwrap(), x.row(i));
    }
    assert!(matches!(Samples::from(&x).row(2), Err(Error::Param { name: "row", .. })));
}

/// Curves in thirty dimensions: k-means cuts them anywhere, and a graph cuts at most each of them in two.
fn curves(features: usize) -> Mat<f64> {
    Mat::from_fn(720, features, |i, j| {
        let (curve, along) = (i / 60, (i % 60) as f64 / 59.0);
        let bump = |at: f64| (-((j % 30) as f64 - at).powi(2) / 6.0).exp();
        let first = (curve * 7 % 30) as f64;
        bump(first + 14.0 * along)
            + 0.6 * bump(29.0 - first + 5.0 * along)
            + 0.02 * ((i * 31 + j * 17) % 13) as f64
    })
}

/// Where halves agree about nothing, the graph tells, and how much that hangs on its neighbours; also of samples with so many
/// features that halves are looked at in their leading directions.
#[test]
fn the_graph_tells_where_halves_do_not_agree() {
    for features in [30, 120] {
        let x = curves(features);
        let go_on = |_: usize, _: usize| ControlFlow::Continue(());
        let choice = spec(0).choose_k(&x, 2..=1000, go_on, &Running::default()).unwrap();
        let (low, high) = choice.by_graph.unwrap_or_else(|| panic!("{choice:?}"));
        assert!(low <= choice.k && choice.k <= high && (12..=24).contains(&choice.k), "{choice:?}");
        assert!(choice.to_string().contains(&format!("{} by the graph", choice.k)), "{choice}");
        let bounded = spec(0).choose_k(&x, 2..=6, go_on, &Running::default()).unwrap();
        assert_eq!((bounded.k, bounded.clusters), (6, None));
    }
}

/// The communities by which a number was chosen are the start of a fit, outliers among the samples or not.
#[test]
fn a_fit_starts_at_the_clusters_that_were_found() {
    let clean = curves(30);
    let dirty = Mat::from_fn(723, 30, |i, j| if i < 720 { clean[(i, j)] } else { 900.0 + (i * j) as f64 });
    for x in [&clean, &dirty] {
        let choice = spec(0).choose_k(x, 2..=1000, |_, _| ControlFlow::Continue(()), &Running::default());
        let choice = choice.unwrap();
        let clusters = choice.clusters.unwrap();
        assert!(clusters.len() == x.rows() && (0..choice.k).all(|k| clusters.contains(&k)));
        let spec = Spec { k: choice.k, max_iter: 1, ..Spec::new("g-emmf", 1) }.label_rule(LabelRule::Largest);
        let fit = spec.on(x).clusters(&clusters).fit().unwrap();
        let same = fit.labels.iter().zip(&clusters).filter(|(a, b)| a == b).count();
        assert!(same * 10 > 9 * clusters.len(), "{same} of {}", clusters.len());
    }
    let wrong =
        |clusters: &[usize]| Spec::emmf(2).on(&clean).clusters(clusters).fit().unwrap_err().to_string();
    assert!(wrong(&[0, 1]).contains("the given clustering"));
    assert!(wrong(&[2; 720]).contains("2 for sample 0"), "{}", wrong(&[2; 720]));
}

/// Halves that cannot agree any more are given up; those that do are all looked at.
#[test]
fn hopeless_halves_are_given_up() {
    let steps = std::sync::Mutex::new(Vec::new());
    let seen = |done: usize, all: usize| {
        steps.lock().unwrap().push((done, all));
        ControlFlow::Continue(())
    };
    let noise = Mat::from_fn(400, 20, |i, j| ((i * 7919 + j * 104_729 + i * j * 31) % 1009) as f64);
    let choice = spec(0).choose_k(&noise, 2..=9, seen, &Running::default()).unwrap();
    assert!(choice.splits < 10 && choice.by_graph.is_some(), "{choice:?}");
    let steps = steps.into_inner().unwrap();
    let all = steps[0].1;
    assert!(steps.is_sorted() && steps.iter().all(|step| step.1 == all), "{steps:?}");
    // The graph is not one step of all.
    assert!(steps.last() == Some(&(all, all)) && steps.len() > 20, "{steps:?}");
    assert_eq!(chosen(&spec(0), &blobs(3, 0)).splits, 10);
}

/// Clouds around centres, `per` samples each, some near each other: `groups` places with so many centres each.
fn clouds(
    (groups, each): (usize, usize),
    features: usize,
    per: usize,
    (apart, noise): (f64, f64),
) -> Mat<f64> {
    let mut random = 7_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as f64 / 2_147_483_648.0
    };
    let mut rows = Vec::new();
    for _ in 0..groups {
        let place: Vec<f64> = (0..features).map(|_| next()).collect();
        for _ in 0..each {
            let centre: Vec<f64> = place.iter().map(|at| at + apart * (next() - 0.5)).collect();
            for _ in 0..per {
                let spread = |next: &mut dyn FnMut() -> f64| noise * (next() + next() + next() - 1.5);
                rows.extend(centre.iter().map(|at| (at + spread(&mut next)).max(0.0)).collect::<Vec<_>>());
            }
        }
    }
    Mat::from_vec(rows, groups * each * per, features).unwrap()
}

/// Halves agree about the groups that clusters lie in; the clusters are told where half of the samples show them.
#[test]
fn clusters_within_groups_are_all_counted() {
    for (shape, per) in [((5, 6), 30), ((4, 10), 25), ((1, 45), 20), ((8, 9), 20)] {
        let x = clouds(shape, 40, per, (if shape.0 == 1 { 1.0 } else { 0.5 }, 0.05));
        let go_on = |_: usize, _: usize| ControlFlow::Continue(());
        let choice = spec(0).choose_k(&x, 2..=1000, go_on, &Running::default()).unwrap();
        assert_eq!(choice.k, shape.0 * shape.1, "{choice}");
        let clusters = choice.clusters.as_ref().unwrap();
        assert!((0..x.rows()).all(|i| clusters[i] == clusters[i / per * per]));
        // What was not asked for is not told; the groups are.
        if shape == (5, 6) {
            assert!(choice.to_string().contains("they lie in 5 groups"), "{choice}");
            assert_eq!(chosen(&spec(0), &x).k, 5);
        }
    }
}

/// In few dimensions a graph falls into more communities than there are clusters; they are not believed.
#[test]
fn communities_in_few_dimensions_are_not_counted() {
    for (features, k) in [(2, 3), (3, 4), (5, 5), (8, 7), (10, 8)] {
        let x = clouds((k, 1), features, 200, (0.0, 0.05));
        let go_on = |_: usize, _: usize| ControlFlow::Continue(());
        let choice = spec(0).choose_k(&x, 2..=1000, go_on, &Running::default()).unwrap();
        // Halves may agree about where a cloud on a line is cut.
        assert!(choice.by_graph.is_none() && choice.k <= k + 1, "{features} features: {choice}");
    }
}

/// As many parts as there are explain what was held out, with outliers among the samples, dense, sparse and in both types.
#[test]
fn a_rank_is_the_number_of_parts() {
    for parts in [2, 4] {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as f64 / 2_147_483_648.0
        };
        let u = Mat::from_fn(30, parts, |_, _| (next() - 0.5).max(0.0));
        let v = Mat::from_fn(120, parts, |_, _| (next() - 0.3).max(0.0));
        let x = Mat::from_fn(120, 30, |i, j| {
            let exact: f64 = (0..parts).map(|k| v[(i, k)] * u[(j, k)]).sum();
            if i % 20 == 7 { 3.0 * next() } else { exact * (0.99 + 0.02 * next()) }
        });
        let rank = |spec: &Spec, x: Samples<'_, f64>| {
            spec.choose_rank(x, 1..=12, |_, _| ControlFlow::Continue(()), &Running::default()).unwrap()
        };
        let choice = rank(&Spec::emmf(1), (&x).into());
        assert!(choice.k == parts && choice.rank && choice.splits == 3, "{choice:?}");
        assert!(choice.to_string().contains("smallest rank"), "{choice}");
        let triplets = (0..120).flat_map(|i| (0..30).map(move |j| (i, j))).map(|(i, j)| (i, j, x[(i, j)]));
        let sparse =
            Csr::from_triplets((120, 30), triplets.filter(|(.., value)| *value > 0.0).collect()).unwrap();
        assert_eq!(rank(&Spec::emmf(1), (&sparse).into()), choice);
        // A method that cannot leave values out is stood for by one that can.
        assert_eq!(rank(&Spec::new("g-emmf", 1), (&x).into()).k, parts);
    }
    let few = Mat::from_rows([[1.0, 2.0], [2.0, 1.0]]);
    let refused =
        Spec::emmf(1).choose_rank(&few, 5..=9, |_, _| ControlFlow::Continue(()), &Running::default());
    assert!(matches!(refused, Err(Error::Param { name: "k", .. })));
}
