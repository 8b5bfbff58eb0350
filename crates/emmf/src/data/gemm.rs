//! Matrix products. The only file that names the library behind them.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

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
        }
    };
}

product!(f32);
product!(f64);
