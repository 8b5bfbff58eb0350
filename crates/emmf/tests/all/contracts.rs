//! Promises of the public interface: `transform` repeats the fit, samples are coded one by one and exactly,
//! the reported objective is the true one, preprocessing on borrowed samples is the one done by hand.

use crate::oracle;

use emmf::Phase::{Code, Graph, Prepare, Screen, Start};
use emmf::model::ResidualScale;
use emmf::preprocess::Normalize;
use emmf::synth::{Rays, rays_with_outliers};
use emmf::{
    Error, Factors, Fit, Given, Init, LabelRule, Mat, Model, Observer, Phase, Real, Samples, Spec, Step,
    registry,
};
use oracle::problems::{KINDS, Kind, Sparse, in_every_storage, methods, problem, rng, uniform};
use oracle::{Oracle, residuals};
use rand::RngExt;
use std::ops::ControlFlow;

/// Counts with zeros, several blocks of samples.
fn counts<T: Real>() -> Mat<T> {
    let mut rng = rng(11);
    Mat::from_fn(300, 21, |i, j| {
        let zero = rng.random::<f64>() < 0.5 && i % 21 != j;
        T::from_f64(if zero { 0.0 } else { f64::from(rng.random_range(1..50_u8)) })
    })
}

fn chains() -> Vec<Vec<Normalize>> {
    vec![
        vec![],
        vec![Normalize::Unit],
        vec![Normalize::Max],
        vec![Normalize::Clip],
        vec![Normalize::Tfidf, Normalize::Unit],
        vec![Normalize::Unit, Normalize::Tfidf, Normalize::Clip, Normalize::Max],
        vec![Normalize::Shift],
        vec![Normalize::Max, Normalize::Shift, Normalize::Unit],
    ]
}

fn transform_repeats_the_fit<T: Real>() {
    let x: Mat<T> = counts();
    let shifted = Mat::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)] - T::from_f64(3.0));
    for chain in chains() {
        let dense_only = chain.contains(&Normalize::Shift);
        let x = if dense_only { &shifted } else { &x };
        let spec = Spec::emmf(4).normalize(chain.clone()).max_iter(6);
        in_every_storage(x, |storage, samples| {
            if dense_only && matches!(samples, Samples::Csr(_)) {
                return;
            }
            let fit = spec.fit(samples).unwrap();
            let coded = fit.model.transform(samples).unwrap();
            assert_eq!(coded.v, fit.v, "{chain:?} {storage}");
            assert_eq!(coded.residuals, fit.residuals, "{chain:?} {storage}");
            assert_eq!(coded.scores, fit.scores, "{chain:?} {storage}");
        });
    }
}

#[test]
fn transform_of_the_training_samples_is_v_f64() {
    transform_repeats_the_fit::<f64>();
}

#[test]
fn transform_of_the_training_samples_is_v_f32() {
    transform_repeats_the_fit::<f32>();
}

/// Bit for bit: a sample does not know its neighbours.
fn coded_alone<T: Real>() {
    let x: Mat<T> = counts();
    for chain in [vec![], vec![Normalize::Tfidf, Normalize::Unit]] {
        let fit = Spec::emmf(4).normalize(chain).max_iter(6).fit(&x).unwrap();
        let sparse = fit.model.transform(Sparse::of(&x).narrow()).unwrap();
        for i in (0..x.rows()).step_by(7) {
            let one = Mat::from_fn(1, x.cols(), |_, j| x[(i, j)]);
            let alone = fit.model.transform(&one).unwrap();
            assert_eq!(alone.v.row(0), fit.v.row(i), "sample {i}");
            assert_eq!(alone.residuals[0], fit.residuals[i], "sample {i}");
            let alone = fit.model.transform(Sparse::of(&one).narrow()).unwrap();
            assert_eq!(alone.v.row(0), sparse.v.row(i), "sparse sample {i}");
        }
    }
}

