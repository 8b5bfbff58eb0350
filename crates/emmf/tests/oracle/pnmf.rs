//! Variational Bayes NMF as it is written down: for every k the residual without component k, entry by entry,
//! O(ndc²), with textbook moments. Right only where no tail is far: x = −μ√τ below about 6.

use emmf::{Factors, Mat};

/// Priors: λ of U and V, shape and rate of τ, shape and rate of λ_k where it is not fixed.
#[derive(Clone, Copy)]
pub(crate) struct Priors {
    pub(crate) lambda: f64,
    pub(crate) noise: (f64, f64),
    pub(crate) relevance: Option<(f64, f64)>,
}

/// A factor: for every entry μ, τ_q, mean and variance.
struct Side {
    mu: Mat<f64>,
    tau: Mat<f64>,
    mean: Mat<f64>,
    variance: Mat<f64>,
}

pub(crate) struct Bayes {
    x: Mat<f64>,
    /// How often each sample counts.
    s: Vec<f64>,
    priors: Priors,
    u: Side,
    v: Side,
    pub(crate) rate: Vec<f64>,
    pub(crate) precision: f64,
}

const ROOT_TWO_PI: f64 = 2.506_628_274_631_000_7;

/// Φ(z) by the series φ(z)·(z + z³/3 + z⁵/15 + …), or by a continued fraction below −3.
fn normal_cdf(z: f64) -> f64 {
    let density = (-0.5 * z * z).exp() / ROOT_TWO_PI;
    if z < -3.0 {
        let fraction = (1..400).rev().fold(0.0, |rest, k| f64::from(k) / (-z + rest));
        return density / (-z + fraction);
    }
    let (mut term, mut sum) = (z, z);
    for k in 1..2000 {
        term *= z * z / f64::from(2 * k + 1);
        sum += term;
    }
    if z > 20.0 { 1.0 } else { 0.5 + density * sum }
}

fn ln_gamma(x: f64) -> f64 {
    let (mut shift, mut y) = (0.0, x);
    while y < 30.0 {
        shift += y.ln();
        y += 1.0;
    }
    let series = 1.0 / (12.0 * y) - 1.0 / (360.0 * y.powi(3)) + 1.0 / (1260.0 * y.powi(5));
    (y - 0.5) * y.ln() - y + ROOT_TWO_PI.ln() + series - shift
}

fn digamma(x: f64) -> f64 {
    let (mut shift, mut y) = (0.0, x);
    while y < 30.0 {
        shift += 1.0 / y;
        y += 1.0;
    }
    y.ln() - 0.5 / y - 1.0 / (12.0 * y * y) + 1.0 / (120.0 * y.powi(4)) - 1.0 / (252.0 * y.powi(6)) - shift
}

impl Side {
    fn new(mu: &Mat<f64>) -> Self {
        let one = Mat::from_fn(mu.rows(), mu.cols(), |_, _| 1.0);
        let mut side = Self { mu: mu.clone(), tau: one.clone(), mean: one.clone(), variance: one };
        for i in 0..mu.rows() {
            (0..mu.cols()).for_each(|k| side.set(i, k, mu[(i, k)], 1.0));
        }
        side
    }

    fn set(&mut self, i: usize, k: usize, mu: f64, tau: f64) {
        let (sigma, x) = (tau.powf(-0.5), -mu * tau.sqrt());
        let hazard = (-0.5 * x * x).exp() / ROOT_TWO_PI / normal_cdf(-x);
        (self.mu[(i, k)], self.tau[(i, k)]) = (mu, tau);
        self.mean[(i, k)] = mu + sigma * hazard;
        self.variance[(i, k)] = sigma * sigma * (1.0 - hazard * (hazard - x));
    }

    fn second(&self, i: usize, k: usize) -> f64 {
        self.variance[(i, k)] + self.mean[(i, k)].powi(2)
    }

    fn entropy(&self, i: usize) -> f64 {
        let entry = |k: usize| {
            let (mu, tau) = (self.mu[(i, k)], self.tau[(i, k)]);
            let spread = self.variance[(i, k)] + (self.mean[(i, k)] - mu).powi(2);
            -0.5 * tau.ln() + ROOT_TWO_PI.ln() + normal_cdf(mu * tau.sqrt()).ln() + 0.5 * tau * spread
        };
        (0..self.mu.cols()).map(entry).sum()
    }
}

impl Bayes {
    pub(crate) fn new(x: &Mat<f64>, s: &[f64], start: &Factors<f64>, priors: Priors) -> Self {
        let (u, v) = (Side::new(&start.u), Side::new(&start.v));
        let rate = vec![priors.lambda; start.u.cols()];
        let mut bayes = Self { x: x.clone(), s: s.to_vec(), priors, u, v, rate, precision: 1.0 };
        bayes.update_scales();
        bayes
    }

    pub(crate) fn means(&self) -> Factors<f64> {
        Factors { u: self.u.mean.clone(), v: self.v.mean.clone() }
    }

