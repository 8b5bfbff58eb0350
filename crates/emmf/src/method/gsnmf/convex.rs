//! GS-FGM: the choice of samples and features as a convex problem (Pan and Gillis), by the fast gradient method.
//!
//! min ½‖M − MA − BM‖² + λ·(p·diag A + q·diag B), A ∈ Ω(column sums of M), Bᵀ ∈ Ω(row sums of M); p and q are
//! ones with a small spread, which breaks ties. The diagonal entries say how much each is needed. The
//! Lipschitz constant of the gradient is 2σ² with σ the largest singular value of M.
//!
//! λ has the unit (‖M‖² − σ²)/(rows + columns): what the mean structure leaves unexplained, per row and
//! column. In that unit λ = 1 chooses well at any size of M; with an absolute λ, what is right for twenty
//! rows is lost in the noise of gradients for two hundred, and the diagonal never gets sparse.

use super::bounded::project_row;
use crate::data::BLOCK;
use crate::matrix::Mat;
use crate::real::sealed::{Left, Product};
use crate::threads::each;
use crate::threads::prelude::*;

/// Maximum number of iterations, and the change of all diagonal entries that counts as none.
const ITERATIONS: usize = 300;
const STILL: f64 = 1e-5;
/// Where the momentum starts.
const MOMENTUM: f64 = 0.05;
/// Spread of p and q.
const SPREAD: f64 = 0.01;

/// M with what stays the same from iteration to iteration.
struct Problem<'a> {
    m: &'a Mat<f64>,
    row_sums: Vec<f64>,
    column_sums: Vec<f64>,
    lambda: f64,
    /// One over the Lipschitz constant.
    step: f64,
}

/// A and Bᵀ, and M − MA − BM.
#[derive(Clone)]
struct Point {
    a: Mat<f64>,
    b: Mat<f64>,
    rest: Mat<f64>,
}

/// Weight of the `i`-th diagonal entry: evenly spread numbers around 1.
fn weight(i: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    1.0 + SPREAD * ((i as f64 * GOLDEN).fract() - 0.5)
}

/// out = left·right, blocks of rows in parallel; `left` gives the rows from a given one on.
fn product<'a>(
    out: &mut Mat<f64>,
    left: impl Fn(usize) -> Left<'a, f64> + Sync,
    inner: usize,
    right: &Mat<f64>,
) {
    let columns = right.cols();
    if columns == 0 {
        return;
    }
    let blocks = out.as_mut_slice().par_chunks_mut(BLOCK / 2 * columns).enumerate();
    each(blocks, |(block, out)| {
        let shape = (out.len() / columns, inner, columns);
        f64::gemm((out, columns), left(block * (BLOCK / 2)), (right.as_slice(), columns), shape, false);
    });
}

/// The rows of a matrix from `row` on.
fn rows<'a>(a: &'a Mat<f64>) -> impl Fn(usize) -> Left<'a, f64> + Sync {
    move |row| Left::Rows((&a.as_slice()[row * a.cols()..], a.cols()))
}

/// The columns of a matrix from `column` on, as rows.
fn columns<'a>(a: &'a Mat<f64>) -> impl Fn(usize) -> Left<'a, f64> + Sync {
    move |column| Left::Columns((&a.as_slice()[column..], a.cols()))
}

/// `out` = `a` + `factor`·(`a` − `b`).
fn extrapolate(out: &mut Mat<f64>, a: &Mat<f64>, b: &Mat<f64>, factor: f64) {
    let pairs = a.as_slice().iter().zip(b.as_slice());
    out.as_mut_slice().iter_mut().zip(pairs).for_each(|(out, (a, b))| *out = a + factor * (a - b));
}

impl<'a> Problem<'a> {
    fn new(m: &'a Mat<f64>, lambda: f64) -> Self {
        let (rows, columns) = m.shape();
        let sum = |numbers: &mut dyn Iterator<Item = f64>| numbers.sum::<f64>();
        let norm_sq = m.as_slice().iter().map(|x| x * x).sum::<f64>();
        let largest = largest_eigenvalue(m);
        Self {
            m,
            row_sums: (0..rows).map(|i| sum(&mut m.row(i).iter().copied())).collect(),
            column_sums: (0..columns).map(|j| sum(&mut (0..rows).map(|i| m[(i, j)]))).collect(),
            lambda: lambda * (norm_sq - largest).max(0.0) / (rows + columns) as f64,
            step: 0.5 / largest,
        }
    }

    /// A point without its rest.
    fn origin(&self) -> Point {
        let (rows, columns) = self.m.shape();
        Point { a: Mat::zeros(columns, columns), b: Mat::zeros(rows, rows), rest: self.m.clone() }
    }

