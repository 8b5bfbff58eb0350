//! Every method by name, with its reference and parameters. Library, command line and Python take their
//! names, defaults and checks from here.

mod competitors;
mod methods;

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::method::{Recipe, Source, Terms};
use crate::spec::{LabelRule, Solver};

pub use methods::{GRAPH_PARAMS, METHODS};

/// How X may be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// All entries.
    Dense,
    /// Nonzero entries, compressed by rows.
    Sparse,
}

impl std::fmt::Display for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Dense => "dense",
            Self::Sparse => "sparse",
        })
    }
}

/// A parameter of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its value where none is given; `None` is taken from the data.
    pub default: Option<f64>,
    /// It must be above this.
    pub above: f64,
    /// It must not be above this.
    pub up_to: f64,
    /// It must be a whole number.
    pub whole: bool,
    /// What it does.
    pub help: &'static str,
}

/// The largest and the smallest value of a parameter that has no bounds of its own: numbers of both floating-point types
/// go that far.
pub const MOST: f64 = 1e30;
const LEAST: f64 = 1e-30;

/// A method.
pub struct Entry {
    /// Its name everywhere.
    pub name: &'static str,
    /// What the name stands for.
    pub title: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// The objective, in symbols.
    pub objective: &'static str,
    /// What can be relied on.
    pub guarantee: &'static str,
    /// Whether less or more of it is better.
    pub goal: Goal,
    /// The storage of X that it takes.
    pub storage: &'static [Storage],
    /// The solvers that it can use; none where it has its own.
    pub solvers: &'static [Solver],
    /// Exponent of its published multiplicative update, where it has one.
    pub exponent: Option<f64>,
    /// Its own parameters.
    pub params: &'static [Param],
    /// How it is made.
    pub(crate) kind: Kind,
}

/// Whether less or more of the objective is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// It is minimised.
    Least,
    /// It is maximised.
    Most,
}

impl Goal {
    /// Whether an objective of `a` is better than one of `b`.
    pub fn is_better(self, a: f64, b: f64) -> bool {
        match self {
            Self::Least => a < b,
            Self::Most => a > b,
        }
    }
}

