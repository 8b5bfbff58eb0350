//! Random specs, most of them valid.

use emmf::graph::Weighting;
use emmf::preprocess::Normalize;
use emmf::registry::{Entry, METHODS, Param};
use emmf::{Graph, GraphKind, GraphSpec, Init, LabelRule, Missing, Outliers, Solver, Spec, StopBy};

use crate::Random;

/// Values of parameters, far from each other.
const VALUES: [f64; 16] =
    [0.0, 5e-324, 1e-300, 1e-150, 1e-20, 1e-6, 1e-3, 0.1, 0.5, 1.0, 3.0, 100.0, 1e6, 1e20, 1e150, 1e300];

const STARTS: [Init; 7] = [
    Init::Kmeans,
    Init::KmeansParallel,
    Init::Trimmed,
    Init::Random,
    Init::Nndsvd,
    Init::Nndsvdar,
    Init::Graph,
];

pub(super) fn spec(random: &mut Random, (n, _): (usize, usize)) -> Spec {
    let entry = random.choose(METHODS);
    let mut spec = Spec::new(entry.name, clusters(random, n));
    spec.max_iter = random.within(1, 8);
    spec.seed = random.below(5) as u64;
    spec.init = Some(random.pick(&STARTS));
    spec.polish = !random.one_in(6);
    // Over before it began: no clock decides what the fit makes.
    spec.time_limit = random.one_in(16).then_some(1e-9);
    how_it_moves(&mut spec, entry, random);
    if random.one_in(2) {
        what_it_sees(&mut spec, entry, random);
    }
    for param in entry.params_in(&spec) {
        if random.one_in(3) {
            spec.params.insert(param.name.into(), value(param, random));
        }
    }
    spec
}

fn clusters(random: &mut Random, n: usize) -> usize {
    match random.below(24) {
        0 => n,
        1 => n + 1,
        2 => 0,
        _ => random.within(1, n.min(5)),
    }
}

fn how_it_moves(spec: &mut Spec, entry: &Entry, random: &mut Random) {
    if entry.solvers.contains(&Solver::Hals) && random.one_in(2) {
        spec.solver = Some(Solver::Hals);
        spec.sweeps = random.within(1, 3);
        spec.extrapolate = random.one_in(2);
    } else if entry.exponent.is_some() && random.one_in(3) {
        spec.exponent = Some(random.pick(&[1e-300, 0.1, 0.5, 1.0]));
    }
    if entry.facts.layers && spec.solver.is_none() && random.one_in(4) {
        spec.above = vec![fewer(spec.k, random)];
        if random.one_in(3) {
            spec.above.push(fewer(spec.above[0], random));
        }
    }
    if random.one_in(4) {
        spec.epsilon = Some(random.pick(&[1e-150, 1e-20, 1e-3, 1.0, 1e9]));
        spec.restarts = random.within(1, 3);
        spec.consensus = spec.restarts > 1 && random.one_in(2);
        spec.init_restarts = random.within(1, 2);
        spec.tol = random.pick(&[None, Some(0.0), Some(1e-3), Some(0.9)]);
        spec.stop_by = random.pick(&[None, Some(StopBy::Objective), Some(StopBy::Coefficients)]);
    }
}

/// A number below this one mostly.
fn fewer(most: usize, random: &mut Random) -> usize {
    let least = usize::from(!random.one_in(9));
    random.within(least, most.saturating_sub(1).max(1))
}

fn what_it_sees(spec: &mut Spec, entry: &Entry, random: &mut Random) {
    use Normalize::{Clip, Max, Shift, Tfidf, Unit};
    spec.outliers = random.pick(&[None, None, Some(Outliers::Keep), Some(Outliers::SetAside)]);
    spec.normalize =
        (0..random.below(3)).map(|_| random.pick(&[Unit, Unit, Max, Tfidf, Shift, Clip])).collect();
    let rules = [None, None, Some(LabelRule::Largest), Some(LabelRule::Unit), Some(LabelRule::Kmeans)];
    spec.label_rule = if random.one_in(24) { Some(LabelRule::Components) } else { random.pick(&rules) };
    spec.missing = if random.one_in(4) { Missing::Nan } else { Missing::Refuse };
    if entry.facts.graph.is_open() && random.one_in(2) {
        let width = random.pick(&[None, Some(1.0), Some(1e-300), Some(1e300), Some(0.0)]);
        spec.graph = Some(GraphSpec {
            kind: random.pick(&[GraphKind::Knn, GraphKind::Knn, GraphKind::Adaptive]),
            neighbours: random.pick(&[1, 2, 5, 100]),
            weighting: random.pick(&[Weighting::Binary, Weighting::Cosine, Weighting::Heat { width }]),
            normalized: random.pick(&[None, Some(true), Some(false)]),
            approximate: random.pick(&[None, None, None, Some(false), Some(true)]),
        });
    }
}

/// Within its range mostly, at its ends often.
fn value(param: &Param, random: &mut Random) -> f64 {
    if param.whole {
        let most = param.up_to.min(10.0) - param.above;
        return param.above + 1.0 + random.below(most as usize) as f64;
    }
    match random.below(8) {
        0 => param.up_to,
        1 if random.one_in(4) => param.above,
        _ => (param.above + random.pick(&VALUES)).min(param.up_to),
    }
}

/// Counts, zeros, and numbers that cannot be counts.
pub(super) fn weights(random: &mut Random, n: usize) -> Vec<f64> {
    let some: &[f64] = match random.below(4) {
        0 => &[1.0, 2.0, 3.0],
        1 => &[0.0, 0.0, 1.0],
        2 => &[1e-300, 1.0, 1e300],
        _ => &[0.5, 1e-10, 1e10, 5e-324],
    };
    (0..n).map(|_| random.pick(some)).collect()
}

/// A graph of the caller's own.
pub(super) fn graph(random: &mut Random, n: usize) -> Option<Graph> {
    let weight = random.pick(&[1.0, 1e-300, 1e300, 0.5]);
    let edges: Vec<_> = (0..n).map(|_| (random.below(n), random.below(n), weight)).collect();
    Graph::from_edges(n, edges).ok()
}
