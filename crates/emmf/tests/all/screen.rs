//! Outliers are found before the start, set aside, and coded afterwards.

use crate::oracle;

use emmf::data::{Dense, Sparse};
use emmf::metrics::{accuracy, roc_auc};
use emmf::outliers::screen;
use emmf::preprocess::Normalize;
use emmf::registry::{METHODS, SetAside};
use emmf::synth::{Junk, Rays, add_foreign, add_junk, add_outliers, rays_with_outliers};
use emmf::{Cancel, Csr, Cut, Error, Factors, Graph, Init, Mat, Missing, Outliers, Running, Spec};
use oracle::problems::{rng, uniform};
use rand::RngExt;

const K: usize = 6;

/// Samples on six rays in forty dimensions, and their classes.
fn clean(n: usize, seed: u64) -> (Mat<f64>, Vec<usize>) {
    let rays =
        Rays { classes: K, features: 40, samples: n, outliers: 0, noise: 0.1, seed, ..Rays::default() };
    let made = rays_with_outliers(&rays).unwrap();
    (made.x, made.labels)
}

fn found(x: &Mat<f64>, k: usize) -> Vec<bool> {
    screen(&Dense::new(x.view(), None), k, &vec![1.0; x.rows()], &Cancel::new()).unwrap()
}

fn count(found: &[bool]) -> usize {
    found.iter().filter(|found| **found).count()
}

/// Up to a third of outliers is found, all of the huge ones and nearly all of the scattered, and next to nothing else.
#[test]
fn finds_a_third_of_outliers() {
    for seed in 0..4 {
        let (x, _) = clean(240, seed);
        for share in [12, 24, 48, 80] {
            let other = uniform(400, 40, &mut rng(seed));
            let kinds = [
                ("huge", add_outliers(&x, share, seed)),
                ("scattered", add_junk(&x, Junk::Scattered, share, seed)),
                ("foreign", add_foreign(&x, &other, share, seed).unwrap()),
            ];
            for (kind, all) in kinds {
                let found = found(&all, K);
                let least = if kind == "huge" { share } else { share - share / 20 - 1 };
                assert!(count(&found[240..]) >= least, "{kind}, {share} outliers, seed {seed}");
                assert!(count(&found[..240]) <= 4, "{kind}, {share} outliers, seed {seed}: others");
            }
        }
    }
}

/// Clusters are no outliers: neither small ones, nor more than there are centroids, nor a few odd samples, nor noise alone.
#[test]
fn clean_data_stay_whole() {
    for seed in 0..4 {
        let (x, _) = clean(240, seed);
        for k in [2, 3, K, 10] {
            assert_eq!(count(&found(&x, k)), 0, "{k} centroids, seed {seed}");
        }
        let unequal = Mat::from_fn(300, 40, |i, j| {
            let cluster = [150, 210, 250, 280, 290, 300].iter().position(|end| i < *end).unwrap();
            x[(40 * cluster + i % 40, j)]
        });
        assert_eq!(count(&found(&unequal, K)), 0, "clusters of different sizes, seed {seed}");
        let lengths = Mat::from_fn(240, 40, |i, j| x[(i, j)] * (1.0 + (i % 7) as f64));
        assert_eq!(count(&found(&lengths, K)), 0, "samples of different lengths, seed {seed}");
        let noise = uniform(200, 5 + 20 * seed as usize, &mut rng(seed));
        assert_eq!(count(&found(&noise, 4)), 0, "noise, seed {seed}");
        let cluster = add_junk(&x, Junk::Cluster, 24, seed);
        assert_eq!(count(&found(&cluster, K)), 0, "one more cluster, seed {seed}");
    }
}

