//! A method from its entry in the registry and the parameters: one line for each kind.

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
use crate::method::side::Host;
use crate::method::{
    Aim, Alone, Deep, Entrywise, Gamma, GraphIrls, Gsnmf, Irls, Lsnmf, Onmf, Penalised, Pnmf, Recipe,
    Regularized, Rmnmf, Setting, Source, SparseDivergence, Symnmf, Update,
};
use crate::model::Fit;
use crate::real::Real;
use crate::registry::{Kind, Values};
use crate::spec::{Missing, Solver};

impl Fitting<'_> {
    /// Fits samples anywhere with a method that weighs them, without a graph.
    pub(super) fn fit_side<T: Real>(
        self,
        side: &dyn SampleSide<T>,
        given: &mut Given<'_, T>,
    ) -> Result<Fit<T>> {
        let (values, own) = (Values::of(self.entry, &self.spec.params), given.loss);
        match self.entry.kind {
            Kind::Samples(make) | Kind::Graph(make) => {
                let method = irls(&self, || own.map_or_else(|| make(&values), |own| own()));
                self.fit_by(&method, side, given)
            }
            _ => Err(Error::param("method", self.entry.name, "one that weights samples")),
        }
    }

    /// Makes the method and fits with it, on the given graph where it follows one.
    pub(super) fn fit<T: Real>(mut self, data: &Stored<'_, T>, mut given: Given<'_, T>) -> Result<Fit<T>> {
        let Self { spec, entry, weights, .. } = self;
        let missing = spec.missing == Missing::Nan;
        let values = Values::of(entry, &spec.params);
        let follows = entry.follows(spec);
        let own = given.loss;
        if let Some(device) = given.device {
            spec.check_device(&device.name())?;
        }
        let making = Instant::now();
        let merges = entry.merges(spec);
        if follows.or(merges).is_some() {
            given.begins(Phase::Graph);
        }
        let guide = Guide::find(&self, data, &given)?;
        let merging =
            merges.map(|chosen| graph::find(chosen, &data.unit(), given.graph, &given.until(self.deadline)));
        let merging = merging.transpose()?;
        self.clusters = given.clusters.map(|clusters| {
            let mut clusters = clusters.to_vec();
            fill(data, &mut clusters, spec.k);
            clusters
        });
        self.seconds.prepare += making.elapsed().as_secs_f64();
        let followed = guide.map(|guide| {
            (self.clusters, self.choice) = (self.clusters.take().or(guide.clusters), guide.choice);
            guide.graph
        });
        let graph = |normalized| {
            let graph = followed.ok_or_else(|| Error::param("graph", "missing", "given"))?;
            Ok::<_, Error>(graph::normalized(follows.unwrap_or_default(), graph, normalized))
        };
        match entry.kind {
            Kind::Samples(make) if spec.is_deep() => {
                let irls = irls(&self, || own.map_or_else(|| make(&values), |own| own()));
                let method = Deep {
                    irls,
                    exponent: self.exponent(),
                    sample_weights: weights,
                    above: &spec.above,
                    graph: merging,
                    alone: Alone {
                        max_iter: spec.max_iter,
                        tol: entry.tol(spec),
                        by: check::stop_by(spec, entry),
                    },
                    agreed: OnceLock::new(),
                    labels: entry.labels(spec),
                };
                self.fit_by(&method, data, &mut given)
            }
            Kind::Samples(make) | Kind::Graph(make) if follows.is_some() => {
                let (irls, graph) =
                    (irls(&self, || own.map_or_else(|| make(&values), |own| own())), graph(true)?);
                let (lambda, monotone) = (values.get("lambda"), values.get("monotone") == Some(1.0));
                self.fit_by(
                    &GraphIrls { irls, sample_weights: weights, graph, lambda, monotone },
                    data,
                    &mut given,
                )
            }
            Kind::Samples(make) if missing => {
                let aim = Aim::Samples(Box::new(|| make(&values)));
                let method = entrywise(&self, aim, data.shape());
                self.fit_by(&method, data, &mut given)
            }
            Kind::Samples(make) if !self.penalties(data.shape()).are_none() => {
                let update = irls(&self, || make(&values)).update;
                let penalties = self.penalties(data.shape());
                self.fit_by(&Penalised { update, penalties, sample_weights: weights }, data, &mut given)
            }
            Kind::Samples(_) | Kind::Graph(_) => match given.device {
                Some(device) => self.fit_on(device, data, &mut given),
                None => self.fit_side(&Host::new(data, weights), &mut given),
            },
            Kind::Entries(make) => match make(&values) {
                recipe @ Recipe::Divergence if data.is_sparse() => {
                    let method = sparse_divergence(&self, recipe, data.shape());
                    self.fit_by(&method, data, &mut given)
                }
                recipe => {
                    let method = entrywise(&self, Aim::Entries(recipe), data.shape());
                    self.fit_by(&method, data, &mut given)
                }
            },
            Kind::Probabilistic => self.fit_by(&pnmf(&values, weights), data, &mut given),
            Kind::Separable => self.fit_by(&gsnmf(&values, weights), data, &mut given),
            Kind::Regularized(make) => {
                let terms = make(&values);
                let graph = if terms.graph == Source::Given { Some(graph(false)?) } else { None };
                let method = Regularized { terms, graph: graph.as_deref(), sample_weights: weights };
                self.fit_by(&method, data, &mut given)
            }
            Kind::Orthogonal => self.fit_by(&Onmf { sample_weights: weights }, data, &mut given),
            Kind::Symmetric => {
                let (graph, half) = (graph(true)?, values.get("half") == Some(1.0));
                self.fit_by(&Symnmf { graph: &graph, half }, data, &mut given)
            }
            Kind::RobustManifold => self.fit_by(&rmnmf(&values, &*graph(false)?), data, &mut given),
            Kind::LocalCentroids => self.fit_by(&lsnmf(&values, weights), data, &mut given),
        }
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

/// The entry-wise method that minimises this.
fn entrywise<'a>(fitting: &Fitting<'a>, aim: Aim<'a>, shape: (usize, usize)) -> Entrywise<'a> {
    let Fitting { spec, weights: sample_weights, .. } = *fitting;
    let missing = spec.missing == Missing::Nan;
    let penalties = fitting.penalties(shape);
    let recipe = if let Aim::Entries(recipe) = &aim { Some(*recipe) } else { None };
    let exponents = fitting.exponents(recipe, &penalties);
    Entrywise { aim, exponents, penalties, epsilon: spec.epsilon, sample_weights, missing }
}

fn sparse_divergence<'a>(
    fitting: &Fitting<'a>,
    recipe: Recipe,
    shape: (usize, usize),
) -> SparseDivergence<'a> {
    let penalties = fitting.penalties(shape);
    let exponents = fitting.exponents(Some(recipe), &penalties);
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
