//! Slow, plain versions of what the library does: nested loops in double precision, no Gram matrices, no
//! blocks, no threads. They are written to be read, and everything else is compared with them.

#![allow(dead_code, reason = "every test binary uses its own part of this module")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may fail and speak in its helpers too"
)]

pub(crate) mod deep;
pub(crate) mod dense;
pub(crate) mod entrywise;
pub(crate) mod escapes;
pub(crate) mod lsnmf;
pub(crate) mod pnmf;
pub(crate) mod problems;
pub(crate) mod rivals;
pub(crate) mod rmnmf;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use emmf::{Factors, Fit, Given, Mat, Pool, Real, Result, Running, Samples, Solver, Spec, registry};

/// One factorization, written down in full.
pub(crate) struct Oracle {
    pub(crate) x: Mat<f64>,
    /// How often each sample counts.
    pub(crate) s: Vec<f64>,
    pub(crate) method: String,
    pub(crate) params: BTreeMap<String, f64>,
    /// Exponent of the multiplicative update, or sweeps of HALS.
    pub(crate) rule: Rule,
    pub(crate) epsilon: f64,
    /// θ of the capped norm, once it is known.
    theta: f64,
    /// δ of the entry-wise losses, once it is known.
    delta: f64,
}

#[derive(Clone, Copy)]
pub(crate) enum Rule {
    Mu(f64),
    Hals(usize),
}

impl Oracle {
    /// What `spec` asks for, on preprocessed samples.
    pub(crate) fn new(spec: &Spec, x: &Mat<f64>) -> Self {
        let norm = |i: usize| x.row(i).iter().map(|a| a * a).sum::<f64>().sqrt();
        let mean_norm = (0..x.rows()).map(norm).sum::<f64>() / x.rows() as f64;
        let published = registry::find(&spec.method).unwrap().exponent.unwrap_or(1.0);
        Self {
            x: x.clone(),
            s: vec![1.0; x.rows()],
            method: spec.method.clone(),
            params: spec.params.clone(),
            rule: match registry::find(&spec.method).unwrap().solver(spec) {
                Solver::Mu => Rule::Mu(spec.exponent.unwrap_or(published)),
                Solver::Hals => Rule::Hals(spec.sweeps),
                solver => unimplemented!("{solver}"),
            },
            epsilon: spec.epsilon.unwrap_or_else(|| {
                if entrywise::ENTRYWISE.contains(&&*spec.method) {
                    entrywise::epsilon(&spec.method, x)
                } else {
                    (1e-10 * mean_norm).max(1e-150)
                }
            }),
            theta: f64::INFINITY,
            delta: f64::INFINITY,
        }
    }

    fn param(&self, name: &str, default: f64) -> f64 {
        self.params.get(name).copied().unwrap_or(default)
    }

    /// ‖xᵢ − U·vᵢ‖₂, not smoothed.
    pub(crate) fn residuals(&self, f: &Factors<f64>) -> Vec<f64> {
        residuals(&self.x, f)
    }

    /// The residuals as the loss takes them: √(‖m‖² + ε²) where its weight has a pole at 0, be it by way of the width.
    pub(crate) fn smoothed(&self, f: &Factors<f64>) -> Vec<f64> {
        let smooth = match self.method.as_str() {
            "nmf" => false,
            "rcim-nmf" => !self.params.contains_key("width"),
            _ => true,
        };
        let by = if smooth { self.epsilon * self.epsilon } else { 0.0 };
        self.residuals(f).iter().map(|r| (r * r + by).sqrt()).collect()
    }

    fn double_variance(&self, r: &[f64]) -> f64 {
        let weighted: f64 = r.iter().zip(&self.s).map(|(r, s)| s * r * r).sum();
        let mean = weighted / self.s.iter().sum::<f64>();
        self.params.get("width").map_or(mean, |width| 2.0 * width * width).max(f64::MIN_POSITIVE)
    }

    /// Σ sᵢρ(rᵢ).
    pub(crate) fn objective(&self, f: &Factors<f64>) -> f64 {
        if self.is_entrywise() {
            return self.entry_objective(f);
        }
        let r = self.smoothed(f);
        let total: f64 = r.iter().zip(&self.s).map(|(r, s)| r * s).sum();
        let a = self.param("scale", 1.0);
        let share = |r: f64| match self.method.as_str() {
            "emmf" | "deep-emmf" => -r * (r / total).ln(),
            "nmf" => r * r,
            "l21-nmf" => r,
            "hx-nmf" => a * (r / a).ln_1p(),
            "capped-nmf" => r.min(self.theta),
            "rcim-nmf" => -(-r * r / self.double_variance(&self.smoothed(f))).exp_m1(),
            other => panic!("{other} is registered: add its loss to the oracle"),
        };
        r.iter().zip(&self.s).map(|(&r, s)| s * share(r)).sum()
    }

