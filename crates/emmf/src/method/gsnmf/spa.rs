//! GS-SPA: successive projection for samples and features together (Pan and Gillis).
//!
//! R = Z; c times: the longest sample or the longest feature of R, whichever is longer for its number of
//! entries, is chosen, and R loses its direction: R ← R − R·u·uᵀ for a sample, R ← R − v·vᵀ·R for a feature.
//! R is never made: it is (I − V·Vᵀ)·Z·(I − U·Uᵀ) with the directions so far, and the lengths are brought up
//! to date. Cost: a few products of Z with a vector for each choice, and O((n + d)·c²).

use super::scaled::Scaled;
use crate::data::Data;
use crate::real::Real;

/// The length of what cannot be chosen.
const TAKEN: f64 = f64::NEG_INFINITY;

/// Samples and features, each in the order of choice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Choice {
    pub(super) samples: Vec<usize>,
    pub(super) features: Vec<usize>,
}

/// A sample or a feature.
#[derive(Clone, Copy)]
enum Place {
    Sample(usize),
    Feature(usize),
}

impl Choice {
    fn add(&mut self, place: Place) {
        match place {
            Place::Sample(i) => self.samples.push(i),
            Place::Feature(j) => self.features.push(j),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.samples.len() + self.features.len()
    }

    /// Fills up with the longest samples, where no structure is left that could tell; those that count come
    /// first. There are at least `c` samples.
    fn fill(&mut self, c: usize, lengths: &[f64], weights: &[f64]) {
        let missing = c - self.len();
        let mut free: Vec<usize> = (0..lengths.len()).filter(|i| !self.samples.contains(i)).collect();
        free.sort_by(|&i, &j| {
            let counts = (weights[j] > 0.0).cmp(&(weights[i] > 0.0));
            counts.then(lengths[j].total_cmp(&lengths[i]))
        });
        self.samples.extend(free.into_iter().take(missing));
    }
}

/// R.
struct Deflated<'a, T, X> {
    z: &'a Scaled<'a, T, X>,
    /// Chosen directions of samples (orthonormal, length d) and of features (length n, orthonormal where
    /// samples count as often as their weight).
    u: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
    /// vᵀ·R when v was chosen.
    shares: Vec<Vec<f64>>,
    /// Squared lengths of the samples and features of R.
    samples: Vec<f64>,
    features: Vec<f64>,
}

