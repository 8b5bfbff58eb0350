//! G, n×m with at most k entries a row: the links of samples with local centroids.

use crate::checkpoint::Archive;
use crate::data::Data;
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// G by rows, and the order of its entries by columns.
pub(super) struct Links<T> {
    /// Entries of a row.
    pub(super) k: usize,
    /// n×k: local centroid and weight; a weight of 0 is no link.
    pub(super) rows: Vec<(u32, T)>,
    /// Where the entries of every local centroid are in `order`, and where these are in `rows`.
    starts: Vec<usize>,
    order: Vec<u32>,
    /// Row sums and column sums.
    pub(super) sample_degrees: Vec<f64>,
    pub(super) centroid_degrees: Vec<f64>,
}

/// Local centroids with a smaller share of the mean degree have no links worth it.
const WEAK: f64 = 1e-6;

impl<T: Real> Links<T> {
    pub(super) fn new(rows: Vec<(u32, T)>, k: usize, m: usize) -> Self {
        let n = rows.len() / k;
        let mut links = Self {
            k,
            order: vec![0; rows.len()],
            rows,
            starts: vec![0; m + 1],
            sample_degrees: vec![0.0; n],
            centroid_degrees: vec![0.0; m],
        };
        links.sort();
        links
    }

    /// What the next iteration needs, see [`Method::parts`](crate::method::Method::parts).
    pub(super) fn parts(&mut self, archive: &mut Archive) {
        let (mut to, mut weights): (Vec<f64>, Vec<T>) =
            self.rows.iter().map(|&(j, g)| (f64::from(j), g)).unzip();
        archive.reals("links", &mut to);
        archive.reals("link-weights", &mut weights);
        let last = self.centroids().saturating_sub(1) as u32;
        self.rows = to.into_iter().zip(weights).map(|(j, g)| ((j as u32).min(last), g)).collect();
        self.sort();
    }

    /// The links of sample i.
    pub(super) fn row(&self, i: usize) -> &[(u32, T)] {
        &self.rows[i * self.k..(i + 1) * self.k]
    }

    /// Number of local centroids.
    pub(super) fn centroids(&self) -> usize {
        self.centroid_degrees.len()
    }

    /// Takes degrees and the order by columns again.
    pub(super) fn sort(&mut self) {
        let Self { k, rows, starts, order, sample_degrees, centroid_degrees } = self;
        starts.fill(0);
        centroid_degrees.fill(0.0);
        for (row, degree) in rows.chunks_exact(*k).zip(sample_degrees) {
            *degree = row.iter().map(|(_, g)| g.to_f64()).sum();
            for (j, g) in row {
                starts[*j as usize + 1] += 1;
                centroid_degrees[*j as usize] += g.to_f64();
            }
        }
        let m = centroid_degrees.len();
        (0..m).for_each(|j| starts[j + 1] += starts[j]);
        // Filling moves every start to its end, which is the next start.
        for (at, (j, _)) in rows.iter().enumerate() {
            order[starts[*j as usize]] = at as u32;
            starts[*j as usize] += 1;
        }
        starts.copy_within(..m, 1);
        starts[0] = 0;
    }

    /// `out` = GᵀX, m×d.
    pub(super) fn sums<X: Data<T>>(&self, x: &X, out: &mut Mat<T>) {
        let d = out.cols();
        each(out.as_mut_slice().par_chunks_mut(d).enumerate(), |(j, out)| {
            out.fill(T::ZERO);
            for &at in &self.order[self.starts[j]..self.starts[j + 1]] {
                let (_, g) = self.rows[at as usize];
                if g > T::ZERO {
                    x.add_row(at as usize / self.k, g, out);
                }
            }
        });
    }

    /// `out` = GᵀG, m×m.
    pub(super) fn gram(&self, out: &mut Mat<T>) {
        let m = self.centroids();
        out.as_mut_slice().fill(T::ZERO);
        for row in self.rows.chunks_exact(self.k) {
            for &(j, g) in row {
                row.iter()
                    .for_each(|&(l, other)| out.as_mut_slice()[j as usize * m + l as usize] += g * other);
            }
        }
    }

    /// The component of every sample and then of every local centroid, by the number of one of its members; and how
    /// many components there are. Samples and centroids without a link are components of their own.
    pub(super) fn components(&self, parents: &mut [u32]) -> usize {
        let n = self.sample_degrees.len();
        parents.iter_mut().enumerate().for_each(|(at, parent)| *parent = at as u32);
        let mut count = parents.len();
        for (at, (j, g)) in self.rows.iter().enumerate() {
            if *g > T::ZERO {
                let (a, b) = (root(parents, at / self.k), root(parents, n + *j as usize));
                if a != b {
                    parents[a.max(b)] = a.min(b) as u32;
                    count -= 1;
                }
            }
        }
        (0..parents.len()).for_each(|at| parents[at] = root(parents, at) as u32);
        count
    }

    /// Cuts off local centroids whose links are next to nothing: F would grow as these shrink, without end. Whether there
    /// were any.
    pub(super) fn prune(&mut self) -> bool {
        let weak = WEAK * self.centroid_degrees.iter().sum::<f64>() / self.centroids() as f64;
        let is_weak: Vec<bool> = self.centroid_degrees.iter().map(|&d| d > 0.0 && d < weak).collect();
        let any = is_weak.contains(&true);
        if any {
            let links = self.rows.iter_mut().filter(|(j, _)| is_weak[*j as usize]);
            links.for_each(|link| link.1 = T::ZERO);
            self.sort();
        }
        any
    }

    /// Samples with a link.
    pub(super) fn linked(&self) -> usize {
        self.sample_degrees.iter().filter(|degree| **degree > 0.0).count()
    }

    /// Samples and local centroids without a link.
    pub(super) fn alone(&self) -> usize {
        let degrees = self.sample_degrees.iter().chain(&self.centroid_degrees);
        degrees.filter(|degree| **degree == 0.0).count()
    }
}

/// The first member of a component, with shorter ways to it from now on.
fn root(parents: &mut [u32], mut at: usize) -> usize {
    while parents[at] as usize != at {
        parents[at] = parents[parents[at] as usize];
        at = parents[at] as usize;
    }
    at
}
