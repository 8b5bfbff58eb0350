//! Laws of [`SampleSide`]: however the samples are cut into shards, the fit has the same bits.

use crate::oracle;
use crate::streams::Pretended;

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use emmf::data::{Data, Dense};
use emmf::method::SampleSide;
use emmf::method::side::{
    Answer, Held, History, Order, Place, Remote, Server, gathered, in_shards, joined, leaf_rows, serve, share,
};
use emmf::preprocess::Normalize;
use emmf::registry::{METHODS, Places};
use emmf::{
    Factors, Fit, Given, Graph, Init, LabelRule, Mat, Missing, Outliers, Real, Samples, Solver, Spec, StopBy,
    Threads,
};
use oracle::problems::{Sparse, in_every_storage, rng, uniform};

/// Samples that several leaves hold, and a start.
pub(crate) fn problem(n: usize, d: usize, k: usize, seed: u64) -> (Mat<f64>, Factors<f64>) {
    let mut rng = rng(seed);
    let (x, u, v) = (uniform(n, d, &mut rng), uniform(d, k, &mut rng), uniform(n, k, &mut rng));
    (x, Factors { u, v })
}

/// All methods whose samples may be in shards, with each of their solvers.
fn in_shards_by_solver() -> impl Iterator<Item = (&'static str, Solver)> {
    let anywhere = METHODS.iter().filter(|entry| entry.facts.places != Places::OneMemory);
    anywhere.flat_map(|entry| entry.solvers.iter().map(|solver| (entry.name, *solver)))
}

/// A few iterations.
fn some_steps(name: &str, solver: Solver) -> Spec {
    Spec::new(name, 3).solver(solver).max_iter(12).tol(0.0)
}

pub(crate) fn fit_in_shards<T: Real>(
    spec: &Spec,
    x: &Samples<'_, T>,
    start: &Factors<T>,
    shards: usize,
) -> Fit<T> {
    let weights: Vec<f64> = (0..x.shape().0).map(|i| 1.0 + (i % 3) as f64).collect();
    let given = Given { start: Some(start), ..Given::default() };
    in_shards(x, &weights, shards, |side| spec.fit_side(side, given)).unwrap()
}

pub(crate) fn assert_same<T: Real>(one: &Fit<T>, other: &Fit<T>, what: &str) {
    assert_eq!(one.trace, other.trace, "trace, {what}");
    assert_eq!(one.model.centroids(), other.model.centroids(), "U, {what}");
    assert_eq!(one.v, other.v, "V, {what}");
    assert_eq!(one.labels, other.labels, "labels, {what}");
    assert_eq!(one.residuals, other.residuals, "residuals, {what}");
    assert_eq!(one.weights, other.weights, "weights, {what}");
    // Samples that can be read are judged by more than their residuals.
    let on = |fit: &Fit<T>| -> Vec<_> {
        fit.layers.iter().map(|on| (on.labels.clone(), on.residuals.clone())).collect()
    };
    assert!(on(one) == on(other), "layers, {what}");
    assert_eq!(one.model.layers(), other.model.layers(), "layers of the model, {what}");
    assert_eq!(one.objective.to_bits(), other.objective.to_bits(), "objective, {what}");
}

#[test]
fn shards_fit_as_one() {
    let (x, start) = problem(331, 9, 3, 1);
    let in_file = Pretended::<f64>::new(&x, usize::MAX);
    for (name, solver) in in_shards_by_solver() {
        let spec = some_steps(name, solver);
        let check = |storage: &str, samples: Samples<'_, f64>| {
            let one = fit_in_shards(&spec, &samples, &start, 1);
            for shards in [2, 3, 7, 40] {
                let what = format!("{name}, {solver}, {storage}, {shards} shards");
                assert_same(&one, &fit_in_shards(&spec, &samples, &start, shards), &what);
            }
        };
        in_every_storage(&x, check);
        check("streamed", Samples::Stream(&in_file));
    }
}