    pub(crate) fn variances(&self) -> Factors<f64> {
        Factors { u: self.u.variance.clone(), v: self.v.variance.clone() }
    }

    /// x_ij without what the components but k explain.
    fn without(&self, i: usize, j: usize, k: usize) -> f64 {
        let others = (0..self.rate.len()).filter(|l| *l != k);
        self.x[(i, j)] - others.map(|l| self.v.mean[(i, l)] * self.u.mean[(j, l)]).sum::<f64>()
    }

    pub(crate) fn iterate(&mut self) {
        let ((n, d), c, t) = (self.x.shape(), self.rate.len(), self.precision);
        for k in 0..c {
            let tau: f64 = t * (0..n).map(|i| self.s[i] * self.v.second(i, k)).sum::<f64>();
            for j in 0..d {
                let pull = |i: usize| self.s[i] * self.without(i, j, k) * self.v.mean[(i, k)];
                let mu = (t * (0..n).map(pull).sum::<f64>() - self.rate[k]) / tau;
                self.u.set(j, k, mu, tau);
            }
        }
        for k in 0..c {
            let tau: f64 = t * (0..d).map(|j| self.u.second(j, k)).sum::<f64>();
            for i in 0..n {
                let pull = |j: usize| self.without(i, j, k) * self.u.mean[(j, k)];
                let mu = (t * (0..d).map(pull).sum::<f64>() - self.rate[k]) / tau;
                self.v.set(i, k, mu, tau);
            }
        }
        self.update_scales();
    }

    /// E(x_ij − vᵢ·uⱼ)².
    fn expected_square(&self, i: usize, j: usize) -> f64 {
        let (u, v) = (&self.u, &self.v);
        let mean: f64 = v.mean.row(i).iter().zip(u.mean.row(j)).map(|(v, u)| v * u).sum();
        let variance =
            |k: usize| v.second(i, k) * u.second(j, k) - v.mean[(i, k)].powi(2) * u.mean[(j, k)].powi(2);
        (self.x[(i, j)] - mean).powi(2) + (0..self.rate.len()).map(variance).sum::<f64>()
    }

    fn error(&self) -> f64 {
        let (n, d) = self.x.shape();
        (0..n).map(|i| self.s[i] * (0..d).map(|j| self.expected_square(i, j)).sum::<f64>()).sum()
    }

    fn count(&self) -> f64 {
        self.s.iter().sum()
    }

    fn sum(&self, k: usize) -> f64 {
        let v: f64 = self.s.iter().enumerate().map(|(i, s)| s * self.v.mean[(i, k)]).sum();
        v + (0..self.x.cols()).map(|j| self.u.mean[(j, k)]).sum::<f64>()
    }

    fn noise(&self) -> (f64, f64) {
        let (a, b) = self.priors.noise;
        (a + 0.5 * self.count() * self.x.cols() as f64, b + 0.5 * self.error())
    }

    fn relevance(&self, k: usize) -> Option<(f64, f64)> {
        let (a, b) = self.priors.relevance?;
        Some((a + self.count() + self.x.cols() as f64, b + self.sum(k)))
    }

    fn update_scales(&mut self) {
        for k in 0..self.rate.len() {
            if let Some((a, b)) = self.relevance(k) {
                self.rate[k] = a / b;
            }
        }
        let (a, b) = self.noise();
        self.precision = a / b;
    }

    /// Every term of the ELBO, none cancelled against another.
    pub(crate) fn elbo(&self) -> f64 {
        let (n, d, t) = (self.count(), self.x.cols() as f64, self.precision);
        let gamma = |prior: (f64, f64), own: (f64, f64), mean: f64, log: f64| {
            let (a, b) = prior;
            a * b.ln() - ln_gamma(a) + (a - 1.0) * log
                - b * mean
                - (own.0 * own.1.ln() - ln_gamma(own.0) + (own.0 - 1.0) * log - own.1 * mean)
        };
        let own = self.noise();
        let log_t = digamma(own.0) - own.1.ln();
        let mut elbo = 0.5 * n * d * (log_t - 2.0 * ROOT_TWO_PI.ln()) - 0.5 * t * self.error();
        elbo += gamma(self.priors.noise, own, t, log_t);
        for k in 0..self.rate.len() {
            let log = match (self.relevance(k), self.priors.relevance) {
                (Some(own), Some(prior)) => {
                    let log = digamma(own.0) - own.1.ln();
                    elbo += gamma(prior, own, self.rate[k], log);
                    log
                }
                _ => self.rate[k].ln(),
            };
            elbo += (n + d) * log - self.rate[k] * self.sum(k);
        }
        elbo += (0..self.x.cols()).map(|j| self.u.entropy(j)).sum::<f64>();
        elbo + self.s.iter().enumerate().map(|(i, s)| s * self.v.entropy(i)).sum::<f64>()
    }
}
