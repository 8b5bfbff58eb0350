//! The orthonormal matrix that is nearest to a tall one: its polar factor L·Rᵀ, of A = L·diag(s)·Rᵀ.

use super::svd::Svd;
use crate::matrix::Mat;
use crate::real::Real;

/// Room for matrices of one shape: nothing is allocated after the first call.
pub(crate) struct Polar {
    svd: Svd,
    /// What the basis of the columns is multiplied by.
    small: Mat<f64>,
}

impl Polar {
    /// For matrices of this shape.
    pub(crate) fn new((n, c): (usize, usize)) -> Self {
        Self { svd: Svd::new((n, c)), small: Mat::zeros(c, c) }
    }

    /// A ← its polar factor; false where that is not found.
    pub(crate) fn replace<T: Real>(&mut self, a: &mut Mat<T>) -> bool {
        let (n, c) = a.shape();
        if !self.svd.decompose(a) {
            return false;
        }
        let Svd { basis, left, right, .. } = &self.svd;
        for (k, l) in (0..c).flat_map(|k| (0..c).map(move |l| (k, l))) {
            self.small[(k, l)] = (0..c).map(|j| left[(j, k)] * right[(j, l)]).sum();
        }
        for i in 0..n {
            for l in 0..c {
                a[(i, l)] = T::from_f64((0..c).map(|k| basis[(k, i)] * self.small[(k, l)]).sum());
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_orthonormal;
    use super::*;

    fn made((n, c): (usize, usize), entry: impl Fn(usize, usize) -> f64) -> (Mat<f64>, Mat<f64>) {
        let a = Mat::from_fn(n, c, entry);
        let mut factor = a.clone();
        assert!(Polar::new((n, c)).replace(&mut factor));
        assert_orthonormal(&format!("{n}x{c}"), &factor, 1e-13);
        (a, factor)
    }

    /// P of A = P·H is the one with H = PᵀA symmetric and without negative eigenvalues.
    #[test]
    fn the_rest_is_symmetric_and_positive() {
        for (n, c) in [(1, 1), (5, 5), (40, 7), (200, 23)] {
            let (a, p) = made((n, c), |i, j| ((i * 31 + j * 17 + i * j) % 13) as f64 - 4.0 + 0.1 * j as f64);
            let h = Mat::from_fn(c, c, |k, l| (0..n).map(|i| p[(i, k)] * a[(i, l)]).sum::<f64>());
            for (k, l) in (0..c).flat_map(|k| (0..c).map(move |l| (k, l))) {
                assert!((h[(k, l)] - h[(l, k)]).abs() < 1e-9, "{n}x{c}");
            }
            let (values, _) = crate::data::symmetric_eigen(&h).unwrap();
            assert!(values.iter().all(|value| *value > -1e-9), "{n}x{c}: {values:?}");
        }
    }

    #[test]
    fn columns_that_depend_on_others_are_replaced() {
        made((30, 4), |i, j| if j == 3 { i as f64 } else { (i * (j % 2 + 1)) as f64 + 1.0 });
        made((9, 3), |_, _| 0.0);
        made((20, 2), |i, j| if i == j { 1e-200 } else { 0.0 });
    }
}
