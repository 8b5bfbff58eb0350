//! The orthonormal matrix that is nearest to a tall one: its polar factor.
//!
//! A = Q·R by Gram and Schmidt, each column twice (which is enough: Giraud et al. 2005), then R = L·diag(s)·Wᵀ by rotations of its columns
//! (Hestenes 1958). The factor is Q·L·Wᵀ. Columns that depend on others are replaced by any that do not. Nothing is allocated
//! after the first call, and the bits depend on neither threads nor the machine.

use super::{dot_f64, vectorized};
use crate::matrix::Mat;
use crate::real::Real;

/// What is left of a column that depends on others, as a share of it.
const DEPENDS: f64 = 1e-14;
/// Rotations stop where two columns are orthogonal to this, and the first is the longer but for this.
const ORTHOGONAL: f64 = 1e-14;
/// Squares below this share of all of them are rounding.
const NOTHING: f64 = 1e-30;
/// Sweeps over all pairs of columns at the most; ten are usual.
const SWEEPS: usize = 60;

/// Room for matrices of one shape. Rows hold columns, so that these lie together.
pub(crate) struct Polar {
    q: Mat<f64>,
    /// R, then L·diag(s), then L.
    r: Mat<f64>,
    w: Mat<f64>,
    /// L·Wᵀ.
    small: Mat<f64>,
}

impl Polar {
    /// For matrices of this shape.
    pub(crate) fn new((n, c): (usize, usize)) -> Self {
        let [r, w, small] = [(); 3].map(|()| Mat::zeros(c, c));
        Self { q: Mat::zeros(c, n), r, w, small }
    }

    /// A ← its polar factor; false where that is not found.
    pub(crate) fn replace<T: Real>(&mut self, a: &mut Mat<T>) -> bool {
        let (n, c) = a.shape();
        let most = a.as_slice().iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
        if !most.is_finite() {
            return false;
        }
        let scale = if most > 0.0 { 1.0 / most } else { 1.0 };
        for (k, i) in (0..c).flat_map(|k| (0..n).map(move |i| (k, i))) {
            self.q[(k, i)] = scale * a[(i, k)].to_f64();
        }
        orthonormalize(&mut self.q, Some(&mut self.r));
        if !self.rotate() {
            return false;
        }
        orthonormalize(&mut self.r, None);
        for (k, l) in (0..c).flat_map(|k| (0..c).map(move |l| (k, l))) {
            self.small[(k, l)] = (0..c).map(|j| self.r[(j, k)] * self.w[(j, l)]).sum();
        }
        for i in 0..n {
            for l in 0..c {
                a[(i, l)] = T::from_f64((0..c).map(|k| self.q[(k, i)] * self.small[(k, l)]).sum());
            }
        }
        true
    }

    /// Turns the columns of R until they are orthogonal, and W with them, the largest first.
    fn rotate(&mut self) -> bool {
        let c = self.r.rows();
        self.w.as_mut_slice().fill(0.0);
        (0..c).for_each(|k| self.w[(k, k)] = 1.0);
        // Columns that are nothing but rounding beside the others need no order.
        let nothing = NOTHING * dot_f64(self.r.as_slice(), self.r.as_slice());
        for _ in 0..SWEEPS {
            let mut turned = false;
            for (p, q) in (0..c).flat_map(|p| (p + 1..c).map(move |q| (p, q))) {
                let (a, b) = (self.r.row(p), self.r.row(q));
                let (alpha, beta, gamma) = (dot_f64(a, a), dot_f64(b, b), dot_f64(a, b));
                let ordered = alpha >= (1.0 - ORTHOGONAL) * beta || beta <= nothing;
                if gamma.abs() <= (ORTHOGONAL * (alpha * beta).sqrt()).max(nothing) && ordered {
                    continue;
                }
                turned = true;
                let (cos, sin) = rotation(alpha, beta, gamma);
                turn(&mut self.r, (p, q), (cos, sin));
                turn(&mut self.w, (p, q), (cos, sin));
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
fn turn(rows: &mut Mat<f64>, (p, q): (usize, usize), (cos, sin): (f64, f64)) {
    let width = rows.cols();
    let (first, second) = rows.as_mut_slice().split_at_mut(q * width);
    let first = &mut first[p * width..(p + 1) * width];
    for (a, b) in first.iter_mut().zip(&mut second[..width]) {
        (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
    }
}

/// Makes rows orthonormal, each by those before it; what they were made of goes into `r`. A row that depends on those before it becomes one
/// that seems random.
fn orthonormalize(rows: &mut Mat<f64>, mut r: Option<&mut Mat<f64>>) {
    let width = rows.cols();
    if let Some(r) = &mut r {
        r.as_mut_slice().fill(0.0);
    }
    for j in 0..rows.rows() {
        let (before, row) = rows.as_mut_slice().split_at_mut(j * width);
        let (before, row) = (&*before, &mut row[..width]);
        let length = dot_f64(row, row).sqrt();
        let mut take = |k: usize, share: f64| {
            if let Some(r) = &mut r {
                r[(j, k)] += share;
            }
        };
        project(before, row, &mut take);
        let mut left = dot_f64(row, row).sqrt();
        if left > DEPENDS * length {
            take(j, left);
        } else {
            let mut state = j as u64 + 1;
            for entry in row.iter_mut() {
                // Knuth's MMIX generator.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *entry = (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
            }
            project(before, row, &mut |_, _| ());
            left = dot_f64(row, row).sqrt();
        }
        row.iter_mut().for_each(|x| *x /= left);
    }
}

/// Takes from a row, twice, what orthonormal rows describe of it.
fn project(before: &[f64], row: &mut [f64], take: &mut impl FnMut(usize, f64)) {
    for _ in 0..2 {
        for (k, known) in before.chunks_exact(row.len()).enumerate() {
            let share = vectorized!({
                let share = dot_f64(known, row);
                row.iter_mut().zip(known).for_each(|(x, known)| *x -= share * known);
                share
            });
            take(k, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made((n, c): (usize, usize), entry: impl Fn(usize, usize) -> f64) -> (Mat<f64>, Mat<f64>) {
        let a = Mat::from_fn(n, c, entry);
        let mut factor = a.clone();
        assert!(Polar::new((n, c)).replace(&mut factor));
        for (k, l) in (0..c).flat_map(|k| (0..c).map(move |l| (k, l))) {
            let product: f64 = (0..n).map(|i| factor[(i, k)] * factor[(i, l)]).sum();
            assert!((product - f64::from(u8::from(k == l))).abs() < 1e-13, "{k}, {l}: {product}");
        }
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
