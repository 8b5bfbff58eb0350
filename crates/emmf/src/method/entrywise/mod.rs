//! The entry-wise method: multiplicative updates with a weight W for every entry, for any
//! [`EntryLoss`](crate::loss::entry::EntryLoss) and two norms of rows and columns.
//!
//! Objective: Σ sᵢ·share(xᵢⱼ, yᵢⱼ), Y = V·Uᵀ, U, V ≥ 0, sᵢ the user's sample weights, and for a β-divergence
//! penalties (`method::penalty`) on the entries of U and V. One iteration:
//!
//! - W from the residuals;
//! - U ← U ∘ ((W∘X)ᵀV / (W∘Y)ᵀV)^p;
//! - V ← V ∘ ((W∘X)U / (W∘Y)U)^p with the new U and Y and the same W, for a β-divergence with a new one.
//!
//! Penalties add λ₁ + λ₂·(the factor) to the denominator.
//!
//! NaN in X is a missing value, with weight 0. A method of weighted samples on such X runs here too: it minimises
//! Σ sᵢ·ρ(rᵢ) with rᵢ² = (d/oᵢ)·Σ mᵢⱼ² over the oᵢ entries of sample i that are there.
//!
//! Every iteration lowers the objective for exponents in (0, 1], or up to a smaller bound for some β-divergences, which is
//! then what larger ones become. Cost O(ndc): seven products of the size of
//! X·U (four for the divergence, eight where weights need sums over all entries), X is read once. Memory: U, V,
//! three d×c buffers and two for each of at most sixteen parts, vectors of length n, blocks of rows. Takes dense
//! and sparse X; the divergence of sparse X costs O(nnz·c), the other losses what dense X would.

mod blocks;
mod median;
mod recipe;
mod solve;
mod sparse;
mod walk;
mod weighing;

pub use median::median_sweep;
pub use recipe::Recipe;
pub use sparse::SparseDivergence;

pub(crate) use solve::{Solved, Solver};
pub(super) use walk::Grid;

use super::irls::{MakeLoss, epsilon};
use super::side::lengths_of;
use super::update::multiply_power;
use super::{Ending, Method, Outcome, Penalties};
use crate::checkpoint::Archive;
use crate::data::{Data, least_parts, vectorized};
use crate::error::{Error, Result};
use crate::init::{Factors, Start};
use crate::loss::L21;
use crate::loss::entry::AnyEntryLoss;
use crate::matrix::Mat;
use crate::opaque::opaque;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

use blocks::approximated;
use walk::{Walk, walk};
use weighing::{Samples, Totals, Weighing};

/// The entry-wise method.
pub struct Entrywise<'a> {
    /// What is minimised.
    pub(crate) aim: Aim<'a>,
    /// Exponent of the multiplicative update of each factor.
    pub(crate) exponents: Exponents,
    pub(crate) penalties: Penalties,
    /// ε of smoothed residuals; else by the recipe.
    pub(crate) epsilon: Option<f64>,
    /// sᵢ, how often each sample counts.
    pub(crate) sample_weights: &'a [f64],
    /// NaN in X is a missing value.
    pub(crate) missing: bool,
}

/// Exponents of multiplicative updates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exponents {
    pub(crate) u: f64,
    pub(crate) v: f64,
}

/// What is minimised.
pub(crate) enum Aim<'a> {
    /// A sum over the entries, or nearly.
    Entries(Recipe),
    /// A sum over the samples, some of whose entries are missing.
    Samples(MakeLoss<'a>),
}

/// What changes from iteration to iteration.
pub struct State<T> {
    u: Mat<T>,
    /// Uᵀ, and the one before.
    ut: Mat<T>,
    old: Mat<T>,
    v: Mat<T>,
    weighing: Weighing,
    objective: f64,
    /// Σⱼ mᵢⱼ² of each sample.
    squares: Vec<f64>,
    /// Vᵀ(W∘X) and Vᵀ(W∘Y) of each part.
    sums: Vec<T>,
    /// Σ sᵢmᵢⱼ² of each feature, of each part; one number a part where nobody wants them.
    of_features: Vec<f64>,
    /// Σ of each column of U, for the divergence.
    column_sums: Vec<T>,
    /// oᵢ, how many entries of each sample are not missing.
    observed: Vec<f64>,
    scratch: Vec<T>,
    grid: Grid,
    iteration: usize,
}

opaque! { [T] State<T>; }

