//! Small data sets of four kinds to start with, made rather than collected, so that the truth is known: images, texts, counts of
//! single cells, and spectra.

mod cells;
mod shapes;
mod spectra;
mod texts;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

pub use cells::cells;
pub use shapes::shapes;
pub use spectra::spectra;
pub use texts::{Texts, texts};

use super::{ImageShape, Labelled};
use crate::error::{Error, Result};
use crate::matrix::Mat;

/// How much is made: `Amount { seed: 7, ..Amount::default() }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// Number of normal samples of all classes together, at least one of each. If it cannot be divided by the classes,
    /// their sizes differ by one.
    pub samples: usize,
    /// Number of outliers.
    pub outliers: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for Amount {
    fn default() -> Self {
        Self { samples: 300, outliers: 15, seed: 0 }
    }
}

impl Amount {
    /// The class of a normal sample; samples come class after class.
    fn class(&self, at: usize, classes: usize) -> usize {
        at * classes / self.samples
    }

    fn random(&self) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(self.seed)
    }

    /// The class of every sample, outliers last with the number of classes, and which are outliers.
    fn truth(&self, classes: usize) -> Result<(Vec<usize>, Vec<bool>)> {
        if self.samples < classes {
            let must = format!("at least the number of classes, {classes}");
            return Err(Error::param("samples", self.samples, must));
        }
        let normal = (0..self.samples).map(|at| self.class(at, classes));
        let labels = normal.chain(std::iter::repeat_n(classes, self.outliers)).collect();
        Ok((labels, (0..self.samples + self.outliers).map(|at| at >= self.samples).collect()))
    }
}

/// Samples with names for what they are made of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Example {
    /// The samples and the truth.
    pub data: Labelled<f64>,
    /// The names of the classes.
    pub classes: Vec<&'static str>,
    /// The names of the features, unless these are pixels.
    pub features: Option<Vec<String>>,
    /// The shape of the samples that are images.
    pub image: Option<ImageShape>,
}

impl Example {
    /// `row` gives a sample by its class, or an outlier by its number.
    fn new(
        amount: &Amount,
        classes: &[&'static str],
        mut row: impl FnMut(Kind, &mut Xoshiro256PlusPlus) -> Vec<f64>,
    ) -> Result<Self> {
        let (labels, outlier) = amount.truth(classes.len())?;
        let mut random = amount.random();
        let mut entries = Vec::new();
        for (at, &class) in labels.iter().enumerate() {
            let kind = if outlier[at] { Kind::Outlier(at - amount.samples) } else { Kind::Class(class) };
            entries.extend(row(kind, &mut random));
        }
        let (n, d) = (labels.len(), entries.len() / labels.len());
        let data = Labelled { x: Mat::from_vec(entries, n, d)?, labels, outlier };
        Ok(Self { data, classes: classes.to_vec(), features: None, image: None })
    }
}

/// What a sample is to be.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Class(usize),
    /// The first, second, … outlier.
    Outlier(usize),
}
