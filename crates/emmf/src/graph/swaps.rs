//! Clusters along a graph that have lost one: two groups share a cluster while another group has two.
//!
//! Pivoted QR ends in such states where a group has weak links inside, and no sample can leave them one by one. A swap can: a
//! cluster that is two communities, so that cutting it raises the modularity, is cut, and the two clusters that lose least by it
//! are put together. There are as many clusters as before.

use super::Graph;
use super::eigen::leading;
use crate::cancel::{Cancel, in_time};
use crate::error::Result;
use crate::matrix::Mat;

/// Clusters, those that gain most, that may be cut each time.
const CUT: usize = 3;
/// What a swap must gain, and its cut alone, and how many swaps there are at most: clusters that lost more are no good.
const LEAST: f64 = 2e-3;
const SWAPS: usize = 5;
/// Eigenvectors along which a cluster is cut; where it is not connected, either may be the one that is constant.
const VECTORS: usize = 2;

/// Two clusters instead of one: what that gains, and the members of the second.
#[derive(Clone)]
struct Cutting {
    gain: f64,
    second: Vec<usize>,
}

/// The clusters, `k` at most, after all swaps that raise the modularity, as long as there is time.
pub(crate) fn mended(graph: &Graph, mut labels: Vec<usize>, k: usize, cancel: &Cancel) -> Result<Vec<usize>> {
    let all: f64 = graph.degrees().iter().sum();
    let mut cuttings: Vec<Option<Cutting>> = vec![None; k];
    for _ in 0..SWAPS {
        if k < 3 || all <= 0.0 {
            break;
        }
        for (cluster, cutting) in cuttings.iter_mut().enumerate() {
            if cutting.is_none() {
                let Some(found) = in_time(cut(graph, &labels, (cluster, all), cancel))? else {
                    return Ok(labels);
                };
                *cutting = Some(found);
            }
        }
        let links = graph.between(&labels, k);
        let Some((cluster, (a, b))) = best_swap(&cuttings, &links, all) else { break };
        let second = cuttings[cluster].take().map(|cutting| cutting.second).unwrap_or_default();
        labels.iter_mut().filter(|label| **label == b).for_each(|label| *label = a);
        second.into_iter().for_each(|i| labels[i] = b);
        (cuttings[a], cuttings[b]) = (None, None);
    }
    Ok(labels)
}

/// The cluster to be cut and the pair to be put together, of those that gain most, where they gain enough.
fn best_swap(cuttings: &[Option<Cutting>], links: &Mat<f64>, all: f64) -> Option<(usize, (usize, usize))> {
    let gain = |cluster: usize| cuttings[cluster].as_ref().map_or(f64::NEG_INFINITY, |cutting| cutting.gain);
    let mut order: Vec<usize> = (0..cuttings.len()).collect();
    order.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
    let swap = |&cluster: &usize| {
        let (pair, merging) = best_pair(links, cluster, all)?;
        Some((gain(cluster) + merging, cluster, pair))
    };
    let swaps = order.iter().take(CUT).filter(|&&cluster| gain(cluster) > LEAST).filter_map(swap);
    let best = swaps.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 > LEAST).then_some((best.1, best.2))
}

/// The two clusters that gain most by being put together, and how much; the one that is cut is none of them.
fn best_pair(links: &Mat<f64>, cut: usize, all: f64) -> Option<((usize, usize), f64)> {
    let degrees: Vec<f64> = (0..links.rows()).map(|k| links.row(k).iter().sum()).collect();
    let gain = |a: usize, b: usize| 2.0 * (links[(a, b)] / all - degrees[a] / all * (degrees[b] / all));
    let others = || (0..links.rows()).filter(|&k| k != cut);
    let pairs = others().flat_map(|a| others().filter(move |&b| b > a).map(move |b| (a, b)));
    pairs.map(|(a, b)| ((a, b), gain(a, b))).reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The best cut of a cluster along its leading eigenvectors. Members follow each other in their order along one; what lies before
/// is one half.
fn cut(graph: &Graph, labels: &[usize], (cluster, all): (usize, f64), cancel: &Cancel) -> Result<Cutting> {
    let members: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == cluster).collect();
    let mut best = Cutting { gain: f64::NEG_INFINITY, second: Vec::new() };
    if members.len() < 2 {
        return Ok(best);
    }
    let inner = graph.among(&members);
    let degrees: Vec<f64> = members.iter().map(|&i| graph.degrees()[i] / all).collect();
    let (_, vectors) = leading(&inner.normalized(), VECTORS, cancel)?;
    for at in 0..vectors.cols() {
        let place = |i: usize| match inner.degrees()[i] {
            degree if degree > 0.0 => vectors[(i, at)] / degree.sqrt(),
            _ => 0.0,
        };
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by(|&a, &b| place(a).total_cmp(&place(b)).then(a.cmp(&b)));
        let (gain, count) = best_prefix(&inner, &order, &degrees, all);
        if gain > best.gain {
            best = Cutting { gain, second: order[..count].iter().map(|&i| members[i]).collect() };
        }
    }
    Ok(best)
}

