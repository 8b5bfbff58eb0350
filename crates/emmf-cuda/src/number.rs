//! The two types of numbers as the card knows them.

use cudarc::cublas::{CudaBlas, Gemm};
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use emmf::Real;

/// `f32` or `f64` on a card.
pub(crate) trait Number: Real + DeviceRepr + ValidAsZeroBits {
    /// Its name in C.
    const IN_C: &'static str;
    /// Whether two halves hold it.
    const SINGLE: bool;

    /// A literal in C.
    fn literal(value: Self) -> String;

    /// Products by cuBLAS.
    fn blas(blas: &CudaBlas) -> &impl Gemm<Self>;
}

impl Number for f32 {
    const IN_C: &'static str = "float";
    const SINGLE: bool = true;

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

    fn literal(value: Self) -> String {
        format!("{value:e}")
    }

    fn blas(blas: &CudaBlas) -> &impl Gemm<Self> {
        blas
    }
}
