//! Samples in terms of given centroids: coefficients, residuals, labels.

use std::borrow::Cow;
use std::ops::Range;
use std::slice::from_mut;

use serde::{Deserialize, Serialize};

use super::entrywise::{Solved, Solver, check_positive};
use super::{Ending, Nnls, Normal, Outcome, Penalty, Posterior, nnls, residual_sq};
use crate::cancel::{Cancel, Deadline};
use crate::data::{BLOCK, Data, Exact};
use crate::error::{Error, Result};
use crate::init::Factors;
use crate::loss::entry::AnyEntryLoss;
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::{Left, Product};
use crate::threads::prelude::*;
use crate::threads::{each, each_in};

/// How samples are coded in terms of given centroids: what of a fit `transform` needs besides U.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Coding {
    /// By least squares, exactly.
    #[default]
    LeastSquares,
    /// By least squares with a penalty on the coefficients, exactly.
    Penalised(Penalty),
    /// By least squares with a weight for each feature, exactly.
    Features(Vec<f64>),
    /// By the least of an entry-wise loss, as exactly as it can be had.
    Entries {
        /// The loss.
        loss: AnyEntryLoss,
        /// Sweeps of coordinate descent on the absolute residuals after that.
        median_sweeps: usize,
        /// The penalty on the coefficients; only β-divergences have one.
        #[serde(default, skip_serializing_if = "Penalty::is_none")]
        penalty: Penalty,
    },
    /// By the mean of the best distribution, for given distributions of the centroids.
    Posterior(Posterior),
    /// The last coefficients are the sample's own entries in these features, the others follow by least
    /// squares, exactly.
    Separable {
        /// The features, from 0.
        features: Vec<usize>,
    },
}

impl Coding {
    /// Coefficients of every sample, and its residual, given U and its normal equations. Where values are `missing`, they are NaN.
    pub(crate) fn code<T: Real, X: Data<T>>(
        &self,
        x: &X,
        (u, normal): (&Mat<T>, &Normal),
        missing: bool,
        cancel: &Cancel,
    ) -> Result<(Mat<T>, Vec<f64>)> {
        let mut v = Mat::zeros(x.shape().0, u.cols());
        let residuals = self.recode(x, (u, normal), &mut v, missing, (Deadline::default(), cancel))?;
        cancel.check()?;
        Ok((v, residuals))
    }

    /// Whether so many samples are coded by one thread, and soon.
    pub(crate) fn is_small(&self, samples: usize, missing: bool) -> bool {
        let in_blocks = match self {
            Self::LeastSquares | Self::Penalised(_) => !missing,
            Self::Separable { .. } | Self::Posterior(_) => true,
            Self::Features(_) | Self::Entries { .. } => false,
        };
        samples <= if in_blocks { BLOCK } else { 1 }
    }

    /// Codes every row of V anew, as long as there is time, and returns the residuals. Where it is cancelled, some rows
    /// are new.
    fn recode<T: Real, X: Data<T>>(
        &self,
        x: &X,
        (u, normal): (&Mat<T>, &Normal),
        v: &mut Mat<T>,
        missing: bool,
        (deadline, cancel): (Deadline, &Cancel),
    ) -> Result<Vec<f64>> {
        let ones = vec![1.0; u.rows()];
        let anew = |features, penalty| Some(Anew { features, penalty, deadline, cancel });
        let how = match self {
            Self::LeastSquares if !missing => {
                return in_blocks(x, (u, normal), v, anew(&[], Penalty::default()));
            }
            Self::LeastSquares => Solved::Squares(&ones),
            Self::Penalised(_) if missing => {
                let instead = "fill the gaps first, or fit without penalties";
                return Err(Error::Missing { what: "a model with penalties".into(), instead });
            }
            Self::Penalised(penalty) => return in_blocks(x, (u, normal), v, anew(&[], *penalty)),
            Self::Separable { features } => {
                return in_blocks(x, (u, normal), v, anew(features, Penalty::default()));
            }
            Self::Posterior(posterior) => {
                *v = posterior.code(x, (u, normal), cancel)?.0;
                return in_blocks(x, (u, normal), v, None);
            }
            Self::Features(weights) => Solved::Squares(weights),
            Self::Entries { loss, median_sweeps, penalty } => {
                check_positive(x, *loss)?;
                Solved::Entries(*loss, *median_sweeps, *penalty)
            }
        };
        let (d, c, wide) = (x.shape().1, u.cols(), u.cast::<f64>());
        let solver = Solver::new(how, &wide);
        let rows = v.as_mut_slice().par_chunks_mut(c).enumerate();
        each(rows, |(i, v)| {
            if cancel.is_cancelled() || deadline.is_over() {
                return;
            }
            let mut sample = vec![T::ZERO; d];
            x.read(i..i + 1, 0..d, &mut sample);
            let sample: Vec<f64> = sample.iter().map(|x| x.to_f64()).collect();
            v.iter_mut().zip(solver.solve(&sample)).for_each(|(v, exact)| *v = T::from_f64(exact));
        });
        cancel.check()?;
        if missing { Ok(observed_residuals(x, u, v)) } else { in_blocks(x, (u, normal), v, None) }
    }

