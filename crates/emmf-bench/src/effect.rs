//! The outlier effect φ: the share of one sample in the objective while one of its entries grows.

use emmf::metrics::outlier_effect;
use emmf::synth::uniform;
use emmf::{Fit, Mat, Spec};
use emmf_report::{Axis, Block, Chart, Look, Mark, Plate, Plot, Point, Series, Sheet};
use serde::Deserialize;

use crate::Error;
use crate::claim::{Claim, Verdict};
use crate::limits;
use crate::shown::{Shown, csv};

/// The share of an outlier in the objective.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// Random matrices.
    pub matrix: Vec<Square>,
    /// What is added to the first entry of the first sample.
    pub sigma: Vec<f64>,
    /// Where the random numbers start.
    #[serde(default)]
    pub seed: u64,
}

/// A square matrix with entries uniform in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Square {
    /// Samples and features.
    pub size: usize,
    /// Centroids.
    pub k: usize,
}

type Share = fn(&[f64]) -> emmf::Result<Vec<f64>>;

/// Name, method, φ.
const METHODS: [(&str, &str, Share); 3] = [
    ("NMF", "nmf", outlier_effect::nmf),
    ("l2,1-NMF", "l21-nmf", outlier_effect::l21),
    ("EMMF", "emmf", outlier_effect::emmf),
];

/// φ of the first sample by σ, for each method.
type Curves = Vec<Vec<f64>>;

impl Effect {
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.matrix.iter().any(|square| square.k == 0 || square.k > square.size) {
            return Err("matrix: k must be at least 1 and at most the size".into());
        }
        for square in &self.matrix {
            limits::check_square(square.size).map_err(|error| error.to_string())?;
        }
        if self.sigma.is_empty() || self.sigma.iter().any(|sigma| !(*sigma > 0.0 && sigma.is_finite())) {
            return Err("sigma: give at least one value, all of them positive".into());
        }
        Ok(())
    }

    pub(crate) fn show(&self, name: &str) -> Result<Shown, Error> {
        let (mut charts, mut claims, mut rows) = (Vec::new(), Vec::new(), vec![head()]);
        for square in &self.matrix {
            let (kept, again) = self.curves(*square).map_err(|error| Error::Run {
                run: format!("{}×{}", square.size, square.size),
                why: error.to_string(),
            })?;
            for (what, curves) in [("factors of the clean matrix", &kept), ("fitted anew at every σ", &again)]
            {
                charts.push(self.chart(&format!("{0}×{0}, {what}", square.size), curves));
                rows.extend(self.rows(*square, what, curves));
            }
            claims.extend(self.claims(*square, &kept, &again));
        }
        let sheet = Sheet { columns: 2, panel: (450, 300), charts };
        let caption = "The share φ of the first sample in the objective, while σ is added to its first entry. Left: U and V are those of the matrix without σ. Right: every method fits the changed matrix.";
        let plate = Plate { name: name.into(), caption: caption.into(), plot: Plot::Sheet(sheet) };
        Ok(Shown {
            blocks: vec![Block::Figure(plate)],
            claims,
            files: vec![("effect.csv".into(), csv(&rows)?)],
            ..Shown::default()
        })
    }

    /// With the factors of the clean matrix, and with those of the changed one.
    fn curves(&self, square: Square) -> emmf::Result<(Curves, Curves)> {
        let x = uniform::<f64>(square.size, square.size, self.seed);
        let (mut kept, mut again) = (Vec::new(), Vec::new());
        for (_, method, share) in METHODS {
            let spec = Spec::new(method, square.k).as_published().seed(self.seed);
            let fit = spec.fit(&x)?;
            let first = |residuals: &[f64]| share(residuals).map(|shares| shares[0]);
            let mut curve = (Vec::new(), Vec::new());
            for &sigma in &self.sigma {
                let mut changed = x.clone();
                changed[(0, 0)] += sigma;
                curve.0.push(first(&residuals(&changed, &fit))?);
                curve.1.push(first(&spec.fit(&changed)?.residuals)?);
            }
            kept.push(curve.0);
            again.push(curve.1);
        }
        Ok((kept, again))
    }

    fn chart(&self, title: &str, curves: &Curves) -> Chart {
        let series = METHODS.iter().zip(curves).enumerate().map(|(at, ((name, ..), curve))| Series {
            name: (*name).into(),
            points: self.sigma.iter().zip(curve).map(|(&sigma, &share)| Point::new(sigma, share)).collect(),
            mark: Mark::Line,
            look: if at == 2 { Look::main() } else { Look::nth(at + 1) },
        });
        Chart {
            title: title.into(),
            x: Axis::log("σ, added to an entry in [0, 1]"),
            y: Axis::new("φ, share of the objective").reaching([0.0, 1.0]),
            series: series.collect(),
        }
    }

    fn claims(&self, square: Square, kept: &Curves, again: &Curves) -> Vec<Claim> {
        let size = square.size;
        let last = |curve: &Vec<f64>| curve.last().copied().unwrap_or(0.0);
        let sigma = self.sigma.last().copied().unwrap_or(0.0);
        let top = kept[2].iter().copied().fold(0.0, f64::max);
        let falls = last(&kept[2]) < 0.9 * top;
        let at = kept[2].iter().position(|share| *share == top).map_or(0.0, |at| self.sigma[at]);
        let near_one =
            [&kept[0], &kept[1], &again[0], &again[1]].into_iter().filter(|curve| last(curve) > 0.9).count();
        vec![
            Claim::new(
                Verdict::of(near_one, 4),
                format!("φ of NMF and of l2,1-NMF reaches 1 when σ is very large ({size}×{size})."),
                format!(
                    "At σ = {sigma} it is {:.3} and {:.3} with the factors of the clean matrix, but {:.3} and {:.3} when the methods fit the changed matrix: a centroid goes to the outlier, which then has no residual.",
                    last(&kept[0]),
                    last(&kept[1]),
                    last(&again[0]),
                    last(&again[1])
                ),
            ),
            Claim::new(
                Verdict::of(usize::from(falls), 1),
                format!("φ of EMMF decreases when σ exceeds a certain value ({size}×{size})."),
                format!(
                    "It is largest, {top:.3}, at σ = {at}, and {:.3} at σ = {sigma} (fitted anew: {:.3}).",
                    last(&kept[2]),
                    last(&again[2])
                ),
            ),
        ]
    }

    fn rows(&self, square: Square, what: &str, curves: &Curves) -> Vec<Vec<String>> {
        let row = |at: usize| {
            let start = [square.size.to_string(), what.into(), self.sigma[at].to_string()];
            start.into_iter().chain(curves.iter().map(|curve| curve[at].to_string())).collect()
        };
        (0..self.sigma.len()).map(row).collect()
    }
}

fn head() -> Vec<String> {
    ["size", "factors", "sigma", "NMF", "l2,1-NMF", "EMMF"].map(Into::into).into()
}

/// ‖xᵢ − U·vᵢ‖ with the factors of a fit.
fn residuals(x: &Mat<f64>, fit: &Fit<f64>) -> Vec<f64> {
    let u = fit.model.centroids();
    let error = |i: usize, j: usize| {
        let made: f64 = (0..u.cols()).map(|k| fit.v[(i, k)] * u[(j, k)]).sum();
        (x[(i, j)] - made).powi(2)
    };
    (0..x.rows()).map(|i| (0..x.cols()).map(|j| error(i, j)).sum::<f64>().sqrt()).collect()
}
