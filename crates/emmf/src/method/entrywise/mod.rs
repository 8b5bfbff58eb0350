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
//! six d×c buffers and two for each of at most sixteen leaves, vectors of length n, blocks of rows. Takes dense
//! and sparse X; the divergence of sparse X in one memory costs O(nnz·c), the other losses what dense X would. Samples, V and the
//! weights are wherever the [`SampleSide`] has them: this file knows U and sums.

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

pub(super) use blocks::Counted;
pub(crate) use solve::{Solved, Solver};
pub(super) use walk::{Grid, Room, Tall, Walk};

use super::irls::{MakeLoss, epsilon};
use super::side::{
    Column, EntryCoding, EntrySums, EntrySweep, EntryWeights, Finish, Tree, archive_column, total,
};
use super::update::multiply_power;
use super::{Ending, Method, Outcome, Penalties, SampleSide};
use crate::checkpoint::Archive;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::init::{Factors, Start};
use crate::loss::L21;
use crate::loss::entry::AnyEntryLoss;
use crate::matrix::Mat;
use crate::opaque::opaque;
use crate::real::Real;

use weighing::Weighing;

/// The entry-wise method.
pub struct Entrywise<'a> {
    /// What is minimised.
    pub(crate) aim: Aim<'a>,
    /// Exponent of the multiplicative update of each factor.
    pub(crate) exponents: Exponents,
    pub(crate) penalties: Penalties,
    /// ε of smoothed residuals; else by the recipe.
    pub(crate) epsilon: Option<f64>,
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

/// What changes from iteration to iteration, besides what is on the sample side.
pub struct State<'x, T> {
    u: Mat<T>,
    /// Uᵀ, and U before its last step.
    ut: Mat<T>,
    before: Mat<T>,
    side: Box<dyn SampleSide<T> + 'x>,
    /// The order to it, with the weights of now.
    sweep: EntrySweep<T>,
    weighing: Weighing,
    objective: f64,
    sums: Tree<EntrySums<T>>,
    /// Those of a first sweep, from which weights follow.
    first_sums: Tree<EntrySums<T>>,
    /// The denominator of the U step.
    den: Mat<T>,
    iteration: usize,
}

opaque! { [T] State<'_, T>; }

impl<T: Real> State<'_, T> {
    /// Has the side sweep.
    fn obey(&mut self) -> Result<()> {
        let Self { u, before, side, sums, sweep, .. } = self;
        let look_back = sweep.exponent.is_some() && sweep.weights.look_back();
        if look_back {
            std::mem::swap(before, &mut sweep.before);
        }
        sums.clear();
        let obeyed = side.sweep_entries(u, sweep, sums);
        if look_back {
            std::mem::swap(before, &mut sweep.before);
        }
        obeyed?;
        // A bounded loss would not tell.
        match sums.total() {
            Some(sums) if sums.totals.broken => Err(Error::diverged(self.iteration)),
            _ => Ok(()),
        }
    }
}

impl Aim<'_> {
    /// Sweeps of coordinate descent after the last iteration.
    fn median_sweeps(&self) -> usize {
        if let Self::Entries(recipe) = self { recipe.median_sweeps() } else { 0 }
    }
}

