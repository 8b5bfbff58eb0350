//! The coefficients of one sample that minimise the loss itself, centroids fixed: repeated nonnegative least
//! squares, in double precision. What a sample is coded as depends on nothing but the sample.
//!
//! Losses of residuals are bounded from above by weighted squares, which are minimised exactly and weighed anew;
//! β-divergences are approximated by their second derivatives, and steps that do not descend are halved (Newton).
//! All but correntropy and the β-divergences outside of [1, 2] are convex: what is found is the minimum.

use super::median::sweep_row;
use crate::loss::entry::{AnyEntryLoss, Divergence};
use crate::matrix::Mat;
use crate::method::{Nnls, Penalty};
use crate::real::sealed::{Left, Product};

/// Maximum number of problems that are solved.
const MAX_ITER: usize = 200;
/// The change of the divergence that is too small to go on, and that of the coefficients where they are solved for again and again, as
/// a share of the largest: near its minimum the objective stands still long before they do.
const ENOUGH: f64 = 1e-13;
const SETTLED: f64 = 1e-9;
/// A step that raises the objective by less than this share is right: the objective is too flat to tell.
const FLAT: f64 = 1e-14;
/// The bits of a number that are its power of two.
const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
/// How far from 0 the search for the least divergence begins, of the mean coefficient.
const AWAY: f64 = 0.1;
/// Halvings of a step.
const HALVINGS: usize = 40;

/// How the entries of a sample count.
pub(crate) enum Solved<'a> {
    /// By the square of the residual, times a weight for each feature.
    Squares(&'a [f64]),
    /// By a loss; then so many sweeps of coordinate descent on the absolute residuals. With a penalty on the coefficients,
    /// which only β-divergences have.
    Entries(AnyEntryLoss, usize, Penalty),
}

/// Solves for one sample after the other.
pub(crate) struct Solver<'a> {
    how: Solved<'a>,
    u: &'a Mat<f64>,
    /// Weights of the features in least squares.
    weights: Vec<f64>,
    /// Least squares of samples that miss no value.
    whole: Nnls,
}

impl<'a> Solver<'a> {
    pub(crate) fn new(how: Solved<'a>, u: &'a Mat<f64>) -> Self {
        let weights = match how {
            Solved::Squares(weights) => {
                let unit = unit(weights);
                weights.iter().map(|weight| weight * unit).collect()
            }
            Solved::Entries(..) => vec![1.0; u.rows()],
        };
        let all: Vec<usize> = (0..u.cols()).collect();
        let mut problem = Problem::new(u);
        problem.gram(&all, &weights);
        Self { whole: Nnls::new(&problem.g), how, u, weights }
    }

    /// min over v ≥ 0 of the loss of x against U·v. Where x is NaN, it is missing.
    pub(crate) fn solve(&self, x: &[f64]) -> Vec<f64> {
        if x.iter().all(|&x| x.is_nan() || x == 0.0) {
            return vec![0.0; self.u.cols()];
        }
        match self.how {
            Solved::Squares(_) => self.least_squares(x),
            Solved::Entries(AnyEntryLoss::Divergence(loss), _, penalty) => {
                least_divergence((loss, penalty), self.u, x, &self.least_squares(x))
            }
            Solved::Entries(loss, _, penalty) if loss.beta().is_some() => {
                least_beta((loss, penalty), self.u, x, &self.least_squares(x))
            }
            Solved::Entries(loss, median_sweeps, _) => {
                let mut v = least_loss(loss, self.u, x, self.least_squares(x));
                (0..median_sweeps).for_each(|_| sweep_row(self.u, x, None, &mut v));
                v
            }
        }
    }

    /// min Σ wⱼ(xⱼ − yⱼ)² over the values that are there.
    fn least_squares(&self, x: &[f64]) -> Vec<f64> {
        let w = &self.weights;
        let p = projected(self.u, |j| if x[j].is_nan() { 0.0 } else { w[j] * x[j] });
        if !x.iter().any(|x| x.is_nan()) {
            return self.whole.solve(&p);
        }
        let there: Vec<f64> = x.iter().zip(w).map(|(x, &w)| if x.is_nan() { 0.0 } else { w }).collect();
        let all: Vec<usize> = (0..self.u.cols()).collect();
        Problem::new(self.u).minimise(&all, there, &p, 0.0)
    }
}

/// A power of two that brings weights to about 1: none overflows, and the unit of X does not change a bit.
fn unit(weights: &[f64]) -> f64 {
    let largest = weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    1.0 / f64::from_bits(largest.to_bits() & EXPONENT)
}

/// Uᵀ·z.
fn projected(u: &Mat<f64>, z: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut p = vec![0.0; u.cols()];
    for j in 0..u.rows() {
        let z = z(j);
        if z != 0.0 {
            p.iter_mut().zip(u.row(j)).for_each(|(p, u)| *p += z * u);
        }
    }
    p
}

/// Centroids that have a part in v or would lower the objective if they had: the others stay at 0.
fn useful(v: &[f64], slope: impl Fn(usize) -> f64) -> Vec<usize> {
    (0..v.len()).filter(|&k| v[k] > 0.0 || slope(k) > 0.0).collect()
}