/// What kind of method it is, and how it is made from its parameters. `fit/methods.rs` has a line for each kind.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Weighted samples, with this loss.
    Samples(fn(&Values<'_>) -> Box<dyn Loss>),
    /// Weighted samples, with this loss and a graph.
    Graph(fn(&Values<'_>) -> Box<dyn Loss>),
    /// Weighted entries, minimising this.
    Entries(fn(&Values<'_>) -> Recipe),
    /// Variational Bayes.
    Probabilistic,
    /// Generalized separable.
    Separable,
    /// Least squares with these terms besides.
    Regularized(fn(&Values<'_>) -> Terms),
    /// Orthogonal NMF.
    Orthogonal,
    /// Symmetric NMF of a graph.
    Symmetric,
    /// Robust manifold NMF.
    RobustManifold,
    /// Local centroids structured NMF.
    LocalCentroids,
}

/// The parameters of a method as given or by default.
pub(crate) struct Values<'a> {
    entry: &'a Entry,
    given: &'a BTreeMap<String, f64>,
}

impl<'a> Values<'a> {
    /// The given parameters of a method, the others by default.
    pub(crate) fn of(entry: &'a Entry, given: &'a BTreeMap<String, f64>) -> Self {
        Self { entry, given }
    }

    pub(crate) fn get(&self, name: &str) -> Option<f64> {
        let known = || self.entry.params.iter().chain(GRAPH_PARAMS);
        let default = || known().find(|param| param.name == name)?.default;
        self.given.get(name).copied().or_else(default)
    }
}

/// The method of this name.
pub fn find(name: &str) -> Result<&'static Entry> {
    let entry = METHODS.iter().find(|entry| entry.name == name);
    entry.ok_or_else(|| unknown("method", name, METHODS.iter().map(|entry| entry.name)))
}

impl Entry {
    /// The loss of a sample-weighted method with the given parameters.
    pub fn loss(&self, params: &BTreeMap<String, f64>) -> Option<Box<dyn Loss>> {
        match self.kind {
            Kind::Samples(make) => Some(make(&Values::of(self, params))),
            _ => None,
        }
    }

    /// Whether it can leave missing values out.
    pub fn takes_missing(&self) -> bool {
        matches!(self.kind, Kind::Samples(_) | Kind::Entries(_))
    }

    /// Whether it can set outliers aside: a method of weighted samples or entries, which keeps nothing about a sample but its
    /// coefficients.
    pub fn can_set_aside(&self) -> bool {
        self.takes_missing() || matches!(self.kind, Kind::Graph(_))
    }

    /// Whether it always follows a graph over the samples.
    pub fn needs_graph(&self) -> bool {
        let given = self.terms().is_some_and(|terms| terms.graph == Source::Given);
        given || matches!(self.kind, Kind::Graph(_) | Kind::Symmetric | Kind::RobustManifold)
    }

    /// Whether it can follow a graph over the samples.
    pub fn takes_graph(&self) -> bool {
        self.needs_graph() || matches!(self.kind, Kind::Samples(_))
    }

    /// Whether it follows a graph, or learns one.
    pub fn has_graph(&self) -> bool {
        let learned = self.terms().is_some_and(|terms| terms.graph != Source::None);
        self.needs_graph() || learned || matches!(self.kind, Kind::LocalCentroids)
    }

    /// Whether samples may count more or less than once. A graph counts each once; a loss beside it may not.
    pub fn takes_weights(&self) -> bool {
        !self.has_graph() || matches!(self.kind, Kind::Graph(_))
    }

    /// Whether `transform` of the training samples gives the coefficients of the fit. Not where these follow more than the
    /// sample: neighbours, or other terms than the fit.
    pub fn codes_alone(&self) -> bool {
        let plain = self.terms().is_none_or(|terms| terms.is_plain());
        plain && !self.has_graph() && !matches!(self.kind, Kind::Orthogonal)
    }

    /// Whether with these parameters no iteration makes the objective worse.
    pub fn is_monotone(&self, params: &BTreeMap<String, f64>) -> bool {
        match self.kind {
            Kind::Samples(make) => make(&Values::of(self, params)).descends(),
            Kind::Graph(make) => {
                let values = Values::of(self, params);
                values.get("monotone") == Some(1.0) && make(&values).descends()
            }
            Kind::Entries(make) => make(&Values::of(self, params)).descends(),
            Kind::Probabilistic | Kind::Separable => true,
            Kind::Regularized(make) => make(&Values::of(self, params)).descends(),
            Kind::Symmetric => Values::of(self, params).get("half") == Some(0.0),
            Kind::LocalCentroids => {
                let values = Values::of(self, params);
                values.get("adapt") == Some(0.0) && values.get("stable") == Some(0.0)
            }
            Kind::Orthogonal | Kind::RobustManifold => false,
        }
    }

    /// The terms of a regularized method with its default parameters.
    fn terms(&self) -> Option<Terms> {
        match self.kind {
            Kind::Regularized(make) => Some(make(&Values::of(self, &BTreeMap::new()))),
            _ => None,
        }
    }

    /// Whether X in other units gives U in these units and the same V. Not where a prior or a graph term has a unit, nor
    /// where V holds entries of X.
    pub fn is_homogeneous(&self) -> bool {
        let graph = self.has_graph() && !matches!(self.kind, Kind::Graph(_));
        !graph && !matches!(self.kind, Kind::Probabilistic | Kind::Separable)
    }

    /// Whether a sample without entries has no coefficients. A distribution over them has a positive mean, and in a graph
    /// it has those of its neighbours.
    pub fn keeps_zeros(&self) -> bool {
        !self.has_graph() && !matches!(self.kind, Kind::Probabilistic)
    }

    /// How labels are read off V where the user does not say: where the components have unrelated scales,
    /// with centroids of unit length; where a given graph makes columns of V alike, by k-means.
    pub fn label_rule(&self) -> LabelRule {
        match (self.kind, self.terms()) {
            (_, Some(terms)) if terms.graph == Source::Given => LabelRule::Kmeans,
            (_, Some(terms)) if terms.local == 0.0 => LabelRule::Unit,
            (Kind::Separable | Kind::Orthogonal, _) => LabelRule::Unit,
            (Kind::LocalCentroids, _) => LabelRule::Components,
            _ => LabelRule::Raw,
        }
    }

    /// The parameters that it has with or without a graph that it does not need.
    pub fn params_with(&self, graph: bool) -> impl Iterator<Item = &'static Param> + Clone {
        let of_graph = if graph && !self.needs_graph() { GRAPH_PARAMS } else { &[] };
        self.params.iter().chain(of_graph)
    }

    /// Every given parameter is one of the method's, with or without a graph, and within its range.
    pub fn check(&self, params: &BTreeMap<String, f64>, graph: bool) -> Result<()> {
        let known = self.params_with(graph);
        for (name, &value) in params {
            let Some(param) = known.clone().find(|param| param.name == name) else {
                let names = known.map(|param| param.name);
                return Err(match names.clone().next() {
                    None => Error::Param {
                        name: "params",
                        got: format!("'{name}'"),
                        must: format!("empty: {} has no parameters of its own", self.name),
                    },
                    _ => unknown("parameter of this method", name, names),
                });
            };
            let vanishes = param.above == 0.0 && value > 0.0 && value < LEAST;
            if !(value > param.above && value <= param.up_to) || vanishes {
                let least =
                    if vanishes { format!("at least {LEAST:e}") } else { format!("above {}", param.above) };
                let most = match param.up_to {
                    MOST if value.is_infinite() => "finite".into(),
                    MOST => format!("at most {MOST:e}"),
                    most => format!("at most {most}"),
                };
                let usual = (1e-6..1e9).contains(&value.abs()) || value == 0.0;
                let got = if usual { value.to_string() } else { format!("{value:e}") };
                return Err(Error::param(param.name, got, format!("{least} and {most}")));
            }
            if param.whole && value.fract() != 0.0 {
                return Err(Error::param(param.name, value, "a whole number"));
            }
        }
        Ok(())
    }
}

fn unknown(kind: &'static str, name: &str, known: impl Iterator<Item = &'static str>) -> Error {
    // A name that was cut short is meant before one that differs in few letters.
    let distance = |known: &&str| (!known.contains(name), strsim::levenshtein(known, name));
    let nearest = known.min_by_key(distance).unwrap_or_default();
    Error::Unknown { kind, name: name.into(), nearest: nearest.into() }
}
