//! The methods with graphs and concepts, written down in full: K = XXᵀ, L and S as dense matrices.

use emmf::{Factors, Mat};

use super::dense::{distance_sq, laplacian, minus, multiply, square, t_times, times, trace};

/// Which method, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rival {
    Gnmf { lambda: f64 },
    Cf,
    Lccf { lambda: f64, unit: bool },
    Nlcf { mu: f64 },
    Lcf { mu: f64 },
    Nmfan { lambda: f64, k: usize },
    Srmcf { lambda: f64, k: usize, gamma: Option<f64> },
    Onmf,
    Symnmf { half: bool },
}

/// Where it is.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) u: Mat<f64>,
    pub(crate) v: Mat<f64>,
    pub(crate) b: Mat<f64>,
    /// The given graph, or S of a learned one.
    pub(crate) w: Mat<f64>,
    pub(crate) gamma: f64,
}

/// (e_{k+1} − e)/(k·e_{k+1} − Σe) on the k nearest others of sample i, and half the denominator.
fn spread(e: &[f64], i: usize, k: usize) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..e.len()).filter(|&j| j != i).collect();
    order.sort_by(|&a, &b| e[a].total_cmp(&e[b]).then(a.cmp(&b)));
    let next = e[order[k]];
    let sum: f64 = order[..k].iter().map(|&j| next - e[j]).sum();
    let mut s = vec![0.0; e.len()];
    order[..k].iter().for_each(|&j| s[j] = if sum > 0.0 { (next - e[j]) / sum } else { 1.0 / k as f64 });
    (s, 0.5 * sum)
}

/// The nearest point of the simplex, by bisection of the shift; entry i stays 0.
fn projection(point: &[f64], i: usize) -> Vec<f64> {
    let sum = |shift: f64| -> f64 {
        point.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, p)| (p - shift).max(0.0)).sum()
    };
    let largest = point.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, p)| *p).fold(f64::MIN, f64::max);
    let (mut low, mut high) = (largest - 1.0, largest);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        (low, high) = if sum(middle) > 1.0 { (middle, high) } else { (low, middle) };
    }
    point.iter().enumerate().map(|(j, p)| if j == i { 0.0 } else { (p - low).max(0.0) }).collect()
}

impl Rival {
    fn is_concept(self) -> bool {
        matches!(self, Self::Cf | Self::Lccf { .. } | Self::Lcf { .. } | Self::Srmcf { .. })
    }

    fn has_unit_columns(self) -> bool {
        matches!(self, Self::Lccf { unit: true, .. } | Self::Srmcf { gamma: None, .. })
    }

    fn lambda(self) -> f64 {
        match self {
            Self::Gnmf { lambda }
            | Self::Lccf { lambda, .. }
            | Self::Nmfan { lambda, .. }
            | Self::Srmcf { lambda, .. } => lambda,
            _ => 0.0,
        }
    }

    fn mu(self) -> f64 {
        match self {
            Self::Nlcf { mu } | Self::Lcf { mu } => mu,
            _ => 0.0,
        }
    }

