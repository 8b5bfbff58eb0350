//! Samples in terms of given centroids: coefficients, residuals, labels.

use std::slice::from_mut;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::entrywise::{Solved, solve};
use super::{Nnls, Posterior, residual_sq};
use crate::data::{BLOCK, Data, Gram};
use crate::init::Factors;
use crate::loss::entry::AnyEntryLoss;
use crate::matrix::Mat;
use crate::real::Real;
use crate::spec::LabelRule;

/// How samples are coded in terms of given centroids: what of a fit `transform` needs besides U.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coding {
    /// By least squares, exactly.
    #[default]
    LeastSquares,
    /// By least squares with a weight for each feature, exactly.
    Features(Vec<f64>),
    /// By the least of an entry-wise loss, as exactly as it can be had.
    Entries {
        /// The loss.
        loss: AnyEntryLoss,
        /// Sweeps of coordinate descent on the absolute residuals after that.
        median_sweeps: usize,
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
    /// Coefficients of every sample, and its residual. Where values are `missing`, they are NaN.
    pub(crate) fn code<T: Real, X: Data<T>>(&self, x: &X, u: &Mat<T>, missing: bool) -> (Mat<T>, Vec<f64>) {
        let ones = vec![1.0; u.rows()];
        let how = match self {
            Self::LeastSquares if !missing => return code(x, u, &[]),
            Self::LeastSquares => Solved::Squares(&ones),
            Self::Separable { features } => return code(x, u, features),
            Self::Posterior(posterior) => {
                let mut factors = Factors { u: u.clone(), v: posterior.code(x, u).0 };
                let residuals = residuals(x, &mut factors);
                return (factors.v, residuals);
            }
            Self::Features(weights) => Solved::Squares(weights),
            Self::Entries { loss, median_sweeps } => Solved::Entries(*loss, *median_sweeps),
        };
        let ((n, d), c, wide) = (x.shape(), u.cols(), u.cast::<f64>());
        let mut v = Mat::zeros(n, c);
        v.as_mut_slice().par_chunks_mut(c).enumerate().for_each(|(i, v)| {
            let mut sample = vec![T::ZERO; d];
            x.read(i..i + 1, 0..d, &mut sample);
            let sample: Vec<f64> = sample.iter().map(|x| x.to_f64()).collect();
            v.iter_mut().zip(solve(&how, &wide, &sample)).for_each(|(v, exact)| *v = T::from_f64(exact));
        });
        let mut factors = Factors { u: u.clone(), v };
        let residuals =
            if missing { observed_residuals(x, u, &factors.v) } else { residuals(x, &mut factors) };
        (factors.v, residuals)
    }

    /// Where V is to be polished, codes it anew; the residuals of what is then there.
    pub(crate) fn finish<T: Real, X: Data<T>>(
        &self,
        x: &X,
        factors: &mut Factors<T>,
        (polish, missing): (bool, bool),
    ) -> Vec<f64> {
        if !polish {
            let Factors { u, v } = &*factors;
            return if missing { observed_residuals(x, u, v) } else { residuals(x, factors) };
        }
        let (coded, residuals) = self.code(x, &factors.u, missing);
        factors.v = coded;
        residuals
    }
}

/// Exact coefficients of every sample, and its residual. The last coefficients are the sample's entries in
/// `features`.
fn code<T: Real, X: Data<T>>(x: &X, u: &Mat<T>, features: &[usize]) -> (Mat<T>, Vec<f64>) {
    let mut v = Mat::zeros(x.shape().0, u.cols());
    let free = u.cols() - features.len();
    let residuals = for_rows_of(x, u, &mut v, |g| {
        let nnls = Nnls::new(&Mat::from_fn(free, free, |k, l| g[(k, l)]));
        move |i, v: &mut [T], p: &[f64]| {
            let (v, own) = v.split_at_mut(free);
            features.iter().zip(&mut *own).for_each(|(&j, own)| x.read(i..i + 1, j..j + 1, from_mut(own)));
            let explained = |k: usize| -> f64 {
                own.iter().zip(&g.row(k)[free..]).map(|(own, g)| g * own.to_f64()).sum()
            };
            let p: Vec<f64> = (0..free).map(|k| p[k] - explained(k)).collect();
            v.iter_mut().zip(nnls.solve(&p)).for_each(|(v, exact)| *v = T::from_f64(exact));
        }
    });
    (v, residuals)
}

/// Residual of every sample at the given factors.
pub(crate) fn residuals<T: Real, X: Data<T>>(x: &X, factors: &mut Factors<T>) -> Vec<f64> {
    for_rows_of(x, &factors.u, &mut factors.v, |_| |_, _: &mut [T], _: &[f64]| {})
}

/// √((d/oᵢ)·Σ mᵢⱼ²) over the oᵢ entries of every sample that are not missing.
fn observed_residuals<T: Real, X: Data<T>>(x: &X, u: &Mat<T>, v: &Mat<T>) -> Vec<f64> {
    let (n, d) = x.shape();
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
    (0..n).into_par_iter().map(residual).collect()
}

/// Lets `prepare(UᵀU)(i, vᵢ, pᵢ)` set every row of V, P = XU, and returns the residuals after it. All in double
/// precision: normal equations square the condition of U. What a sample is coded as does not depend on its
/// neighbours.
fn for_rows_of<T: Real, X: Data<T>, C: Fn(usize, &mut [T], &[f64]) + Sync + Send>(
    x: &X,
    u: &Mat<T>,
    v: &mut Mat<T>,
    prepare: impl FnOnce(Mat<f64>) -> C,
) -> Vec<f64> {
    let (n, c, wide) = (x.shape().0, u.cols(), u.cast::<f64>());
    let mut g = Gram::new(c);
    let g = g.of(&wide);
    let change = prepare(g.clone());
    let mut residuals = vec![0.0; n];
    let blocks = v.as_mut_slice().par_chunks_mut(BLOCK * c).zip(residuals.par_chunks_mut(BLOCK)).enumerate();
    blocks.for_each(|(block, (v, r))| {
        let rows = block * BLOCK..block * BLOCK + r.len();
        let p = x.project_exactly(rows.clone(), &wide);
        let mut gv = vec![0.0; c];
        for (at, i) in rows.enumerate() {
            let (v, p) = (&mut v[at * c..(at + 1) * c], p.row(at));
            change(i, v, p);
            for (k, out) in gv.iter_mut().enumerate() {
                *out = g.row(k).iter().zip(&*v).map(|(g, v)| g * v.to_f64()).sum();
            }
            r[at] = residual_sq(x, i, u, (v, p, &gv)).sqrt();
        }
    });
    residuals
}

/// The largest coefficient of each sample, the first of equal ones.
pub(crate) fn labels<T: Real>(v: &Mat<T>, u: &Mat<T>, rule: LabelRule) -> Vec<usize> {
    let lengths: Vec<f64> = match rule {
        LabelRule::Raw => vec![1.0; u.cols()],
        LabelRule::Unit => {
            let square = |k: usize| (0..u.rows()).map(move |j| u[(j, k)].to_f64().powi(2));
            (0..u.cols()).map(|k| square(k).sum::<f64>().sqrt()).collect()
        }
    };
    let label = |i| {
        let value = |k: usize| v[(i, k)].to_f64() * lengths[k];
        (1..v.cols()).fold(0, |best, k| if value(k) > value(best) { k } else { best })
    };
    (0..v.rows()).map(label).collect()
}
