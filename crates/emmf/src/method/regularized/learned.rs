//! Graphs that are learned with the factors: every sample spreads a weight of 1 over a few neighbours.
//!
//! Rows sᵢ of S lie on the simplex, sᵢᵢ = 0, and W = (S + Sᵀ)/2. With eᵢⱼ = ‖vᵢ − vⱼ‖², λ·tr(VᵀLV) = ½λ·Σ eᵢⱼsᵢⱼ, so that
//! given V every row has a problem of its own:
//!
//! - NMFAN, Σⱼ ‖xᵢ − xⱼ‖²sᵢⱼ + γsᵢⱼ² + ½λeᵢⱼsᵢⱼ: sᵢ is the projection of −(‖xᵢ − xⱼ‖² + ½λeᵢⱼ)/2γ on the simplex, γ the mean
//!   of what makes just k neighbours at the start. The authors' code has λ instead of ½λ here, which belongs to
//!   another objective than its step for V, and lets a sample be its own neighbour, which takes weight from the others.
//! - SRMCF with γ, ½λeᵢⱼsᵢⱼ + γsᵢⱼ²: the projection of −λe/4γ.
//! - SRMCF without: sᵢⱼ = (e_{k+1} − eᵢⱼ)/(k·e_{k+1} − Σ_{h≤k} e_h) on the k nearest rows of V, for which γ is another one in every
//!   row and iteration. The objective then leaves γ out, and it may rise a little.
//!
//! SRMCF is **reconstructed**: its formulas could not be had. Known are concept factorization, an affinity that is learned at the
//! same time from distances of the learned representation, and one indicator matrix; whether the authors measure between
//! rows of V or between reconstructions, and whether V is orthogonal, is open.
//!
//! Weights start from the k nearest samples. They are never taken from the V of a k-means start, whose rows
//! are equal within a cluster. Neighbours are chosen among the 50 nearest samples, so that memory is O(n): all
//! pairs give the same clusters.

use super::affinity::{distance_sq, sum_over_rows};
use crate::cancel::Cancel;
use crate::checkpoint::Archive;
use crate::data::{Data, least_parts, rows_per_part};
use crate::error::Result;
use crate::graph::{Neighbours, adaptive, nearest, project_onto_simplex};
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// Samples among which the neighbours of a sample are chosen.
pub(crate) const CANDIDATES: usize = 50;
/// γ is at least this: samples with enough duplicates would make it 0.
const LEAST_GAMMA: f64 = 1e-12;
/// No weight in this direction.
const NOWHERE: u32 = u32::MAX;

/// What weights are learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Learning {
    /// Distances of samples and of rows of V.
    Samples {
        /// Neighbours of a sample at the start, which γ comes from.
        neighbours: usize,
    },
    /// Distances of rows of V.
    Coefficients {
        /// Neighbours of a sample.
        neighbours: usize,
        /// γ; `None` gives every sample just its k neighbours.
        gamma: Option<f64>,
    },
}

/// S, W and their parameters.
pub(super) struct Learned {
    lambda: f64,
    learning: Learning,
    gamma: f64,
    candidates: Neighbours,
    /// n×candidates: sᵢⱼ.
    s: Vec<f64>,
    symmetric: Symmetric,
}

/// W = (S + Sᵀ)/2 on all pairs that S might hold, compressed by rows.
struct Symmetric {
    starts: Vec<usize>,
    other: Vec<u32>,
    /// Where sᵢⱼ and sⱼᵢ are.
    there: Vec<u32>,
    back: Vec<u32>,
    weights: Vec<f64>,
    degrees: Vec<f64>,
}