#[test]
fn a_sample_coded_alone_is_coded_the_same_f64() {
    coded_alone::<f64>();
}

#[test]
fn a_sample_coded_alone_is_coded_the_same_f32() {
    coded_alone::<f32>();
}

fn true_objective<T: Real>(tolerance: f64) {
    for (at, kind) in KINDS.into_iter().enumerate() {
        let p = problem(kind, 70 + at as u64);
        let has_common_solver = |spec: &Spec| !registry::find(&spec.method).unwrap().solvers.is_empty();
        for spec in methods(p.k).into_iter().filter(has_common_solver) {
            // θ of the capped norm, δ of the entry-wise losses and robust scales are known to the fit alone.
            let unknown = spec.params.contains_key("robust")
                || match spec.method.as_str() {
                    "capped-nmf" => !spec.params.contains_key("threshold"),
                    "huber-nmf" | "hypersurface-nmf" => !spec.params.contains_key("delta"),
                    _ => false,
                };
            if unknown {
                continue;
            }
            for polish in [true, false] {
                let spec = spec.clone().max_iter(5).polish(polish);
                let fit: Fit<T> = spec.fit(&p.x.cast::<T>()).unwrap();
                let factors = Factors { u: fit.model.centroids().cast(), v: fit.v.cast() };
                let mut oracle = Oracle::new(&spec, &p.x);
                oracle.begin(&mut factors.clone());
                let expected = oracle.objective(&factors);
                let noise = oracle.noise::<T>(&factors);
                let by = (fit.objective - expected).abs();
                assert!(by <= tolerance * expected.abs() + noise, "{kind:?} {spec:?}: {by} at {expected}");
                for (i, (ours, exact)) in fit.residuals.iter().zip(residuals(&p.x, &factors)).enumerate() {
                    let norm = p.x.row(i).iter().map(|x| x * x).sum::<f64>().sqrt();
                    assert!((ours - exact).abs() <= 1e3 * tolerance * norm.max(exact), "{kind:?} {spec:?}");
                }
                // Not where a sample has several minima, or where V is finished by another norm.
                let convex = spec.method != "cim-nmf" && !spec.params.contains_key("median-sweeps");
                let lower = fit.objective <= fit.trace[4] * (1.0 + 1e-5) + noise + 1e-6;
                assert!(!(polish && convex) || lower, "{spec:?}: {} to {}", fit.trace[4], fit.objective);
            }
        }
    }
}

#[test]
fn the_reported_objective_is_the_true_one_f64() {
    true_objective::<f64>(1e-12);
}

#[test]
fn the_reported_objective_is_the_true_one_f32() {
    true_objective::<f32>(1e-6);
}

/// A model with this U, without preprocessing.
fn model<T: Real>(u: &Mat<T>) -> Model<T> {
    let scale = ResidualScale { center: 0.0, spread: 1.0 };
    Model::from_parts(Spec::emmf(u.cols()), u.clone(), vec![], scale).unwrap()
}

