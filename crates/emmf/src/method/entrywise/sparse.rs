//! The Kullback-Leibler divergence of sparse X, at the stored entries only: where x is 0, only y counts, and
//! Σ y is the product of the column sums of U and V. Zeros never enter a numerator.
//!
//! Penalties are those of the dense method. One iteration: U from numerators that the last one left, V sample by sample, then numerators and objective
//! feature by feature. Cost O(nnz·c), four passes over the entries. Memory: U, V and a d×c buffer.

use super::super::update::multiply_power;
use super::super::{Coding, Ending, Method, Outcome, Penalties};
use super::Exponents;
use crate::checkpoint::Archive;
use crate::data::{Data, PARTS, add_scaled, least_parts, vectorized};
use crate::error::Result;
use crate::init::{Factors, Start};
use crate::loss::entry::{Divergence, EntryLoss};
use crate::matrix::Mat;
use crate::opaque::opaque;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// The divergence at the stored entries.
#[derive(Debug)]
pub struct SparseDivergence<'a> {
    /// Exponent of the multiplicative update of each factor.
    pub(crate) exponents: Exponents,
    pub(crate) penalties: Penalties,
    /// sᵢ, how often each sample counts.
    pub(crate) sample_weights: &'a [f64],
}

/// What changes from iteration to iteration.
pub struct SparseState<T> {
    u: Mat<T>,
    v: Mat<T>,
    /// Σᵢ sᵢ·(xᵢⱼ/yᵢⱼ)·vᵢ of each feature.
    num: Mat<T>,
    /// Column sums of U and V.
    of_u: Vec<T>,
    of_v: Vec<T>,
    /// A numerator and a denominator of V for each part.
    scratch: Vec<T>,
    objective: f64,
}

/// A guess at the stored entries of a sample.
const ENTRIES: usize = 16;

/// u·v. In a fixed order whatever the vector instructions.
#[inline(always)]
fn dot<T: Real>(u: &[T], v: &[T]) -> f64 {
    let mut sums = [T::ZERO; 8];
    let ((u, u_rest), (v, v_rest)) = (u.as_chunks::<8>(), v.as_chunks::<8>());
    for (u, v) in u.iter().zip(v) {
        (0..8).for_each(|lane| sums[lane] += u[lane] * v[lane]);
    }
    u_rest.iter().zip(v_rest).zip(&mut sums).for_each(|((&u, &v), sum)| *sum += u * v);
    sums.iter().map(|sum| sum.to_f64()).sum()
}

opaque! { [T] SparseState<T>; }

/// `out` = Σᵢ s(i)·aᵢ, in double precision.
fn column_sums<T: Real>(a: &Mat<T>, s: impl Fn(usize) -> f64, out: &mut [T]) {
    for (k, out) in out.iter_mut().enumerate() {
        *out = T::from_f64((0..a.rows()).map(|i| s(i) * a[(i, k)].to_f64()).sum());
    }
}

