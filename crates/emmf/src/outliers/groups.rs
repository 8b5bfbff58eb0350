//! Samples that stand out and are alike: a rare cluster, or the same junk many times.
//!
//! Among samples that stand out, those linked by distances that are usual between neighbours, or far below their distance from the rest,
//! form a group. If the rest itself falls into clusters, and the group is no farther from them than they are from each other
//! and not much tighter, it is one more cluster with few members: its samples are not outliers, and neither are new ones as
//! near to its centre. Other groups are outliers that are
//! reported together.

use super::Reference;
use super::bulk::quantile;
use crate::data::Data;
use crate::matrix::Mat;
use crate::real::Real;
use crate::threads::made;

/// Fewer samples that are alike make no group.
pub(super) const FEWEST: usize = 5;
/// Numbers that samples which are compared with each other may have together, and the features that they are compared by, at most.
const NUMBERS: usize = 1 << 16;
pub(super) const FEATURES: usize = 256;
/// The share of samples whose nearest neighbour is usual, and how many times as far it is, at most. No larger a share, because a third
/// of the samples may be outliers.
const USUAL: (f64, f64) = (0.6, 3.0);
/// How much farther the members of a rare cluster may be from its centre than those that are known.
const WIDER: f64 = 2.0;
/// Samples are alike where they are nearer to each other than this share of their distance from the rest.
const ALIKE: f64 = 0.25;
/// A group whose neighbours are nearer than this share of what is usual is the same sample many times.
const COPIES: f64 = 0.5;
/// A cluster may be so many times as far from the others as the farthest of the rest.
const FARTHER: f64 = 1.5;
/// Clusters of the rest have so many of the samples that were drawn.
const CLUSTER: usize = 3;

/// Samples that are compared with each other where each has d numbers.
pub(crate) fn most_compared(d: usize) -> usize {
    NUMBERS / d.clamp(64, FEATURES)
}

/// Clusters of few samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Rare<T> {
    /// d×m, a centre in each column.
    pub centres: Mat<T>,
    /// How far samples that belong to it are from its centre, at most.
    pub radii: Vec<f64>,
}

/// The groups among samples that stick out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Groups<T> {
    pub(super) rare: Option<Rare<T>>,
    /// The members of every other group, ascending.
    pub(super) alike: Vec<Vec<usize>>,
}

impl<T: Real> Groups<T> {
    /// The groups of the samples that stick out, `far`, beside those that were drawn of the others. Some may be known to be clusters.
    pub(super) fn find<X: Data<T>>(
        x: &X,
        reference: &Reference<T>,
        far: &[usize],
        is_cluster: impl Fn(&[usize]) -> bool,
    ) -> Self {
        let (d, mut found) = (x.shape().1, Self { rare: None, alike: Vec::new() });
        let most = most_compared(d);
        if far.len() < FEWEST || far.len() > most {
            return found;
        }
        let drawn = reference.samples();
        let step = d.div_ceil(FEATURES).max(1);
        let own = held(x, far, step);
        let rest =
            Mat::from_fn(drawn.cols().min(most), d.div_ceil(step), |i, j| drawn[(step * j, i)].to_f64());
        let rest = Rest::of(without(&rest, &own), x.shape().0 - far.len());
        let mut rare = Vec::new();
        let apart = rest.distances(&own);
        let most = |i: usize, j: usize| rest.usual.max(ALIKE * apart[i].min(apart[j]));
        for members in linked(&own, most).into_iter().filter(|members| members.len() >= FEWEST) {
            let rows: Vec<usize> = members.iter().map(|&at| far[at]).collect();
            let is_near_enough = || rest.is_no_farther(&apart, &members);
            let is_rare = rest.is_as_loose(&own, &members) && (is_cluster(&rows) || is_near_enough());
            if is_rare { rare.push(rows) } else { found.alike.push(rows) }
        }
        found.rare = (!rare.is_empty()).then(|| Rare::of(x, &rare));
        found
    }
}

