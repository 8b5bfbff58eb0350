//! Orthonormal bases, singular values, eigenvalues and Cholesky factors of matrices that are small or tall. The bits depend on neither the
//! number of threads nor the machine.

mod cholesky;
mod eigen;
mod orthonormal;
mod polar;
mod svd;

pub(crate) use cholesky::Cholesky;
pub(crate) use eigen::symmetric_eigen;
pub(crate) use orthonormal::orthonormal_basis;
pub(crate) use polar::Polar;
pub(crate) use svd::thin_svd;

/// Columns of unit length, at right angles, but for this error.
#[cfg(test)]
fn assert_orthonormal(name: &str, a: &crate::matrix::Mat<f64>, error: f64) {
    let c = a.cols();
    for (k, l) in (0..c).flat_map(|k| (0..c).map(move |l| (k, l))) {
        let product: f64 = (0..a.rows()).map(|i| a[(i, k)] * a[(i, l)]).sum();
        assert!((product - f64::from(u8::from(k == l))).abs() < error, "{name}, {k}, {l}: {product}");
    }
}
