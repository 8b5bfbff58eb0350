//! The one check of everything that a fit is given.

use crate::data::{Data, Survey};
use crate::error::{Error, Result};
use crate::init::Factors;
use crate::matrix::Samples;
use crate::method::{Recipe, check_beta};
use crate::model::with_gaps;
use crate::preprocess::Normalize;
use crate::real::Real;
use crate::registry::{Entry, Places, Storage};
use crate::spec::{Init, LabelRule, MOST_LAYERS, Missing, Outliers, Solver, Spec, StopBy};

use super::Given;
use super::blame::Blame;

/// Beyond this ratio adding the smaller of two numbers changes nothing in double precision.
const DISTINCT: f64 = 9_007_199_254_740_992.0;

/// Every parameter, for a matrix of this shape.
pub(super) fn spec(spec: &Spec, entry: &Entry, (n, d): (usize, usize)) -> Result<()> {
    entry.check(spec)?;
    if n == 0 || d == 0 {
        return Err(Error::Empty { rows: n, cols: d });
    }
    layers(spec, entry)?;
    if spec.is_deep() && spec.k > n {
        let must = format!("at most {n} in the first layer, the number of samples");
        return Err(Error::param("layers", shown(spec), must));
    }
    if spec.k == 0 || spec.k > n {
        let must = format!("at least 1 and at most {n}, the number of samples");
        return Err(Error::param("k", spec.k, must));
    }
    let counts = [
        ("sweeps", spec.sweeps),
        ("restarts", spec.restarts),
        ("init_restarts", spec.init_restarts),
        ("max_iter", spec.max_iter),
    ];
    if let Some((name, got)) = counts.into_iter().find(|(_, count)| *count == 0) {
        return Err(Error::param(name, got, "at least 1"));
    }
    let tol = entry.tol(spec);
    if !(0.0..1.0).contains(&tol) {
        return Err(Error::param("tol", tol, "at least 0 and below 1"));
    }
    positive(spec)?;
    consensus(spec, entry)?;
    solver(spec, entry)?;
    penalties(spec, entry)?;
    graph(spec, entry)
}