/// How much the modularity gains if the first so many in this order are a cluster of their own, at best, and how many they are.
/// Degrees are shares of all.
fn best_prefix(inner: &Graph, order: &[usize], degrees: &[f64], all: f64) -> (f64, usize) {
    let mut is_first = vec![false; order.len()];
    let (mut first, whole) = (0.0, degrees.iter().sum::<f64>());
    let (mut crossing, mut best) = (0.0, (f64::NEG_INFINITY, 0));
    for (at, &i) in order[..order.len() - 1].iter().enumerate() {
        let (neighbours, weights) = inner.row(i);
        for (&j, weight) in neighbours.iter().zip(weights) {
            crossing += if is_first[j as usize] { -weight } else { *weight };
        }
        is_first[i] = true;
        first += degrees[i];
        let gain = 2.0 * (first * (whole - first) - crossing / all);
        if gain > best.0 {
            best = (gain, at + 1);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rings of 20 nodes, joined in a ring by single edges, and the ring of every node.
    fn rings(count: usize) -> (Graph, Vec<usize>) {
        let of = |ring: usize, i: usize| 20 * ring + i % 20;
        let inside = (0..count).flat_map(|ring| (0..20).map(move |i| (ring, i)));
        let edges = inside.flat_map(|(ring, i)| [1, 2, 5].map(|step| (of(ring, i), of(ring, i + step), 1.0)));
        let joints = (0..count).map(|ring| (of(ring, 0), of((ring + 1) % count, 10), 1.0));
        let graph = Graph::from_edges(20 * count, edges.chain(joints)).unwrap();
        (graph, (0..20 * count).map(|i| i / 20).collect())
    }

    fn is_alike(a: &[usize], b: &[usize]) -> bool {
        (0..a.len()).all(|i| (0..i).all(|j| (a[i] == a[j]) == (b[i] == b[j])))
    }

    /// A group with two clusters gives one to two groups that share theirs, linked or not, one group after the other.
    #[test]
    fn a_lost_cluster_is_found() {
        let (graph, truth) = rings(9);
        for lost in [vec![(1, 0, 5)], vec![(1, 4, 5), (3, 2, 7)]] {
            let mut labels = truth.clone();
            for (from, into, doubled) in lost {
                labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = into);
                (0..10).for_each(|i| labels[20 * doubled + i] = from);
            }
            assert!(!is_alike(&labels, &truth));
            let found = mended(&graph, labels, 9, &Cancel::new()).unwrap();
            assert!(is_alike(&found, &truth), "{found:?}");
        }
    }

    #[test]
    fn what_is_right_stays() {
        let (graph, truth) = rings(6);
        assert_eq!(mended(&graph, truth.clone(), 6, &Cancel::new()).unwrap(), truth);
        let none = Graph::from_edges(6, []).unwrap();
        assert_eq!(mended(&none, truth[..6].to_vec(), 3, &Cancel::new()).unwrap(), truth[..6]);
    }

    /// What is told of a cut is how much the modularity gains.
    #[test]
    fn gains_are_those_of_the_modularity() {
        let (graph, labels) = rings(4);
        let all: f64 = graph.degrees().iter().sum();
        let modularity = |labels: &[usize]| {
            let links = graph.between(labels, 8);
            let of = |k: usize| links[(k, k)] / all - (links.row(k).iter().sum::<f64>() / all).powi(2);
            (0..8).map(of).sum::<f64>()
        };
        let pairs: Vec<usize> = labels.iter().map(|label| label / 2).collect();
        let cutting = cut(&graph, &pairs, (0, all), &Cancel::new()).unwrap();
        let mut after = pairs.clone();
        cutting.second.iter().for_each(|&i| after[i] = 2);
        assert!((modularity(&after) - modularity(&pairs) - cutting.gain).abs() < 1e-12);
        let (pair, gain) = best_pair(&graph.between(&labels, 4), 0, all).unwrap();
        let joined: Vec<usize> =
            labels.iter().map(|&label| if label == pair.1 { pair.0 } else { label }).collect();
        assert!((modularity(&joined) - modularity(&labels) - gain).abs() < 1e-12);
    }
}
