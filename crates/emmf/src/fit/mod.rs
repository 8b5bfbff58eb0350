//! [`Spec::fit`]: from checked parameters and samples to a [`Fit`].

mod aside;
mod blame;
mod check;
mod clouds;
mod compiled;
mod consensus;
mod device;
mod fitting;
mod graph;
mod guide;
mod layers;
mod methods;
mod online;
mod rank;
mod request;
mod rounds;

use std::time::{Duration, Instant};

use crate::cancel::{Cancel, Deadline};
use crate::checkpoint::Checkpoint;
use crate::data::{Data, Stored, is_small};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::{Factors, Random, Start};
use crate::iterate::{Observer, Phase, Stop};
use crate::loss::Loss;
use crate::matrix::Samples;
use crate::memory::check_room;
use crate::method::{Method, SampleSide};
use crate::model::{Fit, Seconds, impute};
use crate::opaque::opaque;
use crate::outliers::Judge;
use crate::preprocess;
use crate::real::Real;
use crate::registry::{self, Entry};
use crate::spec::{GraphKind, GraphSpec, Init, Missing, Spec};
use crate::threads::{Pool, Running, Threads};

use aside::Split;
use blame::{Blame, check_finite};
use fitting::Fitting;
use guide::Guide;
use rounds::Rounds;

pub(crate) use compiled::Compiled;
pub(crate) use device::OnDevice;
pub use device::{Device, Prepared};
pub use online::Updated;
pub use request::Request;

/// Makes a loss.
pub type OwnLoss = dyn Fn() -> Box<dyn Loss> + Send + Sync;

/// What a fit can be given besides samples and parameters.
pub struct Given<'a, T> {
    /// How often each sample counts in the loss; a graph counts each sample once. If the smallest positive weight is below
    /// 1, all are scaled so that it is 1.
    pub sample_weights: Option<&'a [f64]>,
    /// U and V to start from, instead of `spec.init`.
    pub start: Option<&'a Factors<T>>,
    /// The cluster of every sample to start from, instead of `spec.init`: U is their means. Other restarts start elsewhere.
    pub clusters: Option<&'a [usize]>,
    /// The graph over the samples to follow, instead of one made from them.
    pub graph: Option<&'a Graph>,
    /// Sees every iteration and can end the fit.
    pub observer: Option<&'a mut (dyn Observer + Send)>,
    /// Your own loss instead of the method's, for methods that weight samples; made again for every restart.
    pub loss: Option<&'a OwnLoss>,
    /// Where a fit of the same samples with the same parameters was stopped: this one continues from there.
    pub resume: Option<&'a Checkpoint>,
    /// Where the samples are while the iterations run, if not in this memory.
    pub device: Option<&'a dyn Device>,
    /// How much of `spec.time_limit` was spent before, on choosing the number of clusters.
    pub spent: Duration,
    /// Threads and cancellation.
    pub running: Running<'a>,
}

opaque! {
    [T] Given<'_, T>;
    [T] Request<'_, T>;
}

impl<T> Default for Given<'_, T> {
    fn default() -> Self {
        Self {
            sample_weights: None,
            start: None,
            clusters: None,
            graph: None,
            observer: None,
            loss: None,
            resume: None,
            device: None,
            spent: Duration::ZERO,
            running: Running::default(),
        }
    }
}

impl<'a, T> Given<'a, T> {
    /// The checkpoint, where it says how far a fit has come.
    fn saved(&self) -> Option<&'a Checkpoint> {
        self.resume.filter(|saved| saved.has_begun())
    }

    /// When the time is up that a fit has which began then.
    fn deadline(&self, spec: &Spec, began: Instant) -> Deadline {
        let left = |limit: f64| (limit - self.spent.as_secs_f64()).max(0.0);
        Deadline::after(began, spec.time_limit.map(left))
    }

    /// What ends the work before the iterations. A fit that continues makes all of it again, whatever the time.
    fn until(&self, deadline: Deadline) -> Cancel {
        let Running { cancel, .. } = &self.running;
        if self.resume.is_some() { cancel.clone() } else { cancel.until(deadline) }
    }

    /// Tells the observer what begins.
    fn begins(&mut self, phase: Phase) {
        if let Some(observer) = &mut self.observer {
            observer.phase(phase);
        }
    }
}

