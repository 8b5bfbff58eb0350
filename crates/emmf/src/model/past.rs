//! What a model that keeps learning remembers of the samples that it has seen: [`Past`].

use serde::{Deserialize, Serialize};

use super::Model;
use crate::error::{Error, Result};
use crate::loss::LossSpec;
use crate::matrix::Mat;
use crate::real::Real;

/// All samples seen so far, in sums that do not grow. A sample counts ρ = 2^(−age/half-life), where its age is the number of samples
/// learned after it; without a half-life all count the same. Those set aside as outliers do not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Past {
    /// Σ ρ·q·vᵀv, c×c; q and v are those that the sample had when it was seen.
    #[serde(skip, default = "nothing")]
    pub a: Mat<f64>,
    /// Σ ρ·q·x·vᵀ, d×c.
    #[serde(skip, default = "nothing")]
    pub b: Mat<f64>,
    /// Σ ρ.
    pub samples: f64,
    /// Σ ρ·r, in which no residual counts more than a few typical ones: R of the entropy loss, which junk must not inflate.
    pub residuals: f64,
    /// Number of samples seen, including those set aside.
    pub seen: u64,
    /// Number of samples after which an older one counts half; without it none is forgotten.
    pub half_life: Option<f64>,
    /// Share of the samples of the last batch that the model takes for outliers.
    pub drift: f64,
    /// The loss, with its scale.
    pub loss: LossSpec,
}

fn nothing() -> Mat<f64> {
    Mat::zeros(0, 0)
}

impl Past {
    /// Nothing seen yet.
    pub(crate) fn new((d, c): (usize, usize), half_life: Option<f64>, loss: LossSpec) -> Self {
        let (a, b) = (Mat::zeros(c, c), Mat::zeros(d, c));
        Self { a, b, samples: 0.0, residuals: 0.0, seen: 0, half_life, drift: 0.0, loss }
    }

    /// What the past counts after so many more samples.
    pub(crate) fn decay(&self, samples: f64) -> f64 {
        self.half_life.map_or(1.0, |half_life| (-samples / half_life).exp2())
    }

    fn check(&self, (d, c): (usize, usize)) -> Result<()> {
        for (what, got, want) in
            [("A of the past", self.a.shape(), (c, c)), ("B of the past", self.b.shape(), (d, c))]
        {
            if got != want {
                return Err(Error::Shape { what, got, want });
            }
        }
        check_half_life(self.half_life)?;
        let sums = self.a.as_slice().iter().chain(self.b.as_slice());
        if sums.chain([&self.samples, &self.residuals, &self.drift]).any(|x| !(*x >= 0.0 && x.is_finite())) {
            return Err(Error::param("the past", "partly negative or not finite", "finite and nonnegative"));
        }
        Ok(())
    }
}

/// A half-life is a positive number of samples.
pub(crate) fn check_half_life(half_life: Option<f64>) -> Result<()> {
    match half_life {
        Some(samples) if !(samples > 0.0 && samples.is_finite()) => Err(Error::param(
            "half_life",
            samples,
            "a positive number of samples, or left out to forget none",
        )),
        _ => Ok(()),
    }
}

impl<T: Real> Model<T> {
    /// The same model, but it keeps learning from there.
    pub fn with_past(self, past: Past) -> Result<Self> {
        past.check(self.u.shape())?;
        Ok(Self { past: Some(past), ..self })
    }

    /// What it remembers of the samples that it has seen, if it keeps learning.
    pub fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }
}
