//! [`Spec`]: every parameter of a fit, the same in library, command line, model file and record.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::graph::Weighting;
use crate::preprocess::Normalize;

/// Maximum number of layers: a tree that is deeper nobody reads.
pub const MOST_LAYERS: usize = 64;

/// How U and V start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Init {
    /// k-means: U is the centroids, V the one-hot labels plus 0.2, as in the paper.
    #[default]
    Kmeans,
    /// k-means‖: the samples that k-means starts from are drawn in five rounds, each sample independently, so that it takes
    /// a few passes over samples that may be anywhere; then as k-means.
    KmeansParallel,
    /// k-means that leaves the worst third of the samples out of its centroids.
    Trimmed,
    /// Uniform random numbers at the scale of the data.
    Random,
    /// Nonnegative double SVD, zeros filled with the mean: scikit-learn's "nndsvda", which is another name for it.
    #[serde(alias = "nndsvda")]
    Nndsvd,
    /// The same, zeros filled with small random numbers.
    Nndsvdar,
    /// Clusters along a graph over the samples (spectral clustering): U is their centroids, V as with k-means. Uses no seed.
    Graph,
}

/// What to do, before the start, with samples that clearly do not belong to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outliers {
    /// They are set aside: the start and the fit see only the others, and their coefficients are found for the resulting
    /// centroids. See [`screen`](crate::outliers::screen).
    SetAside,
    /// They take part like all others, as in the published methods.
    Keep,
}

/// How one factor is updated while the other stays fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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
    /// The largest coefficient, as in the paper.
    #[default]
    #[serde(alias = "raw")]
    Largest,
    /// The largest coefficient once every column of U has unit length.
    Unit,
    /// k-means on what the samples are made of: rows of V·diag(‖uₖ‖) scaled to unit length, the best of ten runs.
    Kmeans,
    /// k-means on the rows of V as they are.
    KmeansRaw,
    /// The connected components of the graph that the method learns, if it learns one with components.
    Components,
}

/// What NaN in the data means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// An error.
    #[default]
    Refuse,
    /// A missing value: it is left out of the objective, and the fit fills it in.
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
    /// ‖V − V'‖/‖V‖, where V' is the coefficients before the iteration. With a graph the objective says little: most of
    /// it is the constant λ‖S‖².
    Coefficients,
}

/// Where a graph comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GraphKind {
    /// Among the graph of the samples' directions and those of their reconstructions by wide robust fits, the one whose own
    /// clusters are the clearest.
    #[default]
    Auto,
    /// The nearest neighbours of the samples.
    Knn,
    /// The nearest neighbours, with weights that fall linearly with the squared distance to 0 at the next one.
    Adaptive,
    /// From the caller.
    Given,
}

/// Samples from which on neighbours are approximate where the user does not say. A guess:
/// with 784 features the exact search took 34 s for 60,000 samples, the index 59 s for 20,000; had the first gone on with n²
/// and the second with n, they would meet about there.
const MANY: usize = 300_000;

/// The graph over the samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GraphSpec {
    /// Where it comes from.
    pub kind: GraphKind,
    /// Number of neighbours of a sample; all other samples if there are fewer.
    pub neighbours: usize,
    /// The weight of an edge of nearest neighbours.
    pub weighting: Weighting,
    /// Whether it is used as D^-½·W·D^-½, with D the degrees; `None` leaves this to the method.
    pub normalized: Option<bool>,
    /// Whether some neighbours may be missed for speed; `None` allows it from 300,000 samples on. Needs the feature
    /// `approximate`, which is on by default.
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

