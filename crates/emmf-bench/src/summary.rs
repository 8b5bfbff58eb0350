//! From runs to the cells of tables: mean, deviation, the best values of a grid, and what is told apart from the best.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::plan::Plan;
use crate::published;
use crate::run::Result as Found;

/// Sign flips of the paired test.
const FLIPS: usize = 10_000;
/// A difference that chance would make more seldom than this counts.
const LEVEL: f64 = 0.05;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Accuracy.
    Acc,
    /// Normalized mutual information.
    Nmi,
}

impl Measure {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Acc, Self::Nmi];

    /// As in the paper.
    pub fn name(self) -> &'static str {
        match self {
            Self::Acc => "ACC",
            Self::Nmi => "NMI",
        }
    }

    fn of(self, found: &Found) -> f64 {
        match self {
            Self::Acc => found.acc,
            Self::Nmi => found.nmi,
        }
    }
}

/// A method on a data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The values of the seeds, in order, at the best parameters.
    pub values: Vec<f64>,
    /// Which parameters these are, where some were tried.
    pub params: String,
    /// The paper's value.
    pub published: Option<f64>,
    /// It has the highest mean of its column.
    pub best: bool,
    /// It cannot be told apart from the best (paired over the seeds, at the level of 5 %).
    pub tied: bool,
}

impl Cell {
    /// Mean over the seeds.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// Standard deviation over the seeds; 0 for one.
    pub fn deviation(&self) -> f64 {
        let (mean, n) = (self.mean(), self.values.len());
        let squares: f64 = self.values.iter().map(|x| (x - mean).powi(2)).sum();
        if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 }
    }
}

/// One measure of an experiment: methods as rows, data sets (with what was done to them) as columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// What is measured.
    pub measure: Measure,
    /// Columns.
    pub columns: Vec<String>,
    /// Methods with their cells; `None` where no run ended.
    pub rows: Vec<(String, Vec<Option<Cell>>)>,
}

impl Summary {
    /// Of all runs that ended.
    pub fn new(plan: &Plan, found: &HashMap<[String; 5], Found>, measure: Measure) -> Self {
        let published = plan.experiment.published.as_deref().map(published::table).unwrap_or_default();
        let places: Vec<(usize, usize)> = (0..plan.experiment.data.len())
            .flat_map(|data| (0..plan.contaminations.len()).map(move |contamination| (data, contamination)))
            .collect();
        let (several_sets, several_kinds) = (plan.experiment.data.len() > 1, plan.contaminations.len() > 1);
        let columns: Vec<String> = places
            .iter()
            .map(|&(data, contamination)| {
                let set = crate::sets::title(&plan.experiment.data[data]);
                let kind = plan.contaminations[contamination].label();
                match (several_sets, several_kinds) {
                    (true, true) => format!("{set}, {kind}"),
                    (false, true) => kind,
                    _ => set,
                }
            })
            .collect();
        let mut rows = Vec::new();
        for (method, competitor) in plan.experiment.method.iter().enumerate() {
            let name = competitor.published.as_ref().unwrap_or(&competitor.label);
            let cells = places.iter().zip(&columns).map(|(&place, column)| {
                let (values, params) = best_variant(plan, found, (method, place), measure)?;
                let key = (measure.name().to_owned(), name.clone(), column.replace('×', "x"));
                Some(Cell {
                    values,
                    params,
                    published: published.get(&key).copied(),
                    best: false,
                    tied: false,
                })
            });
            rows.push((competitor.label.clone(), cells.collect()));
        }
        let mut summary = Self { measure, columns, rows };
        (0..summary.columns.len()).for_each(|column| summary.judge(column));
        summary
    }

    /// Marks the best of a column, and those that cannot be told apart from it.
    fn judge(&mut self, column: usize) {
        let cells = || self.rows.iter().filter_map(|(_, cells)| cells[column].as_ref());
        let Some(best) = cells().max_by(|a, b| a.mean().total_cmp(&b.mean())).cloned() else { return };
        for cell in self.rows.iter_mut().filter_map(|(_, cells)| cells[column].as_mut()) {
            cell.best = cell.mean() == best.mean();
            cell.tied = cell.best || paired_p(&best.values, &cell.values) >= LEVEL;
        }
    }
}

/// The values of the seeds at the parameters with the highest mean.
fn best_variant(
    plan: &Plan,
    found: &HashMap<[String; 5], Found>,
    (method, (data, contamination)): (usize, (usize, usize)),
    measure: Measure,
) -> Option<(Vec<f64>, String)> {
    let variants = plan.variants.iter().enumerate().filter(|(_, variant)| variant.method == method);
    let means = variants.filter_map(|(at, variant)| {
        let here = plan
            .cases
            .iter()
            .filter(|case| (case.data, case.contamination, case.variant) == (data, contamination, at));
        let values: Vec<f64> =
            here.filter_map(|case| Some(measure.of(found.get(&plan.key(case))?))).collect();
        (!values.is_empty()).then(|| (values, variant.label()))
    });
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    means.max_by(|a, b| mean(&a.0).total_cmp(&mean(&b.0)))
}

/// How often random signs make the mean of the paired differences as large as it is. Seeds that one of them lacks do not
/// count.
fn paired_p(a: &[f64], b: &[f64]) -> f64 {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let seen = differences.iter().sum::<f64>().abs() * (1.0 - 1e-12);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut flipped =
        || differences.iter().map(|x| if random.random::<bool>() { *x } else { -x }).sum::<f64>().abs();
    let as_large = (0..FLIPS).filter(|_| flipped() >= seen).count();
    (as_large + 1) as f64 / (FLIPS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::paired_p;

    #[test]
    fn a_steady_difference_counts_and_noise_does_not() {
        let a: Vec<f64> = (0..20).map(|i| 0.5 + 0.01 * f64::from(i % 5)).collect();
        let less: Vec<f64> = a.iter().map(|x| x - 0.01).collect();
        let around: Vec<f64> =
            a.iter().zip(0..).map(|(x, i)| x + if i % 2 == 0 { 0.01 } else { -0.01 }).collect();
        assert!(paired_p(&a, &less) < 0.001);
        assert!(paired_p(&a, &around) > 0.5);
        assert!(paired_p(&a, &a) > 0.99);
    }
}
