//! [`Spec`]: every parameter of a fit, the same in library, command line, model file and record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::graph::Weighting;
use crate::preprocess::Normalize;

/// Layers of a fit at the most: a tree that is deeper nobody reads.
pub const MOST_LAYERS: usize = 64;

/// How U and V start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Init {
    /// k-means: U the centroids, V the one-hot labels plus 0.2 (the paper's).
    #[default]
    Kmeans,
    /// k-means‖: the samples that k-means begins with are drawn in five rounds, each on its own, so that it takes a few passes
    /// over samples that may be anywhere; then as k-means.
    KmeansParallel,
    /// k-means that leaves the worst third of the samples out of its centroids.
    Trimmed,
    /// Uniform random numbers at the scale of the data.
    Random,
    /// Nonnegative double SVD, zeros filled with the mean.
    Nndsvd,
    /// Clusters along a graph over the samples (spectral clustering): U their centroids, V as with k-means. No seed.
    Graph,
}

/// What is done about samples that clearly do not belong to the others, before the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outliers {
    /// They are set aside: start and fit see the others only, and their coefficients are found for the centroids of these. See
    /// [`screen`](crate::outliers::screen).
    SetAside,
    /// They take part like all others, as the methods are published.
    Keep,
}

/// How a factor is moved while the other stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Multiplicative update with an exponent.
    #[default]
    Mu,
    /// Coordinate descent (hierarchical alternating least squares) with inner sweeps.
    Hals,
}

impl std::fmt::Display for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Mu => "mu",
            Self::Hals => "hals",
        })
    }
}

/// How the label of a sample is read off its coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LabelRule {
    /// The largest coefficient (the paper's).
    #[default]
    #[serde(alias = "raw")]
    Largest,
    /// The largest coefficient once every column of U has unit length.
    Unit,
    /// k-means on what the samples are made of: rows of V·diag(‖uₖ‖) brought to unit length, the best of ten runs.
    Kmeans,
    /// k-means on the rows of V as they are.
    KmeansRaw,
    /// The connected components of the graph that the method learns, where it learns one with components.
    Components,
}

/// What NaN in the data means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// A mistake.
    #[default]
    Refuse,
    /// A value that is missing: it has no part in the objective, and the fit fills it in.
    Nan,
}

/// What `tol` is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StopBy {
    /// The relative change of the objective.
    #[default]
    Objective,
    /// ‖V − V'‖/‖V‖, V' the coefficients before the iteration. With a graph the objective says little: the constant
    /// λ‖S‖² is most of it.
    Coefficients,
}

/// Where a graph comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GraphKind {
    /// Of the graph of the samples' directions and those of what wide robust fits see in them, the one whose own clusters
    /// are the clearest.
    #[default]
    Auto,
    /// The nearest neighbours of the samples.
    Knn,
    /// The nearest neighbours, with weights that fall linearly with the squared distance to 0 at the next one.
    Adaptive,
    /// The caller.
    Given,
}

/// The graph over the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GraphSpec {
    /// Where it comes from.
    pub kind: GraphKind,
    /// Neighbours of a sample; all others where there are fewer.
    pub neighbours: usize,
    /// The weight of an edge of nearest neighbours.
    pub weighting: Weighting,
    /// Whether it is taken as D^-½·W·D^-½, D the degrees; `None` is the method's way.
    pub normalized: Option<bool>,
    /// Whether neighbours may be missed for speed; `None` is from 300,000 samples on.
    pub approximate: Option<bool>,
}

impl Default for GraphSpec {
    fn default() -> Self {
        Self {
            kind: GraphKind::Auto,
            neighbours: 5,
            weighting: Weighting::Binary,
            normalized: None,
            approximate: None,
        }
    }
}

