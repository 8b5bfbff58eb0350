//! The choice of a number of clusters, and the samples as points of a plane.

use std::ops::ControlFlow;

use emmf::embed::plane;
use emmf::preprocess::Normalize;
use emmf::synth::{Rays, rays_with_outliers};
use emmf::{Choice, Csr, Error, Mat, Missing, Real, Running, Samples, Spec};

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

/// Samples of one centroid each lie in as many points, apart from each other; one column alone makes a line.
#[test]
fn pure_samples_are_apart_in_the_plane() {
    let u = Mat::<f64>::from_fn(5, 3, |j, k| 1.0 + (j * (k + 1)) as f64);
    let v = Mat::from_fn(30, 3, |i, k| if i % 3 == k { 1.0 + i as f64 } else { 0.0 });
    let found = plane(&u, &v);
    let distance = |a: usize, b: usize| {
        let [p, q] = [found.points[a], found.points[b]];
        (p[0] - q[0]).hypot(p[1] - q[1])
    };
    assert!(distance(0, 3) < 1e-9 && distance(0, 1) > 0.5 && distance(1, 2) > 0.5 && distance(0, 2) > 0.5);
    assert!((found.shares[0] + found.shares[1] - 1.0).abs() < 1e-9);
    let alone = plane(&Mat::from_fn(5, 1, |_, _| 1.0), &Mat::from_fn(4, 1, |i, _| i as f64));
    assert!(alone.points.iter().all(|point| point[1] == 0.0 && point[0].is_finite()));
    assert_eq!(plane(&u, &Mat::zeros(4, 3)).points, vec![[0.0; 2]; 4]);
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

/// Where halves agree about nothing, the graph tells, and how much that hangs on its neighbours.
#[test]
fn the_graph_tells_where_halves_do_not_agree() {
    // Twelve curves in thirty dimensions: k-means cuts them anywhere, and a graph cuts at most each of them in two.
    let x = Mat::from_fn(720, 30, |i, j| {
        let (curve, along) = (i / 60, (i % 60) as f64 / 59.0);
        let bump = |at: f64| (-(j as f64 - at).powi(2) / 6.0).exp();
        let first = (curve * 7 % 30) as f64;
        bump(first + 14.0 * along)
            + 0.6 * bump(29.0 - first + 5.0 * along)
            + 0.02 * ((i * 31 + j * 17) % 13) as f64
    });
    let go_on = |_: usize, _: usize| ControlFlow::Continue(());
    let choice = spec(0).choose_k(&x, 2..=1000, go_on, &Running::default()).unwrap();
    let (low, high) = choice.by_graph.unwrap_or_else(|| panic!("{choice:?}"));
    assert!(low <= choice.k && choice.k <= high && (12..=24).contains(&choice.k), "{choice:?}");
    let bounded = spec(0).choose_k(&x, 2..=6, go_on, &Running::default()).unwrap();
    assert_eq!(bounded.k, 6, "{bounded:?}");
}
