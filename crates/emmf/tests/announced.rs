//! What [`Spec::memory`] announces is enough, and not much more than what is taken.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod counting;
mod oracle;

use std::ops::Range;
use std::sync::LazyLock;

use counting::{peak, turn};
use emmf::registry::{Entry, METHODS};
use emmf::{GraphSpec, Init, Mat, Outliers, Pool, Real, RowSource, Samples, Solver, Spec, synth};
use oracle::problems::{rng, uniform};

/// What is announced for the program itself, which is not counted here.
const PROGRAM: usize = 25 << 20;
/// What may be announced beyond a third more than is taken: buffers whose size depends on the number of threads.
const SMALL: usize = 1 << 20;

/// Samples that are read when they are needed.
struct Rows<'a, T>(&'a Mat<T>);

impl<T: Real> RowSource<T> for Rows<'_, T> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [T]) -> emmf::Result<()> {
        let d = self.0.cols();
        out.copy_from_slice(&self.0.as_slice()[rows.start * d..rows.end * d]);
        Ok(())
    }
}

fn solvers(method: &Entry) -> Vec<Solver> {
    if method.solvers.is_empty() { vec![Solver::Mu] } else { method.solvers.to_vec() }
}

const OTHERS: &[Init] = &[Init::Random, Init::KmeansParallel, Init::Trimmed, Init::Nndsvd];

/// Every method with k-means and with one of the other starts, which take turns: a peak is that of the start or that of the
/// iterations, so not all pairs are needed.
fn taking_turns(
    methods: impl Iterator<Item = &'static Entry>,
    k: usize,
    others: &'static [Init],
) -> impl Iterator<Item = Spec> {
    methods.enumerate().flat_map(move |(at, method)| {
        let other = at % others.len();
        specs(method, k, &[Init::Kmeans]).chain(specs(method, k, &others[other..=other]))
    })
}

/// These starts with every solver.
fn specs(method: &'static Entry, k: usize, inits: &'static [Init]) -> impl Iterator<Item = Spec> {
    inits.iter().flat_map(move |&init| {
        let spec = Spec::new(method.name, k).init(init).max_iter(2).as_published();
        solvers(method).into_iter().map(move |solver| spec.clone().solver(solver))
    })
}

/// A thread for all fits: those of a fit's own would give back what they hold whenever they come to it.
static THREAD: LazyLock<Pool> = LazyLock::new(|| Pool::new(Some(1)).unwrap());

/// What is wrong with the announcement of this fit, where anything is.
fn wrong<T: Real>(spec: &Spec, x: &Mat<T>, streamed: bool) -> Option<String> {
    let rows = Rows(x);
    let samples = if streamed { Samples::Stream(&rows) } else { x.into() };
    let thread = &*THREAD;
    let (fit, taken) = peak(|| spec.on(samples).threads(thread).fit());
    let needs_memory = matches!(fit, Err(emmf::Error::WouldLoad { .. } | emmf::Error::Storage { .. }));
    if needs_memory && streamed {
        return None;
    }
    fit.unwrap();
    let announced = spec.memory::<T>(x.shape(), streamed, Some(1)) - PROGRAM;
    let right = taken <= announced && announced <= taken + taken / 3 + SMALL;
    let ((n, d), Spec { method, init, solver, k, .. }) = (x.shape(), spec);
    let what = format!("{method} {init:?} {solver:?} {n}x{d} k {k} {} {streamed}", T::NAME);
    (!right).then(|| format!("{what}: {taken} taken, {announced} announced"))
}

fn check<T: Real>(specs: impl Iterator<Item = Spec>, x: &Mat<T>, streamed: bool) {
    let wrong: Vec<String> = specs.filter_map(|spec| wrong(&spec, x, streamed)).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// All methods but those that compare all samples with each other, which take long where there are many.
fn quick() -> impl Iterator<Item = &'static Entry> {
    METHODS.iter().filter(|method| !method.facts.graph.is_certain())
}

#[test]
fn promise_11_what_a_fit_takes_is_announced() {
    let _turn = turn();
    let x = uniform(5000, 10, &mut rng(1));
    check(taking_turns(quick(), 10, OTHERS), &x, false);
    check(quick().flat_map(|method| specs(method, 3, &[Init::Kmeans])), &x.cast::<f32>(), false);
}

#[test]
fn promise_11_with_more_features_than_samples() {
    let _turn = turn();
    let x = uniform(300, 800, &mut rng(2));
    check(METHODS.iter().flat_map(|method| specs(method, 10, &[Init::Kmeans])), &x, false);
}

#[test]
fn promise_11_in_blocks_of_samples() {
    let _turn = turn();
    let x = uniform(5000, 10, &mut rng(3));
    check(taking_turns(quick(), 10, &OTHERS[1..]), &x.cast::<f32>(), true);
    check(quick().flat_map(|method| specs(method, 3, &OTHERS[..1])), &x, true);
}

