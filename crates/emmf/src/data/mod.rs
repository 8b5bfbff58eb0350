//! X and what is done with it.

mod gemm;