impl<T> Groups<T> {
    /// Keeps those among groups of outliers for which this is so.
    pub(super) fn keep(&mut self, is_outlier: impl Fn(usize) -> bool) {
        self.alike.iter_mut().for_each(|members| members.retain(|&i| is_outlier(i)));
        self.alike.retain(|members| members.len() >= FEWEST);
    }
}

/// What is usual among the samples that were drawn.
pub(super) struct Rest {
    samples: Mat<f64>,
    /// How far a usual nearest neighbour is, at most, and that of the median sample.
    usual: f64,
    pub(super) middle: f64,
    /// The share of all samples that were drawn.
    share: f64,
    /// How far the cluster that is farthest from all others is from the nearest; −∞ where there is only one.
    apart: f64,
}

impl Rest {
    /// These of so many.
    pub(super) fn of(samples: Mat<f64>, all: usize) -> Self {
        let drawn: Vec<usize> = (0..samples.rows()).collect();
        let near = nearest(&samples, &drawn);
        let share = drawn.len() as f64 / all.max(1) as f64;
        // The same sample twice says nothing about neighbours.
        let apart: Vec<f64> = near.into_iter().filter(|near| *near > 0.0).collect();
        let middle = quantile(&apart, 0.5);
        let usual = USUAL.1 * quantile(&apart, USUAL.0);
        let clusters: Vec<_> =
            linked(&samples, |_, _| usual).into_iter().filter(|members| members.len() >= CLUSTER).collect();
        let gap = |at: usize| {
            let others = clusters.iter().enumerate().filter(|(other, _)| *other != at);
            let others: Vec<usize> = others.flat_map(|(_, of)| of).copied().collect();
            let one = |&i: &usize| least(samples.row(i), &samples, &others);
            made(clusters[at].len(), |of| one(&clusters[at][of])).into_iter().fold(f64::INFINITY, f64::min)
        };
        let apart = if clusters.len() < 2 { None } else { (0..clusters.len()).map(gap).reduce(f64::max) };
        Self { samples, usual, middle, share, apart: apart.unwrap_or(f64::NEG_INFINITY) }
    }

    /// How far samples are from the rest.
    pub(super) fn distances(&self, own: &Mat<f64>) -> Vec<f64> {
        let all: Vec<usize> = (0..self.samples.rows()).collect();
        made(own.rows(), |i| least(own.row(i), &self.samples, &all))
    }

    /// Whether these members are neighbours as near as those of a cluster are, and no nearer.
    fn is_as_loose(&self, own: &Mat<f64>, members: &[usize]) -> bool {
        // As few as were drawn of a cluster of their number: many are nearer to each other.
        let fewer = (members.len() as f64 * self.share) as usize;
        let thinned: Vec<usize> =
            members.iter().copied().step_by(members.len() / fewer.max(FEWEST)).collect();
        let near = quantile(&nearest(own, &thinned), 0.5);
        near >= COPIES * self.middle && near <= self.usual
    }

    /// Whether these members, so far from the rest, are no farther than its clusters are from each other.
    fn is_no_farther(&self, apart: &[f64], members: &[usize]) -> bool {
        let gap = members.iter().map(|&i| apart[i]).fold(f64::INFINITY, f64::min);
        gap <= FARTHER * self.apart
    }
}

impl<T: Real> Rare<T> {
    /// Clusters of these samples.
    pub(super) fn of<X: Data<T>>(x: &X, members: &[Vec<usize>]) -> Self {
        let d = x.shape().1;
        let mut centres = Mat::zeros(d, members.len());
        for (at, members) in members.iter().enumerate() {
            let rows = held(x, members, 1);
            let mean = |j: usize| (0..rows.rows()).map(|i| rows[(i, j)]).sum::<f64>() / rows.rows() as f64;
            (0..d).for_each(|j| centres[(j, at)] = T::from_f64(mean(j)));
        }
        let mut rare = Self { centres, radii: vec![0.0; members.len()] };
        let radii = members.iter().enumerate().map(|(at, members)| {
            let far = members.iter().map(|&i| rare.distances(x, i)[at]);
            // Few members do not reach as far as many.
            WIDER * far.fold(0.0, f64::max)
        });
        rare.radii = radii.collect();
        rare
    }

