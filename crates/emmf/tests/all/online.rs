//! Laws of models that go on learning: what a batch does, what junk does not, and where many batches end.

use emmf::method::side::in_shards;
use emmf::registry::METHODS;
use emmf::synth::{Rays, rays_with_outliers};
use emmf::{Factors, Given, Init, Mat, Model, Outliers, Running, Samples, Spec, Updated};

/// Samples of three clusters in a random order, none of them an outlier.
fn clean(samples: usize, seed: u64) -> Mat<f64> {
    let rays = Rays { classes: 3, features: 12, samples, outliers: 0, noise: 0.1, seed, ..Rays::default() };
    let x = rays_with_outliers::<f64>(&rays).unwrap().x;
    let n = x.rows();
    // 7919 is prime, so that this visits every row once.
    Mat::from_fn(n, x.cols(), |i, j| x[(i * 7919 % n, j)])
}

fn rows(x: &Mat<f64>, from: usize, to: usize) -> Mat<f64> {
    Mat::from_fn(to - from, x.cols(), |i, j| x[(from + i, j)])
}

/// A model after all batches of so many samples, as often as there are epochs.
fn learned(spec: &Spec, x: &Mat<f64>, (size, epochs): (usize, usize), half_life: Option<f64>) -> Model<f64> {
    let mut model = spec.fit_online(&rows(x, 0, size), Given::default(), half_life).unwrap().model;
    for epoch in 0..epochs {
        for from in (0..x.rows()).step_by(size).skip(usize::from(epoch == 0)) {
            let batch = rows(x, from, (from + size).min(x.rows()));
            model = update(&model, &batch).model;
        }
    }
    model
}

fn update(model: &Model<f64>, batch: &Mat<f64>) -> Updated<f64> {
    model.update(batch, None, &Running::on(1)).unwrap()
}

/// The objective of a method at some centroids, with coefficients that are the best for them.
fn objective(spec: &Spec, x: &Mat<f64>, model: &Model<f64>) -> f64 {
    let (u, v) = (model.centroids().clone(), model.transform(x).unwrap().v);
    let start = Factors { u, v };
    let given = Given { start: Some(&start), ..Given::default() };
    let ones = vec![1.0; x.rows()];
    in_shards(&Samples::from(x), &ones, 1, |side| spec.fit_side(side, given)).unwrap().initial
}

#[test]
fn many_batches_end_where_the_batch_fit_does() {
    let x = clean(900, 1);
    for name in ["emmf", "l21-nmf", "nmf"] {
        let spec = Spec::new(name, 3).init(Init::Kmeans).outliers(Outliers::Keep).max_iter(300).tol(0.0);
        let whole = spec.clone().solver(emmf::Solver::Hals).fit(&x).unwrap();
        let model = learned(&spec, &x, (150, 6), None);
        let (online, best) = (objective(&spec, &x, &model), whole.objective);
        assert!(online < 1.01 * best, "{name}: {online} after batches, {best} at once");
    }
}

#[test]
fn the_same_batches_give_the_same_bits() {
    let x = clean(400, 2);
    let spec = Spec::emmf(3);
    let one = learned(&spec, &x, (100, 1), Some(500.0));
    assert_eq!(one, learned(&spec, &x, (100, 1), Some(500.0)));
    let batch = rows(&x, 0, 200);
    let threads = |threads| one.update(&batch, None, &Running::on(threads)).unwrap();
    assert_eq!(threads(1), threads(2));
    assert_eq!(one.past().map(|past| past.seen), Some(400));
}