#[test]
fn shards_fit_as_one_in_single_precision() {
    let (x, start) = problem(331, 9, 3, 2);
    let (x, start) = (x.cast::<f32>(), Factors { u: start.u.cast(), v: start.v.cast() });
    for (name, solver) in in_shards_by_solver() {
        let (spec, samples) = (some_steps(name, solver), Samples::from(&x));
        let one = fit_in_shards(&spec, &samples, &start, 1);
        for shards in [2, 3, 7] {
            let what = format!("{name}, {solver}, {shards} shards");
            assert_same(&one, &fit_in_shards(&spec, &samples, &start, shards), &what);
        }
    }
}

/// Coordinate descent in one sweep or many, with and without extrapolation.
#[test]
fn shards_descend_as_one() {
    let (x, start) = problem(331, 9, 3, 9);
    for (sweeps, extrapolate) in [(1, false), (1, true), (7, false), (7, true)] {
        for name in ["emmf", "nmf", "capped-nmf"] {
            let spec = some_steps(name, Solver::Hals).sweeps(sweeps).extrapolate(extrapolate);
            let one = fit_in_shards(&spec, &Samples::from(&x), &start, 1);
            for shards in [2, 7] {
                let cut = fit_in_shards(&spec, &Samples::from(&x), &start, shards);
                assert_same(&one, &cut, &format!("{name}, {sweeps} sweeps, {extrapolate}, {shards} shards"));
            }
        }
    }
}

/// Borders lie between leaves, all samples are in one shard each, and shards without any are allowed.
#[test]
fn cuts_hold_all_samples_once() {
    for n in 1..200 {
        for rows_per_leaf in [6, 12, 60, 600] {
            for shards in [1, 2, 3, 7] {
                let places = Place::cut(n, rows_per_leaf, shards);
                assert_eq!(places.len(), shards);
                let mut next = 0;
                for place in places {
                    assert_eq!((place.first, place.total), (next, n));
                    assert!(place.first % rows_per_leaf == 0 || place.first == n);
                    next += place.count;
                }
                assert_eq!(next, n);
            }
        }
    }
}

/// From a start of their own: shards cluster as one memory does, and end where `Spec::fit` ends.
#[test]
fn shards_start_as_one_memory() {
    let (x, _) = problem(331, 9, 3, 3);
    let ones = vec![1.0; 331];
    for (name, stop_by, init) in [
        ("emmf", StopBy::Objective, Init::Kmeans),
        ("nmf", StopBy::Coefficients, Init::Kmeans),
        ("emmf", StopBy::Objective, Init::KmeansParallel),
        ("emmf", StopBy::Objective, Init::Random),
        ("huber-nmf", StopBy::Objective, Init::Kmeans),
        ("cim-nmf", StopBy::Coefficients, Init::KmeansParallel),
        ("nmf-div", StopBy::Objective, Init::Random),
    ] {
        let spec = Spec::new(name, 3).init(init).outliers(Outliers::Keep).max_iter(40).tol(1e-3);
        let spec = spec.stop_by(stop_by);
        in_every_storage(&x, |storage, samples| {
            let fit = |shards| {
                let given = Given::default();
                in_shards(&samples, &ones, shards, |side| spec.fit_side(side, given)).unwrap()
            };
            // The divergence of sparse samples in one memory is a method of its own, which rounds otherwise.
            let other = matches!(samples, Samples::Csr(_)) && name == "nmf-div";
            let one = if other { fit(1) } else { spec.fit(samples).unwrap() };
            for shards in [1, 2, 3, 7] {
                let cut = fit(shards);
                assert_same(&one, &cut, &format!("{name}, {storage}, {shards} shards"));
                assert_eq!(one.stop, cut.stop);
            }
        });
    }
}

