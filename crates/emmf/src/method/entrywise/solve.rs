//! The coefficients of one sample that minimise the loss itself, centroids fixed: repeated nonnegative least
//! squares, in double precision. What a sample is coded as depends on nothing but the sample.
//!
//! Losses of residuals are bounded from above by weighted squares, which are minimised exactly and weighed anew;
//! the divergence is approximated by its second derivatives, and steps that do not descend are halved (Newton).
//! All but correntropy are convex: what is found is the minimum.

use super::median::sweep_row;
use crate::loss::entry::{AnyEntryLoss, Divergence};
use crate::matrix::Mat;
use crate::method::Nnls;
use crate::real::sealed::{Left, Product};

/// Problems that are solved at the most, and the change of the objective that is too small to go on.
const MAX_ITER: usize = 200;
const ENOUGH: f64 = 1e-13;
/// Halvings of a step.
const HALVINGS: usize = 40;

/// How the entries of a sample count.
pub(crate) enum Solved<'a> {
    /// By the square of the residual, times a weight for each feature.
    Squares(&'a [f64]),
    /// By a loss; then so many sweeps of coordinate descent on the absolute residuals.
    Entries(AnyEntryLoss, usize),
}

/// min over v ≥ 0 of the loss of x against U·v. Where x is NaN, it is missing.
pub(crate) fn solve(how: &Solved<'_>, u: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    if x.iter().all(|&x| x.is_nan() || x == 0.0) {
        return vec![0.0; u.cols()];
    }
    match how {
        Solved::Squares(weights) => {
            Problem::new(u).solve(|j| if x[j].is_nan() { 0.0 } else { weights[j] }, x)
        }
        Solved::Entries(AnyEntryLoss::Divergence(loss), _) => least_divergence(*loss, u, x),
        Solved::Entries(loss, median_sweeps) => {
            let mut v = least_loss(*loss, u, x);
            (0..*median_sweeps).for_each(|_| sweep_row(u, x, None, &mut v));
            v
        }
    }
}

/// Weighted least squares and its buffers.
struct Problem<'a> {
    u: &'a Mat<f64>,
    weighted: Mat<f64>,
    g: Mat<f64>,
}

impl<'a> Problem<'a> {
    fn new(u: &'a Mat<f64>) -> Self {
        Self { u, weighted: Mat::zeros(u.rows(), u.cols()), g: Mat::zeros(u.cols(), u.cols()) }
    }

    /// min Σ hⱼ(yⱼ)²/2 − tⱼyⱼ, y = U·v, v ≥ 0, less `slope`·v.
    fn minimise(&mut self, h: impl Fn(usize) -> f64, p: &[f64]) -> Vec<f64> {
        let (d, c) = self.u.shape();
        for j in 0..d {
            let h = h(j);
            self.weighted.row_mut(j).iter_mut().zip(self.u.row(j)).for_each(|(out, u)| *out = h * u);
        }
        let weighted = Left::Columns((self.weighted.as_slice(), c));
        f64::gemm((self.g.as_mut_slice(), c), weighted, (self.u.as_slice(), c), (c, d, c), false);
        Nnls::new(&self.g).solve(p)
    }

    /// min Σ wⱼ(xⱼ − yⱼ)².
    fn solve(&mut self, w: impl Fn(usize) -> f64, x: &[f64]) -> Vec<f64> {
        let mut p = vec![0.0; self.u.cols()];
        for (j, &x) in x.iter().enumerate() {
            let w = w(j);
            if w > 0.0 {
                p.iter_mut().zip(self.u.row(j)).for_each(|(p, u)| *p += w * x * u);
            }
        }
        self.minimise(w, &p)
    }
}

/// U·v.
fn fitted(u: &Mat<f64>, v: &[f64]) -> Vec<f64> {
    (0..u.rows()).map(|j| u.row(j).iter().zip(v).map(|(u, v)| u * v).sum()).collect()
}

