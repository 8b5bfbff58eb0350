//! Figures: one way of drawing, for SVG and PNG.

mod axes;
mod centroids;
mod chart;
mod gallery;
mod look;
mod paper;
mod record;
mod tree;

use emmf_io::Record;
use plotters::prelude::*;

pub use axes::Axis;
pub use chart::{Chart, Point, Series, Sheet};
pub use gallery::{Gallery, Tile};
pub use look::{Look, Mark, Sign};

use crate::Error;
use paper::{Drawing, Paper, Picture};

/// Apart in hue and brightness, and drawn as dots and crosses.
const GOOD: RGBColor = RGBColor(31, 90, 150);
const BAD: RGBColor = RGBColor(217, 95, 2);
const GRID: RGBColor = RGBColor(225, 225, 225);
const INK: RGBColor = RGBColor(0, 0, 0);

/// What a figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The objective after each iteration.
    Convergence,
    /// The residual of every sample, outliers marked.
    Residuals,
    /// The centroids, as images or curves or by their main features.
    Centroids,
    /// The samples as points of a plane, coloured by cluster, outliers marked.
    Embedding,
    /// The nodes of all layers, where there are several.
    Tree,
}

/// A figure of a run.
pub struct Figure<'a> {
    record: &'a Record,
    kind: Kind,
}

impl<'a> Figure<'a> {
    /// A figure of this record.
    pub fn new(record: &'a Record, kind: Kind) -> Self {
        Self { record, kind }
    }

    /// As SVG.
    pub fn svg(&self) -> Result<String, Error> {
        self.record.check()?;
        self.chart().map_or_else(|| paper::svg(self), |sheet| sheet?.svg())
    }

    /// As PNG, with twice the pixels of the SVG in both directions.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        self.record.check()?;
        self.chart().map_or_else(|| paper::png(self), |sheet| sheet?.png())
    }

    /// The chart, where it is one.
    fn chart(&self) -> Option<Result<Sheet, Error>> {
        match self.kind {
            Kind::Convergence => Some(Ok(record::convergence(self.record))),
            Kind::Residuals => Some(Ok(record::residuals(self.record))),
            Kind::Embedding => Some(record::embedding(self.record)),
            Kind::Centroids | Kind::Tree => None,
        }
    }
}

impl Drawing for Figure<'_> {
    fn size(&self) -> Result<(u32, u32), Error> {
        if self.kind == Kind::Tree { tree::size(self.record) } else { centroids::size(self.record) }
    }

    fn draw<B: DrawingBackend>(&self, paper: &Paper<'_, B>) -> Result<Vec<Picture>, Error> {
        match self.kind {
            Kind::Tree => tree::tree(paper, self.record),
            _ => centroids::centroids(paper, self.record),
        }
    }
}

fn sketch(record: &Record) -> Result<&emmf_io::Sketch, Error> {
    record.sketch.as_ref().ok_or_else(|| Error::NoSketch { method: record.spec.method.clone() })
}
