//! A time limit ends everything that may take long, and an early end keeps what there is.

use crate::oracle;

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use emmf::registry::METHODS;
use emmf::{Choice, Error, Fit, Init, Mat, Result, RowSource, Running, Samples, Solver, Spec, Step, Stop};
use oracle::problems::{rng, uniform};

/// Over before it began: every method makes one iteration and nothing besides.
const AT_ONCE: f64 = 1e-9;

#[test]
fn promise_09_the_last_coding_keeps_to_the_time_limit() {
    let x = uniform(30, 6, &mut rng(2));
    for method in METHODS {
        let spec = Spec::new(method.name, 3).init(Init::Random).as_published();
        let limited = spec.clone().time_limit(AT_ONCE).fit(&x).unwrap();
        let plain = spec.max_iter(1).polish(false).fit(&x).unwrap();
        assert_eq!(limited.stop, Stop::TimeLimit, "{}", method.name);
        assert_eq!(limited.v, plain.v, "{}", method.name);
        assert_eq!(limited.objective, plain.objective, "{}", method.name);
    }
}

/// Without the limit these would take longer than anyone has.
#[test]
fn promise_09_starts_and_sweeps_without_end_keep_to_the_time_limit() {
    let x = uniform(30, 6, &mut rng(2));
    let spec = Spec::emmf(3).time_limit(0.05);
    for init in [Init::Kmeans, Init::KmeansParallel, Init::Trimmed] {
        let fit = spec.clone().init(init).init_restarts(usize::MAX).fit(&x).unwrap();
        assert_eq!(fit.stop, Stop::TimeLimit);
    }
    let fit = spec.solver(Solver::Hals).sweeps(usize::MAX).fit(&x).unwrap();
    assert_eq!(fit.stop, Stop::TimeLimit);
}

/// Whoever cancels does not wait for the coding.
#[test]
fn promise_09_a_cancelled_fit_is_not_coded_anew() {
    let x = uniform(30, 6, &mut rng(2));
    for method in METHODS {
        let spec = Spec::new(method.name, 3).init(Init::Random);
        let mut observer = |_: &Step| ControlFlow::Break(());
        let cancelled = spec.on(&x).observe(&mut observer).fit().unwrap();
        let plain = spec.max_iter(1).polish(false).fit(&x).unwrap();
        assert_eq!(cancelled.stop, Stop::Cancelled, "{}", method.name);
        assert_eq!(cancelled.v, plain.v, "{}", method.name);
    }
}

/// Samples that count how many of them are read.
struct Counted {
    x: Mat<f64>,
    read: AtomicUsize,
}

impl RowSource<f64> for Counted {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [f64]) -> Result<()> {
        self.read.fetch_add(rows.len(), Ordering::Relaxed);
        let d = self.x.cols();
        out.copy_from_slice(&self.x.as_slice()[rows.start * d..rows.end * d]);
        Ok(())
    }
}

impl Counted {
    /// A fit, and how often it read the samples.
    fn fit(&self, spec: &Spec) -> (Result<Fit<f64>>, f64) {
        self.read.store(0, Ordering::Relaxed);
        let fit = spec.fit(Samples::Stream(self));
        (fit, self.read.load(Ordering::Relaxed) as f64 / self.x.rows() as f64)
    }
}

const STARTS: [Init; 7] = [
    Init::Kmeans,
    Init::KmeansParallel,
    Init::Trimmed,
    Init::Random,
    Init::Nndsvd,
    Init::Nndsvdar,
    Init::Graph,
];

/// When time was up before it began, a fit hardly reads its samples more often than one iteration from a random start does,
/// whatever else the parameters ask for: screening, a graph, clusters along it, k-means. Without a graph that its objective
/// needs, there is an error.
#[test]
fn promise_09_next_to_nothing_is_done_when_time_is_up() {
    // More than one block of a search for neighbours, more than are decomposed at once, and more than next to nothing.
    let x = Counted { x: uniform(1000, 40, &mut rng(3)), read: AtomicUsize::new(0) };
    for method in METHODS {
        let plain = Spec::new(method.name, 3).init(Init::Random).as_published().max_iter(1).polish(false);
        let (fit, walks) = x.fit(&plain);
        // Not every method takes samples that are not in memory.
        if fit.is_err() {
            continue;
        }
        let spec = Spec::new(method.name, 3).time_limit(AT_ONCE);
        let starts = STARTS.iter().map(|&init| spec.clone().as_published().init(init));
        for spec in starts.chain([spec.clone()]) {
            let (fit, limited) = x.fit(&spec);
            assert!(limited <= walks + 8.0, "{limited} walks, not {walks}: {spec:?}");
            match fit {
                Ok(fit) => assert_eq!((fit.stop, fit.trace.len()), (Stop::TimeLimit, 1), "{spec:?}"),
                Err(error) => assert_eq!(error, Error::OutOfTime, "{spec:?}"),
            }
        }
    }
}

/// When time was up before it began, a number comes from the least that can be looked at, and widths of layers need a graph.
#[test]
fn promise_09_choosing_keeps_to_the_time_limit() {
    let x = Counted { x: uniform(1000, 40, &mut rng(4)), read: AtomicUsize::new(0) };
    let spec = Spec::emmf(1).time_limit(AT_ONCE);
    let running = Running::default();
    let go_on = |_, _| ControlFlow::Continue(());
    let counted = |chosen: Result<Choice>| {
        let walks = x.read.swap(0, Ordering::Relaxed) as f64 / x.x.rows() as f64;
        assert!(walks <= 3.0, "{walks} walks");
        chosen.unwrap()
    };
    let choice = counted(spec.choose_k(Samples::Stream(&x), 3..=20, go_on, &running));
    assert_eq!((choice.k, choice.ks.as_slice(), choice.splits, choice.by_graph), (3, &[3][..], 1, None));
    let choice = counted(spec.choose_rank(Samples::Stream(&x), 3..=20, go_on, &running));
    assert_eq!((choice.k, choice.ks.as_slice()), (3, &[3][..]));
    let widths = Spec::deep(&[6, 3]).time_limit(AT_ONCE).choose_layers(Samples::Stream(&x), &running);
    assert_eq!(widths, Err(Error::OutOfTime));
    assert!(x.read.load(Ordering::Relaxed) <= 3 * x.x.rows());
}

/// Where there is time, the limit changes nothing.
#[test]
fn promise_09_a_choice_within_the_time_limit_is_the_same() {
    let x = uniform(200, 6, &mut rng(5));
    let (spec, running) = (Spec::emmf(1), Running::default());
    let go_on = |_, _| ControlFlow::Continue(());
    let chosen = |spec: &Spec| {
        let k = spec.choose_k(&x, 2..=9, go_on, &running).unwrap();
        let rank = spec.choose_rank(&x, 2..=4, go_on, &running).unwrap();
        (k, rank, spec.choose_layers(&x, &running).unwrap())
    };
    assert_eq!(chosen(&spec), chosen(&spec.clone().time_limit(1e9)));
}
