//! Every method by name, with its reference and parameters. Library, command line and Python take their
//! names, defaults and checks from here.

mod competitors;
mod facts;
mod methods;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::loss::Loss;
use crate::method::{Penalties, Recipe, Terms};
use crate::opaque::opaque;
use crate::spec::{GraphSpec, Init, LabelRule, Missing, Outliers, Solver, Spec, StopBy};

pub(crate) use facts::WITH_GRAPH;
pub use facts::{Facts, GraphUse, Memory, Places, SetAside};
pub use methods::{GRAPH_PARAMS, LAYER_PARAMS, METHODS, PENALTY_PARAMS};

/// How X may be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its value if none is given; `None` means that it is chosen from the data.
    pub default: Option<f64>,
    /// It must be above this; 0 is the next number above a bound that is negative but for rounding.
    pub above: f64,
    /// It must be at most this.
    pub up_to: f64,
    /// It must be a whole number.
    pub whole: bool,
    /// What it does.
    pub help: &'static str,
}

/// The largest and the smallest value of a parameter that has no bounds of its own: both floating-point types reach
/// that far.
pub const MOST: f64 = 1e30;
const LEAST: f64 = 1e-30;

/// A fit that converges by default ends when the objective changes by less than this share of itself.
const CONVERGED: f64 = 1e-6;

/// One that settles does when V changes by less than this share of itself: labels hardly move any more (docs/clusters.md).
const SETTLED: f64 = 1e-4;

/// A guarantee.
const DESCENT: &str = "the objective never rises";

/// A positive parameter.
const fn positive(name: &'static str, default: Option<f64>, help: &'static str) -> Param {
    Param { name, default, above: 0.0, up_to: MOST, whole: false, help }
}

/// A parameter that may be 0.
const fn not_negative(name: &'static str, default: Option<f64>, up_to: f64, help: &'static str) -> Param {
    Param { name, default, above: -LEAST, up_to, whole: false, help }
}

/// A parameter that is 0 or 1.
const fn choice(name: &'static str, default: f64, help: &'static str) -> Param {
    Param { name, default: Some(default), above: -1.0, up_to: 1.0, whole: true, help }
}

/// A method. As JSON it is what `emmf methods --json` prints and what Python makes its estimators from.
#[derive(Serialize)]
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
    /// Whether the objective is minimised or maximised.
    pub goal: Goal,
    /// How X may be stored.
    #[serde(rename = "data")]
    pub storage: &'static [Storage],
    /// The solvers that it can use; none if it has its own.
    pub solvers: &'static [Solver],
    /// Exponent of its published multiplicative update, if it has one.
    pub exponent: Option<f64>,
    /// Its own parameters.
    pub params: &'static [Param],
    /// What is true of it whatever its parameters.
    #[serde(flatten)]
    pub facts: Facts,
    /// How it is made.
    #[serde(skip)]
    pub(crate) kind: Kind,
}

/// Whether the objective is minimised or maximised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
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

/// A method with a step of its own; the rest of its entry is to be filled in.
const fn own(facts: Facts, kind: Kind) -> Entry {
    Entry {
        name: "",
        title: "",
        reference: "",
        objective: "",
        guarantee: "",
        goal: Goal::Least,
        storage: &[Storage::Dense, Storage::Sparse],
        solvers: &[],
        exponent: None,
        params: &[],
        facts,
        kind,
    }
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
        let known = || self.entry.params.iter().chain(GRAPH_PARAMS).chain(LAYER_PARAMS).chain(PENALTY_PARAMS);
        let default = || known().find(|param| param.name == name)?.default;
        self.given.get(name).copied().or_else(default)
    }
}

/// The method if the user names none: clusters along a graph. On the data sets of docs/clusters.md it is ahead of all
/// others on average; without a graph, `emmf` finds parts and topics.
pub const DEFAULT: &str = "g-emmf";

