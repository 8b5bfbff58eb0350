//! Fewer samples and features for the convex choice, whose memory grows with their squares.
//!
//! Representatives are taken farthest first (Gonzalez 1985): the longest, then again and again the one that is
//! farthest from all taken so far. That keeps the extreme ones, which are those to be chosen, and merges equal
//! ones. Each stands for the ones nearest to it, and counts with the square root of their number.

use super::convex::importance;
use super::scaled::Scaled;
use super::spa::{self, Choice, Importance};
use crate::data::Data;
use crate::matrix::Mat;
use crate::real::Real;

/// Maximum number of representatives of the samples, and of the features.
const MOST: usize = 320;

/// Which ones, and how many each stands for.
struct Representatives {
    chosen: Vec<usize>,
    counts: Vec<f64>,
}

/// Takes representatives of points with these squared lengths and weights; `products(i)` are those of point i
/// with all. Points closer than `noise` times their length are equal.
fn represent(
    norms_sq: &[f64],
    weights: &[f64],
    noise: f64,
    products: impl Fn(usize) -> Vec<f64>,
) -> Representatives {
    let counts = |i: &usize| weights[*i] > 0.0 && norms_sq[*i] > 0.0;
    let points: Vec<usize> = (0..norms_sq.len()).filter(counts).collect();
    let mut distance = norms_sq.to_vec();
    let mut nearest = vec![0; norms_sq.len()];
    let mut chosen = Vec::new();
    while chosen.len() < MOST {
        let farther = |best: Option<usize>, i: usize| match best {
            Some(best) if distance[best] >= distance[i] => Some(best),
            _ => Some(i),
        };
        let Some(next) = points.iter().copied().fold(None, farther) else { break };
        if distance[next] <= noise * norms_sq[next] {
            break;
        }
        let products = products(next);
        for &i in &points {
            let apart = (norms_sq[i] + norms_sq[next] - 2.0 * products[i]).max(0.0);
            if chosen.is_empty() || apart < distance[i] {
                (distance[i], nearest[i]) = (apart, chosen.len());
            }
        }
        distance[next] = 0.0;
        nearest[next] = chosen.len();
        chosen.push(next);
    }
    let mut counts = vec![0.0; chosen.len()];
    // Lengths that overflow leave nobody to be chosen.
    if !counts.is_empty() {
        points.iter().for_each(|&i| counts[nearest[i]] += weights[i]);
    }
    Representatives { chosen, counts }
}

/// Chooses c samples and features of Z by their importance in the convex problem. Near-equal ones share their
/// importance, so the largest are not just taken: successive projection goes by importance times length, and what
/// is explained by those chosen is not chosen again.
pub(super) fn choose<T: Real, X: Data<T>>(z: &Scaled<'_, T, X>, c: usize, lambda: f64) -> Choice {
    let (samples_sq, features_sq) = z.norms_sq();
    let noise = 100.0 * T::NOISE.to_f64();
    let samples = represent(&samples_sq, z.weights, noise, |i| z.times(&z.sample(i)));
    let ones = vec![1.0; features_sq.len()];
    let features = represent(&features_sq, &ones, noise, |j| z.t_times(&z.feature(j)));
    if samples.chosen.is_empty() || features.chosen.is_empty() {
        return spa::choose(z, c, &Importance::equal(z.shape()));
    }
    let mut m = Mat::zeros(samples.chosen.len(), features.chosen.len());
    for (row, (&i, count)) in samples.chosen.iter().zip(&samples.counts).enumerate() {
        let sample = z.sample(i);
        for (column, (&j, other)) in features.chosen.iter().zip(&features.counts).enumerate() {
            m[(row, column)] = sample[j] * (count * other).sqrt();
        }
    }
    let (of_samples, of_features) = importance(&m, lambda);
    let mut all = Importance { samples: vec![0.0; samples_sq.len()], features: vec![0.0; features_sq.len()] };
    samples.chosen.iter().zip(of_samples).for_each(|(&i, value)| all.samples[i] = value);
    features.chosen.iter().zip(of_features).for_each(|(&j, value)| all.features[j] = value);
    spa::choose(z, c, &all)
}
