//! A method from its entry in the registry and the parameters: one line for each kind.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::Instant;

use super::fitting::Fitting;
use super::guide::Guide;
use super::{Given, check, graph};
use crate::data::{Data, Stored};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::init::fill;
use crate::iterate::Phase;
use crate::loss::Loss;
use crate::method::SampleSide;
use crate::method::side::{Host, some_samples};
use crate::method::{
    Aim, Alone, Deep, Entrywise, Gamma, GraphIrls, Gsnmf, Irls, Lsnmf, Merging, Onmf, Penalised, Pnmf,
    Recipe, Regularized, Rmnmf, Setting, Source, SparseDivergence, Symnmf, Update,
};
use crate::model::Fit;
use crate::real::Real;
use crate::registry::{Kind, Values};
use crate::spec::{GraphSpec, Missing, Solver};

/// Samples over which a graph is made where all are elsewhere.
const FETCHED: usize = 20_000;

impl Fitting<'_> {
    /// Fits samples anywhere with a method that weighs them or their entries, without a graph.
    pub(super) fn fit_side<T: Real>(
        mut self,
        side: &dyn SampleSide<T>,
        given: &mut Given<'_, T>,
    ) -> Result<Fit<T>> {
        let (values, own) = (Values::of(self.entry, &self.spec.params), given.loss);
        match self.entry.kind {
            Kind::Samples(make) | Kind::Graph(make) => {
                let irls = irls(&self, || own.map_or_else(|| make(&values), |own| own()));
                if self.spec.is_deep() {
                    let merging = self.merging(side, given)?;
                    let method = deep(&self, irls, merging);
                    return self.fit_by(&method, side, given);
                }
                self.fit_by(&irls, side, given)
            }
            Kind::Entries(make) => {
                let method = entrywise(&self, Aim::Entries(make(&values)), side.shape());
                self.fit_by(&method, side, given)
            }
            _ => Err(Error::param("method", self.entry.name, "one that weights samples or entries")),
        }
    }

    /// A graph over samples that are fetched from where they are, where layers are merged along one.
    fn merging<T: Real>(
        &mut self,
        side: &dyn SampleSide<T>,
        given: &mut Given<'_, T>,
    ) -> Result<Option<Merging<'static>>> {
        let Some(chosen) = self.entry.merges(self.spec) else { return Ok(None) };
        let making = Instant::now();
        given.begins(Phase::Graph);
        let some = some_samples(self.spec.seed, side.shape().0, FETCHED);
        let rows = side.rows(&some)?;
        let fetched = Stored::new(rows.samples(), None, None);
        let graph = graph::find(chosen, &fetched.unit(), None, &given.until(self.deadline))?;
        self.seconds.prepare += making.elapsed().as_secs_f64();
        Ok(Some(Merging { graph: Cow::Owned(graph.into_owned()), some: Some(some) }))
    }

    /// Makes the method and fits with it, on the given graph where it follows one.
    pub(super) fn fit<T: Real>(mut self, data: &Stored<'_, T>, mut given: Given<'_, T>) -> Result<Fit<T>> {
        if let Some(device) = given.device {
            self.spec.check_device(&device.name())?;
        }
        let graphs = self.graphs(data, &mut given)?;
        let (spec, weights) = (self.spec, self.weights);
        let values = Values::of(self.entry, &spec.params);
        match self.entry.kind {
            Kind::Samples(make) | Kind::Graph(make) => self.fit_samples(make, data, given, graphs),
            Kind::Entries(_) if data.is_sparse() && self.is_divergence() => {
                let method = sparse_divergence(&self, data.shape());
                self.fit_by(&method, data, &mut given)
            }
            Kind::Entries(_) => self.fit_side(&Host::new(data, weights), &mut given),
            Kind::Probabilistic => self.fit_by(&pnmf(&values, weights), data, &mut given),
            Kind::Separable => self.fit_by(&gsnmf(&values, weights), data, &mut given),
            Kind::Regularized(make) => {
                let terms = make(&values);
                let graph = if terms.graph == Source::Given { Some(graphs.followed(false)?) } else { None };
                let method = Regularized { terms, graph: graph.as_deref(), sample_weights: weights };
                self.fit_by(&method, data, &mut given)
            }
            Kind::Orthogonal => self.fit_by(&Onmf { sample_weights: weights }, data, &mut given),
            Kind::Symmetric => {
                let (graph, half) = (graphs.followed(true)?, values.get("half") == Some(1.0));
                self.fit_by(&Symnmf { graph: &graph, half }, data, &mut given)
            }
            Kind::RobustManifold => self.fit_by(&rmnmf(&values, &*graphs.followed(false)?), data, &mut given),
            Kind::LocalCentroids => self.fit_by(&lsnmf(&values, weights), data, &mut given),
        }
    }

    /// The graphs of this fit; where it starts at clusters, these are known then.
    fn graphs<'g, T: Real>(&mut self, data: &Stored<'_, T>, given: &mut Given<'g, T>) -> Result<Graphs<'g>> {
        let making = Instant::now();
        let (follows, merges) = (self.entry.follows(self.spec), self.entry.merges(self.spec));
        if follows.or(merges).is_some() {
            given.begins(Phase::Graph);
        }
        let guide = Guide::find(self, data, given)?;
        let cancel = given.until(self.deadline);
        let merging =
            merges.map(|chosen| graph::find(chosen, &data.unit(), given.graph, &cancel)).transpose()?;
        self.clusters = given.clusters.map(|clusters| {
            let mut clusters = clusters.to_vec();
            fill(data, &mut clusters, self.spec.k);
            clusters
        });
        let followed = guide.map(|guide| {
            (self.clusters, self.choice) = (self.clusters.take().or(guide.clusters), guide.choice);
            guide.graph
        });
        self.seconds.prepare += making.elapsed().as_secs_f64();
        Ok(Graphs { follows, followed, merging })
    }

    /// Fits with a method that weighs samples.
    fn fit_samples<T: Real>(
        self,
        make: MakeByValues,
        data: &Stored<'_, T>,
        mut given: Given<'_, T>,
        graphs: Graphs<'_>,
    ) -> Result<Fit<T>> {
        let Self { spec, entry, weights, .. } = self;
        let (values, own) = (Values::of(entry, &spec.params), given.loss);
        let irls = || irls(&self, || own.map_or_else(|| make(&values), |own| own()));
        let penalties = self.penalties(data.shape());
        if spec.is_deep() {
            let method = deep(&self, irls(), graphs.merging.map(|graph| Merging { graph, some: None }));
            let side: &dyn SampleSide<T> = &Host::new(data, weights);
            self.fit_by(&method, side, &mut given)
        } else if graphs.follows.is_some() {
            let (lambda, monotone) = (values.get("lambda"), values.get("monotone") == Some(1.0));
            let (irls, graph) = (irls(), graphs.followed(true)?);
            let method = GraphIrls { irls, sample_weights: weights, graph, lambda, monotone };
            self.fit_by(&method, data, &mut given)
        } else if spec.missing == Missing::Nan {
            let method = entrywise(&self, Aim::Samples(Box::new(|| make(&values))), data.shape());
            let side: &dyn SampleSide<T> = &Host::new(data, weights);
            self.fit_by(&method, side, &mut given)
        } else if !penalties.are_none() {
            let method = Penalised { update: irls().update, penalties, sample_weights: weights };
            self.fit_by(&method, data, &mut given)
        } else {
            match given.device {
                Some(device) => self.fit_on(device, data, &mut given),
                None => self.fit_side(&Host::new(data, weights), &mut given),
            }
        }
    }

    /// Whether it minimises the divergence that need not see zeros.
    fn is_divergence(&self) -> bool {
        self.entry.recipe(&self.spec.params) == Some(Recipe::Divergence)
    }
}