impl Entrywise<'_> {
    /// Weights, objective and the sums of the next U step; before that, V where it is to be `moved`.
    fn settle<T: Real, X: Data<T>>(&self, x: &X, state: &mut State<T>, moved: bool) {
        let how = (self.exponents.v, self.penalties.v, self.sample_weights);
        column_sums(&state.u, |_| 1.0, &mut state.column_sums);
        if state.weighing.is_local() {
            let loss = walk(x, state, how, Walk { v_step: moved, sums: true });
            state.objective = loss + self.penalties.value(&state.u, &state.v, self.sample_weights);
            return;
        }
        walk(x, state, how, Walk { v_step: moved, sums: false });
        let d = x.shape().1;
        let State { of_features, squares, observed, weighing, grid, .. } = state;
        if weighing.by_feature() {
            let (total, rest) = of_features.split_at_mut(d);
            for part in rest.chunks_exact(d).take(grid.parts - 1) {
                total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
            }
        }
        let totals = Totals {
            squares,
            observed,
            weights: self.sample_weights,
            of_features: &of_features[..if weighing.by_feature() { d } else { 0 }],
        };
        let known = weighing.settle(&totals, d);
        let sum = walk(x, state, how, Walk { v_step: false, sums: true });
        state.objective = known.unwrap_or(sum);
    }

    /// The weights of samples before the first iteration, which the l2,1 norm sees.
    fn samples<T: Real, X: Data<T>>(&self, x: &X) -> Weighing {
        let s = self.sample_weights;
        let epsilon = epsilon(&lengths_of(x.norms_sq(), s), self.epsilon);
        let zeros = || vec![0.0; s.len()];
        Weighing::Samples(Samples { loss: Box::new(L21), epsilon, r: zeros(), q: zeros(), factors: zeros() })
    }

    /// The mean weight of each sample's entries, times the sample's own.
    fn pulls<T: Real, X: Data<T>>(
        &self,
        x: &X,
        (u, v): (&Mat<T>, &Mat<T>),
        weighing: &Weighing,
        observed: &[f64],
    ) -> Vec<f64> {
        let d = x.shape().1;
        let rows = |x: &[T], y: &[T]| -> Vec<f64> {
            x.chunks_exact(d).zip(y.chunks_exact(d)).map(|(x, y)| weighing.pull(x, y)).collect()
        };
        let pulls = approximated(x, u, v, |_, x, y| vectorized!(rows(x, y)));
        let samples = pulls.into_iter().flatten().zip(self.sample_weights).zip(observed);
        samples.map(|((pull, s), observed)| s * pull / observed).collect()
    }

    /// U ← U ∘ ((W∘X)ᵀV / ((W∘Y)ᵀV + λ₁ + λ₂U))^p.
    fn update_u<T: Real>(&self, state: &mut State<T>) {
        let State { u, ut, old, v, sums, grid, column_sums: den_of_v, .. } = state;
        let (c, d) = ut.shape();
        old.as_mut_slice().copy_from_slice(ut.as_slice());
        let (total, rest) = sums.split_at_mut(2 * c * d);
        let least = least_parts(2 * grid.parts * c * d);
        each(total.par_chunks_mut(d).enumerate().with_min_len(least), |(row, total)| {
            vectorized!({
                for part in rest.chunks_exact(2 * c * d) {
                    let part = &part[row * d..(row + 1) * d];
                    total.iter_mut().zip(part).for_each(|(total, &part)| *total += part);
                }
            });
        });
        let (num, den) = total.split_at_mut(c * d);
        if !den_of_v.is_empty() {
            column_sums(v, |i| self.sample_weights[i], den_of_v);
            den.chunks_exact_mut(d).zip(&*den_of_v).for_each(|(den, &sum)| den.fill(sum));
        }
        self.penalties.u.add_to(den, ut.as_slice());
        multiply_power(ut.as_mut_slice(), num, den, self.exponents.u);
        for (j, row) in u.as_mut_slice().chunks_exact_mut(c).enumerate() {
            row.iter_mut().enumerate().for_each(|(k, u)| *u = ut[(k, j)]);
        }
    }
}

/// `out` = Σᵢ s(i)·aᵢ, in double precision.
fn column_sums<T: Real>(a: &Mat<T>, s: impl Fn(usize) -> f64, out: &mut [T]) {
    for (k, out) in out.iter_mut().enumerate() {
        *out = T::from_f64((0..a.rows()).map(|i| s(i) * a[(i, k)].to_f64()).sum());
    }
}

