//! Where U and V start: k-means, trimmed k-means, nonnegative double SVD, random numbers.

use crate::oracle;

use emmf::data::Dense;
use emmf::init::{Kmeans, Random, kmeans, trimmed_kmeans};
use emmf::{Cancel, Factors, Init, Mat, Real, Spec};
use oracle::nearest;
use oracle::problems::{KINDS, distance, low_rank, problem, rng, uniform};
use rand::RngExt;

/// Samples around well separated centres, in turn, and the centres.
fn blobs(n: usize, k: usize, d: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let mut rng = rng(seed);
    let centres = Mat::from_fn(d, k, |j, c| if j % k == c { 20.0 } else { 2.0 });
    let x = Mat::from_fn(n, d, |i, j| centres[(j, i % k)] + rng.random::<f64>() - 0.5);
    (x, centres)
}

fn run<T: Real>(x: &Mat<T>, k: usize, seed: u64) -> Kmeans<T> {
    let (weights, mut rng) = (vec![1.0; x.rows()], Random::new(seed));
    kmeans(&Dense::new(x.view(), None), k, &weights, &mut rng, &Cancel::new()).unwrap()
}

/// Lloyd's iterations from random samples, the best of many: a straightforward reference.
fn reference(x: &Mat<f64>, k: usize) -> f64 {
    let mut rng = rng(77);
    let run = |_| {
        let seeds: Vec<usize> = (0..k).map(|_| rng.random_range(0..x.rows())).collect();
        let mut centroids = Mat::from_fn(x.cols(), k, |j, c| x[(seeds[c], j)]);
        for _ in 0..30 {
            let labels = nearest(x, &centroids);
            for c in 0..k {
                let members: Vec<usize> = (0..x.rows()).filter(|&i| labels[i].0 == c).collect();
                for j in 0..if members.is_empty() { 0 } else { x.cols() } {
                    centroids[(j, c)] =
                        members.iter().map(|&i| x[(i, j)]).sum::<f64>() / members.len() as f64;
                }
            }
        }
        nearest(x, &centroids).iter().map(|(_, distance)| distance).sum::<f64>()
    };
    (0..50).map(run).fold(f64::INFINITY, f64::min)
}

#[test]
fn kmeans_is_as_good_as_the_reference() {
    for seed in 0..6 {
        for (x, k) in [(blobs(90, 5, 6, seed).0, 5), (uniform(80, 4, &mut rng(seed)), 4)] {
            let best = (0..10).map(|at| run(&x, k, 10 * seed + at).inertia).fold(f64::INFINITY, f64::min);
            assert!(best <= 1.05 * reference(&x, k), "seed {seed}: {best}, reference {}", reference(&x, k));
        }
    }
}

/// The centroids of k-means‖ are as good as the reference's, and well separated clusters are found from any seed.
#[test]
fn kmeans_parallel_is_as_good_as_the_reference() {
    for seed in 0..6 {
        for (x, k, share) in [(blobs(90, 5, 6, seed).0, 5, 1.001), (uniform(300, 4, &mut rng(seed)), 4, 1.1)]
        {
            let u = start(&x, k, Init::KmeansParallel, seed).u;
            let inertia: f64 = nearest(&x, &u).iter().map(|(_, distance)| distance).sum();
            assert!(inertia <= share * reference(&x, k), "seed {seed}: {inertia}");
        }
    }
}

/// A sample that counts for nothing is no centroid, and one that counts thrice is three.
#[test]
fn kmeans_parallel_counts_samples() {
    let (mut x, _) = blobs(60, 3, 5, 1);
    x.row_mut(7).fill(1e4);
    let weights: Vec<f64> = (0..60).map(|i| if i == 7 { 0.0 } else { 1.0 + f64::from(i % 3) }).collect();
    let spec = Spec::emmf(3).init(Init::KmeansParallel).outliers(emmf::Outliers::Keep).max_iter(1);
    let fit = spec.on(&x).weights(&weights).fit().unwrap();
    assert!(fit.model.centroids().as_slice().iter().all(|u| *u < 100.0));
}

/// Labels, distances and inertia are those of the returned centroids, which are means of their members.
#[test]
fn kmeans_is_consistent() {
    for (at, kind) in KINDS.into_iter().enumerate() {
        let p = problem(kind, at as u64);
        let clusters = run(&p.x, p.k, 1);
        let exact = nearest(&p.x, &clusters.centroids);
        for (i, (_, distance)) in exact.iter().enumerate() {
            let own =
                (0..p.x.cols()).map(|j| (p.x[(i, j)] - clusters.centroids[(j, clusters.labels[i])]).powi(2));
            assert!((own.sum::<f64>() - distance).abs() < 1e-10 * (1.0 + distance), "{kind:?}: nearest");
            assert!((clusters.distances[i] - distance).abs() < 1e-9 * (1.0 + 1e4 * distance), "{kind:?}");
        }
        let inertia: f64 = exact.iter().map(|(_, distance)| distance).sum();
        assert!((clusters.inertia - inertia).abs() < 1e-9 * (1.0 + inertia), "{kind:?}");
        assert!(clusters.centroids.as_slice().iter().all(|&u| u >= 0.0));
    }
}

