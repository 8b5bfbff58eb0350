//! What is true of a method whatever its parameters. Library, program and Python check these fields, not a name or a kind.

use serde::Serialize;

use crate::method::memory::{self, Sizes};
use crate::spec::LabelRule;

/// What is true of a method whatever its parameters.
#[derive(Debug, Clone, Copy, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Facts {
    /// The graph over the samples that it follows.
    pub graph: GraphUse,
    /// Whether samples may count more or less than once. A loss counts a sample as often as its weight says; a graph counts
    /// each sample once.
    pub weights: bool,
    /// Whether a loss of your own can take the place of its own.
    pub own_loss: bool,
    /// Whether it can leave out missing values.
    pub missing: bool,
    /// Whether outliers are set aside.
    pub set_aside: SetAside,
    /// Whether a sample without entries has no coefficients. A distribution over them has a positive mean, and in a graph
    /// the sample gets those of its neighbours.
    pub zeros: bool,
    /// Whether X in other units gives U in these units and the same V. Not if a scale, a prior or a graph term has a
    /// unit, nor if V holds entries of X.
    pub homogeneous: bool,
    /// How labels are read off V if the user does not say and no graph is used. By k-means for methods that weight samples:
    /// samples of one cluster may be made of several centroids.
    pub labels: LabelRule,
    /// How its authors read them, or would: if the components have unrelated scales, with centroids of unit length; if a
    /// given graph makes columns of V alike, by k-means.
    pub published_labels: LabelRule,
    /// Whether it runs until it converges if the user does not choose a solver: by coordinate descent, from the
    /// nonnegative double SVD, until the relative change of the objective is below 1e-6.
    pub converges: bool,
    /// Whether it stops by default, where it follows a graph, once an iteration changes V by less than 1e-4 of itself.
    pub settles: bool,
    /// Whether `transform` of the training samples gives the coefficients of the fit. Not if these depend on more than
    /// the sample: on neighbours, or on terms other than the fit.
    pub codes_alone: bool,
    /// Whether its restarts can be brought to a consensus: coefficients follow from the centroids alone.
    pub consensus: bool,
    /// Whether it can have layers above it.
    pub layers: bool,
    /// Whether its objective can have penalties on the entries of the factors: where samples or entries are weighed by
    /// residuals, these would have another weight in every iteration.
    pub penalties: bool,
    /// Where the samples of a fit may be. A method that follows a graph needs them in one memory.
    pub places: Places,
    /// The memory that its iterations take.
    pub memory: Memory,
}

/// The graph over the samples that a method follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GraphUse {
    /// None.
    None,
    /// That of `spec.graph`, if there is one.
    Optional,
    /// That of `spec.graph`, otherwise that of the nearest neighbours.
    Needed,
    /// One that it learns.
    Learned,
}

impl GraphUse {
    /// Whether the user can choose the graph.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Optional | Self::Needed)
    }

    /// Whether there is one in every fit.
    pub fn is_certain(self) -> bool {
        matches!(self, Self::Needed | Self::Learned)
    }
}

/// Whether outliers are set aside before the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SetAside {
    /// Never: the method keeps more about a sample than its coefficients.
    Never,
    /// If the user says so.
    Asked,
    /// Unless the user says otherwise.
    Default,
}

/// Where the samples of a fit may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Places {
    /// In one memory: a step needs all of them at once.
    OneMemory,
    /// In one memory or in shards of several: steps need sums over entries.
    Shards,
    /// Anywhere, in shards, on a card or batch after batch: steps need sums over samples.
    Anywhere,
}

/// The memory that the iterations of a fit take, on top of X, U, vectors of length n and a given graph.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Memory {
    /// Number of matrices as large as V, including V.
    pub like_v: f64,
    /// Number of matrices as large as X.
    pub like_x: f64,
    /// Neighbours of a sample among which a learned graph chooses.
    pub candidates: usize,
    /// Whether it starts from the factors of `spec.init`.
    pub starts: bool,
    /// Whether iterations make products of X with matrices as wide as U.
    pub products: bool,
    /// Bytes of everything else.
    #[serde(skip)]
    pub(crate) more: fn(&Sizes<'_>) -> f64,
}

/// So many matrices as large as V, and nothing else.
pub(super) const fn like_v(like_v: f64) -> Memory {
    Memory { like_v, like_x: 0.0, candidates: 0, starts: true, products: true, more: memory::nothing }
}

/// Matrices as large as V of a method of weighted samples that follows a graph.
pub(crate) const WITH_GRAPH: f64 = 4.0;

/// Weighted samples.
pub(super) const SAMPLES: Facts = Facts {
    graph: GraphUse::Optional,
    weights: true,
    own_loss: true,
    missing: true,
    set_aside: SetAside::Asked,
    zeros: true,
    homogeneous: true,
    labels: LabelRule::Kmeans,
    published_labels: LabelRule::Largest,
    converges: false,
    settles: true,
    codes_alone: true,
    consensus: true,
    layers: true,
    penalties: false,
    places: Places::Anywhere,
    memory: like_v(1.0),
};

/// Weighted entries.
pub(super) const ENTRIES: Facts = Facts {
    graph: GraphUse::None,
    weights: true,
    own_loss: false,
    missing: true,
    set_aside: SetAside::Asked,
    zeros: true,
    homogeneous: true,
    labels: LabelRule::Largest,
    published_labels: LabelRule::Largest,
    converges: false,
    settles: false,
    codes_alone: true,
    consensus: true,
    layers: false,
    penalties: false,
    places: Places::Shards,
    memory: Memory { products: false, more: memory::entrywise, ..like_v(2.0) },
};

/// A step of its own, without a graph.
pub(super) const fn alone(labels: LabelRule, codes_alone: bool, memory: Memory) -> Facts {
    Facts {
        graph: GraphUse::None,
        weights: true,
        own_loss: false,
        missing: false,
        set_aside: SetAside::Never,
        zeros: true,
        homogeneous: true,
        labels,
        published_labels: labels,
        converges: false,
        settles: false,
        codes_alone,
        consensus: false,
        layers: false,
        penalties: false,
        places: Places::OneMemory,
        memory,
    }
}

/// A step of its own, with a graph.
pub(super) const fn with_graph(graph: GraphUse, labels: LabelRule, memory: Memory) -> Facts {
    Facts {
        graph,
        weights: false,
        own_loss: false,
        missing: false,
        set_aside: SetAside::Never,
        zeros: false,
        homogeneous: false,
        labels,
        published_labels: labels,
        converges: false,
        settles: false,
        codes_alone: false,
        consensus: false,
        layers: false,
        penalties: false,
        places: Places::OneMemory,
        memory,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::GraphUse;
    use crate::method::Source;
    use crate::registry::{Kind, METHODS, Values};

    /// What a regularized method minimises agrees with its facts.
    #[test]
    fn terms_agree_with_facts() {
        for entry in METHODS {
            let Kind::Regularized(make) = entry.kind else { continue };
            let terms = make(&Values::of(entry, &BTreeMap::new()));
            let graph = match terms.graph {
                Source::None => GraphUse::None,
                Source::Given => GraphUse::Needed,
                Source::Learned(_) => GraphUse::Learned,
            };
            assert_eq!(entry.facts.graph, graph, "{}", entry.name);
            assert_eq!(entry.facts.codes_alone, terms.is_plain(), "{}", entry.name);
        }
    }
}