    /// sᵢQᵢᵢ of this iteration.
    pub(crate) fn q(&self, f: &Factors<f64>) -> Vec<f64> {
        self.weights(&self.method, &self.smoothed(f))
    }

    fn weights(&self, method: &str, r: &[f64]) -> Vec<f64> {
        let total: f64 = r.iter().zip(&self.s).map(|(r, s)| r * s).sum();
        let a = self.param("scale", 1.0);
        let weight = |r_i: f64| match method {
            "emmf" | "deep-emmf" => (total / r_i).ln() / r_i,
            "nmf" => 2.0,
            "l21-nmf" => 1.0 / r_i,
            "hx-nmf" => 1.0 / (r_i * (1.0 + r_i / a)),
            "capped-nmf" => f64::from(u8::from(r_i <= self.theta)) / r_i,
            "rcim-nmf" => {
                let double_variance = self.double_variance(r);
                2.0 / double_variance * (-r_i * r_i / double_variance).exp()
            }
            other => panic!("{other} is registered: add its weight to the oracle"),
        };
        r.iter().zip(&self.s).map(|(&r, s)| s * weight(r)).collect()
    }

    /// What has to happen before the first iteration: scales that are not given come from the residuals after one
    /// l2,1 iteration.
    pub(crate) fn begin(&mut self, f: &mut Factors<f64>) {
        if self.is_entrywise() {
            return self.begin_entries(f);
        }
        let robust = self.param("robust", 0.0) == 1.0;
        let given = self.params.contains_key("width") || self.params.contains_key("threshold");
        if robust && !given {
            return self.begin_robustly(f);
        }
        if self.method != "capped-nmf" {
            return;
        }
        if let Some(&theta) = self.params.get("threshold") {
            self.theta = theta;
            return;
        }
        let q = self.weights("l21-nmf", &self.smoothed(f));
        self.move_factors(&q, f);
        let mut r: Vec<(f64, f64)> = self.smoothed(f).into_iter().zip(self.s.iter().copied()).collect();
        r.sort_by(|a, b| a.0.total_cmp(&b.0));
        let quantile = self.param("quantile", 0.95) * self.s.iter().sum::<f64>();
        // The smallest residual that this share of the samples does not exceed.
        let mut below = 0.0;
        for (r, s) in r {
            below += s;
            self.theta = r;
            if below >= quantile - 1e-9 {
                break;
            }
        }
    }

    /// Scales by the median residual.
    fn begin_robustly(&mut self, f: &mut Factors<f64>) {
        let smoothed = |f: &Factors<f64>| -> Vec<f64> {
            self.residuals(f).iter().map(|r| r.hypot(self.epsilon)).collect()
        };
        let q = self.weights("l21-nmf", &smoothed(f));
        self.move_factors(&q, f);
        let r = smoothed(f);
        let median = self.median(&r);
        let off: Vec<f64> = r.iter().map(|r| (r - median).abs()).collect();
        self.theta = median + 3.5 * 1.4826 * self.median(&off);
        self.params.insert("scale".into(), median);
        self.params.insert("width".into(), median / 2.0_f64.sqrt());
    }

    /// The least value that half of the samples do not exceed.
    fn median(&self, values: &[f64]) -> f64 {
        let half = 0.5 * self.s.iter().sum::<f64>();
        let below = |limit: f64| -> f64 {
            values.iter().zip(&self.s).filter(|(value, _)| **value <= limit).map(|(_, s)| s).sum()
        };
        let enough = values.iter().copied().filter(|&value| below(value) >= half - 1e-9);
        enough.fold(f64::INFINITY, f64::min)
    }

    /// One iteration: weights, U, V with the new U.
    pub(crate) fn iterate(&self, f: &mut Factors<f64>) {
        if self.is_entrywise() {
            return self.iterate_entries(f);
        }
        let q = self.q(f);
        self.move_factors(&q, f);
    }

    fn move_factors(&self, q: &[f64], f: &mut Factors<f64>) {
        let (n, d) = self.x.shape();
        let largest = q.iter().copied().fold(0.0, f64::max);
        let q: Vec<f64> = q.iter().map(|q| if largest > 0.0 { q / largest } else { 0.0 }).collect();
        for j in 0..d {
            let column: Vec<f64> = (0..n).map(|i| self.x[(i, j)]).collect();
            let row = self.moved(f.u.row(j), &column, &f.v, &q);
            f.u.row_mut(j).copy_from_slice(&row);
        }
        let ones = vec![1.0; d];
        for i in 0..n {
            let mut row = self.moved(f.v.row(i), self.x.row(i), &f.u, &ones);
            if self.x.row(i).iter().all(|&x| x == 0.0) {
                row.fill(0.0);
            }
            f.v.row_mut(i).copy_from_slice(&row);
        }
    }

