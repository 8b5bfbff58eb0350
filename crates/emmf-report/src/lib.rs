//! Figures and pages about runs, from their records and nothing else; and what every figure, table and page is made of.

#![forbid(unsafe_code)]

mod compare;
mod document;
mod figure;
mod page;

pub use compare::{Comparison, Summary};
pub use document::{Block, Cell, Document, Plate, Plot, Rank, Table};
pub use emmf_io::OUTLIER;
pub use figure::{Axis, Chart, Figure, Gallery, Kind, Look, Mark, Point, Series, Sheet, Sign, Tile};
pub use page::{comparison_page, report_page};

/// A record does not hold what is to be shown, or a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The true classes are needed and not in the record.
    #[error("the record of {method} does not say which samples are outliers")]
    NoTruth {
        /// The method of the record.
        method: String,
    },
    /// The record was written before there were sketches.
    #[error("the record of {method} holds no centroids and no coefficients to show; make the fit again")]
    NoSketch {
        /// The method of the record.
        method: String,
    },
    /// The fit has one layer.
    #[error("the fit of {method} has one layer and so no tree; fit with several layers")]
    NoTree {
        /// The method of the record.
        method: String,
    },
    /// The record contradicts itself.
    #[error(transparent)]
    Record(#[from] emmf_io::Inconsistent),
    /// A measure could not be taken.
    #[error(transparent)]
    Measure(#[from] emmf::Error),
    /// The plotting library failed.
    #[error("cannot draw the figure: {0}")]
    Plot(String),
}
