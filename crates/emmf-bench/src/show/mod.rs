//! From the results of runs to tables, figures and claims.

mod convergence;
mod grid;
mod outliers;
mod table;

use emmf_report::{Block, Table};

use crate::Error;
use crate::experiment::Show;
use crate::plan::Plan;
use crate::shown::Shown;
use crate::summary::{Measure, Results, Summary};

/// Tables, figures and claims of all runs that ended; `name` is that of the experiment, for files.
pub fn show_runs(plan: &Plan, found: &Results, name: &str) -> Result<Shown, Error> {
    let summaries = Measure::ALL.map(|measure| Summary::new(plan, found, measure));
    let mut shown = match plan.runs.show {
        Show::Table => table::show(plan, &summaries, name),
        Show::Outliers => outliers::show(plan, &summaries, name),
        Show::Grid => grid::show(plan, found, &summaries, name),
        Show::Convergence => convergence::show(plan, found, name),
    };
    if plan.runs.show != Show::Convergence {
        let latex = summaries.iter().map(|summary| {
            format!("% {name}, {}\n{}\n", summary.measure.name(), table::of(plan, summary).latex())
        });
        shown.files.push(("table.tex".into(), latex.collect()));
    }
    Ok(shown)
}

/// The tables of both measures, and what their signs mean.
fn tables(plan: &Plan, summaries: &[Summary; 2]) -> Vec<Block> {
    let mut blocks: Vec<Block> = vec![Block::Text(legend(plan, &summaries[0]))];
    blocks.extend(summaries.iter().map(|summary| Block::Table(table::of(plan, summary))));
    let skipped = plan.runs.skip.iter().filter(|skip| plan.runs.data.contains(&skip.data));
    let skipped: Vec<String> = skipped
        .map(|skip| {
            format!("{} is left out on {}: {}", skip.method, crate::sets::title(&skip.data), skip.why)
        })
        .collect();
    if !skipped.is_empty() {
        blocks.push(Block::List(skipped));
    }
    blocks
}

/// What stands in the cells.
fn legend(plan: &Plan, summary: &Summary) -> String {
    let most = summary.most_seeds();
    let seeds = if most == 1 { "one seed".to_owned() } else { format!("{most} seeds") };
    let published = if plan.runs.published.is_some() {
        "; below it the paper's value and how much ours is above it"
    } else {
        ""
    };
    let grid = if plan.runs.method.iter().any(|method| !method.grid.is_empty()) {
        ", then the best parameter of the grid, chosen by the true classes"
    } else {
        ""
    };
    format!(
        "Mean ± standard deviation over {seeds}, unless a cell names its number of seeds{published}{grid}. The best of a column is bold; a star marks what cannot be told apart from it (paired over the seeds, 5 %)."
    )
}

/// Rows for the terminal: the tables of an experiment.
pub fn terminal_tables(shown: &Shown) -> Vec<&Table> {
    let tables = shown.blocks.iter().filter_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    tables.collect()
}

/// How many seeds there are, where others have more.
fn seeds_note(most: usize, count: usize) -> Option<String> {
    (count < most).then(|| if count == 1 { "1 seed".into() } else { format!("{count} seeds") })
}
