//! Methods by data sets, beside the paper's numbers.

use emmf_report::{
    Axis, Block, Cell as TableCell, Chart, Look, Mark, Plate, Plot, Point, Rank, Series, Sheet, Sign, Table,
};

use super::{seeds_note, tables};
use crate::claim::{Claim, Verdict};
use crate::plan::Plan;
use crate::shown::Shown;
use crate::statistics::{LEVEL, PAIRS, chance, mean, with_deviation};
use crate::summary::{Cell, Summary};

pub(super) fn show(plan: &Plan, summaries: &[Summary; 2], name: &str) -> Shown {
    let mut blocks = tables(plan, summaries);
    blocks.extend(figure(summaries, plan.runs.proposed.as_deref(), name).map(Block::Figure));
    Shown { blocks, claims: claims(plan, summaries), ..Shown::default() }
}

/// The table of a measure.
pub(super) fn of(plan: &Plan, summary: &Summary) -> Table {
    let head = summary.columns.iter().map(|column| column.title.clone());
    let mut table = Table::new(std::iter::once(summary.measure.name().to_owned()).chain(head));
    for ((label, cells), published) in summary.rows.iter().zip(&summary.published) {
        let cells = cells.iter().zip(published).zip(&summary.columns);
        let shown = cells.map(|((cell, published), column)| {
            let Some(cell) = cell else {
                let done = &plan.contaminations[column.contamination];
                let skipped = plan.runs.skips(&plan.runs.data[column.data], label, done);
                let text = if skipped { "left out" } else { "–" };
                let notes = published.map(|published| format!("paper {published:.3}"));
                return TableCell { notes: notes.into_iter().collect(), ..text.into() };
            };
            shown(summary, cell)
        });
        table.rows.push(std::iter::once(label.as_str().into()).chain(shown).collect());
    }
    table
}

/// A cell with its notes.
pub(super) fn shown(summary: &Summary, cell: &Cell) -> TableCell {
    let mut notes = Vec::new();
    if let Some(published) = cell.published {
        notes.push(format!("paper {published:.3} ({:+.3})", cell.mean() - published));
        notes.extend(cell.by_larger_entropy.map(|nmi| format!("by the larger entropy {nmi:.3}")));
    }
    if !cell.params.is_empty() {
        notes.push(cell.params.replace("lambda=", "λ = ").replace("mu=", "μ = "));
    }
    notes.extend(seeds_note(summary.most_seeds(), cell.values.len()));
    TableCell { text: with_deviation(&cell.numbers()), rank: cell.rank, notes }
}

/// Ours over the paper's values; nothing where there are none.
fn figure(summaries: &[Summary; 2], proposed: Option<&str>, name: &str) -> Option<Plate> {
    let charts: Vec<Chart> = summaries.iter().map(|summary| scatter(summary, proposed)).collect();
    if charts.iter().all(|chart| chart.series.len() < 2) {
        return None;
    }
    let caption = "Our means against the paper's values, one mark for each column, with the standard deviation over the seeds; on the line both are equal.";
    let sheet = Sheet { charts, columns: 2, panel: (480, 400) };
    Some(Plate { name: name.into(), caption: caption.into(), plot: Plot::Sheet(sheet) })
}

fn scatter(summary: &Summary, proposed: Option<&str>) -> Chart {
    let line = Look { width: 1.0, dashes: &[3.0, 3.0], ..Look::nth(6) };
    let ends = [0.0, 1.0].map(|at| Point::new(at, at)).to_vec();
    let mut series = vec![Series { name: String::new(), points: ends, mark: Mark::Line, look: line }];
    for (label, cells) in &summary.rows {
        let points: Vec<Point> = cells
            .iter()
            .flatten()
            .filter_map(|cell| {
                Some(Point { x: cell.published?, y: cell.mean(), deviation: cell.deviation() })
            })
            .collect();
        if !points.is_empty() {
            let ours = proposed == Some(label.as_str());
            let look =
                if ours { Look { sign: Sign::Circle, ..Look::main() } } else { Look::nth(series.len()) };
            series.push(Series { name: label.clone(), points, mark: Mark::Dots, look });
        }
    }
    Chart {
        title: summary.measure.name().into(),
        x: Axis::new("published").reaching([0.0, 1.0]),
        y: Axis::new("ours, mean ± sd").reaching([0.0, 1.0]),
        series,
    }
}

fn claims(plan: &Plan, summaries: &[Summary; 2]) -> Vec<Claim> {
    let Some(proposed) = plan.runs.proposed.as_deref() else { return Vec::new() };
    let mut claims = Vec::new();
    if plan.runs.published.is_some() {
        claims.extend(best_as_published(summaries, proposed));
        claims.extend(nearness(summaries, proposed));
    }
    claims.extend(best_of_all(summaries, proposed));
    claims.extend(plan.runs.beside.iter().map(|other| one_by_one(summaries, proposed, other)));
    claims
}