/// Makes the loss of a method from its parameters.
type MakeByValues = fn(&Values<'_>) -> Box<dyn Loss>;

/// The graphs of a fit.
struct Graphs<'g> {
    follows: Option<GraphSpec>,
    followed: Option<Cow<'g, Graph>>,
    merging: Option<Cow<'g, Graph>>,
}

impl<'g> Graphs<'g> {
    /// The graph that the fit follows.
    fn followed(self, normalized: bool) -> Result<Cow<'g, Graph>> {
        let graph = self.followed.ok_or_else(|| Error::param("graph", "missing", "given"))?;
        Ok(graph::normalized(self.follows.unwrap_or_default(), graph, normalized))
    }
}

/// The sample-weighted method with this loss.
fn irls<'a>(fitting: &Fitting<'a>, loss: impl Fn() -> Box<dyn Loss> + Send + Sync + 'a) -> Irls<'a> {
    let spec = fitting.spec;
    let update = match fitting.entry.solver(spec) {
        Solver::Mu => Update::Multiplicative { exponent: fitting.exponent() },
        Solver::Hals => {
            Update::Hals { sweeps: spec.sweeps, extrapolate: spec.extrapolate, deadline: fitting.deadline }
        }
    };
    Irls { loss: Box::new(loss), update, epsilon: spec.epsilon }
}

/// Layers on top of this method.
fn deep<'a>(fitting: &Fitting<'a>, irls: Irls<'a>, merging: Option<Merging<'a>>) -> Deep<'a> {
    let Fitting { spec, entry, .. } = *fitting;
    Deep {
        irls,
        exponent: fitting.exponent(),
        above: &spec.above,
        merging,
        alone: Alone { max_iter: spec.max_iter, tol: entry.tol(spec), by: check::stop_by(spec, entry) },
        agreed: OnceLock::new(),
        labels: entry.labels(spec),
    }
}

/// The entry-wise method that minimises this.
fn entrywise<'a>(fitting: &Fitting<'a>, aim: Aim<'a>, shape: (usize, usize)) -> Entrywise<'a> {
    let spec = fitting.spec;
    let missing = spec.missing == Missing::Nan;
    let penalties = fitting.penalties(shape);
    let recipe = if let Aim::Entries(recipe) = &aim { Some(*recipe) } else { None };
    let exponents = fitting.exponents(recipe, &penalties);
    Entrywise { aim, exponents, penalties, epsilon: spec.epsilon, missing }
}

fn sparse_divergence<'a>(fitting: &Fitting<'a>, shape: (usize, usize)) -> SparseDivergence<'a> {
    let penalties = fitting.penalties(shape);
    let exponents = fitting.exponents(Some(Recipe::Divergence), &penalties);
    SparseDivergence { exponents, penalties, sample_weights: fitting.weights }
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
