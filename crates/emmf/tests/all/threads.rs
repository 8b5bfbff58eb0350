//! Threads come from whoever runs the work, and are never more than make sense.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use emmf::graph::Graph;
use emmf::model::ResidualScale;
use emmf::preprocess::{Fitted, Normalize};
use emmf::{
    Error, Init, Mat, Missing, Model, Pool, Result, RowSource, Running, Samples, Solver, Spec, synth,
};

/// Samples that see on how many threads they are read.
struct Watched {
    x: Mat<f64>,
    most: AtomicUsize,
}

impl RowSource<f64> for Watched {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [f64]) -> Result<()> {
        self.most.fetch_max(rayon::current_num_threads(), Ordering::Relaxed);
        let d = self.x.cols();
        out.copy_from_slice(&self.x.as_slice()[rows.start * d..rows.end * d]);
        Ok(())
    }
}

/// The threads on which `work` reads its samples.
fn threads_of(work: impl FnOnce(Samples<'_, f64>)) -> usize {
    threads_for(300, work)
}

/// The same with so many samples.
fn threads_for(samples: usize, work: impl FnOnce(Samples<'_, f64>)) -> usize {
    let source = Watched { x: synth::uniform(samples, 4, 1), most: AtomicUsize::new(0) };
    work(Samples::Stream(&source));
    source.most.into_inner()
}

fn model(spec: Spec) -> Model<f64> {
    let scale = ResidualScale { center: 1.0, spread: 1.0 };
    Model::from_parts(spec, synth::uniform(4, 2, 2), vec![Fitted::Unit], scale).unwrap()
}

fn spec() -> Spec {
    Spec::emmf(2).max_iter(2).normalize([Normalize::Unit])
}

fn most() -> usize {
    4 * thread::available_parallelism().unwrap().get().max(4)
}

#[test]
fn promise_12_no_number_starts_more_threads_than_make_sense() {
    for absurd in [5_000, 1 << 32, usize::MAX] {
        let fit = threads_of(|x| drop(spec().on(x).threads(absurd).fit().unwrap()));
        let start = threads_of(|x| drop(spec().start_of(x, &Running::on(absurd)).unwrap()));
        let coding = threads_of(|x| drop(model(spec()).transform_with(x, &Running::on(absurd)).unwrap()));
        let pool = Pool::new(Some(absurd)).unwrap();
        let lent = threads_of(|x| drop(spec().on(x).threads(&pool).fit().unwrap()));
        assert_eq!([fit, start, coding, lent], [most(); 4], "{absurd}");
    }
}

#[test]
fn promise_12_the_number_of_the_call_counts() {
    let model = model(spec());
    for threads in [1, 2, 5] {
        assert_eq!(threads_of(|x| drop(model.transform_with(x, &Running::on(threads)).unwrap())), threads);
    }
    let all = thread::available_parallelism().unwrap().get();
    assert_eq!(threads_of(|x| drop(model.transform(x).unwrap())), all);
    let x = synth::uniform(300, 4, 1);
    let coded = |threads| model.transform_with(&x, &Running::on(threads)).unwrap();
    assert_eq!(coded(Some(1)), coded(None));
    // Also where no thread would be started.
    for x in [&x, &synth::uniform(1, 4, 1)] {
        let none = model.transform_with(x, &Running::on(0)).unwrap_err();
        assert!(matches!(none, Error::Param { name: "threads", .. }), "{none}");
    }
    assert!(matches!(Pool::new(Some(0)), Err(Error::Param { name: "threads", .. })));
}

/// Threads that have nothing to do are not started, unless they are asked for.
#[test]
fn promise_12_a_small_fit_starts_one_thread() {
    let fit = |x: Samples<'_, f64>| drop(spec().fit(x).unwrap());
    let all = thread::available_parallelism().unwrap().get();
    assert_eq!([threads_for(30, fit), threads_for(1000, fit)], [1, all]);
    assert_eq!(threads_for(30, |x| drop(spec().on(x).threads(3).fit().unwrap())), 3);
    assert_eq!(threads_for(30, |x| drop(spec().start_of(x, &Running::default()).unwrap())), 1);
}

#[test]
fn promise_12_a_fit_leaves_no_threads_in_its_model() {
    let fit = spec().on(&synth::uniform::<f64>(30, 4, 1)).threads(3).fit().unwrap();
    assert_eq!(
        *fit.model.spec(),
        Spec {
            label_rule: fit.model.spec().label_rule,
            init: Some(Init::Kmeans),
            solver: Some(Solver::Mu),
            tol: Some(0.0),
            ..spec()
        }
    );
    assert!(!serde_json::to_string(fit.model.spec()).unwrap().contains("threads"));
}

/// A lent pool is the one that works, and gives what any other gives.
#[test]
fn a_pool_is_lent() {
    let pool = Pool::new(Some(3)).unwrap();
    let (x, model, running) = (synth::uniform(300, 4, 1), model(spec()), Running::on(&pool));
    assert_eq!(threads_of(|x| drop(model.transform_with(x, &running).unwrap())), 3);
    assert_eq!(threads_of(|x| drop(spec().on(x).threads(&pool).fit().unwrap())), 3);
    assert_eq!(threads_of(|x| drop(spec().start_of(x, &running).unwrap())), 3);
    assert_eq!(threads_of(|x| drop(spec().graph_of(x, &running).unwrap())), 3);
    assert_eq!(model.transform_with(&x, &running).unwrap(), model.transform(&x).unwrap());
    let go_on = |_, _| ControlFlow::Continue(());
    let choice = spec().choose_k(&x, 2..=3, go_on, &running).unwrap();
    assert_eq!(choice, spec().choose_k(&x, 2..=3, go_on, &Running::default()).unwrap());
}

/// Fits that share a pool at the same time, also one inside of another, end and are what they are alone.
#[test]
fn a_pool_is_shared() {
    let (x, pool) = (synth::uniform::<f64>(300, 40, 1), Pool::new(Some(2)).unwrap());
    let spec = Spec::emmf(5).max_iter(30).restarts(3);
    let alone = spec.fit(&x).unwrap();
    thread::scope(|scope| {
        let fits = [(); 4].map(|()| scope.spawn(|| spec.on(&x).threads(&pool).fit().unwrap()));
        fits.into_iter().for_each(|fit| assert_eq!(fit.join().unwrap().v, alone.v));
    });
    let mut inner = |_: &emmf::Step| {
        let fit = spec.clone().max_iter(2).on(&x).threads(&pool).fit();
        if fit.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    assert_eq!(spec.on(&x).threads(&pool).observe(&mut inner).fit().unwrap().v, alone.v);
}

/// Samples that are read by the thread that asked for them, or by others.
struct Here {
    x: Mat<f64>,
    asked: thread::ThreadId,
    elsewhere: AtomicUsize,
}

impl RowSource<f64> for Here {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [f64]) -> Result<()> {
        self.elsewhere.fetch_add(usize::from(thread::current().id() != self.asked), Ordering::Relaxed);
        let d = self.x.cols();
        out.copy_from_slice(&self.x.as_slice()[rows.start * d..rows.end * d]);
        Ok(())
    }
}

#[test]
fn promise_12_a_few_samples_are_coded_on_the_calling_thread() {
    let (model, pool) = (model(spec()), Pool::new(Some(2)).unwrap());
    for (samples, alone) in [(1, true), (96, true), (97, false)] {
        for running in [Running::default(), Running::on(3), Running::on(&pool)] {
            let x = synth::uniform(samples, 4, 1);
            let here = Here { x, asked: thread::current().id(), elsewhere: AtomicUsize::new(0) };
            let coded = model.transform_with(Samples::Stream(&here), &running).unwrap();
            assert_eq!(here.elsewhere.into_inner() == 0, alone, "{samples} samples, {running:?}");
            assert_eq!(coded, model.transform(&here.x).unwrap());
        }
    }
}

/// Whatever runs on the global pool would fight with others over it, and outlive the call.
#[test]
fn promise_12_nothing_opens_the_global_pool() {
    let (x, model) = (synth::uniform(300, 4, 1), model(spec()));
    let coded = model.transform(&x).unwrap();
    model.prepare(&x).unwrap();
    model.reconstruct(&coded.v).unwrap();
    spec().fit(&x).unwrap();
    let all = &Running::default();
    spec().start_of(&x, all).unwrap();
    let graph: Graph = spec().graph_of(&x, all).unwrap();
    assert_eq!(graph.nodes(), 300);
    spec().choose_k(&x, 2..=3, |_, _| ControlFlow::Continue(()), all).unwrap();
    // Every way to code few samples.
    for method in ["nmf", "l1-nmf", "l12-nmf", "pnmf", "gsnmf"] {
        let model = Spec::new(method, 2).max_iter(2).fit(&x).unwrap().model;
        for few in [1, 40] {
            let few: Mat<f64> = synth::uniform(few, 4, 2);
            model.transform(&few).unwrap();
            model.prepare(&few).unwrap();
            model.clone().with_missing(Missing::Nan).transform(&few).unwrap();
        }
    }
    // Only the first one to ask for it can say how large it is.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
}