/// Weighted least squares and its buffers.
struct Problem<'a> {
    u: &'a Mat<f64>,
    some: Vec<f64>,
    weighted: Vec<f64>,
    g: Mat<f64>,
}

impl<'a> Problem<'a> {
    fn new(u: &'a Mat<f64>) -> Self {
        Self { u, some: Vec::new(), weighted: Vec::new(), g: Mat::zeros(0, 0) }
    }

    /// Makes G = Uᵀ·diag(h)·U for `some` of the columns of U.
    fn gram(&mut self, some: &[usize], h: &[f64]) {
        let (d, m) = (self.u.rows(), some.len());
        self.some.resize(d * m, 0.0);
        self.weighted.resize(d * m, 0.0);
        let rows = self.some.chunks_exact_mut(m).zip(self.weighted.chunks_exact_mut(m));
        for (j, (one, weighted)) in rows.enumerate() {
            let (h, u) = (h[j], self.u.row(j));
            for ((one, weighted), &k) in one.iter_mut().zip(weighted).zip(some) {
                (*one, *weighted) = (u[k], h * u[k]);
            }
        }
        self.g = Mat::zeros(m, m);
        let weighted = Left::Columns((&*self.weighted, m));
        f64::gemm((self.g.as_mut_slice(), m), weighted, (&*self.some, m), (m, d, m), false);
    }

    /// min ½·Σ hⱼyⱼ² + ½·ridge·‖v‖² − p·v, y = U·v, v ≥ 0, over `some` of the coefficients; the others are 0.
    fn minimise(&mut self, some: &[usize], mut h: Vec<f64>, p: &[f64], ridge: f64) -> Vec<f64> {
        let mut v = vec![0.0; self.u.cols()];
        if some.is_empty() {
            return v;
        }
        let unit = unit(&h);
        h.iter_mut().for_each(|h| *h *= unit);
        self.gram(some, &h);
        (0..some.len()).for_each(|k| self.g[(k, k)] += unit * ridge);
        let p: Vec<f64> = some.iter().map(|&k| unit * p[k]).collect();
        some.iter().zip(Nnls::once(&self.g).solve(&p)).for_each(|(&k, exact)| v[k] = exact);
        v
    }
}

/// U·v.
fn fitted(u: &Mat<f64>, v: &[f64]) -> Vec<f64> {
    let parts: Vec<(usize, f64)> = v.iter().copied().enumerate().filter(|(_, v)| *v > 0.0).collect();
    (0..u.rows()).map(|j| parts.iter().map(|&(k, v)| u.row(j)[k] * v).sum()).collect()
}