/// Few samples, equal samples, samples of zeros, more centroids than samples could tell apart.
#[test]
fn awkward_data_stay_whole() {
    let (x, _) = clean(240, 1);
    let few = add_outliers(&Mat::from_fn(12, 40, |i, j| x[(i, j)]), 4, 1);
    assert_eq!(count(&found(&few, 2)), 0);
    assert_eq!(count(&found(&Mat::from_fn(60, 7, |_, j| 1.0 + j as f64), 3)), 0);
    assert_eq!(count(&found(&Mat::zeros(60, 7), 3)), 0);
    let some = Mat::from_fn(60, 7, |i, j| if i < 40 { 0.0 } else { x[(i, j)] });
    assert_eq!(count(&found(&some, 3)), 0);
    let one = Mat::from_fn(240, 1, |i, _| x[(i, 0)] + 1.0);
    assert_eq!(count(&found(&one, 3)), 0);
    assert_eq!(count(&found(&add_outliers(&x, 60, 1), 200)[240..]), 60, "many centroids for few samples");
}

/// Sets unlike images: binary, sparse, and with few samples for each centroid.
fn unlike_images() -> [(&'static str, Mat<f64>, usize); 3] {
    let mut rng = rng(21);
    let centers = uniform(12, 100, &mut rng);
    let binary = Mat::from_fn(360, 100, |i, j| {
        let flipped = rng.random::<f64>() < 0.05;
        f64::from(u8::from((centers[(i % 12, j)] < 0.3) != flipped))
    });
    let centers = uniform(8, 120, &mut rng);
    let sparse = Mat::from_fn(320, 120, |i, j| {
        let often = if centers[(i % 8, j)] < 0.15 { 0.5 } else { 0.02 };
        if rng.random::<f64>() < often { 1.0 + rng.random::<f64>() } else { 0.0 }
    });
    let rays =
        Rays { classes: 8, features: 40, samples: 80, outliers: 0, noise: 0.1, seed: 2, ..Rays::default() };
    let few = rays_with_outliers(&rays).unwrap().x;
    [("binary", binary, 12), ("sparse", sparse, 8), ("few", few, 8)]
}

/// Up to a third of outliers of any kind takes next to none of the others with it, and gross ones are all found.
#[test]
fn outliers_beside_binary_sparse_and_few_samples() {
    for (name, x, k) in unlike_images() {
        let (n, d) = x.shape();
        assert_eq!(count(&found(&x, k)), 0, "{name}: clean");
        let other = uniform(200, d, &mut rng(22));
        for many in [n / 10, n / 3] {
            let with = |at: &dyn Fn(usize, usize) -> f64| {
                Mat::from_fn(n + many, d, |i, j| if i < n { x[(i, j)] } else { at(i - n, j) })
            };
            let hit = |i: usize, j: usize| (j + 7 * i) % d < d / 4;
            let kinds = [
                ("huge", add_outliers(&x, many, 1)),
                ("too long", add_junk(&x, Junk::Long, many, 1)),
                ("scattered", add_junk(&x, Junk::Scattered, many, 1)),
                ("copies", add_junk(&x, Junk::Cluster, many, 1)),
                ("foreign", add_foreign(&x, &other, many, 1).unwrap()),
                ("blocks", with(&|i, j| if hit(i, j) { 1.0 } else { x[(i, j)] })),
            ];
            for (kind, all) in kinds {
                let found = found(&all, k);
                assert!(count(&found[..n]) * 100 <= n, "{name}, {many} {kind}: {:?}", count(&found[..n]));
                let gross = matches!(kind, "huge" | "too long");
                assert!(!gross || count(&found[n..]) == many, "{name}, {many} {kind}: not all found");
            }
        }
    }
}

/// A single huge sample is set aside, too: nothing longer than the others takes part.
#[test]
fn one_huge_sample_is_set_aside() {
    let (x, _) = clean(240, 2);
    assert_eq!(count(&found(&add_outliers(&x, 1, 3), K)[240..]), 1);
}

/// The same for dense and sparse samples, both floating-point types, any number of threads, and in other units.
#[test]
fn the_same_whatever_the_storage() {
    let (x, _) = clean(240, 5);
    let all = add_junk(&add_outliers(&x, 20, 1), Junk::Scattered, 40, 2);
    let here = found(&all, K);
    assert_eq!(count(&here), 60);
    let triplets =
        (0..300).flat_map(|i| (0..40).map(move |j| (i, j))).map(|(i, j)| (i, j, all[(i, j)])).collect();
    let csr = Csr::from_triplets((300, 40), triplets).unwrap();
    assert_eq!(screen(&Sparse::new(csr.view(), None), K, &[1.0; 300], &Cancel::new()).unwrap(), here);
    let single: Mat<f32> = all.cast();
    assert_eq!(screen(&Dense::new(single.view(), None), K, &[1.0; 300], &Cancel::new()).unwrap(), here);
    let larger = Mat::from_fn(300, 40, |i, j| 1e9 * all[(i, j)]);
    assert_eq!(found(&larger, K), here);
    let fits = [1, 2].map(|threads| Spec::emmf(K).max_iter(20).on(&all).threads(threads).fit().unwrap());
    assert_eq!((&fits[0].set_aside, &fits[0].v), (&fits[1].set_aside, &fits[1].v));
}

/// The fit of the others is the fit without outliers, bit for bit; outliers have weight 0, coefficients and scores.
#[test]
fn outliers_do_not_decide() {
    let (x, classes) = clean(240, 7);
    for method in ["emmf", "g-emmf"] {
        let spec = Spec::new(method, K).max_iter(60).seed(3);
        let alone = spec.fit(&x).unwrap();
        assert_eq!(alone.set_aside, [0; 0]);
        let kept = spec.clone().outliers(Outliers::Keep).fit(&x).unwrap();
        assert_eq!((&alone.v, alone.objective), (&kept.v, kept.objective), "{method}: clean data");
        for many in [1, 12, 80] {
            let fit = spec.fit(&add_outliers(&x, many, 4)).unwrap();
            assert_eq!(fit.set_aside, (240..240 + many).collect::<Vec<_>>());
            assert_eq!(fit.model.centroids(), alone.model.centroids(), "{method}, {many} outliers");
            assert_eq!(&fit.labels[..240], &alone.labels, "{method}, {many} outliers");
            assert_eq!(fit.objective.to_bits(), alone.objective.to_bits());
            assert!(fit.weights[240..].iter().all(|weight| *weight == 0.0));
            let truth: Vec<bool> = (0..240 + many).map(|i| i >= 240).collect();
            assert!(roc_auc(&fit.scores, &truth).unwrap() > 0.99, "{method}, {many} outliers");
        }
        assert!(accuracy(&classes, &alone.labels).unwrap() > 0.9, "{method}");
    }
}

/// Outliers anywhere among the samples; coding the training samples again gives the fit's coefficients.
#[test]
fn outliers_between_the_samples() {
    let (x, _) = clean(240, 8);
    let all = add_outliers(&x, 60, 4);
    let place = |i: usize| (i * 7) % 300;
    let mixed = Mat::from_fn(300, 40, |i, j| all[(place(i), j)]);
    let fit = Spec::emmf(K).max_iter(40).fit(&mixed).unwrap();
    assert_eq!(fit.set_aside, (0..300).filter(|&i| place(i) >= 240).collect::<Vec<_>>());
    assert_eq!(fit.model.transform(&mixed).unwrap().v, fit.v);
    assert!(fit.set_aside.iter().all(|&i| fit.weights[i] == 0.0 && fit.scores[i] > 3.5));
}

/// Every method that can set outliers aside does, with every extra that a fit may be given; the others say so.
#[test]
fn every_method_sets_aside_or_refuses() {
    let (x, _) = clean(120, 9);
    let all = add_outliers(&x, 30, 4);
    for entry in METHODS {
        let spec = Spec::new(entry.name, K).outliers(Outliers::SetAside).max_iter(5);
        match spec.fit(&all) {
            Ok(fit) => {
                assert_eq!(fit.set_aside, (120..150).collect::<Vec<_>>(), "{}", entry.name);
                let alone = spec.fit(&x).unwrap();
                assert_eq!(fit.model.centroids(), alone.model.centroids(), "{}: centroids", entry.name);
                // The scale of an entry-wise loss is in there.
                assert_eq!(fit.model.coding(), alone.model.coding(), "{}: the scale of the loss", entry.name);
            }
            Err(error) => {
                assert!(matches!(&error, Error::Param { name: "outliers", .. }), "{}: {error}", entry.name);
                assert_eq!(entry.facts.set_aside, SetAside::Never, "{}: {error}", entry.name);
            }
        }
        assert_eq!(
            Spec::new(entry.name, K).sets_aside(),
            matches!(entry.name, "emmf" | "g-emmf" | "deep-emmf")
        );
        let kept = Spec::new(entry.name, K).as_published().max_iter(2).fit(&all).unwrap();
        assert_eq!(kept.set_aside, [0; 0], "{}", entry.name);
    }
}

#[test]
fn with_weights_a_start_a_graph_and_missing_values() {
    let (x, _) = clean(120, 10);
    let all = add_outliers(&x, 30, 4);
    let aside: Vec<usize> = (120..150).collect();
    let start = Spec::emmf(K).as_published().max_iter(1).polish(false).fit(&all).unwrap();
    let start = emmf::Factors { u: start.model.centroids().clone(), v: start.v };
    let weights: Vec<f64> = (0..150).map(|i| 1.0 + f64::from(i % 3)).collect();
    let fit = Spec::emmf(K).max_iter(5).on(&all).weights(&weights).start(&start).fit().unwrap();
    assert_eq!((fit.set_aside, fit.v.rows()), (aside.clone(), 150));
    let graph = Graph::from_edges(150, (0..149).map(|i| (i, i + 1, 1.0))).unwrap();
    let on_graph = |graph: &Graph| Spec::new("g-emmf", K).max_iter(5).on(&all).graph(graph).fit();
    assert_eq!(on_graph(&graph).unwrap().set_aside, aside);
    let small = Graph::from_edges(120, [(0, 1, 1.0)]).unwrap();
    let error = on_graph(&small).unwrap_err();
    assert!(error.to_string().contains("150"), "{error}");
    let gaps = Mat::from_fn(150, 40, |i, j| if (i + 3 * j) % 50 == 0 { f64::NAN } else { all[(i, j)] });
    let fit = Spec::emmf(K).missing(Missing::Nan).max_iter(5).fit(&gaps).unwrap();
    assert_eq!(fit.set_aside, aside);
    assert!(fit.imputed.unwrap().as_slice().iter().all(|x| x.is_finite()));
}

/// With unit samples only the direction is left, and that is enough.
#[test]
fn unit_samples() {
    let (x, _) = clean(240, 11);
    let fit = Spec::emmf(K).normalize([Normalize::Unit]).max_iter(30).fit(&add_outliers(&x, 80, 4)).unwrap();
    assert_eq!(fit.set_aside.iter().filter(|&&i| i >= 240).count(), 80);
    assert!(fit.set_aside.len() <= 84);
}

/// The cut: robust by default, the wanted share where one is given, and an error for what is no share.
#[test]
fn thresholds() {
    use emmf::outliers::THRESHOLD;
    let scores: Vec<f64> = (0..100).map(f64::from).collect();
    for (share, above) in [(0.0, 0), (0.05, 5), (0.5, 50), (0.99, 99)] {
        let cut = Cut::Share(share).threshold(&scores).unwrap();
        assert_eq!(scores.iter().filter(|score| **score > cut).count(), above, "{share}");
    }
    for share in [-0.1, 1.0, f64::NAN] {
        assert!(Cut::Share(share).threshold(&scores).unwrap_err().to_string().contains("contamination"));
    }
    let (x, _) = clean(400, 12);
    let fit = Spec::emmf(K).max_iter(100).fit(&x).unwrap();
    assert!(fit.scores.iter().filter(|score| **score > THRESHOLD).count() < 12, "few of clean data");
}

/// A long sample that the centroids describe well is an outlier all the same, whatever the cut.
#[test]
fn what_is_set_aside_is_an_outlier_at_any_score() {
    let (x, _) = clean(240, 13);
    let mean = |j: usize| (0..240).map(|i| x[(i, j)]).sum::<f64>() / 240.0;
    let all = Mat::from_fn(242, 40, |i, j| if i < 240 { x[(i, j)] } else { 20.0 * mean(j) });
    let fit = Spec::emmf(K).max_iter(60).fit(&all).unwrap();
    assert_eq!(fit.set_aside, [240, 241]);
    assert!(fit.scores[240..].iter().all(|score| *score > 3.5), "{:?}", &fit.scores[240..]);
    for cut in [Cut::default(), Cut::Score(-1.0), Cut::Score(f64::INFINITY), Cut::Share(0.0), Cut::Share(0.1)]
    {
        let found = fit.outliers(cut).unwrap();
        let above = cut.threshold(&fit.scores).unwrap();
        assert!((0..242).all(|i| found[i] == (i >= 240 || fit.scores[i] > above)), "{cut:?}");
    }
    assert_eq!(count(&fit.outliers(Cut::Share(0.1)).unwrap()), 24);
    assert!(fit.outliers(Cut::Share(1.0)).is_err() && fit.outliers(Cut::Score(f64::NAN)).is_err());
    assert_eq!(fit.centroids(), fit.model.centroids());
}

/// A third of gross outliers, all kept, does not move a robust scale: next to nothing of the weight is theirs, whatever
/// their length. As published, correntropy's own scale grows with them.
#[test]
fn robust_scales_do_not_follow_outliers() {
    let (x, _) = clean(240, 3);
    let start = Spec::new("nmf", K).init(Init::Kmeans).start_of(&x, &Running::default()).unwrap();
    let dirty = add_outliers(&x, 80, 5);
    let v = Mat::from_fn(320, K, |i, k| if i < 240 { start.v[(i, k)] } else { 0.2 });
    let dirty_start = Factors { u: start.u.clone(), v };
    let theirs = |method: &str, robust: f64| {
        let spec = Spec::new(method, K).param("robust", robust).normalize([]).max_iter(3).polish(false);
        let fit = spec.on(&dirty).start(&dirty_start).fit().unwrap();
        let sum = |weights: &[f64]| weights.iter().sum::<f64>();
        sum(&fit.weights[240..]) / sum(&fit.weights)
    };
    for method in ["capped-nmf", "rcim-nmf"] {
        assert!(theirs(method, 1.0) < 1e-9, "{method}: {}", theirs(method, 1.0));
    }
    assert!(theirs("hx-nmf", 1.0) < 1e-2, "{}", theirs("hx-nmf", 1.0));
    assert!(theirs("rcim-nmf", 0.0) > 1e-3, "{}", theirs("rcim-nmf", 0.0));
}

/// With a robust scale the unit of the data does not matter, and nothing rises.
#[test]
fn robust_scales_follow_the_unit_and_stay() {
    let (x, _) = clean(120, 4);
    let large = Mat::from_fn(x.rows(), x.cols(), |i, j| 1024.0 * x[(i, j)]);
    for entry in METHODS.iter().filter(|entry| entry.params.iter().any(|param| param.name == "robust")) {
        let spec = Spec::new(entry.name, K).param("robust", 1.0).normalize([]).max_iter(40);
        let (one, other) = (spec.fit(&x).unwrap(), spec.fit(&large).unwrap());
        assert_eq!(one.labels, other.labels, "{}", entry.name);
        let falls = one.trace.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12));
        assert!(falls, "{}: {:?}", entry.name, one.trace);
    }
}
