//! Nonnegative least squares, exactly: min ½·a·G·aᵀ − p·aᵀ over a ≥ 0 by block principal pivoting
//! (Kim and Park 2011), in double precision whatever the type of the data.
//!
//! The answer is a function of G and p alone, not of a start, so the coefficients of a sample do not
//! depend on when and with which others they are asked for.

use crate::matrix::Mat;
use crate::real::Real;

/// Exchanges of whole blocks that may fail to bring progress before single ones are tried.
const PATIENCE: usize = 3;
/// A pivot below this share of its diagonal entry means: linearly dependent on the others.
const DEPENDENT: f64 = 1e-12;

/// Minimises ½·a·G·aᵀ − p·aᵀ over a ≥ 0.
pub(crate) fn nnls<T: Real>(g: &Mat<T>, p: &[T]) -> Vec<T> {
    let c = p.len();
    let entry = |i: usize, j: usize| g[(i, j)].to_f64();
    let p: Vec<f64> = p.iter().map(|&x| x.to_f64()).collect();
    let scale = p.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let tolerance = 1e-12 * scale;
    let mut free = vec![false; c];
    let mut a = vec![0.0; c];
    let mut fewest = c + 1;
    let mut patience = PATIENCE;
    // Single exchanges always end; the bound only guards against rounding that makes them cycle.
    for _ in 0..100 + 20 * c {
        let slope = |k: usize| p[k] - (0..c).map(|l| entry(k, l) * a[l]).sum::<f64>();
        let wrong: Vec<usize> =
            (0..c).filter(|&k| if free[k] { a[k] < 0.0 } else { slope(k) > tolerance }).collect();
        let Some(&last) = wrong.last() else { break };
        if wrong.len() < fewest {
            (fewest, patience) = (wrong.len(), PATIENCE);
        } else {
            patience = patience.saturating_sub(1);
        }
        let exchange = if patience > 0 { &wrong[..] } else { &[last] };
        exchange.iter().for_each(|&k| free[k] = !free[k]);
        solve_free(&entry, &p, &mut free, &mut a);
    }
    a.iter().map(|&x| T::from_f64(x.max(0.0))).collect()
}

/// Solves G·a = p over the free coordinates by Cholesky; the others are zero. A coordinate that depends
/// linearly on earlier ones is no longer free.
fn solve_free(g: &impl Fn(usize, usize) -> f64, p: &[f64], free: &mut [bool], a: &mut [f64]) {
    a.fill(0.0);
    let mut kept: Vec<usize> = Vec::new();
    let mut factor: Vec<Vec<f64>> = Vec::new();
    let mut half: Vec<f64> = Vec::new();
    for k in 0..p.len() {
        if !free[k] {
            continue;
        }
        let mut row = Vec::with_capacity(kept.len() + 1);
        for (m, &l) in kept.iter().enumerate() {
            let done: f64 = row.iter().zip(&factor[m]).map(|(x, y): (&f64, &f64)| x * y).sum();
            row.push((g(k, l) - done) / factor[m][m]);
        }
        let pivot = g(k, k) - row.iter().map(|x| x * x).sum::<f64>();
        if pivot <= DEPENDENT * g(k, k) {
            free[k] = false;
            continue;
        }
        let done: f64 = row.iter().zip(&half).map(|(x, y)| x * y).sum();
        half.push((p[k] - done) / pivot.sqrt());
        row.push(pivot.sqrt());
        factor.push(row);
        kept.push(k);
    }
    for m in (0..kept.len()).rev() {
        let later: f64 = (m + 1..kept.len()).map(|t| factor[t][m] * a[kept[t]]).sum();
        a[kept[m]] = (half[m] - later) / factor[m][m];
    }
}
