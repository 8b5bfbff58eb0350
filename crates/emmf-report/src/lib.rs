//! Tables, plots and pages made from run records, and from nothing else.

#![forbid(unsafe_code)]

mod compare;
mod page;
mod residuals;

pub use compare::{Comparison, OUTLIER, Summary};
pub use page::comparison_page;
pub use residuals::residual_plots;

/// A record does not hold what is to be shown, or a plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The true classes are needed and not in the record.
    #[error("the record of {method} does not say which samples are outliers")]
    NoTruth {
        /// The method of the record.
        method: String,
    },
    /// A measure could not be taken.
    #[error(transparent)]
    Measure(#[from] emmf::Error),
    /// The plotting library failed.
    #[error("cannot draw the plot: {0}")]
    Plot(String),
}
