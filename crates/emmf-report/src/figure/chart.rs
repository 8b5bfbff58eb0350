//! Charts: curves, dots and bars over two axes, and sheets of several charts with one legend.

use plotters::prelude::*;

use super::axes::{Axes, Axis, Scale};
use super::look::{Look, Mark};
use super::paper;
use super::paper::{Anchor, Drawing, Paper, Picture};
use crate::Error;

/// A value, and how much it varies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Along.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Standard deviation of `y`; 0 draws none.
    pub deviation: f64,
}

impl Point {
    /// A value that does not vary.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, deviation: 0.0 }
    }
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// In order.
    pub points: Vec<Point>,
    /// How they are drawn.
    pub mark: Mark,
    /// In which colour, dashes and signs.
    pub look: Look,
}

/// One pair of axes with all that is drawn on it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Along.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// What is drawn, the last on top.
    pub series: Vec<Series>,
}

/// Charts side by side, with one legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Row by row.
    pub charts: Vec<Chart>,
    /// Charts in a row.
    pub columns: usize,
    /// Width and height of a chart.
    pub panel: (u32, u32),
}

/// Height of a line of the legend.
const LINE: f64 = 20.0;
/// Room for a sign of the legend, and about that of a letter.
const SIGN: f64 = 34.0;
const LETTER: f64 = 7.6;

impl Sheet {
    /// A chart alone.
    pub fn single(chart: Chart) -> Self {
        Self { charts: vec![chart], columns: 1, panel: (600, 380) }
    }

    /// Small charts, at most four in a row.
    pub fn small(charts: Vec<Chart>) -> Self {
        let columns = charts.len().clamp(1, 4);
        Self { charts, columns, panel: (300, 250) }
    }

    /// As SVG.
    pub fn svg(&self) -> Result<String, Error> {
        paper::svg(self)
    }

    /// As PNG, with twice the pixels of the SVG in both directions.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        paper::png(self)
    }

    fn width(&self) -> f64 {
        f64::from(self.panel.0) * self.columns as f64
    }

    /// Every name once, with its place below the charts. One name alone needs no legend.
    fn legend(&self) -> Vec<(&Series, (f64, f64))> {
        let mut entries: Vec<(&Series, (f64, f64))> = Vec::new();
        let (mut left, mut line) = (12.0, 0.5);
        for series in
            self.charts.iter().flat_map(|chart| &chart.series).filter(|series| !series.name.is_empty())
        {
            if entries.iter().any(|(other, _)| other.name == series.name) {
                continue;
            }
            let width = SIGN + LETTER * series.name.chars().count() as f64 + 16.0;
            if left + width > self.width() && left > 12.0 {
                (left, line) = (12.0, line + 1.0);
            }
            entries.push((series, (left, LINE * line)));
            left += width;
        }
        if entries.len() > 1 { entries } else { Vec::new() }
    }
}

impl Drawing for Sheet {
    fn size(&self) -> Result<(u32, u32), Error> {
        let rows = self.charts.len().div_ceil(self.columns.max(1)) as u32;
        let legend = self.legend().last().map_or(0.0, |(_, (_, at))| at + 0.5 * LINE + 8.0);
        Ok((self.width() as u32, rows * self.panel.1 + legend as u32))
    }

    fn draw<B: DrawingBackend>(&self, paper: &Paper<'_, B>) -> Result<Vec<Picture>, Error> {
        let size = (f64::from(self.panel.0), f64::from(self.panel.1));
        for (at, chart) in self.charts.iter().enumerate() {
            let corner = (size.0 * (at % self.columns) as f64, size.1 * (at / self.columns) as f64);
            chart.draw(paper, corner, size)?;
        }
        let below = size.1 * self.charts.len().div_ceil(self.columns.max(1)) as f64;
        for (series, (left, top)) in self.legend() {
            let y = below + top;
            series.sign(paper, (left, y))?;
            paper.text(&series.name, (left + SIGN, y), Anchor::Start, 13)?;
        }
        Ok(Vec::new())
    }
}

impl Chart {
    fn draw<B: DrawingBackend>(
        &self,
        paper: &Paper<'_, B>,
        corner: (f64, f64),
        size: (f64, f64),
    ) -> Result<(), Error> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let reach = points().flat_map(|point| [point.y - point.deviation, point.y + point.deviation]);
        let reach = reach.filter(|y| !self.y.log || *y > 0.0);
        let bars = self.series.iter().any(|series| series.mark == Mark::Bars);
        let from_zero = (bars && !self.y.log).then_some(0.0);
        let x = Scale::new(&self.x, points().map(|point| point.x));
        let axes = Axes::new(corner, size, x, Scale::new(&self.y, reach.chain(from_zero)));
        axes.draw(paper, &self.title)?;
        self.series.iter().try_for_each(|series| series.draw(paper, &axes))
    }
}

impl Series {
    fn draw<B: DrawingBackend>(&self, paper: &Paper<'_, B>, axes: &Axes<'_>) -> Result<(), Error> {
        let places: Vec<_> = self.points.iter().filter_map(|point| axes.at(point.x, point.y)).collect();
        match self.mark {
            Mark::Line => {
                self.band(paper, axes)?;
                self.look.line(paper, &places)
            }
            Mark::Curve => {
                self.whiskers(paper, axes)?;
                self.look.line(paper, &places)?;
                places.iter().try_for_each(|&at| self.look.sign(paper, at))
            }
            Mark::Dots => {
                self.whiskers(paper, axes)?;
                places.iter().try_for_each(|&at| self.look.sign(paper, at))
            }
            Mark::Bars => places.iter().try_for_each(|&(x, y)| {
                self.look.bar(
                    paper,
                    (x, y),
                    axes.at(0.0, 0.0).map_or(axes.bottom(), |zero| zero.1.min(axes.bottom())),
                )
            }),
        }
    }

    /// One standard deviation above and below.
    fn band<B: DrawingBackend>(&self, paper: &Paper<'_, B>, axes: &Axes<'_>) -> Result<(), Error> {
        if self.points.iter().all(|point| point.deviation == 0.0) {
            return Ok(());
        }
        let above = self.points.iter().filter_map(|point| axes.at(point.x, point.y + point.deviation));
        let below = self.points.iter().rev().filter_map(|point| axes.at(point.x, point.y - point.deviation));
        paper.fill(&above.chain(below).collect::<Vec<_>>(), self.look.colour().mix(0.15))
    }

    fn whiskers<B: DrawingBackend>(&self, paper: &Paper<'_, B>, axes: &Axes<'_>) -> Result<(), Error> {
        for point in self.points.iter().filter(|point| point.deviation > 0.0) {
            let ends = [-1.0, 1.0].map(|side| axes.at(point.x, point.y + side * point.deviation));
            if let [Some(low), Some(high)] = ends {
                paper.line(&[low, high], self.look.colour().mix(0.45), 1.0)?;
            }
        }
        Ok(())
    }

    /// What stands in the legend.
    fn sign<B: DrawingBackend>(&self, paper: &Paper<'_, B>, (left, y): (f64, f64)) -> Result<(), Error> {
        match self.mark {
            Mark::Line => self.look.line(paper, &[(left, y), (left + 26.0, y)]),
            Mark::Curve => {
                self.look.line(paper, &[(left, y), (left + 26.0, y)])?;
                self.look.sign(paper, (left + 13.0, y))
            }
            Mark::Dots => self.look.sign(paper, (left + 13.0, y)),
            Mark::Bars => self.look.bar(paper, (left + 13.0, y - 6.0), y + 6.0),
        }
    }
}