impl Entrywise<'_> {
    /// Weights, objective and the sums of the next U step, or where it is the `last` time what is reported; before that, V is moved
    /// where there is an exponent.
    fn settle<T: Real>(&self, state: &mut State<'_, T>, exponent: Option<f64>, last: bool) -> Result<()> {
        let mut known = None;
        (state.sweep.exponent, state.sweep.report) = (exponent, false);
        if !state.sweep.weights.is_local() {
            state.sweep.sums = false;
            std::mem::swap(&mut state.sums, &mut state.first_sums);
            let obeyed = state.obey();
            std::mem::swap(&mut state.sums, &mut state.first_sums);
            obeyed?;
            let State { side, first_sums, sweep, weighing, .. } = state;
            if let Some(sums) = first_sums.total() {
                known = weighing.settle(&mut sweep.weights, &mut **side, sums)?;
            }
            sweep.exponent = None;
        }
        (state.sweep.sums, state.sweep.report) = (!last, last);
        state.obey()?;
        let of_u = self.penalties.u.of(state.u.as_slice());
        let sum = state.sums.total().map_or(0.0, |sums| sums.totals.objective + (sums.totals.penalty + of_u));
        state.objective = known.unwrap_or(sum);
        Ok(())
    }

    /// U ← U ∘ ((W∘X)ᵀV / ((W∘Y)ᵀV + λ₁ + λ₂U))^p.
    fn update_u<T: Real>(&self, state: &mut State<'_, T>) {
        let State { u, ut, before, sums, den, .. } = state;
        let Some(sums) = sums.total() else { return };
        before.as_mut_slice().copy_from_slice(u.as_slice());
        if sums.of_v.is_empty() {
            den.as_mut_slice().copy_from_slice(sums.den.as_slice());
        } else {
            let rows = den.as_mut_slice().chunks_exact_mut(u.rows());
            rows.zip(&sums.of_v).for_each(|(den, &sum)| den.fill(T::from_f64(sum)));
        }
        self.penalties.u.add_to(den.as_mut_slice(), ut.as_slice());
        multiply_power(ut.as_mut_slice(), sums.num.as_slice(), den.as_slice(), self.exponents.u);
        for (j, row) in u.as_mut_slice().chunks_exact_mut(ut.rows()).enumerate() {
            row.iter_mut().enumerate().for_each(|(k, u)| *u = ut[(k, j)]);
        }
    }

    /// One iteration.
    fn iterate<T: Real>(&self, state: &mut State<'_, T>) -> Result<()> {
        state.iteration += 1;
        self.update_u(state);
        self.settle(state, Some(self.exponents.v), false)
    }

    /// How entries are weighed at the start.
    fn weighing<T: Real>(&self, side: &dyn SampleSide<T>, u: &Mat<T>) -> Result<(EntryWeights, Weighing)> {
        match &self.aim {
            Aim::Entries(recipe) => recipe.resolve(side, u, self.epsilon),
            Aim::Samples(_) => {
                let lengths = total(&mut Tree::default(), |out| side.lengths(out))?;
                // The l2,1 norm sees them before the first iteration.
                Ok(Weighing::samples(Box::new(L21), epsilon(&lengths, self.epsilon)))
            }
        }
    }

    /// The loss of samples with the scale that it takes from an iteration of its own.
    fn calibrate<T: Real>(&self, make: &MakeLoss<'_>, state: &mut State<'_, T>) -> Result<()> {
        let mut loss = make();
        loss.calibrate(&mut || {
            self.settle(state, None, false)?;
            self.iterate(state)?;
            let residuals = state.side.column(Column::Residuals)?;
            Ok(residuals.into_iter().zip(state.side.column(Column::SampleWeights)?).collect())
        })?;
        (state.sweep.weights, state.weighing) = Weighing::samples(loss, state.weighing.least);
        state.iteration = 0;
        Ok(())
    }

    fn begin<'x, T: Real>(
        &self,
        mut side: Box<dyn SampleSide<T> + 'x>,
        start: &mut Start<'_, T>,
    ) -> Result<State<'x, T>> {
        let u = side.start(start)?;
        let (weights, weighing) = self.weighing(&*side, &u)?;
        let (ut, before) = (u.transposed(), u.clone());
        let den = Mat::zeros(ut.rows(), ut.cols());
        let (penalty, missing) = (self.penalties.v, self.missing);
        let (exponent, nothing) = (None, Mat::default());
        let sweep =
            EntrySweep { weights, exponent, before: nothing, penalty, sums: true, report: false, missing };
        let [sums, first_sums] = [(); 2].map(|()| Tree::default());
        let (objective, iteration) = (0.0, 0);
        Ok(State { u, ut, before, side, sweep, weighing, objective, sums, first_sums, den, iteration })
    }
}

