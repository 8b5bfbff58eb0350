//! From the results of runs to tables, figures and claims.

mod convergence;
mod detection;
mod grid;
mod outliers;
mod table;

use std::collections::BTreeMap;

use emmf_report::{Block, Table};

use crate::Error;
use crate::experiment::{Fewer, Show, Skip};
use crate::plan::Plan;
use crate::sets::title;
use crate::shown::Shown;
use crate::statistics::PAIRS;
use crate::summary::{Measure, Results, Summary};

/// Tables, figures and claims of all runs that ended; `name` is that of the experiment, for files.
pub fn show_runs(plan: &Plan, found: &Results, name: &str) -> Result<Shown, Error> {
    let of = |measure| Summary::new(plan, found, measure);
    let clusters = || Measure::ALL.map(of);
    let mut shown = match plan.runs.show {
        Show::Detection => detection::show(plan, &of(Measure::Auc), name),
        Show::Convergence => convergence::show(plan, found, name),
        Show::Table => with_latex(table::show, plan, &clusters(), name),
        Show::Outliers => with_latex(outliers::show, plan, &clusters(), name),
        Show::Grid => with_latex(
            |plan, summaries, name| grid::show(plan, found, summaries, name),
            plan,
            &clusters(),
            name,
        ),
    };
    shown.blocks.extend(left_out(plan));
    shown.unfinished = unfinished(plan, found);
    Ok(shown)
}

/// What is shown of clusters, with its tables for LaTeX.
fn with_latex(
    show: impl Fn(&Plan, &[Summary; 2], &str) -> Shown,
    plan: &Plan,
    summaries: &[Summary; 2],
    name: &str,
) -> Shown {
    let mut shown = show(plan, summaries, name);
    let latex = summaries.iter().map(|summary| {
        format!("% {name}, {}\n{}\n", summary.measure.name(), table::of(plan, summary).latex())
    });
    shown.files.push(("table.tex".into(), latex.collect()));
    shown
}

/// How many seeds every method has on each data set, where these are not all.
fn unfinished(plan: &Plan, found: &Results) -> Option<String> {
    let mut seeds: BTreeMap<(usize, usize, usize), u64> = BTreeMap::new();
    for case in &plan.cases {
        let made = u64::from(found.contains_key(&plan.key(case)));
        *seeds.entry((case.data, case.contamination, case.variant)).or_insert(0) += made;
    }
    // A method may fail with some values of its grid.
    let mut methods: BTreeMap<(usize, usize, usize), u64> = BTreeMap::new();
    for ((data, contamination, variant), made) in seeds {
        let most = methods.entry((data, contamination, plan.variants[variant].method)).or_insert(0);
        *most = made.max(*most);
    }
    let mut sets: BTreeMap<(u64, u64), Vec<String>> = BTreeMap::new();
    for (data, name) in plan.runs.data.iter().enumerate() {
        let least = methods.range((data, 0, 0)..(data + 1, 0, 0)).map(|(_, made)| *made).min().unwrap_or(0);
        let wanted = plan.runs.seeds_on(name);
        if least < wanted {
            sets.entry((least, wanted)).or_default().push(title(name));
        }
    }
    let told = |((made, wanted), names): (&(u64, u64), &Vec<String>)| {
        format!("{made} of {wanted} on {}", names.join(", "))
    };
    let told: Vec<String> = sets.iter().rev().map(told).collect();
    (!told.is_empty()).then(|| format!("**Not all runs have been made.** Seeds: {}.", told.join("; ")))
}

/// The tables of both measures, and what their signs mean.
fn tables(plan: &Plan, summaries: &[Summary; 2]) -> Vec<Block> {
    let mut blocks: Vec<Block> = vec![Block::Text(legend(plan, &summaries[0]))];
    blocks.extend(summaries.iter().map(|summary| Block::Table(table::of(plan, summary))));
    blocks
}

/// What is left out or has fewer seeds, and why.
fn left_out(plan: &Plan) -> Option<Block> {
    let there = |data: &[String]| {
        let there = data.iter().filter(|name| plan.runs.data.contains(name));
        let there: Vec<String> = there.map(|name| title(name)).collect();
        (!there.is_empty()).then(|| there.join(", "))
    };
    let skipped = |skip: &Skip| {
        let with = if skip.contamination.is_empty() { "" } else { " with " };
        let (methods, with) = (skip.method.join("; "), with.to_owned() + &skip.contamination.join(", "));
        Some(format!("Left out on {}{with}: {methods}. {}", there(&skip.data)?, skip.why))
    };
    let fewer = |fewer: &Fewer| {
        let seeds = if fewer.seeds == 1 { "One seed".to_owned() } else { format!("{} seeds", fewer.seeds) };
        let there = there(&fewer.data).filter(|_| fewer.seeds < plan.runs.seeds)?;
        Some(format!("{seeds} instead of {} on {there}. {}", plan.runs.seeds, fewer.why))
    };
    let told = plan.runs.skip.iter().filter_map(skipped).chain(plan.runs.fewer.iter().filter_map(fewer));
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then_some(Block::List(told))
}

/// What stands in the cells.
fn legend(plan: &Plan, summary: &Summary) -> String {
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
    let larger = if plan.runs.published.is_some() {
        "; if the results have it, the value divided by the larger entropy is below it, since the paper does not say which it prints"
    } else {
        ""
    };
    let (runs, stars) = match summary.most_seeds() {
        1 => ("One seed".to_owned(), String::new()),
        most => (
            format!("Mean ± standard deviation over {most} seeds, unless a cell names its number of seeds"),
            format!(
                "; a star marks what does not differ significantly from it (paired over the seeds, 5 %; with fewer than {PAIRS} seeds there is no test and no star)"
            ),
        ),
    };
    format!(
        "{runs}{published}{grid}. NMI is divided by the geometric mean of the entropies of classes and clusters{larger}. The best of a column is bold{stars}."
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