/// Coding is exact: no set of nonzero coefficients does better. U has equal, zero, nearly equal and very
/// short columns.
fn exact_coding<T: Real>(tolerance: f64) {
    for seed in 0..std::env::var("N").map_or(300, |n| n.parse().unwrap()) {
        let mut rng = rng(seed);
        let (d, c) = (rng.random_range(2..7), rng.random_range(1..7));
        let mut u = uniform(d, c, &mut rng);
        u.as_mut_slice().iter_mut().for_each(|u| *u = (*u - 0.4).max(0.0));
        for k in 1..c {
            for j in 0..d {
                u[(j, k)] = match (seed % 6, k) {
                    (1, 1) => u[(j, 0)],
                    (2, 1) => 0.0,
                    (3, 1) => u[(j, 0)] * (1.0 + if j == 0 { 1e-7 } else { 0.0 }),
                    (4, 1) => u[(j, 1)] * 2_f64.powi(-45),
                    (5, 2) => u[(j, 0)] + u[(j, 1)],
                    _ => u[(j, k)],
                };
            }
        }
        // In the number type itself, so that both see the same U.
        let u: Mat<T> = u.cast();
        let x: Mat<T> = uniform(9, d, &mut rng).cast();
        let coded = model(&u).transform(&x).unwrap();
        let wide: Mat<f64> = u.cast();
        for i in 0..x.rows() {
            let sample: Vec<f64> = x.row(i).iter().map(|x| x.to_f64()).collect();
            let norm = sample.iter().map(|x| x * x).sum::<f64>().sqrt();
            let (_, best) = oracle::nnls(&wide, &sample);
            let ours = coded.residuals[i];
            let close = (ours - best).abs() <= tolerance * norm;
            assert!(close, "{} seed {seed}, sample {i}: {ours}, should be {best} with U {wide:?}", T::NAME);
        }
    }
}

#[test]
fn coding_is_exact_f64() {
    exact_coding::<f64>(1e-7);
}

#[test]
fn coding_is_exact_f32() {
    exact_coding::<f32>(1e-3);
}

#[test]
fn coefficients_are_those_of_every_support() {
    for seed in 0..100 {
        let mut rng = rng(1000 + seed);
        let u = uniform(8, 5, &mut rng);
        let x = uniform(6, 8, &mut rng);
        let coded = model(&u).transform(&x).unwrap();
        for i in 0..6 {
            let (best, _) = oracle::nnls(&u, x.row(i));
            for (ours, theirs) in coded.v.row(i).iter().zip(&best) {
                assert!((ours - theirs).abs() <= 1e-10 * best.iter().fold(1.0, |m: f64, x| m.max(*x)));
            }
        }
    }
}

/// Numbers that overflow end in an error that says so, or in a result; never in NaN.
#[test]
fn huge_numbers() {
    let p = problem(Kind::Plain, 1);
    for (size, init) in
        [(1e15, Init::Kmeans), (1e19, Init::Random), (1e30, Init::Kmeans), (1e36, Init::Nndsvd)]
    {
        let x: Mat<f32> = Mat::from_fn(p.x.rows(), p.x.cols(), |i, j| (p.x[(i, j)] * size) as f32);
        for spec in methods(p.k) {
            let spec = spec.init(init).max_iter(5);
            match spec.fit(&x) {
                Ok(fit) => {
                    assert!(fit.v.as_slice().iter().all(|x| x.is_finite()));
                    assert!(fit.objective.is_finite());
                }
                Err(error) => {
                    let known = matches!(error, Error::Diverged { .. } | Error::TooLarge { .. });
                    assert!(known, "{size:e} {spec:?}: {error}");
                    assert!(error.to_string().contains("normalize = unit or max"));
                }
            }
            for normalize in [Normalize::Max, Normalize::Unit] {
                let fit = spec.clone().normalize([normalize]).fit(&x).unwrap();
                assert!(fit.residuals.iter().all(|r| r.is_finite() && *r < 10.0), "{size:e} {spec:?}");
                let largest = fit.model.centroids().as_slice().iter().copied().fold(0.0, f32::max);
                assert!(largest > 1e-3 && largest < 1e3, "{size:e}: {largest}");
            }
        }
    }
}

/// Labels by the largest coefficient, or the largest once the centroids have unit length.
#[test]
fn label_rules() {
    let u = Mat::from_rows([[1.0, 0.0], [0.0, 100.0]]);
    let coded = |rule: LabelRule| {
        let scale = ResidualScale { center: 0.0, spread: 1.0 };
        let model = Model::from_parts(Spec::emmf(2).label_rule(rule), u.clone(), vec![], scale).unwrap();
        model.transform(&Mat::from_rows([[1.0, 50.0], [2.0, 1.0]])).unwrap().labels
    };
    assert_eq!(coded(LabelRule::Largest), [0, 0]);
    assert_eq!(coded(LabelRule::Unit), [1, 0]);
}

