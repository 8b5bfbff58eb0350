//! Curves over the share of outliers.

use emmf_report::{Axis, Block, Chart, Look, Mark, Plate, Plot, Point, Series, Sheet, Table};

use super::{legend, table::shown};
use crate::claim::{Claim, Verdict};
use crate::experiment::{Contamination, StartFrom};
use crate::plan::Plan;
use crate::sets::title;
use crate::shown::Shown;
use crate::statistics::mean;
use crate::summary::Summary;

pub(super) fn show(plan: &Plan, summaries: &[Summary; 2], name: &str) -> Shown {
    let mut shown = Shown::default();
    for (start, file, what) in [
        (StartFrom::All, "all", "k-means of samples and outliers together"),
        (StartFrom::Clean, "clean", "k-means of the samples without the outliers"),
    ] {
        let shares = shares(plan, start);
        if shares.len() < 2 {
            continue;
        }
        for summary in summaries {
            let measure = summary.measure.name();
            let charts = (0..plan.runs.data.len()).map(|data| chart(plan, summary, data, &shares));
            let charts: Vec<Chart> = charts.filter(|chart| !chart.series.is_empty()).collect();
            let starts = match start {
                _ if plan.runs.proposed.is_none() => String::new(),
                StartFrom::All => {
                    format!(
                        " All methods start from {what}; PNMF, GSNMF and the trimmed start have their own."
                    )
                }
                StartFrom::Clean => format!(" All methods start from {what}."),
            };
            let caption = format!(
                "{measure} of the samples (not of the outliers) over the share of outliers, mean and standard deviation over the seeds.{starts}"
            );
            let plate = Plate {
                name: format!("{name}-{file}-{}", measure.to_lowercase()),
                caption,
                plot: Plot::Sheet(Sheet::small(charts)),
            };
            shown.blocks.push(Block::Figure(plate));
        }
        shown.claims.extend(claims(plan, &summaries[0], &shares, what));
    }
    shown.blocks.push(Block::Text(legend(plan, &summaries[0]) + " NMI is in `table.tex`."));
    let tables = (0..plan.runs.data.len()).map(|data| table(plan, &summaries[0], data));
    shown.blocks.extend(tables.filter(|table| !table.rows.is_empty()).map(Block::Table));
    shown
}

/// The shares of a set of curves, with the places of their contaminations.
fn shares(plan: &Plan, wanted: StartFrom) -> Vec<(f64, usize)> {
    let all = plan.contaminations.iter().enumerate();
    all.filter_map(|(at, done)| match done {
        Contamination::None => Some((0.0, at)),
        Contamination::Outliers { share, start } if *start == wanted => Some((*share, at)),
        _ => None,
    })
    .collect()
}

/// One data set: methods by contaminations.
fn table(plan: &Plan, summary: &Summary, data: usize) -> Table {
    let kinds = plan.contaminations.len();
    let head = plan.contaminations.iter().map(Contamination::label);
    let first = format!("{}, {}", title(&plan.runs.data[data]), summary.measure.name());
    let mut table = Table::new(std::iter::once(first).chain(head));
    for (label, cells) in &summary.rows {
        let here = &cells[data * kinds..(data + 1) * kinds];
        if here.iter().any(Option::is_some) {
            let cells =
                here.iter().map(|cell| cell.as_ref().map_or_else(|| "–".into(), |cell| shown(summary, cell)));
            table.rows.push(std::iter::once(label.as_str().into()).chain(cells).collect());
        }
    }
    table
}

fn chart(plan: &Plan, summary: &Summary, data: usize, shares: &[(f64, usize)]) -> Chart {
    let column = |contamination: usize| data * plan.contaminations.len() + contamination;
    let mut series = Vec::new();
    for (at, (label, cells)) in summary.rows.iter().enumerate() {
        let points: Vec<Point> = shares
            .iter()
            .filter_map(|&(share, contamination)| {
                let cell = cells[column(contamination)].as_ref()?;
                Some(Point { x: 100.0 * share, y: cell.mean(), deviation: cell.deviation() })
            })
            .collect();
        if points.len() > 1 {
            let ours = plan.runs.proposed.as_ref() == Some(label);
            let look = if ours { Look::main() } else { Look::nth(at).whole() };
            series.push(Series { name: label.clone(), points, mark: Mark::Curve, look });
        }
    }
    Chart {
        title: title(&plan.runs.data[data]),
        x: Axis::new("outliers, % of the samples"),
        y: Axis::new(summary.measure.name()).reaching([0.0]),
        series,
    }
}

/// A fall and its end for each data set whose runs are there.
type Falls = Vec<Option<(f64, f64)>>;

/// How far a method falls from no outliers to the most, and where it ends, by data set.
fn falls(plan: &Plan, summary: &Summary, label: &str, shares: &[(f64, usize)]) -> Falls {
    let of = |data: usize| {
        let cell = |at: usize| {
            let column = data * plan.contaminations.len() + at;
            summary.cell(label, column).filter(|_| summary.columns[column].complete)
        };
        let (first, last) = (cell(shares.first()?.1)?.mean(), cell(shares.last()?.1)?.mean());
        Some((first - last, last))
    };
    (0..plan.runs.data.len()).map(of).collect()
}

fn claims(plan: &Plan, summary: &Summary, shares: &[(f64, usize)], what: &str) -> Vec<Claim> {
    let Some(proposed) = plan.runs.proposed.as_deref() else { return Vec::new() };
    let rows: Vec<(&str, Falls)> = summary
        .rows
        .iter()
        .map(|(label, _)| (label.as_str(), falls(plan, summary, label, shares)))
        .filter(|(_, falls)| falls.iter().any(Option::is_some))
        .collect();
    let Some((_, ours)) = rows.iter().find(|(label, _)| *label == proposed) else { return Vec::new() };
    // Another start, or the start itself, is no competitor of the paper's.
    let starts =
        |label: &str| plan.runs.method.iter().any(|method| method.label == label && method.is_start());
    let other = format!("{proposed},");
    let rivals = || rows.iter().filter(|(label, _)| !label.starts_with(&other) && !starts(label));
    let all = ours.iter().flatten().count();
    let highest = (0..ours.len()).filter(|&at| {
        ours[at].is_some_and(|(_, end)| {
            rivals().all(|(_, falls)| falls[at].is_none_or(|(_, other)| other <= end))
        })
    });
    let steadiest = (0..ours.len()).filter(|&at| {
        ours[at].is_some_and(|(fall, _)| {
            rivals().all(|(_, falls)| falls[at].is_none_or(|(other, _)| other >= fall))
        })
    });
    let (highest, steadiest) = (highest.count(), steadiest.count());
    let ends = ends(&rows);
    let share = 100.0 * shares.last().map_or(0.0, |(share, _)| *share);
    vec![Claim::new(
        Verdict::of(steadiest, all),
        format!(
            "The ACC curves of {proposed} are more stable than those of the competitors on all data sets (start: {what})."
        ),
        format!(
            "From none to {share:.0} % outliers its ACC falls least on {steadiest} of {all} data sets, and it is the highest there on {highest}. Mean ACC at {share:.0} % over the data sets, and the fall: {ends}."
        ),
    )]
}

/// Where every method ends and how far it falls, on average.
fn ends(rows: &[(&str, Falls)]) -> String {
    let ends = rows.iter().map(|(label, falls)| {
        let (fall, end): (Vec<f64>, Vec<f64>) = falls.iter().flatten().copied().unzip();
        format!("{label} {:.3} ({:+.3})", mean(&end), -mean(&fall))
    });
    ends.collect::<Vec<_>>().join(", ")
}
