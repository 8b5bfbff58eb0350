//! Curves over the values of a grid.

use emmf_report::{Axis, Block, Cell, Chart, Look, Mark, Plate, Plot, Point, Series, Sheet, Table};

use super::seeds_note;
use crate::claim::{Claim, Verdict};
use crate::plan::Plan;
use crate::shown::Shown;
use crate::statistics::{deviation, mean, with_deviation};
use crate::summary::{Column, Results, Summary, of_variant};

pub(super) fn show(plan: &Plan, found: &Results, summaries: &[Summary; 2], name: &str) -> Shown {
    let Some((method, parameter)) = gridded(plan) else { return Shown::default() };
    let curves: Vec<(usize, [Vec<Point>; 2])> = (0..summaries[0].columns.len())
        .map(|at| {
            (
                at,
                summaries
                    .each_ref()
                    .map(|summary| curve(plan, found, (method, &summary.columns[at]), summary)),
            )
        })
        .filter(|(_, [acc, _])| !acc.is_empty())
        .collect();
    let charts =
        curves.iter().map(|(at, curves)| chart(plan, summaries, (*at, curves), &parameter)).collect();
    let caption = format!(
        "Mean ACC and NMI over {parameter}, with the standard deviation over the seeds; thin lines: {parameter} from the data, without classes."
    );
    let plate = Plate { name: name.into(), caption, plot: Plot::Sheet(Sheet::small(charts)) };
    let mut blocks = vec![Block::Figure(plate)];
    blocks.push(Block::Text(format!(
        "Mean ± standard deviation over {} seeds, unless a cell names its number of seeds.",
        summaries[0].most_seeds()
    )));
    blocks.extend(
        summaries.iter().map(|summary| Block::Table(table(plan, found, (method, &parameter), summary))),
    );
    Shown { blocks, claims: claims(summaries, &curves, &parameter), ..Shown::default() }
}

/// The first method with a grid, and the sign of its parameter.
fn gridded(plan: &Plan) -> Option<(usize, String)> {
    let at = plan.runs.method.iter().position(|method| !method.grid.is_empty())?;
    let name = plan.runs.method[at].grid.keys().next()?;
    Some((at, name.replace("lambda", "λ").replace("mu", "μ")))
}