fn least_loss(loss: AnyEntryLoss, u: &Mat<f64>, x: &[f64], mut v: Vec<f64>) -> Vec<f64> {
    let mut problem = Problem::new(u);
    let mut y = fitted(u, &v);
    let mut objective = loss.share_of_row(x, &y);
    let mut w = vec![0.0; x.len()];
    for _ in 0..MAX_ITER {
        loss.weigh_row(x, &y, &mut w);
        let weighted = |w: f64, x: f64| if w > 0.0 { w * x } else { 0.0 };
        let p = projected(u, |j| weighted(w[j], x[j]));
        let slope = projected(u, |j| weighted(w[j], x[j] - y[j]));
        let next = problem.minimise(&useful(&v, |k| slope[k]), w.clone(), &p, 0.0);
        let next_y = fitted(u, &next);
        let value = loss.share_of_row(x, &next_y);
        let risen = value - objective;
        // It falls but for rounding.
        if risen.is_nan() || risen > FLAT * objective {
            break;
        }
        let largest = next.iter().copied().fold(0.0, f64::max);
        let settled = v.iter().zip(&next).all(|(v, next)| (next - v).abs() <= SETTLED * largest);
        (v, y, objective) = (next, next_y, value);
        if settled {
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
    /// Σ of the rows of U where x is not missing, and λ₁.
    total: Vec<f64>,
    loss: AnyEntryLoss,
    /// λ₂.
    ridge: Penalty,
}

impl Counts {
    fn new((loss, penalty): (Divergence, Penalty), u: &Mat<f64>, x: &[f64]) -> Self {
        // A feature that no centroid has cannot be fitted.
        let counts: Vec<usize> =
            (0..x.len()).filter(|&j| x[j] > 0.0 && u.row(j).iter().any(|&u| u > 0.0)).collect();
        let mut total = vec![0.0; u.cols()];
        for j in (0..x.len()).filter(|&j| !x[j].is_nan()) {
            total.iter_mut().zip(u.row(j)).for_each(|(total, u)| *total += u);
        }
        total.iter_mut().for_each(|total| *total += penalty.l1);
        let rows = Mat::from_fn(counts.len(), u.cols(), |t, k| u[(counts[t], k)]);
        let (x, ridge) = (counts.iter().map(|&j| x[j]).collect(), Penalty { l1: 0.0, ..penalty });
        Self { u: rows, x, total, loss: loss.into(), ridge }
    }

    fn value(&self, v: &[f64], y: &[f64]) -> f64 {
        let all: f64 = self.total.iter().zip(v).map(|(total, v)| total * v).sum();
        let fitted: f64 = y.iter().sum();
        self.loss.share_of_row(&self.x, y) - fitted + all + self.ridge.of(v)
    }
}

/// `near` is where it may be looked for.
fn least_divergence(
    (loss, penalty): (Divergence, Penalty),
    u: &Mat<f64>,
    x: &[f64],
    near: &[f64],
) -> Vec<f64> {
    let counts = Counts::new((loss, penalty), u, x);
    let c = u.cols();
    let (sum, all): (f64, f64) = (counts.x.iter().sum(), counts.total.iter().sum());
    if sum == 0.0 || all == 0.0 {
        return vec![0.0; c];
    }
    let mut problem = Problem::new(&counts.u);
    // No entry that counts may be fitted by 0.
    let mut v: Vec<f64> = near.iter().map(|near| near + AWAY * sum / all).collect();
    let mut y = fitted(&counts.u, &v);
    let mut objective = counts.value(&v, &y);
    for _ in 0..MAX_ITER {
        // With D = diag(x/y²) the slope is UᵀDy − total − λ₂v and the curvature UᵀDU + λ₂I: p is the curvature times v, and
        // the slope.
        let pull = projected(&counts.u, |t| counts.x[t] / y[t].max(loss.floor));
        let less = |times: f64| pull.iter().zip(&counts.total).map(move |(pull, total)| times * pull - total);
        let (slope, p): (Vec<f64>, Vec<f64>) = (less(1.0).collect(), less(2.0).collect());
        let l2 = counts.ridge.l2;
        let curvature = |(x, &y): (&f64, &f64)| if y > loss.floor { x / y / y } else { 0.0 };
        let curvature = counts.x.iter().zip(&y).map(curvature).collect();
        let target = problem.minimise(&useful(&v, |k| slope[k] - l2 * v[k]), curvature, &p, l2);
        let value = |v: &[f64]| counts.value(v, &fitted(&counts.u, v));
        let Some((next, value)) = descend(&v, &target, objective + FLAT * sum, value) else { break };
        let gain = objective - value;
        (y, v, objective) = (fitted(&counts.u, &next), next, value);
        if gain <= ENOUGH * sum {
            break;
        }
    }
    v
}

/// The same of any β-divergence, with the part of its second derivative that is not negative: it bends upwards there at least
/// as much.
fn least_beta((loss, penalty): (AnyEntryLoss, Penalty), u: &Mat<f64>, x: &[f64], near: &[f64]) -> Vec<f64> {
    let (beta, floor) = loss.beta().unwrap_or_default();
    let there = |j: usize| if x[j].is_nan() { 0.0 } else { 1.0 };
    let sum: f64 = x.iter().filter(|x| !x.is_nan()).sum();
    let all: f64 = projected(u, there).iter().sum();
    if all == 0.0 {
        return vec![0.0; u.cols()];
    }
    let mut problem = Problem::new(u);
    // No entry may be fitted by 0.
    let mut v: Vec<f64> = near.iter().map(|near| near + AWAY * sum / all).collect();
    let value = |v: &[f64]| loss.share_of_row(x, &fitted(u, v)) + penalty.of(v);
    let mut objective = value(&v);
    let scale = objective.abs();
    let mut w = vec![0.0; x.len()];
    for _ in 0..MAX_ITER {
        let y = fitted(u, &v);
        loss.weigh_row(x, &y, &mut w);
        let slope_at = |j: usize| if w[j] > 0.0 { w[j] * (x[j] - y[j]) } else { 0.0 };
        let curvature_at = |j: usize| {
            let of_x = if w[j] > 0.0 { w[j] * x[j] / y[j].max(floor) } else { 0.0 };
            (beta - 1.0).max(0.0) * w[j] + (2.0 - beta).max(0.0) * of_x
        };
        let curvature: Vec<f64> = (0..x.len()).map(curvature_at).collect();
        let slope = projected(u, slope_at);
        let mut p = projected(u, |j| curvature[j] * y[j] + slope_at(j));
        p.iter_mut().for_each(|p| *p -= penalty.l1);
        let steep = |k: usize| slope[k] - penalty.l1 - penalty.l2 * v[k];
        let target = problem.minimise(&useful(&v, steep), curvature, &p, penalty.l2);
        let Some((next, lower)) = descend(&v, &target, objective + FLAT * scale, value) else { break };
        let gain = objective - lower;
        (v, objective) = (next, lower);
        if gain <= ENOUGH * scale {
            break;
        }
    }
    v
}

/// The first point on the way back from `target` to v where the `value` is below `limit`.
fn descend(v: &[f64], target: &[f64], limit: f64, value: impl Fn(&[f64]) -> f64) -> Option<(Vec<f64>, f64)> {
    let mut share = 1.0;
    for _ in 0..HALVINGS {
        let next: Vec<f64> = v.iter().zip(target).map(|(v, to)| (1.0 - share) * v + share * to).collect();
        let found = value(&next);
        if found < limit {
            return Some((next, found));
        }
        share *= 0.5;
    }
    None
}