impl<'x, T: Real, X: SampleSide<T> + ?Sized + 'x> Method<'x, T, X> for Entrywise<'_> {
    type State = State<'x, T>;

    fn start(&self, x: &'x X, start: &mut Start<'_, T>) -> Result<State<'x, T>> {
        let mut state = self.begin(x.another()?, start)?;
        if let Aim::Samples(make) = &self.aim {
            self.calibrate(make, &mut state)?;
        }
        self.settle(&mut state, None, false)?;
        Ok(state)
    }

    fn step(&self, _: &X, state: &mut State<'x, T>) -> Result<()> {
        self.iterate(state)
    }

    fn objective(&self, state: &State<'x, T>) -> f64 {
        state.objective
    }

    fn parts(&self, state: &mut State<'x, T>, archive: &mut Archive) {
        let State { u, ut, side, sweep, objective, sums, iteration, .. } = state;
        archive.reals("u", u.as_mut_slice());
        archive.reals("u-transposed", ut.as_mut_slice());
        archive.number("objective", objective);
        archive.count("iteration", iteration);
        let of_samples = matches!(sweep.weights, EntryWeights::Samples { .. });
        let columns = [("residuals", Column::Residuals), ("weights", Column::Weights)];
        let columns = columns.into_iter().filter(|_| of_samples);
        for (name, what) in [("v", Column::Coefficients)].into_iter().chain(columns) {
            archive_column(&mut **side, (name, what), archive);
        }
        if let Some(sums) = sums.total() {
            archive.reals("numerators", sums.num.as_mut_slice());
            archive.reals("denominators", sums.den.as_mut_slice());
            archive.reals("sums-of-v", &mut sums.of_v);
        }
        sweep.weights.parts(archive);
    }

    fn coefficients<'s>(&self, _: &'s State<'x, T>) -> Option<&'s Mat<T>> {
        None
    }

    fn movement(&self, state: &mut State<'x, T>) -> Result<Option<f64>> {
        Ok(Some(total(&mut Tree::default(), |out| state.side.movement(out))?.share()))
    }

    fn finish(&self, _: &X, mut state: State<'x, T>, ending: Ending) -> Result<Outcome<T>> {
        let median_sweeps = self.aim.median_sweeps();
        for _ in (0..median_sweeps).take_while(|_| !ending.deadline.is_over()) {
            state.side.sweep_medians(&mut state.u)?;
        }
        let (penalty, missing) = (self.penalties.v, self.missing);
        let entries = EntryCoding { weights: state.sweep.weights.clone(), median_sweeps, penalty, missing };
        let coding = entries.coding();
        let finish = Finish { entries: Some(entries), ..Finish::of(&ending) };
        total(&mut Tree::default(), |out| state.side.finish(&state.u, &finish, out))?;
        self.settle(&mut state, None, true)?;
        let State { u, side, objective, .. } = state;
        let tall = side.into_tall()?;
        let labels = ending.labels_of(tall.labels, &tall.v, &u)?;
        Ok(Outcome {
            factors: Factors { u, v: tall.v },
            labels,
            residuals: tall.residuals,
            weights: tall.weights,
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
        Some((beta, _)) => check_beta(x, beta, 0),
        None => Ok(()),
    }
}

/// Where β is not above 0, no entry is 0; so many samples come before these.
pub(crate) fn check_beta<T: Real, X: Data<T>>(x: &X, beta: f64, first: usize) -> Result<()> {
    if beta > 0.0 {
        return Ok(());
    }
    let (n, d) = x.shape();
    let mut row = vec![T::ZERO; d];
    for i in 0..n {
        x.read(i..i + 1, 0..d, &mut row);
        if let Some(j) = row.iter().position(|x| *x == T::ZERO) {
            let i = first + i;
            let must = format!(
                "above 0 where an entry is 0, as in row {i}, column {j} (from 0): there the divergence is infinite; \
                 or add a small number to all entries"
            );
            return Err(Error::param("beta", beta, must));
        }
    }
    Ok(())
}
