//! Outlier effect φ(xᵢ): the share of a sample in the objective, from the residuals rᵢ = ‖mᵢ‖₂.
//!
//! | method | φ(xᵢ) |
//! |---|---|
//! | NMF | rᵢ² / Σ rⱼ² |
//! | l2,1-NMF | rᵢ / Σ rⱼ |
//! | EMMF | rᵢ log(rᵢ/R) / Σ rⱼ log(rⱼ/R), R = Σ rⱼ |
//!
//! Chen and Li, Entropy Minimizing Matrix Factorization, the equations before the figure of the
//! outlier effects. 0·log 0 counts as 0. Where the objective itself is 0 (all residuals are zero,
//! or, for EMMF, all but one) no sample has a share in it, and every φ is 0; for EMMF that is also
//! the limit for an outlier whose residual outgrows all others.

use crate::error::{Error, Result};
use crate::real::Real;

/// φ of every sample under NMF (squared residuals).
pub fn nmf<T: Real>(residuals: &[T]) -> Result<Vec<f64>> {
    let r = scaled(residuals)?;
    Ok(shares(r.into_iter().map(|r| r * r).collect()))
}

/// φ of every sample under l2,1-NMF (plain residuals).
pub fn l21<T: Real>(residuals: &[T]) -> Result<Vec<f64>> {
    Ok(shares(scaled(residuals)?))
}

/// φ of every sample under EMMF (entropy of the residuals).
pub fn emmf<T: Real>(residuals: &[T]) -> Result<Vec<f64>> {
    let r = scaled(residuals)?;
    let sum: f64 = r.iter().sum();
    Ok(shares(r.into_iter().map(|r| entropy_term(r / sum)).collect()))
}

/// The curve the paper plots as upper bound of EMMF's φ for n samples: the maximum over
/// p = 0.01, 0.02, …, 0.99 of
///
/// p log p / (p log p + (1 − p)(log(1 − p) − log(n − 1))),
///
/// the effect of one sample with the share p of the residuals while all others share the rest
/// equally. 0 for n < 2, where there are no others.
///
/// In fact it is a *lower* bound of the supremum: for given p an equal rest makes the entropy of
/// the others largest, not smallest, and so the effect smallest. With the rest on a single sample
/// and p → 0 the effect comes as near to 1 as one likes, for every n ≥ 2.
pub fn entropy_bound(n: usize) -> f64 {
    if n < 2 {
        return 0.0;
    }
    let others = (n - 1) as f64;
    let effect = |percent: i32| {
        let p = f64::from(percent) / 100.0;
        let own = entropy_term(p);
        own / (own + others * entropy_term((1.0 - p) / others))
    };
    (1..=99).map(effect).fold(0.0, f64::max)
}

/// −p log p.
fn entropy_term(p: f64) -> f64 {
    if p > 0.0 { -p * p.ln() } else { 0.0 }
}

/// The residuals over the largest of them. φ does not change by it, and no square overflows.
fn scaled<T: Real>(residuals: &[T]) -> Result<Vec<f64>> {
    if residuals.is_empty() {
        return Err(Error::Empty { rows: 0, cols: 1 });
    }
    let mut r: Vec<f64> = residuals.iter().map(|r| r.to_f64()).collect();
    for (row, &value) in r.iter().enumerate() {
        if !value.is_finite() {
            return Err(Error::NonFinite { row, col: 0, value });
        }
        if value < 0.0 {
            return Err(Error::Negative { row, col: 0, value });
        }
    }
    let largest = r.iter().copied().fold(0.0, f64::max);
    if largest > 0.0 {
        for r in &mut r {
            *r /= largest;
        }
    }
    Ok(r)
}

fn shares(mut terms: Vec<f64>) -> Vec<f64> {
    let objective: f64 = terms.iter().sum();
    if objective > 0.0 {
        for term in &mut terms {
            *term /= objective;
        }
    } else {
        terms.fill(0.0);
    }
    terms
}
