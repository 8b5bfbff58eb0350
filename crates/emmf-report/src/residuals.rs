//! The residual of every sample, one picture a method, outliers marked.

use std::ops::Range;

use plotters::prelude::*;

use crate::{Comparison, Error};

const SIZE: (u32, u32) = (380, 300);
/// Apart in hue and brightness, and drawn as dots and crosses.
pub(crate) const GOOD: RGBColor = RGBColor(31, 90, 150);
pub(crate) const BAD: RGBColor = RGBColor(217, 95, 2);
const GRID: RGBColor = RGBColor(225, 225, 225);

/// One SVG picture a method: samples in order, the distance of each to its approximation on a logarithmic
/// scale that is the same in all of them.
pub fn residual_plots(comparisons: &[Comparison<'_>]) -> Result<Vec<String>, Error> {
    let range = common_range(comparisons);
    comparisons.iter().map(|comparison| plot(comparison, range.clone())).collect()
}

/// All residuals, over six decades at the most.
fn common_range(comparisons: &[Comparison<'_>]) -> Range<f64> {
    let residuals = || comparisons.iter().flat_map(|comparison| &comparison.record.samples.residual).copied();
    let finite = |residual: &f64| residual.is_finite();
    let top = 1.5 * residuals().filter(finite).fold(0.0, f64::max);
    if top <= 0.0 {
        return 0.1..1.0;
    }
    let bottom = residuals().filter(|&residual| residual > 1e-6 * top).fold(top, f64::min) / 1.5;
    bottom..top
}

fn plot(comparison: &Comparison<'_>, range: Range<f64>) -> Result<String, Error> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(plot_error)?;
        panel(&area, comparison, range)?;
        area.present().map_err(plot_error)?;
    }
    Ok(svg)
}

fn panel(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    comparison: &Comparison<'_>,
    range: Range<f64>,
) -> Result<(), Error> {
    let residuals = &comparison.record.samples.residual;
    let bottom = range.start;
    let mut chart = ChartBuilder::on(area)
        .caption(&comparison.record.spec.method, ("sans-serif", 20))
        .margin(6)
        .margin_right(12)
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(0..residuals.len() + 1, range.log_scale())
        .map_err(plot_error)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .x_desc("sample")
        .y_desc("residual")
        .x_labels(5)
        .y_labels(6)
        .y_label_formatter(&|value| format!("{value}"))
        .label_style(("sans-serif", 14))
        .axis_desc_style(("sans-serif", 15))
        .draw()
        .map_err(plot_error)?;
    let points = |outlier: bool| {
        let chosen = residuals.iter().enumerate().filter(move |(i, _)| comparison.outlier[*i] == outlier);
        chosen.map(|(i, &residual)| (i, residual.max(bottom)))
    };
    chart.draw_series(points(false).map(|at| Circle::new(at, 2, GOOD.filled()))).map_err(plot_error)?;
    chart.draw_series(points(true).map(|at| Cross::new(at, 3, BAD.stroke_width(2)))).map_err(plot_error)?;
    Ok(())
}

fn plot_error(error: impl std::fmt::Display) -> Error {
    Error::Plot(error.to_string())
}