/// Every parameter of a fit.
///
/// ```
/// use emmf::Spec;
/// let spec = Spec::emmf(10).seed(7).max_iter(200).tol(1e-6);
/// let json = serde_json::to_string(&spec).unwrap();
/// assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), spec);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Name of the method, as in the [registry](crate::registry).
    pub method: String,
    /// Number of centroids, c in the paper; with layers, of the first.
    pub k: usize,
    /// Widths of the layers above the first, from the bottom up; they fall. None is a flat factorization, and
    /// there are at most [`MOST_LAYERS`] in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<usize>,
    /// How a factor is moved while the other stays; `None` is coordinate descent where the method
    /// [converges](crate::registry::Facts::converges) by default, else the multiplicative update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<Solver>,
    /// Exponent of the multiplicative update, in (0, 1]; `None` is the method's published one.
    #[serde(default)]
    pub exponent: Option<f64>,
    /// Inner sweeps of the HALS solver over each factor.
    #[serde(default = "defaults::sweeps")]
    pub sweeps: usize,
    /// Lets the factors of the HALS solver go on in the direction in which they last moved, unless that raises
    /// the objective. Only where the objective is bound to fall.
    #[serde(default = "defaults::yes")]
    pub extrapolate: bool,
    /// How U and V start; `None` is at clusters along the graph where one is followed, at the nonnegative double SVD where
    /// the method [converges](crate::registry::Facts::converges) by default, else at k-means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<Init>,
    /// Independent k-means runs of the start, of which the best is taken.
    #[serde(default = "defaults::ten")]
    pub init_restarts: usize,
    /// What is done about samples that clearly do not belong to the others; `None` is to set them aside where the
    /// [facts](crate::registry::Facts::set_aside) of the method say so, as with `emmf` and `g-emmf`, else to keep them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<Outliers>,
    /// What is done to the samples first, in this order.
    #[serde(default)]
    pub normalize: Vec<Normalize>,
    /// All randomness comes from this number.
    #[serde(default)]
    pub seed: u64,
    /// Independent fits, of which the one with the lowest objective is kept.
    #[serde(default = "defaults::one")]
    pub restarts: usize,
    /// Iterations at the most.
    #[serde(default = "defaults::max_iter")]
    pub max_iter: usize,
    /// Stop when what `stop_by` says changes by less than this share of itself; 0 never does. `None` is 1e-6 with coordinate
    /// descent where the method [converges](crate::registry::Facts::converges) by default, else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tol: Option<f64>,
    /// What `tol` is compared with; `None` is the coefficients with a graph, else the objective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_by: Option<StopBy>,
    /// Stop after this many seconds.
    #[serde(default)]
    pub time_limit: Option<f64>,
    /// How labels are read off V; `None` is the method's own way, which without a graph is k-means for methods of weighted
    /// samples.
    #[serde(default)]
    pub labels: Option<LabelRule>,
    /// Number of clusters that k-means makes of the coefficients; `None` is one for each centroid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
    /// After the last iteration solve for V exactly with U as it is, so that `transform` of the
    /// training samples gives the same coefficients. Labels are read off V before that.
    #[serde(default = "defaults::yes")]
    pub polish: bool,
    /// ε of the smoothed residual √(‖m‖² + ε²); `None` is 1e-10 of the mean sample norm. At least 1e-20 of the longest
    /// sample is taken.
    #[serde(default)]
    pub epsilon: Option<f64>,
    /// What NaN in the data means.
    #[serde(default)]
    pub missing: Missing,
    /// The graph over the samples that the method is to follow; `None` is none, or the method's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<GraphSpec>,
    /// Parameters of the method, by the names in the registry.
    #[serde(default)]
    pub params: BTreeMap<String, f64>,
}

mod defaults {
    pub(super) fn one() -> usize {
        1
    }
    pub(super) fn ten() -> usize {
        10
    }
    pub(super) fn sweeps() -> usize {
        4
    }
    pub(super) fn max_iter() -> usize {
        500
    }
    pub(super) fn yes() -> bool {
        true
    }
}

/// One setter for each optional parameter.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty => $value:expr;)*) => {
        $(
            $(#[$doc])*
            #[must_use]
            pub fn $name(mut self, $name: $type) -> Self {
                self.$name = $value;
                self
            }
        )*
    };
}

impl Spec {
    /// The method of this name with `k` centroids, everything else by default: as published, but for outliers that
    /// `emmf` and `g-emmf` set aside, ten runs of k-means, the graph that is followed and started at, labels by
    /// k-means, and `nmf`, which converges; see [`Spec::as_published`]. [`registry::DEFAULT`](crate::registry::DEFAULT) is the method that clusters best.
    pub fn new(method: impl Into<String>, k: usize) -> Self {
        Self {
            method: method.into(),
            k,
            above: Vec::new(),
            solver: None,
            exponent: None,
            sweeps: defaults::sweeps(),
            extrapolate: true,
            init: None,
            init_restarts: defaults::ten(),
            outliers: None,
            normalize: Vec::new(),
            seed: 0,
            restarts: 1,
            max_iter: defaults::max_iter(),
            tol: None,
            stop_by: None,
            time_limit: None,
            labels: None,
            clusters: None,
            polish: true,
            epsilon: None,
            missing: Missing::default(),
            graph: None,
            params: BTreeMap::new(),
        }
    }

    /// Entropy minimizing matrix factorization with `k` centroids.
    pub fn emmf(k: usize) -> Self {
        Self::new("emmf", k)
    }

