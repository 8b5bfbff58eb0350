//! A token ends every long call soon: with an error where there is nothing to keep, else with what there is.

use crate::oracle;

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

use emmf::data::Dense;
use emmf::graph::{nearest, nearest_approximately};
use emmf::init::{Random, kmeans, trimmed_kmeans};
use emmf::outliers::screen;
use emmf::{
    Cancel, Error, Factors, Fit, Given, GraphSpec, Init, Mat, Missing, Result, RowSource, Running, Samples,
    Solver, Spec, Step, Stop,
};
use oracle::problems::{methods, rng, uniform};

/// Two blocks.
const N: usize = 130;

fn samples() -> Mat<f64> {
    uniform(N, 6, &mut rng(3))
}

fn cancelled() -> Cancel {
    let token = Cancel::new();
    token.cancel();
    token
}

fn refused<T>(result: Result<T>, what: &str) {
    assert_eq!(result.err(), Some(Error::Cancelled), "{what}");
}

#[test]
fn what_is_cancelled_before_it_begins_is_an_error() {
    let (x, token) = (samples(), cancelled());
    let (data, ones) = (Dense::new(x.view(), None), [1.0; N]);
    refused(kmeans(&data, 3, &ones, &mut Random::new(1), &token), "k-means");
    refused(trimmed_kmeans(&data, 3, &ones, &mut Random::new(1), &token), "trimmed k-means");
    refused(screen(&data, 3, &ones, &token), "the screening");
    refused(nearest(&data, 5, &token), "neighbours");
    refused(nearest_approximately(&data, 5, &token), "approximate neighbours");
    let running = Running::on(2).cancel(&token);
    refused(Spec::emmf(3).graph_of(&x, &running), "a graph");
    refused(Spec::emmf(3).choose_k(&x, 2..=5, |_, _| ControlFlow::Continue(()), &running), "a choice of k");
    for init in [Init::Kmeans, Init::Trimmed] {
        refused(Spec::emmf(3).init(init).start_of(&x, &running), "a start");
    }
    for spec in methods(3) {
        for init in [Init::Kmeans, Init::Trimmed, Init::Random, Init::Nndsvd] {
            refused(spec.clone().init(init).on(&x).cancel(&token).fit(), &spec.method);
        }
        let start = Factors { u: uniform(6, 3, &mut rng(1)), v: uniform(N, 3, &mut rng(2)) };
        refused(spec.on(&x).start(&start).cancel(&token).fit(), &spec.method);
    }
}

#[test]
fn every_coding_is_cancelled() {
    let (x, running) = (samples(), Running::on(2).cancel(&cancelled()));
    let one = Mat::from_fn(1, 6, |_, j| x[(0, j)]);
    for spec in methods(3) {
        let model = spec.max_iter(2).fit(&x).unwrap().model;
        refused(model.transform_with(&x, &running), &model.spec().method);
        refused(model.transform_with(&one, &running), &model.spec().method);
        let model = model.with_missing(Missing::Nan);
        refused(model.transform_with(&x, &running), &model.spec().method);
    }
}

/// A fit that is cancelled in an iteration is the one that an observer ended there.
#[test]
fn a_fit_keeps_what_it_has() {
    let x = samples();
    for spec in methods(3) {
        let spec = spec.max_iter(9).restarts(2).init(Init::Random);
        let token = Cancel::new();
        let mut cancels = |step: &Step| {
            if (step.restart, step.iteration) == (1, 3) {
                token.cancel();
            }
            ControlFlow::Continue(())
        };
        let cancelled = spec.on(&x).observe(&mut cancels).cancel(&token).fit().unwrap();
        let mut breaks = |step: &Step| match (step.restart, step.iteration) {
            (1, 3) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let broken = spec.on(&x).observe(&mut breaks).fit().unwrap();
        assert!(cancelled == Fit { seconds: cancelled.seconds, ..broken }, "{}", spec.method);
    }
}

/// Samples that cancel the call at one of their reads and count the rows that are read after that.
struct Cancelling<'a> {
    x: &'a Mat<f64>,
    token: Cancel,
    at: usize,
    reads: AtomicUsize,
    after: AtomicUsize,
}

impl RowSource<f64> for Cancelling<'_> {
    fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [f64]) -> Result<()> {
        let d = self.x.cols();
        out.copy_from_slice(&self.x.as_slice()[rows.start * d..rows.end * d]);
        match self.reads.fetch_add(1, Ordering::Relaxed) {
            read if read == self.at => self.token.cancel(),
            read if read > self.at => drop(self.after.fetch_add(rows.len(), Ordering::Relaxed)),
            _ => {}
        }
        Ok(())
    }
}

