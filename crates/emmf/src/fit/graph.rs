//! The graph of a fit: made of the samples, or the caller's.

use std::borrow::Cow;

use crate::cancel::Cancel;
use crate::data::Data;
use crate::error::{Error, Result};
#[cfg(feature = "approximate")]
use crate::graph::nearest_approximately;
use crate::graph::{Graph, Neighbours, adaptive, knn_graph, nearest};
use crate::real::Real;
use crate::spec::{GraphKind, GraphSpec};

/// The graph that `chosen` names.
pub(super) fn find<'a, T: Real, X: Data<T>>(
    chosen: GraphSpec,
    x: &X,
    given: Option<&'a Graph>,
    cancel: &Cancel,
) -> Result<Cow<'a, Graph>> {
    let n = x.shape().0;
    match (chosen.kind, given) {
        (GraphKind::Given, None) => Err(Error::param("graph", "missing", "given with the samples")),
        (GraphKind::Given, Some(graph)) => {
            check(graph, n)?;
            Ok(Cow::Borrowed(graph))
        }
        // What is chosen among several is settled in the guide; each of them is one of neighbours.
        (GraphKind::Knn | GraphKind::Auto, _) => {
            let near = neighbours(chosen, x, chosen.neighbours, cancel)?;
            Ok(Cow::Owned(knn_graph(&near, chosen.weighting)?))
        }
        // One neighbour more: it is where the weights reach 0.
        (GraphKind::Adaptive, _) => {
            let near = neighbours(chosen, x, chosen.neighbours + 1, cancel)?;
            Ok(Cow::Owned(adaptive(&near).graph()?))
        }
    }
}

/// A given graph is one over all `n` samples.
pub(super) fn check(graph: &Graph, n: usize) -> Result<()> {
    let nodes = graph.nodes();
    if nodes == n {
        return Ok(());
    }
    Err(Error::Shape { what: "the given graph", got: (nodes, nodes), want: (n, n) })
}

fn neighbours<T: Real, X: Data<T>>(
    chosen: GraphSpec,
    x: &X,
    k: usize,
    cancel: &Cancel,
) -> Result<Neighbours> {
    if !chosen.approximates(x.shape().0) {
        return nearest(x, k, cancel);
    }
    #[cfg(feature = "approximate")]
    return nearest_approximately(x, k, cancel);
    #[cfg(not(feature = "approximate"))]
    Err(Error::param(
        "approximate",
        true,
        "false: the feature 'approximate' of emmf was left out of this build",
    ))
}

/// The graph as a method takes it: normalised where `chosen` says so, or else the method.
pub(super) fn normalized(chosen: GraphSpec, graph: Cow<'_, Graph>, own: bool) -> Cow<'_, Graph> {
    if chosen.normalized.unwrap_or(own) { Cow::Owned(graph.normalized()) } else { graph }
}