/// The method of this name.
pub fn find(name: &str) -> Result<&'static Entry> {
    let entry = METHODS.iter().find(|entry| entry.name == name);
    entry.ok_or_else(|| unknown("method", name, METHODS.iter().map(|entry| entry.name)))
}

opaque! { [] Entry; }

impl Entry {
    /// The loss of a sample-weighted method with the given parameters.
    pub fn loss(&self, params: &BTreeMap<String, f64>) -> Option<Box<dyn Loss>> {
        match self.kind {
            Kind::Samples(make) => Some(make(&Values::of(self, params))),
            _ => None,
        }
    }

    /// What an entry-weighted method minimises with the given parameters.
    pub(crate) fn recipe(&self, params: &BTreeMap<String, f64>) -> Option<Recipe> {
        match self.kind {
            Kind::Entries(make) => Some(make(&Values::of(self, params))),
            _ => None,
        }
    }

    /// The graph that a fit with these parameters follows. Layers are merged along one before the iterations, which follow none.
    pub fn follows(&self, spec: &Spec) -> Option<GraphSpec> {
        if spec.is_deep() { None } else { spec.graph.or_else(|| spec.own_graph()) }
    }

    /// The graph along which layers are merged in a fit with these parameters.
    pub fn merges(&self, spec: &Spec) -> Option<GraphSpec> {
        let merges = Values::of(self, &spec.params).get("merge") == Some(1.0);
        (spec.is_deep() && merges).then(|| spec.graph.unwrap_or_default())
    }

    /// How a fit with these parameters starts.
    pub fn init(&self, spec: &Spec) -> Init {
        let own = || match self.follows(spec) {
            Some(_) => Init::Graph,
            // A start that draws nothing is the same for all restarts, which then agree on everything.
            None if spec.solver.is_none() && self.converges(spec) && !spec.consensus => Init::Nndsvd,
            None => Init::Kmeans,
        };
        spec.init.unwrap_or_else(own)
    }

    /// How a factor is updated in a fit with these parameters.
    pub fn solver(&self, spec: &Spec) -> Solver {
        spec.solver.unwrap_or(if self.converges(spec) { Solver::Hals } else { Solver::Mu })
    }

    /// The relative change below which a fit with these parameters stops.
    pub fn tol(&self, spec: &Spec) -> f64 {
        let own = || match self.follows(spec) {
            // The objective is mostly the constant λ‖S‖².
            Some(_) if self.facts.settles && spec.stop_by != Some(StopBy::Objective) => SETTLED,
            None if self.converges(spec) && self.solver(spec) == Solver::Hals => CONVERGED,
            _ => 0.0,
        };
        spec.tol.unwrap_or_else(own)
    }

    /// How labels are read off V in a fit with these parameters.
    pub fn labels(&self, spec: &Spec) -> LabelRule {
        let apart = spec.label_count() != spec.k;
        let own = || match self.follows(spec) {
            // Nodes are told apart by their centroids.
            _ if spec.is_deep() => LabelRule::Largest,
            _ if apart => LabelRule::Kmeans,
            Some(_) => self.facts.published_labels,
            None => self.facts.labels,
        };
        spec.label_rule.unwrap_or_else(own)
    }

    /// Whether nothing in these parameters keeps the method from converging, as it does by default.
    fn converges(&self, spec: &Spec) -> bool {
        let free = self.follows(spec).is_none() && !spec.is_deep() && spec.missing == Missing::Refuse;
        self.facts.converges && free && spec.exponent.is_none()
    }

    /// Whether, with these parameters, no iteration makes the objective worse.
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

