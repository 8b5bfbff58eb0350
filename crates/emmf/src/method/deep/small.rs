//! Products of matrices that are as small as a layer is wide, in double precision.

use crate::matrix::Mat;
use crate::real::sealed::{Left, Product};

/// A·B.
pub(crate) fn product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let (rows, inner, columns) = (a.rows(), a.cols(), b.cols());
    let mut out = Mat::zeros(rows, columns);
    let shape = (rows, inner, columns);
    f64::gemm(
        (out.as_mut_slice(), columns),
        Left::Rows((a.as_slice(), inner)),
        (b.as_slice(), columns),
        shape,
        false,
    );
    out
}

/// BᵀAB.
pub(super) fn between(b: &Mat<f64>, a: &Mat<f64>) -> Mat<f64> {
    product(&product(&b.transposed(), a), b)
}

/// A ← A + B.
pub(super) fn add(a: &mut Mat<f64>, b: &Mat<f64>) {
    a.as_mut_slice().iter_mut().zip(b.as_slice()).for_each(|(a, b)| *a += b);
}

/// I.
pub(super) fn identity(size: usize) -> Mat<f64> {
    Mat::from_fn(size, size, |i, j| f64::from(u8::from(i == j)))
}
