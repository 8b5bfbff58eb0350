//! The entry-wise method: multiplicative updates with a weight W for every entry, for any
//! [`EntryLoss`](crate::loss::entry::EntryLoss) and two norms of rows and columns.
//!
//! Objective: Σ sᵢ·share(xᵢⱼ, yᵢⱼ), Y = V·Uᵀ, U, V ≥ 0, sᵢ the user's sample weights. One iteration:
//!
//! - W from the residuals;
//! - U ← U ∘ ((W∘X)ᵀV / (W∘Y)ᵀV)^p;
//! - V ← V ∘ ((W∘X)U / (W∘Y)U)^p with the new U and Y and the same W.
//!
//! Every iteration lowers the objective for exponents in (0, 1]. Cost O(ndc): seven products of the size of
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

pub use median::{median_sweep, weighted_median};
pub use recipe::Recipe;
pub use sparse::SparseDivergence;

pub(crate) use solve::{Solved, solve};

use rayon::prelude::*;

use super::update::multiply_power;
use super::{Ending, Method, Outcome, labels};
use crate::data::{Data, least_parts, vectorized};
use crate::error::Result;
use crate::init::{Factors, Start};
use crate::matrix::Mat;
use crate::real::Real;

use blocks::approximated;
use walk::{Grid, Walk, walk};
use weighing::{Totals, Weighing};

/// The entry-wise method.
pub struct Entrywise<'a> {
    /// What is minimised.
    pub(crate) recipe: Recipe,
    /// Exponent of the multiplicative update.
    pub(crate) exponent: f64,
    /// ε of smoothed residuals; else by the recipe.
    pub(crate) epsilon: Option<f64>,
    /// sᵢ, how often each sample counts.
    pub(crate) sample_weights: &'a [f64],
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
    scratch: Vec<T>,
    grid: Grid,
}

impl Entrywise<'_> {
    /// Weights, objective and the sums of the next U step; before that, V where it is to be `moved`.
    fn settle<T: Real, X: Data<T>>(&self, x: &X, state: &mut State<T>, moved: bool) {
        let how = (self.exponent, self.sample_weights);
        if state.weighing.is_divergence() {
            column_sums(&state.u, |_| 1.0, &mut state.column_sums);
        }
        if state.weighing.is_local() {
            state.objective = walk(x, state, how, Walk { v_step: moved, sums: true });
            return;
        }
        walk(x, state, how, Walk { v_step: moved, sums: false });
        let d = x.shape().1;
        let State { of_features, squares, weighing, grid, .. } = state;
        if weighing.by_feature() {
            let (total, rest) = of_features.split_at_mut(d);
            for part in rest.chunks_exact(d).take(grid.parts - 1) {
                total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
            }
        }
        let s = self.sample_weights;
        let totals = Totals {
            squares: squares.iter().zip(s).map(|(square, s)| s * square).sum(),
            count: s.iter().sum::<f64>() * d as f64,
            of_features: &of_features[..if weighing.by_feature() { d } else { 0 }],
        };
        let known = weighing.settle(&totals);
        let sum = walk(x, state, how, Walk { v_step: false, sums: true });
        state.objective = known.unwrap_or(sum);
    }

    /// U ← U ∘ ((W∘X)ᵀV / (W∘Y)ᵀV)^p.
    fn update_u<T: Real>(&self, state: &mut State<T>) {
        let State { u, ut, old, v, sums, weighing, grid, column_sums: den_of_v, .. } = state;
        let (c, d) = ut.shape();
        old.as_mut_slice().copy_from_slice(ut.as_slice());
        let (total, rest) = sums.split_at_mut(2 * c * d);
        let least = least_parts(2 * grid.parts * c * d);
        total.par_chunks_mut(d).enumerate().with_min_len(least).for_each(|(row, total)| {
            vectorized(|| {
                for part in rest.chunks_exact(2 * c * d) {
                    let part = &part[row * d..(row + 1) * d];
                    total.iter_mut().zip(part).for_each(|(total, &part)| *total += part);
                }
            });
        });
        let (num, den) = total.split_at_mut(c * d);
        if weighing.is_divergence() {
            column_sums(v, |i| self.sample_weights[i], den_of_v);
            den.chunks_exact_mut(d).zip(&*den_of_v).for_each(|(den, &sum)| den.fill(sum));
        }
        multiply_power(ut.as_mut_slice(), num, den, self.exponent);
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

impl<T: Real, X: Data<T>> Method<T, X> for Entrywise<'_> {
    type State = State<T>;

    fn start(&self, x: &X, start: &mut Start<'_, T>) -> Result<State<T>> {
        let factors = start.factors(x)?;
        let weighing = self.recipe.resolve(x, &factors, (self.sample_weights, self.epsilon));
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
            column_sums: vec![T::ZERO; if weighing.is_divergence() { c } else { 0 }],
            scratch: vec![T::ZERO; grid.parts * grid.slot(d, c)],
            weighing,
            grid,
        };
        self.settle(x, &mut state, false);
        Ok(state)
    }

    fn step(&self, x: &X, state: &mut State<T>) -> Result<()> {
        self.update_u(state);
        self.settle(x, state, true);
        Ok(())
    }

    fn objective(&self, state: &State<T>) -> f64 {
        state.objective
    }

    fn finish(&self, x: &X, mut state: State<T>, ending: Ending) -> Result<Outcome<T>> {
        let labels = labels(&state.v, &state.u, ending.labels);
        let sweeps = self.recipe.median_sweeps();
        let mut factors = Factors {
            u: std::mem::replace(&mut state.u, Mat::zeros(0, 0)),
            v: std::mem::replace(&mut state.v, Mat::zeros(0, 0)),
        };
        (0..sweeps).for_each(|_| median_sweep(x, self.sample_weights, &mut factors));
        let coding = state.weighing.coding(sweeps);
        let residuals = coding.finish(x, &mut factors, ending.polish);
        (state.ut, state.u, state.v) = (factors.u.transposed(), factors.u, factors.v);
        self.settle(x, &mut state, false);
        let State { u, v, weighing, objective, .. } = state;
        let weights = pulls(x, (&u, &v), &weighing, self.sample_weights);
        let factors = Factors { u, v };
        Ok(Outcome { factors, labels, residuals, weights, objective, coding, extras: Vec::new() })
    }
}

/// The mean weight of each sample's entries, times the sample's own.
fn pulls<T: Real, X: Data<T>>(
    x: &X,
    (u, v): (&Mat<T>, &Mat<T>),
    weighing: &Weighing,
    sample_weights: &[f64],
) -> Vec<f64> {
    let d = x.shape().1;
    let rows = |x: &[T], y: &[T]| -> Vec<f64> {
        let rows = x.chunks_exact(d).zip(y.chunks_exact(d));
        rows.map(|(x, y)| weighing.pull(x, y) / d as f64).collect()
    };
    let pulls = approximated(x, u, v, |_, x, y| vectorized(|| rows(x, y)));
    pulls.into_iter().flatten().zip(sample_weights).map(|(pull, s)| pull * s).collect()
}