impl Learned {
    pub(super) fn new<T: Real, X: Data<T>>(
        x: &X,
        lambda: f64,
        learning: Learning,
        cancel: &Cancel,
    ) -> Result<Self> {
        let candidates = nearest(x, CANDIDATES, cancel)?;
        let (Learning::Samples { neighbours } | Learning::Coefficients { neighbours, .. }) = learning;
        let start = adaptive(&candidates.truncated(neighbours + 1));
        let (n, m) = (candidates.nodes(), candidates.k);
        let mut s = vec![0.0; n * m];
        for i in 0..n {
            let row = &mut s[i * m..(i + 1) * m];
            row[..start.k].copy_from_slice(&start.weight[i * start.k..(i + 1) * start.k]);
            // The one other sample there is.
            if start.k == 0 {
                row.fill(1.0);
            }
        }
        let mean = start.gamma.iter().sum::<f64>() / n as f64;
        let gamma = match learning {
            Learning::Samples { .. } => mean.max(LEAST_GAMMA),
            Learning::Coefficients { gamma, .. } => gamma.unwrap_or(0.0),
        };
        let symmetric = Symmetric::new(&candidates);
        let mut learned = Self { lambda, learning, gamma, candidates, s, symmetric };
        learned.symmetric.update(&learned.s);
        Ok(learned)
    }

    pub(super) fn gamma(&self) -> Option<f64> {
        Some(self.gamma).filter(|gamma| *gamma > 0.0)
    }

    pub(super) fn degrees(&self) -> &[f64] {
        &self.symmetric.degrees
    }

    /// `out` = W·V.
    pub(super) fn dot<T: Real>(&self, v: &Mat<T>, out: &mut Mat<T>) {
        self.symmetric.dot(v, out);
    }

    /// S and W for this V.
    pub(super) fn learn<T: Real>(&mut self, v: &Mat<T>) {
        let &mut Self { lambda, learning, gamma, ref candidates, ref mut s, ref mut symmetric } = self;
        let m = candidates.k;
        if m == 0 {
            return;
        }
        let least = least_parts(s.len() * v.cols()) * candidates.nodes().div_ceil(64);
        each(s.par_chunks_mut(m).enumerate().with_min_len(least), |(i, s)| {
            let (near, distances) = candidates.row(i);
            let mut e = [0.0; CANDIDATES];
            let e = &mut e[..m];
            e.iter_mut().zip(near).for_each(|(e, &j)| *e = distance_sq(v.row(i), v.row(j as usize)));
            Row { lambda, learning, gamma, distances }.learn(s, e);
        });
        symmetric.update(s);
    }

    /// What the next iteration needs, see [`Method::parts`](crate::method::Method::parts).
    pub(super) fn parts(&mut self, archive: &mut Archive) {
        archive.reals("graph", &mut self.s);
        self.symmetric.update(&self.s);
    }

    /// The terms of the objective in S.
    pub(super) fn value<T: Real>(&self, v: &Mat<T>) -> f64 {
        let own = if matches!(self.learning, Learning::Samples { .. }) { 1.0 } else { 0.0 };
        sum_over_rows(v.rows(), self.symmetric.weights.len() * v.cols(), |i| {
            let (near, distances) = self.candidates.row(i);
            let weights = &self.s[i * near.len()..(i + 1) * near.len()];
            let present = weights.iter().zip(near.iter().zip(distances)).filter(|(s, _)| **s > 0.0);
            let term = |(s, (&j, d)): (&f64, (&u32, &f64))| {
                let e = distance_sq(v.row(i), v.row(j as usize));
                s * (0.5 * self.lambda * e + own * d + self.gamma * s)
            };
            present.map(term).sum()
        })
    }
}

/// One sample's problem.
struct Row<'a> {
    lambda: f64,
    learning: Learning,
    gamma: f64,
    /// To the candidates.
    distances: &'a [f64],
}

impl Row<'_> {
    fn learn(&self, s: &mut [f64], e: &mut [f64]) {
        let mut room = [0.0; CANDIDATES];
        match self.learning {
            Learning::Samples { .. } => {
                e.iter_mut().zip(self.distances).for_each(|(e, d)| *e = d + 0.5 * self.lambda * *e);
                cheapest(s, e, self.gamma, &mut room);
            }
            Learning::Coefficients { gamma: Some(gamma), .. } => {
                e.iter_mut().for_each(|e| *e *= 0.5 * self.lambda);
                cheapest(s, e, gamma, &mut room);
            }
            Learning::Coefficients { neighbours, gamma: None } => spread(s, e, neighbours),
        }
    }
}