    /// Lowers Σ_t q_t·(y_t − Σ_l a_l·B_tl)² over a ≥ 0.
    fn moved(&self, a: &[f64], y: &[f64], b: &Mat<f64>, q: &[f64]) -> Vec<f64> {
        let fitted = |a: &[f64], t: usize| -> f64 { a.iter().zip(b.row(t)).map(|(a, b)| a * b).sum() };
        let mut a = a.to_vec();
        match self.rule {
            Rule::Mu(exponent) => {
                let ratio = |k: usize| {
                    let num: f64 = (0..y.len()).map(|t| q[t] * y[t] * b[(t, k)]).sum();
                    let den: f64 = (0..y.len()).map(|t| q[t] * fitted(&a, t) * b[(t, k)]).sum();
                    if den > 0.0 { num / den } else { 1.0 }
                };
                let ratios: Vec<f64> = (0..a.len()).map(ratio).collect();
                a.iter_mut().zip(ratios).for_each(|(a, ratio)| *a *= ratio.powf(exponent));
            }
            Rule::Hals(sweeps) => {
                for _ in 0..sweeps {
                    for k in 0..a.len() {
                        let rest = |t: usize| y[t] - fitted(&a, t) + a[k] * b[(t, k)];
                        let num: f64 = (0..y.len()).map(|t| q[t] * b[(t, k)] * rest(t)).sum();
                        let den: f64 = (0..y.len()).map(|t| q[t] * b[(t, k)] * b[(t, k)]).sum();
                        let terms: f64 =
                            (0..y.len()).map(|t| q[t] * b[(t, k)] * (y[t] + fitted(&a, t))).sum();
                        if den > 0.0 {
                            a[k] = if num <= f64::NOISE * terms { 0.0 } else { num / den };
                        }
                    }
                }
            }
        }
        a
    }
}

/// ‖xᵢ − U·vᵢ‖₂ of every sample.
pub(crate) fn residuals(x: &Mat<f64>, f: &Factors<f64>) -> Vec<f64> {
    let entry = |i: usize, j: usize| {
        let fitted: f64 = f.u.row(j).iter().zip(f.v.row(i)).map(|(u, v)| u * v).sum();
        x[(i, j)] - fitted
    };
    (0..x.rows()).map(|i| (0..x.cols()).map(|j| entry(i, j).powi(2)).sum::<f64>().sqrt()).collect()
}

