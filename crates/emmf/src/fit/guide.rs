//! What leads a fit: the graph that it follows, and the clusters along the graph from which it starts.
//!
//! If the user does not say which graph, several are made: of the directions of the samples, and of their reconstructions
//! by wide robust fits ([`Loss`](crate::loss::Loss) `emmf`, HALS). Outliers do not influence these, noise does
//! little, and two samples are alike if they are made of the same parts. Each graph is cut into clusters, and the one
//! whose own clusters have the highest [`modularity`] on it is used: no labels, no parameter. Where the clusters turn out to be
//! clouds around their means (`clouds.rs`), they go where Lloyd's iterations lead, and links between them are cut, so that
//! the fit stays there.

use std::borrow::Cow;

use crate::cancel::{Cancel, in_time};
use crate::data::{Data, Dense, Stored, exact_gram, symmetric_eigen};
use crate::error::Result;
use crate::graph::Graph;
use crate::init::{Parts, Random, clusters_along, filled, kmeans, widths};
use crate::matrix::Mat;
use crate::method::side::Host;
use crate::method::{Extra, Value};
use crate::metrics::modularity;
use crate::model::Fit;
use crate::real::Real;
use crate::registry;
use crate::spec::{GraphKind, GraphSpec, Init, LabelRule, Missing, Solver, Spec};
use crate::threads::Running;

use super::fitting::Fitting;
use super::{Given, clouds, graph};

/// Modularities that differ by less are equal, and rounding does not decide: the graph of fewer centroids stays.
const EQUAL: f64 = 1e-4;
/// Iterations of a wide fit.
const ITERATIONS: usize = 30;

/// A graph, and the clusters along it.
pub(super) struct Guide<'a> {
    pub(super) graph: Cow<'a, Graph>,
    pub(super) clusters: Option<Vec<usize>>,
    /// Centroids of the fit whose reconstructions the graph is made of, 0 where it is of the samples, and its modularity; where
    /// it was chosen.
    pub(super) choice: Option<(usize, f64)>,
}

impl<'a> Guide<'a> {
    /// What leads this fit, if anything does.
    pub(super) fn find<T: Real>(
        fitting: &Fitting<'_>,
        data: &Stored<'_, T>,
        given: &Given<'a, T>,
    ) -> Result<Option<Self>> {
        let (spec, cancel) = (fitting.spec, &given.until(fitting.deadline));
        let open = given.start.is_none() && given.clusters.is_none();
        let starts = open && fitting.entry.init(spec) == Init::Graph;
        let chosen = match fitting.entry.follows(spec) {
            Some(chosen) => chosen,
            None if starts => GraphSpec::default(),
            None => return Ok(None),
        };
        if chosen.kind == GraphKind::Auto {
            let filled = (spec.missing == Missing::Nan).then(|| filled(data));
            let dense = filled.as_ref().map(|filled| Stored::Dense(Dense::new(filled.view(), None)));
            let unit = dense.as_ref().unwrap_or(data).unit();
            // No more neighbours than a mean cluster has to give.
            let neighbours = chosen.neighbours.min((unit.shape().0 / spec.k).saturating_sub(1).max(1));
            let chosen = GraphSpec { kind: GraphKind::Knn, neighbours, ..chosen };
            let parts = parts(&unit, spec, cancel)?;
            let candidates = Candidates { unit, chosen, k: spec.k, parts, cancel };
            let Candidate { mut graph, width, cut } = candidates.best(fitting)?;
            let Some(Cut { mut clusters, modularity }) = cut else {
                return Ok(Some(Self { graph: Cow::Owned(graph), clusters: None, choice: None }));
            };
            let choice = Some((width, modularity));
            if !starts {
                return Ok(Some(Self { graph: Cow::Owned(graph), clusters: None, choice }));
            }
            let (unit, found) = (&candidates.unit, (&*clusters, spec.k));
            let settled = clouds::refined(unit, found, neighbours, fitting.weights, cancel);
            if let Some(settled) = in_time(settled)?.flatten() {
                (graph, clusters) = (graph.within(&settled), settled);
            }
            return Ok(Some(Self { graph: Cow::Owned(graph), clusters: Some(clusters), choice }));
        }
        let graph = graph::find(chosen, data, given.graph, cancel)?;
        let clusters = || {
            let parts = parts(&data.unit(), spec, cancel)?;
            clusters_along(&graph, data, spec.k, parts.as_ref(), cancel)
        };
        let clusters = if starts { in_time(clusters())? } else { None };
        Ok(Some(Self { graph, clusters, choice: None }))
    }
}

