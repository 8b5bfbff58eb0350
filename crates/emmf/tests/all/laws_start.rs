//! The laws of methods hold from every start, at shapes whose samples cannot be cut into equal parts too.

use crate::oracle;

use emmf::registry::{Goal, METHODS};
use emmf::{Init, Mat, Real, Solver, Spec};
use oracle::problems::{rng, uniform};
use rand::RngExt;

const STARTS: [Init; 7] = [
    Init::Kmeans,
    Init::KmeansParallel,
    Init::Trimmed,
    Init::Random,
    Init::Nndsvd,
    Init::Nndsvdar,
    Init::Graph,
];

/// Uniform, or with many zeros.
fn samples(n: usize, d: usize, zeros: f64, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    let mut x = uniform(n, d, &mut rng);
    x.as_mut_slice().iter_mut().filter(|_| rng.random::<f64>() < zeros).for_each(|x| *x = 0.0);
    x[(0, 0)] = 0.5;
    x
}

/// Every number is finite, and the objective moves one way where the method promises that.
fn check<T: Real>(spec: &Spec, x: &Mat<T>, share: f64) {
    let entry = emmf::registry::find(&spec.method).unwrap();
    // On the calling thread alone: thousands of fits this small would spend their time on starting and waiting for others, and
    // the bits are the same (laws_invariance.rs).
    let fit =
        spec.on(x).threads(1).fit().unwrap_or_else(|error| unreachable!("{:?} {spec:?}: {error}", x.shape()));
    let factors = fit.model.centroids().as_slice().iter().chain(fit.v.as_slice());
    assert!(factors.map(|x| x.to_f64()).all(|x| x >= 0.0 && x.is_finite()), "{spec:?}");
    assert!(fit.labels.iter().all(|&label| label < spec.k));
    if !entry.is_monotone(&spec.params) {
        return;
    }
    let sign = if entry.goal == Goal::Least { 1.0 } else { -1.0 };
    let unit = if T::NAME == "f32" { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let noise = 64.0 * unit * x.as_slice().iter().map(|x| x.to_f64() + x.to_f64().powi(2)).sum::<f64>();
    let mut last = fit.initial;
    for (at, value) in fit.trace.iter().enumerate() {
        let slack = share * (fit.initial.abs() + value.abs()) + noise;
        assert!(
            sign * (value - last) <= slack,
            "{:?} {spec:?}, iteration {}: {last} to {value}",
            x.shape(),
            at + 1
        );
        last = *value;
    }
}

/// Every method and solver from this start.
fn specs(init: Init, k: usize) -> impl Iterator<Item = Spec> {
    METHODS.iter().flat_map(move |entry| {
        let spec = Spec::new(entry.name, k).init(init).max_iter(12).as_published();
        let hals = entry.solvers.contains(&Solver::Hals).then(|| spec.clone().solver(Solver::Hals));
        [Some(spec), hals].into_iter().flatten()
    })
}

#[test]
fn promise_01_every_method_descends_from_every_start() {
    let shapes =
        [(18, 2), (34, 4), (60, 2), (70, 3), (100, 5), (114, 2), (210, 6), (225, 7), (33, 8), (17, 1)];
    for (at, (n, d)) in shapes.into_iter().enumerate() {
        let x = samples(n, d, if at % 2 == 0 { 0.0 } else { 0.7 }, at as u64);
        for init in STARTS {
            for spec in specs(init, 1 + at % 3) {
                check(&spec, &x, 1e-9);
                check(&spec, &x.cast::<f32>(), 1e-4);
            }
        }
    }
}

/// Least squares, at every number of samples up to 230.
#[test]
fn promise_01_least_squares_descend_at_every_small_shape() {
    for n in 4..=230 {
        let d = 2 + n % 6;
        let x = samples(n, d, 0.3, n as u64);
        for init in STARTS {
            for method in ["nmf", "emmf", "nlcf"] {
                let spec = Spec::new(method, 1 + n % 3).init(init).max_iter(8).as_published();
                check(&spec, &x, 1e-9);
            }
        }
    }
}