/// What `work` says when it is cancelled at this read, the rows that it reads after that, and all its reads.
fn cancelled_at<T>(
    at: usize,
    work: &impl Fn(Samples<'_, f64>, &Running<'_>) -> Result<T>,
) -> (Result<T>, usize, usize) {
    let (x, token) = (samples(), Cancel::new());
    let (reads, after) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let source = Cancelling { x: &x, token: token.clone(), at, reads, after };
    // One thread: others would read on for a moment.
    let result = work(Samples::Stream(&source), &Running::on(1).cancel(&token));
    (result, source.after.into_inner(), source.reads.into_inner())
}

/// Cancels `work` at its reads in turn. It must end as `check` says, after a few passes over the samples.
fn cancelled_anywhere<T>(
    work: impl Fn(Samples<'_, f64>, &Running<'_>) -> Result<T>,
    check: impl Fn(Result<T>, usize),
) {
    let (whole, _, reads) = cancelled_at(usize::MAX, &work);
    assert!(whole.is_ok());
    for at in (0..reads).step_by(reads.div_ceil(100)) {
        let (result, after, _) = cancelled_at(at, &work);
        check(result, at);
        assert!(after <= 8 * N, "cancelled at read {at} of {reads}, it reads {after} samples more");
    }
}

#[test]
fn a_fit_ends_soon_wherever_it_is_cancelled() {
    for solver in [Solver::Mu, Solver::Hals] {
        let spec = Spec::emmf(3).as_published().solver(solver).restarts(2).max_iter(40);
        cancelled_anywhere(
            |x, running| spec.on(x).given(Given { running: running.clone(), ..Given::default() }).fit(),
            |fit, at| match fit {
                Ok(fit) => assert_eq!((fit.stop, fit.v.rows()), (Stop::Cancelled, N), "at {at}"),
                Err(error) => assert_eq!(error, Error::Cancelled, "at {at}"),
            },
        );
        // A start that is cancelled in a later restart leaves the first one.
        let start_of_second = |restart: usize| spec.clone().restarts(restart);
        let first = cancelled_at(usize::MAX, &|x, _| start_of_second(1).polish(false).fit(x)).2;
        let (fit, ..) = cancelled_at(first, &|x, running: &Running<'_>| {
            spec.on(x).threads(1).cancel(&running.cancel).fit()
        });
        assert_eq!(fit.unwrap().restart, 0);
    }
}

/// The first of several layers is fitted alone at first: what there is of it is kept.
#[test]
fn layers_are_made_of_what_there_is_when_they_are_cancelled() {
    let spec = Spec::deep(&[4, 2]).as_published().max_iter(40);
    let work = |x: Samples<'_, f64>, running: &Running<'_>| {
        spec.on(x).given(Given { running: running.clone(), ..Given::default() }).fit()
    };
    let (_, _, reads) = cancelled_at(usize::MAX, &work);
    let mut alone = 0;
    for at in (0..reads).step_by(reads.div_ceil(100)) {
        let (fit, after, _) = cancelled_at(at, &work);
        assert!(after <= 16 * N, "cancelled at read {at} of {reads}, it reads {after} samples more");
        match fit {
            Ok(fit) => {
                assert_eq!((fit.stop, fit.layers.len()), (Stop::Cancelled, 2), "at {at}");
                alone += usize::from(fit.trace.len() == 1);
            }
            Err(error) => assert_eq!(error, Error::Cancelled, "at {at}"),
        }
    }
    assert!(alone > 10, "{alone}");
}

#[test]
fn a_start_and_a_graph_end_soon_wherever_they_are_cancelled() {
    let spec = Spec::emmf(5).init_restarts(30);
    cancelled_anywhere(|x, running| spec.start_of(x, running), |start, _| refused(start, "a start"));
    let spec = spec.graph(GraphSpec { neighbours: 20, ..GraphSpec::default() });
    cancelled_anywhere(|x, running| spec.graph_of(x, running), |graph, _| refused(graph, "a graph"));
}

#[test]
fn the_coding_of_samples_ends_soon_wherever_it_is_cancelled() {
    for method in ["nmf", "l1-nmf", "l12-nmf", "pnmf", "gsnmf"] {
        let model = Spec::new(method, 3).max_iter(2).fit(&samples()).unwrap().model;
        let work = |x: Samples<'_, f64>, running: &Running<'_>| model.transform_with(x, running);
        cancelled_anywhere(work, |coded, _| refused(coded, method));
        let (whole, cancelled) = (cancelled_at(usize::MAX, &work).2, cancelled_at(0, &work).2);
        assert!(cancelled < whole, "{method}: {cancelled} reads, {whole} without");
    }
}
