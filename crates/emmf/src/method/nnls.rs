//! Nonnegative least squares, exactly: min ½·a·G·aᵀ − p·aᵀ over a ≥ 0 by block principal pivoting
//! (Kim and Park 2011), in double precision whatever the type of the data.
//!
//! The answer is a function of G and p alone, not of a start, so the coefficients of a sample do not
//! depend on when and with which others they are asked for.

use crate::data::vectorized;
use crate::matrix::Mat;

/// Exchanges of blocks that may fail to bring progress before the slow and sure way is taken.
const PATIENCE: usize = 3;
/// A pivot below this share of its diagonal entry means: linearly dependent on the others.
const DEPENDENT: f64 = 1e-12;
/// Sweeps of coordinate descent that guess which coordinates are free.
const SWEEPS: usize = 10;
/// A slope below this share of the largest one is rounding.
const FLAT: f64 = 1e-12;
/// A centroid below this share of the longest one counts as zero: its coefficient might overflow.
const SHORT: f64 = 1e-30;

/// What a coordinate is doing.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// Held at zero.
    Zero,
    /// Solved for.
    Free,
    /// Was to be free, but depends linearly on others that are.
    Dependent,
}

/// The problem for one G and any number of p.
pub(crate) struct Nnls {
    /// G in terms of centroids of unit length, so that their own lengths do not matter.
    g: Mat<f64>,
    /// What makes each centroid of unit length.
    units: Vec<f64>,
}

impl Nnls {
    pub(crate) fn new(g: &Mat<f64>) -> Self {
        let lengths: Vec<f64> = (0..g.cols()).map(|k| g[(k, k)].sqrt()).collect();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let unit = |length: &f64| if *length > SHORT * longest { 1.0 / length } else { 0.0 };
        let units: Vec<f64> = lengths.iter().map(unit).collect();
        Self { g: Mat::from_fn(g.rows(), g.cols(), |k, l| g[(k, l)] * units[k] * units[l]), units }
    }

    /// Minimises ½·a·G·aᵀ − p·aᵀ over a ≥ 0.
    pub(crate) fn solve(&self, p: &[f64]) -> Vec<f64> {
        vectorized(|| {
            let p: Vec<f64> = p.iter().zip(&self.units).map(|(p, unit)| p * unit).collect();
            let tolerance = FLAT * p.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let exact = pivot_blocks(&self.g, &p, tolerance);
            let a = exact.unwrap_or_else(|| grow_support(&self.g, &p, tolerance));
            a.iter().zip(&self.units).map(|(a, unit)| a.max(0.0) * unit).collect()
        })
    }
}

/// A few sweeps of coordinate descent from zero: they tell which coordinates are likely to be free.
#[inline(always)]
fn descend(g: &Mat<f64>, p: &[f64]) -> Vec<f64> {
    let (mut a, mut slope) = (vec![0.0; p.len()], p.to_vec());
    for _ in 0..SWEEPS {
        for k in 0..p.len() {
            let by = (a[k] + slope[k]).max(0.0) - a[k];
            if by != 0.0 {
                a[k] += by;
                slope.iter_mut().zip(g.row(k)).for_each(|(slope, g)| *slope -= by * g);
            }
        }
    }
    a
}

/// ∂/∂a_k, downwards: p − G·a.
fn slope(g: &Mat<f64>, p: &[f64], a: &[f64], k: usize) -> f64 {
    p[k] - g.row(k).iter().zip(a).map(|(g, a)| g * a).sum::<f64>()
}

/// Exchanges all coordinates at once that are free and negative, or zero with a slope. Nearly always
/// ends after a few solves; `None` where it makes no progress.
fn pivot_blocks(g: &Mat<f64>, p: &[f64], tolerance: f64) -> Option<Vec<f64>> {
    let guess = descend(g, p);
    let mut roles: Vec<Role> = guess.iter().map(|&a| if a > 0.0 { Role::Free } else { Role::Zero }).collect();
    let mut a = guess;
    let (mut fewest, mut patience) = (p.len() + 1, PATIENCE);
    solve_free(g, p, &mut roles, &mut a);
    loop {
        let is_wrong = |k: &usize| match roles[*k] {
            Role::Free => a[*k] < 0.0,
            Role::Zero => slope(g, p, &a, *k) > tolerance,
            Role::Dependent => false,
        };
        let wrong: Vec<usize> = (0..p.len()).filter(is_wrong).collect();
        if wrong.is_empty() {
            return Some(a);
        }
        if wrong.len() < fewest {
            (fewest, patience) = (wrong.len(), PATIENCE);
        } else {
            patience = patience.checked_sub(1)?;
        }
        roles.iter_mut().filter(|role| **role == Role::Dependent).for_each(|role| *role = Role::Zero);
        for k in wrong {
            roles[k] = if roles[k] == Role::Free { Role::Zero } else { Role::Free };
        }
        solve_free(g, p, &mut roles, &mut a);
    }
}

/// Lawson and Hanson 1974: one coordinate more at a time, the steepest, never leaving a ≥ 0. Every step
/// descends, also where centroids depend on each other.
fn grow_support(g: &Mat<f64>, p: &[f64], tolerance: f64) -> Vec<f64> {
    let mut roles = vec![Role::Zero; p.len()];
    let mut a = vec![0.0; p.len()];
    let mut next = a.clone();
    // The bound only guards against rounding that makes it cycle.
    for _ in 0..10 + 10 * p.len() {
        let idle = (0..p.len()).filter(|&k| roles[k] == Role::Zero).map(|k| (slope(g, p, &a, k), k));
        let Some((steepest, k)) = idle.max_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        if steepest <= tolerance {
            break;
        }
        roles[k] = Role::Free;
        solve_free(g, p, &mut roles, &mut next);
        if next[k] <= 0.0 {
            // Too close to the others to gain anything.
            roles[k] = Role::Dependent;
            continue;
        }
        roles.iter_mut().filter(|role| **role == Role::Dependent).for_each(|role| *role = Role::Zero);
        loop {
            let leaving = (0..p.len()).filter(|&k| roles[k] == Role::Free && next[k] <= 0.0);
            let reach = leaving.map(|k| (a[k] / (a[k] - next[k]).max(f64::MIN_POSITIVE), k));
            let Some((reach, first)) = reach.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
            a.iter_mut().zip(&next).for_each(|(a, next)| *a = (*a + reach * (next - *a)).max(0.0));
            (a[first], roles[first]) = (0.0, Role::Zero);
            solve_free(g, p, &mut roles, &mut next);
        }
        a.copy_from_slice(&next);
    }
    a
}

/// Solves G·a = p over the free coordinates by Cholesky; the others are zero.
fn solve_free(g: &Mat<f64>, p: &[f64], roles: &mut [Role], a: &mut [f64]) {
    a.fill(0.0);
    let mut kept: Vec<usize> = Vec::new();
    let mut factor: Vec<Vec<f64>> = Vec::new();
    let mut half: Vec<f64> = Vec::new();
    for k in 0..p.len() {
        if roles[k] != Role::Free {
            continue;
        }
        let mut row = Vec::with_capacity(kept.len() + 1);
        for (m, &l) in kept.iter().enumerate() {
            let done: f64 = row.iter().zip(&factor[m]).map(|(x, y): (&f64, &f64)| x * y).sum();
            row.push((g[(k, l)] - done) / factor[m][m]);
        }
        let pivot = g[(k, k)] - row.iter().map(|x| x * x).sum::<f64>();
        if pivot <= DEPENDENT {
            roles[k] = Role::Dependent;
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
