//! Eigenvalues and eigenvectors of a symmetric matrix: reflections make it tridiagonal (Householder 1958), rotations with
//! Wilkinson's shift make that diagonal (implicit QL, Dubrulle 1970). O(n³), every inner loop along rows.

use super::svd::turn;
use crate::data::{dot_f64, vectorized};
use crate::matrix::Mat;

/// Maximum number of rounds for one eigenvalue; two are usual.
const ROUNDS: usize = 60;

/// Squares below this are nothing beside a largest entry of 1.
const NOTHING: f64 = 1e-280;

/// Eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns; `None` where a number is not finite.
pub(crate) fn symmetric_eigen(a: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.rows();
    let most =
        a.as_slice().iter().fold(0.0_f64, |most, x| if x.is_nan() { f64::NAN } else { most.max(x.abs()) });
    if !most.is_finite() {
        return None;
    }
    // Squares neither overflow nor vanish.
    let scale = if most > 0.0 { most } else { 1.0 };
    let Tridiagonal { mut diagonal, mut beside, turns } =
        Tridiagonal::of(Mat::from_fn(n, n, |i, j| a[(i, j)] / scale));
    let mut vectors = Mat::from_fn(n, n, |i, j| turns[(j, i)]);
    diagonalize(&mut diagonal, &mut beside, &mut vectors)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| diagonal[a].total_cmp(&diagonal[b]));
    let values = order.iter().map(|&at| scale * diagonal[at]).collect();
    Some((values, Mat::from_fn(n, n, |i, j| vectors[(order[j], i)])))
}

/// A = Q·T·Qᵀ.
struct Tridiagonal {
    diagonal: Vec<f64>,
    /// Beside the diagonal, and a last number that is 0.
    beside: Vec<f64>,
    /// Q.
    turns: Mat<f64>,
}

impl Tridiagonal {
    fn of(mut a: Mat<f64>) -> Self {
        let n = a.rows();
        let mut beside = vec![0.0; n];
        // Each reflection I − h·vvᵀ turns what is right of the diagonal of a row into its first number. v stays in that row.
        let mut factors = vec![0.0; n];
        for k in 0..n.saturating_sub(1) {
            let (mut v, rest) = (a.row(k)[k + 1..].to_vec(), k + 1);
            let (first, length) = (v[0], dot_f64(&v, &v).sqrt());
            if dot_f64(&v[1..], &v[1..]) <= NOTHING {
                beside[k] = first;
                continue;
            }
            beside[k] = -length.copysign(first);
            v[0] -= beside[k];
            let h = 2.0 / dot_f64(&v, &v);
            // A ← A − v·wᵀ − w·vᵀ with w = p − ½h(pᵀv)·v, p = h·A·v.
            let mut w: Vec<f64> =
                (rest..n).map(|i| h * vectorized!(dot_f64(&a.row(i)[rest..], &v))).collect();
            let half = 0.5 * h * dot_f64(&w, &v);
            w.iter_mut().zip(&v).for_each(|(w, v)| *w -= half * v);
            for (i, row) in (rest..n).zip(0..) {
                let (x, y): (f64, f64) = (v[row], w[row]);
                let entries = &mut a.row_mut(i)[rest..];
                vectorized!({
                    let pairs = entries.iter_mut().zip(v.iter().zip(&w));
                    pairs.for_each(|(entry, (v, w))| *entry -= x * w + y * v);
                });
            }
            factors[k] = h;
            a.row_mut(k)[rest..].copy_from_slice(&v);
        }
        let diagonal = (0..n).map(|i| a[(i, i)]).collect();
        Self { diagonal, beside, turns: reflected(&a, &factors) }
    }
}

/// The product of reflections, the first one first.
fn reflected(v: &Mat<f64>, factors: &[f64]) -> Mat<f64> {
    let n = v.rows();
    let mut q = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    let mut along = vec![0.0; n];
    for k in (0..n).rev().filter(|&k| factors[k] != 0.0) {
        let (v, rest) = (&v.row(k)[k + 1..], k + 1);
        along.fill(0.0);
        for (i, v) in (rest..n).zip(v) {
            vectorized!(along[rest..].iter_mut().zip(&q.row(i)[rest..]).for_each(|(sum, q)| *sum += v * q));
        }
        for (i, v) in (rest..n).zip(v) {
            let by = factors[k] * v;
            let row = &mut q.row_mut(i)[rest..];
            vectorized!(row.iter_mut().zip(&along[rest..]).for_each(|(q, along)| *q -= by * along));
        }
    }
    q
}

