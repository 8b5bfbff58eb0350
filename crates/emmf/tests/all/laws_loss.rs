//! Laws that every registered loss obeys, and the published numbers of the entropy loss.

use crate::oracle;

use std::collections::BTreeMap;

use emmf::loss::{Entropy, Loss, Stats};
use emmf::{Mat, registry};
use oracle::problems::settings;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Every loss with every setting, and its name.
fn losses() -> Vec<(String, Box<dyn Loss>)> {
    let of = |entry: &'static registry::Entry| {
        settings(entry).into_iter().filter_map(|params| {
            let loss = entry.loss(&params)?;
            Some((format!("{} {params:?}", entry.name), loss))
        })
    };
    registry::METHODS.iter().flat_map(of).collect()
}

fn objective(loss: &dyn Loss, r: &[f64], s: &[f64]) -> f64 {
    let stats = Stats::of(r, s);
    r.iter().zip(s).map(|(&r, s)| s * loss.at(r, &stats).0).sum()
}

fn weights(loss: &dyn Loss, r: &[f64], s: &[f64]) -> Vec<f64> {
    let stats = Stats::of(r, s);
    r.iter().zip(s).map(|(&r, s)| s * loss.at(r, &stats).1).collect()
}

/// Residuals over six decades with whole sample weights.
fn residuals() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec(((-3.0..3.0_f64).prop_map(|x| 10_f64.powf(x)), (1..4_u8).prop_map(f64::from)), 1..9)
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(cases(256))]

    /// weight·r = ∂objective/∂r, by central differences of the whole objective.
    #[test]
    fn weight_is_the_derivative(samples in residuals()) {
        let (r, s): (Vec<f64>, Vec<f64>) = samples.into_iter().unzip();
        for (name, loss) in losses().iter().filter(|(_, loss)| loss.descends()) {
            let q = weights(&**loss, &r, &s);
            for i in 0..r.len() {
                let h = 1e-5 * r[i];
                let at = |by: f64| {
                    let mut moved = r.clone();
                    moved[i] += by;
                    moved
                };
                let (low, high) = (weights(&**loss, &at(-h), &s)[i], weights(&**loss, &at(h), &s)[i]);
                if (low == 0.0) != (high == 0.0) {
                    continue; // The corner of the capped norm.
                }
                let (low, high) = (objective(&**loss, &at(-h), &s), objective(&**loss, &at(h), &s));
                let slope = (high - low) / (2.0 * h);
                // Cancellation in the difference, and the third derivative.
                let error = 8.0 * f64::EPSILON * (low.abs() + r.iter().sum::<f64>()) / h + 1e-8 * slope.abs();
                let ours = q[i] * r[i];
                prop_assert!((ours - slope).abs() <= error, "{name}: {ours}, should be {slope} at {r:?}, {i}");
            }
        }
    }

    /// Concave in the vector of r²: the objective lies above its chords.
    #[test]
    fn concave_in_squares(pairs in prop::collection::vec((-3.0..3.0_f64, -3.0..3.0_f64), 1..9), t in 0.0..1.0_f64) {
        let square = |x: f64| 10_f64.powf(2.0 * x);
        let root = |f: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> { pairs.iter().map(|p| f(p).sqrt()).collect() };
        let a = root(&|p| square(p.0));
        let b = root(&|p| square(p.1));
        let between = root(&|p| t * square(p.0) + (1.0 - t) * square(p.1));
        let s = vec![1.0; a.len()];
        for (name, loss) in losses().iter().filter(|(_, loss)| loss.descends()) {
            let chord = t * objective(&**loss, &a, &s) + (1.0 - t) * objective(&**loss, &b, &s);
            let value = objective(&**loss, &between, &s);
            let error = 1e-13 * (chord.abs() + between.iter().sum::<f64>());
            prop_assert!(value >= chord - error, "{name}: {value} below {chord}");
        }
    }

    /// objective(r) ≤ objective(r′) + ½·Σ q′(r² − r′²).
    #[test]
    fn weighted_squares_lie_above(samples in residuals(), logs in prop::collection::vec(-3.0..3.0_f64, 9)) {
        let (old, s): (Vec<f64>, Vec<f64>) = samples.into_iter().unzip();
        let new: Vec<f64> = logs.iter().take(old.len()).map(|x| 10_f64.powf(*x)).collect();
        for (name, loss) in losses().iter().filter(|(_, loss)| loss.descends()) {
            let q = weights(&**loss, &old, &s);
            let terms = (0..old.len()).map(|i| 0.5 * q[i] * (new[i] * new[i] - old[i] * old[i]));
            let error = 1e-13 * terms.clone().map(f64::abs).sum::<f64>()
                + 1e-13 * (old.iter().sum::<f64>() + objective(&**loss, &old, &s).abs());
            let bound = objective(&**loss, &old, &s) + terms.sum::<f64>();
            let value = objective(&**loss, &new, &s);
            prop_assert!(value <= bound + error, "{name}: {value} above {bound}");
        }
    }

    /// Weights and shares are finite and not negative over 24 decades, also together in one vector.
    #[test]
    fn weights_are_finite_and_not_negative(logs in prop::collection::vec(-12.0..12.0_f64, 1..9)) {
        let r: Vec<f64> = logs.iter().map(|x| 10_f64.powf(*x)).collect();
        let s = vec![1.0; r.len()];
        for (name, loss) in losses() {
            for numbers in [weights(&*loss, &r, &s), vec![objective(&*loss, &r, &s)]] {
                prop_assert!(numbers.iter().all(|x| *x >= 0.0 && x.is_finite()), "{name} {r:?}: {numbers:?}");
            }
        }
    }

    /// The share never falls with its own residual.
    #[test]
    fn nondecreasing(samples in residuals(), up in 1.0..10.0_f64) {
        let (r, s): (Vec<f64>, Vec<f64>) = samples.into_iter().unzip();
        for (name, loss) in losses().iter().filter(|(_, loss)| loss.descends()) {
            let mut more = r.clone();
            more[0] *= up;
            let (less, more) = (objective(&**loss, &r, &s), objective(&**loss, &more, &s));
            prop_assert!(more >= less - 1e-13 * (less.abs() + r.iter().sum::<f64>()), "{name}: {less} to {more}");
        }
    }
}