    /// From U and V, with the given graph (0×0 where there is none).
    pub(crate) fn begin(self, x: &Mat<f64>, start: &Factors<f64>, w: &Mat<f64>) -> Place {
        let (n, c) = start.v.shape();
        let largest =
            |i: usize| (1..c).fold(0, |best, k| if start.v[(i, k)] > start.v[(i, best)] { k } else { best });
        let count = |k: usize| (0..n).filter(|&i| largest(i) == k).count().max(1) as f64;
        let mut b = Mat::from_fn(n, c, |i, k| start.v[(i, k)] / count(k));
        let (mut u, mut v) = (start.u.clone(), start.v.clone());
        if self.has_unit_columns() {
            normalize(&mut v, &mut b);
        }
        if self.is_concept() {
            u = t_times(x, &b);
        }
        let (mut w, mut gamma) = (w.clone(), 0.0);
        match self {
            Self::Onmf => {
                for k in 0..c {
                    let length = (0..n).map(|i| v[(i, k)].powi(2)).sum::<f64>().sqrt();
                    (0..n).for_each(|i| v[(i, k)] /= length);
                    (0..u.rows()).for_each(|j| u[(j, k)] *= length);
                }
            }
            Self::Symnmf { .. } => {
                let scale = (trace(&t_times(&v, &times(&w, &v))) / square(&t_times(&v, &v))).sqrt();
                v.as_mut_slice().iter_mut().for_each(|v| *v *= scale);
            }
            Self::Nmfan { k, .. } | Self::Srmcf { k, .. } => {
                let e = |i: usize| -> Vec<f64> { (0..n).map(|j| distance_sq(x.row(i), x.row(j))).collect() };
                let rows: Vec<_> = (0..n).map(|i| spread(&e(i), i, k)).collect();
                w = Mat::from_fn(n, n, |i, j| rows[i].0[j]);
                gamma = (rows.iter().map(|row| row.1).sum::<f64>() / n as f64).max(1e-12);
            }
            _ => {}
        }
        Place { u, v, b, w, gamma }
    }

    /// W of the graph term.
    fn affinity(self, place: &Place) -> Mat<f64> {
        match self {
            Self::Nmfan { .. } | Self::Srmcf { .. } => {
                Mat::from_fn(place.w.rows(), place.w.rows(), |i, j| 0.5 * (place.w[(i, j)] + place.w[(j, i)]))
            }
            _ => place.w.clone(),
        }
    }

    pub(crate) fn objective(self, x: &Mat<f64>, place: &Place) -> f64 {
        let Place { u, v, w, .. } = place;
        if matches!(self, Self::Symnmf { .. }) {
            return square(&minus(w, &times(v, &v.transposed())));
        }
        let mut sum = square(&minus(x, &times(v, &u.transposed())));
        let columns = u.transposed();
        for i in 0..v.rows() {
            let share = |k: usize| v[(i, k)] * distance_sq(columns.row(k), x.row(i));
            sum += self.mu() * (0..v.cols()).map(share).sum::<f64>();
        }
        if self.lambda() > 0.0 {
            sum += self.lambda() * trace(&t_times(v, &times(&laplacian(&self.affinity(place)), v)));
        }
        sum + self.of_weights(x, place)
    }

    /// The terms in S besides λ·tr(VᵀLV).
    fn of_weights(self, x: &Mat<f64>, place: &Place) -> f64 {
        let Place { w, .. } = place;
        let n = w.rows();
        match self {
            Self::Nmfan { .. } => {
                let term = |i: usize, j: usize| {
                    distance_sq(x.row(i), x.row(j)) * w[(i, j)] + place.gamma * w[(i, j)].powi(2)
                };
                (0..n).map(|i| (0..n).map(|j| term(i, j)).sum::<f64>()).sum()
            }
            Self::Srmcf { gamma: Some(gamma), .. } => gamma * square(w),
            _ => 0.0,
        }
    }

    pub(crate) fn iterate(self, x: &Mat<f64>, place: &mut Place) {
        match self {
            Self::Onmf => return onmf(x, place),
            Self::Symnmf { half } => return symnmf(place, half),
            _ => {}
        }
        self.move_v(x, place);
        self.move_u(x, place);
        self.learn(x, place);
    }