    /// Whether samples belong to one of them.
    pub(super) fn hold<X: Data<T>>(&self, x: &X) -> Vec<bool> {
        let within =
            |i: usize| self.distances(x, i).iter().zip(&self.radii).any(|(far, radius)| far <= radius);
        (0..x.shape().0).map(within).collect()
    }

    /// How far a sample is from the centres.
    fn distances<X: Data<T>>(&self, x: &X, i: usize) -> Vec<f64> {
        let row = held(x, &[i], 1);
        let far = |at: usize| {
            let square = |(j, x): (usize, &f64)| (x - self.centres[(j, at)].to_f64()).powi(2);
            row.row(0).iter().enumerate().map(square).sum::<f64>().sqrt()
        };
        (0..self.radii.len()).map(far).collect()
    }
}

/// These samples, with one in so many features.
pub(super) fn held<T: Real, X: Data<T>>(x: &X, samples: &[usize], step: usize) -> Mat<f64> {
    let d = x.shape().1;
    let mut held = Mat::zeros(samples.len(), d.div_ceil(step));
    let mut row = vec![T::ZERO; d];
    for (at, &i) in samples.iter().enumerate() {
        if x.is_sparse() {
            row.fill(T::ZERO);
            x.for_each_of_sample(i, |j, value| row[j] = value);
        } else {
            x.read(i..i + 1, 0..d, &mut row);
        }
        held.row_mut(at)
            .iter_mut()
            .zip(row.iter().step_by(step))
            .for_each(|(to, value)| *to = value.to_f64());
    }
    held
}

/// These rows without those that are among others: what sticks out is not the rest, and would be near itself.
fn without(rows: &Mat<f64>, others: &Mat<f64>) -> Mat<f64> {
    let all: Vec<usize> = (0..others.rows()).collect();
    let apart = made(rows.rows(), |i| least(rows.row(i), others, &all) > 0.0);
    let kept: Vec<usize> = (0..rows.rows()).filter(|&i| apart[i]).collect();
    Mat::from_fn(kept.len(), rows.cols(), |at, j| rows[(kept[at], j)])
}

/// The least distance to some rows of a matrix.
fn least(from: &[f64], rows: &Mat<f64>, to: &[usize]) -> f64 {
    to.iter().map(|&j| distance(from, rows.row(j))).fold(f64::INFINITY, f64::min)
}

/// How far the nearest other of these rows is from each of them, ascending.
pub(super) fn nearest(rows: &Mat<f64>, of: &[usize]) -> Vec<f64> {
    let others = |i: usize| of.iter().filter(move |&&j| j != i);
    let one =
        |&i: &usize| others(i).map(|&j| distance(rows.row(i), rows.row(j))).fold(f64::INFINITY, f64::min);
    let mut near = made(of.len(), |at| one(&of[at]));
    near.sort_unstable_by(f64::total_cmp);
    near
}

/// Rows that are linked by distances up to what is given for two of them, each group ascending.
pub(super) fn linked(rows: &Mat<f64>, most: impl Fn(usize, usize) -> f64 + Sync) -> Vec<Vec<usize>> {
    let mut free: Vec<usize> = (0..rows.rows()).collect();
    let mut groups = Vec::new();
    while !free.is_empty() {
        let (mut group, mut next) = (vec![free.remove(0)], 0);
        while let Some(&i) = group.get(next) {
            next += 1;
            let near = made(free.len(), |at| {
                let j = free[at];
                distance(rows.row(i), rows.row(j)) <= most(i, j)
            });
            group.extend(free.iter().zip(&near).filter(|(_, near)| **near).map(|(j, _)| *j));
            let mut near = near.into_iter();
            free.retain(|_| near.next() == Some(false));
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|t| sums[t] += (a[t] - b[t]).powi(2));
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b).powi(2)).sum();
    (sums.iter().sum::<f64>() + rest).sqrt()
}
