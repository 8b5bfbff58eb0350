//! Fits on a card end where those of the processor end.

use emmf::preprocess::Normalize;
use emmf::registry::METHODS;
use emmf::{Csr, Factors, Fit, Init, LabelRule, Mat, Outliers, Real, Samples, Solver, Spec, StopBy};
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
    let x = samples::<T>(n, d, k, 0.3);
    every_loss_of(card, Samples::Dense(x.view()), k, within, solvers);
}

fn every_loss_of<T: Real>(card: &Card, x: Samples<'_, T>, k: usize, within: f64, solvers: &[Solver]) {
    let (n, d) = x.shape();
    let start = start::<T>(n, d, k);
    let weights: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    for name in sample_losses() {
        for &solver in solvers {
            let spec = Spec::new(name, k).solver(solver).max_iter(40).tol(0.0).outliers(Outliers::Keep);
            // Whether extrapolation is taken back is decided by the last digits of objectives, of which single precision has few.
            let spec = spec.label_rule(LabelRule::Largest).extrapolate(T::NAME == "f64");
            let request = || spec.on(x).start(&start).weights(&weights);
            let cpu = request().fit().unwrap();
            let gpu = request().device(card).fit().unwrap();
            agree(&cpu, &gpu, (within, 0.99), &format!("{name}, {solver}, {}, {n}x{d}, k = {k}", T::NAME));
            let again = request().device(card).fit().unwrap();
            assert_eq!(gpu.v, again.v, "{name}: the same bits");
            assert_eq!(gpu.objective.to_bits(), again.objective.to_bits(), "{name}: the same bits");
        }
    }
}

/// Sparse samples: feature 0 is in nearly all of them, the last one in none, every 50th sample is empty, and features are in no order.
fn sparse<T: Real>(n: usize, d: usize, k: usize) -> Csr<T> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        for j in (0..d - 1).rev().filter(|_| i % 50 != 7) {
            let centre = noise(i % k, j, 1);
            if j == 0 || (centre > 0.6 && noise(i, j, 8) > 0.7) || noise(i, j, 9) > 0.98 {
                columns.push(j as i64);
                values.push(T::from_f64(0.1 + centre + noise(i, j, 4)));
            }
        }
        starts.push(columns.len() as i64);
    }
    Csr::new((n, d), starts, columns, values).unwrap()
}

#[test]
fn sparse_samples_end_where_the_processor_ends() {
    let Some(card) = card() else { return };
    let (single, double) = (sparse::<f32>(2100, 90, 5), sparse::<f64>(2100, 90, 5));
    every_loss_of(&card, Samples::Csr(single.view()), 5, 1e-5, &SOLVERS);
    every_loss_of(&card, Samples::Csr(double.view()), 5, 1e-10, &SOLVERS);
    let wide = sparse::<f64>(700, 300, 40);
    every_loss_of(&card, Samples::Csr(wide.view()), 40, 1e-10, &SOLVERS[..1]);
    let many = sparse::<f32>(900, 200, 140);
    every_loss_of(&card, Samples::Csr(many.view()), 140, 1e-5, &SOLVERS[..1]);
}

/// With lists so long that a block adds up each, from every start.
#[test]
fn whole_fits_of_sparse_samples_end_where_the_processor_ends() {
    let Some(card) = card() else { return };
    let x = sparse::<f64>(70_000, 30, 4);
    for init in [Init::Kmeans, Init::KmeansParallel, Init::Nndsvd] {
        let spec = Spec::emmf(4).init(init).normalize(vec![Normalize::Unit]).max_iter(30);
        let cpu = spec.on(x.view()).fit().unwrap();
        let gpu = spec.on(x.view()).device(&card).fit().unwrap();
        agree(&cpu, &gpu, (1e-9, 0.99), &format!("sparse, {init:?}"));
        assert_eq!(cpu.set_aside, gpu.set_aside);
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

/// Samples that do not stay on the card come in blocks, and it does not matter how many stay.
#[test]
fn samples_in_blocks_end_where_the_processor_ends() {
    let Some(card) = card() else { return };
    // Parts of 132 samples, two of which are 147,840 bytes.
    let (n, d, k) = (2100, 70, 5);
    for bytes in [0, 150_000] {
        every_loss::<f64>(&card.clone().holding(bytes), (n, d, k), 1e-10, &SOLVERS);
        every_loss::<f32>(&card.clone().holding(bytes), (n, d, k), 1e-5, &SOLVERS[..1]);
    }
    every_loss::<f32>(&card.clone().holding(0), (900, 100, 140), 1e-5, &SOLVERS[..1]);
    let x = samples::<f64>(n, d, k, 0.2);
    for init in [Init::Kmeans, Init::KmeansParallel] {
        let spec = Spec::emmf(k).init(init).normalize(vec![Normalize::Unit]).max_iter(30);
        let cpu = spec.on(&x).fit().unwrap();
        let [none, some] =
            [0, 150_000].map(|bytes| spec.on(&x).device(&card.clone().holding(bytes)).fit().unwrap());
        agree(&cpu, &none, (1e-9, 0.99), &format!("in blocks, {init:?}"));
        assert_eq!((&none.v, none.objective.to_bits()), (&some.v, some.objective.to_bits()), "the same bits");
    }
}

/// What cancels is measured by its definition, in blocks, too.
#[test]
fn perfect_fits_in_blocks_have_small_residuals() {
    let Some(card) = card() else { return };
    let (u, v) = (start::<f64>(1, 60, 3).u, start::<f64>(800, 1, 3).v);
    let x = Mat::from_fn(800, 60, |i, j| (0..3).map(|k| u[(j, k)] * v[(i, k)]).sum::<f64>());
    let spec = Spec::new("nmf", 3).solver(Solver::Hals).max_iter(400).outliers(Outliers::Keep);
    let fit = spec.on(&x).device(&card.holding(0)).fit().unwrap();
    for i in 0..800 {
        let fitted = |j| -> f64 { (0..3).map(|k| fit.model.centroids()[(j, k)] * fit.v[(i, k)]).sum() };
        let exact = (0..60).map(|j| (x[(i, j)] - fitted(j)).powi(2)).sum::<f64>().sqrt();
        assert!((fit.residuals[i] - exact).abs() < 1e-13, "{i}: {} and {exact}", fit.residuals[i]);
    }
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
