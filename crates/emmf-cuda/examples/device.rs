//! Whole iterations of EMMF on a card beside two bare products of cuBLAS: `cargo run --release -p emmf-cuda --example device [n,d,k …]`.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use emmf::{Csr, Factors, Given, LabelRule, Mat, Prepared, Real, Result, RowSource, Samples, Spec, Step};
use emmf_cuda::Card;

/// Iterations that are timed.
const ITERATIONS: usize = 25;
/// Sparse samples, features and centroids, and entries of a sample at most.
const SPARSE: (usize, usize, usize) = (500_000, 30_000, 50);
const ENTRIES: usize = 100;
/// Samples that are different.
const DIFFERENT: usize = 8192;

/// A number from 0 to 1 that seems random.
fn noise(i: usize, j: usize) -> f64 {
    let mut z =
        (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (j as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 30)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 27)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Many samples of a few.
struct Many<T> {
    some: Mat<T>,
    n: usize,
}

impl<T: Real> Many<T> {
    fn new(n: usize, d: usize, bytes: bool) -> Self {
        let entry = |i, j| if bytes { (256.0 * noise(i, j)).floor() } else { noise(i, j) };
        Self { some: Mat::from_fn(DIFFERENT, d, |i, j| T::from_f64(entry(i, j))), n }
    }

    fn norms_sq(&self) -> Vec<f64> {
        let norm_sq = |i: usize| self.some.row(i).iter().map(|x| x.to_f64().powi(2)).sum::<f64>();
        let some: Vec<f64> = (0..DIFFERENT).map(norm_sq).collect();
        (0..self.n).map(|i| some[i % DIFFERENT]).collect()
    }
}

impl<T: Real> RowSource<T> for Many<T> {
    fn shape(&self) -> (usize, usize) {
        (self.n, self.some.cols())
    }

    fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()> {
        let lines = rows.zip(out.chunks_exact_mut(self.some.cols()));
        lines.for_each(|(i, out)| out.copy_from_slice(self.some.row(i % DIFFERENT)));
        Ok(())
    }
}

/// The median time of an iteration in milliseconds, and the seconds that samples took to the card.
fn iteration<T: Real>(card: &Card, x: Samples<'_, T>, norms_sq: &[f64], k: usize) -> Result<(f64, f64)> {
    let ((n, d), weights) = (x.shape(), vec![1.0; norms_sq.len()]);
    let spec = Spec::emmf(k).max_iter(ITERATIONS).tol(0.0).polish(false).label_rule(LabelRule::Largest);
    let began = Instant::now();
    let prepared = Prepared::new(x, None, norms_sq, &weights, &spec);
    let side = T::take(card, prepared)?;
    let taken = began.elapsed().as_secs_f64();
    let start = Factors {
        u: Mat::from_fn(d, k, |j, c| T::from_f64(0.1 + noise(j, c))),
        v: Mat::from_fn(n, k, |i, c| T::from_f64(0.1 + noise(i % DIFFERENT, c))),
    };
    let (mut times, mut last) = (Vec::new(), None);
    let mut watch = |_: &Step| {
        let now = Instant::now();
        times.extend(last.map(|last| now.duration_since(last).as_secs_f64() * 1e3));
        last = Some(now);
        ControlFlow::Continue(())
    };
    spec.fit_side(&*side, Given { start: Some(&start), observer: Some(&mut watch), ..Given::default() })?;
    times.sort_by(f64::total_cmp);
    Ok((times[times.len() / 2], taken))
}

fn row<T: Real>(card: &Card, shape: (usize, usize, usize), bytes: bool) -> Result<()> {
    let floor = card.floor(shape, T::NAME == "f64")?;
    let many = Many::<T>::new(shape.0, shape.1, bytes);
    let (ours, taken) = iteration(card, Samples::Stream(&many), &many.norms_sq(), shape.2)?;
    println!(
        "| {shape:?} | {}{} | {:.3} | {:.3} | {ours:.3} | {:.2} | {taken:.2} |",
        T::NAME,
        if bytes { ", bytes" } else { "" },
        floor.products,
        floor.reading,
        ours / floor.products
    );
    Ok(())
}

/// Sparse samples, entries of which the first features have the most, as words do.
fn sparse<T: Real>(n: usize, d: usize) -> Result<Csr<T>> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let mut row: Vec<i64> = (0..ENTRIES).map(|e| (noise(i, e).powi(3) * d as f64) as i64).collect();
        row.sort_unstable();
        row.dedup();
        values.extend(row.iter().map(|&j| T::from_f64(0.1 + noise(i, j as usize))));
        columns.extend(row);
        starts.push(columns.len() as i64);
    }
    Csr::new((n, d), starts, columns, values)
}

fn sparse_row<T: Real>(card: &Card, (n, d, k): (usize, usize, usize)) -> Result<()> {
    let x = sparse::<T>(n, d)?;
    let norm_sq = |i: usize| x.view().row(i).map(|(_, value)| value.to_f64().powi(2)).sum();
    let norms_sq: Vec<f64> = (0..n).map(norm_sq).collect();
    let (ours, taken) = iteration(card, Samples::Csr(x.view()), &norms_sq, k)?;
    let entries = x.view().nnz();
    println!("| {n}×{d}, {entries} entries, k = {k} | {} | {ours:.3} | {taken:.2} |", T::NAME);
    Ok(())
}

fn shapes() -> Vec<(usize, usize, usize)> {
    let parsed = |text: String| {
        let numbers: Vec<usize> = text.split(',').filter_map(|number| number.parse().ok()).collect();
        <[usize; 3]>::try_from(numbers).ok().map(|[n, d, k]| (n, d, k))
    };
    let named: Vec<_> = std::env::args().skip(1).filter_map(parsed).collect();
    let usual = vec![(1_000_000, 1024, 20), (1_000_000, 1024, 100), (4_000_000, 1024, 64), (60_000, 784, 10)];
    if named.is_empty() { usual } else { named }
}

fn main() -> Result<()> {
    let card = Card::open(0)?;
    println!("{}, milliseconds, medians\n", card.model());
    println!("| (n, d, k) | | two products | reading X twice | iteration | ratio | seconds to the card |");
    println!("|---|---|---|---|---|---|---|");
    for shape in shapes() {
        row::<f32>(&card, shape, false)?;
        row::<f32>(&card, shape, true)?;
        row::<f64>(&card, shape, false)?;
    }
    println!("\n| sparse | | iteration | seconds to the card |\n|---|---|---|---|");
    sparse_row::<f32>(&card, SPARSE)?;
    sparse_row::<f64>(&card, SPARSE)
}
