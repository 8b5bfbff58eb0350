//! Robust nonnegative matrix factorization: clusters, factors and outlier scores from one fit.
//!
//! Samples are the rows of X (n×d), and X ≈ V·Uᵀ with U (d×c, centroids) and V (n×c, coefficients), both
//! nonnegative. EMMF minimises the entropy of the residual distribution (Chen and Li, *Entropy Minimizing
//! Matrix Factorization*), so that a few samples may stay badly fitted and the rest is fitted well.
//!
//! ```ignore
//! use emmf::{Spec, synth};
//! use emmf::preprocess::Normalize;
//!
//! let data = synth::RaysWithOutliers::default().generate::<f64>(1)?;
//! let fit = Spec::emmf(3).normalize([Normalize::Clip]).fit(&data.x)?;
//! let worst = (0..data.x.rows()).max_by(|&a, &b| fit.scores[a].total_cmp(&fit.scores[b]));
//! assert!(data.outlier[worst.unwrap()]);
//! # Ok::<(), emmf::Error>(())
//! ```ignore

#![forbid(unsafe_code)]

pub mod data;
pub mod error;
pub mod fit;
pub mod init;
pub mod loss;
pub mod matrix;
pub mod method;
pub mod model;
pub mod preprocess;
pub mod real;
pub mod registry;
mod run;
pub mod spec;
mod threads;

pub use error::{Error, Result};
pub use fit::{Observer, Step, Stop};
pub use init::Factors;
pub use matrix::{Csr, CsrView, Indices, Mat, Samples, View};
pub use model::{Coded, Fit, Model};
pub use real::Real;
pub use run::Given;
pub use spec::{Init, LabelRule, Solver, Spec};
