//! Matrix products, decompositions and vector instructions: the only file that names the libraries behind
//! them, beside the kernel in `outer.rs`.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::outer::Outer;
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::{Product, Strided};

fn as_faer<T>((data, row_stride, col_stride): Strided<'_, T>, rows: usize, cols: usize) -> MatRef<'_, T> {
    if col_stride == 1 {
        MatRef::from_row_major_slice_with_stride(data, rows, cols, row_stride)
    } else {
        debug_assert_eq!(row_stride, 1, "one of the strides must be 1");
        MatRef::from_column_major_slice_with_stride(data, rows, cols, col_stride)
    }
}

macro_rules! product {
    ($t:ident) => {
        impl Product for $t {
            fn gemm(
                c: &mut [Self],
                a: Strided<'_, Self>,
                b: Strided<'_, Self>,
                (m, k, n): (usize, usize, usize),
                add: bool,
            ) {
                let c = MatMut::from_row_major_slice_mut(c, m, n);
                let accum = if add { Accum::Add } else { Accum::Replace };
                matmul(c, accum, as_faer(a, m, k), as_faer(b, k, n), 1.0, Par::Seq);
            }

            fn add_outer(
                out: &mut [Self],
                (x, stride): (&[Self], usize),
                w: &[Self],
                (width, c): (usize, usize),
            ) {
                pulp::Arch::new().dispatch(Outer { out, x, stride, width, w, c });
            }
        }
    };
}

product!(f32);
product!(f64);

/// Runs loops with the widest vector instructions of the machine.
#[inline(always)]
pub(crate) fn vectorized<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

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
