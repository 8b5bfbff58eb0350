//! [`Spec::fit`]: from checked parameters and samples to a [`Fit`].

mod aside;
mod blame;
mod check;
mod compiled;
mod fitting;
mod graph;
mod methods;

use std::ops::ControlFlow;
use std::time::Instant;

use crate::cancel::Deadline;
use crate::checkpoint::Checkpoint;
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::{Factors, Random, Start};
use crate::iterate::{Observer, Step};
use crate::matrix::{Part, Samples};
use crate::memory::check_room;
use crate::method::SampleSide;
use crate::model::{Fit, Seconds, impute};
use crate::preprocess;
use crate::real::Real;
use crate::registry;
use crate::spec::{GraphKind, GraphSpec, Missing, Spec};
use crate::threads;

use aside::Split;
use blame::{Blame, check_finite};
use fitting::Fitting;

pub(crate) use compiled::Compiled;

/// What a fit may be given besides samples and parameters.
pub struct Given<'a, T> {
    /// How often each sample counts in the loss; a graph beside it counts each once. Where the smallest positive weight is
    /// below 1, all are multiplied so that it is 1.
    pub sample_weights: Option<&'a [f64]>,
    /// U and V to start from, instead of `spec.init`.
    pub start: Option<&'a Factors<T>>,
    /// Sees every iteration and may end the fit.
    pub observer: &'a mut (dyn Observer + Send),
    /// Where a fit of the same samples with the same parameters was stopped: this one goes on from there.
    pub resume: Option<&'a Checkpoint>,
}

impl<'a, T> Given<'a, T> {
    /// Nothing but an observer.
    pub fn new(observer: &'a mut (dyn Observer + Send)) -> Self {
        Self { sample_weights: None, start: None, observer, resume: None }
    }
}

impl Spec {
    /// Fits the samples.
    ///
    /// ```
    /// use emmf::{Mat, Spec};
    /// let x = Mat::from_rows([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]]);
    /// let fit = Spec::emmf(2).fit(&x)?;
    /// assert_eq!(fit.labels[0], fit.labels[1]);
    /// assert_ne!(fit.labels[0], fit.labels[2]);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn fit<'a, T: Real>(&self, x: impl Into<Samples<'a, T>>) -> Result<Fit<T>> {
        let mut observer = |_: &Step| ControlFlow::Continue(());
        self.fit_with(x, Given::new(&mut observer))
    }

    /// Fits the samples with sample weights, a given start or an observer.
    pub fn fit_with<'a, T: Real>(&self, x: impl Into<Samples<'a, T>>, given: Given<'_, T>) -> Result<Fit<T>> {
        T::fit(self, x.into(), given, None)
    }

    /// Fits samples that are prepared, wherever they are. Only methods of weighted samples without a graph can, and all
    /// samples take part.
    pub fn fit_side<T: Real>(&self, side: &dyn SampleSide<T>, given: Given<'_, T>) -> Result<Fit<T>> {
        T::fit_side(self, side, given)
    }

    /// The graph over these samples, preprocessed as in a fit: that of `spec.graph`, or the nearest neighbours. Not
    /// normalised.
    pub fn graph_of<'a, T: Real>(&self, x: impl Into<Samples<'a, T>>) -> Result<Graph> {
        T::graph_of(self, x.into())
    }

    /// U and V from which a fit of these samples starts, before its first iteration. With k-means the largest entry
    /// of a row of V is the cluster of the sample.
    pub fn start_of<'a, T: Real>(&self, x: impl Into<Samples<'a, T>>) -> Result<Factors<T>> {
        T::start_of(self, x.into())
    }

    /// Does something with samples that are preprocessed as in a fit.
    fn prepared<T: Real, R: Send>(
        &self,
        x: Samples<'_, T>,
        missing: bool,
        work: impl FnOnce(&Stored<'_, T>) -> Result<R> + Send,
    ) -> Result<R> {
        threads::within(self.threads, || {
            let (_, mut prepared) = preprocess::fit(&self.normalize, x, missing)?;
            let (scale, norms_sq) = prepared.take_factors();
            let data = Stored::new(prepared.samples(), scale, norms_sq);
            data.intact()?;
            work(&data)
        })?
    }

    /// Fits the samples with this graph over them, instead of one made of them.
    pub fn fit_on_graph<'a, T: Real>(
        &self,
        x: impl Into<Samples<'a, T>>,
        graph: &Graph,
        given: Given<'_, T>,
    ) -> Result<Fit<T>> {
        let chosen = GraphSpec { kind: GraphKind::Given, ..self.graph.unwrap_or_default() };
        T::fit(&self.clone().graph(chosen), x.into(), given, Some(graph))
    }
}

