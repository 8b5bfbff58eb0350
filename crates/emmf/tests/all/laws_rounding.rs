//! Rounding decides nothing: not where everything fits, not beside a huge parameter, and not among samples of all sizes.

use crate::oracle;

use emmf::preprocess::Normalize;
use emmf::registry::{METHODS, Storage};
use emmf::{Init, Mat, Solver, Spec};
use oracle::problems::{Sparse, rng, uniform};
use rand::RngExt;

/// Methods that choose entries by their size or take singular vectors, which ties leave to chance.
const CHOOSES: [&str; 4] = ["rmnmf", "lsnmf", "capped-nmf", "gsnmf"];

/// A fit without residuals has the same objective in every storage, also where a scale is taken from the residuals.
#[test]
fn promise_05_what_fits_exactly_is_not_up_to_rounding() {
    let chooses = |name: &str| CHOOSES.contains(&name);
    for entry in
        METHODS.iter().filter(|entry| entry.storage.contains(&Storage::Sparse) && !chooses(entry.name))
    {
        for solver in entry.solvers {
            for (seed, (n, d, k)) in [(6, 2, 4), (5, 3, 5), (8, 2, 3), (4, 4, 4)].into_iter().enumerate() {
                let x = uniform(n, d, &mut rng(seed as u64));
                let spec = Spec::new(entry.name, k).solver(*solver).init(Init::Kmeans).max_iter(3);
                let (dense, sparse) = (spec.fit(&x).unwrap(), spec.fit(Sparse::of(&x).narrow()).unwrap());
                let by = (dense.objective - sparse.objective).abs();
                let rounding = 1e-12 * x.as_slice().iter().sum::<f64>();
                let size = dense.initial.abs().max(dense.objective.abs());
                assert!(by <= 1e-6 * size + rounding, "{spec:?}: {} {}", dense.objective, sparse.objective);
            }
        }
    }
}

/// One cluster needs no cut, whatever a cut would bring: all distances in its embedding are rounding.
#[test]
fn promise_05_lambda_has_no_say_in_one_cluster() {
    for n in 1..8 {
        let x = uniform(n, 3, &mut rng(n as u64));
        let fit = |lambda: f64| {
            let spec =
                Spec::new("lsnmf", 1).param("lambda", lambda).param("adapt", 0.0).param("neighbors", 2.0);
            spec.max_iter(6).fit(&x).unwrap().v
        };
        let without = fit(1e-30);
        for lambda in [1.0, 1e10, 1e20, 1e30] {
            assert_eq!(without, fit(lambda), "{n} samples, λ = {lambda:e}");
        }
    }
}

/// Entries of all sizes that there are, in samples that are next to nothing beside others.
fn of_all_sizes(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    let sizes =
        [1e-320, 1e-300, 1e-200, 1e-150, 1e-100, 1e-45, 1e-20, 1e-5, 1e20, 1e38, 1e100, 1e150, 1e200, 1e299];
    Mat::from_fn(n, d, |_, _| rng.random_range(0.1..1.0) * sizes[rng.random_range(0..sizes.len())])
}

/// Samples that vanish beside others fit exactly, and their weights 1/r are bounded: the others still count.
#[test]
fn promise_05_samples_that_vanish_beside_others_do_not_decide() {
    let chains = [vec![Normalize::Max], vec![Normalize::Clip, Normalize::Max], vec![Normalize::Unit]];
    for entry in METHODS.iter().filter(|entry| !entry.solvers.is_empty()) {
        let solvers =
            entry.solvers.iter().flat_map(|solver| chains.iter().map(move |chain| (*solver, chain)));
        for (solver, chain) in solvers {
            for (seed, epsilon) in
                [None, Some(1e-150), Some(1e-20), None, Some(1e-150)].into_iter().enumerate()
            {
                let x = of_all_sizes(8, 2 + seed % 3, seed as u64);
                let spec =
                    Spec::new(entry.name, 1 + seed % 3).normalize(chain.clone()).solver(solver).max_iter(8);
                let mut spec = if solver == Solver::Mu { spec } else { spec.extrapolate(seed % 2 == 0) };
                spec.epsilon = epsilon;
                // What is too large or too small is refused, with a word about it.
                let Ok(fit) = spec.fit(&x) else { continue };
                if !entry.is_monotone(&spec.params) {
                    continue;
                }
                let values: Vec<f64> = std::iter::once(fit.initial).chain(fit.trace).collect();
                let falls = |pair: &[f64]| pair[1] - pair[0] <= 1e-9 * (pair[0].abs() + pair[1].abs()) + 1e-9;
                assert!(values.windows(2).all(falls), "{spec:?}: {values:?}");
            }
        }
    }
}
