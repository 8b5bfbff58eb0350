//! Matrices written out: products, eigenvalues and the nearest orthonormal matrix, with nested loops.

use emmf::Mat;

pub(crate) fn times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    assert_eq!(a.cols(), b.rows());
    Mat::from_fn(a.rows(), b.cols(), |i, j| (0..a.cols()).map(|t| a[(i, t)] * b[(t, j)]).sum())
}

/// AᵀB.
pub(crate) fn t_times(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    times(&a.transposed(), b)
}

pub(crate) fn square(a: &Mat<f64>) -> f64 {
    a.as_slice().iter().map(|a| a * a).sum()
}

pub(crate) fn minus(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] - b[(i, j)])
}

/// ‖aᵢ − bⱼ‖² of rows.
pub(crate) fn distance_sq(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// a ∘ (num/den)^power, where 0/0 leaves the entry as it is.
pub(crate) fn multiply(a: &mut Mat<f64>, num: &Mat<f64>, den: &Mat<f64>, power: f64) {
    for i in 0..a.rows() {
        for k in 0..a.cols() {
            if den[(i, k)] > 0.0 {
                a[(i, k)] *= (num[(i, k)] / den[(i, k)]).powf(power);
            }
        }
    }
}

/// D − W.
pub(crate) fn laplacian(w: &Mat<f64>) -> Mat<f64> {
    let degree = |i: usize| w.row(i).iter().sum::<f64>();
    Mat::from_fn(w.rows(), w.rows(), |i, j| if i == j { degree(i) - w[(i, j)] } else { -w[(i, j)] })
}

pub(crate) fn trace(a: &Mat<f64>) -> f64 {
    (0..a.rows()).map(|i| a[(i, i)]).sum()
}

/// Eigenvalues, ascending, and eigenvectors as columns, by Jacobi's rotations.
pub(crate) fn eigen(a: &Mat<f64>) -> (Vec<f64>, Mat<f64>) {
    let n = a.rows();
    let mut a = a.clone();
    let mut vectors = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)));
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[(p, q)].abs() < 1e-300 {
                    continue;
                }
                let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta == 0.0 { 1.0 } else { t };
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for i in 0..n {
                    let (x, y) = (a[(i, p)], a[(i, q)]);
                    (a[(i, p)], a[(i, q)]) = (c * x - s * y, s * x + c * y);
                }
                for i in 0..n {
                    let (x, y) = (a[(p, i)], a[(q, i)]);
                    (a[(p, i)], a[(q, i)]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (vectors[(i, p)], vectors[(i, q)]);
                    (vectors[(i, p)], vectors[(i, q)]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[(i, i)].total_cmp(&a[(j, j)]));
    (order.iter().map(|&i| a[(i, i)]).collect(), Mat::from_fn(n, n, |i, k| vectors[(i, order[k])]))
}

/// M(MᵀM)^-½.
pub(crate) fn polar(m: &Mat<f64>) -> Mat<f64> {
    let (values, vectors) = eigen(&t_times(m, m));
    let c = m.cols();
    let root = Mat::from_fn(c, c, |k, l| {
        (0..c).map(|t| vectors[(k, t)] * vectors[(l, t)] / values[t].sqrt()).sum::<f64>()
    });
    times(m, &root)
}
