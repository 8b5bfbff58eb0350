//! Laws of the entry-wise losses and of the methods that minimise them.

use crate::oracle;

use emmf::loss::entry::{
    AnyEntryLoss, Beta, Divergence, EntryCorrentropy, Huber, Hypersurface, ItakuraSaito, L1,
};
use emmf::{Csr, Fit, Mat, Spec};
use oracle::entrywise::{ENTRYWISE, product};
use oracle::fit_from;
use oracle::problems::{Kind, Sparse, distance, problem, rng, uniform};

fn losses() -> Vec<AnyEntryLoss> {
    let mut all: Vec<AnyEntryLoss> =
        vec![Divergence { floor: 1e-200 }.into(), ItakuraSaito { floor: 1e-77 }.into()];
    all.extend([0.4, 1.5, 2.0, 2.7].map(|beta| AnyEntryLoss::from(Beta { beta, floor: 1e-77 })));
    for scale in [0.1, 1.0, 30.0] {
        all.push(L1 { epsilon: scale }.into());
        all.push(Huber { delta: scale }.into());
        all.push(Hypersurface { delta: scale }.into());
        all.push(EntryCorrentropy { double_variance: scale * scale }.into());
    }
    all
}

/// Pairs (x, y) over four decades.
fn pairs() -> Vec<(f64, f64)> {
    let numbers = uniform(400, 2, &mut rng(4));
    let spread = |u: f64| 10_f64.powf(4.0 * u - 2.0);
    (0..400).map(|i| (spread(numbers[(i, 0)]), spread(numbers[(i, 1)]))).collect()
}

/// (∂share/∂y)/(y − x) is the weight, times a factor that is the same for all entries.
#[test]
fn weight_is_the_derivative() {
    for loss in losses() {
        let factor = |&(x, y): &(f64, f64)| {
            let h = 1e-6 * y;
            let slope = (loss.share(x, y + h) - loss.share(x, y - h)) / (2.0 * h);
            let ours = loss.weight(x, y) * (y - x);
            // Too flat for differences, or at the corner of Huber's weight.
            let flat = 1e-15 * (loss.share(x, y).abs() + x.min(1.0)) > 1e-4 * slope.abs() * h;
            let corner = matches!(loss, AnyEntryLoss::Huber(h) if ((x - y).abs() - h.delta).abs() < 1e-5 * y);
            (!flat && !corner && ours.abs() > 1e-300).then_some(slope / ours)
        };
        let factors: Vec<f64> = pairs().iter().filter_map(factor).collect();
        assert!(factors.len() > 50, "{loss:?}");
        for factor in &factors {
            assert!((factor / factors[0] - 1.0).abs() < 1e-3, "{loss:?}: {factor} and {}", factors[0]);
        }
    }
}

/// Half the weighted square of the residual lies above the loss and touches it.
#[test]
fn weighted_squares_lie_above() {
    let one = |loss: AnyEntryLoss| match loss {
        AnyEntryLoss::EntryCorrentropy(loss) => 2.0 / loss.double_variance,
        _ => 1.0,
    };
    // The β-divergences bound something else.
    let fresh = |loss: &AnyEntryLoss| {
        matches!(loss, AnyEntryLoss::Divergence(_) | AnyEntryLoss::ItakuraSaito(_) | AnyEntryLoss::Beta(_))
    };
    for loss in losses().into_iter().filter(|loss| !fresh(loss)) {
        for pair in pairs().windows(2) {
            let ((x, old), (_, new)) = (pair[0], pair[1]);
            let w = one(loss) * loss.weight(x, old);
            let bound = loss.share(x, old) + 0.5 * w * ((x - new).powi(2) - (x - old).powi(2));
            let value = loss.share(x, new);
            let error = 1e-12 * (bound.abs() + value + 0.5 * w * (x - old).powi(2));
            assert!(value <= bound + error, "{loss:?}: {value} above {bound}");
        }
    }
}

#[test]
fn weights_and_shares_are_finite_and_not_negative() {
    for loss in losses() {
        for (x, y) in [(0.0, 0.0), (0.0, 1e9), (1e9, 0.0), (1e-9, 1e9), (1.0, 1.0)].into_iter().chain(pairs())
        {
            let (share, weight) = (loss.share(x, y), loss.weight(x, y));
            assert!(share.is_finite() && share >= -1e-15 * x, "{loss:?} {x} {y}: {share}");
            assert!(weight.is_finite() && weight >= 0.0, "{loss:?} {x} {y}: {weight}");
            assert!(loss.share(x, x) <= loss.share(x, y) + 1e-15 * x, "{loss:?} is least where y is x");
        }
        assert!(loss.share(1.0, f64::NAN).is_nan(), "{loss:?} must not hide an overflow");
    }
}

/// After a V step with exponent 1 the approximation of a sample has the sum of the sample, dense and sparse.
#[test]
fn divergence_keeps_the_sums_of_samples() {
    for kind in [Kind::Plain, Kind::Zeros, Kind::ZeroSamples, Kind::ZeroFeatures, Kind::Outliers] {
        let p = problem(kind, 3);
        for iterations in [1, 4] {
            let spec = Spec::new("nmf-div", p.k).max_iter(iterations).polish(false);
            let sparse = Sparse::of(&p.x);
            for fit in [fit_from(&spec, &p.x, &p.start), fit_from(&spec, sparse.narrow(), &p.start)] {
                let fit = fit.unwrap();
                let y = product(&emmf::Factors { u: fit.model.centroids().clone(), v: fit.v.clone() });
                for i in 0..p.x.rows() {
                    let (ours, sum) = (y.row(i).iter().sum::<f64>(), p.x.row(i).iter().sum::<f64>());
                    assert!(
                        (ours - sum).abs() <= 1e-12 * sum,
                        "{kind:?}, sample {i}: {ours}, should be {sum}"
                    );
                }
            }
        }
    }
}

