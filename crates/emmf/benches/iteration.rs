//! Milliseconds of a whole iteration, beside the two bare products X·U and Xᵀ·V of the library that
//! makes them: interleaved rounds, medians.
//!
//! `cargo bench --bench iteration -- [n d c]` takes one shape instead of all.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark prints, and may panic")]

use std::ops::ControlFlow;
use std::time::Instant;

use emmf::{Given, Init, Mat, Real, Spec, Step, synth};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

const SHAPES: [(usize, usize, usize); 4] =
    [(1440, 1024, 20), (7200, 1024, 100), (20_000, 1000, 50), (200_000, 256, 20)];

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|arg| arg.parse().ok()).collect();
    let shapes = if let [n, d, c] = numbers[..] { vec![(n, d, c)] } else { SHAPES.to_vec() };
    println!(
        "{:>22} {:>4} {:>7} {:>10} {:>8} {:>8} {:>6} {:>6}",
        "(n, d, c)", "", "threads", "products", "nmf", "emmf", "ratio", "emmf/nmf"
    );
    for shape in shapes {
        for threads in [1, 2] {
            report::<f32>(shape, threads);
            report::<f64>(shape, threads);
        }
    }
}

fn report<T: Real + faer::traits::ComplexField>((n, d, c): (usize, usize, usize), threads: usize) {
    let x = synth::uniform::<T>(n, d, 1);
    let u = synth::uniform::<T>(d, c, 2);
    let v = synth::uniform::<T>(n, c, 3);
    let iterations = (4_000_000_000 / (4 * n * d * c)).clamp(3, 200);
    let (mut products, mut nmf, mut emmf) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..7 {
        products.push(two_products(&x, &u, &v, threads, iterations));
        nmf.push(iteration("nmf", &x, c, threads, iterations));
        emmf.push(iteration("emmf", &x, c, threads, iterations));
    }
    let [products, nmf, emmf] = [products, nmf, emmf].map(median);
    println!(
        "{:>22} {:>4} {threads:>7} {products:>10.3} {nmf:>8.3} {emmf:>8.3} {:>6.2} {:>6.2}",
        format!("({n}, {d}, {c})"),
        T::NAME,
        emmf / products,
        emmf / nmf
    );
}

/// From the end of the first iteration to the end of the last.
fn iteration<T: Real>(method: &str, x: &Mat<T>, c: usize, threads: usize, iterations: usize) -> f64 {
    let spec =
        Spec::new(method, c).init(Init::Random).threads(threads).max_iter(iterations + 1).polish(false);
    let mut times = Vec::new();
    let mut observer = |step: &Step| {
        times.push(step.elapsed.as_secs_f64());
        ControlFlow::Continue(())
    };
    spec.fit_with(x, Given { sample_weights: None, start: None, observer: &mut observer }).expect("a fit");
    1e3 * (times[iterations] - times[0]) / iterations as f64
}

fn two_products<T: Real + faer::traits::ComplexField>(
    x: &Mat<T>,
    u: &Mat<T>,
    v: &Mat<T>,
    threads: usize,
    times: usize,
) -> f64 {
    let (n, d, c) = (x.rows(), x.cols(), u.cols());
    let (mut xu, mut xtv) = (Mat::<T>::zeros(n, c), Mat::<T>::zeros(d, c));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let par = if threads == 1 { Par::Seq } else { Par::rayon(threads) };
    pool.install(|| {
        let began = Instant::now();
        for _ in 0..times {
            let out = MatMut::from_row_major_slice_mut(xu.as_mut_slice(), n, c);
            matmul(out, Accum::Replace, as_faer(x), as_faer(u), <T as Real>::ONE, par);
            let out = MatMut::from_row_major_slice_mut(xtv.as_mut_slice(), d, c);
            matmul(out, Accum::Replace, as_faer(x).transpose(), as_faer(v), <T as Real>::ONE, par);
        }
        1e3 * began.elapsed().as_secs_f64() / times as f64
    })
}

fn as_faer<T: Real>(a: &Mat<T>) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(a.as_slice(), a.rows(), a.cols())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