/// Makes a tridiagonal matrix diagonal, and turns the rows of `vectors` with it.
fn diagonalize(d: &mut [f64], e: &mut [f64], vectors: &mut Mat<f64>) -> Option<()> {
    let n = d.len();
    let vanishes = |d: &[f64], e: &[f64], m: usize| {
        e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs()) || e[m].abs() <= f64::MIN_POSITIVE
    };
    for first in 0..n {
        let mut rounds = 0;
        loop {
            let last = (first..n - 1).find(|&m| vanishes(d, e, m)).unwrap_or(n - 1);
            if last == first {
                break;
            }
            rounds += 1;
            if rounds > ROUNDS {
                return None;
            }
            // Wilkinson's shift, then a rotation that makes a bulge and others that chase it up to the first row.
            let slope = (d[first + 1] - d[first]) / (2.0 * e[first]);
            let mut bulge = d[last] - d[first] + e[first] / (slope + slope.hypot(1.0).copysign(slope));
            let (mut cos, mut sin, mut moved) = (1.0, 1.0, 0.0);
            let mut broken = false;
            for i in (first..last).rev() {
                let (out, inside) = (sin * e[i], cos * e[i]);
                let length = bulge.hypot(out);
                e[i + 1] = length;
                if length == 0.0 {
                    d[i + 1] -= moved;
                    e[last] = 0.0;
                    broken = true;
                    break;
                }
                (sin, cos) = (out / length, bulge / length);
                let at = d[i + 1] - moved;
                let step = (d[i] - at) * sin + 2.0 * cos * inside;
                moved = sin * step;
                d[i + 1] = at + moved;
                bulge = cos * step - inside;
                turn(vectors, (i, i + 1), (cos, sin));
            }
            if !broken {
                d[first] -= moved;
                e[first] = bulge;
                e[last] = 0.0;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::assert_orthonormal;
    use super::*;

    /// A·x = λ·x, the vectors orthonormal, the values ascending.
    fn holds(name: &str, a: &Mat<f64>) -> Vec<f64> {
        let n = a.rows();
        let (values, x) = symmetric_eigen(a).unwrap_or_else(|| panic!("{name}, {n}"));
        let most = a.as_slice().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        assert!(values.is_sorted(), "{name}: {values:?}");
        assert_orthonormal(name, &x, 1e-12);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let made: f64 = (0..n).map(|k| a[(i, k)] / most.max(f64::MIN_POSITIVE) * x[(k, j)]).sum();
            let wanted = values[j] / most.max(f64::MIN_POSITIVE) * x[(i, j)];
            assert!((made - wanted).abs() < 1e-12 * n as f64, "{name}: {made}, {wanted}");
        }
        values
    }

    #[test]
    fn of_all_sizes_and_scales() {
        for n in [0, 1, 2, 3, 5, 17, 64, 130] {
            for scale in [1.0, 1e-300, 1e300, 5e-324] {
                let entry = |i: usize, j: usize| ((i * j * 7 + (i + j) * 3) % 11) as f64 - 4.0;
                holds(&format!("{n}, {scale}"), &Mat::from_fn(n, n, |i, j| scale * entry(i, j) / 8.0));
            }
        }
    }

    #[test]
    fn of_special_matrices() {
        for n in [1, 2, 6, 40] {
            assert_eq!(holds("zero", &Mat::zeros(n, n)), vec![0.0; n]);
            let ones = holds("rank one", &Mat::from_fn(n, n, |_, _| 1.0));
            assert!(
                (ones[n - 1] - n as f64).abs() < 1e-12 * n as f64 && ones[0].abs() < 1e-12 * n as f64
                    || n == 1
            );
            let diagonal =
                holds("diagonal", &Mat::from_fn(n, n, |i, j| if i == j { (i * 5 % 7) as f64 } else { 0.0 }));
            assert_eq!(diagonal[0], 0.0);
            holds("graded", &Mat::from_fn(n, n, |i, j| 10_f64.powi(-(2 * (i + j) as i32))));
            let ring = holds(
                "ring",
                &Mat::from_fn(n, n, |i, j| f64::from(u8::from((i + 1) % n == j || (j + 1) % n == i))),
            );
            assert!(n < 3 || (ring[n - 1] - 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_finite_has_none() {
        for wrong in [f64::NAN, f64::INFINITY] {
            assert!(symmetric_eigen(&Mat::from_fn(3, 3, |i, j| if i == j { wrong } else { 1.0 })).is_none());
        }
    }
}