    /// Where V is to be polished, codes it anew, until that is cancelled; the residuals of what is then there.
    pub(crate) fn finish<T: Real, X: Data<T>>(
        &self,
        x: &X,
        factors: &mut Factors<T>,
        ending: &Ending,
        missing: bool,
    ) -> Result<Vec<f64>> {
        let Factors { u, v } = factors;
        self.polish(x, (u, v), ending.polish.then_some((ending.deadline, &ending.cancel)), missing)
    }

    /// The same with V apart from U; V is coded anew where there is time for it.
    pub(super) fn polish<T: Real, X: Data<T>>(
        &self,
        x: &X,
        (u, v): (&Mat<T>, &mut Mat<T>),
        until: Option<(Deadline, &Cancel)>,
        missing: bool,
    ) -> Result<Vec<f64>> {
        let normal = Normal::new(u);
        if let Some(until) = until
            && let Ok(found) = self.recode(x, (u, &normal), v, missing, until)
        {
            return Ok(found);
        }
        if missing { Ok(observed_residuals(x, u, v)) } else { in_blocks(x, (u, &normal), v, None) }
    }
}

impl<T: Real> Outcome<T> {
    /// What least squares leave of these factors: labels by the rule, then V coded anew where that is wanted, residuals ‖xᵢ − U·vᵢ‖ and their
    /// squares summed as the objective. All samples pull alike.
    pub fn least_squares<X: Data<T>>(x: &X, mut factors: Factors<T>, ending: &Ending) -> Result<Self> {
        let (labels, coding) = (ending.read(&factors.v, &factors.u)?, Coding::LeastSquares);
        let residuals = coding.finish(x, &mut factors, ending, false)?;
        let objective = residuals.iter().map(|r| r * r).sum();
        let weights = vec![1.0; residuals.len()];
        Ok(Self { factors, labels, residuals, weights, objective, coding, extras: Vec::new(), layers: None })
    }
}

/// Residual of every sample at the given factors.
pub(crate) fn residuals<T: Real, X: Data<T>>(x: &X, factors: &mut Factors<T>) -> Result<Vec<f64>> {
    in_blocks(x, (&factors.u, &Normal::new(&factors.u)), &mut factors.v, None)
}

/// √((d/oᵢ)·Σ mᵢⱼ²) over the oᵢ entries of every sample that are not missing.
pub(crate) fn observed_residuals<T: Real, X: Data<T>>(x: &X, u: &Mat<T>, v: &Mat<T>) -> Vec<f64> {
    let (n, d) = x.shape();
    let mut residuals = vec![0.0; n];
    let residual = |i: usize| {
        let mut sample = vec![T::ZERO; d];
        x.read(i..i + 1, 0..d, &mut sample);
        let y =
            |j: usize| -> f64 { u.row(j).iter().zip(v.row(i)).map(|(u, v)| u.to_f64() * v.to_f64()).sum() };
        let there = sample.iter().enumerate().filter(|(_, x)| !x.to_f64().is_nan());
        let (sum, count) =
            there.fold((0.0, 0.0), |(sum, count), (j, x)| (sum + (x.to_f64() - y(j)).powi(2), count + 1.0));
        (sum * d as f64 / count).sqrt()
    };
    each(residuals.par_iter_mut().enumerate(), |(i, r)| *r = residual(i));
    residuals
}

/// Solves for the coefficients of samples.
struct Coder<'a> {
    g: &'a Mat<f64>,
    penalty: Penalty,
    /// For the coefficients that are not the sample's own entries in the features.
    nnls: Cow<'a, Nnls>,
    features: &'a [usize],
}

impl<'a> Coder<'a> {
    fn new(normal: &'a Normal, Anew { features, penalty, .. }: Anew<'a>) -> Self {
        let g = &normal.gram;
        let free = g.cols() - features.len();
        let nnls = match features {
            [] if penalty.l2 > 0.0 => {
                let mut ridged = g.clone();
                penalty.ridge(&mut ridged);
                Cow::Owned(Nnls::new(&ridged))
            }
            [] => Cow::Borrowed(&normal.nnls),
            _ => Cow::Owned(Nnls::new(&Mat::from_fn(free, free, |k, l| g[(k, l)]))),
        };
        Self { g, penalty, nnls, features }
    }

