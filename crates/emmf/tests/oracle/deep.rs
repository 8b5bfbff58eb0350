//! Deep EMMF written down in full: every layer's residuals by their definition, every update as a ratio of plain sums.

use emmf::method::Value;
use emmf::{Fit, Mat, Real};

/// All factors of a fit with layers.
#[derive(Clone)]
pub(crate) struct Deep {
    pub(crate) x: Mat<f64>,
    pub(crate) v: Mat<f64>,
    pub(crate) u: Vec<Mat<f64>>,
    pub(crate) b: Vec<Mat<f64>>,
    pub(crate) lambda: Vec<f64>,
    pub(crate) exponent: f64,
    pub(crate) epsilon: f64,
}

pub(crate) fn times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.rows(), b.cols(), |i, j| (0..a.cols()).map(|k| a[(i, k)] * b[(k, j)]).sum())
}

/// z ← z∘(p/q)^e.
fn moved(z: &mut Mat<f64>, p: &Mat<f64>, q: &Mat<f64>, exponent: f64) {
    for (at, z) in z.as_mut_slice().iter_mut().enumerate() {
        let (p, q) = (p.as_slice()[at], q.as_slice()[at]);
        *z *= if q > 0.0 { p / q } else { 1.0 }.powf(exponent);
    }
}

/// The rows of a matrix, each times its own factor.
fn weighed(a: &Mat<f64>, q: &[f64]) -> Mat<f64> {
    Mat::from_fn(a.rows(), a.cols(), |i, k| q[i] * a[(i, k)])
}

fn sum(parts: &[Mat<f64>]) -> Mat<f64> {
    Mat::from_fn(parts[0].rows(), parts[0].cols(), |i, j| parts.iter().map(|part| part[(i, j)]).sum())
}

impl Deep {
    /// The factors that a fit that was not polished has left.
    pub(crate) fn of<T: Real>(fit: &Fit<T>, x: &Mat<f64>, exponent: f64) -> Self {
        let lengths = (0..x.rows()).map(|i| x.row(i).iter().map(|x| x * x).sum::<f64>().sqrt());
        let weights = fit.extras.iter().find(|extra| extra.name == "layer-weights").unwrap();
        let Value::Vector(lambda) = &weights.value else { panic!("λ are numbers") };
        let above = fit.model.layers();
        let first = fit.model.centroids().cast();
        Self {
            x: x.clone(),
            v: fit.v.cast(),
            u: std::iter::once(first).chain(above.iter().map(|layer| layer.u.cast())).collect(),
            b: above.iter().map(|layer| layer.b.clone()).collect(),
            lambda: lambda.clone(),
            exponent,
            epsilon: (1e-10 * lengths.sum::<f64>() / x.rows() as f64).max(1e-150),
        }
    }

    pub(crate) fn layers(&self) -> usize {
        self.u.len()
    }

    /// B₂⋯Bₗ, l from 0.
    fn bar(&self, layer: usize) -> Mat<f64> {
        let c = self.v.cols();
        let unit = Mat::from_fn(c, c, |i, j| f64::from(u8::from(i == j)));
        self.b[..layer].iter().fold(unit, |bar, b| times(&bar, b))
    }

    /// √(‖xᵢ − Uₗ·B̄ₗᵀ·vᵢ‖² + ε²).
    pub(crate) fn residuals(&self, layer: usize) -> Vec<f64> {
        let fitted = times(&times(&self.v, &self.bar(layer)), &self.u[layer].transposed());
        let square =
            |i: usize| -> f64 { self.x.row(i).iter().zip(fitted.row(i)).map(|(x, y)| (x - y).powi(2)).sum() };
        (0..self.x.rows()).map(|i| (square(i) + self.epsilon.powi(2)).sqrt()).collect()
    }

    /// The entropy of a layer.
    pub(crate) fn entropy(&self, layer: usize) -> f64 {
        let r = self.residuals(layer);
        let all: f64 = r.iter().sum();
        r.iter().map(|r| -r * (r / all).ln()).sum()
    }

    pub(crate) fn objective(&self) -> f64 {
        (0..self.layers()).map(|layer| self.lambda[layer] * self.entropy(layer)).sum()
    }

    /// λₗqᵢ⁽ˡ⁾.
    pub(crate) fn weights(&self, layer: usize) -> Vec<f64> {
        let r = self.residuals(layer);
        let all: f64 = r.iter().sum();
        r.iter().map(|r| self.lambda[layer] * (all / r).ln() / r).collect()
    }

    /// One iteration; B moves unless it is a merge.
    pub(crate) fn iterate(&mut self, merged: bool) {
        let (layers, exponent) = (self.layers(), self.exponent);
        let q: Vec<Vec<f64>> = (0..layers).map(|layer| self.weights(layer)).collect();
        for (layer, q) in q.iter().enumerate() {
            let v = times(&self.v, &self.bar(layer));
            let pull = times(&self.x.transposed(), &weighed(&v, q));
            let push = times(&self.u[layer], &times(&v.transposed(), &weighed(&v, q)));
            moved(&mut self.u[layer], &pull, &push, exponent);
        }
        for m in 0..if merged { 0 } else { self.b.len() } {
            let a = times(&self.v, &self.bar(m));
            let (mut pulls, mut pushes) = (Vec::new(), Vec::new());
            for (layer, q) in q.iter().enumerate().skip(m + 1) {
                // Uₗ·Rₗᵀ, as wide as the layer of B.
                let r = self.b[m + 1..layer]
                    .iter()
                    .rev()
                    .fold(self.u[layer].clone(), |u, b| times(&u, &b.transposed()));
                let weighed_a = weighed(&a, q).transposed();
                pulls.push(times(&weighed_a, &times(&self.x, &r)));
                let fitted = times(&times(&a, &self.b[m]), &r.transposed());
                pushes.push(times(&weighed_a, &times(&fitted, &r)));
            }
            moved(&mut self.b[m], &sum(&pulls), &sum(&pushes), exponent);
        }
        let (mut pulls, mut pushes) = (Vec::new(), Vec::new());
        for (layer, q) in q.iter().enumerate() {
            let w = times(&self.u[layer], &self.bar(layer).transposed());
            pulls.push(weighed(&times(&self.x, &w), q));
            pushes.push(weighed(&times(&times(&self.v, &w.transposed()), &w), q));
        }
        moved(&mut self.v, &sum(&pulls), &sum(&pushes), exponent);
        for i in (0..self.x.rows()).filter(|&i| self.x.row(i).iter().all(|&x| x == 0.0)) {
            self.v.row_mut(i).fill(0.0);
        }
    }

    /// V·B̄ₗ·Uₗᵀ: what does not depend on how the scales are shared out.
    pub(crate) fn fitted(&self, layer: usize) -> Mat<f64> {
        times(&times(&self.v, &self.bar(layer)), &self.u[layer].transposed())
    }
}