/// r, R, Q and H·R of the tiny problem.
#[test]
fn published_numbers_of_the_entropy_loss() {
    let x = Mat::from_rows([[1.0, 0.0, 2.0], [2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [4.0, 1.0, 5.0]]);
    let start = emmf::Factors {
        u: Mat::from_rows([[1.0, 0.5], [0.5, 1.0], [1.0, 1.0]]),
        v: Mat::from_rows([[1.0, 0.5], [0.5, 1.0], [0.5, 0.5], [1.0, 1.0]]),
    };
    let r = oracle::residuals(&x, &start);
    let close = |ours: &[f64], facts: &[f64]| {
        ours.iter().zip(facts).for_each(|(a, b)| assert!((a - b).abs() < 1e-9, "{a} should be {b}"));
    };
    close(&r, &[1.145_643_924, 1.820_027_472, 2.371_708_245, 3.937_003_937]);
    close(&[r.iter().sum()], &[9.274_383_578]);
    let s = [1.0; 4];
    close(&weights(&Entropy, &r, &s), &[1.825_426_945, 0.894_714_269, 0.574_963_499, 0.217_636_596]);
    close(&[objective(&Entropy, &r, &s)], &[11.967_150_798]);
}

/// One sample: the entropy is 0 and so is the weight. All residuals zero: log(n)/ε, finite.
#[test]
fn limits_of_the_entropy_loss() {
    assert_eq!(objective(&Entropy, &[3.0], &[1.0]), 0.0);
    assert_eq!(weights(&Entropy, &[3.0], &[1.0]), [0.0]);
    let epsilon = 1e-10;
    for n in [2, 10, 1000] {
        let q = weights(&Entropy, &vec![epsilon; n], &vec![1.0; n]);
        let expected = (n as f64).ln() / epsilon;
        assert!(q.iter().all(|q| (q - expected).abs() < 1e-9 * expected));
    }
}

/// The scale-free losses: the objective of c·r is c (or c²) times as large.
#[test]
fn homogeneous_losses() {
    let (r, s) = ([0.3, 1.0, 2.5, 0.01], [1.0, 2.0, 1.0, 1.0]);
    let by_eight: Vec<f64> = r.iter().map(|r| 8.0 * r).collect();
    for (name, degree) in [("emmf", 1), ("l21-nmf", 1), ("nmf", 2), ("rcim-nmf", 0)] {
        let loss = registry::find(name).unwrap().loss(&BTreeMap::new()).unwrap();
        let expected = 8_f64.powi(degree) * objective(&*loss, &r, &s);
        assert!((objective(&*loss, &by_eight, &s) - expected).abs() <= 1e-14 * expected, "{name}");
    }
}

/// A whole sample weight counts like that many samples.
#[test]
fn sample_weights_are_counts() {
    for (name, loss) in losses() {
        let (once, twice) = (([0.7, 2.0], [1.0, 2.0]), ([0.7, 2.0, 2.0], [1.0; 3]));
        let (a, b) = (objective(&*loss, &once.0, &once.1), objective(&*loss, &twice.0, &twice.1));
        assert!((a - b).abs() <= 1e-15 * a.abs().max(1.0), "{name}");
        let (a, b) = (weights(&*loss, &once.0, &once.1), weights(&*loss, &twice.0, &twice.1));
        assert!((a[1] - 2.0 * b[1]).abs() <= 1e-15 * a[1], "{name}");
    }
}
