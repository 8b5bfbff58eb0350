//! A = L·Lᵀ.

use crate::data::dot_f64;
use crate::matrix::Mat;

/// The Cholesky factor of a symmetric positive definite matrix.
pub(crate) struct Cholesky(Mat<f64>);

impl Cholesky {
    /// `None` where the matrix is not positive definite.
    pub(crate) fn new(a: &Mat<f64>) -> Option<Self> {
        let n = a.rows();
        let mut l = Mat::zeros(n, n);
        for i in 0..n {
            for j in 0..i {
                let left = a[(i, j)] - dot_f64(&l.row(i)[..j], &l.row(j)[..j]);
                l[(i, j)] = left / l[(j, j)];
            }
            let left = a[(i, i)] - dot_f64(&l.row(i)[..i], &l.row(i)[..i]);
            if !(left > 0.0 && left.is_finite()) {
                return None;
            }
            l[(i, i)] = left.sqrt();
        }
        Some(Self(l))
    }

    /// The least number on the diagonal of L.
    pub(super) fn least(&self) -> f64 {
        (0..self.0.rows()).map(|i| self.0[(i, i)]).fold(f64::INFINITY, f64::min)
    }

    /// A⁻¹·B.
    pub(crate) fn solve(&self, b: &Mat<f64>) -> Mat<f64> {
        let mut x = self.below(b);
        for i in (0..self.0.rows()).rev() {
            for j in i + 1..self.0.rows() {
                take(&mut x, i, j, self.0[(j, i)]);
            }
            x.row_mut(i).iter_mut().for_each(|x| *x /= self.0[(i, i)]);
        }
        x
    }

    /// L⁻¹·B.
    pub(super) fn below(&self, b: &Mat<f64>) -> Mat<f64> {
        let mut x = b.clone();
        for i in 0..self.0.rows() {
            for j in 0..i {
                take(&mut x, i, j, self.0[(i, j)]);
            }
            x.row_mut(i).iter_mut().for_each(|x| *x /= self.0[(i, i)]);
        }
        x
    }
}

/// Takes so many times row j from row i.
fn take(rows: &mut Mat<f64>, i: usize, j: usize, times: f64) {
    let width = rows.cols();
    let (first, second) = rows.as_mut_slice().split_at_mut(i.max(j) * width);
    let (low, high) = (&mut first[i.min(j) * width..][..width], &mut second[..width]);
    let (to, from) = if i < j { (low, &*high) } else { (high, &*low) };
    to.iter_mut().zip(from).for_each(|(to, from)| *to -= times * from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_solved_gives_the_right_side() {
        for n in [1, 2, 7, 40] {
            let a = Mat::from_fn(n, n, |i, j| {
                1.0 / (1.0 + i.abs_diff(j) as f64) + if i == j { 0.5 } else { 0.0 }
            });
            let b = Mat::from_fn(n, 3, |i, j| (i * 5 + j * 3 % 7) as f64 - 2.0);
            let x = Cholesky::new(&a).unwrap().solve(&b);
            for (i, j) in (0..n).flat_map(|i| (0..3).map(move |j| (i, j))) {
                let made: f64 = (0..n).map(|k| a[(i, k)] * x[(k, j)]).sum();
                assert!((made - b[(i, j)]).abs() < 1e-10 * (1.0 + b[(i, j)].abs()), "{n}: {made}");
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_none() {
        for a in [[1.0, 2.0, 2.0, 1.0], [0.0; 4], [f64::NAN; 4], [1.0, 0.0, 0.0, f64::INFINITY]] {
            assert!(Cholesky::new(&Mat::from_fn(2, 2, |i, j| a[2 * i + j])).is_none(), "{a:?}");
        }
    }
}
