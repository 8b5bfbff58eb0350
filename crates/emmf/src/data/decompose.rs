//! Orthonormal bases and singular values. The only file that names the library behind them.

use faer::MatRef;

use crate::matrix::Mat;
use crate::real::Real;

fn to_faer<T: Real>(a: &Mat<T>) -> faer::Mat<f64> {
    faer::Mat::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)].to_f64())
}

fn from_faer<T: Real>(a: MatRef<'_, f64>) -> Mat<T> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| T::from_f64(a[(i, j)]))
}

/// An orthonormal basis of the columns of a tall matrix (thin QR).
pub(crate) fn orthonormal_basis<T: Real>(a: &Mat<T>) -> Mat<T> {
    from_faer(to_faer(a).qr().compute_thin_Q().as_ref())
}

/// The thin SVD A = L·diag(s)·Rᵀ; `None` where it does not converge.
pub(crate) fn thin_svd<T: Real>(a: &Mat<T>) -> Option<(Mat<T>, Vec<f64>, Mat<T>)> {
    let svd = to_faer(a).thin_svd().ok()?;
    let s = svd.S().column_vector().iter().copied().collect();
    Some((from_faer(svd.U()), s, from_faer(svd.V())))
}