    /// `next` = the projection of `from` − step·gradient. The gradient is −MᵀR + λ·diag p for A and −M·Rᵀ +
    /// λ·diag q for Bᵀ. `other` has the shape of M.
    fn descend(&self, from: &Point, next: &mut Point, other: &mut Mat<f64>) {
        let (rows_of_m, columns_of_m) = self.m.shape();
        let rest = &from.rest;
        product(&mut next.a, columns(self.m), rows_of_m, rest);
        let turned = rest.transposed();
        product(&mut next.b, rows(self.m), columns_of_m, &turned);
        self.move_and_project(&from.a, &mut next.a, &self.column_sums);
        self.move_and_project(&from.b, &mut next.b, &self.row_sums);
        product(&mut next.rest, rows(self.m), columns_of_m, &next.a);
        product(other, columns(&next.b), rows_of_m, self.m);
        let parts = self.m.as_slice().iter().zip(other.as_slice());
        next.rest.as_mut_slice().iter_mut().zip(parts).for_each(|(rest, (m, b))| *rest = m - *rest - b);
    }

    /// `next` holds minus the gradient of the fit and becomes the next A (or Bᵀ).
    fn move_and_project(&self, from: &Mat<f64>, next: &mut Mat<f64>, sums: &[f64]) {
        let size = sums.len();
        let rows = next.as_mut_slice().par_chunks_exact_mut(size).zip(from.as_slice().par_chunks_exact(size));
        each(rows.enumerate(), |(i, (next, from))| {
            next[i] -= self.lambda * weight(i);
            next.iter_mut().zip(from).for_each(|(next, from)| *next = from + self.step * *next);
            project_row(next, i, sums);
        });
    }

    fn objective(&self, point: &Point) -> f64 {
        let fit = point.rest.as_slice().iter().map(|r| r * r).sum::<f64>();
        let trace = |a: &Mat<f64>| (0..a.cols()).map(|i| weight(i) * a[(i, i)]).sum::<f64>();
        0.5 * fit + self.lambda * (trace(&point.a) + trace(&point.b))
    }
}

/// The largest eigenvalue of MᵀM; M has no negative entry, so ones are not orthogonal to its vector.
fn largest_eigenvalue(m: &Mat<f64>) -> f64 {
    let mut y = vec![1.0; m.cols()];
    let mut value = 0.0;
    for _ in 0..100 {
        let mut next = vec![0.0; m.cols()];
        for i in 0..m.rows() {
            let share: f64 = m.row(i).iter().zip(&y).map(|(m, y)| m * y).sum();
            next.iter_mut().zip(m.row(i)).for_each(|(next, m)| *next += share * m);
        }
        let length = |y: &[f64]| y.iter().map(|y| y * y).sum::<f64>().sqrt();
        let (grown, last) = (length(&next) / length(&y), value);
        value = grown;
        y = next.iter().map(|y| y / length(&next).max(f64::MIN_POSITIVE)).collect();
        if (value - last).abs() <= 1e-12 * value {
            break;
        }
    }
    value.max(f64::MIN_POSITIVE)
}

/// diag B and diag A: how much each row and each column of M, none of which is zero, is needed.
pub(super) fn importance(m: &Mat<f64>, lambda: f64) -> (Vec<f64>, Vec<f64>) {
    let problem = Problem::new(m, lambda);
    let diagonal = |a: &Mat<f64>| -> Vec<f64> { (0..a.cols()).map(|i| a[(i, i)]).collect() };
    let mut here = problem.origin();
    let (mut next, mut ahead, mut other) = (here.clone(), here.clone(), here.rest.clone());
    let (mut momentum, mut value) = (MOMENTUM, f64::INFINITY);
    for _ in 0..ITERATIONS {
        problem.descend(&ahead, &mut next, &mut other);
        let objective = problem.objective(&next);
        if objective > value {
            // Without momentum the next step descends.
            (momentum, value) = (MOMENTUM, f64::INFINITY);
            ahead.clone_from(&here);
            continue;
        }
        let square = momentum * momentum;
        let slower = 0.5 * ((square * square + 4.0 * square).sqrt() - square);
        let factor = momentum * (1.0 - momentum) / (square + slower);
        extrapolate(&mut ahead.a, &next.a, &here.a, factor);
        extrapolate(&mut ahead.b, &next.b, &here.b, factor);
        // M − MA − BM is affine in A and B: no product is needed.
        extrapolate(&mut ahead.rest, &next.rest, &here.rest, factor);
        std::mem::swap(&mut here, &mut next);
        let change = |a: &Mat<f64>, b: &Mat<f64>| {
            (0..a.cols()).map(|i| (a[(i, i)] - b[(i, i)]).abs()).fold(0.0, f64::max)
        };
        let still = change(&here.a, &next.a).max(change(&here.b, &next.b)) < STILL;
        (momentum, value) = (slower, objective);
        if still {
            break;
        }
    }
    (diagonal(&here.b), diagonal(&here.a))
}
