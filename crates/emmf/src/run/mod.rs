//! [`Spec::fit`]: from checked parameters and samples to a [`Fit`].

mod aside;
mod blame;
mod check;
mod compiled;
mod graph;
mod job;

use std::ops::ControlFlow;
use std::time::Instant;

use crate::cancel::Deadline;
use crate::checkpoint::Checkpoint;
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::fit::{Observer, Step};
use crate::graph::Graph;
use crate::init::{Factors, Random, Start};
use crate::loss::Loss;
use crate::matrix::{Part, Samples};
use crate::memory::check_room;
use crate::method::{
    Aim, Entrywise, Gamma, GraphIrls, Gsnmf, Irls, Lsnmf, Onmf, Pnmf, Recipe, Regularized, Rmnmf, Setting,
    Source, SparseDivergence, Symnmf, Update, epsilon,
};
use crate::model::{Fit, Seconds, impute};
use crate::preprocess::{self, Fitted};
use crate::real::Real;
use crate::registry::{self, Entry, Kind, Values};
use crate::spec::{GraphKind, GraphSpec, Missing, Solver, Spec};
use crate::threads;

use aside::Split;
use blame::{Blame, check_finite};
use job::Job;

pub(crate) use compiled::Compiled;

/// What a fit may be given besides samples and parameters.
pub struct Given<'a, T> {
    /// How often each sample counts. Where the smallest positive weight is below 1, all are multiplied
    /// so that it is 1.
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
            let scale = prepared.take_scale();
            let data = Stored::new(prepared.samples(), scale);
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
        let scale = prepared.take_scale();
        let samples = prepared.samples();
        let data = Stored::new(samples, scale.clone());
        data.intact()?;
        let largest = check::not_constant(&samples)?;
        let blame = Blame { spec, weights: &weights };
        check::magnitude(&data, largest, &blame)?;
        let advised = |error: Error| error.advised(|| blame.divergence::<T>());
        let mut task = Task { spec, entry, began, seconds: Seconds::default(), fitted };
        task.seconds.prepare = began.elapsed().as_secs_f64();
        let split = Split::find(spec, &data, &weights)?;
        task.seconds.init = began.elapsed().as_secs_f64() - task.seconds.prepare;
        let mut fit = match split {
            None => task.run((&data, &weights), given, given_graph).map_err(advised)?,
            Some(split) => {
                drop(data);
                let part = Part::of(&samples, split.kept())?;
                let kept = Stored::new(part.samples(), scale.as_ref().map(|scale| split.of(scale)));
                let start = given.start.map(|start| split.start(start));
                let graph = given_graph.map(|graph| graph.among(split.kept()));
                let given =
                    Given { start: start.as_ref(), resume: given.resume, ..Given::new(given.observer) };
                let fit = task.run((&kept, &split.of(&weights)), given, graph.as_ref()).map_err(advised)?;
                split.complete(fit, &samples, scale.as_deref())?
            }
        };
        fit.imputed = if missing { impute(&prepared, &x, (fit.model.centroids(), &fit.v)) } else { None };
        fit.seconds.total = began.elapsed().as_secs_f64();
        check_finite(&fit).map_err(advised)?;
        Ok(fit)
    })?
}

/// A fit of preprocessed samples.
struct Task<'a> {
    spec: &'a Spec,
    entry: &'static Entry,
    began: Instant,
    seconds: Seconds,
    fitted: Vec<Fitted>,
}

