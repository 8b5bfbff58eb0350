//! Orthonormal bases, singular values, eigenvalues and Cholesky factors. The only file that names the library
//! behind them. What runs inside of a loop uses one thread, so that its bits do not depend on their number.

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{MatRef, Par, Spec};

use crate::matrix::Mat;
use crate::real::Real;

/// Bytes that a thread holds once it has decomposed a matrix that is not tiny: as much as the machine's second cache, and what is
/// packed beside.
pub(crate) fn slab() -> usize {
    gemm_common::cache::CACHE_INFO[1].cache_bytes + (1 << 20)
}

fn to_faer<T: Real>(a: &Mat<T>) -> faer::Mat<f64> {
    faer::Mat::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)].to_f64())
}

fn from_faer<T: Real>(a: MatRef<'_, f64>) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| T::from_f64(a[(i, j)]))
}

/// An orthonormal basis of the columns of a tall matrix (thin QR). Tall matrices are large: each is given up as soon as the
/// next is made of it.
pub(crate) fn orthonormal_basis<T: Real>(a: Mat<T>) -> Mat<T> {
    let wide = to_faer(&a);
    drop(a);
    let factored = wide.qr();
    drop(wide);
    let basis = factored.compute_thin_Q();
    drop(factored);
    from_faer(basis.as_ref())
}

/// The thin SVD A = L·diag(s)·Rᵀ; `None` where it does not converge.
pub(crate) fn thin_svd<T: Real>(a: &Mat<T>) -> Option<(Mat<T>, Vec<f64>, Mat<T>)> {
    let svd = to_faer(a).thin_svd().ok()?;
    let s = svd.S().column_vector().iter().copied().collect();
    Some((from_faer(svd.U()), s, from_faer(svd.V())))
}

/// Eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns; `None` where that does not converge.
pub(crate) fn symmetric_eigen(a: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.rows();
    if n == 0 {
        return Some((Vec::new(), Mat::zeros(0, 0)));
    }
    let room = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Spec::default());
    let (mut values, mut vectors) = (vec![0.0; n], faer::Mat::zeros(n, n));
    let (wide, mut buffer) = (to_faer(a), MemBuffer::new(room));
    let (s, stack) = (DiagMut::from_slice_mut(&mut values), MemStack::new(&mut buffer));
    self_adjoint_evd(wide.as_ref(), s, Some(vectors.as_mut()), Par::Seq, stack, Spec::default()).ok()?;
    Some((values, from_faer(vectors.as_ref())))
}

/// The Cholesky factor of a symmetric positive definite matrix.
pub(crate) struct Cholesky(faer::Mat<f64>);

impl Cholesky {
    /// `None` where the matrix is not positive definite.
    pub(crate) fn new(a: &Mat<f64>) -> Option<Self> {
        let (n, mut factor) = (a.rows(), to_faer(a));
        let room = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default());
        let mut buffer = MemBuffer::new(room);
        let stack = MemStack::new(&mut buffer);
        llt::factor::cholesky_in_place(
            factor.as_mut(),
            llt::factor::LltRegularization::default(),
            Par::Seq,
            stack,
            Spec::default(),
        )
        .ok()?;
        Some(Self(factor))
    }

    /// A⁻¹·B.
    pub(crate) fn solve(&self, b: &Mat<f64>) -> Mat<f64> {
        let mut solved = to_faer(b);
        let mut buffer =
            MemBuffer::new(llt::solve::solve_in_place_scratch::<f64>(b.rows(), b.cols(), Par::Seq));
        llt::solve::solve_in_place(self.0.as_ref(), solved.as_mut(), Par::Seq, MemStack::new(&mut buffer));
        from_faer(solved.as_ref())
    }
}