/// With a refreshed width no fixed objective falls: the reported one rises now and then.
#[test]
fn a_refreshed_width_does_not_descend() {
    let rises = |seed: u64| {
        let p = problem(Kind::Plain, seed);
        let fit = fit_from(&Spec::new("cim-nmf", p.k).max_iter(30).polish(false), &p.x, &p.start).unwrap();
        fit.trace.windows(2).any(|pair| pair[1] > pair[0] * (1.0 + 1e-9))
    };
    assert!((0..20).any(rises));
    assert!(!emmf::registry::find("cim-nmf").unwrap().is_monotone(&std::collections::BTreeMap::new()));
}

fn l1(x: &Mat<f64>, fit: &Fit<f64>) -> f64 {
    let y = product(&emmf::Factors { u: fit.model.centroids().clone(), v: fit.v.clone() });
    x.as_slice().iter().zip(y.as_slice()).map(|(x, y)| (x - y).abs()).sum()
}

/// 30×40, rank 4, a tenth gross errors: the l1 norm ignores them, and medians finish it.
#[test]
fn l1_recovers_what_squares_cannot() {
    let mut rng = rng(8);
    let (u, v) = (uniform(40, 4, &mut rng), uniform(30, 4, &mut rng));
    let (errors, sizes) = (uniform(30, 40, &mut rng), uniform(30, 40, &mut rng));
    let clean = product(&emmf::Factors { u, v });
    let x = Mat::from_fn(30, 40, |i, j| {
        clean[(i, j)] + if errors[(i, j)] < 0.1 { 10.0 * sizes[(i, j)] } else { 0.0 }
    });
    let spec = |method: &str| Spec::new(method, 4).init(emmf::Init::Random).seed(1);
    let error = |fit: &Fit<f64>| -> f64 {
        let y = fit.model.reconstruct(&fit.v).unwrap();
        y.as_slice().iter().zip(clean.as_slice()).map(|(y, x)| (y - x).powi(2)).sum::<f64>().sqrt()
    };
    let (nmf, robust) = (spec("nmf").fit(&x).unwrap(), spec("l1-nmf").fit(&x).unwrap());
    let medians = spec("l1-nmf").param("median-sweeps", 20.0).fit(&x).unwrap();
    assert!(l1(&x, &robust) < 0.8 * l1(&x, &nmf), "{} {}", l1(&x, &robust), l1(&x, &nmf));
    assert!(l1(&x, &medians) < l1(&x, &robust), "{} {}", l1(&x, &medians), l1(&x, &robust));
    for method in ["l1-nmf", "cim-nmf", "huber-nmf", "hypersurface-nmf"] {
        let fit = spec(method).fit(&x).unwrap();
        assert!(error(&fit) < 0.85 * error(&nmf), "{method}: {} {}", error(&fit), error(&nmf));
    }
}

/// `transform` is the fit's V, and no other coefficients nearby are better.
#[test]
fn coding_minimises_the_loss_itself() {
    let x = uniform(40, 9, &mut rng(12));
    let sparse = Mat::from_fn(40, 9, |i, j| if (i + j) % 3 == 0 { 0.0 } else { x[(i, j)] });
    for method in ENTRYWISE {
        for x in [&x, &sparse] {
            let fit = Spec::new(method, 3).max_iter(20).fit(x).unwrap();
            assert_eq!(fit.model.transform(x).unwrap().v, fit.v, "{method}");
            let csr = Sparse::of(x);
            let coded = fit.model.transform(csr.narrow()).unwrap();
            assert!(distance(&coded.v, &fit.v) < 1e-9, "{method}, sparse");
            let row = Mat::from_fn(1, 9, |_, j| x[(7, j)]);
            assert_eq!(fit.model.transform(&row).unwrap().v.row(0), fit.v.row(7), "{method}, alone");
        }
    }
    // The divergence: the slope of the loss is 0 where a coefficient is positive, else not negative.
    let fit = Spec::new("nmf-div", 3).max_iter(20).fit(&sparse).unwrap();
    let (u, y) = (fit.model.centroids(), fit.model.reconstruct(&fit.v).unwrap());
    for i in 0..40 {
        for k in 0..3 {
            let quotient = |j: usize| if sparse[(i, j)] == 0.0 { 0.0 } else { sparse[(i, j)] / y[(i, j)] };
            let slope: f64 = (0..9).map(|j| u[(j, k)] * (1.0 - quotient(j))).sum();
            let size: f64 = (0..9).map(|j| u[(j, k)]).sum();
            assert!(
                slope >= -1e-5 * size && (fit.v[(i, k)] < 1e-6 || slope <= 1e-5 * size),
                "{i} {k}: {slope}"
            );
        }
    }
}

/// Zeros never enter a numerator: a sparse matrix far too large to be dense is factorized in no time.
#[test]
fn divergence_of_a_wide_sparse_matrix() {
    let (n, d) = (2000, 50_000);
    let triplets = (0..n * 20).map(|at| (at / 20, (at * 7919 + (at / 500) * 31) % d, 1.0 + (at % 5) as f32));
    let x: Csr<f32> = Csr::from_triplets((n, d), triplets.collect()).unwrap();
    let fit = Spec::new("nmf-div", 4).init(emmf::Init::Random).max_iter(5).fit(&x).unwrap();
    assert!(fit.trace.windows(2).all(|pair| pair[1] <= pair[0]));
}
