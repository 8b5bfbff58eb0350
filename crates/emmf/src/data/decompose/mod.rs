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
