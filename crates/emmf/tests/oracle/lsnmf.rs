//! Local centroids structured NMF with a dense Laplacian of samples and local centroids.

use emmf::Mat;

use super::dense::{distance_sq, eigen, laplacian, minus, multiply, square, t_times, times};

pub(crate) struct Lsnmf {
    pub(crate) x: Mat<f64>,
    pub(crate) f: Mat<f64>,
    pub(crate) g: Mat<f64>,
    pub(crate) lambda: f64,
    pub(crate) c: usize,
    pub(crate) k: usize,
    pub(crate) stable: bool,
}

impl Lsnmf {
    /// The c smallest eigenvalues, and the rows of the embedding, n+m of them.
    fn embedding(&self) -> (f64, Mat<f64>) {
        let (n, m) = self.g.shape();
        let weight = |i: usize, j: usize| if i < n && j >= n { self.g[(i, j - n)] } else { 0.0 };
        let w = Mat::from_fn(n + m, n + m, |i, j| weight(i, j) + weight(j, i));
        let degree: Vec<f64> = (0..n + m).map(|i| w.row(i).iter().sum()).collect();
        let root = |i: usize| if degree[i] > 0.0 { 1.0 / degree[i].sqrt() } else { 0.0 };
        let l = if self.stable {
            Mat::from_fn(n + m, n + m, |i, j| f64::from(u8::from(i == j)) - w[(i, j)] * (root(i) * root(j)))
        } else {
            laplacian(&w)
        };
        let (values, vectors) = eigen(&l);
        let by = |i: usize| if self.stable { root(i) } else { 1.0 };
        (values[..self.c].iter().sum(), Mat::from_fn(n + m, self.c, |i, k| vectors[(i, k)] * by(i)))
    }

    pub(crate) fn objective(&self) -> f64 {
        square(&minus(&self.x, &times(&self.g, &self.f.transposed())))
            + 2.0 * self.lambda * self.embedding().0
    }

    pub(crate) fn iterate(&mut self) {
        let (n, m) = self.g.shape();
        let p = self.embedding().1;
        let (num, den) = (t_times(&self.x, &self.g), times(&self.f, &t_times(&self.g, &self.g)));
        multiply(&mut self.f, &num, &den, 1.0);
        let gram = t_times(&self.f, &self.f);
        let eta = 1.0 / eigen(&gram).0[m - 1];
        let (fitted, cross) = (times(&self.g, &gram), times(&self.x, &self.f));
        for i in 0..n {
            let moved = |j: usize| {
                let a = distance_sq(p.row(i), p.row(n + j));
                (self.g[(i, j)] - eta * (fitted[(i, j)] - cross[(i, j)] + self.lambda * a)).max(0.0)
            };
            let row: Vec<f64> = (0..m).map(moved).collect();
            let mut order: Vec<usize> = (0..m).collect();
            order.sort_by(|&a, &b| row[b].total_cmp(&row[a]).then(a.cmp(&b)));
            self.g.row_mut(i).fill(0.0);
            order[..self.k.min(m)].iter().for_each(|&j| self.g[(i, j)] = row[j]);
        }
    }

    /// A member of the component of every sample and local centroid.
    pub(crate) fn components(&self) -> Vec<usize> {
        let (n, m) = self.g.shape();
        let mut of: Vec<usize> = (0..n + m).collect();
        for _ in 0..n + m {
            for i in 0..n {
                for j in (0..m).filter(|&j| self.g[(i, j)] > 0.0) {
                    let least = of[i].min(of[n + j]);
                    (of[i], of[n + j]) = (least, least);
                }
            }
        }
        of
    }
}
