//! Charts of a run: the objective, the residuals, and the samples as points of a plane.

use std::collections::BTreeMap;

use emmf_io::Record;
use plotters::style::{Color, HSLColor, RGBColor};

use super::{Axis, BAD, Chart, GOOD, Look, Mark, Point, Series, Sheet, Sign, sketch};
use crate::{Error, OUTLIER};

/// Told apart by most eyes, for up to ten clusters, and none that of outliers. Python has the same (`_pictures.py`).
const FEW: [(u8, u8, u8); 10] = [
    (59, 130, 196),
    (214, 173, 23),
    (47, 158, 110),
    (201, 79, 124),
    (139, 108, 201),
    (169, 131, 36),
    (58, 166, 185),
    (107, 66, 38),
    (122, 139, 60),
    (125, 127, 140),
];

/// Clusters in a legend.
const NAMED: usize = 20;

fn look(colour: RGBColor, sign: Sign, size: f64) -> Look {
    let (r, g, b) = colour.rgb();
    Look { colour: (r, g, b), dashes: &[], sign, size, width: 2.0 }
}

/// The objective after each iteration.
pub(super) fn convergence(record: &Record) -> Sheet {
    let objective = std::iter::once(record.initial).chain(record.trace.iter().copied());
    let points = objective.enumerate().map(|(at, value)| Point::new(at as f64, value)).collect();
    Sheet::single(Chart {
        title: record.spec.method.clone(),
        x: Axis::new("iteration"),
        y: Axis::new("objective"),
        series: vec![Series {
            name: String::new(),
            points,
            mark: Mark::Line,
            look: look(GOOD, Sign::Circle, 2.0),
        }],
    })
}

/// Samples in order, the distance of each to its approximation over six decades at most.
pub(super) fn residuals(record: &Record) -> Sheet {
    let (residuals, outlier) = (&record.samples.residual, outliers(record));
    let top = residuals.iter().copied().filter(|r| r.is_finite()).fold(0.0, f64::max);
    let lowest = 1e-6 * top;
    let series = |name: &str, wanted: bool, look: Look| {
        let chosen = residuals.iter().enumerate().filter(|(i, _)| outlier[*i] == wanted);
        let points = chosen.map(|(i, &r)| Point::new(i as f64, r.max(lowest))).collect();
        Series { name: name.into(), points, mark: Mark::Dots, look }
    };
    let y = Axis::log("residual");
    Sheet::single(Chart {
        title: record.spec.method.clone(),
        x: Axis::new("sample"),
        y: if top > 0.0 { y } else { y.reaching([0.1, 1.0]) },
        series: vec![
            series("normal", false, look(GOOD, Sign::Circle, 2.0)),
            series("outlier", true, look(BAD, Sign::Cross, 4.0)),
        ],
    })
}

/// The samples as points of a plane, coloured by cluster, with a legend unless it would hide them.
pub(super) fn embedding(record: &Record) -> Result<Sheet, Error> {
    let plane = &sketch(record)?.plane;
    let axis = |share: f64| Axis::new(format!("{:.0} % of the variance", 100.0 * share)).marked([]);
    let (outlier, label) = (outliers(record), &record.samples.label);
    let row = |at: usize| plane.rows.as_ref().map_or(at, |rows| rows[at]);
    let dot = if plane.x.len() > 3_000 { 2.0 } else { 3.0 };
    let (mut clusters, mut crosses) = (BTreeMap::<usize, Vec<Point>>::new(), Vec::new());
    for (at, (&x, &y)) in plane.x.iter().zip(&plane.y).enumerate() {
        let (row, point) = (row(at), Point::new(x.into(), y.into()));
        if outlier[row] { crosses.push(point) } else { clusters.entry(label[row]).or_default().push(point) }
    }
    let named = clusters.len() <= NAMED;
    let name = |k: usize, count: usize| if named { format!("cluster {k} ({count})") } else { String::new() };
    let cluster = |(k, points): (usize, Vec<Point>)| Series {
        name: name(k, points.len()),
        points,
        mark: Mark::Dots,
        look: Look { colour: colour(k, record.spec.label_count()), ..look(GOOD, Sign::Circle, dot) },
    };
    let crosses = Series {
        name: if crosses.is_empty() { String::new() } else { format!("outliers ({})", crosses.len()) },
        points: crosses,
        mark: Mark::Dots,
        look: look(BAD, Sign::Cross, 4.0),
    };
    let chart = Chart {
        title: format!("{}, {} clusters", record.spec.method, record.spec.label_count()),
        x: axis(plane.shares[0]),
        y: axis(plane.shares[1]),
        series: clusters.into_iter().map(cluster).chain([crosses]).collect(),
    };
    Ok(Sheet { panel: (600, 520), ..Sheet::single(chart) })
}

/// Which samples are outliers: the true ones where they are known, else those that were found.
fn outliers(record: &Record) -> Vec<bool> {
    let samples = &record.samples;
    let known = samples.truth.as_ref().filter(|truth| truth.iter().any(|class| class == OUTLIER));
    known.map_or_else(
        || record.outliers().collect(),
        |truth| truth.iter().map(|class| class == OUTLIER).collect(),
    )
}

/// The colour of a cluster.
fn colour(cluster: usize, clusters: usize) -> (u8, u8, u8) {
    if clusters <= FEW.len() {
        return FEW[cluster % FEW.len()];
    }
    let (hue, lightness) = ((cluster as f64 * 0.381_966) % 1.0, 0.42 + 0.1 * (cluster % 3) as f64);
    HSLColor(hue, 0.62, lightness).rgb()
}