impl SparseDivergence<'_> {
    /// V ← V ∘ ((X/Y)U / Σⱼuⱼ)^p.
    fn update_v<T: Real, X: Data<T>>(&self, x: &X, state: &mut SparseState<T>) {
        column_sums(&state.u, |_| 1.0, &mut state.of_u);
        let SparseState { u, v, of_u, scratch, .. } = state;
        let (c, loss) = (u.cols(), Divergence::of::<T>());
        let samples = v.rows().div_ceil(PARTS);
        let least = least_parts(ENTRIES * v.rows() * c);
        let parts = v.as_mut_slice().par_chunks_mut(samples * c).zip(scratch.par_chunks_mut(2 * c));
        each(parts.enumerate().with_min_len(least), |(part, (v, scratch))| {
            let (num, den) = scratch.split_at_mut(c);
            for (i, v) in (part * samples..).zip(v.chunks_exact_mut(c)) {
                num.fill(T::ZERO);
                vectorized!({
                    x.for_each_of_sample(i, |j, value| {
                        let by = value.to_f64() * loss.weight(0.0, dot(u.row(j), v));
                        add_scaled(num, T::from_f64(by), u.row(j));
                    });
                });
                den.copy_from_slice(of_u);
                self.penalties.v.add_to(den, v);
                multiply_power(v, num, den, self.exponents.v);
                if x.norms_sq()[i] == 0.0 {
                    v.fill(T::ZERO);
                }
            }
        });
    }

    /// Numerators of the next U step, and the objective.
    fn measure<T: Real, X: Data<T>>(&self, x: &X, state: &mut SparseState<T>) {
        let s = self.sample_weights;
        column_sums(&state.v, |i| s[i], &mut state.of_v);
        let SparseState { u, v, num, of_u, of_v, .. } = state;
        let ((_, d), c, loss) = (x.shape(), u.cols(), Divergence::of::<T>());
        let features = d.div_ceil(PARTS);
        let mut shares = [0.0; PARTS];
        let parts = num.as_mut_slice().par_chunks_mut(features * c).zip(&mut shares[..]).enumerate();
        each(parts.with_min_len(least_parts(ENTRIES * v.rows() * c)), |(part, (num, share))| {
            for (j, num) in (part * features..).zip(num.chunks_exact_mut(c)) {
                num.fill(T::ZERO);
                vectorized!({
                    x.for_each_of_feature(j, |i, value| {
                        let (value, y) = (value.to_f64(), dot(u.row(j), v.row(i)));
                        *share += s[i] * (loss.share(value, y) - y);
                        add_scaled(num, T::from_f64(s[i] * value * loss.weight(value, y)), v.row(i));
                    });
                });
            }
        });
        let fitted: f64 = of_u.iter().zip(&*of_v).map(|(u, v)| u.to_f64() * v.to_f64()).sum();
        let penalty = self.penalties.value(u, v, s);
        state.objective = shares.iter().sum::<f64>() + fitted + penalty;
    }
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for SparseDivergence<'_> {
    type State = SparseState<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<SparseState<T>> {
        let Factors { u, v } = start.factors(x)?;
        let (d, c) = u.shape();
        let (of_u, of_v) = (vec![T::ZERO; c], vec![T::ZERO; c]);
        let (num, scratch) = (Mat::zeros(d, c), vec![T::ZERO; PARTS * 2 * c]);
        let mut state = SparseState { u, v, num, of_u, of_v, scratch, objective: 0.0 };
        column_sums(&state.u, |_| 1.0, &mut state.of_u);
        self.measure(x, &mut state);
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut SparseState<T>) -> Result<()> {
        let SparseState { u, num, of_v, scratch, .. } = state;
        let c = u.cols();
        let den = &mut scratch[..c];
        for (u, num) in u.as_mut_slice().chunks_exact_mut(c).zip(num.as_slice().chunks_exact(c)) {
            den.copy_from_slice(of_v);
            self.penalties.u.add_to(den, u);
            multiply_power(u, num, den, self.exponents.u);
        }
        self.update_v(x, state);
        self.measure(x, state);
        Ok(())
    }

    fn objective(&self, state: &SparseState<T>) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut SparseState<T>, archive: &mut Archive) {
        let SparseState { u, v, num, of_u, of_v, objective, .. } = state;
        archive.reals("u", u.as_mut_slice());
        archive.reals("v", v.as_mut_slice());
        archive.reals("numerators", num.as_mut_slice());
        archive.reals("sums-of-u", of_u);
        archive.reals("sums-of-v", of_v);
        archive.number("objective", objective);
    }

    fn coefficients<'s>(&self, state: &'s SparseState<T>) -> Option<&'s Mat<T>> {
        Some(&state.v)
    }

    fn finish(&self, x: &X, mut state: SparseState<T>, ending: Ending) -> Result<Outcome<T>> {
        let labels = ending.read(&state.v, &state.u)?;
        let (loss, penalty) = (Divergence::of::<T>().into(), self.penalties.v);
        let coding = Coding::Entries { loss, median_sweeps: 0, penalty };
        let empty = || Mat::zeros(0, 0);
        let (u, v) = (std::mem::replace(&mut state.u, empty()), std::mem::replace(&mut state.v, empty()));
        let mut factors = Factors { u, v };
        let residuals = coding.finish(x, &mut factors, &ending, false)?;
        (state.u, state.v) = (factors.u, factors.v);
        column_sums(&state.u, |_| 1.0, &mut state.of_u);
        self.measure(x, &mut state);
        let SparseState { u, v, objective, .. } = state;
        let (factors, weights) = (Factors { u, v }, self.sample_weights.to_vec());
        Ok(Outcome {
            factors,
            labels,
            residuals,
            weights,
            objective,
            coding,
            extras: Vec::new(),
            layers: None,
        })
    }
}