    /// V alone.
    pub(crate) fn move_v(self, x: &Mat<f64>, place: &mut Place) {
        if let Self::Symnmf { half } = self {
            return symnmf(place, half);
        }
        let (lambda, mu, affinity) = (self.lambda(), self.mu(), self.affinity(place));
        let Place { u, v, .. } = place;
        let xu = times(x, u);
        let vg = times(v, &t_times(u, u));
        let columns = u.transposed();
        let pull = if lambda > 0.0 { times(&affinity, v) } else { Mat::zeros(v.rows(), v.cols()) };
        let degree = |i: usize| if lambda > 0.0 { affinity.row(i).iter().sum::<f64>() } else { 0.0 };
        let length = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
        let num = Mat::from_fn(v.rows(), v.cols(), |i, k| {
            2.0 * (1.0 + mu) * xu[(i, k)] + 2.0 * lambda * pull[(i, k)]
        });
        let den = Mat::from_fn(v.rows(), v.cols(), |i, k| {
            let local = mu * (length(x.row(i)) + length(columns.row(k)));
            2.0 * vg[(i, k)] + local + 2.0 * lambda * degree(i) * v[(i, k)]
        });
        multiply(v, &num, &den, 1.0);
    }

    fn move_u(self, x: &Mat<f64>, place: &mut Place) {
        let mu = self.mu();
        let Place { u, v, b, .. } = place;
        let mut inner = t_times(v, v);
        for k in 0..v.cols() {
            inner[(k, k)] += mu * (0..v.rows()).map(|i| v[(i, k)]).sum::<f64>();
        }
        if !self.is_concept() {
            let mut num = t_times(x, v);
            num.as_mut_slice().iter_mut().for_each(|num| *num *= 1.0 + mu);
            let den = times(u, &inner);
            return multiply(u, &num, &den, 1.0);
        }
        let kernel = times(x, &x.transposed());
        let mut num = times(&kernel, v);
        num.as_mut_slice().iter_mut().for_each(|num| *num *= 1.0 + mu);
        let den = times(&times(&kernel, b), &inner);
        multiply(b, &num, &den, 1.0);
        if self.has_unit_columns() {
            normalize(v, b);
        }
        *u = t_times(x, b);
    }

    fn learn(self, x: &Mat<f64>, place: &mut Place) {
        let Place { v, w, gamma, .. } = place;
        let n = v.rows();
        for i in 0..n {
            let e: Vec<f64> = (0..n).map(|j| distance_sq(v.row(i), v.row(j))).collect();
            let row = match self {
                Self::Nmfan { lambda, .. } => {
                    let cost = |j: usize| distance_sq(x.row(i), x.row(j)) + 0.5 * lambda * e[j];
                    projection(&(0..n).map(|j| -cost(j) / (2.0 * *gamma)).collect::<Vec<_>>(), i)
                }
                Self::Srmcf { lambda, gamma: Some(gamma), .. } => {
                    projection(&e.iter().map(|e| -lambda * e / (4.0 * gamma)).collect::<Vec<_>>(), i)
                }
                Self::Srmcf { k, gamma: None, .. } => spread(&e, i, k).0,
                _ => return,
            };
            w.row_mut(i).copy_from_slice(&row);
        }
    }
}

/// Unit columns of V, their lengths into B.
fn normalize(v: &mut Mat<f64>, b: &mut Mat<f64>) {
    for k in 0..v.cols() {
        let length = (0..v.rows()).map(|i| v[(i, k)].powi(2)).sum::<f64>().sqrt();
        (0..v.rows()).for_each(|i| v[(i, k)] /= length);
        (0..v.rows()).for_each(|i| b[(i, k)] *= length);
    }
}

fn onmf(x: &Mat<f64>, Place { u, v, .. }: &mut Place) {
    let (num, den) = (t_times(x, v), times(u, &t_times(v, v)));
    multiply(u, &num, &den, 1.0);
    let xu = times(x, u);
    let den = times(v, &t_times(v, &xu));
    multiply(v, &xu, &den, 0.5);
}

fn symnmf(Place { v, w, .. }: &mut Place, half: bool) {
    let (num, den) = (times(w, v), times(v, &t_times(v, v)));
    if !half {
        return multiply(v, &num, &den, 0.25);
    }
    for i in 0..v.rows() {
        for k in 0..v.cols() {
            v[(i, k)] *= 0.5 + 0.5 * num[(i, k)] / den[(i, k)];
        }
    }
}
