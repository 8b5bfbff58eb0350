//! The two types of numbers as the card knows them.

use cudarc::cublas::sys::cublasMath_t::{self, CUBLAS_DEFAULT_MATH, CUBLAS_PEDANTIC_MATH};
use cudarc::cublas::{CudaBlas, Gemm};
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use emmf::Real;

/// `f32` or `f64` on a card.
pub(crate) trait Number: Real + DeviceRepr + ValidAsZeroBits {
    /// Its name in C.
    const IN_C: &'static str;
    /// Whether two halves hold it.
    const SINGLE: bool;

    /// How cuBLAS multiplies them: single precision by nothing else, whatever environment variables say. Double precision has tensor cores
    /// of its own, which multiply as exactly.
    const MATH: cublasMath_t;

    /// A literal in C.
    fn literal(value: Self) -> String;

    /// Products by cuBLAS.
    fn blas(blas: &CudaBlas) -> &impl Gemm<Self>;
}

impl Number for f32 {
    const IN_C: &'static str = "float";
    const SINGLE: bool = true;
    const MATH: cublasMath_t = CUBLAS_PEDANTIC_MATH;

    fn literal(value: Self) -> String {
        format!("{value:e}f")
    }

    fn blas(blas: &CudaBlas) -> &impl Gemm<Self> {
        blas
    }
}

impl Number for f64 {
    const IN_C: &'static str = "double";
    const SINGLE: bool = false;
    const MATH: cublasMath_t = CUBLAS_DEFAULT_MATH;

    fn literal(value: Self) -> String {
        format!("{value:e}")
    }

    fn blas(blas: &CudaBlas) -> &impl Gemm<Self> {
        blas
    }
}