fn fit_side<T: Real>(spec: &Spec, side: &dyn SampleSide<T>, mut given: Given<'_, T>) -> Result<Fit<T>> {
    let began = Instant::now();
    let entry = registry::find(&spec.method)?;
    check::spec(spec, entry, side.shape())?;
    check::start(spec, given.start, side.shape())?;
    check::anywhere(spec, entry)?;
    threads::within(spec.threads, || {
        let deadline = Deadline::after(began, spec.time_limit);
        let (intact, fitted, seconds) = (&|| Ok(()), Vec::new(), Seconds::default());
        let fitting = Fitting { spec, entry, weights: &[], intact, fitted, deadline, seconds };
        let mut fit = fitting.fit_side(side, &mut given)?;
        fit.seconds.total = began.elapsed().as_secs_f64();
        check_finite(&fit)?;
        Ok(fit)
    })?
}

fn graph_of<T: Real>(spec: &Spec, x: Samples<'_, T>) -> Result<Graph> {
    spec.prepared(x, false, |data| Ok(graph::find(spec.graph.unwrap_or_default(), data, None)?.into_owned()))
}

fn start_of<T: Real>(spec: &Spec, x: Samples<'_, T>) -> Result<Factors<T>> {
    check::spec(spec, registry::find(&spec.method)?, x.shape())?;
    spec.prepared(x, spec.missing == Missing::Nan, |data| {
        let weights = vec![1.0; data.shape().0];
        Start::new(spec, &weights, None, Random::stream(spec.seed, 0)).factors(data)
    })
}

fn fit<T: Real>(
    spec: &Spec,
    x: Samples<'_, T>,
    given: Given<'_, T>,
    given_graph: Option<&Graph>,
) -> Result<Fit<T>> {
    let began = Instant::now();
    let entry = registry::find(&spec.method)?;
    check::spec(spec, entry, x.shape())?;
    check::start(spec, given.start, x.shape())?;
    check::storage(entry, &x)?;
    let missing = spec.missing == Missing::Nan;
    if missing {
        check::missing(spec, entry, &x)?;
    }
    check::labels(spec, entry)?;
    check_room::<T>(spec, x.shape(), matches!(x, Samples::Stream(_)))?;
    aside::check(spec, entry)?;
    let weights = check::sample_weights(given.sample_weights, entry, x.shape().0)?;
    given_graph.map_or(Ok(()), |graph| graph::check(graph, x.shape().0))?;
    threads::within(spec.threads, || {
        let (fitted, mut prepared) = preprocess::fit(&spec.normalize, x, missing)?;
        let (scale, norms_sq) = prepared.take_factors();
        let samples = prepared.samples();
        let data = Stored::new(samples, scale.clone(), norms_sq);
        data.intact()?;
        check::not_constant(prepared.survey(), x.shape())?;
        let blame = Blame { spec, weights: &weights };
        check::magnitude(&data, prepared.survey().largest(), &blame)?;
        let advised = |error: Error| error.advised(|| blame.divergence::<T>());
        let mut seconds = Seconds { prepare: began.elapsed().as_secs_f64(), ..Seconds::default() };
        let split = Split::find(spec, &data, &weights)?;
        seconds.init = began.elapsed().as_secs_f64() - seconds.prepare;
        let deadline = Deadline::after(began, spec.time_limit);
        let mut fit = match split {
            None => {
                let (weights, intact) = (&*weights, &|| data.intact());
                let fitting = Fitting { spec, entry, weights, intact, fitted, deadline, seconds };
                fitting.fit(&data, given, given_graph).map_err(advised)?
            }
            Some(split) => {
                let norms_sq = split.of(data.norms_sq());
                drop(data);
                let part = Part::of(&samples, split.kept())?;
                let kept_scale = scale.as_ref().map(|scale| split.of(scale));
                let kept = Stored::new(part.samples(), kept_scale, Some(norms_sq));
                let start = given.start.map(|start| split.start(start));
                let graph = given_graph.map(|graph| graph.among(split.kept()));
                let given =
                    Given { start: start.as_ref(), resume: given.resume, ..Given::new(given.observer) };
                let (weights, intact) = (&*split.of(&weights), &|| kept.intact());
                let fitting = Fitting { spec, entry, weights, intact, fitted, deadline, seconds };
                let fit = fitting.fit(&kept, given, graph.as_ref()).map_err(advised)?;
                split.complete(fit, &samples, scale.as_deref())?
            }
        };
        fit.imputed = if missing { impute(&prepared, &x, (fit.model.centroids(), &fit.v)) } else { None };
        fit.seconds.total = began.elapsed().as_secs_f64();
        check_finite(&fit).map_err(advised)?;
        Ok(fit)
    })?
}