impl<'x, T: Real, X: Data<T>> Method<'x, T, X> for Entrywise<'_> {
    type State = State<T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<State<T>> {
        let factors = start.factors(x)?;
        let weighing = match &self.aim {
            Aim::Entries(recipe) => recipe.resolve(x, &factors, (self.sample_weights, self.epsilon)),
            Aim::Samples(_) => self.samples(x),
        };
        let ((n, d), c, Factors { u, v }) = (x.shape(), factors.u.cols(), factors);
        let grid = Grid::new(n, d);
        let features = if weighing.by_feature() { d } else { 1 };
        let mut state = State {
            ut: u.transposed(),
            old: u.transposed(),
            u,
            v,
            objective: 0.0,
            squares: vec![0.0; n],
            sums: vec![T::ZERO; grid.parts * 2 * c * d],
            of_features: vec![0.0; grid.parts * features],
            // Σ over the entries that are not missing would be another one for each feature.
            column_sums: vec![T::ZERO; if weighing.is_divergence() && !self.missing { c } else { 0 }],
            observed: observed(x, self.missing),
            scratch: vec![T::ZERO; grid.parts * grid.slot(d, c)],
            weighing,
            grid,
            iteration: 0,
        };
        if let Aim::Samples(make) = &self.aim {
            let mut loss = make();
            loss.calibrate(&mut || {
                self.settle(x, &mut state, false);
                self.step(x, &mut state)?;
                let r = if let Weighing::Samples(samples) = &state.weighing { &samples.r[..] } else { &[] };
                Ok(r.iter().copied().zip(self.sample_weights.iter().copied()).collect())
            })?;
            if let Weighing::Samples(samples) = &mut state.weighing {
                samples.loss = loss;
            }
            state.iteration = 0;
        }
        self.settle(x, &mut state, false);
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut State<T>) -> Result<()> {
        state.iteration += 1;
        self.update_u(state);
        self.settle(x, state, true);
        // A bounded loss would not tell.
        if !state.squares.iter().all(|square| square.is_finite()) {
            return Err(Error::diverged(state.iteration));
        }
        Ok(())
    }

    fn objective(&self, state: &State<T>) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut State<T>, archive: &mut Archive) {
        let State {
            u, ut, v, weighing, objective, squares, sums, of_features, column_sums, iteration, ..
        } = state;
        archive.reals("u", u.as_mut_slice());
        archive.reals("u-transposed", ut.as_mut_slice());
        archive.reals("v", v.as_mut_slice());
        archive.reals("squares", squares);
        archive.reals("sums", sums);
        archive.reals("sums-of-features", of_features);
        archive.reals("sums-of-columns", column_sums);
        archive.number("objective", objective);
        archive.count("iteration", iteration);
        weighing.parts(archive);
    }

    fn coefficients<'s>(&self, state: &'s State<T>) -> Option<&'s Mat<T>> {
        Some(&state.v)
    }

    fn finish(&self, x: &X, mut state: State<T>, ending: Ending) -> Result<Outcome<T>> {
        let labels = ending.read(&state.v, &state.u)?;
        let sweeps = if let Aim::Entries(recipe) = &self.aim { recipe.median_sweeps() } else { 0 };
        let mut factors = Factors {
            u: std::mem::replace(&mut state.u, Mat::zeros(0, 0)),
            v: std::mem::replace(&mut state.v, Mat::zeros(0, 0)),
        };
        for _ in (0..sweeps).take_while(|_| !ending.deadline.is_over()) {
            median_sweep(x, self.sample_weights, &mut factors);
        }
        let coding = state.weighing.coding(sweeps, self.penalties.v);
        let residuals = coding.finish(x, &mut factors, &ending, self.missing)?;
        (state.ut, state.u, state.v) = (factors.u.transposed(), factors.u, factors.v);
        self.settle(x, &mut state, false);
        let State { u, v, weighing, objective, observed, .. } = state;
        let weights = match weighing {
            Weighing::Samples(samples) => samples.q,
            _ => self.pulls(x, (&u, &v), &weighing, &observed),
        };
        let factors = Factors { u, v };
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

/// A divergence that is infinite where an entry is 0 gets none.
pub(crate) fn check_positive<T: Real, X: Data<T>>(x: &X, loss: AnyEntryLoss) -> Result<()> {
    match loss.beta() {
        Some((beta, _)) => check_beta(x, beta),
        None => Ok(()),
    }
}

/// Where β is not above 0, no entry is 0.
pub(crate) fn check_beta<T: Real, X: Data<T>>(x: &X, beta: f64) -> Result<()> {
    if beta > 0.0 {
        return Ok(());
    }
    let (n, d) = x.shape();
    let mut row = vec![T::ZERO; d];
    for i in 0..n {
        x.read(i..i + 1, 0..d, &mut row);
        if let Some(j) = row.iter().position(|x| *x == T::ZERO) {
            let must = format!(
                "above 0 where an entry is 0, as in row {i}, column {j} (from 0): there the divergence is infinite; \
                 or add a small number to all entries"
            );
            return Err(Error::param("beta", beta, must));
        }
    }
    Ok(())
}

/// How many entries of each sample are not missing.
fn observed<T: Real, X: Data<T>>(x: &X, missing: bool) -> Vec<f64> {
    let (n, d) = x.shape();
    if !missing {
        return vec![d as f64; n];
    }
    let mut row = vec![T::ZERO; d];
    let count = |i: usize| {
        x.read(i..i + 1, 0..d, &mut row);
        row.iter().filter(|x| !x.to_f64().is_nan()).count() as f64
    };
    (0..n).map(count).collect()
}
