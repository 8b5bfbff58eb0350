//! Robust manifold NMF, with E and Y written out.

use emmf::Mat;

use super::dense::{laplacian, minus, polar, square, t_times, times, trace};

pub(crate) struct Rmnmf {
    pub(crate) x: Mat<f64>,
    /// L.
    l: Mat<f64>,
    lambda: f64,
    pub(crate) f: Mat<f64>,
    pub(crate) g: Mat<f64>,
    pub(crate) h: Mat<f64>,
    e: Mat<f64>,
    y: Mat<f64>,
    z: Mat<f64>,
    mu: f64,
    growth: f64,
}

impl Rmnmf {
    pub(crate) fn new(
        x: &Mat<f64>,
        (w, lambda): (&Mat<f64>, f64),
        (f, g): (Mat<f64>, Mat<f64>),
        (mu, growth): (f64, f64),
    ) -> Self {
        let (none, small) = (Mat::zeros(x.rows(), x.cols()), Mat::zeros(g.rows(), g.cols()));
        let l = laplacian(w);
        Self { x: x.clone(), l, lambda, h: g.clone(), f, g, e: none.clone(), y: none, z: small, mu, growth }
    }

    pub(crate) fn objective(&self) -> f64 {
        let rest = minus(&self.x, &times(&self.g, &self.f.transposed()));
        let residual = |i: usize| rest.row(i).iter().map(|m| m * m).sum::<f64>().sqrt();
        let smooth = trace(&t_times(&self.g, &times(&self.l, &self.g)));
        (0..rest.rows()).map(residual).sum::<f64>() + self.lambda * smooth
    }

    /// ‖X − GFᵀ − E‖ and ‖G − H‖.
    pub(crate) fn gaps(&self) -> (f64, f64) {
        let rest = minus(&minus(&self.x, &times(&self.g, &self.f.transposed())), &self.e);
        (square(&rest).sqrt(), square(&minus(&self.g, &self.h)).sqrt())
    }

    pub(crate) fn iterate(&mut self) {
        let (n, d) = self.x.shape();
        let (mu, lambda) = (self.mu, self.lambda);
        let fitted = times(&self.g, &self.f.transposed());
        let p = Mat::from_fn(n, d, |i, j| self.x[(i, j)] - fitted[(i, j)] + self.y[(i, j)] / mu);
        for i in 0..n {
            let length = p.row(i).iter().map(|p| p * p).sum::<f64>().sqrt();
            let share = (1.0 - 1.0 / (mu * length)).max(0.0);
            (0..d).for_each(|j| self.e[(i, j)] = if length > 0.0 { share * p[(i, j)] } else { 0.0 });
        }
        let a = Mat::from_fn(n, d, |i, j| self.x[(i, j)] - self.e[(i, j)] + self.y[(i, j)] / mu);
        self.f = solve(&t_times(&a, &self.g), &t_times(&self.g, &self.g));
        let lg = times(&self.l, &self.g);
        let shape = self.g.shape();
        self.h = Mat::from_fn(shape.0, shape.1, |i, k| {
            (self.g[(i, k)] + self.z[(i, k)] / mu - lambda / mu * lg[(i, k)]).max(0.0)
        });
        let (lh, af) = (times(&self.l, &self.h), times(&a, &self.f));
        let m = Mat::from_fn(shape.0, shape.1, |i, k| {
            self.h[(i, k)] - self.z[(i, k)] / mu - lambda / mu * lh[(i, k)] + af[(i, k)]
        });
        self.g = polar(&m);
        let fitted = times(&self.g, &self.f.transposed());
        for i in 0..n {
            (0..d).for_each(|j| self.y[(i, j)] += mu * (self.x[(i, j)] - fitted[(i, j)] - self.e[(i, j)]));
            (0..shape.1).for_each(|k| self.z[(i, k)] += mu * (self.g[(i, k)] - self.h[(i, k)]));
        }
        self.mu = (mu * self.growth).min(1e10);
    }
}

/// B·A⁻¹ for a positive definite A.
fn solve(b: &Mat<f64>, a: &Mat<f64>) -> Mat<f64> {
    let (values, vectors) = super::dense::eigen(a);
    let c = a.rows();
    let inverse =
        Mat::from_fn(c, c, |k, l| (0..c).map(|t| vectors[(k, t)] * vectors[(l, t)] / values[t]).sum::<f64>());
    times(b, &inverse)
}
