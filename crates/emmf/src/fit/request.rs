//! [`Spec::on`]: a fit with everything that it is given.

use super::{Device, Given, OwnLoss};
use crate::cancel::Cancel;
use crate::checkpoint::Checkpoint;
use crate::error::Result;
use crate::graph::Graph;
use crate::init::Factors;
use crate::iterate::Observer;
use crate::matrix::Samples;
use crate::model::Fit;
use crate::real::Real;
use crate::spec::Spec;
use crate::threads::Threads;

/// A fit that is being put together: see [`Spec::on`].
#[must_use = "nothing is fitted before `fit`"]
pub struct Request<'a, T> {
    spec: &'a Spec,
    x: Samples<'a, T>,
    given: Given<'a, T>,
}

impl Spec {
    /// A fit of these samples, to be given more than parameters.
    ///
    /// ```
    /// use emmf::{Cancel, Mat, Spec, Step};
    /// use std::ops::ControlFlow;
    /// let x = Mat::from_rows([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.1, 3.0]]);
    /// let (mut steps, token) = (0, Cancel::new());
    /// let mut count = |_: &Step| {
    ///     steps += 1;
    ///     ControlFlow::Continue(())
    /// };
    /// let spec = Spec::emmf(2).max_iter(9);
    /// let fit = spec.on(&x).weights(&[1.0, 2.0, 1.0, 1.0]).observe(&mut count).threads(2).cancel(&token).fit()?;
    /// assert_eq!(fit.trace.len(), steps);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn on<'a, 'x: 'a, T: Real>(&'a self, x: impl Into<Samples<'x, T>>) -> Request<'a, T> {
        Request { spec: self, x: x.into(), given: Given::default() }
    }
}

impl<'a, T: Real> Request<'a, T> {
    /// Everything at once, instead of what was given before.
    pub fn given(self, given: Given<'a, T>) -> Self {
        Self { given, ..self }
    }

    /// See [`Given::sample_weights`].
    pub fn weights(mut self, weights: &'a [f64]) -> Self {
        self.given.sample_weights = Some(weights);
        self
    }

    /// See [`Given::start`].
    pub fn start(mut self, start: &'a Factors<T>) -> Self {
        self.given.start = Some(start);
        self
    }

    /// See [`Given::clusters`].
    pub fn clusters(mut self, clusters: &'a [usize]) -> Self {
        self.given.clusters = Some(clusters);
        self
    }

    /// See [`Given::graph`].
    pub fn graph(mut self, graph: &'a Graph) -> Self {
        self.given.graph = Some(graph);
        self
    }

    /// See [`Given::observer`].
    pub fn observe(mut self, observer: &'a mut (dyn Observer + Send)) -> Self {
        self.given.observer = Some(observer);
        self
    }

    /// See [`Given::loss`].
    pub fn loss(mut self, loss: &'a OwnLoss) -> Self {
        self.given.loss = Some(loss);
        self
    }

    /// See [`Given::resume`].
    pub fn resume(mut self, saved: &'a Checkpoint) -> Self {
        self.given.resume = Some(saved);
        self
    }

    /// See [`Given::device`].
    pub fn device(mut self, device: &'a dyn Device) -> Self {
        self.given.device = Some(device);
        self
    }

    /// Works on this many threads, on one per core (`None`) or on those of a [`Pool`](crate::Pool).
    pub fn threads(mut self, threads: impl Into<Threads<'a>>) -> Self {
        self.given.running.threads = threads.into();
        self
    }

    /// Ends early when this token says so.
    pub fn cancel(mut self, token: &Cancel) -> Self {
        self.given.running.cancel = token.clone();
        self
    }

    /// Fits the samples.
    pub fn fit(self) -> Result<Fit<T>> {
        T::fit(self.spec, self.x, self.given)
    }
}
