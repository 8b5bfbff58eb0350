//! Singular values of a tall matrix.
//!
//! A = Q·R by Gram and Schmidt, each column twice (which is enough: Giraud et al. 2005), then R = L·diag(s)·Wᵀ by rotations of its columns
//! (Hestenes 1958), so A = (Q·L)·diag(s)·Wᵀ. Columns that depend on others are replaced by any that do not.

use super::orthonormal::orthonormalize;
use crate::data::{dot_f64, vectorized};
use crate::matrix::Mat;
use crate::real::Real;

/// Rotations stop where two columns are orthogonal to this, and the first is the longer but for this.
const ORTHOGONAL: f64 = 1e-14;
/// Squares below this share of all of them are rounding.
const NOTHING: f64 = 1e-30;
/// Maximum number of sweeps over all pairs of columns; ten are usual.
const SWEEPS: usize = 60;

/// The thin SVD A = L·diag(s)·Rᵀ of a matrix with at least as many rows as columns, s descending; `None` where a number is
/// not finite.
pub(crate) fn thin_svd<T: Real>(a: &Mat<T>) -> Option<(Mat<T>, Vec<f64>, Mat<T>)> {
    let (n, c) = a.shape();
    let mut svd = Svd::new((n, c));
    if !svd.decompose(a) {
        return None;
    }
    let Svd { basis, left, right, s } = svd;
    let wide = Mat::from_fn(n, c, |i, at| (0..c).map(|k| basis[(k, i)] * left[(at, k)]).sum::<f64>());
    Some((wide.cast(), s, Mat::from_fn(c, c, |k, at| T::from_f64(right[(at, k)]))))
}

/// Room for matrices of one shape. Rows hold columns, so that these lie together.
pub(super) struct Svd {
    /// Q.
    pub(super) basis: Mat<f64>,
    /// R, then L·diag(s), then L.
    pub(super) left: Mat<f64>,
    /// W.
    pub(super) right: Mat<f64>,
    pub(super) s: Vec<f64>,
}

impl Svd {
    pub(super) fn new((n, c): (usize, usize)) -> Self {
        let [left, right] = [(); 2].map(|()| Mat::zeros(c, c));
        Self { basis: Mat::zeros(c, n), left, right, s: vec![0.0; c] }
    }

    /// False where a number is not finite.
    pub(super) fn decompose<T: Real>(&mut self, a: &Mat<T>) -> bool {
        let (n, c) = a.shape();
        debug_assert!(n >= c, "{n}x{c} is wide");
        let most = a.as_slice().iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
        if !most.is_finite() || a.as_slice().iter().any(|x| x.to_f64().is_nan()) {
            return false;
        }
        let scale = if most > 0.0 { most } else { 1.0 };
        for (k, i) in (0..c).flat_map(|k| (0..n).map(move |i| (k, i))) {
            self.basis[(k, i)] = a[(i, k)].to_f64() / scale;
        }
        orthonormalize(&mut self.basis, Some(&mut self.left));
        if !self.rotate() {
            return false;
        }
        for (at, s) in self.s.iter_mut().enumerate() {
            *s = scale * dot_f64(self.left.row(at), self.left.row(at)).sqrt();
        }
        orthonormalize(&mut self.left, None);
        true
    }

    /// Turns the columns of R until they are orthogonal, and W with them, the largest first.
    fn rotate(&mut self) -> bool {
        let c = self.left.rows();
        self.right.as_mut_slice().fill(0.0);
        (0..c).for_each(|k| self.right[(k, k)] = 1.0);
        // Columns that are nothing but rounding beside the others need no order.
        let nothing = NOTHING * dot_f64(self.left.as_slice(), self.left.as_slice());
        for _ in 0..SWEEPS {
            let mut turned = false;
            for (p, q) in (0..c).flat_map(|p| (p + 1..c).map(move |q| (p, q))) {
                let (a, b) = (self.left.row(p), self.left.row(q));
                let (alpha, beta, gamma) = (dot_f64(a, a), dot_f64(b, b), dot_f64(a, b));
                let ordered = alpha >= (1.0 - ORTHOGONAL) * beta || beta <= nothing;
                if gamma.abs() <= (ORTHOGONAL * (alpha * beta).sqrt()).max(nothing) && ordered {
                    continue;
                }
                turned = true;
                let (cos, sin) = rotation(alpha, beta, gamma);
                turn(&mut self.left, (p, q), (cos, sin));
                turn(&mut self.right, (p, q), (cos, sin));
            }
            if !turned {
                return true;
            }
        }
        false
    }
}

/// The rotation that makes two columns orthogonal, of these squared lengths and product, the longer one first.
fn rotation(alpha: f64, beta: f64, gamma: f64) -> (f64, f64) {
    if gamma == 0.0 {
        return (0.0, 1.0);
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    let tan = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let cos = 1.0 / tan.hypot(1.0);
    // Of the two angles, the one after which the first is the longer.
    if alpha - tan * gamma >= beta + tan * gamma { (cos, cos * tan) } else { (-cos * tan, cos) }
}

/// Rows p and q ← cos·p − sin·q and sin·p + cos·q.
pub(super) fn turn(rows: &mut Mat<f64>, (p, q): (usize, usize), (cos, sin): (f64, f64)) {
    let width = rows.cols();
    let (first, second) = rows.as_mut_slice().split_at_mut(q * width);
    let first = &mut first[p * width..(p + 1) * width];
    let second = &mut second[..width];
    vectorized!(for (a, b) in first.iter_mut().zip(second) {
        (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
    });
}

#[cfg(test)]
mod tests {
    use super::super::assert_orthonormal;
    use super::*;

    type Entry<'a> = &'a dyn Fn(usize, usize) -> f64;

    #[test]
    fn the_product_is_the_matrix() {
        let entry = |i: usize, j: usize| ((i * 31 + j * 17 + i * j) % 13) as f64 - 4.0;
        let kinds: [(&str, Entry<'_>); 5] = [
            ("full", &entry),
            ("rank two", &|i, j| (i * j) as f64 + 1.0),
            ("zero", &|_, _| 0.0),
            ("tiny", &|i, j| 1e-300 * entry(i, j)),
            ("huge", &|i, j| 1e300 * entry(i, j) / 8.0),
        ];
        for ((n, c), (name, entry)) in
            [(1, 1), (5, 5), (40, 7), (200, 23)].into_iter().flat_map(|shape| kinds.map(|kind| (shape, kind)))
        {
            let a = Mat::from_fn(n, c, entry);
            let (left, s, right) = thin_svd(&a).unwrap();
            let most = a.as_slice().iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
            assert!(
                s.is_sorted_by(|a, b| *a >= *b * (1.0 - 1e-12) || *a <= 1e-12 * most),
                "{name} {n}x{c}: {s:?}"
            );
            for (i, j) in (0..n).flat_map(|i| (0..c).map(move |j| (i, j))) {
                let made: f64 = (0..c).map(|k| left[(i, k)] * (s[k] / most) * right[(j, k)]).sum();
                assert!((made - a[(i, j)] / most).abs() < 1e-11, "{name} {n}x{c}: {made}");
            }
            for side in [&left, &right] {
                assert_orthonormal(&format!("{name} {n}x{c}"), side, 1e-12);
            }
        }
    }

    #[test]
    fn what_is_not_finite_has_none() {
        for wrong in [f64::NAN, f64::INFINITY] {
            assert!(thin_svd(&Mat::from_fn(3, 2, |i, j| if i == j { wrong } else { 1.0 })).is_none());
        }
    }
}