/// k-means on the coefficients: new samples go to the nearest mean row of V, and the model file of another program's
/// making may hold none.
#[test]
fn labels_by_k_means() {
    let x = Mat::from_fn(40, 6, |i, j| if i % 2 == j % 2 { 1.0 + (i * j % 3) as f64 } else { 0.1 });
    let fit = Spec::new("gnmf", 2).fit(&x).unwrap();
    assert_eq!(fit.model.spec().label_rule, Some(LabelRule::KmeansRaw));
    assert!((0..40).all(|i| fit.labels[i] == fit.labels[i % 2]) && fit.labels[0] != fit.labels[1]);
    assert_eq!(fit.model.transform(&x).unwrap().labels, fit.labels);
    let again = Spec::emmf(2).label_rule(LabelRule::Kmeans).fit(&x).unwrap();
    assert!((0..40).all(|i| again.labels[i] == again.labels[i % 2]));
    let wrong = fit.model.with_label_centres(vec![Some(vec![1.0])]);
    assert!(wrong.unwrap_err().to_string().contains("label centres"));
    let error = Spec::emmf(2).label_rule(LabelRule::Components).fit(&x).unwrap_err().to_string();
    assert!(error.contains("components") && error.contains("emmf"), "{error}");
    let error = Spec::new("gnmf", 2).on(&x).weights(&[1.0; 40]).fit().unwrap_err().to_string();
    assert!(error.contains("sample_weight") && error.contains("gnmf"), "{error}");
}

/// Directions of what samples are made of do not hang on the lengths of samples or centroids, number k is the cluster of centroid
/// k where there is one for each, and there may be more or fewer.
#[test]
fn clusters_of_directions() {
    // Six clusters of four parts: each part alone, and two pairs.
    let members = [[3, 0, 0, 0], [0, 3, 0, 0], [0, 0, 3, 0], [0, 0, 0, 3], [2, 2, 0, 0], [0, 0, 2, 2]];
    let x = Mat::from_fn(180, 16, |i, j| {
        let part = f64::from(members[i % 6][j / 4]) * (1.0 + (j % 4) as f64);
        (1.0 + (i % 7) as f64) * (part + 0.05 * ((i * 31 + j * 17) % 5) as f64)
    });
    let fit = Spec::emmf(4).clusters(6).fit(&x).unwrap();
    assert_eq!(fit.model.spec().label_rule, Some(LabelRule::Kmeans));
    assert!((0..180).all(|i| fit.labels[i] == fit.labels[i % 6]), "{:?}", fit.labels);
    let mut found = fit.labels[..6].to_vec();
    found.sort_unstable();
    assert_eq!(found, [0, 1, 2, 3, 4, 5]);
    assert_eq!(fit.model.label_centres().len(), 6);
    let longer = Mat::from_fn(180, 16, |i, j| 100.0 * x[(i, j)]);
    assert_eq!(fit.model.transform(&longer).unwrap().labels, fit.labels);
    let own = Spec::emmf(4).fit(&x).unwrap();
    let largest = Spec::emmf(4).label_rule(LabelRule::Largest).fit(&x).unwrap();
    assert_eq!(own.model.spec().label_rule, Some(LabelRule::Kmeans));
    let same = own.labels.iter().zip(&largest.labels).filter(|(a, b)| a == b).count();
    assert!(same >= 120, "{same} of 180 have the number of their largest part");
    assert_eq!(
        Spec::emmf(4).as_published().fit(&x).unwrap().model.spec().label_rule,
        Some(LabelRule::Largest)
    );
    let refused = |spec: Spec| spec.fit(&x).unwrap_err().to_string();
    assert!(refused(Spec::emmf(4).clusters(0)).contains("at least 1 and at most 180"));
    assert!(refused(Spec::emmf(4).clusters(3).label_rule(LabelRule::Largest)).contains("k-means"));
}

