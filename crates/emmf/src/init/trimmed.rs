//! Trimmed k-means (Cuesta-Albertos, Gordaliza and Matrán 1997): in every iteration the worst third of
//! the samples by distance has no say in the centroids, and the same share is left out of the draw of
//! the seeds, so that no more than a third of outliers cannot take a centroid by being far away.

use super::Random;
use super::kmeans::{Kmeans, lloyd, seed};
use crate::cancel::Cancel;
use crate::data::Data;
use crate::error::Result;
use crate::preprocess::median;
use crate::real::Real;

/// Share of the samples that is left out.
const TRIM: f64 = 1.0 / 3.0;
/// Norms that differ by less than this share are equal, as those of unit samples are.
const ROUNDING: f64 = 1e-6;

/// Trimmed k-means of X into `k` clusters, sample i counting `weights[i]` times. All samples get a
/// label, also those that are left out of the centroids.
pub fn trimmed_kmeans<T: Real, X: Data<T>>(
    x: &X,
    k: usize,
    weights: &[f64],
    rng: &mut Random,
    cancel: &Cancel,
) -> Result<Kmeans<T>> {
    let n = x.shape().0;
    // Samples of unusual length are set aside at once: among the rest no seed can be a huge one.
    let norms: Vec<f64> = x.norms_sq().iter().map(|norm| norm.sqrt()).collect();
    let middle = median(&mut norms.clone());
    let deviation = |norm: &f64| (norm - middle).abs();
    let strange: Vec<f64> =
        norms.iter().map(deviation).map(|by| if by > ROUNDING * middle { by } else { 0.0 }).collect();
    let usual = keep(&strange, weights, n);
    let centroids = seed(x, k, &usual, (rng, cancel), |chances| {
        // Those set aside already are the first of the third, not in addition to it.
        let set_aside = |(&chance, &usual): (&f64, &f64)| if usual > 0.0 { chance } else { f64::INFINITY };
        let badness: Vec<f64> = chances.iter().zip(&usual).map(set_aside).collect();
        let kept = keep(&badness, &usual, n);
        chances.iter_mut().zip(kept).for_each(|(chance, kept)| *chance *= f64::from(u8::from(kept > 0.0)));
    })?;
    lloyd(x, centroids, cancel, |distances| keep(distances, weights, n))
}

/// The weights, with those of the samples that are worst by `badness` set to zero. Equally bad ones
/// stay or go together; of all equally bad, all stay.
fn keep(badness: &[f64], weights: &[f64], n: usize) -> Vec<f64> {
    let kept = n - (TRIM * n as f64) as usize;
    let mut sorted = badness.to_vec();
    let limit = *sorted.select_nth_unstable_by(kept.max(1) - 1, f64::total_cmp).1;
    weights.iter().zip(badness).map(|(&w, &b)| if b <= limit { w } else { 0.0 }).collect()
}