    /// Deep EMMF with layers of these widths, from the bottom up; they must fall. One layer is [`Spec::emmf`].
    ///
    /// ```
    /// use emmf::{Spec, synth};
    /// let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
    /// let fit = Spec::deep(&[6, 3]).fit(&data.x)?;
    /// assert_eq!(fit.layers.len(), 2);
    /// assert_eq!(fit.layers[1].labels, fit.labels);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn deep(widths: &[usize]) -> Self {
        Self::new("deep-emmf", 0).layered(widths)
    }

    /// The same fit with layers of these widths, from the bottom up.
    #[must_use]
    pub fn layered(mut self, widths: &[usize]) -> Self {
        let (k, above) = widths.split_first().map_or((0, &[][..]), |(k, above)| (*k, above));
        (self.k, self.above) = (k, above.to_vec());
        self
    }

    setters! {
        /// Widths of the layers above the first, from the bottom up; they must fall.
        above: impl Into<Vec<usize>> => above.into();
        /// Moves factors by multiplicative updates or by coordinate descent.
        solver: Solver => Some(solver);
        /// The exponent of the multiplicative update, in (0, 1].
        exponent: f64 => Some(exponent);
        /// Inner sweeps of coordinate descent over each factor, 4 by default.
        sweeps: usize => sweeps;
        /// Whether coordinate descent goes on in the direction of its last move; it does by default.
        extrapolate: bool => extrapolate;
        /// Where the factors start.
        init: Init => Some(init);
        /// Runs of k-means at the start, of which the best is taken; 10 by default.
        init_restarts: usize => init_restarts;
        /// Whether samples that clearly do not belong to the others are set aside before the start, or kept.
        outliers: Outliers => Some(outliers);
        /// What is done to the samples first, in this order; nothing by default.
        normalize: impl Into<Vec<Normalize>> => normalize.into();
        /// The number that all randomness comes from; 0 by default.
        seed: u64 => seed;
        /// Independent fits, of which the one with the lowest objective is kept; 1 by default.
        restarts: usize => restarts;
        /// At most this many iterations; 500 by default.
        max_iter: usize => max_iter;
        /// Stops when the objective, or what [`stop_by`](Self::stop_by()) says, changes by less than this share.
        tol: f64 => Some(tol);
        /// What the tolerance is compared with: the change of the objective or of the coefficients.
        stop_by: StopBy => Some(stop_by);
        /// Stops after this many seconds.
        time_limit: f64 => Some(time_limit);
        /// How clusters are read off the coefficients.
        labels: LabelRule => Some(labels);
        /// How many clusters k-means makes of the coefficients; one for each centroid by default.
        clusters: usize => Some(clusters);
        /// Whether V is solved for exactly after the last iteration; it is by default.
        polish: bool => polish;
        /// ε of the smoothed residual √(‖m‖² + ε²).
        epsilon: f64 => Some(epsilon);
        /// Whether NaN is a mistake, as by default, or a value that is not known.
        missing: Missing => missing;
        /// The graph over the samples that the coefficients follow.
        graph: GraphSpec => Some(graph);
    }

    /// The method as it is published: every sample takes part in the start and in the fit, also a gross outlier, one run of
    /// k-means is the start unless another is named, a graph that is followed is that of the nearest neighbours, factors
    /// move by the multiplicative update for all iterations, and labels are read off V as its authors do.
    #[must_use]
    pub fn as_published(mut self) -> Self {
        let knn = |graph: GraphSpec| {
            let kind = if graph.kind == GraphKind::Auto { GraphKind::Knn } else { graph.kind };
            GraphSpec { kind, ..graph }
        };
        self.graph = self.graph.or_else(|| self.own_graph()).map(knn);
        self.init = self.init.or(Some(Init::Kmeans));
        self.labels = self.labels.or_else(|| self.published_labels());
        (self.solver, self.tol) = (self.solver.or(Some(Solver::Mu)), self.tol.or(Some(0.0)));
        self.outliers(Outliers::Keep).init_restarts(1)
    }

    /// Number of clusters that labels tell apart: with layers, the width of the last.
    pub fn label_count(&self) -> usize {
        self.clusters.or(self.above.last().copied()).unwrap_or(self.k)
    }

    /// Whether there are layers above the first.
    pub fn is_deep(&self) -> bool {
        !self.above.is_empty()
    }

    /// The widths of all layers, from the bottom up.
    pub fn widths(&self) -> Vec<usize> {
        std::iter::once(self.k).chain(self.above.iter().copied()).collect()
    }

    /// Sets a parameter of the method, by its name in the registry.
    #[must_use]
    pub fn param(mut self, name: impl Into<String>, value: f64) -> Self {
        self.params.insert(name.into(), value);
        self
    }
}
