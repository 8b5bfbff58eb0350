//! The residual of every sample, outliers marked.

use std::ops::Range;

use emmf_io::Record;
use plotters::prelude::*;

use super::{BAD, GOOD, GRID, Paper, outliers, plot_error};
use crate::Error;

/// Samples in order, the distance of each to its approximation on a logarithmic scale.
pub(super) fn residuals<B: DrawingBackend>(paper: &Paper<'_, B>, record: &Record) -> Result<(), Error> {
    let (residuals, outlier) = (&record.samples.residual, outliers(record));
    let range = range(residuals);
    let bottom = range.start;
    // Logarithms on a plain axis: there is more than one mark, however few decades there are.
    let axis = range.start.log10()..range.end.log10();
    let mut chart = ChartBuilder::on(paper.area)
        .caption(&record.spec.method, paper.font(18))
        .margin(paper.size(8))
        .margin_right(paper.size(16))
        .x_label_area_size(paper.size(42))
        .y_label_area_size(paper.size(64))
        .build_cartesian_2d(0..residuals.len() + 1, axis)
        .map_err(plot_error)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID.stroke_width(paper.scale))
        .axis_style(BLACK.stroke_width(paper.scale))
        .x_desc("sample")
        .y_desc("residual")
        .x_labels(6)
        .y_labels(6)
        .y_label_formatter(&|value| two_digits(10_f64.powf(*value)))
        .label_style(paper.font(13))
        .axis_desc_style(paper.font(14))
        .draw()
        .map_err(plot_error)?;
    let points = |wanted: bool| {
        let chosen = residuals.iter().enumerate().filter(|(i, _)| outlier[*i] == wanted);
        chosen.map(|(i, &residual)| (i, residual.max(bottom).log10())).collect::<Vec<_>>()
    };
    let (dot, cross) = (paper.size(2), paper.size(4));
    let stroke = BAD.stroke_width(paper.size(3) / 2);
    chart
        .draw_series(points(false).into_iter().map(|at| Circle::new(at, dot, GOOD.filled())))
        .map_err(plot_error)?;
    chart
        .draw_series(points(true).into_iter().map(|at| Cross::new(at, cross, stroke)))
        .map_err(plot_error)?;
    Ok(())
}

/// A number of two digits that count.
fn two_digits(value: f64) -> String {
    let places = 1 - value.log10().floor() as i32;
    if !(-4..=5).contains(&places) {
        return format!("{value:.1e}");
    }
    let unit = 10_f64.powi(places);
    format!("{:.*}", places.max(0) as usize, (value * unit).round() / unit)
}

/// All residuals, over six decades at the most.
fn range(residuals: &[f64]) -> Range<f64> {
    let finite = || residuals.iter().copied().filter(|residual| residual.is_finite());
    let top = 1.5 * finite().fold(0.0, f64::max);
    if top <= 0.0 {
        return 0.1..1.0;
    }
    let bottom = finite().filter(|&residual| residual > 1e-6 * top).fold(top, f64::min) / 1.5;
    bottom..top
}
