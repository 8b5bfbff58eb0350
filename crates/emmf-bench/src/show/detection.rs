//! How well outliers are told from samples: methods by kinds of outliers, a table for each data set and one of the means.

use emmf_report::{Block, Table};

use super::table;
use crate::plan::Plan;
use crate::shown::Shown;
use crate::statistics::mean;
use crate::summary::{Cell, Summary};

pub(super) fn show(plan: &Plan, summary: &Summary, name: &str) -> Shown {
    let legend = "AUC: how often the score of an outlier is above that of another sample; 0.5 is chance. Mean ± standard deviation over the seeds, the best of a column bold.";
    let means = means(plan, summary);
    let whole = table::of(plan, summary);
    let latex = format!("% {name}, means\n{}\n% {name}\n{}\n", means.latex(), whole.latex());
    Shown {
        blocks: vec![Block::Text(legend.into()), Block::Table(means), Block::Table(whole)],
        files: vec![("table.tex".into(), latex)],
        ..Shown::default()
    }
}

/// Every kind of outlier: the mean over the data sets, and the least.
fn means(plan: &Plan, summary: &Summary) -> Table {
    let kinds = plan.contaminations.iter().map(crate::experiment::Contamination::label);
    let head = std::iter::once("mean AUC over the data sets (least)".to_owned()).chain(kinds);
    let mut means = Table::new(head);
    for (label, cells) in &summary.rows {
        let of = |kind: usize| {
            let here = cells.iter().zip(&summary.columns).filter(|(_, column)| column.contamination == kind);
            let values: Vec<f64> = here.filter_map(|(cell, _)| cell.as_ref().map(Cell::mean)).collect();
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            if values.is_empty() { "–".to_owned() } else { format!("{:.3} ({least:.3})", mean(&values)) }
        };
        let cells = (0..plan.contaminations.len()).map(|kind| of(kind).as_str().into());
        means.rows.push(std::iter::once(label.as_str().into()).chain(cells).collect());
    }
    means
}
