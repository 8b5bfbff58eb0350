//! Fits on a card end where those of the processor end.

use emmf::preprocess::Normalize;
use emmf::registry::METHODS;
use emmf::{Factors, Fit, Init, LabelRule, Mat, Outliers, Real, Solver, Spec, StopBy};
use emmf_cuda::Card;
use std::collections::BTreeMap;

/// The card, or a word that there is none.
fn card() -> Option<Card> {
    match Card::open(0) {
        Ok(card) => Some(card),
        Err(error) => {
            eprintln!("SKIPPED: nothing is fitted on a card: {error}");
            None
        }
    }
}

/// A number from 0 to 1 that seems random.
fn noise(i: usize, j: usize, seed: u64) -> f64 {
    let mut z = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (j as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        ^ seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Samples around k directions, some of them far off.
pub(crate) fn samples<T: Real>(n: usize, d: usize, k: usize, off: f64) -> Mat<T> {
    let entry = |i: usize, j: usize| {
        let centre = noise(i % k, j, 1).powi(3);
        let far = if i % 37 == 5 { 2.0 * noise(i, j, 2) } else { 0.0 };
        T::from_f64((1.0 + noise(i, 0, 3)) * centre + off * noise(i, j, 4) + far)
    };
    Mat::from_fn(n, d, entry)
}

pub(crate) fn start<T: Real>(n: usize, d: usize, k: usize) -> Factors<T> {
    Factors {
        u: Mat::from_fn(d, k, |j, c| T::from_f64(0.05 + noise(j, c, 5))),
        v: Mat::from_fn(n, k, |i, c| T::from_f64(0.05 + noise(i, c, 6))),
    }
}

fn far<T: Real>(a: &Mat<T>, b: &Mat<T>) -> f64 {
    let (mut apart, mut length) = (0.0, 0.0);
    for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
        apart += (a.to_f64() - b.to_f64()).powi(2);
        length += a.to_f64().powi(2);
    }
    (apart / length).sqrt()
}

/// Both end at the same objective, up to `within`, with nearly all labels alike.
fn agree<T: Real>(cpu: &Fit<T>, gpu: &Fit<T>, (within, least): (f64, f64), what: &str) {
    let apart = (cpu.objective / gpu.objective - 1.0).abs();
    let alike =
        cpu.labels.iter().zip(&gpu.labels).filter(|(a, b)| a == b).count() as f64 / cpu.labels.len() as f64;
    eprintln!(
        "{what}: objective {:.1e} apart, labels {:.2} % alike, U {:.1e}, V {:.1e}",
        apart,
        100.0 * alike,
        far(cpu.model.centroids(), gpu.model.centroids()),
        far(&cpu.v, &gpu.v)
    );
    assert!(apart <= within, "{what}: {} and {}", cpu.objective, gpu.objective);
    assert!(alike >= least, "{what}: labels {alike}");
}

fn sample_losses() -> impl Iterator<Item = &'static str> {
    METHODS.iter().filter(|entry| entry.loss(&BTreeMap::new()).is_some()).map(|entry| entry.name)
}

const SOLVERS: [Solver; 2] = [Solver::Mu, Solver::Hals];

fn every_loss<T: Real>(card: &Card, (n, d, k): (usize, usize, usize), within: f64, solvers: &[Solver]) {
    let (x, start) = (samples::<T>(n, d, k, 0.3), start::<T>(n, d, k));
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    for name in sample_losses() {
        for &solver in solvers {
            let spec = Spec::new(name, k).solver(solver).max_iter(40).tol(0.0).outliers(Outliers::Keep);
            // Whether extrapolation is taken back is decided by the last digits of objectives, of which single precision has few.
            let spec = spec.label_rule(LabelRule::Largest).extrapolate(T::NAME == "f64");
            let request = || spec.on(&x).start(&start).weights(&weights);
            let cpu = request().fit().unwrap();
            let gpu = request().device(card).fit().unwrap();
            agree(&cpu, &gpu, (within, 0.99), &format!("{name}, {solver}, {}, {n}x{d}, k = {k}", T::NAME));
            let again = request().device(card).fit().unwrap();
            assert_eq!(gpu.v, again.v, "{name}: the same bits");
            assert_eq!(gpu.objective.to_bits(), again.objective.to_bits(), "{name}: the same bits");
        }
    }
}

#[test]
fn every_loss_ends_where_the_processor_ends() {
    let Some(card) = card() else { return };
    every_loss::<f32>(&card, (2100, 70, 5), 1e-5, &SOLVERS);
    every_loss::<f64>(&card, (2100, 70, 5), 1e-10, &SOLVERS);
    every_loss::<f64>(&card, (300, 33, 3), 1e-10, &SOLVERS);
}