fn curve(plan: &Plan, found: &Results, (method, column): (usize, &Column), summary: &Summary) -> Vec<Point> {
    let variants = plan.variants.iter().enumerate().filter(|(_, variant)| variant.method == method);
    let mut points: Vec<Point> = variants
        .filter_map(|(at, variant)| {
            let values = of_variant(plan, found, (at, column), summary.measure);
            let values: Vec<f64> = values.into_iter().map(|(_, value)| value).collect();
            let x = *variant.params.values().next()?;
            (!values.is_empty()).then(|| Point { x, y: mean(&values), deviation: deviation(&values) })
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// Every value of the grid, and the methods without one.
fn table(plan: &Plan, found: &Results, (method, parameter): (usize, &str), summary: &Summary) -> Table {
    let head = summary.columns.iter().map(|column| column.title.clone());
    let mut table = Table::new(std::iter::once(summary.measure.name().to_owned()).chain(head));
    for (at, variant) in plan.variants.iter().enumerate() {
        let cells = summary.columns.iter().map(|column| {
            let values = of_variant(plan, found, (at, column), summary.measure);
            let values: Vec<f64> = values.into_iter().map(|(_, value)| value).collect();
            if values.is_empty() {
                return "–".into();
            }
            Cell {
                text: with_deviation(&values),
                notes: seeds_note(summary.most_seeds(), values.len()).into_iter().collect(),
                ..Cell::default()
            }
        });
        let name = match variant.params.values().next() {
            Some(value) if variant.method == method => format!("{parameter} = {value:e}"),
            _ => plan.runs.method[variant.method].label.clone(),
        };
        table.rows.push(std::iter::once(name.into()).chain(cells).collect());
    }
    table
}

fn chart(
    plan: &Plan,
    summaries: &[Summary; 2],
    (at, curves): (usize, &[Vec<Point>; 2]),
    parameter: &str,
) -> Chart {
    let mut series = Vec::new();
    for (which, (summary, points)) in summaries.iter().zip(curves).enumerate() {
        let measure = summary.measure.name();
        let look = if which == 0 { Look::main() } else { Look::nth(1).whole() };
        for method in plan.runs.method.iter().filter(|method| method.grid.is_empty()) {
            if let (Some(cell), [first, .., last]) = (summary.cell(&method.label, at), &points[..]) {
                let ends = [first.x, last.x].map(|x| Point::new(x, cell.mean())).to_vec();
                let look = Look { width: 1.0, dashes: &[4.0, 3.0], ..look.clone() };
                series.push(Series {
                    name: format!("{measure}, {}", method.label),
                    points: ends,
                    mark: Mark::Line,
                    look,
                });
            }
        }
        series.push(Series { name: measure.into(), points: points.clone(), mark: Mark::Curve, look });
    }
    Chart {
        title: summaries[0].columns[at].title.clone(),
        x: Axis::log(parameter).marked(curves[0].iter().map(|point| (point.x, format!("{:e}", point.x)))),
        y: Axis::new("ACC and NMI"),
        series,
    }
}

/// The highest less the lowest of the values.
fn spread(points: &[Point]) -> f64 {
    let ends = |(low, high): (f64, f64), point: &Point| (low.min(point.y), high.max(point.y));
    let (low, high) = points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    high - low
}

fn claims(summaries: &[Summary; 2], curves: &[(usize, [Vec<Point>; 2])], parameter: &str) -> Vec<Claim> {
    let accuracies: Vec<(&str, &[Point])> = curves
        .iter()
        .map(|(at, [acc, _])| (summaries[0].columns[*at].title.as_str(), acc.as_slice()))
        .collect();
    vec![steady(&accuracies, parameter), declining(&accuracies, parameter)]
}

fn steady(curves: &[(&str, &[Point])], parameter: &str) -> Claim {
    let spreads =
        |skip: usize| curves.iter().map(move |(name, acc)| (spread(&acc[skip.min(acc.len())..]), *name));
    let widest = |skip: usize| spreads(skip).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, "none"));
    let count = |skip: usize| spreads(skip).filter(|(spread, _)| *spread < 0.05).count();
    let (whole, rest) = (widest(0), widest(1));
    let lowest =
        curves.iter().filter_map(|(_, acc)| acc.first()).map(|point| point.x).fold(f64::INFINITY, f64::min);
    Claim::new(
        Verdict::of(count(1), curves.len()),
        format!("The results are not very sensitive to {parameter} within a wide range."),
        format!(
            "Above {parameter} = {lowest:e} the mean ACC changes by less than 0.05 on {} of {} data sets (by {:.3} at most, {}); over the whole grid on {} (by {:.3} at most, {}).",
            count(1),
            curves.len(),
            rest.0,
            rest.1,
            count(0),
            whole.0,
            whole.1
        ),
    )
}

fn declining(curves: &[(&str, &[Point])], parameter: &str) -> Claim {
    let lost = |points: &[Point]| {
        let best = points.iter().map(|point| point.y).fold(0.0, f64::max);
        best - points.last().map_or(0.0, |point| point.y)
    };
    let losses: Vec<f64> = curves.iter().map(|(_, acc)| lost(acc)).collect();
    let falling = losses.iter().filter(|loss| **loss > 0.01).count();
    Claim::new(
        Verdict::of(falling, curves.len()),
        format!("When {parameter} becomes very large, the performance tends to decrease."),
        format!(
            "At the largest {parameter} the mean ACC is more than 0.01 below the best of the grid on {falling} of {} data sets, by {:.3} on average.",
            curves.len(),
            mean(&losses)
        ),
    )
}