/// The largest length times importance, the first of those that are equal but for rounding.
fn largest(lengths: &[f64], importance: &[f64], equal: f64) -> (usize, f64) {
    let score = |i: usize| lengths[i].max(0.0) * importance[i];
    let longer = |i: usize, best: (usize, f64)| score(i) > best.1 * (1.0 + equal);
    (1..lengths.len()).fold((0, score(0)), |best, i| if longer(i, best) { (i, score(i)) } else { best })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `out` −= `factor`·`by`.
fn subtract(out: &mut [f64], factor: f64, by: &[f64]) {
    out.iter_mut().zip(by).for_each(|(out, by)| *out -= factor * by);
}

fn unit(mut a: Vec<f64>, norm_sq: f64) -> Vec<f64> {
    let scale = 1.0 / norm_sq.sqrt();
    a.iter_mut().for_each(|a| *a *= scale);
    a
}

impl<T: Real, X: Data<T>> Deflated<'_, T, X> {
    /// a·diag(s)·b, s the weights of the samples.
    fn counted(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).zip(self.z.weights).map(|((a, b), s)| s * a * b).sum()
    }

    /// y ← (I − U·Uᵀ)·y.
    fn without_u(&self, y: &mut [f64]) {
        for u in &self.u {
            let share = dot(u, y);
            subtract(y, share, u);
        }
    }

    /// w ← (I − V·Vᵀ)·w.
    fn without_v(&self, w: &mut [f64]) {
        for v in &self.v {
            let share = self.counted(v, w);
            subtract(w, share, v);
        }
    }

    /// R·y.
    fn times(&self, mut y: Vec<f64>) -> Vec<f64> {
        self.without_u(&mut y);
        let mut out = self.z.times(&y);
        self.without_v(&mut out);
        out
    }

    /// Rᵀ·w.
    fn t_times(&self, mut w: Vec<f64>) -> Vec<f64> {
        self.without_v(&mut w);
        let mut out = self.z.t_times(&w);
        self.without_u(&mut out);
        out
    }

    /// Sample i of R.
    fn sample(&self, i: usize) -> Vec<f64> {
        let mut row = self.z.sample(i);
        self.v.iter().zip(&self.shares).for_each(|(v, share)| subtract(&mut row, v[i], share));
        self.without_u(&mut row);
        row
    }

    /// Feature j of R.
    fn feature(&self, j: usize) -> Vec<f64> {
        let mut y = vec![0.0; self.features.len()];
        y[j] = 1.0;
        self.times(y)
    }

    /// Measures what is thought to have this squared length. Where it has, it is taken and R loses its
    /// direction; else its length is corrected.
    fn take(&mut self, place: Place, length: f64) -> bool {
        match place {
            Place::Sample(i) => {
                let row = self.sample(i);
                let exact = dot(&row, &row);
                let is_right = exact >= 0.9 * length;
                if is_right {
                    self.drop_sample(unit(row, exact));
                }
                self.samples[i] = if is_right { TAKEN } else { exact };
                is_right
            }
            Place::Feature(j) => {
                let column = self.feature(j);
                let exact = self.counted(&column, &column);
                let is_right = exact >= 0.9 * length;
                if is_right {
                    self.drop_feature(unit(column, exact));
                }
                self.features[j] = if is_right { TAKEN } else { exact };
                is_right
            }
        }
    }

    /// R ← R − R·u·uᵀ, u the direction of a sample.
    fn drop_sample(&mut self, u: Vec<f64>) {
        let w = self.times(u.clone());
        let (both, norm_sq) = (self.t_times(w.clone()), self.counted(&w, &w));
        self.samples.iter_mut().zip(&w).for_each(|(length, w)| *length -= w * w);
        for ((length, u), both) in self.features.iter_mut().zip(&u).zip(both) {
            *length -= 2.0 * u * both - u * u * norm_sq;
        }
        self.u.push(u);
    }

    /// R ← R − v·vᵀ·R, v the direction of a feature.
    fn drop_feature(&mut self, v: Vec<f64>) {
        let w = self.t_times(v.clone());
        let (both, norm_sq) = (self.times(w.clone()), dot(&w, &w));
        self.features.iter_mut().zip(&w).for_each(|(length, w)| *length -= w * w);
        for ((length, v), both) in self.samples.iter_mut().zip(&v).zip(both) {
            *length -= 2.0 * v * both - v * v * norm_sq;
        }
        self.v.push(v);
        self.shares.push(w);
    }
}

/// How much samples and features are worth, which multiplies their squared lengths.
pub(super) struct Importance {
    pub(super) samples: Vec<f64>,
    pub(super) features: Vec<f64>,
}

impl Importance {
    /// The same for all of them.
    pub(super) fn equal((n, d): (usize, usize)) -> Self {
        Self { samples: vec![1.0; n], features: vec![1.0; d] }
    }
}

/// Chooses c samples and features of Z.
pub(super) fn choose<T: Real, X: Data<T>>(z: &Scaled<'_, T, X>, c: usize, importance: &Importance) -> Choice {
    let (n, d) = z.shape();
    let (samples, features) = z.norms_sq();
    let lengths: Vec<f64> =
        samples.iter().zip(z.weights).map(|(norm, s)| if *s > 0.0 { *norm } else { TAKEN }).collect();
    let (per_sample, per_feature) = (1.0 / d as f64, 1.0 / z.weights.iter().sum::<f64>());
    // Lengths that differ by so little are equal, and what is so short is rounding.
    let equal = 1000.0 * T::NOISE.to_f64();
    let noise = (100.0 * T::NOISE.to_f64()).powi(2);
    let nothing = noise * lengths.iter().copied().fold(0.0, f64::max) * per_sample;
    let (u, v, shares) = (Vec::new(), Vec::new(), Vec::new());
    let mut r = Deflated { z, u, v, shares, samples: lengths.clone(), features };
    let mut choice = Choice::default();
    // Bringing lengths up to date cancels, so the one that looks longest is measured before it is chosen.
    for _ in 0..c * (n + d) {
        if choice.len() == c {
            break;
        }
        let (i, sample) = largest(&r.samples, &importance.samples, equal);
        let (j, feature) = largest(&r.features, &importance.features, equal);
        let is_sample = sample * per_sample * (1.0 + equal) >= feature * per_feature;
        let (score, length) = if is_sample { (sample, r.samples[i]) } else { (feature, r.features[j]) };
        if score <= 0.0 || length * (if is_sample { per_sample } else { per_feature }) <= nothing {
            break;
        }
        let place = if is_sample { Place::Sample(i) } else { Place::Feature(j) };
        if r.take(place, length) {
            choice.add(place);
        }
    }
    choice.fill(c, &lengths, z.weights);
    choice
}
