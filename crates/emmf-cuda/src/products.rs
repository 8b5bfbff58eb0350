//! Products, row-major: by cuBLAS, or entry by entry where X is sparse.
#![allow(unsafe_code, reason = "cuBLAS is called through its C interface")]

use std::ops::Range;

use cudarc::cublas::sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
use cudarc::cublas::{Gemm, GemmConfig, StridedBatchedConfig};
use cudarc::driver::{CudaSlice, DevicePtr, DevicePtrMut};
use emmf::Result;

use crate::card::Card;
use crate::loaded::Loaded;
use crate::number::Number;
use crate::sparse;

/// A row-major matrix on the card: its buffer and the distance of its rows.
pub(crate) type Rows<'a, B> = (&'a B, usize);

impl Card {
    /// C = A·B; `shape` is (rows of A, columns of A, columns of B).
    pub(crate) fn product<T: Number>(
        &self,
        (c, ldc): (&mut impl DevicePtrMut<T>, usize),
        (a, lda): Rows<'_, impl DevicePtr<T>>,
        (b, ldb): Rows<'_, impl DevicePtr<T>>,
        (rows, inner, columns): (usize, usize, usize),
    ) -> Result<()> {
        if rows == 0 {
            return Ok(());
        }
        // A row-major matrix is the transpose of a column-major one: Cᵀ = Bᵀ·Aᵀ.
        let config = GemmConfig {
            transa: CUBLAS_OP_N,
            transb: CUBLAS_OP_N,
            m: columns as i32,
            n: rows as i32,
            k: inner as i32,
            alpha: T::ONE,
            lda: ldb as i32,
            ldb: lda as i32,
            beta: T::ZERO,
            ldc: ldc as i32,
        };
        // SAFETY: the buffers hold matrices of this shape, and live until the stream is done.
        unsafe { T::blas(self.blas::<T>()?).gemm(config, b, a, c) }.map_err(|error| self.failed(error))
    }

    /// Cᵢ = AᵢᵀBᵢ for so many pieces of `inner` rows that follow each other in A and B; each Cᵢ has columns of A × columns of B and rows as far
    /// apart as those of B. They are added to what is there, or take its place.
    pub(crate) fn turned_products<T: Number>(
        &self,
        (c, adds): (&mut impl DevicePtrMut<T>, bool),
        (a, lda): Rows<'_, impl DevicePtr<T>>,
        (b, ldb): Rows<'_, impl DevicePtr<T>>,
        (rows, inner, columns): (usize, usize, usize),
        pieces: usize,
    ) -> Result<()> {
        let gemm = GemmConfig {
            transa: CUBLAS_OP_N,
            transb: CUBLAS_OP_T,
            m: columns as i32,
            n: rows as i32,
            k: inner as i32,
            alpha: T::ONE,
            lda: ldb as i32,
            ldb: lda as i32,
            beta: if adds { T::ONE } else { T::ZERO },
            ldc: ldb as i32,
        };
        let (stride_a, stride_b) = ((inner * ldb) as i64, (inner * lda) as i64);
        let config = StridedBatchedConfig {
            gemm,
            batch_size: pieces as i32,
            stride_a,
            stride_b,
            stride_c: (rows * ldb) as i64,
        };
        // SAFETY: the buffers hold so many pieces of this shape, and live until the stream is done.
        unsafe { T::blas(self.blas::<T>()?).gemm_strided_batched(config, b, a, c) }
            .map_err(|error| self.failed(error))
    }
}

/// Numbers of products that are made at a time.
const PRODUCTS: usize = 1 << 22;

impl<T: Number> Loaded<'_, T> {
    /// Rows whose products, `ld` apart, are made at a time.
    pub(crate) fn rows_at_once(&self, ld: usize) -> usize {
        let copied = if self.sparse.is_some() { 0 } else { self.ldx / 16 };
        (PRODUCTS / ld.max(copied).max(1)).max(128)
    }

    /// X·points of these samples, `ld` apart.
    pub(crate) fn products(
        &self,
        rows: Range<usize>,
        (points, m, ld): (&CudaSlice<T>, usize, usize),
    ) -> Result<CudaSlice<T>> {
        let mut p = self.card.zeros::<T>(rows.len() * ld)?;
        if self.sparse.is_some() {
            sparse::project(self, rows, (points, m), (&mut p, ld))?;
            return Ok(p);
        }
        let first = rows.start;
        self.each_block(rows, &mut |rows, x| {
            let mut p = p.slice_mut((rows.start - first) * ld..(rows.end - first) * ld);
            self.card.product((&mut p, ld), (x, self.ldx), (points, m), (rows.len(), self.d, m))
        })?;
        Ok(p)
    }
}