#[test]
fn kmeans_finds_separated_blobs() {
    for seed in 0..10 {
        let (x, _) = blobs(150, 6, 7, seed);
        for clusters in
            [run(&x, 6, seed), Kmeans { labels: run::<f32>(&x.cast(), 6, seed).labels, ..run(&x, 6, seed) }]
        {
            for i in 6..150 {
                assert_eq!(clusters.labels[i], clusters.labels[i % 6], "seed {seed}");
            }
            let mut first: Vec<usize> = clusters.labels[..6].to_vec();
            first.sort_unstable();
            assert_eq!(first, [0, 1, 2, 3, 4, 5]);
        }
    }
}

#[test]
fn kmeans_with_weights_counts_samples() {
    let (x, _) = blobs(12, 3, 4, 1);
    let weights: Vec<f64> = (0..12).map(|i| if i < 3 { 5.0 } else { 1.0 }).collect();
    let mut rng = Random::new(1);
    let clusters = kmeans(&Dense::new(x.view(), None), 3, &weights, &mut rng, &Cancel::new()).unwrap();
    for c in 0..3 {
        let total: f64 = (0..12).filter(|i| i % 3 == c).map(|i| weights[i]).sum();
        let label = clusters.labels[c];
        for j in 0..4 {
            let mean: f64 =
                (0..12).filter(|i| i % 3 == c).map(|i| weights[i] * x[(i, j)]).sum::<f64>() / total;
            assert!((clusters.centroids[(j, label)] - mean).abs() < 1e-12);
        }
    }
}

/// As many clusters as samples, all samples equal, fewer different samples than clusters.
#[test]
fn kmeans_of_awkward_samples() {
    let x = uniform(9, 3, &mut rng(1));
    assert!(run(&x, 9, 1).inertia < 1e-12);
    let equal = Mat::from_fn(9, 3, |_, j| 1.0 + j as f64);
    let few = Mat::from_fn(30, 3, |i, j| ((i % 3) * 7 + j) as f64);
    for seed in 0..20 {
        for x in [&equal, &few] {
            for k in [1, 4, 9] {
                let clusters = run(x, k, seed);
                assert!(clusters.centroids.as_slice().iter().all(|u| u.is_finite() && *u >= 0.0));
                assert!(clusters.labels.iter().all(|&label| label < k));
                let single = run::<f32>(&x.cast(), k, seed);
                assert!(single.centroids.as_slice().iter().all(|u| u.is_finite() && *u >= 0.0));
            }
        }
        assert!(run(&few, 4, seed).inertia < 1e-9);
        assert!(Spec::emmf(5).seed(seed).max_iter(5).fit(&few).is_ok());
        assert!(Spec::emmf(5).init(Init::Trimmed).seed(seed).max_iter(5).fit(&few).is_ok());
    }
}

/// With 30 % gross outliers every centroid of trimmed k-means stays at its blob.
#[test]
fn trimmed_kmeans_ignores_outliers() {
    let mut good = 0;
    for seed in 0..20 {
        let (mut x, centres) = blobs(200, 4, 6, seed);
        let mut rng = rng(500 + seed);
        for i in (0..200).filter(|i| i % 10 < 3) {
            x.row_mut(i).iter_mut().for_each(|x| *x = 300.0 * rng.random::<f64>());
        }
        let (x, mut rng) = (Dense::new(x.view(), None), Random::new(seed));
        let clusters = trimmed_kmeans(&x, 4, &[1.0; 200], &mut rng, &Cancel::new()).unwrap();
        let near = nearest(&centres.transposed(), &clusters.centroids);
        good += usize::from(near.iter().all(|(_, distance)| *distance < 1.0));
    }
    assert_eq!(good, 20, "starts with all four centroids at the blobs");
}

/// The factors of a start: with an exponent of next to nothing an iteration leaves them as they are.
fn start(x: &Mat<f64>, k: usize, init: Init, seed: u64) -> Factors<f64> {
    let spec = Spec::new("nmf", k).init(init).seed(seed).exponent(1e-300).max_iter(1).polish(false);
    let fit = spec.fit(x).unwrap();
    Factors { u: fit.model.centroids().clone(), v: fit.v }
}

#[test]
fn kmeans_start_is_one_hot_plus_a_fifth() {
    let (x, _) = blobs(60, 3, 5, 2);
    let start = start(&x, 3, Init::Kmeans, 4);
    for i in 0..60 {
        let mut row = start.v.row(i).to_vec();
        assert_eq!(start.v.row(i), start.v.row(i % 3));
        row.sort_by(f64::total_cmp);
        row.iter().zip([0.2, 0.2, 1.2]).for_each(|(ours, fact)| assert!((ours - fact).abs() < 1e-12));
    }
    assert!(nearest(&x, &start.u).iter().all(|(_, distance)| *distance < 5.0));
}

