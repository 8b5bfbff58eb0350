//! The methods with graphs and concepts on five awkward sets of 40 samples with 20 features, over the whole grid of their
//! parameters: random, mostly zeros with a sample and a feature of zeros, all samples equal, five samples eight times each,
//! and two blocks without a common feature. Every factor is finite and not negative, and the objective falls where it is bound to.

use crate::oracle;

use emmf::preprocess::Normalize;
use emmf::{Fit, Mat, Spec, registry};
use oracle::problems::{rng, uniform};
use rand::RngExt;

const N: usize = 40;
const D: usize = 20;

fn sets() -> [(&'static str, Mat<f64>); 5] {
    let mut rng = rng(17);
    let random = uniform(N, D, &mut rng);
    let mut zeros = uniform(N, D, &mut rng);
    zeros.as_mut_slice().iter_mut().for_each(|x| {
        if rng.random::<f64>() < 0.6 {
            *x = 0.0;
        }
    });
    zeros.row_mut(7).fill(0.0);
    (0..N).for_each(|i| zeros[(i, 3)] = 0.0);
    let same = Mat::from_fn(N, D, |_, j| random[(0, j)]);
    let copies = Mat::from_fn(N, D, |i, j| random[(i % 5, j)]);
    let blocks = Mat::from_fn(N, D, |i, j| if (i < 20) == (j < 10) { random[(i, j)] } else { 0.0 });
    [("random", random), ("zeros", zeros), ("same", same), ("copies", copies), ("blocks", blocks)]
}

/// Every method with every value of its grid, and both forms where there are two.
fn specs() -> Vec<Spec> {
    let mut all = vec![];
    for value in [1e-5, 0.1, 10.0, 1e5] {
        let with = |method: &str, name: &str| Spec::new(method, 4).param(name, value);
        all.extend([
            with("gnmf", "lambda"),
            with("lccf", "lambda"),
            with("lccf", "lambda").param("unit", 1.0),
        ]);
        all.extend([with("nlcf", "mu"), with("lcf", "mu"), with("nmfan", "lambda"), with("srmcf", "lambda")]);
        all.push(with("srmcf", "lambda").param("gamma", 1.0));
        for stable in [0.0, 1.0] {
            all.push(with("rmnmf", "lambda").param("stable", stable));
            all.extend(
                [0.0, 1.0].map(|adapt| with("lsnmf", "lambda").param("stable", stable).param("adapt", adapt)),
            );
        }
    }
    all.extend([Spec::new("cf", 4), Spec::new("onmf", 4), Spec::new("symnmf", 4)]);
    all.push(Spec::new("symnmf", 4).param("half", 1.0));
    all.into_iter().map(|spec| spec.normalize([Normalize::Unit])).collect()
}

/// Rises beyond rounding, as a share of the objective.
fn rises(fit: &Fit<f64>) -> usize {
    let all: Vec<f64> = [fit.initial].into_iter().chain(fit.trace.iter().copied()).collect();
    all.windows(2).filter(|pair| pair[1] > pair[0] * (1.0 + 1e-9)).count()
}

#[test]
fn finite_and_nonnegative_and_falling_where_bound_to() {
    for (name, x) in sets() {
        for spec in specs() {
            let iterations = if spec.method == "rmnmf" { 500 } else { 200 };
            let spec = spec.max_iter(iterations);
            let fit = spec.fit(&x).unwrap();
            let factors = fit.v.as_slice().iter().chain(fit.model.centroids().as_slice());
            for value in factors {
                assert!(value.is_finite() && *value >= 0.0, "{name} {spec:?}: {value}");
            }
            assert!(fit.labels.iter().all(|&label| label < 4) && fit.objective.is_finite());
            // Where all samples are equal the objective is rounding.
            if registry::find(&spec.method).unwrap().is_monotone(&spec.params) && name != "same" {
                assert_eq!(rises(&fit), 0, "{name} {spec:?}");
            }
        }
    }
}