/// Weights count, and so does chance: the draws of another seed are others.
#[test]
fn shards_draw_as_one_memory() {
    let (x, _) = problem(700, 4, 5, 6);
    let weights: Vec<f64> = (0..700).map(|i| f64::from(i % 4)).collect();
    let fit = |seed, shards| {
        let spec = Spec::emmf(5).init(Init::KmeansParallel).seed(seed).max_iter(2);
        in_shards(&Samples::from(&x), &weights, shards, |side| spec.fit_side(side, Given::default())).unwrap()
    };
    for seed in 0..4 {
        let one = fit(seed, 1);
        for shards in [2, 3, 7, 40] {
            assert_same(&one, &fit(seed, shards), &format!("seed {seed}, {shards} shards"));
        }
        assert_ne!(one.model.centroids(), fit(seed + 4, 1).model.centroids());
    }
}

/// Beyond a million samples more than sixteen shards have some.
#[test]
fn many_samples_fill_many_shards() {
    let n = (1 << 20) + 5000;
    let x = Mat::from_fn(n, 2, |i, j| ((i * 2 + j) * 7919 % 1009) as f32 / 1009.0);
    let factor = |rows, seed: usize| Mat::from_fn(rows, 2, |i, j| 0.1 + ((i + 3 * j + seed) % 7) as f32);
    let start = Factors { u: factor(2, 1), v: factor(n, 2) };
    let spec = Spec::emmf(2).max_iter(2).tol(0.0).polish(false);
    let layers = Spec::deep(&[2, 1]).param("merge", 0.0).max_iter(1).tol(0.0).polish(false);
    for spec in [spec, layers, Spec::new("nmf-div", 2).max_iter(1).tol(0.0).polish(false)] {
        let one = fit_in_shards(&spec, &Samples::from(&x), &start, 1);
        for shards in [5, 40] {
            assert_same(
                &one,
                &fit_in_shards(&spec, &Samples::from(&x), &start, shards),
                &format!("{shards}"),
            );
        }
    }
    let x = Dense::new(x.view(), None);
    let holding =
        |shards| Place::cut(n, x.rows_per_leaf(), shards).iter().filter(|place| place.count > 0).count();
    assert_eq!((holding(5), holding(40)), (5, 32));
    // A product with all samples at once has as many leaves.
    let mut sums = Mat::zeros(2, 2);
    x.t_dot(&vec![1.0; n], &start.v, &mut sums);
    let entry = |j, k| {
        (0..n)
            .map(|i| f64::from(((i * 2 + j) * 7919 % 1009) as f32 / 1009.0) * f64::from(start.v[(i, k)]))
            .sum::<f64>()
    };
    for (j, k) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        assert!(
            (f64::from(sums[(j, k)]) / entry(j, k) - 1.0).abs() < 1e-5,
            "{} {}",
            sums[(j, k)],
            entry(j, k)
        );
    }
}

/// Three sides of which only bytes are known.
#[test]
fn sides_elsewhere_fit_as_one() {
    let (x, start) = problem(331, 9, 3, 4);
    let (samples, ones) = (Samples::from(&x), vec![1.0; 331]);
    for (at, (name, solver)) in in_shards_by_solver().enumerate() {
        let spec = some_steps(name, solver).init(Init::KmeansParallel);
        let start = (at > 0).then_some(&start);
        let fit = |side: &dyn SampleSide<f64>| spec.fit_side(side, Given { start, ..Given::default() });
        let one = in_shards(&samples, &ones, 1, |side| fit(side)).unwrap();
        let elsewhere = in_shards(&samples, &ones, 3, |side| {
            let server = Mutex::new(Server::new(side));
            let carrier = |number: u64, order: Order<f64>| {
                let order = serde_json::from_slice(&serde_json::to_vec(&order).unwrap()).unwrap();
                let answer = server.lock().unwrap().obey(number, order)?;
                Ok(serde_json::from_slice::<Answer<f64>>(&serde_json::to_vec(&answer).unwrap()).unwrap())
            };
            fit(&Remote::new(x.shape(), &carrier, &AtomicU64::new(1)))
        });
        assert_same(&one, &elsewhere.unwrap(), name);
    }
}

