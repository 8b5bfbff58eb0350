//! What must not change a result, or change it in a known way: the number of threads, the order of the
//! samples, counting a sample twice, the unit of measurement, the seed.

use crate::oracle;

use emmf::registry::{self, Entry, GraphUse, Storage};
use emmf::{Factors, Fit, Graph, Init, Mat, Pool, Real, Running, Samples, Spec, Threads};
use oracle::escapes::Escapes;
use oracle::problems::{KINDS, Kind, Sparse, cast, distance, methods, problem, rng, specs, uniform};
use oracle::{determined, fit_from, weighted_fit_from};

/// Shares of the comparisons of a law that may be excused: a little above what was measured.
const OF_PERMUTED: f64 = 0.002;
const OF_REPEATED: f64 = 0.002;

/// Everything but times and the number of threads is the same to the last bit.
fn same_bits<T: Real>(a: &Fit<T>, b: &Fit<T>) -> bool {
    let bits = |numbers: &[f64]| -> Vec<u64> { numbers.iter().map(|x| x.to_bits()).collect() };
    a.model.centroids() == b.model.centroids()
        && a.v == b.v
        && a.labels == b.labels
        && bits(&a.residuals) == bits(&b.residuals)
        && bits(&a.weights) == bits(&b.weights)
        && bits(&a.scores) == bits(&b.scores)
        && bits(&a.trace) == bits(&b.trace)
        && bits(&[a.objective, a.initial]) == bits(&[b.objective, b.initial])
        && (a.stop, a.restart) == (b.stop, b.restart)
}

/// 320×90: several blocks of samples and of features; a third of the entries is zero.
fn large<T: Real>() -> Mat<T> {
    let mut rng = rng(5);
    let base = uniform(320, 90, &mut rng);
    let zeros = uniform(320, 90, &mut rng);
    Mat::from_fn(320, 90, |i, j| {
        let hill = if i % 7 == j % 7 { 3.0 } else { 0.0 };
        T::from_f64(if zeros[(i, j)] < 0.3 { 0.0 } else { base[(i, j)] + hill })
    })
}

fn entry(spec: &Spec) -> &'static Entry {
    registry::find(&spec.method).unwrap()
}

fn any_number_of_threads<T: Real>(init: Init) {
    let x: Mat<T> = large();
    let sparse = Sparse::of(&x);
    let pool = Pool::new(Some(3)).unwrap();
    for samples in [Samples::from(&x), sparse.narrow().into()] {
        let sparse = matches!(samples, Samples::Csr(_));
        let takes = |spec: &Spec| !sparse || entry(spec).storage.contains(&Storage::Sparse);
        // The methods take turns with the numbers of threads.
        let mut turns = [Threads::Number(2), Threads::Lent(&pool), Threads::Number(7)].into_iter().cycle();
        for spec in methods(7).into_iter().filter(|spec| spec.params.is_empty()).filter(takes) {
            let spec = spec.init(init).init_restarts(2).max_iter(4).seed(3).restarts(2);
            let one = spec.on(samples).threads(1).fit().unwrap();
            let threads = turns.next().unwrap();
            let many = spec.on(samples).threads(threads).fit().unwrap();
            assert!(same_bits(&one, &many), "{} {init:?}, {threads:?}", spec.method);
        }
    }
}

#[test]
fn same_bits_for_any_threads_f64() {
    any_number_of_threads::<f64>(Init::Kmeans);
}

#[test]
fn same_bits_for_any_threads_f32() {
    any_number_of_threads::<f32>(Init::Kmeans);
}

#[test]
fn same_bits_for_any_threads_and_every_start() {
    let x: Mat<f32> = large();
    for init in [Init::Trimmed, Init::Random, Init::Nndsvd] {
        let spec = Spec::emmf(7).init(init).init_restarts(2).max_iter(3);
        let one = spec.on(&x).threads(1).fit().unwrap();
        assert!(same_bits(&one, &spec.on(&x).threads(3).fit().unwrap()), "{init:?}");
        assert!(same_bits(&one, &spec.fit(&x).unwrap()), "{init:?}, all cores");
    }
}