fn least_loss(loss: AnyEntryLoss, u: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    let mut problem = Problem::new(u);
    let mut v = problem.solve(|j| f64::from(u8::from(!x[j].is_nan())), x);
    let mut y = fitted(u, &v);
    let mut objective = loss.share_of_row(x, &y);
    let mut w = vec![0.0; x.len()];
    for _ in 0..MAX_ITER {
        loss.weigh_row(x, &y, &mut w);
        let next = problem.solve(|j| w[j], x);
        let next_y = fitted(u, &next);
        let value = loss.share_of_row(x, &next_y);
        let gain = objective - value;
        // Also where it is NaN.
        if gain.is_nan() || gain <= 0.0 {
            break;
        }
        (v, y, objective) = (next, next_y, value);
        if gain <= ENOUGH * objective {
            break;
        }
    }
    v
}

/// Σ over the entries of x that are not 0 of x·log(x/y), plus Σ y: the divergence but for a constant.
struct Counts {
    /// The rows of U where x is not 0, and x there.
    u: Mat<f64>,
    x: Vec<f64>,
    /// Σ of the rows of U where x is not missing.
    total: Vec<f64>,
    loss: AnyEntryLoss,
}

impl Counts {
    fn new(loss: Divergence, u: &Mat<f64>, x: &[f64]) -> Self {
        // A feature that no centroid has cannot be fitted.
        let counts: Vec<usize> =
            (0..x.len()).filter(|&j| x[j] > 0.0 && u.row(j).iter().any(|&u| u > 0.0)).collect();
        let mut total = vec![0.0; u.cols()];
        for j in (0..x.len()).filter(|&j| !x[j].is_nan()) {
            total.iter_mut().zip(u.row(j)).for_each(|(total, u)| *total += u);
        }
        let rows = Mat::from_fn(counts.len(), u.cols(), |t, k| u[(counts[t], k)]);
        Self { u: rows, x: counts.iter().map(|&j| x[j]).collect(), total, loss: loss.into() }
    }

    fn value(&self, v: &[f64], y: &[f64]) -> f64 {
        let all: f64 = self.total.iter().zip(v).map(|(total, v)| total * v).sum();
        let fitted: f64 = y.iter().sum();
        self.loss.share_of_row(&self.x, y) - fitted + all
    }
}

fn least_divergence(loss: Divergence, u: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    let counts = Counts::new(loss, u, x);
    let c = u.cols();
    let (sum, all): (f64, f64) = (counts.x.iter().sum(), counts.total.iter().sum());
    if sum == 0.0 || all == 0.0 {
        return vec![0.0; c];
    }
    let mut v = vec![sum / all; c];
    let mut problem = Problem::new(&counts.u);
    let mut y = fitted(&counts.u, &v);
    let mut objective = counts.value(&v, &y);
    for _ in 0..MAX_ITER {
        // With D = diag(x/y²) the slope is UᵀDy − total and the curvature UᵀDU: p = UᵀDUv + slope.
        let mut p: Vec<f64> = counts.total.iter().map(|total| -total).collect();
        for (t, (x, y)) in counts.x.iter().zip(&y).enumerate() {
            let by = 2.0 * x / y.max(loss.floor);
            p.iter_mut().zip(counts.u.row(t)).for_each(|(p, u)| *p += by * u);
        }
        let curvature = |t: usize| if y[t] > loss.floor { counts.x[t] / y[t] / y[t] } else { 0.0 };
        let target = problem.minimise(curvature, &p);
        let Some((next, value)) = descend(&counts, &v, &target, objective) else { break };
        let gain = objective - value;
        (y, v, objective) = (fitted(&counts.u, &next), next, value);
        if gain <= ENOUGH * counts.x.iter().sum::<f64>() {
            break;
        }
    }
    v
}

/// The first point on the way to `target` that is lower than `objective`.
fn descend(counts: &Counts, v: &[f64], target: &[f64], objective: f64) -> Option<(Vec<f64>, f64)> {
    let mut share = 1.0;
    for _ in 0..HALVINGS {
        let next: Vec<f64> = v.iter().zip(target).map(|(v, to)| (1.0 - share) * v + share * to).collect();
        let value = counts.value(&next, &fitted(&counts.u, &next));
        if value < objective {
            return Some((next, value));
        }
        share *= 0.5;
    }
    None
}