#[test]
fn promise_11_with_a_graph() {
    let _turn = turn();
    let x = uniform(3000, 20, &mut rng(4));
    let graphs = || METHODS.iter().filter(|method| method.facts.graph.is_certain());
    check(taking_turns(graphs(), 4, OTHERS), &x, false);
    check(graphs().flat_map(|method| specs(method, 15, &[Init::Kmeans])), &x.cast::<f32>(), false);
    let with = |neighbours| GraphSpec { neighbours, ..GraphSpec::default() };
    // With so many features that wide fits are as wide as they can be.
    let x = uniform(3000, 100, &mut rng(4));
    check([3, 20].into_iter().map(|near| Spec::new("nmf", 10).graph(with(near)).max_iter(2)), &x, false);
}

#[test]
fn promise_11_with_layers() {
    let _turn = turn();
    let x = uniform(5000, 30, &mut rng(6));
    let specs = |widths: &'static [usize]| {
        let both = [0.0, 1.0].into_iter();
        both.map(move |merge| Spec::deep(widths).param("merge", merge).max_iter(2).outliers(Outliers::Keep))
    };
    check(specs(&[20, 8]), &x, false);
    check(specs(&[40, 12, 4]), &x.cast::<f32>(), false);
    // As wide as few samples can be told apart by: products of nodes are most of what is taken.
    check(specs(&[200, 20]), &uniform(400, 30, &mut rng(7)), false);
}

#[test]
fn promise_11_a_consensus() {
    let _turn = turn();
    let specs = || {
        let named = ["emmf", "l1-nmf"].map(|method| Spec::new(method, 10)).into_iter();
        named.map(|spec| spec.init(Init::Random).restarts(6).consensus(true).max_iter(2).as_published())
    };
    check(specs(), &uniform(5000, 30, &mut rng(8)), false);
    check(specs(), &uniform(300, 800, &mut rng(9)).cast::<f32>(), false);
}

/// The graph that a method needs is announced whether it is named or not.
#[test]
fn promise_11_a_graph_that_goes_without_saying() {
    let _turn = turn();
    let (plain, named) = (Spec::new("g-emmf", 5), Spec::new("g-emmf", 5).graph(GraphSpec::default()));
    let [plain, named] = [plain, named].map(|spec| spec.memory::<f64>((9000, 40), false, None));
    assert_eq!(plain, named);
}

/// Where outliers are found and set aside, and where there are none, it is enough.
#[test]
fn promise_11_outliers_that_are_set_aside() {
    let _turn = turn();
    for outliers in [0, 900] {
        let rays = synth::Rays { samples: 9000, features: 30, outliers, ..Default::default() };
        let x = synth::rays_with_outliers::<f64>(&rays).unwrap().x;
        for method in ["emmf", "nmf", "l1-nmf"] {
            let mut spec = Spec::new(method, 6).max_iter(2);
            spec.outliers = Some(Outliers::SetAside);
            let thread = &*THREAD;
            let (fit, taken) = peak(|| spec.on(&x).threads(thread).fit().unwrap());
            assert_eq!(fit.set_aside.is_empty(), outliers == 0, "{method}");
            let announced = spec.memory::<f64>(x.shape(), false, Some(1)) - PROGRAM;
            assert!(taken <= announced, "{method}: {taken} taken, {announced} announced");
        }
    }
}

/// It is enough where values are counted as shares of the largest one of their sample, too.
#[test]
fn promise_11_shares_of_values() {
    let _turn = turn();
    let white = |i: usize, j: usize| (7 * i * i + 13 * j * (i % 12 + 1)) % 31 < 3 + 2 * (i % 12);
    let count = |i: usize| (0..400).filter(|&j| white(i, j)).count() as f64;
    let x = Mat::from_fn(3000, 400, |i, j| f64::from(u8::from(white(i, j))) / count(i).max(1.0).sqrt());
    let spec = Spec::emmf(4).max_iter(2);
    let (fit, taken) = peak(|| spec.on(&x).threads(&*THREAD).fit().unwrap());
    assert!(fit.model.judge().unwrap().rarity().unwrap().largest().is_some());
    let announced = spec.memory::<f64>(x.shape(), false, Some(1)) - PROGRAM;
    assert!(taken <= announced, "{taken} taken, {announced} announced");
}

/// The fit of 1,500,000×512 numbers that was refused with 600 MB. It took 401 MB, and a third more is 535: 23 MB of both
/// were the program.
#[test]
fn promise_11_large_fits_are_not_refused_without_need() {
    let _turn = turn();
    let bytes = Spec::new("emmf", 20).memory::<f32>((1_500_000, 512), true, None) - PROGRAM;
    assert!((378_000_000..512_000_000).contains(&bytes), "{bytes}");
}

/// A fit that no memory holds is an error, not an abort.
#[test]
fn promise_11_more_than_any_memory() {
    let _turn = turn();
    let x = Mat::<f64>::from_fn(3_000_000, 1, |i, _| (i % 7) as f64);
    let error = Spec::new("nmf", 2_900_000).fit(&x).unwrap_err();
    assert!(matches!(error, emmf::Error::Memory { bytes } if bytes > 1 << 45), "{error}");
    // No more centroids than samples, and numbers too large to count are the largest there is.
    let lsnmf = Spec::new("lsnmf", 2).param("centroids", 1e15);
    assert!(lsnmf.memory::<f64>((1 << 40, 1 << 20), false, None) > 1 << 60);
    assert!(lsnmf.memory::<f64>((10, 10), false, None) < 1 << 30);
}
