//! The entry-wise methods, plainly: whole matrices of weights, nested loops.

use emmf::{Factors, Mat, Real};

use super::{Oracle, Rule, rounding};

/// Methods with a weight for every entry.
pub(crate) const ENTRYWISE: [&str; 8] = [
    "nmf-div",
    "beta-nmf",
    "l1-nmf",
    "cim-nmf",
    "huber-nmf",
    "hypersurface-nmf",
    "l12-nmf",
    "l12-squared-nmf",
];

/// V·Uᵀ.
pub(crate) fn product(f: &Factors<f64>) -> Mat<f64> {
    let entry = |i: usize, j: usize| f.u.row(j).iter().zip(f.v.row(i)).map(|(u, v)| u * v).sum();
    Mat::from_fn(f.v.rows(), f.u.rows(), entry)
}

/// ε where none is given.
pub(crate) fn epsilon(method: &str, x: &Mat<f64>) -> f64 {
    let (entries, sum) = (x.as_slice().len() as f64, x.as_slice().iter().sum::<f64>());
    let squares: f64 = x.as_slice().iter().map(|x| x * x).sum();
    if method == "l12-nmf" { 1e-10 * (squares / entries).sqrt() } else { 0.05 * sum / entries }
}

impl Oracle {
    pub(crate) fn is_entrywise(&self) -> bool {
        ENTRYWISE.contains(&self.method.as_str())
    }

    /// δ is the median absolute residual at the start where it is not given, and so is a robust width.
    pub(super) fn begin_entries(&mut self, f: &Factors<f64>) {
        let y = product(f);
        let absolute = |(x, y): (&f64, &f64)| (x - y).abs();
        let mut m: Vec<f64> = self.x.as_slice().iter().zip(y.as_slice()).map(absolute).collect();
        m.sort_by(f64::total_cmp);
        let (median, mean) = (m[m.len() / 2], m.iter().sum::<f64>() / m.len() as f64);
        let fallback = if mean > 0.0 { mean } else { 1.0 };
        let default = if median > 0.0 { median } else { fallback };
        self.delta = self.param("delta", default);
        if self.param("robust", 0.0) == 1.0 && !self.params.contains_key("width") {
            let mean_square = self.x.as_slice().iter().map(|x| x * x).sum::<f64>() / m.len() as f64;
            let variance = (1.4826 * default).powi(2).max(1e-12 * mean_square);
            self.params.insert("width".into(), (0.5 * variance).sqrt());
        }
    }

    /// β, and what y counts as at least.
    fn beta(&self) -> (f64, f64) {
        let weighted = |i: usize| self.s[i] * self.x.row(i).iter().sum::<f64>();
        let sum: f64 = (0..self.x.rows()).map(weighted).sum();
        let mean = sum / (self.s.iter().sum::<f64>() * self.x.cols() as f64);
        (self.param("beta", 0.5), mean * f64::MIN_POSITIVE.powf(0.25))
    }

    fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (n, d) = self.x.shape();
        (0..n).flat_map(move |i| (0..d).map(move |j| (i, j)))
    }

    /// 2σ² of the entries.
    fn entry_variance(&self, y: &Mat<f64>) -> f64 {
        let d = self.x.cols() as f64;
        let square = |x: &Mat<f64>| -> f64 {
            self.entries().map(|(i, j)| self.s[i] * (x[(i, j)] - self.x[(i, j)]).powi(2)).sum()
        };
        let count = d * self.s.iter().sum::<f64>();
        let least = 1e-12 * square(&Mat::zeros(y.rows(), y.cols())) / count;
        let refreshed = (square(y) / count).max(least);
        self.params.get("width").map_or(refreshed, |width| 2.0 * width * width)
    }

    pub(super) fn entry_objective(&self, f: &Factors<f64>) -> f64 {
        let (y, e, delta) = (product(f), self.epsilon, self.delta);
        let smooth = |i: usize, j: usize| ((self.x[(i, j)] - y[(i, j)]).powi(2) + e * e).sqrt();
        let (n, d) = self.x.shape();
        let row = |i: usize| -> f64 { (0..d).map(|j| smooth(i, j)).sum() };
        let column = |j: usize| -> f64 {
            (0..n).map(|i| self.s[i] * (self.x[(i, j)] - y[(i, j)]).powi(2)).sum::<f64>()
        };
        match self.method.as_str() {
            "l12-nmf" => return (0..d).map(|j| (column(j) + e * e).sqrt()).sum(),
            "l12-squared-nmf" => return (0..n).map(|i| self.s[i] * row(i).powi(2)).sum(),
            _ => {}
        }
        let variance = self.entry_variance(&y);
        let share = |(i, j): (usize, usize)| {
            let (x, y) = (self.x[(i, j)], y[(i, j)]);
            let m = (x - y).abs();
            self.s[i]
                * match self.method.as_str() {
                    "nmf-div" if x == 0.0 => y,
                    "nmf-div" => x * (x / y.max(f64::MIN_POSITIVE.powf(0.75))).ln() - x + y,
                    "beta-nmf" => {
                        let (b, floor) = self.beta();
                        let y = y.max(floor);
                        (x.powf(b) + (b - 1.0) * y.powf(b) - b * x * y.powf(b - 1.0)) / (b * (b - 1.0))
                    }
                    "l1-nmf" => smooth(i, j),
                    "cim-nmf" => -(-m * m / variance).exp_m1(),
                    "huber-nmf" if m <= delta => 0.5 * m * m,
                    "huber-nmf" => delta * m - 0.5 * delta * delta,
                    "hypersurface-nmf" => delta * delta * ((1.0 + (m / delta).powi(2)).sqrt() - 1.0),
                    other => panic!("{other} is registered: add its loss to the oracle"),
                }
        };
        self.entries().map(share).sum()
    }

    /// The weight of every entry: (∂objective/∂y)/(y − x).
    fn entry_weights(&self, y: &Mat<f64>) -> Mat<f64> {
        let ((n, d), e, delta) = (self.x.shape(), self.epsilon, self.delta);
        let m = |i: usize, j: usize| (self.x[(i, j)] - y[(i, j)]).abs();
        let smooth = |i: usize, j: usize| (m(i, j).powi(2) + e * e).sqrt();
        let sums: Vec<f64> = (0..n).map(|i| (0..d).map(|j| smooth(i, j)).sum()).collect();
        let column = |j: usize| -> f64 { (0..n).map(|i| self.s[i] * m(i, j).powi(2)).sum() };
        let norms: Vec<f64> = (0..d).map(|j| (column(j) + e * e).sqrt()).collect();
        let variance = self.entry_variance(y);
        Mat::from_fn(n, d, |i, j| {
            self.s[i]
                * match self.method.as_str() {
                    "nmf-div" => 1.0 / y[(i, j)].max(f64::MIN_POSITIVE.powf(0.75)),
                    "beta-nmf" => y[(i, j)].max(self.beta().1).powf(self.beta().0 - 2.0),
                    "l1-nmf" => 1.0 / smooth(i, j),
                    "cim-nmf" => 2.0 / variance * (-m(i, j).powi(2) / variance).exp(),
                    "huber-nmf" => (delta / m(i, j)).min(1.0),
                    "hypersurface-nmf" => 1.0 / (1.0 + (m(i, j) / delta).powi(2)).sqrt(),
                    "l12-nmf" => 1.0 / norms[j],
                    "l12-squared-nmf" => 2.0 * sums[i] / smooth(i, j),
                    other => panic!("{other} is registered: add its weight to the oracle"),
                }
        })
    }

    /// Weights, U, V with the new U and the same weights; with new ones for the divergence.
    pub(super) fn iterate_entries(&self, f: &mut Factors<f64>) {
        let Rule::Mu(exponent) = self.rule else { panic!("entry-wise methods are multiplicative") };
        let beta = self.beta().0;
        // 1/(2 − β) below 1 and 1/(β − 1) above 2.
        let most = if self.method == "beta-nmf" { 1.0 / (2.0 - beta).max(beta - 1.0).max(1.0) } else { 1.0 };
        let exponent = exponent.min(most);
        let ((n, d), k) = (self.x.shape(), f.u.cols());
        let y = product(f);
        let mut w = self.entry_weights(&y);
        let moved = |num: f64, den: f64| if den > 0.0 { (num / den).powf(exponent) } else { 1.0 };
        let u = f.u.clone();
        for (j, l) in (0..d).flat_map(|j| (0..k).map(move |l| (j, l))) {
            let num: f64 = (0..n).map(|i| w[(i, j)] * self.x[(i, j)] * f.v[(i, l)]).sum();
            let den: f64 = (0..n).map(|i| w[(i, j)] * y[(i, j)] * f.v[(i, l)]).sum();
            f.u[(j, l)] = u[(j, l)] * moved(num, den);
        }
        let y = product(f);
        if ["nmf-div", "beta-nmf"].contains(&&*self.method) {
            w = self.entry_weights(&y);
        }
        let v = f.v.clone();
        for (i, l) in (0..n).flat_map(|i| (0..k).map(move |l| (i, l))) {
            let num: f64 = (0..d).map(|j| w[(i, j)] * self.x[(i, j)] * f.u[(j, l)]).sum();
            let den: f64 = (0..d).map(|j| w[(i, j)] * y[(i, j)] * f.u[(j, l)]).sum();
            let empty = self.x.row(i).iter().all(|&x| x == 0.0);
            f.v[(i, l)] = if empty { 0.0 } else { v[(i, l)] * moved(num, den) };
        }
    }

    /// What rounding can add to the objective at these factors, see [`rounding`]. y is off by e·(x + y), which
    /// adds w·|m| times that, and half of w times its square.
    pub(crate) fn noise<T: Real>(&self, f: &Factors<f64>) -> f64 {
        let k = f.u.cols();
        if !self.is_entrywise() {
            return rounding::<T>(&self.x, k, &self.residuals(f), &self.q(f));
        }
        let unit = if T::NAME == "f32" { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let e = 4.0 * (self.x.cols() + k + 4) as f64 * unit;
        let y = product(f);
        let w = self.entry_weights(&y);
        let entry = |(i, j): (usize, usize)| {
            let (x, y) = (self.x[(i, j)], y[(i, j)]);
            let off = e * (x + y);
            // Powers of x and y that nearly cancel.
            let powers = if self.method == "beta-nmf" {
                let beta = self.beta().0;
                (x.powf(beta) + y.powf(beta) + x * w[(i, j)] * y) / (beta * (beta - 1.0)).abs()
            } else {
                0.0
            };
            w[(i, j)] * off * ((x - y).abs() + off) + unit * (x + y + 9.0 * powers)
        };
        self.entries().map(entry).sum::<f64>() + 1e-15 * self.entry_objective(f).abs()
    }
}