/// What was chosen, to be told.
pub(super) fn told<T>((width, modularity): (usize, f64)) -> [Extra<T>; 2] {
    let number = |name, value| Extra::new(name, Value::Number(value));
    [number("graph-centroids", width as f64), number("graph-modularity", modularity)]
}

/// A graph with its own clusters, where there was time for these.
struct Candidate {
    graph: Graph,
    width: usize,
    cut: Option<Cut>,
}

/// Clusters of a graph.
struct Cut {
    clusters: Vec<usize>,
    modularity: f64,
}

/// The graphs of which the best is looked for.
struct Candidates<'a, T> {
    unit: Stored<'a, T>,
    chosen: GraphSpec,
    k: usize,
    parts: Option<Parts>,
    cancel: &'a Cancel,
}

impl<T: Real> Candidates<'_, T> {
    /// The best of those for which there is time. The first graph is needed.
    fn best(&self, fitting: &Fitting<'_>) -> Result<Candidate> {
        let mut best = self.candidate(&self.unit, 0)?;
        for width in widths(self.k, self.unit.shape()) {
            if self.cancel.is_late() {
                break;
            }
            let Some(next) = in_time(self.of_wide(fitting, width))? else { break };
            let modularity = |of: &Candidate| of.cut.as_ref().map_or(f64::NEG_INFINITY, |cut| cut.modularity);
            if modularity(&next) > modularity(&best) + EQUAL {
                best = next;
            }
        }
        Ok(best)
    }

    /// The graph of the reconstructions of a fit with so many centroids.
    fn of_wide(&self, fitting: &Fitting<'_>, width: usize) -> Result<Candidate> {
        let rows = {
            let fit = wide(fitting, &self.unit, width, self.cancel)?;
            let root = root_of_gram(fit.model.centroids()).cast();
            Dense::new(fit.v.view(), None).dot(&root)
        };
        self.candidate(&Stored::Dense(Dense::new(rows.view(), None)).unit(), width)
    }

    /// The graph of these rows, each of which stands for a sample, with its clusters.
    fn candidate(&self, rows: &Stored<'_, T>, width: usize) -> Result<Candidate> {
        let graph = graph::find(self.chosen, rows, None, self.cancel)?.into_owned();
        let clusters = clusters_along(&graph, rows, self.k, self.parts.as_ref(), self.cancel);
        let cut = match in_time(clusters)? {
            Some(clusters) => Some(Cut { modularity: modularity(&graph, &clusters)?, clusters }),
            None => None,
        };
        Ok(Candidate { graph, width, cut })
    }
}

/// What clusters are merged from, where there are too many samples for eigenvectors: many clusters of k-means. (The largest
/// coefficients of a wide fit say nothing where it has more centroids than there are features.)
fn parts<T: Real>(unit: &Stored<'_, T>, spec: &Spec, cancel: &Cancel) -> Result<Option<Parts>> {
    let n = unit.shape().0;
    let Some(count) = Parts::needed(n, spec.k) else { return Ok(None) };
    let found = kmeans(unit, count, &vec![1.0; n], &mut Random::new(spec.seed), cancel)?;
    Ok(Some(Parts { of: found.labels, count }))
}

/// A robust fit of unit samples with many centroids.
fn wide<T: Real>(
    fitting: &Fitting<'_>,
    unit: &Stored<'_, T>,
    width: usize,
    cancel: &Cancel,
) -> Result<Fit<T>> {
    let spec = Spec::emmf(width).solver(Solver::Hals).max_iter(ITERATIONS).seed(fitting.spec.seed);
    let spec = Spec { polish: false, init: Some(Init::Kmeans), init_restarts: 1, ..spec }
        .label_rule(LabelRule::Largest);
    let Fitting { weights, intact, pool, .. } = *fitting;
    let fitting = Fitting::new(&spec, registry::find("emmf")?, weights, pool);
    let running = Running { cancel: cancel.clone(), ..Running::default() };
    let side = Host::new(unit, weights);
    Fitting { intact, deadline: cancel.end(), ..fitting }
        .fit_side(&side, &mut Given { running, ..Given::default() })
}

/// The symmetric root of UᵀU: rows of V times it are as far from each other as reconstructions V·Uᵀ are.
fn root_of_gram<T: Real>(u: &Mat<T>) -> Mat<f64> {
    let c = u.cols();
    let gram = exact_gram(u);
    let Some((values, vectors)) = symmetric_eigen(&gram) else { return gram };
    let roots: Vec<f64> = values.iter().map(|value| value.max(0.0).sqrt()).collect();
    Mat::from_fn(c, c, |i, j| (0..c).map(|at| vectors[(i, at)] * roots[at] * vectors[(j, at)]).sum())
}
