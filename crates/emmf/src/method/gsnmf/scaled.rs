//! X scaled to equal sums: Z = diag(a)·X·diag(b), every sample with the sum d and every feature with the sum n
//! (Sinkhorn and Knopp 1967). Only with it can the lengths of samples and features be compared.
//!
//! Z is never made: a product with it is one with X. Samples and features without entries have the factor 0
//! and so drop out; samples count as often as their weight says.

use std::marker::PhantomData;

use crate::data::Data;
use crate::matrix::Mat;
use crate::real::Real;

/// Maximum number of sweeps.
const SWEEPS: usize = 100;
/// Relative deviation of the sums at which sweeping ends. Separability does not depend on it.
const EVEN: f64 = 1e-4;
/// Share of the deviation that a sweep may leave, at most: if X has too many zeros, no scaling
/// reaches equal sums, and the factors would grow without end.
const PROGRESS: f64 = 0.95;

/// Z, n×d.
pub(super) struct Scaled<'a, T, X> {
    x: &'a X,
    /// a.
    samples: Vec<f64>,
    /// b.
    features: Vec<f64>,
    /// How often each sample counts.
    pub(super) weights: &'a [f64],
    number: PhantomData<T>,
}

impl<'a, T: Real, X: Data<T>> Scaled<'a, T, X> {
    pub(super) fn new(x: &'a X, weights: &'a [f64]) -> Self {
        let (n, d) = x.shape();
        let mut scaled =
            Self { x, samples: vec![1.0; n], features: vec![1.0; d], weights, number: PhantomData };
        let count = weights.iter().sum::<f64>();
        let factor = |target: f64, sum: f64| if sum > 0.0 { target / sum } else { 0.0 };
        let mut last = f64::INFINITY;
        for sweep in 0..SWEEPS {
            let sums = scaled.times(&vec![1.0; d]);
            let uneven = sums.iter().map(|sum| if *sum > 0.0 { (sum / d as f64 - 1.0).abs() } else { 0.0 });
            let uneven = uneven.fold(0.0, f64::max);
            if uneven < EVEN || (sweep > 1 && uneven > PROGRESS * last) {
                break;
            }
            last = uneven;
            scaled.samples.iter_mut().zip(&sums).for_each(|(a, sum)| *a *= factor(d as f64, *sum));
            let sums = scaled.t_times(&vec![1.0; n]);
            scaled.features.iter_mut().zip(&sums).for_each(|(b, sum)| *b *= factor(count, *sum));
        }
        scaled
    }

    /// Samples and features.
    pub(super) fn shape(&self) -> (usize, usize) {
        self.x.shape()
    }

    /// Z·y.
    pub(super) fn times(&self, y: &[f64]) -> Vec<f64> {
        let y = Mat::from_fn(y.len(), 1, |j, _| T::from_f64(self.features[j] * y[j]));
        let product = self.x.dot(&y);
        product.as_slice().iter().zip(&self.samples).map(|(z, a)| a * z.to_f64()).collect()
    }

    /// Zᵀ·diag(s)·w, s the weights of the samples.
    pub(super) fn t_times(&self, w: &[f64]) -> Vec<f64> {
        let (n, d) = self.shape();
        let counted = |i: usize| T::from_f64(self.weights[i] * self.samples[i] * w[i]);
        let (w, mut out) = (Mat::from_fn(n, 1, |i, _| counted(i)), Mat::zeros(d, 1));
        self.x.t_dot(&vec![T::ONE; n], &w, &mut out);
        out.as_slice().iter().zip(&self.features).map(|(z, b)| b * z.to_f64()).collect()
    }

    /// zᵢ.
    pub(super) fn sample(&self, i: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.features.len()];
        let scale = |j: usize| self.samples[i] * self.features[j];
        self.x.for_each_of_sample(i, |j, x| row[j] = scale(j) * x.to_f64());
        row
    }

    /// Column j of Z.
    pub(super) fn feature(&self, j: usize) -> Vec<f64> {
        let mut column = vec![0.0; self.samples.len()];
        let scale = |i: usize| self.samples[i] * self.features[j];
        self.x.for_each_of_feature(j, |i, x| column[i] = scale(i) * x.to_f64());
        column
    }

    /// Squared lengths of all samples and of all features.
    pub(super) fn norms_sq(&self) -> (Vec<f64>, Vec<f64>) {
        let mut features = vec![0.0; self.features.len()];
        let samples = (0..self.samples.len()).map(|i| {
            let mut sum = 0.0;
            self.x.for_each_of_sample(i, |j, x| {
                let z = self.samples[i] * self.features[j] * x.to_f64();
                features[j] += self.weights[i] * z * z;
                sum += z * z;
            });
            sum
        });
        (samples.collect(), features)
    }
}
