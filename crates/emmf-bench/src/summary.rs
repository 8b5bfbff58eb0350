//! From runs to the cells of tables: mean, deviation, the best values of a grid, and what is told apart from the best.

use std::collections::HashMap;

use emmf_report::Rank;

use crate::plan::{Case, Plan};
use crate::published;
use crate::run::Found;
use crate::sets::title;
use crate::statistics::{LEVEL, PAIRS, chance, deviation, mean};

/// Everything that runs found, by their keys.
pub type Results = HashMap<[String; 5], Found>;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Accuracy.
    Acc,
    /// Normalized mutual information: divided by the geometric mean of the entropies.
    Nmi,
    /// The same divided by the larger entropy. The paper does not say which one it prints.
    NmiMax,
    /// How often the score of an outlier is above that of another sample: the area under the ROC curve.
    Auc,
}

impl Measure {
    /// Those that have a table, where clusters are judged.
    pub const ALL: [Self; 2] = [Self::Acc, Self::Nmi];

    /// As in the paper.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acc => "ACC",
            Self::Nmi => "NMI",
            Self::NmiMax => "NMI by the larger entropy",
            Self::Auc => "AUC",
        }
    }

    /// Its value, where the results hold it.
    pub(crate) fn of(self, found: &Found) -> Option<f64> {
        match self {
            Self::Acc => Some(found.acc),
            Self::Nmi => Some(found.nmi),
            Self::NmiMax => found.nmi_max,
            Self::Auc => found.auc,
        }
    }
}

/// A method on a data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Seeds and their values, in order, at the best parameters.
    pub values: Vec<(u64, f64)>,
    /// Which parameters these are, where some were tried.
    pub params: String,
    /// The paper's value.
    pub published: Option<f64>,
    /// Of an NMI, the mean of the same runs divided by the larger entropy, where the results hold it.
    pub by_larger_entropy: Option<f64>,
    /// Whether it has the highest mean of its column, or cannot be told apart from that (paired over the seeds, at the
    /// level of 5 %) though there are seeds enough.
    pub rank: Rank,
}

impl Cell {
    /// The values of the seeds.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        self.values.iter().map(|(_, value)| *value).collect()
    }

    /// Mean over the seeds.
    pub fn mean(&self) -> f64 {
        mean(&self.numbers())
    }

    /// Standard deviation over the seeds; 0 for one.
    pub fn deviation(&self) -> f64 {
        deviation(&self.numbers())
    }

    /// How much higher than another, seed by seed, for the seeds that both have.
    pub(crate) fn over(&self, other: &Self) -> Vec<f64> {
        let of = |seed: u64| other.values.iter().find(|(found, _)| *found == seed);
        self.values.iter().filter_map(|(seed, value)| Some(value - of(*seed)?.1)).collect()
    }
}

/// A data set, and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its place among the data sets of the experiment.
    pub data: usize,
    /// Its place among the contaminations.
    pub contamination: usize,
    /// What stands above it.
    pub title: String,
    /// Whether every method that is not left out here has a cell, so that it can be said who is best.
    pub complete: bool,
}

/// One measure of an experiment: methods as rows, data sets (with what was done to them) as columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What is measured.
    pub measure: Measure,
    /// Columns.
    pub columns: Vec<Column>,
    /// Methods with their cells; `None` where no run ended.
    pub rows: Vec<(String, Vec<Option<Cell>>)>,
    /// The paper's values of all cells.
    pub published: Vec<Vec<Option<f64>>>,
}

impl Summary {
    /// Of all runs that ended.
    pub fn new(plan: &Plan, found: &Results, measure: Measure) -> Self {
        let published = plan.runs.published.as_deref().map(published::table).unwrap_or_default();
        let columns = columns(plan);
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for (method, competitor) in plan.runs.method.iter().enumerate() {
            let name = competitor.published.as_ref().unwrap_or(&competitor.label);
            let key =
                |column: &Column| (measure.name().to_owned(), name.clone(), column.title.replace('×', "x"));
            let stated: Vec<_> = columns.iter().map(|column| published.get(&key(column)).copied()).collect();
            let cells = columns.iter().zip(&stated).map(|(column, &published)| {
                let (at, values) = best_variant(plan, found, (method, column), measure)?;
                let by_larger_entropy = larger(plan, found, (at, column), measure);
                let params = plan.variants[at].label();
                Some(Cell { values, params, published, by_larger_entropy, rank: Rank::Other })
            });
            rows.push((competitor.label.clone(), cells.collect()));
            values.push(stated);
        }
        let mut summary = Self { measure, columns, rows, published: values };
        for column in 0..summary.columns.len() {
            summary.columns[column].complete = summary.is_complete(plan, column);
            summary.judge(column);
        }
        summary
    }