/// On how many of the complete columns a condition holds for the cell of a method.
fn count(summary: &Summary, proposed: &str, holds: impl Fn(&Cell, usize) -> bool) -> (usize, usize) {
    let complete = (0..summary.columns.len()).filter(|&at| summary.columns[at].complete);
    let cells = complete.filter_map(|at| Some((at, summary.cell(proposed, at)?)));
    cells.fold((0, 0), |(held, all), (at, cell)| (held + usize::from(holds(cell, at)), all + 1))
}

fn best_as_published(summaries: &[Summary; 2], proposed: &str) -> Option<Claim> {
    let counts = summaries.each_ref().map(|summary| {
        let rivals = |at: usize| {
            let cells = summary.rows.iter().filter_map(move |(_, cells)| cells[at].as_ref());
            cells.filter(|cell| cell.published.is_some())
        };
        count(summary, proposed, |cell, at| rivals(at).all(|rival| rival.mean() <= cell.mean()))
    });
    let [(acc, all), (nmi, _)] = counts;
    let claim = Claim::new(
        Verdict::of(acc + nmi, 2 * all),
        format!("{proposed} has the highest ACC and NMI of the methods in the table, everywhere."),
        format!(
            "Among the methods as published it has the highest mean ACC in {acc} of {all} columns and the highest mean NMI in {nmi} of {all}.{}",
            waiting(&summaries[0])
        ),
    );
    (all > 0).then_some(claim)
}

/// Which columns are not counted, since runs are missing.
fn waiting(summary: &Summary) -> String {
    let waiting = summary.columns.iter().filter(|column| !column.complete);
    let waiting: Vec<&str> = waiting.map(|column| column.title.as_str()).collect();
    if waiting.is_empty() {
        String::new()
    } else {
        format!(" Not counted, since methods have no runs there: {}.", waiting.join(", "))
    }
}

fn best_of_all(summaries: &[Summary; 2], proposed: &str) -> Option<Claim> {
    let of =
        |summary: &Summary, ranks: &[Rank]| count(summary, proposed, |cell, _| ranks.contains(&cell.rank));
    let [acc, nmi] = summaries.each_ref().map(|summary| {
        let (best, all) = of(summary, &[Rank::Best]);
        let (tied, _) = of(summary, &[Rank::Tied]);
        format!(
            "in {}: best in {best} of {all} columns, no significant difference from the best in {tied} more",
            summary.measure.name()
        )
    });
    let claim = Claim::beside(
        format!(
            "{proposed} among all rows, including those at equal exponent, those in stable setting and the start itself:"
        ),
        format!("{acc}; {nmi}.{}", waiting(&summaries[0])),
    );
    summaries[0].columns.iter().any(|column| column.complete).then_some(claim)
}

fn nearness(summaries: &[Summary; 2], proposed: &str) -> Option<Claim> {
    let parts: Vec<String> = summaries
        .iter()
        .filter_map(|summary| {
            let cells = (0..summary.columns.len()).filter_map(|at| Some((at, summary.cell(proposed, at)?)));
            let differences: Vec<(f64, usize)> =
                cells.filter_map(|(at, cell)| Some((cell.mean() - cell.published?, at))).collect();
            let most = differences.iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))?;
            let sizes: Vec<f64> = differences.iter().map(|(value, _)| value.abs()).collect();
            let (name, at) = (summary.measure.name(), &summary.columns[most.1].title);
            Some(format!("{name} by {:.3} on average, at most by {:+.3} ({at})", mean(&sizes), most.0))
        })
        .collect();
    (!parts.is_empty()).then(|| {
        Claim::beside(
            format!("How far our values of {proposed} are from the published ones:"),
            format!("{}.", parts.join("; ")),
        )
    })
}

/// The method in question against another, seed by seed.
fn one_by_one(summaries: &[Summary; 2], proposed: &str, other: &str) -> Claim {
    let parts = summaries.each_ref().map(|summary| {
        let pairs = (0..summary.columns.len()).filter_map(|at| {
            let (ours, theirs) = (summary.cell(proposed, at)?, summary.cell(other, at)?);
            Some(ours.over(theirs))
        });
        let (few, enough): (Vec<_>, Vec<_>) = pairs.partition(|over| over.len() < PAIRS);
        let differences: Vec<f64> = few.iter().chain(&enough).map(|over| mean(over)).collect();
        let told: Vec<f64> =
            enough.iter().filter(|over| chance(over) < LEVEL).map(|over| mean(over)).collect();
        let better = told.iter().filter(|difference| **difference > 0.0).count();
        let (all, worse, same) = (differences.len(), told.len() - better, enough.len() - told.len());
        let few = if few.is_empty() { String::new() } else { format!(", too few seeds to tell in {}", few.len()) };
        format!(
            "{} {:+.3} on average; better in {better} of {all} columns, worse in {worse}, no significant difference in {same}{few}",
            summary.measure.name(),
            mean(&differences)
        )
    });
    Claim::beside(
        format!("{proposed} against {other}, seed by seed:"),
        format!("{}; {}.", parts[0], parts[1]),
    )
}