/// A divergence that is infinite where an entry is 0 says where that is among all samples.
#[test]
fn a_zero_is_found_where_it_is() {
    let (mut x, start) = problem(331, 9, 3, 8);
    x[(300, 4)] = 0.0;
    let spec = some_steps("beta-nmf", Solver::Mu).param("beta", 0.0);
    let (samples, ones) = (Samples::from(&x), vec![1.0; 331]);
    for shards in [1, 3] {
        let given = Given { start: Some(&start), ..Given::default() };
        let fit = in_shards(&samples, &ones, shards, |side| spec.fit_side(side, given));
        let told = fit.unwrap_err().to_string();
        assert!(told.contains("row 300, column 4"), "{told}");
    }
}

/// What a side elsewhere cannot do is an error in words.
#[test]
fn what_needs_one_memory_says_so() {
    let (x, _) = problem(60, 5, 2, 5);
    let (samples, ones) = (Samples::from(&x), vec![1.0; 60]);
    let told = |spec: Spec, word: &str| {
        let given = Given::default();
        let error = in_shards(&samples, &ones, 2, |side| spec.fit_side(side, given)).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    told(Spec::new("g-emmf", 2), "g-emmf");
    told(Spec::new("pnmf", 2), "pnmf");
    told(Spec::new("l1-nmf", 2).param("median-sweeps", 3.0), "median-sweeps");
    told(Spec::new("nmf-div", 2).param("alpha-w", 0.1), "alpha-w");
    told(Spec::new("huber-nmf", 2).missing(Missing::Nan), "missing");
    told(Spec::emmf(2).outliers(Outliers::SetAside), "set-aside");
    told(Spec::emmf(2).normalize(vec![Normalize::Unit]), "elsewhere");
    told(Spec::emmf(2).init(Init::Nndsvd), "nndsvd");
    told(Spec::emmf(2).restarts(2).consensus(true), "consensus");
    let graph = Graph::from_edges(60, [(0, 1, 1.0)]).unwrap();
    for given in [
        Given { sample_weights: Some(&ones), ..Given::default() },
        Given { graph: Some(&graph), ..Given::default() },
    ] {
        let fit = in_shards(&samples, &ones, 2, |side| Spec::emmf(2).fit_side(side, given));
        assert!(fit.unwrap_err().to_string().contains("left out"));
    }
}

/// Shards each by itself, one of which is lost again and again: made anew and told the history, it is where it was.
#[test]
fn a_lost_shard_is_where_it_was() {
    let (x, _) = problem(331, 9, 3, 7);
    let by_samples = [("emmf", LabelRule::Largest), ("capped-nmf", LabelRule::Kmeans)];
    let by_entries = [("cim-nmf", LabelRule::Largest), ("nmf-div", LabelRule::Kmeans)];
    for (solver, methods) in [(Solver::Mu, by_samples), (Solver::Hals, by_samples), (Solver::Mu, by_entries)]
    {
        for (name, rule) in methods {
            let spec = Spec::new(name, 3).solver(solver).max_iter(4).tol(1e-12).stop_by(StopBy::Coefficients);
            let spec = spec.init(Init::KmeansParallel).restarts(2).label_rule(rule).outliers(Outliers::Keep);
            let one = alone(&spec, &x, &WHOLE);
            for lost_every in [1, 4] {
                let again = alone(&spec, &x, &Apart { lost_every, ..WHOLE });
                assert_same(&one, &again, &format!("{name}, lost every {lost_every}"));
            }
        }
    }
}

/// However few entries they have, which a shard cannot know of the others.
#[test]
fn sparse_samples_elsewhere_fit_as_in_one_memory() {
    let x = Mat::from_fn(4200, 400, |i, j| if j == i * 7919 % 400 { 1.0 + (i % 5) as f64 } else { 0.0 });
    for init in [Init::Kmeans, Init::KmeansParallel] {
        let spec = Spec::emmf(3).init(init).init_restarts(1).max_iter(3).tol(0.0).outliers(Outliers::Keep);
        let one = spec.fit(Sparse::of(&x).narrow()).unwrap();
        assert_same(&one, &alone(&spec, &x, &Apart { sparse: true, ..WHOLE }), &format!("{init:?}"));
    }
}

/// Shards that bring their samples to unit length give the fit of one memory that does so.
#[test]
fn shards_of_unit_length_fit_as_one() {
    let (x, _) = problem(331, 9, 3, 10);
    for (name, init) in
        [("emmf", Init::KmeansParallel), ("huber-nmf", Init::KmeansParallel), ("nmf", Init::Random)]
    {
        let spec = Spec::new(name, 3).init(init).outliers(Outliers::Keep).max_iter(6).tol(0.0);
        let one = spec.clone().normalize([Normalize::Unit]).fit(&x).unwrap();
        assert_same(&one, &alone(&spec, &x, &Apart { unit: true, ..WHOLE }), name);
    }
}

/// An order with its number.
type Numbered = (u64, Order<f64>);

/// Samples in three shards of bytes.
pub(crate) struct Apart {
    pub(crate) sparse: bool,
    /// Whether they are brought to unit length there.
    pub(crate) unit: bool,
    /// A shard is lost after so many orders.
    pub(crate) lost_every: usize,
}

pub(crate) const WHOLE: Apart = Apart { sparse: false, unit: false, lost_every: usize::MAX };

/// A fit of such samples.
pub(crate) fn alone(spec: &Spec, x: &Mat<f64>, &Apart { sparse, unit, lost_every }: &Apart) -> Fit<f64> {
    let rows_per_leaf = leaf_rows(x.shape(), sparse);
    let places: Vec<Place> = Place::cut(x.rows(), rows_per_leaf, 3);
    let fetched: Vec<usize> = (0..x.rows()).collect();
    let (history, orders) = (Mutex::new(History::default()), AtomicU64::new(0));
    let parts: Vec<Mat<f64>> =
        places.iter().map(|p| Mat::from_fn(p.count, x.cols(), |i, j| x[(p.first + i, j)])).collect();
    let compressed: Vec<Sparse<f64>> = parts.iter().map(Sparse::of).collect();
    // Each shard has all orders of its life; one that was lost has the history instead.
    let lives: Vec<Mutex<Vec<Numbered>>> = places.iter().map(|_| Mutex::default()).collect();
    let carrier = |number: u64, order: Order<f64>| {
        let at = orders.fetch_add(1, std::sync::atomic::Ordering::Relaxed) as usize;
        let answers = (0..places.len()).map(|shard| {
            let mut life = lives[shard].lock().unwrap();
            if at % lost_every == lost_every - 1 && at / lost_every % places.len() == shard {
                *life = history.lock().unwrap().orders().to_vec();
            }
            life.push((number, order.clone()));
            let (place, weights) = (places[shard], vec![1.0; places[shard].count]);
            let held = Held { place, rows_per_leaf, unit, weights: &weights };
            let samples = if sparse { compressed[shard].wide().into() } else { Samples::from(&parts[shard]) };
            serve(samples, &held, Threads::Number(1), |server| {
                let mut last = Ok(Answer::Done);
                for (number, order) in &*life {
                    last = server.obey(*number, share(order.clone(), &place)?);
                }
                last
            })
        });
        let answers = joined(answers.collect::<emmf::Result<Vec<_>>>()?);
        history.lock().unwrap().record(number, &order);
        gathered(answers)
    };
    spec.fit_side(&Remote::new(x.shape(), &carrier, &AtomicU64::new(1)).fetching(&fetched), Given::default())
        .unwrap()
}