#[test]
fn random_start_has_the_scale_of_the_data() {
    for by in [1e-6, 1.0, 1e6] {
        let x = Mat::from_fn(200, 50, |i, j| by * uniform(200, 50, &mut rng(1))[(0, j)] * (1 + i % 3) as f64);
        let mean = x.as_slice().iter().sum::<f64>() / 1e4;
        let start = start(&x, 5, Init::Random, 1);
        let product: f64 = (0..5)
            .map(|k| {
                let sum = |a: &Mat<f64>| (0..a.rows()).map(|i| a[(i, k)]).sum::<f64>() / a.rows() as f64;
                sum(&start.u) * sum(&start.v)
            })
            .sum();
        assert!((product / mean - 1.0).abs() < 0.2, "{product} for a mean of {mean}");
        assert!(start.u.as_slice().iter().chain(start.v.as_slice()).all(|&x| x > 0.0));
    }
}

/// Rank one is met exactly; at higher rank the start is no worse than the best rank-one matrix by much,
/// nothing is zero, and every seed gives the same start on low-rank data.
#[test]
fn nndsvd_start() {
    let x = low_rank(40, 20, 1, &mut rng(1));
    let at = start(&x, 1, Init::Nndsvd, 1);
    assert!(oracle::residuals(&x, &at).iter().all(|r| *r < 1e-10));
    let x = low_rank(60, 25, 4, &mut rng(2));
    let at = start(&x, 4, Init::Nndsvd, 1);
    assert!(at.u.as_slice().iter().chain(at.v.as_slice()).all(|&x| x > 0.0), "zeros are filled");
    for seed in 2..5 {
        let other = start(&x, 4, Init::Nndsvd, seed);
        assert!(
            distance(&at.u, &other.u) < 1e-6 && distance(&at.v, &other.v) < 1e-6,
            "exact SVD of low rank"
        );
    }
    // u₁v₁ᵀ is the leading singular pair: xᵀ(x·u) = σ²u.
    let xu = |i: usize| (0..25).map(|j| x[(i, j)] * at.u[(j, 0)]).sum::<f64>();
    let twice: Vec<f64> = (0..25).map(|j| (0..60).map(|i| x[(i, j)] * xu(i)).sum()).collect();
    let ratio = twice[0] / at.u[(0, 0)];
    (0..25).for_each(|j| assert!((twice[j] / at.u[(j, 0)] / ratio - 1.0).abs() < 1e-6));
    for (kind, seed) in KINDS.into_iter().zip(0..) {
        let p = problem(kind, seed);
        let fit = Spec::emmf(p.k).init(Init::Nndsvd).max_iter(5).fit(&p.x).unwrap();
        assert!(fit.objective.is_finite(), "{kind:?}");
    }
}

/// Where the one has the mean, the other has random numbers around a hundredth of it, and is the same elsewhere.
#[test]
fn nndsvdar_fills_zeros_at_random() {
    let x = uniform(60, 25, &mut rng(2));
    let mean = x.as_slice().iter().sum::<f64>() / 1500.0;
    let (mean_filled, filled) = (start(&x, 4, Init::Nndsvd, 1), start(&x, 4, Init::Nndsvdar, 1));
    let (before, after) = (mean_filled.v.as_slice(), filled.v.as_slice());
    let zeros: Vec<f64> =
        before.iter().zip(after).filter(|(before, after)| before != after).map(|(_, after)| *after).collect();
    assert!(zeros.len() > 30, "{}", zeros.len());
    let (size, largest) =
        (zeros.iter().sum::<f64>() / zeros.len() as f64, zeros.iter().copied().fold(0.0, f64::max));
    // |N(0, 1)| is 0.8 on average.
    assert!((0.3..1.5).contains(&(100.0 * size / mean)) && largest < 0.05 * mean, "{size} of {mean}");
    assert!(zeros.iter().all(|&filled| filled > 0.0));
    assert_ne!(filled.v, start(&x, 4, Init::Nndsvdar, 2).v);
    let spec: Spec = serde_json::from_str(r#"{"method":"nmf","k":2,"init":"nndsvda"}"#).unwrap();
    assert_eq!(spec.init, Some(Init::Nndsvd), "another name for the same");
}

/// A sample that counts several times is as good as several samples, and one that does not count as none.
#[test]
fn nndsvd_with_weights_counts_samples() {
    let x = uniform(20, 30, &mut rng(5));
    let weights: Vec<f64> = (0..20).map(|i| f64::from(i % 4)).collect();
    let rows: Vec<usize> = (0..20).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    let repeated = Mat::from_fn(rows.len(), 30, |i, j| x[(rows[i], j)]);
    let spec = Spec::new("nmf", 3).init(Init::Nndsvd).max_iter(3);
    let (weighted, repeated) = (spec.on(&x).weights(&weights).fit().unwrap(), spec.fit(&repeated).unwrap());
    assert!(distance(weighted.model.centroids(), repeated.model.centroids()) < 1e-9);
}