impl GraphSpec {
    /// Whether neighbours of so many samples may be missed.
    pub(crate) fn approximates(&self, samples: usize) -> bool {
        self.approximate.unwrap_or(cfg!(feature = "approximate") && samples >= MANY)
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
    /// Number of centroids, c in the paper; with layers, that of the first layer.
    pub k: usize,
    /// Widths of the layers above the first, from the bottom up and decreasing. Empty for a flat factorization. There are at
    /// most [`MOST_LAYERS`] layers in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub above: Vec<usize>,
    /// How one factor is updated while the other stays fixed; `None` means coordinate descent if the method
    /// [converges](crate::registry::Facts::converges) by default, otherwise the multiplicative update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solver: Option<Solver>,
    /// Exponent of the multiplicative update, in (0, 1]; `None` means the published one of the method.
    #[serde(default)]
    pub exponent: Option<f64>,
    /// Inner sweeps of the HALS solver over each factor.
    #[serde(default = "defaults::sweeps")]
    pub sweeps: usize,
    /// Lets the HALS solver extrapolate the factors along their last step, unless that raises the objective. Only if the
    /// objective is guaranteed to fall.
    #[serde(default = "defaults::yes")]
    pub extrapolate: bool,
    /// How U and V start; `None` means from clusters along the graph if one is used, from the nonnegative double SVD if the
    /// method [converges](crate::registry::Facts::converges) by default, otherwise from k-means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<Init>,
    /// Number of k-means runs for the start, of which the best is used.
    #[serde(default = "defaults::ten")]
    pub init_restarts: usize,
    /// What to do with samples that clearly do not belong to the others; `None` sets them aside if the
    /// [facts](crate::registry::Facts::set_aside) of the method say so, as with `emmf` and `g-emmf`, and otherwise keeps them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<Outliers>,
    /// Preprocessing steps, applied in this order.
    #[serde(default)]
    pub normalize: Vec<Normalize>,
    /// The seed for all random numbers.
    #[serde(default)]
    pub seed: u64,
    /// Number of independent fits, of which the one with the best objective is kept.
    #[serde(default = "defaults::one")]
    pub restarts: usize,
    /// Whether the model is what the restarts agree on, instead of the best of them: components are matched between restarts, and
    /// restarts that are far from the others are set aside. See [`Consensus`](crate::model::Consensus).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub consensus: bool,
    /// Maximum number of iterations.
    #[serde(default = "defaults::max_iter")]
    pub max_iter: usize,
    /// Stop when the relative change of what `stop_by` names is below this; 0 runs all iterations. `None` means 1e-6 with
    /// coordinate descent if the method [converges](crate::registry::Facts::converges) by default, otherwise 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tol: Option<f64>,
    /// What `tol` is compared with; `None` means the coefficients with a graph, otherwise the objective.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_by: Option<StopBy>,
    /// Stop after this many seconds with what there is, at least one iteration. Where that was too little for it, no outliers are set
    /// aside, the graph is the first of several, and the start is simpler. Without a graph that the objective needs, there is
    /// [`Error::OutOfTime`](crate::Error::OutOfTime); small samples have theirs whatever the time. Choosing a number of clusters, a
    /// rank or layers takes at most half of it, and looks at what there is time for.
    #[serde(default)]
    pub time_limit: Option<f64>,
    /// How labels are read off V; `None` leaves this to the method: without a graph, methods that weight samples use
    /// k-means.
    #[serde(default, alias = "labels")]
    pub label_rule: Option<LabelRule>,
    /// Number of clusters that k-means makes of the coefficients; `None` means one per centroid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
    /// Whether to solve for V exactly, with U fixed, after the last iteration, so that `transform` of the training
    /// samples gives the same coefficients. Labels are read off V before that.
    #[serde(default = "defaults::yes")]
    pub polish: bool,
    /// ε of the smoothed residual √(‖m‖² + ε²); `None` means 1e-10 times the mean sample norm. It is never less than 1e-20
    /// times the length of the longest sample.
    #[serde(default)]
    pub epsilon: Option<f64>,
    /// What NaN in the data means.
    #[serde(default)]
    pub missing: Missing,
    /// The graph over the samples that the method should follow; `None` means none, or the method's own.
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
    /// The method of this name with `k` centroids and defaults for everything else: as published, except that `emmf` and
    /// `g-emmf` set outliers aside, k-means is run ten times, a graph is chosen and provides the start, labels come from
    /// k-means, and `nmf` runs until it converges; see [`Spec::as_published`]. [`registry::DEFAULT`](crate::registry::DEFAULT) is the method that clusters best.
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
            consensus: false,
            max_iter: defaults::max_iter(),
            tol: None,
            stop_by: None,
            time_limit: None,
            label_rule: None,
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

    /// Deep EMMF with layers of these widths, from the bottom up and decreasing. One layer is [`Spec::emmf`].
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
        /// Widths of the layers above the first, from the bottom up and decreasing.
        above: impl Into<Vec<usize>> => above.into();
        /// Whether factors are updated multiplicatively or by coordinate descent.
        solver: Solver => Some(solver);
        /// The exponent of the multiplicative update, in (0, 1].
        exponent: f64 => Some(exponent);
        /// Inner sweeps of coordinate descent over each factor, 4 by default.
        sweeps: usize => sweeps;
        /// Whether coordinate descent extrapolates along its last step; it does by default.
        extrapolate: bool => extrapolate;
        /// How the factors start.
        init: Init => Some(init);
        /// Number of k-means runs for the start, of which the best is used; 10 by default.
        init_restarts: usize => init_restarts;
        /// Whether samples that clearly do not belong to the others are set aside before the start, or kept.
        outliers: Outliers => Some(outliers);
        /// Preprocessing steps, applied in this order; none by default.
        normalize: impl Into<Vec<Normalize>> => normalize.into();
        /// The seed for all random numbers; 0 by default.
        seed: u64 => seed;
        /// Number of independent fits, of which the one with the best objective is kept; 1 by default.
        restarts: usize => restarts;
        /// Whether the model is what the restarts agree on; of at least two.
        consensus: bool => consensus;
        /// At most this many iterations; 500 by default.
        max_iter: usize => max_iter;
        /// Stops when the relative change of the objective, or of what [`stop_by`](Self::stop_by()) names, is below this.
        tol: f64 => Some(tol);
        /// What the tolerance is compared with: the change of the objective or of the coefficients.
        stop_by: StopBy => Some(stop_by);
        /// Stops after this many seconds.
        time_limit: f64 => Some(time_limit);
        /// How clusters are read off the coefficients.
        label_rule: LabelRule => Some(label_rule);
        /// How many clusters k-means makes of the coefficients; one per centroid by default.
        clusters: usize => Some(clusters);
        /// Whether to solve for V exactly after the last iteration; true by default.
        polish: bool => polish;
        /// ε of the smoothed residual √(‖m‖² + ε²).
        epsilon: f64 => Some(epsilon);
        /// Whether NaN is an error, as by default, or a missing value.
        missing: Missing => missing;
        /// The graph over the samples that the coefficients follow.
        graph: GraphSpec => Some(graph);
    }

    /// The method as published: every sample takes part in the start and in the fit, even a gross outlier; the start is one
    /// run of k-means unless another is named; a graph is that of the nearest neighbours; the factors are updated
    /// multiplicatively for all iterations; and labels are read off V as the authors do.
    #[must_use]
    pub fn as_published(mut self) -> Self {
        let knn = |graph: GraphSpec| {
            let kind = if graph.kind == GraphKind::Auto { GraphKind::Knn } else { graph.kind };
            GraphSpec { kind, ..graph }
        };
        self.graph = self.graph.or_else(|| self.own_graph()).map(knn);
        self.init = self.init.or(Some(Init::Kmeans));
        self.label_rule = self.label_rule.or_else(|| self.published_labels());
        (self.solver, self.tol) = (self.solver.or(Some(Solver::Mu)), self.tol.or(Some(0.0)));
        self.outliers(Outliers::Keep).init_restarts(1)
    }

    /// Number of clusters that the labels distinguish: with layers, the width of the last.
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
