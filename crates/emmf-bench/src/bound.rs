//! The curve that the paper plots as an upper bound of the outlier effect, and what it really bounds.

use emmf::metrics::{entropy_bound, outlier_effect};
use emmf_report::{Axis, Block, Chart, Look, Mark, Plate, Plot, Point, Series, Sheet, Table};
use serde::Deserialize;

use crate::Error;
use crate::claim::{Claim, Verdict};
use crate::shown::{Shown, csv};

/// The largest share of an outlier by the number of samples.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Numbers of samples.
    pub samples: Vec<usize>,
    /// Shares of the residuals that the outlier has, while one other sample has all the rest.
    pub share: Vec<f64>,
}

impl Bound {
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.samples.is_empty() || self.samples.iter().any(|n| *n < 2) {
            return Err("samples: give at least one number, all of them at least 2".into());
        }
        if self.share.iter().any(|p| !(*p > 0.0 && *p < 1.0)) {
            return Err("share: all must be above 0 and below 1".into());
        }
        Ok(())
    }

    pub(crate) fn show(&self, name: &str) -> Result<Shown, Error> {
        let wrong = |error: emmf::Error| Error::Run { run: name.into(), why: error.to_string() };
        let beyond = self.share.iter().map(|&p| self.concentrated(p)).collect::<emmf::Result<Vec<_>>>();
        let beyond = beyond.map_err(wrong)?;
        let bound: Vec<f64> = self.samples.iter().map(|&n| entropy_bound(n)).collect();
        let plate = Plate {
            name: name.into(),
            caption: "The printed curve: the largest φ of one sample with a share p of the residuals (p in steps of 0.01) while all others share the rest equally. Dashed: the same p, but one other sample has all the rest; φ lies above the \"bound\" and goes to 1 as p goes to 0.".into(),
            plot: Plot::Sheet(self.sheet(&bound, &beyond)),
        };
        let blocks = vec![Block::Figure(plate), Block::Table(self.table(&bound, &beyond))];
        Ok(Shown {
            blocks,
            claims: self.claims(&bound, &beyond),
            files: vec![("bound.csv".into(), self.csv(&bound, &beyond)?)],
            ..Shown::default()
        })
    }

    /// φ by the number of samples where one other sample has all the rest of the residuals. Samples without a residual
    /// have no part in the objective: two tell it for any number of them.
    fn concentrated(&self, p: f64) -> emmf::Result<Vec<f64>> {
        let effect = outlier_effect::emmf(&[p, 1.0 - p])?[0];
        Ok(vec![effect; self.samples.len()])
    }

    fn sheet(&self, bound: &[f64], beyond: &[Vec<f64>]) -> Sheet {
        let points = |values: &[f64]| -> Vec<Point> {
            self.samples.iter().zip(values).map(|(&n, &value)| Point::new(n as f64, value)).collect()
        };
        let printed = Series {
            name: "printed \"upper bound\"".into(),
            points: points(bound),
            mark: Mark::Line,
            look: Look::main(),
        };
        let others = self.share.iter().zip(beyond).enumerate().map(|(at, (p, values))| Series {
            name: format!("rest on one sample, p = {p}"),
            points: points(values),
            mark: Mark::Line,
            look: Look::nth(at + 1),
        });
        Sheet::single(Chart {
            title: String::new(),
            x: Axis::log("n, number of samples"),
            y: Axis::new("φ of EMMF").reaching([0.0, 1.0]),
            series: std::iter::once(printed).chain(others).collect(),
        })
    }

    fn table(&self, bound: &[f64], beyond: &[Vec<f64>]) -> Table {
        let others = self.share.iter().map(|p| format!("rest on one sample, p = {p}"));
        let mut table = Table::new(["n".to_owned(), "printed \"bound\"".into()].into_iter().chain(others));
        for (at, n) in
            self.samples.iter().enumerate().filter(|(_, n)| [3, 10, 50, 100, 1000, 10_000].contains(*n))
        {
            let numbers = std::iter::once(bound[at]).chain(beyond.iter().map(|values| values[at]));
            let cells = numbers.map(|value| format!("{value:.6}").into());
            table.rows.push(std::iter::once(n.to_string().into()).chain(cells).collect());
        }
        table
    }

    fn claims(&self, bound: &[f64], beyond: &[Vec<f64>]) -> Vec<Claim> {
        let falling = bound.windows(2).filter(|pair| pair[1] <= pair[0]).count();
        let largest = beyond.iter().flatten().copied().fold(0.0, f64::max);
        let above = bound
            .iter()
            .enumerate()
            .filter(|(at, value)| beyond.iter().any(|other| other[*at] > **value))
            .count();
        let (first, last) = (bound.first().copied().unwrap_or(0.0), bound.last().copied().unwrap_or(0.0));
        vec![
            Claim::new(
                Verdict::of(self.samples.len() - above, self.samples.len()),
                "The formula is an upper bound of the effect of one outlier.",
                format!(
                    "For {above} of {} numbers of samples there are residuals with a larger effect, up to {largest:.3}. For a given share of the outlier an equal rest makes the entropy of the others largest, not smallest, so the formula is a lower bound; the supremum is 1 for every n ≥ 2.",
                    self.samples.len()
                ),
            ),
            Claim::new(
                Verdict::of(falling, bound.len().saturating_sub(1)),
                "The curve falls with the number of samples.",
                format!(
                    "It falls in {falling} of {} steps, from {first:.4} to {last:.4}. That is the effect among samples which are fitted equally well.",
                    bound.len().saturating_sub(1)
                ),
            ),
        ]
    }

    fn csv(&self, bound: &[f64], beyond: &[Vec<f64>]) -> Result<String, Error> {
        let names = self.share.iter().map(|p| format!("p={p}"));
        let mut rows = vec![["n".to_owned(), "printed".into()].into_iter().chain(names).collect()];
        for (at, n) in self.samples.iter().enumerate() {
            let numbers = std::iter::once(bound[at]).chain(beyond.iter().map(|values| values[at]));
            rows.push(std::iter::once(n.to_string()).chain(numbers.map(|value| value.to_string())).collect());
        }
        csv(&rows)
    }
}
