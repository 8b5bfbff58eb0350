//! X and the few operations that read it: [`Data`], for dense and sparse storage.

mod backend;
mod dense;
mod gram;
mod sparse;
mod stored;

use std::ops::Range;

pub use dense::Dense;
pub use sparse::Sparse;
pub(crate) use stored::Stored;

pub(crate) use backend::{orthonormal_basis, thin_svd};
pub(crate) use gram::{gram, weighted_gram};

use crate::matrix::Mat;
use crate::real::Real;

/// Samples that are worked on together. Fixed, so that the result does not depend on the number of
/// threads, and small, so that a block stays in cache.
pub const BLOCK: usize = 128;

/// The blocks that `n` rows fall into.
pub(crate) fn blocks(n: usize) -> impl Iterator<Item = Range<usize>> + Clone {
    (0..n).step_by(BLOCK).map(move |start| start..(start + BLOCK).min(n))
}

/// X, n×d, samples as rows, each times its own factor. The only trait whose implementations read X.
///
/// Every operation runs on the current thread pool and gives the same bits for any number of threads.
pub trait Data<T: Real>: Sync {
    /// Samples and features.
    fn shape(&self) -> (usize, usize);

    /// ‖xᵢ‖² of every sample.
    fn norms_sq(&self) -> &[f64];

    /// P = X·B in blocks of [`BLOCK`] rows: `visit(rows, part, P_b)` is called once for every block,
    /// with the block's element of `parts`, in any order and from several threads.
    fn project<S: Send>(
        &self,
        b: &Mat<T>,
        parts: Vec<S>,
        visit: impl Fn(Range<usize>, S, &mut [T]) + Sync + Send,
    );

    /// `out` = Xᵀ·diag(q)·V.
    fn t_dot(&self, q: &[T], v: &Mat<T>, out: &mut Mat<T>);

    /// `out` += `factor`·xᵢ.
    fn add_row(&self, i: usize, factor: T, out: &mut [T]);

    /// `out` = xᵢ·B, in double precision.
    fn project_row(&self, i: usize, b: &Mat<f64>, out: &mut [f64]);

    /// ‖xᵢ − U·v‖² by its definition, without cancellation.
    fn residual_sq(&self, i: usize, u: &Mat<T>, v: &[T]) -> f64;

    /// X·B as a whole.
    fn dot(&self, b: &Mat<T>) -> Mat<T> {
        let mut out = Mat::zeros(self.shape().0, b.cols());
        let parts = out.as_mut_slice().chunks_mut(BLOCK * b.cols()).collect();
        self.project(b, parts, |_, part: &mut [T], p| part.copy_from_slice(p));
        out
    }
}

/// `out` += `factor`·`row`.
fn add_scaled<T: Real>(out: &mut [T], factor: T, row: &[T]) {
    for (sum, &value) in out.iter_mut().zip(row) {
        *sum += factor * value;
    }
}

/// u·v in double precision.
fn dot_f64<T: Real>(u: &[T], v: &[T]) -> f64 {
    u.iter().zip(v).map(|(&a, &b)| a.to_f64() * b.to_f64()).sum()
}