/// Public types can be shared between threads; the number type is kept.
#[test]
fn public_types_are_send_and_sync() {
    fn shared<T: Send + Sync>() {}
    shared::<Spec>();
    shared::<Error>();
    shared::<Mat<f32>>();
    shared::<emmf::Csr<f64>>();
    shared::<emmf::View<'_, f32>>();
    shared::<emmf::CsrView<'_, f64>>();
    shared::<Samples<'_, f32>>();
    shared::<Factors<f64>>();
    shared::<Model<f32>>();
    shared::<Fit<f64>>();
    shared::<emmf::Coded<f32>>();
    shared::<emmf::Step>();
    shared::<emmf::Stop>();
    shared::<emmf::registry::Entry>();
    shared::<emmf::init::Kmeans<f32>>();
    shared::<emmf::method::Irls<'_>>();
    shared::<Box<dyn emmf::loss::Loss>>();
    let fit: Fit<f32> = Spec::emmf(2).fit(&counts::<f32>()).unwrap();
    let _: (&Mat<f32>, &Mat<f32>) = (fit.model.centroids(), &fit.v);
}

/// What serde writes of a model is the model, whatever the method; what cannot be one is refused.
#[test]
fn models_are_written_and_read() {
    let x: Mat<f64> = uniform(120, 12, &mut rng(21));
    let flat = registry::METHODS.iter().map(|method| Spec::new(method.name, 3));
    for spec in flat.chain([Spec::deep(&[6, 2])]) {
        let (name, fit) = (&spec.method, spec.clone().max_iter(3).fit(&x).unwrap());
        let text = serde_json::to_string(&fit.model).unwrap();
        let read: Model<f64> = serde_json::from_str(&text).unwrap();
        assert_eq!(read, fit.model, "{name}");
        assert_eq!(read.transform(&x).unwrap(), fit.model.transform(&x).unwrap(), "{name}");
    }
    let model = Spec::emmf(3).fit_online(&x, Given::default(), None).unwrap().model;
    let mut text = serde_json::to_value(&model).unwrap();
    assert_eq!(serde_json::from_value::<Model<f64>>(text.clone()).unwrap(), model);
    text["spec"]["k"] = 4.into();
    let error = serde_json::from_value::<Model<f64>>(text).unwrap_err().to_string();
    assert!(error.contains("12x4"), "{error}");
}

/// Whoever looks on knows what is done before the first iteration and after the last.
#[test]
fn phases_are_told_in_their_order() {
    struct Seen(Vec<Phase>, usize);
    impl Observer for Seen {
        fn iteration(&mut self, _: &Step) -> ControlFlow<()> {
            self.1 += 1;
            ControlFlow::Continue(())
        }
        fn phase(&mut self, phase: Phase) {
            self.0.push(phase);
        }
    }
    let x = rays_with_outliers::<f64>(&Rays::default()).unwrap().x;
    let seen = |spec: Spec| {
        let mut seen = Seen(Vec::new(), 0);
        spec.max_iter(5).on(&x).observe(&mut seen).fit().unwrap();
        (seen.0, seen.1)
    };
    assert_eq!(seen(Spec::emmf(3)), (vec![Prepare, Screen, Start, Code], 5));
    assert_eq!(seen(Spec::emmf(3).restarts(2)), (vec![Prepare, Screen, Start, Start, Code], 10));
    assert_eq!(seen(Spec::new("g-emmf", 3)), (vec![Prepare, Screen, Graph, Start, Code], 5));
    let deep = Spec::deep(&[6, 3]);
    assert_eq!(seen(deep.clone()), (vec![Prepare, Screen, Graph, Start, Code], 5));
    assert_eq!(seen(deep.param("merge", 0.0)), (vec![Prepare, Screen, Start, Code], 5));
}
