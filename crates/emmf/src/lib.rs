//! Robust nonnegative matrix factorization: clusters, factors and outlier scores from one fit.
//!
//! Samples are the rows of X (n×d), and X ≈ V·Uᵀ with U (d×c, centroids) and V (n×c, coefficients), both
//! nonnegative. EMMF minimises the entropy of the residual distribution (Chen and Li, *Entropy Minimizing
//! Matrix Factorization*), so that a few samples may stay badly fitted while the rest is fitted well.
//!
//! ```
//! use emmf::{Init, Spec, synth};
//!
//! let data = synth::rays_with_outliers::<f64>(&synth::Rays::default())?;
//! let fit = Spec::emmf(3).init(Init::Trimmed).fit(&data.x)?;
//! let worst = (0..data.x.rows()).max_by(|&a, &b| fit.scores[a].total_cmp(&fit.scores[b]));
//! assert!(data.outlier[worst.unwrap()]);
//! # Ok::<(), emmf::Error>(())
//! ```
//!
//! # Where to start
//!
//! | you have, or want | see |
//! |---|---|
//! | samples in memory | [`Mat`], [`Csr`], [`View`] for borrowed rows, columns and strides; `ndarray` and `nalgebra` with the features of the same names; data sets of `linfa` with its |
//! | samples larger than memory | [`RowSource`], and `emmf-io` for files |
//! | a fit | [`Spec`]: every parameter with a setter; [`Spec::fit`] for the usual case, [`Spec::on`] for weights, graphs, starts and observers |
//! | its result | [`Fit`]: labels, coefficients, scores and [reasons](outliers::Reason); [`Fit::outliers`] |
//! | new samples | [`Model::transform`] |
//! | the number of clusters | [`Spec::choose_k`] |
//! | to watch a fit, or to end it | [`Observer`], [`Cancel`] |
//! | another method | [`registry::METHODS`]; [`registry::DEFAULT`] clusters best, `emmf` finds parts |
//! | data to try it with | [`synth::shapes`], [`synth::cells`], [`synth::spectra`], [`synth::texts`] |
//! | your own loss or method | [`loss::Loss`], [`method::Method`], and `examples/` |
//!
//! Samples in `f32` stay in `f32`. One seed gives the same bits on any number of threads.

#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

mod cancel;
pub mod checkpoint;
pub mod choose;
pub mod data;
mod derived;
pub mod embed;
pub mod error;
mod fit;
pub mod graph;
pub mod init;
pub mod iterate;
pub mod linfa;
pub mod loss;
pub mod matrix;
mod memory;
pub mod method;
pub mod metrics;
pub mod model;
mod opaque;
pub mod outliers;
pub mod preprocess;
pub mod real;
pub mod registry;

pub mod spec;
pub mod synth;
mod threads;

pub use cancel::Cancel;
pub use checkpoint::Checkpoint;
pub use choose::Choice;
pub use error::{Error, Result, Setting};
pub use fit::{Device, Given, OwnLoss, Prepared, Request, Updated};
pub use graph::Graph;
pub use init::Factors;
pub use iterate::{Observer, Phase, Step, Stop};
pub use matrix::{Csr, CsrView, Indices, Mat, RowSource, Samples, View};
pub use model::{Coded, Fit, Model, Past};
pub use outliers::Cut;
pub use real::Real;

pub use spec::{GraphKind, GraphSpec, Init, LabelRule, Missing, Outliers, Solver, Spec, StopBy};
pub use threads::{Pool, Running, Threads};