#[test]
fn same_seed_same_bits_other_seeds_differ() {
    let x: Mat<f64> = large();
    for init in [Init::Kmeans, Init::Trimmed, Init::Random] {
        let fit = |seed: u64| Spec::emmf(4).init(init).seed(seed).max_iter(2).fit(&x).unwrap();
        assert!(same_bits(&fit(1), &fit(1)), "{init:?}");
        assert_ne!(fit(1).initial, fit(2).initial, "{init:?}");
    }
}

fn on_graph(spec: &Spec, x: &Mat<f64>, start: &Factors<f64>, graph: &Graph) -> Fit<f64> {
    spec.on(x).start(start).graph(graph).fit().unwrap()
}

/// The graph when sample `order[i]` has become sample i.
fn permuted(graph: &Graph, order: &[usize]) -> Graph {
    let now = |j: u32| order.iter().position(|&old| old == j as usize).unwrap();
    let edges = order.iter().enumerate().flat_map(|(i, &old)| {
        let (neighbours, weights) = graph.row(old);
        neighbours.iter().zip(weights).map(move |(&j, &weight)| (i, now(j), weight)).collect::<Vec<_>>()
    });
    Graph::from_edges(order.len(), edges).unwrap()
}

/// From the same start, sample by sample, the order of the samples only changes the order of V.
#[test]
fn permuting_samples_permutes_v() {
    let escapes = Escapes::default();
    for (at, kind) in KINDS.into_iter().enumerate() {
        let p = problem(kind, at as u64);
        let n = p.x.rows();
        let order: Vec<usize> = (0..n).map(|i| (i * (n - 1) + 2) % n).collect();
        let rows = |a: &Mat<f64>| Mat::from_fn(n, a.cols(), |i, j| a[(order[i], j)]);
        let (x, start) = (rows(&p.x), Factors { u: p.start.u.clone(), v: rows(&p.start.v) });
        for spec in specs(p.k) {
            // Of equally near neighbours the first are taken, and of equal eigenvalues any vectors.
            let has_ties = matches!(kind, Kind::IdenticalSamples | Kind::ZeroSamples | Kind::ExactRank);
            let graph = entry(&spec).facts.graph;
            let given = graph == GraphUse::Needed;
            if (graph == GraphUse::Learned && has_ties) || spec.method == "lsnmf" {
                continue;
            }
            let spec = spec.max_iter(6).polish(false);
            let (a, b) = if given {
                // A given graph moves with the samples.
                let graph = spec.graph_of(&p.x, &Running::default()).unwrap();
                let moved = permuted(&graph, &order);
                (on_graph(&spec, &p.x, &p.start, &graph), on_graph(&spec, &x, &start, &moved))
            } else {
                (fit_from(&spec, &p.x, &p.start).unwrap(), fit_from(&spec, &x, &start).unwrap())
            };
            let by = distance(a.model.centroids(), b.model.centroids()).max(distance(&rows(&a.v), &b.v));
            assert!(escapes.holds(by < 1e-9, || !determined(&a, &p.x)), "{kind:?} {spec:?}: {by}");
        }
    }
    escapes.at_most("permuted samples", OF_PERMUTED);
}

/// Sample weights count in the loss, not in a graph.
fn without_graph(spec: &Spec) -> bool {
    !entry(spec).facts.graph.is_certain()
}

/// A sample with weight 3 counts like three samples.
#[test]
fn whole_weights_equal_repeated_samples() {
    let escapes = Escapes::default();
    for seed in 0..6 {
        let p = problem(Kind::Plain, seed);
        let counts: Vec<f64> = (0..p.x.rows()).map(|i| [1.0, 3.0, 2.0][i % 3]).collect();
        let source: Vec<usize> =
            counts.iter().enumerate().flat_map(|(i, &count)| vec![i; count as usize]).collect();
        let rows = |a: &Mat<f64>| Mat::from_fn(source.len(), a.cols(), |i, j| a[(source[i], j)]);
        let start = Factors { u: p.start.u.clone(), v: rows(&p.start.v) };
        for spec in specs(p.k).into_iter().filter(without_graph) {
            let spec = spec.max_iter(6).polish(false);
            let once = weighted_fit_from(&spec, &p.x, &p.start, Some(&counts)).unwrap();
            let often = fit_from(&spec, &rows(&p.x), &start).unwrap();
            let by = distance(once.model.centroids(), often.model.centroids());
            let by = by.max(distance(&rows(&once.v), &often.v));
            assert!(escapes.holds(by < 1e-9, || !determined(&once, &p.x)), "{spec:?}: {by}");
            let by = (once.objective - often.objective).abs();
            assert!(by <= 1e-9 * often.objective.abs(), "{spec:?}: {by}");
        }
    }
    escapes.at_most("repeated samples", OF_REPEATED);
}