/// The widths of all layers.
fn shown(spec: &Spec) -> String {
    spec.widths().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Layers go together with the rest, and their widths fall.
fn layers(spec: &Spec, entry: &Entry) -> Result<()> {
    if !spec.is_deep() {
        return Ok(());
    }
    let (widths, shown) = (spec.widths(), shown(spec));
    if widths.len() > MOST_LAYERS {
        return Err(Error::param("layers", widths.len(), format!("at most {MOST_LAYERS}")));
    }
    if let Some(pair) = widths.windows(2).find(|pair| pair[0] <= pair[1] || pair[1] == 0) {
        let must = match pair {
            [_, 0] => "at least 1 in every layer".into(),
            _ => format!("decreasing from layer to layer: {} is not below {}", pair[1], pair[0]),
        };
        return Err(Error::param("layers", shown, must));
    }
    if !entry.facts.layers {
        let must =
            format!("left out with {}, which does not weight samples, or which needs a graph", entry.name);
        return Err(Error::param("layers", shown, must));
    }
    let solver = entry.solver(spec);
    if solver != Solver::Mu {
        return Err(Error::param("solver", solver, "mu with layers"));
    }
    if spec.missing == Missing::Nan {
        let instead = "fill the gaps first, or fit one layer";
        return Err(Error::Missing { what: "layers".into(), instead });
    }
    if entry.merges(spec).is_none() && spec.graph.is_some() {
        return Err(Error::param("graph", "given", "left out with merge = 0: no layer is merged along it"));
    }
    Ok(())
}

/// Several restarts of a method whose coefficients follow from its centroids, and which start at different places.
fn consensus(spec: &Spec, entry: &Entry) -> Result<()> {
    if !spec.consensus {
        return Ok(());
    }
    if spec.restarts < 2 {
        return Err(Error::param("restarts", spec.restarts, "at least 2 with consensus"));
    }
    if entry.follows(spec).is_some() {
        let must = "left out with a graph, which ties the coefficients of samples together";
        return Err(Error::param("consensus", "asked for", must));
    }
    if !entry.facts.consensus {
        let must =
            format!("left out with {}, whose coefficients do not follow from its centroids", entry.name);
        return Err(Error::param("consensus", "asked for", must));
    }
    if spec.init == Some(Init::Nndsvd) {
        return Err(Error::param(
            "init",
            "nndsvd",
            "another one with consensus: all restarts would be the same",
        ));
    }
    Ok(())
}

/// What can be fitted wherever the samples are.
pub(super) fn anywhere<T>(spec: &Spec, entry: &Entry, given: &Given<'_, T>) -> Result<()> {
    let wrong = |name, got: String, must: &str| Err(Error::param(name, got, must));
    if entry.facts.places == Places::OneMemory || (spec.graph.is_some() && !spec.is_deep()) {
        let must = "one that weights samples or entries and uses no graph for samples held elsewhere";
        return wrong("method", entry.name.into(), must);
    }
    if let Some(sweeps @ 1..) = entry.recipe(&spec.params).map(Recipe::median_sweeps) {
        return wrong("median-sweeps", sweeps.to_string(), "0 for samples held elsewhere");
    }
    no_penalties(spec, entry, "held elsewhere")?;
    if spec.init == Some(Init::Graph) && given.start.is_none() {
        return wrong("init", "graph".into(), "another one for samples held elsewhere");
    }
    if spec.consensus {
        let must = "left out for samples held elsewhere: it compares all samples with each other";
        return wrong("consensus", "asked for".into(), must);
    }
    let given = [
        ("sample_weights", given.sample_weights.is_some(), "left out: a sample side has its own"),
        ("clusters", given.clusters.is_some(), "left out for samples held elsewhere"),
        ("graph", given.graph.is_some(), "left out for samples held elsewhere"),
    ];
    if let Some((name, _, must)) = given.into_iter().find(|(_, is_given, _)| *is_given) {
        return wrong(name, "given".into(), must);
    }
    if spec.missing == Missing::Nan {
        return wrong("missing", "nan".into(), "left out for samples held elsewhere");
    }
    if spec.outliers == Some(Outliers::SetAside) {
        return wrong("outliers", "set-aside".into(), "keep for samples held elsewhere");
    }
    if !spec.normalize.is_empty() {
        return wrong(
            "normalize",
            format!("{:?}", spec.normalize),
            "left out: samples held elsewhere are preprocessed there",
        );
    }
    Ok(())
}

/// What a method of one's own leaves to its caller is not asked for.
pub(super) fn own<T>(spec: &Spec, given: &Given<'_, T>) -> Result<()> {
    let asked = [
        ("normalize", !spec.normalize.is_empty()),
        ("graph", spec.graph.is_some() || given.graph.is_some() || spec.init == Some(Init::Graph)),
        ("missing", spec.missing == Missing::Nan),
        ("layers", spec.is_deep()),
        ("outliers", spec.outliers == Some(Outliers::SetAside)),
        ("loss", given.loss.is_some()),
    ];
    match asked.into_iter().find(|(_, asked)| *asked) {
        Some((name, _)) => Err(Error::param(name, "given", "left out with a method of your own")),
        None => Ok(()),
    }
}

/// A loss of one's own goes with a method of weighted samples.
pub(super) fn loss(spec: &Spec, entry: &Entry, own: bool) -> Result<()> {
    if own {
        no_penalties(spec, entry, "that are weighed by a loss of your own")?;
    }
    if own && (!entry.facts.own_loss || spec.missing == Missing::Nan) {
        let must = format!("left out with {}, which does not weight samples", entry.name);
        return Err(Error::param("loss", "one of your own", must));
    }
    Ok(())
}

/// What `tol` is compared with.
pub(super) fn stop_by(spec: &Spec, entry: &Entry) -> StopBy {
    let graph = entry.follows(spec);
    spec.stop_by.unwrap_or(if graph.is_some() { StopBy::Coefficients } else { StopBy::Objective })
}

/// A graph goes together with the rest.
fn graph(spec: &Spec, entry: &Entry) -> Result<()> {
    if spec.graph.is_none() {
        return Ok(());
    }
    if !entry.facts.graph.is_open() {
        let must = format!("left out with {}, which cannot follow one", entry.name);
        return Err(Error::param("graph", "given", must));
    }
    let solver = entry.solver(spec);
    if solver != Solver::Mu {
        return Err(Error::param("solver", solver, "mu with a graph"));
    }
    if spec.missing == Missing::Nan {
        let instead = "fill the gaps first, or leave the graph out";
        return Err(Error::Missing { what: "a graph".into(), instead });
    }
    if spec.graph.is_some_and(|graph| graph.neighbours == 0) {
        return Err(Error::param("neighbours", 0, "at least 1"));
    }
    Ok(())
}

fn positive(spec: &Spec) -> Result<()> {
    // ε² must not underflow: a residual of exactly 0 would get an infinite weight.
    let positive = [("epsilon", spec.epsilon, 1e-150), ("time_limit", spec.time_limit, f64::MIN_POSITIVE)];
    for (name, value, least) in positive {
        if let Some(value) = value
            && !(value >= least && value <= 1e9)
        {
            let least =
                if least > f64::MIN_POSITIVE { format!("at least {least:e}") } else { "above 0".into() };
            return Err(Error::param(name, value, format!("{least} and at most 1e9")));
        }
    }
    Ok(())
}

fn solver(spec: &Spec, entry: &Entry) -> Result<()> {
    let solver = entry.solver(spec);
    // A method with no choice of solver leaves it at its default.
    let known = entry.solvers.contains(&solver) || (entry.solvers.is_empty() && solver == Solver::default());
    if !known {
        let known: Vec<String> = entry.solvers.iter().map(ToString::to_string).collect();
        let must = match known[..] {
            [] => format!("left out with {}, which has its own", entry.name),
            _ => format!("{} with {}", known.join(" or "), entry.name),
        };
        return Err(Error::param("solver", solver, must));
    }
    let Some(exponent) = spec.exponent else { return Ok(()) };
    if solver == Solver::Hals {
        return Err(Error::param("exponent", exponent, "left out with `solver = hals`, which has none"));
    }
    if entry.exponent.is_none() {
        let must = format!("left out with {}, which has none", entry.name);
        return Err(Error::param("exponent", exponent, must));
    }
    if !(exponent > 0.0 && exponent <= 1.0) {
        return Err(Error::param("exponent", exponent, "above 0 and at most 1, or the objective may rise"));
    }
    Ok(())
}

/// Components are read off a graph that has them, and k-means alone makes another number of clusters.
pub(super) fn labels(spec: &Spec, entry: &Entry, n: usize) -> Result<()> {
    if let Some(clusters) = spec.clusters
        && !(1..=n).contains(&clusters)
    {
        let must = format!("at least 1 and at most {n}, the number of samples");
        return Err(Error::param("clusters", clusters, must));
    }
    if spec.is_deep() {
        return of_layers(spec, entry);
    }
    if spec.label_count() != spec.k && !entry.labels(spec).is_kmeans() {
        let must = format!("{}, one for each centroid, unless labels come from k-means", spec.k);
        return Err(Error::param("clusters", spec.label_count(), must));
    }
    let wanted = spec.label_rule == Some(LabelRule::Components);
    if wanted && entry.facts.labels != LabelRule::Components {
        let must =
            format!("largest, unit or kmeans with {}, which learns no graph with components", entry.name);
        return Err(Error::param("label_rule", "components", must));
    }
    Ok(())
}

/// The nodes of the first layer are its centroids, and those of the others follow.
fn of_layers(spec: &Spec, entry: &Entry) -> Result<()> {
    if let Some(clusters) = spec.clusters {
        return Err(Error::param(
            "clusters",
            clusters,
            "left out with layers: the last layer sets their number",
        ));
    }
    match entry.labels(spec) {
        LabelRule::Largest | LabelRule::Unit => Ok(()),
        rule => Err(Error::param("label_rule", rule.name(), "largest or unit with layers")),
    }
}

/// A start that the caller gives.
pub(super) fn start<T: Real>(spec: &Spec, given: Option<&Factors<T>>, shape: (usize, usize)) -> Result<()> {
    let Some(given) = given else { return Ok(()) };
    given.check(shape, spec.k)?;
    if spec.restarts > 1 {
        return Err(Error::param("restarts", spec.restarts, "1 with a given start"));
    }
    Ok(())
}

/// Clusters to start at: one for every sample, and no factors beside them.
pub(super) fn clusters<T>(spec: &Spec, given: &Given<'_, T>, n: usize) -> Result<()> {
    let Some(clusters) = given.clusters else { return Ok(()) };
    if clusters.len() != n {
        return Err(Error::Shape { what: "the given clustering", got: (clusters.len(), 1), want: (n, 1) });
    }
    if let Some(i) = clusters.iter().position(|cluster| *cluster >= spec.k) {
        let got = format!("{} for sample {i} (from 0)", clusters[i]);
        return Err(Error::param("the given clustering", got, format!("below k = {}", spec.k)));
    }
    if given.start.is_some() {
        return Err(Error::param("the given clustering", "there", "left out with a given start"));
    }
    Ok(())
}

/// A divergence that is infinite at 0 gets no zeros.
pub(super) fn zeros<T: Real, X: Data<T>>(spec: &Spec, entry: &Entry, x: &X) -> Result<()> {
    let beta = entry.recipe(&spec.params).and_then(Recipe::beta);
    beta.map_or(Ok(()), |beta| check_beta(x, beta, 0))
}

/// Penalties go together with the rest.
fn penalties(spec: &Spec, entry: &Entry) -> Result<()> {
    // A divergence leaves out missing values in any case.
    if entry.recipe(&spec.params).is_some() || entry.penalties(spec, (1.0, 1.0)).are_none() {
        return Ok(());
    }
    if spec.missing == Missing::Nan {
        let instead = "fill the gaps first, or take nmf-div or beta-nmf";
        return Err(Error::Missing { what: format!("{} with penalties", entry.name), instead });
    }
    Ok(())
}

/// There are no penalties on factors of `such` samples.
pub(super) fn no_penalties(spec: &Spec, entry: &Entry, such: &str) -> Result<()> {
    if entry.penalties(spec, (1.0, 1.0)).are_none() {
        return Ok(());
    }
    Err(Error::param("alpha-w", "given", format!("left out for samples {such}")))
}

/// Missing values go together with the rest, and every sample and feature has a value.
pub(super) fn missing<T: Real>(spec: &Spec, entry: &Entry, x: &Samples<'_, T>) -> Result<()> {
    let refuse = |what: String, instead| Err(Error::Missing { what, instead });
    if !entry.facts.missing {
        return refuse(entry.name.into(), "choose a method that weights samples or entries");
    }
    let solver = entry.solver(spec);
    if solver != Solver::Mu {
        return refuse(format!("`solver = {solver}`"), "use `solver = mu`");
    }
    if spec.normalize.contains(&Normalize::Tfidf) {
        return refuse(
            "`normalize = tfidf`".into(),
            "fill the gaps with 0: a count that is not there is zero",
        );
    }
    let x = with_gaps(x)?;
    let observed = |i: usize, j: usize| !x.at(i, j).to_f64().is_nan();
    let (n, d) = (x.rows(), x.cols());
    if let Some(at) = (0..n).find(|&i| (0..d).all(|j| !observed(i, j))) {
        return Err(Error::NothingObserved { what: "sample", at });
    }
    if let Some(at) = (0..d).find(|&j| (0..n).all(|i| !observed(i, j))) {
        return Err(Error::NothingObserved { what: "feature", at });
    }
    Ok(())
}

/// The method takes X as it is stored.
pub(super) fn storage<T: Real>(entry: &Entry, x: &Samples<'_, T>) -> Result<()> {
    let storage = match x {
        Samples::Dense(_) | Samples::Stream(_) => Storage::Dense,
        Samples::Csr(_) => Storage::Sparse,
    };
    if entry.storage.contains(&storage) {
        return Ok(());
    }
    Err(Error::Storage { method: entry.name, storage: storage.to_string() })
}

/// The weights as counts: the smallest positive one is at least 1, so that no sample's residual exceeds
/// the weighted sum of all, and the weights of the entropy loss stay positive.
pub(super) fn sample_weights(given: Option<&[f64]>, entry: &Entry, n: usize) -> Result<Vec<f64>> {
    let Some(given) = given else { return Ok(vec![1.0; n]) };
    if !entry.facts.weights {
        let must = format!("left out with {}, whose graph counts each sample once", entry.name);
        return Err(Error::param("sample_weight", "given", must));
    }
    if given.len() != n {
        return Err(Error::Shape { what: "the sample weights", got: (given.len(), 1), want: (n, 1) });
    }
    if let Some((i, weight)) = given.iter().enumerate().find(|(_, w)| !(**w >= 0.0 && w.is_finite())) {
        let got = format!("{weight} for sample {i} (from 0)");
        return Err(Error::param("sample_weight", got, "finite and nonnegative"));
    }
    let smallest = given.iter().copied().filter(|&w| w > 0.0).fold(f64::INFINITY, f64::min);
    if smallest == f64::INFINITY {
        return Err(Error::param("sample_weight", "0 for every sample", "positive for at least one"));
    }
    let largest = given.iter().copied().fold(0.0, f64::max);
    if largest / smallest > DISTINCT {
        let got = format!("{smallest:e} to {largest:e}");
        let must = "within a factor of 2^53 of each other, or 0: the small ones would be lost in rounding";
        return Err(Error::param("sample_weight", got, must));
    }
    Ok(given.iter().map(|w| w / smallest.min(1.0)).collect())
}

/// A matrix with one value everywhere has nothing to factorize.
pub(super) fn not_constant<T: Real>(found: &Survey<T>, (n, d): (usize, usize)) -> Result<()> {
    match found.constant(n * d) {
        Some(value) if n * d > 1 => Err(Error::Constant { value }),
        _ => Ok(()),
    }
}

/// Squares of samples neither vanish nor overflow in their own type, nor do the entries on their way there: a sample's
/// factor comes after its products. `largest` is the largest entry before the factors.
pub(super) fn magnitude<T: Real, X: Data<T>>(x: &X, largest: f64, blame: &Blame<'_>) -> Result<()> {
    let longest = x.norms_sq().iter().copied().fold(0.0, f64::max);
    let least = T::TINY.to_f64() / T::NOISE.to_f64();
    if largest > 0.0 && (longest < least || largest < least) {
        return Err(Error::TooSmall { largest, remedy: blame.magnitude::<T>() });
    }
    // The distance of two samples is at most twice the longest; what is summed over all samples is in double precision.
    let most = (T::MOST.to_f64() / 4.0).min(f64::MAX / 4.0 / blame.weights.iter().sum::<f64>());
    if longest > most || longest.is_nan() {
        return Err(Error::TooLarge { largest, remedy: blame.magnitude::<T>() });
    }
    Ok(())
}