/// What rounding can add to an objective at residuals `r` with weights `q`. The objective is concave in
/// every r², so a change δ of r² adds at most ½qδ. There are two sources, with m = max(‖x‖, r) and e the
/// rounding of a sum of d + c terms in the number type:
/// - the Gram form of r² is off by e·m², unless it was recomputed from its definition;
/// - U·v is off by e·m, which changes r² by 2r·e·m + (e·m)².
///
/// A weight of 0 is that of a capped sample, which may come back with 1/r.
/// The sum over the samples itself is in double precision; terms of the entropy are as large as r.
pub(crate) fn rounding<T: Real>(x: &Mat<f64>, k: usize, r: &[f64], q: &[f64]) -> f64 {
    let unit = if T::NAME == "f32" { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let e = 4.0 * (x.cols() + k + 4) as f64 * unit;
    let sample = |i: usize| {
        let m = x.row(i).iter().map(|x| x * x).sum::<f64>().sqrt().max(r[i]);
        let gram = if r[i] * r[i] > 0.5 * T::CANCELLATION * m * m { e * m * m } else { 0.0 };
        let q = if q[i] > 0.0 { q[i] } else { 1.0 / r[i].max(e * m).max(f64::MIN_POSITIVE) };
        0.5 * q * (gram + 2.0 * r[i] * e * m + (e * m).powi(2)) + 4.0 * f64::EPSILON * r[i]
    };
    (0..x.rows()).map(sample).sum()
}

/// The nearest column of `centroids` for every sample, and the squared distance to it.
pub(crate) fn nearest(x: &Mat<f64>, centroids: &Mat<f64>) -> Vec<(usize, f64)> {
    let distance =
        |i: usize, k: usize| -> f64 { (0..x.cols()).map(|j| (x[(i, j)] - centroids[(j, k)]).powi(2)).sum() };
    let best = |i: usize| {
        let all = (0..centroids.cols()).map(|k| (k, distance(i, k)));
        all.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    };
    (0..x.rows()).map(best).collect()
}

/// min ‖x − U·a‖ over a ≥ 0 by trying every set of nonzero coefficients; returns a and the minimum.
/// The least squares of each set are solved by Gram-Schmidt on the columns of U themselves.
pub(crate) fn nnls(u: &Mat<f64>, x: &[f64]) -> (Vec<f64>, f64) {
    let (d, c) = u.shape();
    let mut best = (vec![0.0; c], x.iter().map(|x| x * x).sum::<f64>().sqrt());
    for set in 1_u32..1 << c {
        let chosen: Vec<usize> = (0..c).filter(|k| set >> k & 1 == 1).collect();
        let Some(a) = least_squares(u, x, &chosen) else { continue };
        if a.iter().any(|&a| a < 0.0) {
            continue;
        }
        let fitted = |j: usize| -> f64 { chosen.iter().zip(&a).map(|(&k, a)| a * u[(j, k)]).sum() };
        let residual = (0..d).map(|j| (x[j] - fitted(j)).powi(2)).sum::<f64>().sqrt();
        if residual < best.1 {
            let mut full = vec![0.0; c];
            chosen.iter().zip(&a).for_each(|(&k, &a)| full[k] = a);
            best = (full, residual);
        }
    }
    best
}

/// Least squares on some columns of U; `None` where they are linearly dependent.
pub(crate) fn least_squares(u: &Mat<f64>, x: &[f64], chosen: &[usize]) -> Option<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut upper: Vec<Vec<f64>> = Vec::new();
    for &k in chosen {
        let column: Vec<f64> = (0..u.rows()).map(|j| u[(j, k)]).collect();
        let (mut rest, mut shares) = (column.clone(), vec![0.0; basis.len()]);
        // Twice is enough.
        for _ in 0..2 {
            for (share, q) in shares.iter_mut().zip(&basis) {
                let by = dot(&rest, q);
                *share += by;
                rest.iter_mut().zip(q).for_each(|(rest, q)| *rest -= by * q);
            }
        }
        let length = dot(&rest, &rest).sqrt();
        if length <= 1e-13 * dot(&column, &column).sqrt() {
            return None;
        }
        shares.push(length);
        upper.push(shares);
        basis.push(rest.iter().map(|x| x / length).collect());
    }
    let mut a = vec![0.0; chosen.len()];
    for m in (0..a.len()).rev() {
        let later: f64 = (m + 1..a.len()).map(|t| upper[t][m] * a[t]).sum();
        a[m] = (dot(&basis[m], x) - later) / upper[m][m];
    }
    Some(a)
}

/// Enough samples pull at U to pin it down. The capped norm may leave fewer than there are centroids, and
/// exactly fitted samples do not pull: the rest of U is then whatever rounding makes of it.
pub(crate) fn determined<T: Real>(fit: &Fit<T>, x: &Mat<f64>) -> bool {
    let exact = if T::NAME == "f32" { 1e-3 } else { 1e-5 };
    let norm = |i: usize| x.row(i).iter().map(|x| x * x).sum::<f64>().sqrt();
    let pulls = |&i: &usize| fit.weights[i] > 0.0 && fit.residuals[i] > exact * norm(i) && norm(i) > 0.0;
    (0..x.rows()).filter(pulls).count() > fit.v.cols()
}

/// A fit from a given start.
pub(crate) fn fit_from<'a, T: Real>(
    spec: &Spec,
    x: impl Into<Samples<'a, T>>,
    start: &Factors<T>,
) -> Result<Fit<T>> {
    weighted_fit_from(spec, x, start, None)
}

/// A fit from a given start with sample weights.
pub(crate) fn weighted_fit_from<'a, T: Real>(
    spec: &Spec,
    x: impl Into<Samples<'a, T>>,
    start: &Factors<T>,
    sample_weights: Option<&[f64]>,
) -> Result<Fit<T>> {
    // No result depends on the threads, and these problems are too small for a pool of their own.
    static POOL: LazyLock<Pool> = LazyLock::new(|| Pool::new(Some(1)).unwrap());
    let running = Running::on(&*POOL);
    spec.on(x).given(Given { sample_weights, start: Some(start), running, ..Given::default() }).fit()
}

/// It is refused with a message that names all parts.
#[track_caller]
pub(crate) fn says<T>(result: Result<T>, parts: &[&str]) {
    let Err(error) = result else { panic!("should be refused: {parts:?}") };
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "'{message}' should name '{part}'");
    }
}