/// The s of the simplex with the least Σ costⱼsⱼ + γsⱼ²: the projection of −cost/2γ. A cost that all share changes
/// nothing there, but divided by a tiny γ it would leave no digits for what tells them apart.
fn cheapest(s: &mut [f64], costs: &[f64], gamma: f64, room: &mut [f64]) {
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    s.iter_mut().zip(costs).for_each(|(s, cost)| *s = (least - cost) / (2.0 * gamma));
    project_onto_simplex(s, &mut room[..costs.len()]);
}

/// s = (e_{k+1} − e)/(k·e_{k+1} − Σ_{h≤k} e_h) on the k nearest, 0 else; 1/k where they are all equally near.
fn spread(s: &mut [f64], e: &[f64], k: usize) {
    let mut order = [0; CANDIDATES];
    let order = &mut order[..e.len()];
    order.iter_mut().enumerate().for_each(|(at, order)| *order = at);
    order.sort_unstable_by(|&a, &b| e[a].total_cmp(&e[b]).then(a.cmp(&b)));
    let k = k.min(e.len().saturating_sub(1)).max(1);
    let next = order.get(k).map_or(e[order[0]], |&at| e[at]);
    let sum: f64 = order[..k].iter().map(|&at| next - e[at]).sum();
    s.fill(0.0);
    for &at in &order[..k] {
        s[at] = if sum > 0.0 { (next - e[at]) / sum } else { 1.0 / k as f64 };
    }
}

impl Symmetric {
    /// All pairs of the lists, in both directions.
    fn new(candidates: &Neighbours) -> Self {
        let (n, m) = (candidates.nodes(), candidates.k);
        let mut pairs: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(2 * n * m);
        for (at, &j) in candidates.index.iter().enumerate() {
            let (i, at) = ((at / m) as u32, at as u32);
            pairs.extend([(i, j, at, NOWHERE), (j, i, NOWHERE, at)]);
        }
        pairs.sort_unstable();
        // A pair of both lists is there twice, once for each direction.
        pairs.dedup_by(|second, first| {
            let same = (first.0, first.1) == (second.0, second.1);
            if same {
                (first.2, first.3) = (first.2.min(second.2), first.3.min(second.3));
            }
            same
        });
        let mut starts = vec![0; n + 1];
        pairs.iter().for_each(|pair| starts[pair.0 as usize + 1] += 1);
        (0..n).for_each(|i| starts[i + 1] += starts[i]);
        Self {
            starts,
            other: pairs.iter().map(|pair| pair.1).collect(),
            there: pairs.iter().map(|pair| pair.2).collect(),
            back: pairs.iter().map(|pair| pair.3).collect(),
            weights: vec![0.0; pairs.len()],
            degrees: vec![0.0; n],
        }
    }

    /// W for this S.
    fn update(&mut self, s: &[f64]) {
        let at = |at: u32| if at == NOWHERE { 0.0 } else { s[at as usize] };
        let pairs = self.there.iter().zip(&self.back);
        self.weights
            .iter_mut()
            .zip(pairs)
            .for_each(|(weight, (&there, &back))| *weight = 0.5 * (at(there) + at(back)));
        for (i, degree) in self.degrees.iter_mut().enumerate() {
            *degree = self.weights[self.starts[i]..self.starts[i + 1]].iter().sum();
        }
    }

    fn dot<T: Real>(&self, v: &Mat<T>, out: &mut Mat<T>) {
        let c = v.cols();
        let rows = rows_per_part(v.rows());
        let parts = out.as_mut_slice().par_chunks_mut(rows * c).enumerate();
        each(parts.with_min_len(least_parts(self.weights.len() * c)), |(part, out)| {
            T::gather(out, v.as_slice(), c, false, |at| {
                let i = part * rows + at;
                let range = self.starts[i]..self.starts[i + 1];
                let entries = self.other[range.clone()].iter().zip(&self.weights[range]);
                let present = entries.filter(|(_, weight)| **weight > 0.0);
                present.map(|(&j, &weight)| (j as usize, T::from_f64(weight)))
            });
        });
    }
}
