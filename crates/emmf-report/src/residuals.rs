//! The residual of every sample, one panel a method, outliers marked.

use plotters::prelude::*;

use crate::{Comparison, Error};

const PANEL: (u32, u32) = (380, 300);
/// Readable side by side and in black and white: a dark circle and a light cross.
const GOOD: RGBColor = RGBColor(31, 90, 150);
const BAD: RGBColor = RGBColor(217, 95, 2);

/// An SVG picture: samples in order, the distance of each to its approximation.
pub fn residual_plot(comparisons: &[Comparison<'_>]) -> Result<String, Error> {
    let mut svg = String::new();
    let size = (PANEL.0 * comparisons.len().max(1) as u32, PANEL.1);
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE).map_err(plot_error)?;
        for (area, comparison) in root.split_evenly((1, comparisons.len().max(1))).iter().zip(comparisons) {
            panel(area, comparison)?;
        }
        root.present().map_err(plot_error)?;
    }
    Ok(svg)
}

fn panel(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    comparison: &Comparison<'_>,
) -> Result<(), Error> {
    let residuals = &comparison.record.samples.residual;
    let top = residuals.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let title = format!(
        "{}: accuracy {:.2}, {} of {} outliers",
        comparison.record.spec.method,
        comparison.good.accuracy,
        comparison.found,
        comparison.outliers()
    );
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(0..residuals.len(), 0.0..1.05 * top)
        .map_err(plot_error)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .x_desc("sample")
        .y_desc("residual")
        .x_labels(5)
        .y_labels(5)
        .label_style(("sans-serif", 12))
        .draw()
        .map_err(plot_error)?;
    let points = |outlier: bool| {
        residuals
            .iter()
            .enumerate()
            .filter(move |(i, _)| comparison.outlier[*i] == outlier)
            .map(|(i, &r)| (i, r))
    };
    chart.draw_series(points(false).map(|at| Circle::new(at, 2, GOOD.filled()))).map_err(plot_error)?;
    chart.draw_series(points(true).map(|at| Cross::new(at, 3, BAD.stroke_width(2)))).map_err(plot_error)?;
    Ok(())
}

fn plot_error(error: impl std::fmt::Display) -> Error {
    Error::Plot(error.to_string())
}