/// A sample with weight 0 is coded, and nothing else.
#[test]
fn samples_without_weight_have_no_influence() {
    for seed in 0..6 {
        let p = problem(Kind::Plain, seed);
        let n = p.x.rows();
        let weights: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i != 2))).collect();
        let kept: Vec<usize> = (0..n).filter(|&i| i != 2).collect();
        let without = |a: &Mat<f64>| Mat::from_fn(n - 1, a.cols(), |i, j| a[(kept[i], j)]);
        let start = Factors { u: p.start.u.clone(), v: without(&p.start.v) };
        let mut x = p.x.clone();
        x.row_mut(2).fill(1e3);
        for spec in specs(p.k).into_iter().filter(without_graph) {
            let spec = spec.max_iter(6);
            let with = weighted_fit_from(&spec, &x, &p.start, Some(&weights)).unwrap();
            let fit = fit_from(&spec, &without(&p.x), &start).unwrap();
            let by = distance(with.model.centroids(), fit.model.centroids());
            assert!(by < 1e-9, "{spec:?}: {by}");
            assert!((with.objective - fit.objective).abs() <= 1e-9 * fit.objective.abs(), "{spec:?}");
        }
        // Neither does it take a centroid of the start.
        let fit = Spec::new("nmf", 2).max_iter(3).on(&x).weights(&weights).fit().unwrap();
        assert!(fit.model.centroids().as_slice().iter().all(|&u| u < 50.0));
    }
}

/// X in units that are 2^e times as small: the same U or V up to a power of 2, to the last bit. Powers that are no whole
/// numbers have other last digits in other units.
fn scaling<T: Real>(exponents: [i32; 3]) {
    for (at, kind) in KINDS.into_iter().enumerate() {
        let p = problem(kind, 40 + at as u64);
        let (x, start): (Mat<T>, Factors<T>) = (p.x.cast(), cast(&p.start));
        for e in exponents {
            let by = T::from_f64(2_f64.powi(e));
            let times = |a: &Mat<T>| Mat::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] * by);
            let scaled = Factors { u: times(&start.u), v: start.v.clone() };
            let homogeneous = |spec: &Spec| {
                let entry = emmf::registry::find(&spec.method).unwrap();
                entry.facts.homogeneous && spec.params.is_empty()
            };
            for spec in specs(p.k).into_iter().filter(homogeneous) {
                let spec = spec.max_iter(6);
                let a = fit_from(&spec, &x, &start).unwrap();
                let b = fit_from(&spec, &times(&x), &scaled).unwrap();
                let u = times(a.model.centroids());
                if spec.method == "beta-nmf" {
                    // At its end V is coded until the objective stands still, which tells half the digits of V.
                    let within = if T::NAME == "f32" { 1e-5 } else { 1e-6 };
                    let apart = distance(&a.v, &b.v).max(distance(&u, b.model.centroids()));
                    assert!(apart < within, "{kind:?} 2^{e} {spec:?}: {apart}");
                    continue;
                }
                assert_eq!(a.v, b.v, "{kind:?} 2^{e} {spec:?}");
                assert_eq!(&u, b.model.centroids(), "{kind:?} 2^{e} {spec:?}");
            }
        }
    }
}

#[test]
fn the_unit_of_measurement_does_not_matter_f64() {
    scaling::<f64>([-100, 3, 100]);
}

#[test]
fn the_unit_of_measurement_does_not_matter_f32() {
    scaling::<f32>([-20, 3, 20]);
}
