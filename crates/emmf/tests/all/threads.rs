//! Threads come from whoever runs the work, and are never more than make sense.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use emmf::graph::Graph;
use emmf::model::ResidualScale;
use emmf::preprocess::{Fitted, Normalize};
use emmf::{Error, Mat, Model, Result, RowSource, Samples, Spec, synth};

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
    let source = Watched { x: synth::uniform(50, 4, 1), most: AtomicUsize::new(0) };
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
    4 * std::thread::available_parallelism().unwrap().get().max(4)
}

#[test]
fn promise_12_no_number_starts_more_threads_than_make_sense() {
    for absurd in [5_000, 1 << 32, usize::MAX] {
        let fit = threads_of(|x| drop(spec().threads(absurd).fit(x).unwrap()));
        let start = threads_of(|x| drop(spec().threads(absurd).start_of(x).unwrap()));
        let coding = threads_of(|x| drop(model(spec()).transform_with(x, Some(absurd)).unwrap()));
        let by_spec = threads_of(|x| drop(model(spec().threads(absurd)).transform(x).unwrap()));
        assert_eq!([fit, start, coding, by_spec], [most(); 4], "{absurd}");
    }
}

#[test]
fn promise_12_the_number_of_the_call_counts() {
    let model = model(spec().threads(3));
    for threads in [1, 2, 5] {
        assert_eq!(threads_of(|x| drop(model.transform_with(x, Some(threads)).unwrap())), threads);
    }
    assert_eq!(threads_of(|x| drop(model.transform(x).unwrap())), 3);
    let x = synth::uniform(50, 4, 1);
    assert_eq!(model.transform_with(&x, Some(1)).unwrap(), model.transform_with(&x, None).unwrap());
    let none = model.transform_with(&x, Some(0)).unwrap_err();
    assert!(matches!(none, Error::Param { name: "threads", .. }), "{none}");
}

/// Whatever runs on the global pool would fight with others over it, and outlive the call.
#[test]
fn promise_12_nothing_opens_the_global_pool() {
    let (x, model) = (synth::uniform(300, 4, 1), model(spec()));
    let coded = model.transform(&x).unwrap();
    model.prepare(&x).unwrap();
    model.reconstruct(&coded.v).unwrap();
    spec().fit(&x).unwrap();
    spec().start_of(&x).unwrap();
    let graph: Graph = spec().graph_of(&x).unwrap();
    assert_eq!(graph.nodes(), 300);
    spec().choose_k(&x, 2..=3, |_, _| ControlFlow::Continue(())).unwrap();
    // Only the first one to ask for it can say how large it is.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
}