impl Task<'_> {
    fn run<T: Real>(
        self,
        (data, weights): (&Stored<'_, T>, &[f64]),
        mut given: Given<'_, T>,
        given_graph: Option<&Graph>,
    ) -> Result<Fit<T>> {
        let Self { spec, entry, began, seconds, fitted } = self;
        let deadline = Deadline::after(began, spec.time_limit);
        let mut job = Job { spec, entry, data, weights, deadline, seconds };
        let missing = spec.missing == Missing::Nan;
        let values = Values::of(entry, &spec.params);
        let following = spec.graph.is_some();
        let graph = |normalized| {
            let chosen = spec.graph.unwrap_or_default();
            let graph = graph::find(chosen, data, given_graph)?;
            Ok::<_, Error>(graph::normalized(chosen, graph, normalized))
        };
        match entry.kind {
            Kind::Samples(make) | Kind::Graph(make) if following || entry.needs_graph() => {
                let making = Instant::now();
                let (irls, graph) = (irls(&job, || make(&values)), graph(true)?);
                let (lambda, monotone) = (values.get("lambda"), values.get("monotone") == Some(1.0));
                job.seconds.prepare += making.elapsed().as_secs_f64();
                job.fit(&GraphIrls { irls, graph, lambda, monotone }, &mut given, fitted)
            }
            Kind::Samples(make) if missing => {
                let aim = Aim::Samples(Box::new(|| make(&values)));
                job.fit(&entrywise(&job, aim), &mut given, fitted)
            }
            Kind::Samples(make) | Kind::Graph(make) => {
                job.fit(&irls(&job, || make(&values)), &mut given, fitted)
            }
            Kind::Entries(make) => match make(&values) {
                Recipe::Divergence if data.is_sparse() => {
                    job.fit(&sparse_divergence(&job), &mut given, fitted)
                }
                recipe => job.fit(&entrywise(&job, Aim::Entries(recipe)), &mut given, fitted),
            },
            Kind::Probabilistic => job.fit(&pnmf(&values, weights), &mut given, fitted),
            Kind::Separable => job.fit(&gsnmf(&values, weights), &mut given, fitted),
            Kind::Regularized(make) => {
                let terms = make(&values);
                let graph = if terms.graph == Source::Given { Some(graph(false)?) } else { None };
                let method = Regularized { terms, graph: graph.as_deref(), sample_weights: weights };
                job.fit(&method, &mut given, fitted)
            }
            Kind::Orthogonal => job.fit(&Onmf { sample_weights: weights }, &mut given, fitted),
            Kind::Symmetric => {
                let (graph, half) = (graph(true)?, values.get("half") == Some(1.0));
                job.fit(&Symnmf { graph: &graph, half }, &mut given, fitted)
            }
            Kind::RobustManifold => job.fit(&rmnmf(&values, &*graph(false)?), &mut given, fitted),
            Kind::LocalCentroids => job.fit(&lsnmf(&values, weights), &mut given, fitted),
        }
    }
}

/// The sample-weighted method with this loss.
fn irls<'a, T: Real, X: Data<T>>(
    job: &Job<'a, X>,
    loss: impl Fn() -> Box<dyn Loss> + Send + Sync + 'a,
) -> Irls<'a> {
    let Job { spec, data, weights, .. } = *job;
    let update = match spec.solver {
        Solver::Mu => Update::Multiplicative { exponent: job.exponent() },
        Solver::Hals => {
            Update::Hals { sweeps: spec.sweeps, extrapolate: spec.extrapolate, deadline: job.deadline }
        }
    };
    let epsilon = epsilon(data, weights, spec.epsilon);
    Irls { loss: Box::new(loss), update, epsilon, sample_weights: weights }
}

/// The entry-wise method that minimises this.
fn entrywise<'a, X>(job: &Job<'a, X>, aim: Aim<'a>) -> Entrywise<'a> {
    let Job { spec, weights: sample_weights, .. } = *job;
    let missing = spec.missing == Missing::Nan;
    Entrywise { aim, exponent: job.exponent(), epsilon: spec.epsilon, sample_weights, missing }
}

fn sparse_divergence<'a, X>(job: &Job<'a, X>) -> SparseDivergence<'a> {
    SparseDivergence { exponent: job.exponent(), sample_weights: job.weights }
}

fn pnmf<'a>(values: &Values<'_>, sample_weights: &'a [f64]) -> Pnmf<'a> {
    let get = |name: &str| values.get(name).unwrap_or(1.0);
    let relevance = Gamma { shape: get("ard-shape"), rate: get("ard-rate") };
    Pnmf {
        lambda: get("lambda"),
        noise: Gamma { shape: get("shape"), rate: get("rate") },
        relevance: (get("ard") == 1.0).then_some(relevance),
        sample_weights,
    }
}

fn gsnmf<'a>(values: &Values<'_>, sample_weights: &'a [f64]) -> Gsnmf<'a> {
    let is_convex = values.get("convex") == Some(1.0);
    Gsnmf { convex: values.get("lambda").filter(|_| is_convex), sample_weights }
}

fn rmnmf<'a>(values: &Values<'_>, graph: &'a Graph) -> Rmnmf<'a> {
    let setting =
        Setting::new(values.get("stable") == Some(1.0), values.get("penalty"), values.get("growth"));
    Rmnmf { graph, lambda: values.get("lambda").unwrap_or(1.0), setting }
}

fn lsnmf<'a>(values: &Values<'_>, sample_weights: &'a [f64]) -> Lsnmf<'a> {
    let get = |name: &str| values.get(name).unwrap_or(1.0);
    Lsnmf {
        lambda: get("lambda"),
        adapt: get("adapt") == 1.0,
        stable: get("stable") == 1.0,
        centroids: values.get("centroids").map(|m| m as usize),
        links: get("neighbors") as usize,
        sample_weights,
    }
}
