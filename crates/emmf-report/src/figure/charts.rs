//! The objective after each iteration, and the samples as points of a plane.

use emmf_io::Record;
use plotters::prelude::*;

use super::{BAD, GOOD, GRID, Paper, outliers, plot_error, sketch};
use crate::Error;

/// Told apart by most eyes, for up to ten clusters.
const FEW: [RGBColor; 10] = [
    RGBColor(59, 130, 196),
    RGBColor(214, 173, 23),
    RGBColor(47, 158, 110),
    RGBColor(201, 79, 124),
    RGBColor(139, 108, 201),
    RGBColor(169, 131, 36),
    RGBColor(58, 166, 185),
    RGBColor(209, 73, 91),
    RGBColor(122, 139, 60),
    RGBColor(125, 127, 140),
];

pub(super) fn convergence<B: DrawingBackend>(paper: &Paper<'_, B>, record: &Record) -> Result<(), Error> {
    let objective: Vec<f64> = std::iter::once(record.initial).chain(record.trace.iter().copied()).collect();
    let finite = || objective.iter().copied().filter(|value| value.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let room = if high > low { 0.04 * (high - low) } else { 1.0 };
    let mut chart = ChartBuilder::on(paper.area)
        .caption(&record.spec.method, paper.font(18))
        .margin(paper.size(8))
        .margin_right(paper.size(16))
        .x_label_area_size(paper.size(42))
        .y_label_area_size(paper.size(72))
        .build_cartesian_2d(0..objective.len().max(2) - 1, low - room..high + room)
        .map_err(plot_error)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID.stroke_width(paper.scale))
        .axis_style(BLACK.stroke_width(paper.scale))
        .x_desc("iteration")
        .y_desc("objective")
        .x_labels(6)
        .y_labels(6)
        .y_label_formatter(&|value| short(*value))
        .label_style(paper.font(13))
        .axis_desc_style(paper.font(14))
        .draw()
        .map_err(plot_error)?;
    let points = objective.iter().copied().enumerate().filter(|(_, value)| value.is_finite());
    chart.draw_series(LineSeries::new(points, GOOD.stroke_width(paper.size(2)))).map_err(plot_error)?;
    Ok(())
}

/// A number of at most six digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = (5 - size.max(1.0).log10() as i32).clamp(0, 5) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

pub(super) fn embedding<B: DrawingBackend>(paper: &Paper<'_, B>, record: &Record) -> Result<(), Error> {
    let plane = &sketch(record)?.plane;
    let range = |values: &[f32]| {
        let low = values.iter().copied().fold(f32::INFINITY, f32::min);
        let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let room = (0.04 * (high - low)).max(1e-3);
        low - room..high + room
    };
    let axis = |share: f64| format!("{:.0} % of the variance", 100.0 * share);
    let mut chart = ChartBuilder::on(paper.area)
        .caption(format!("{}, {} clusters", record.spec.method, record.spec.k), paper.font(18))
        .margin(paper.size(12))
        .x_label_area_size(paper.size(28))
        .y_label_area_size(paper.size(32))
        .build_cartesian_2d(range(&plane.x), range(&plane.y))
        .map_err(plot_error)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(GRID.stroke_width(paper.scale))
        .x_desc(axis(plane.shares[0]))
        .y_desc(axis(plane.shares[1]))
        .x_labels(0)
        .y_labels(0)
        .axis_desc_style(paper.font(13))
        .draw()
        .map_err(plot_error)?;
    let (outlier, label) = (outliers(record), &record.samples.label);
    let row = |at: usize| plane.rows.as_ref().map_or(at, |rows| rows[at]);
    let points = |wanted: bool| {
        let all = (0..plane.x.len()).map(|at| (row(at), (plane.x[at], plane.y[at])));
        all.filter(|(row, _)| outlier.get(*row) == Some(&wanted)).collect::<Vec<_>>()
    };
    let dot = paper.size(if plane.x.len() > 3_000 { 2 } else { 3 });
    let good = points(false)
        .into_iter()
        .map(|(row, at)| Circle::new(at, dot, colour(label[row], record.spec.k).filled()));
    chart.draw_series(good).map_err(plot_error)?;
    let (cross, stroke) = (paper.size(4), BAD.stroke_width(paper.size(3) / 2));
    chart
        .draw_series(points(true).into_iter().map(|(_, at)| Cross::new(at, cross, stroke)))
        .map_err(plot_error)?;
    Ok(())
}

/// The colour of a cluster.
fn colour(cluster: usize, clusters: usize) -> RGBAColor {
    if clusters <= FEW.len() {
        return FEW[cluster % FEW.len()].mix(0.85);
    }
    let (hue, lightness) = ((cluster as f64 * 0.381_966) % 1.0, 0.42 + 0.1 * (cluster % 3) as f64);
    let (r, g, b) = HSLColor(hue, 0.62, lightness).rgb();
    RGBColor(r, g, b).mix(0.85)
}
