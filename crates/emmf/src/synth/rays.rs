//! Clusters on rays through the origin, the data that nonnegative factorization describes exactly,
//! with gross outliers among them.

use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Labelled;
use super::outliers::append;
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::real::Real;

/// What [`rays_with_outliers`] makes: `Rays { outliers: 30, seed: 7, ..Rays::default() }`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rays {
    /// Number of rays, at least 1.
    pub classes: usize,
    /// Number of features, at least 1.
    pub features: usize,
    /// Number of normal samples of all classes together, at least one of each. If it cannot be
    /// divided by the classes, their sizes differ by one.
    pub samples: usize,
    /// Number of outliers.
    pub outliers: usize,
    /// Largest noise that is added to an entry; the samples have lengths from ½ to 1½. At least 0.
    pub noise: f64,
    /// Largest entry of an outlier, relative to that of the normal samples. At least 0.
    pub outlier_scale: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for Rays {
    fn default() -> Self {
        Self {
            classes: 3,
            features: 20,
            samples: 150,
            outliers: 10,
            noise: 0.02,
            outlier_scale: 10.0,
            seed: 0,
        }
    }
}

impl Rays {
    fn check(&self) -> Result<()> {
        let at_least_one = |name, count: usize| match count {
            0 => Err(Error::param(name, 0, "at least 1")),
            _ => Ok(()),
        };
        let not_negative = |name, value: f64| {
            if value.is_finite() && value >= 0.0 {
                return Ok(());
            }
            Err(Error::param(name, value, "finite and at least 0"))
        };
        at_least_one("classes", self.classes)?;
        at_least_one("features", self.features)?;
        if self.samples < self.classes {
            let must = format!("at least the number of classes, {}", self.classes);
            return Err(Error::param("samples", self.samples, must));
        }
        not_negative("noise", self.noise)?;
        not_negative("outlier_scale", self.outlier_scale)
    }
}

/// Normal samples, class after class, then the outliers.
///
/// The directions are uniform on the nonnegative part of the unit sphere. A normal sample is its
/// direction times a length uniform in [½, 1½], plus noise uniform in [0, `noise`] in each entry.
/// The entries of an outlier are uniform in [0, `outlier_scale`·σ], σ the largest entry of the
/// normal samples.
pub fn rays_with_outliers<T: Real>(rays: &Rays) -> Result<Labelled<T>> {
    rays.check()?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(rays.seed);
    let directions: Vec<Vec<f64>> =
        (0..rays.classes).map(|_| direction(rays.features, &mut random)).collect();
    let class_of = |i: usize| i * rays.classes / rays.samples;
    let mut entries = Vec::with_capacity(rays.samples * rays.features);
    for i in 0..rays.samples {
        let length = 0.5 + random.random::<f64>();
        let noisy = |along: &f64| T::from_f64(length * along + rays.noise * random.random::<f64>());
        entries.extend(directions[class_of(i)].iter().map(noisy));
    }
    let normal = Mat::from_vec(entries, rays.samples, rays.features)?;
    let x = append(&normal, rays.outliers, rays.outlier_scale, &mut random);
    let outlier: Vec<bool> = (0..x.rows()).map(|i| i >= rays.samples).collect();
    let label = |(i, &outlier): (usize, &bool)| if outlier { rays.classes } else { class_of(i) };
    let labels = outlier.iter().enumerate().map(label).collect();
    Ok(Labelled { x, labels, outlier })
}

/// A Gaussian vector has no preferred direction; the absolute values fold it into the nonnegative part.
fn direction(features: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut entries: Vec<f64> =
        (0..features).map(|_| random.sample::<f64, _>(StandardNormal).abs()).collect();
    let norm = entries.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
    for entry in &mut entries {
        *entry /= norm.max(f64::MIN_POSITIVE);
    }
    entries
}
