//! Robust nonnegative matrix factorization.

pub mod data;
pub mod error;
pub mod matrix;
pub mod metrics;
pub mod real;
pub mod synth;

pub use error::{Error, Result};
pub use matrix::{Csr, CsrView, Indices, Mat, Samples, View};
pub use real::Real;