    /// The seeds of the cell that has most of them.
    pub fn most_seeds(&self) -> usize {
        let cells = self.rows.iter().flat_map(|(_, cells)| cells.iter().flatten());
        cells.map(|cell| cell.values.len()).max().unwrap_or(0)
    }

    /// The cell of a method.
    pub fn cell(&self, method: &str, column: usize) -> Option<&Cell> {
        let (_, cells) = self.rows.iter().find(|(label, _)| label == method)?;
        cells[column].as_ref()
    }

    fn is_complete(&self, plan: &Plan, column: usize) -> bool {
        let here = |case: &&Case| {
            (case.data, case.contamination) == (self.columns[column].data, self.columns[column].contamination)
        };
        let mut wanted = plan.cases.iter().filter(here).map(|case| plan.variants[case.variant].method);
        wanted.all(|method| self.rows[method].1[column].is_some())
    }

    /// Marks the best of a column, and those that cannot be told apart from it.
    fn judge(&mut self, column: usize) {
        let cells = || self.rows.iter().filter_map(|(_, cells)| cells[column].as_ref());
        let Some(best) = cells().max_by(|a, b| a.mean().total_cmp(&b.mean())).cloned() else { return };
        for cell in self.rows.iter_mut().filter_map(|(_, cells)| cells[column].as_mut()) {
            let over = best.over(cell);
            cell.rank = if cell.mean() == best.mean() {
                Rank::Best
            } else if over.len() >= PAIRS && chance(&over) >= LEVEL {
                Rank::Tied
            } else {
                Rank::Other
            };
        }
    }
}

fn columns(plan: &Plan) -> Vec<Column> {
    let (sets, kinds) = (plan.runs.data.len(), plan.contaminations.len());
    let named = |data: usize, contamination: usize| {
        let (set, kind) = (title(&plan.runs.data[data]), plan.contaminations[contamination].label());
        let title = match (sets > 1, kinds > 1) {
            (true, true) => format!("{set}, {kind}"),
            (false, true) => kind,
            _ => set,
        };
        Column { data, contamination, title, complete: false }
    };
    (0..sets).flat_map(|data| (0..kinds).map(move |contamination| named(data, contamination))).collect()
}

/// The mean of an NMI divided by the larger entropy.
fn larger(plan: &Plan, found: &Results, place: (usize, &Column), measure: Measure) -> Option<f64> {
    let values = of_variant(plan, found, place, Measure::NmiMax);
    let values: Vec<f64> = values.into_iter().map(|(_, value)| value).collect();
    (measure == Measure::Nmi && !values.is_empty()).then(|| mean(&values))
}

/// The parameters with the highest mean, by their place in the plan, and the values of the seeds there.
fn best_variant(
    plan: &Plan,
    found: &Results,
    (method, column): (usize, &Column),
    measure: Measure,
) -> Option<(usize, Vec<(u64, f64)>)> {
    let variants = plan.variants.iter().enumerate().filter(|(_, variant)| variant.method == method);
    let tried = variants.filter_map(|(at, _)| {
        let values = of_variant(plan, found, (at, column), measure);
        (!values.is_empty()).then_some((at, values))
    });
    let mean =
        |values: &[(u64, f64)]| values.iter().map(|(_, value)| value).sum::<f64>() / values.len() as f64;
    tried.max_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)))
}

/// Seeds and values of a method with chosen parameters.
pub(crate) fn of_variant(
    plan: &Plan,
    found: &Results,
    (variant, column): (usize, &Column),
    measure: Measure,
) -> Vec<(u64, f64)> {
    let wanted = (column.data, column.contamination, variant);
    let here = plan.cases.iter().filter(|case| (case.data, case.contamination, case.variant) == wanted);
    here.filter_map(|case| Some((case.seed, measure.of(found.get(&plan.key(case))?)?))).collect()
}
