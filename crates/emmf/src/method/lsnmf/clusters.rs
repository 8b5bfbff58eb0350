//! Clusters read off the components of the links.

use super::{LsnmfState, column_sq};
use crate::data::{Block, Data};
use crate::matrix::Mat;
use crate::real::Real;

/// Not one of the clusters.
const NONE: usize = usize::MAX;

/// V, the sums of every sample's links to each cluster, and the labels.
pub(super) fn read<T: Real, X: Data<T>>(x: &X, state: &LsnmfState<T>) -> (Mat<T>, Vec<usize>) {
    let LsnmfState { f, links, component, .. } = state;
    let ((n, c), m) = (state.near.shape(), f.cols());
    let cluster = clusters(links.sample_degrees.as_slice(), component, c);
    let mut labels: Vec<usize> = (0..n).map(|i| cluster[component[i] as usize]).collect();
    let mut v = Mat::zeros(n, c);
    for i in 0..n {
        for &(j, g) in links.row(i) {
            let at = cluster[component[n + j as usize] as usize];
            if at != NONE && g > T::ZERO {
                v[(i, at)] += g;
            }
        }
    }
    if labels.contains(&NONE) {
        let of = |j: usize| cluster[component[n + j] as usize];
        let live: Vec<usize> = (0..m).filter(|&j| of(j) != NONE).collect();
        adopt(x, f, (&live, &of), (&mut labels, &mut v));
    }
    (v, labels)
}

/// Samples that are in no cluster go with the nearest local centroid that is.
fn adopt<T: Real, X: Data<T>>(
    x: &X,
    f: &Mat<T>,
    (live, of): (&[usize], &(impl Fn(usize) -> usize + Sync)),
    (labels, v): (&mut [usize], &mut Mat<T>),
) {
    let (m, squares): (_, Vec<f64>) = (f.cols(), (0..f.cols()).map(|j| column_sq(f, j)).collect());
    let mut found = vec![(0, T::ZERO); labels.len()];
    x.project(f, labels, &mut found, |Block { p, a, r, .. }| {
        for ((label, found), p) in a.iter_mut().zip(r).zip(p.chunks_exact(m)) {
            if *label != NONE {
                continue;
            }
            let distance = |j: usize| squares[j] - 2.0 * p[j].to_f64();
            let nearest = live.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            *label = nearest.map_or(0, of);
            let weight = nearest.filter(|&j| squares[j] > 0.0).map_or(0.0, |j| p[j].to_f64() / squares[j]);
            *found = (1, T::from_f64(weight));
        }
    });
    for (i, (is_adopted, weight)) in found.into_iter().enumerate() {
        if is_adopted == 1 {
            v[(i, labels[i])] = weight;
        }
    }
}

/// The cluster of every component, by the component's member that names it: the c components with most linked samples, in the order
/// of their first samples.
fn clusters(degrees: &[f64], component: &[u32], c: usize) -> Vec<usize> {
    let mut counts = vec![0_usize; component.len()];
    let linked = degrees.iter().zip(component).filter(|(degree, _)| **degree > 0.0);
    linked.for_each(|(_, &of)| counts[of as usize] += 1);
    let mut order: Vec<usize> = (0..counts.len()).filter(|&of| counts[of] > 0).collect();
    order.sort_by_key(|&of| (usize::MAX - counts[of], of));
    order.truncate(c);
    // The member that names a component is its first, and samples come first.
    order.sort_unstable();
    let mut cluster = vec![NONE; component.len()];
    order.into_iter().enumerate().for_each(|(at, of)| cluster[of] = at);
    cluster
}