    /// Rows of V from the same rows of P = XU.
    fn code<T: Real, X: Data<T>>(
        &self,
        (x, rows): (&X, Range<usize>),
        p: &[f64],
        v: &mut [f64],
        room: &mut nnls::Room,
    ) {
        if self.penalty.l1 > 0.0 {
            let p: Vec<f64> = p.iter().map(|p| p - self.penalty.l1).collect();
            return self.nnls.solve_rows(&p, v, room);
        }
        if self.features.is_empty() {
            return self.nnls.solve_rows(p, v, room);
        }
        let c = self.g.cols();
        let free = c - self.features.len();
        for ((i, p), v) in rows.zip(p.chunks_exact(c)).zip(v.chunks_exact_mut(c)) {
            let (v, own) = v.split_at_mut(free);
            for (&j, own) in self.features.iter().zip(&mut *own) {
                let mut entry = T::ZERO;
                x.read(i..i + 1, j..j + 1, from_mut(&mut entry));
                *own = entry.to_f64();
            }
            let explained =
                |k: usize| -> f64 { own.iter().zip(&self.g.row(k)[free..]).map(|(own, g)| g * own).sum() };
            let p: Vec<f64> = (0..free).map(|k| p[k] - explained(k)).collect();
            v.copy_from_slice(&self.nnls.solve(&p));
        }
    }
}

/// Room for a block of samples: P, V and V·UᵀU, and what the products and the solver need.
struct Room {
    p: Vec<f64>,
    v: Vec<f64>,
    vg: Vec<f64>,
    spare: Vec<f64>,
    nnls: Option<nnls::Room>,
}

impl Room {
    fn new(rows: usize, c: usize, coder: Option<&Coder<'_>>) -> Self {
        let [p, v, vg] = [(); 3].map(|()| vec![0.0; rows * c]);
        Self { p, v, vg, spare: Vec::new(), nnls: coder.map(|coder| coder.nnls.room(rows)) }
    }
}

/// How rows of V are coded anew.
#[derive(Clone, Copy)]
struct Anew<'a> {
    /// The last coefficients are the sample's entries in these features.
    features: &'a [usize],
    penalty: Penalty,
    deadline: Deadline,
    cancel: &'a Cancel,
}

/// Codes every row of V anew where that is wanted, as
/// long as there is time, and returns the residuals. All in double precision: normal equations square the condition of U. What a sample is
/// coded as does not depend on its neighbours.
fn in_blocks<T: Real, X: Data<T>>(
    x: &X,
    (u, normal): (&Mat<T>, &Normal),
    v: &mut Mat<T>,
    anew: Option<Anew<'_>>,
) -> Result<Vec<f64>> {
    let (n, c, exact_u) = (x.shape().0, u.cols(), Exact::new(x, u));
    let coder = anew.map(|anew| Coder::new(normal, anew));
    let g = &normal.gram;
    let is_cancelled = || anew.is_some_and(|anew| anew.cancel.is_cancelled());
    let mut residuals = vec![0.0; n];
    let blocks = v.as_mut_slice().par_chunks_mut(BLOCK * c).zip(residuals.par_chunks_mut(BLOCK)).enumerate();
    each_in(
        blocks,
        || Room::new(BLOCK.min(n), c, coder.as_ref()),
        |room, (block, (v, r))| {
            if is_cancelled() {
                return;
            }
            let rows = block * BLOCK..block * BLOCK + r.len();
            let [p, exact, vg] =
                [&mut room.p, &mut room.v, &mut room.vg].map(|buffer| &mut buffer[..v.len()]);
            x.project_exactly(rows.clone(), &exact_u, p, &mut room.spare);
            if let (Some(coder), Some(nnls)) = (&coder, &mut room.nnls)
                && anew.is_some_and(|anew| !anew.deadline.is_over())
            {
                coder.code((x, rows.clone()), p, exact, nnls);
                v.iter_mut().zip(&*exact).for_each(|(v, &exact)| *v = T::from_f64(exact));
            }
            exact.iter_mut().zip(&*v).for_each(|(exact, v)| *exact = v.to_f64());
            let left = Left::Rows((&*exact, c));
            f64::gemm((&mut *vg, c), left, (g.as_slice(), c), (rows.len(), c, c), false);
            for (at, i) in rows.enumerate() {
                let row = at * c..(at + 1) * c;
                r[at] = residual_sq(x, i, u, (&v[row.clone()], &p[row.clone()], &vg[row])).sqrt();
            }
        },
    );
    if is_cancelled() { Err(Error::Cancelled) } else { Ok(residuals) }
}