#[test]
fn a_batch_of_junk_moves_nothing() {
    let x = clean(600, 3);
    let model = learned(&Spec::emmf(3), &x, (300, 1), Some(1000.0));
    // In no direction of the clusters, and far away.
    let junk = Mat::from_fn(200, 12, |i, j| if j == i % 12 { 40.0 + (i * j % 7) as f64 } else { 0.0 });
    let after = update(&model, &junk);
    assert_eq!(after.model.centroids(), model.centroids());
    let (before, past) = (model.past().unwrap(), after.model.past().unwrap());
    assert_eq!((past.samples, past.residuals), (before.samples, before.residuals));
    assert_eq!((after.set_aside.len(), past.seen, past.drift), (200, before.seen + 200, 1.0));
    // Where junk is kept, it cannot raise the sum of residuals by more than a few usual ones each.
    let kept = Spec::emmf(3).outliers(Outliers::Keep);
    let model = learned(&kept, &x, (300, 1), None);
    let after = update(&model, &junk).model;
    let usual = |model: &Model<f64>| model.past().map(|past| past.residuals / past.samples).unwrap();
    assert!(usual(&after) <= 4.0 * usual(&model));
}

#[test]
fn a_half_life_forgets() {
    let spec = Spec::emmf(3).outliers(Outliers::Keep);
    let (old, new) = (clean(300, 4), clean(3000, 5));
    let errors = |half_life| {
        let mut model = learned(&spec, &old, (300, 1), half_life);
        for from in (0..3000).step_by(300) {
            model = update(&model, &rows(&new, from, from + 300)).model;
        }
        model.transform(&new).unwrap().residuals.iter().sum::<f64>()
    };
    // The new clusters are others: whoever forgets the old ones describes them better.
    assert!(errors(Some(300.0)) < errors(None), "{} {}", errors(Some(300.0)), errors(None));
    let model = learned(&spec, &old, (300, 1), Some(100.0));
    let past = update(&model, &rows(&new, 0, 100)).model;
    assert!((past.past().unwrap().samples - (150.0 + 100.0)).abs() < 1e-9);
}

#[test]
fn weights_count_as_repeated_samples() {
    let x = clean(300, 6);
    let model = learned(&Spec::emmf(3).outliers(Outliers::Keep), &x, (300, 1), None);
    let batch = rows(&x, 0, 50);
    let weights = vec![2.0; 50];
    let weighted = model.update(&batch, Some(&weights), &Running::on(1)).unwrap().model;
    let twice = Mat::from_fn(100, 12, |i, j| batch[(i % 50, j)]);
    let repeated = update(&model, &twice).model;
    let close = |a: &Mat<f64>, b: &Mat<f64>| {
        a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs()))
    };
    assert!(close(weighted.centroids(), repeated.centroids()));
}

#[test]
fn every_loss_learns() {
    let x = clean(300, 7);
    for entry in METHODS.iter().filter(|entry| entry.loss(&std::collections::BTreeMap::new()).is_some()) {
        let model = learned(&Spec::new(entry.name, 3), &x, (100, 2), None);
        assert!(model.centroids().as_slice().iter().all(|u| u.is_finite() && *u >= 0.0), "{}", entry.name);
        assert_eq!(model.past().unwrap().seen, 600, "{}", entry.name);
    }
}

#[test]
fn what_cannot_come_in_batches_says_so() {
    let x = clean(100, 8);
    for spec in [Spec::new("g-emmf", 3), Spec::new("pnmf", 3), Spec::emmf(3).missing(emmf::Missing::Nan)] {
        let error = spec.fit_online(&x, Given::default(), None).unwrap_err().to_string();
        assert!(error.contains("batches"), "{error}");
    }
    let error = Spec::emmf(3).fit_online(&x, Given::default(), Some(-1.0)).unwrap_err().to_string();
    assert!(error.contains("half_life is -1"), "{error}");
    let plain = Spec::emmf(3).fit(&x).unwrap().model;
    let error = plain.update(&x, None, &Running::default()).unwrap_err().to_string();
    assert!(error.contains("without a past"), "{error}");
    let model = learned(&Spec::emmf(3), &x, (100, 1), None);
    let narrow = Mat::from_fn(5, 3, |_, _| 1.0);
    assert!(model.update(&narrow, None, &Running::default()).is_err());
    let negative = Mat::from_fn(5, 12, |i, _| 1.0 - i as f64);
    assert!(model.update(&negative, None, &Running::default()).unwrap_err().to_string().contains("negative"));
}
