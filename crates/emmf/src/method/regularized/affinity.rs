//! The graph of a fit, given or learned, and what the steps need of it.

use super::learned::Learned;
use super::{Source, Terms};
use crate::cancel::Cancel;
use crate::data::{Data, PARTS, least_parts, rows_per_part};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// W with its λ.
pub(super) enum Affinity<'a> {
    Given { graph: &'a Graph, lambda: f64 },
    Learned(Box<Learned>),
}

impl<'a> Affinity<'a> {
    /// The graph that the terms ask for.
    pub(super) fn new<T: Real, X: Data<T>>(
        x: &X,
        terms: &Terms,
        graph: Option<&'a Graph>,
        cancel: &Cancel,
    ) -> Result<Option<Self>> {
        match terms.graph {
            Source::None => Ok(None),
            Source::Given => {
                let graph =
                    graph.ok_or_else(|| Error::param("graph", "missing", "given with this method"))?;
                Ok(Some(Self::Given { graph, lambda: terms.lambda }))
            }
            Source::Learned(learning) => {
                Ok(Some(Self::Learned(Box::new(Learned::new(x, terms.lambda, learning, cancel)?))))
            }
        }
    }

    /// `out` = W·V.
    pub(super) fn dot<T: Real>(&self, v: &Mat<T>, out: &mut Mat<T>) {
        match self {
            Self::Given { graph, .. } => graph.dot(v, out),
            Self::Learned(learned) => learned.dot(v, out),
        }
    }

    /// D.
    pub(super) fn degrees(&self) -> &[f64] {
        match self {
            Self::Given { graph, .. } => graph.degrees(),
            Self::Learned(learned) => learned.degrees(),
        }
    }

    /// New weights for this V, where they are learned.
    pub(super) fn learn<T: Real>(&mut self, v: &Mat<T>) {
        if let Self::Learned(learned) = self {
            learned.learn(v);
        }
    }

    /// λ·tr(VᵀLV) and the terms of learned weights.
    pub(super) fn value<T: Real>(&self, v: &Mat<T>) -> f64 {
        match self {
            Self::Given { graph, lambda } => *lambda * roughness(graph, v),
            Self::Learned(learned) => learned.value(v),
        }
    }

    /// γ of learned weights, where there is one.
    pub(super) fn gamma(&self) -> Option<f64> {
        match self {
            Self::Given { .. } => None,
            Self::Learned(learned) => learned.gamma(),
        }
    }
}

/// tr(VᵀLV) = ½·Σ w_ij‖vᵢ − vⱼ‖², by the edges: D − W would cancel.
pub(in crate::method) fn roughness<T: Real>(graph: &Graph, v: &Mat<T>) -> f64 {
    let sum = sum_over_rows(v.rows(), 2 * graph.edges() * v.cols(), |i| {
        let (near, weights) = graph.row(i);
        let edges = near.iter().zip(weights);
        edges.map(|(&j, weight)| weight * distance_sq(v.row(i), v.row(j as usize))).sum()
    });
    0.5 * sum
}

/// Σ `term(i)` for n rows, the same for any number of threads; `work` is the number of multiplications.
pub(super) fn sum_over_rows(n: usize, work: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let rows = rows_per_part(n);
    let mut sums = [0.0; PARTS];
    let parts = sums.par_iter_mut().enumerate();
    each(parts.with_min_len(least_parts(work)), |(part, sum)| {
        let range = (part * rows).min(n)..((part + 1) * rows).min(n);
        *sum = range.map(&term).sum();
    });
    sums.iter().sum()
}

/// ‖a − b‖² in double precision.
#[inline(always)]
pub(super) fn distance_sq<T: Real>(a: &[T], b: &[T]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let square = |a: T, b: T| (a.to_f64() - b.to_f64()).powi(2);
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for t in 0..8 {
            sums[t] += square(a[t], b[t]);
        }
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(&a, &b)| square(a, b)).sum::<f64>()
}