    /// The parameters that it has in this fit: its own, and those of an optional graph or optional layers.
    pub fn params_in(&self, spec: &Spec) -> impl Iterator<Item = &'static Param> + Clone + use<> {
        let follows = spec.graph.is_some() && !spec.is_deep() && self.facts.graph == GraphUse::Optional;
        let of_graph = if follows { GRAPH_PARAMS } else { &[] };
        let layered = spec.is_deep() && self.params.iter().all(|param| param.name != LAYER_PARAMS[0].name);
        let of_layers = if layered { LAYER_PARAMS } else { &[] };
        let penalised = self.facts.penalties && !spec.is_deep() && spec.graph.is_none();
        let of_penalties = if penalised { PENALTY_PARAMS } else { &[] };
        self.params.iter().chain(of_graph).chain(of_layers).chain(of_penalties)
    }

    /// The penalties on the factors of so many samples and features in a fit with these parameters.
    pub(crate) fn penalties(&self, spec: &Spec, sizes: (f64, f64)) -> Penalties {
        let values = Values::of(self, &spec.params);
        let or_none = |name| values.get(name).unwrap_or(0.0);
        let alphas = (or_none("alpha-w"), values.get("alpha-h"));
        if self.facts.penalties {
            Penalties::new(alphas, or_none("l1-ratio"), sizes)
        } else {
            Penalties::default()
        }
    }

    /// Why this parameter of other methods is none here.
    fn no_penalty(&self, name: &str, value: f64) -> Option<Error> {
        let param = PENALTY_PARAMS.iter().find(|param| param.name == name)?;
        let must = if self.facts.penalties {
            "left out with a graph or layers".into()
        } else {
            let all = METHODS.iter().filter(|entry| entry.facts.penalties).map(|entry| entry.name);
            format!("left out with {}; {} have penalties", self.name, all.collect::<Vec<_>>().join(", "))
        };
        Some(Error::param(param.name, value, must))
    }

    /// Checks that every given parameter is one that the method has in this fit, and within its range.
    pub fn check(&self, spec: &Spec) -> Result<()> {
        let known = self.params_in(spec);
        for (name, &value) in &spec.params {
            let Some(param) = known.clone().find(|param| param.name == name) else {
                let names = known.map(|param| param.name);
                if let Some(error) = self.no_penalty(name, value) {
                    return Err(error);
                }
                return Err(match names.clone().next() {
                    None => Error::Param {
                        name: "params",
                        got: format!("'{name}'"),
                        must: format!("empty: {} has no parameters of its own", self.name),
                    },
                    _ => unknown("parameter of this method", name, names),
                });
            };
            let vanishes = param.above.abs() <= LEAST && value != 0.0 && value.abs() < LEAST;
            if !(value > param.above && value <= param.up_to) || vanishes {
                let least = match param.above {
                    _ if vanishes => format!("at least {LEAST:e}"),
                    above if above == -LEAST => "at least 0".into(),
                    above => format!("above {above}"),
                };
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

impl Spec {
    /// The graph that the method follows if none is named.
    pub(crate) fn own_graph(&self) -> Option<GraphSpec> {
        let needs = find(&self.method).is_ok_and(|entry| entry.facts.graph == GraphUse::Needed);
        needs.then(GraphSpec::default)
    }

    /// How the method's authors read labels off V.
    pub(crate) fn published_labels(&self) -> Option<LabelRule> {
        find(&self.method).ok().map(|entry| entry.facts.published_labels)
    }

    /// Whether outliers are set aside.
    pub fn sets_aside(&self) -> bool {
        let own = || find(&self.method).is_ok_and(|entry| entry.facts.set_aside == SetAside::Default);
        self.outliers.map_or_else(own, |outliers| outliers == Outliers::SetAside)
    }
}

fn unknown(kind: &'static str, name: &str, known: impl Iterator<Item = &'static str>) -> Error {
    // A name that was cut short is meant before one that differs in few letters.
    let distance = |known: &&str| (!known.contains(name), strsim::levenshtein(known, name));
    let nearest = known.min_by_key(distance).unwrap_or_default();
    Error::Unknown { kind, name: name.into(), nearest: nearest.into() }
}