impl Spec {
    /// Fits the samples; [`Spec::on`] with nothing else given.
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
        T::fit(self, x.into(), Given::default())
    }

    /// Fits preprocessed samples, wherever they are. Only methods that weight samples and use no graph can do this, and all
    /// samples take part.
    pub fn fit_side<T: Real>(&self, side: &dyn SampleSide<T>, given: Given<'_, T>) -> Result<Fit<T>> {
        T::fit_side(self, side, given)
    }

    /// Fits preprocessed samples with your own [`Method`]: loop, restarts, stop rules, observer, cancellation and checkpoints are
    /// those of every fit, and so are the start and the resulting `Fit`.
    ///
    /// Of these parameters, those that a method leaves open apply: k, init, seed, restarts, iterations, tolerance, time, label
    /// rule. Their `method` stands in for yours where a fact about it is needed: `"nmf"` says that a lower objective is better. X is
    /// used as it is: nothing is preprocessed and no outlier is set aside. See `examples/own_method.rs`.
    pub fn fit_by<'x, T: Real, X: Data<T>, M: Method<'x, T, X>>(
        &self,
        method: &M,
        x: &'x X,
        given: Given<'_, T>,
    ) -> Result<Fit<T>> {
        fit_by(self, method, x, given)
    }

    /// The graph over these samples, preprocessed as in a fit: that of `spec.graph`, or the nearest neighbours. Not
    /// normalised.
    pub fn graph_of<'a, T: Real>(
        &self,
        x: impl Into<Samples<'a, T>>,
        running: &Running<'_>,
    ) -> Result<Graph> {
        T::graph_of(self, x.into(), running)
    }

    /// U and V from which a fit of these samples starts, before its first iteration. With k-means the largest entry
    /// of a row of V is the cluster of the sample.
    pub fn start_of<'a, T: Real>(
        &self,
        x: impl Into<Samples<'a, T>>,
        running: &Running<'_>,
    ) -> Result<Factors<T>> {
        T::start_of(self, x.into(), running)
    }

    /// Does something with samples that are preprocessed as in a fit.
    fn prepared<T: Real, R: Send>(
        &self,
        x: Samples<'_, T>,
        (missing, running): (bool, &Running<'_>),
        work: impl FnOnce(&Stored<'_, T>, &Pool) -> Result<R> + Send,
    ) -> Result<R> {
        threads_for(running.threads, x.shape(), self.k).run(|pool| {
            let (_, mut prepared) = preprocess::fit(&self.normalize, x, missing)?;
            let (scale, norms_sq) = prepared.take_factors();
            let data = Stored::new(prepared.samples(), scale, norms_sq);
            data.intact()?;
            work(&data, pool)
        })?
    }
}

fn fit_side<T: Real>(spec: &Spec, side: &dyn SampleSide<T>, mut given: Given<'_, T>) -> Result<Fit<T>> {
    let began = Instant::now();
    let entry = registry::find(&spec.method)?;
    check::anywhere(spec, entry, &given)?;
    // A start that is not named is one that samples elsewhere can have.
    let spec = &Spec { init: spec.init, ..resolved(spec, entry, &given) };
    check::spec(spec, entry, side.shape())?;
    check::start(spec, given.start, side.shape())?;
    check::labels(spec, entry, side.shape().0)?;
    given.running.threads.run(|pool| {
        let deadline = given.deadline(spec, began);
        let fitting = Fitting { deadline, ..Fitting::new(spec, entry, &[], pool) };
        by_residuals(fitting.fit_side(side, &mut given)?, began)
    })?
}

fn fit_by<'x, T: Real, X: Data<T>, M: Method<'x, T, X>>(
    spec: &Spec,
    method: &M,
    x: &'x X,
    mut given: Given<'_, T>,
) -> Result<Fit<T>> {
    let began = Instant::now();
    let entry = registry::find(&spec.method)?;
    check::spec(spec, entry, x.shape())?;
    check::start(spec, given.start, x.shape())?;
    check::own(spec, &given)?;
    check::labels(spec, entry, x.shape().0)?;
    let weights = check::sample_weights(given.sample_weights, entry, x.shape().0)?;
    let threads = given.running.threads;
    threads.run(|pool| {
        let (deadline, intact) = (given.deadline(spec, began), &|| x.intact());
        let fitting = Fitting { intact, deadline, ..Fitting::new(spec, entry, &weights, pool) };
        by_residuals(fitting.fit_by(method, x, &mut given)?, began)
    })?
}

/// A fit whose samples are judged by their residuals alone, since nothing else of them can be read.
fn by_residuals<T: Real>(mut fit: Fit<T>, began: Instant) -> Result<Fit<T>> {
    let (judge, judged) = Judge::of_residuals(&fit.residuals_by_layer());
    fit.judge(judge, judged)?;
    fit.seconds.total = began.elapsed().as_secs_f64();
    check_finite(&fit)?;
    Ok(fit)
}

fn graph_of<T: Real>(spec: &Spec, x: Samples<'_, T>, running: &Running<'_>) -> Result<Graph> {
    spec.prepared(x, (false, running), |data, pool| {
        let weights = vec![1.0; data.shape().0];
        // A fit that follows the graph, but does not start at its clusters.
        let graph = spec.graph.unwrap_or_default();
        let spec = &Spec::new(registry::DEFAULT, spec.k).graph(graph).init(Init::Kmeans).seed(spec.seed);
        let fitting = Fitting::new(spec, registry::find(&spec.method)?, &weights, pool);
        let given = Given { running: running.clone(), ..Given::default() };
        let guide = Guide::find(&fitting, data, &given)?;
        guide.map(|guide| guide.graph.into_owned()).ok_or_else(|| Error::param("graph", "none", "one"))
    })
}

fn start_of<T: Real>(spec: &Spec, x: Samples<'_, T>, running: &Running<'_>) -> Result<Factors<T>> {
    let entry = registry::find(&spec.method)?;
    let spec = &resolved::<T>(spec, entry, &Given::default());
    check::spec(spec, entry, x.shape())?;
    spec.prepared(x, (spec.missing == Missing::Nan, running), |data, pool| {
        let weights = vec![1.0; data.shape().0];
        let given = Given { running: running.clone(), ..Given::default() };
        let guide = Guide::find(&Fitting::new(spec, entry, &weights, pool), data, &given)?;
        let clusters = guide.and_then(|guide| guide.clusters);
        let start = Start::new(spec, &weights, None, Random::stream(spec.seed, 0)).at(clusters.as_deref());
        start.ended_by(&running.cancel).factors(data)
    })
}

fn fit<T: Real>(spec: &Spec, x: Samples<'_, T>, mut given: Given<'_, T>) -> Result<Fit<T>> {
    let began = Instant::now();
    let entry = registry::find(&spec.method)?;
    let spec = &resolved(spec, entry, &given);
    check::spec(spec, entry, x.shape())?;
    check::start(spec, given.start, x.shape())?;
    check::clusters(spec, &given, x.shape().0)?;
    check::storage(entry, &x)?;
    let missing = spec.missing == Missing::Nan;
    if missing {
        check::missing(spec, entry, &x)?;
    }
    check::labels(spec, entry, x.shape().0)?;
    let Running { threads, cancel } = given.running.clone();
    let threads = threads_for(threads, x.shape(), spec.k);
    check_room::<T>(spec, x.shape(), matches!(x, Samples::Stream(_)), threads.number())?;
    aside::check(spec, entry)?;
    check::loss(spec, entry, given.loss.is_some())?;
    let weights = check::sample_weights(given.sample_weights, entry, x.shape().0)?;
    given.graph.map_or(Ok(()), |graph| graph::check(graph, x.shape().0))?;
    threads.run(|pool| {
        given.begins(Phase::Prepare);
        let (fitted, mut prepared) = preprocess::fit(&spec.normalize, x, missing)?;
        let (scale, norms_sq) = prepared.take_factors();
        let samples = prepared.samples();
        let data = Stored::new(samples, scale.clone(), norms_sq);
        data.intact()?;
        check::not_constant(prepared.survey(), x.shape())?;
        let blame = Blame { spec, weights: &weights };
        check::magnitude(&data, prepared.survey().largest(), &blame)?;
        check::zeros(spec, entry, &data)?;
        let advised = |error: Error| error.advised(|| blame.divergence::<T>());
        let mut seconds = Seconds { prepare: began.elapsed().as_secs_f64(), ..Seconds::default() };
        given.begins(Phase::Screen);
        // Whether a sample is too long is seen before it is brought to unit length.
        let plain = data.unscaled(samples);
        let deadline = given.deadline(spec, began);
        let found = plain.as_ref().unwrap_or(&data);
        let split = Split::find(spec, found, &weights, &given.until(deadline))?;
        seconds.init = began.elapsed().as_secs_f64() - seconds.prepare;
        let rounds = Rounds {
            spec,
            entry,
            samples: &samples,
            scale: scale.as_deref(),
            data: &data,
            plain: found,
            weights: &weights,
            fitted,
            pool,
            deadline,
        };
        let mut fit = rounds.fit(split, given, seconds).map_err(advised)?;
        if cancel.is_cancelled() {
            fit.stop = Stop::Cancelled;
        }
        fit.imputed = if missing { impute(&prepared, &x, (fit.model.centroids(), &fit.v)) } else { None };
        fit.seconds.total = began.elapsed().as_secs_f64();
        check_finite(&fit).map_err(advised)?;
        Ok(fit)
    })?
}

/// The threads for samples of this shape: one where nobody asks for a number and no walk, not even over all pairs of
/// samples, is worth a second.
fn threads_for(threads: Threads<'_>, (n, d): (usize, usize), k: usize) -> Threads<'_> {
    match threads {
        Threads::Cores if is_small(n.saturating_mul(d).saturating_mul(n.max(k))) => Threads::Number(1),
        threads => threads,
    }
}

/// Iterations that take about as long as a verdict that looks at the samples.
const VERDICT: usize = 20;

/// Whether a fit was ended so early that whoever ended it does not want to wait for a verdict.
fn is_cut_short<T>(fit: &Fit<T>) -> bool {
    fit.stop == Stop::Cancelled || (fit.stop == Stop::TimeLimit && fit.trace.len() < VERDICT)
}

/// The parameters, which say where the fit starts, how it goes on and whether its graph is given.
fn resolved<T>(spec: &Spec, entry: &Entry, given: &Given<'_, T>) -> Spec {
    let mut spec = spec.clone();
    if given.graph.is_some() {
        spec.graph = Some(GraphSpec { kind: GraphKind::Given, ..spec.graph.unwrap_or_default() });
    }
    let (init, solver, tol) = (entry.init(&spec), entry.solver(&spec), entry.tol(&spec));
    (spec.init, spec.solver, spec.tol) = (Some(init), Some(solver), Some(tol));
    spec
}