#[test]
fn many_centroids_end_where_the_processor_ends() {
    let Some(card) = card() else { return };
    every_loss::<f64>(&card, (3000, 200, 100), 1e-10, &SOLVERS);
    // Between so many centroids HALS makes rounding 1e5 times as large, as double precision shows: of single precision nothing is left.
    every_loss::<f32>(&card, (3000, 200, 100), 1e-5, &SOLVERS[..1]);
    every_loss::<f32>(&card, (1500, 150, 140), 1e-5, &SOLVERS[..1]);
}

/// Whole numbers below 256 are kept as bytes.
#[test]
fn bytes_end_where_the_processor_ends() {
    let Some(card) = card() else { return };
    let pixels = |n, d, k| {
        let x = samples::<f32>(n, d, k, 0.3);
        Mat::from_fn(n, d, |i, j| (x[(i, j)] * 40.0).floor().min(255.0))
    };
    for (n, d, k) in [(2100, 70, 5), (900, 100, 140)] {
        let x = pixels(n, d, k);
        for normalize in [vec![], vec![Normalize::Unit]] {
            let spec =
                Spec::emmf(k).normalize(normalize).max_iter(60).tol(0.0).label_rule(LabelRule::Largest);
            let cpu = spec.on(&x).fit().unwrap();
            let gpu = spec.on(&x).device(&card).fit().unwrap();
            agree(&cpu, &gpu, (1e-5, 0.99), &format!("bytes, k = {k}"));
        }
    }
}

/// With everything at its default, from every start.
#[test]
fn whole_fits_end_where_the_processor_ends() {
    let Some(card) = card() else { return };
    let x = samples::<f64>(1300, 40, 4, 0.2);
    for init in [Init::Kmeans, Init::Trimmed, Init::KmeansParallel, Init::Nndsvd, Init::Random] {
        let spec = Spec::emmf(4).init(init).normalize(vec![Normalize::Unit]).max_iter(80);
        let cpu = spec.on(&x).fit().unwrap();
        let gpu = spec.on(&x).device(&card).fit().unwrap();
        agree(&cpu, &gpu, (1e-9, 0.99), &format!("{init:?}"));
        assert_eq!(cpu.set_aside, gpu.set_aside);
    }
    let spec = Spec::emmf(4).stop_by(StopBy::Coefficients).tol(1e-3);
    agree(
        &spec.on(&x).fit().unwrap(),
        &spec.on(&x).device(&card).fit().unwrap(),
        (1e-9, 0.99),
        "by coefficients",
    );
}

/// What cancels is measured by its definition.
#[test]
fn perfect_fits_have_small_residuals() {
    let Some(card) = card() else { return };
    let (u, v) = (start::<f32>(1, 60, 3).u, start::<f32>(800, 1, 3).v);
    let x = Mat::from_fn(800, 60, |i, j| (0..3).map(|k| u[(j, k)] * v[(i, k)]).sum::<f32>());
    let spec = Spec::new("nmf", 3).solver(Solver::Hals).max_iter(400).outliers(Outliers::Keep);
    let gpu = spec.on(&x).device(&card).fit().unwrap();
    let worst = gpu.residuals.iter().copied().fold(0.0, f64::max);
    assert!(worst < 1e-3, "{worst}");
    for i in [0, 17, 799] {
        let exact = (0..60)
            .map(|j| {
                let fitted: f64 =
                    (0..3).map(|k| f64::from(gpu.model.centroids()[(j, k)]) * f64::from(gpu.v[(i, k)])).sum();
                (f64::from(x[(i, j)]) - fitted).powi(2)
            })
            .sum::<f64>()
            .sqrt();
        let length = x.row(i).iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        // Two halves hold 22 digits of an entry.
        assert!(
            (gpu.residuals[i] - exact).abs() <= length / f64::from(1 << 22),
            "{i}: {} and {exact}",
            gpu.residuals[i]
        );
    }
}

/// What a card cannot do is said.
#[test]
fn what_a_card_cannot_do_names_the_processor() {
    let Some(card) = card() else { return };
    let x = samples::<f32>(60, 10, 2, 0.2);
    for method in ["g-emmf", "pnmf", "l1-nmf"] {
        let error = Spec::new(method, 2).on(&x).device(&card).fit().unwrap_err().to_string();
        assert!(error.contains("cpu"), "{error}");
    }
}
