//! Communities of a graph: groups with more edges inside than chance would put there, as many as there are (Blondel et al.
//! 2008, "Louvain").
//!
//! Samples move, one after the other, to the neighbouring group that raises the modularity most; then every group becomes one
//! node and groups move, until nothing does. The order is that of the samples, so nothing is random. Cost about O(edges) per pass.

use std::collections::BTreeMap;

use super::Graph;

/// What a move must gain, as a share of all degrees: less is rounding.
const LEAST: f64 = 1e-12;
/// Maximum number of passes over all nodes of a level.
const PASSES: usize = 100;

/// A graph whose nodes are groups.
struct Level {
    /// Other nodes with the weights of the edges to them.
    edges: Vec<Vec<(usize, f64)>>,
    /// Twice the weight inside of the node.
    inside: Vec<f64>,
}

impl Level {
    fn of(graph: &Graph) -> Self {
        let row = |i: usize| {
            let (neighbours, weights) = graph.row(i);
            neighbours.iter().zip(weights).map(|(&j, &weight)| (j as usize, weight)).collect()
        };
        Self { edges: (0..graph.nodes()).map(row).collect(), inside: vec![0.0; graph.nodes()] }
    }

    fn degree(&self, i: usize) -> f64 {
        self.inside[i] + self.edges[i].iter().map(|(_, weight)| weight).sum::<f64>()
    }

    /// The group of every node after moves, numbered from 0, and how many there are; nothing where none moved.
    fn groups(&self, resolution: f64) -> Option<(Vec<usize>, usize)> {
        let n = self.edges.len();
        let degrees: Vec<f64> = (0..n).map(|i| self.degree(i)).collect();
        let all: f64 = degrees.iter().sum();
        let (mut group, mut totals) = ((0..n).collect::<Vec<_>>(), degrees.clone());
        let mut shares = vec![0.0; n];
        let mut moved = false;
        for _ in 0..PASSES {
            let mut again = false;
            for i in 0..n {
                let own = group[i];
                totals[own] -= degrees[i];
                let near: Vec<usize> = self.edges[i].iter().map(|(j, _)| group[*j]).collect();
                for ((_, weight), &to) in self.edges[i].iter().zip(&near) {
                    shares[to] += weight;
                }
                let gain = |to: usize| shares[to] - resolution * totals[to] * degrees[i] / all;
                let stay = (own, gain(own));
                let best = near
                    .iter()
                    .map(|&to| (to, gain(to)))
                    .fold(stay, |best, next| if next.1 > best.1 + LEAST * all { next } else { best });
                near.iter().for_each(|&to| shares[to] = 0.0);
                group[i] = best.0;
                totals[best.0] += degrees[i];
                again |= best.0 != own;
            }
            moved |= again;
            if !again {
                break;
            }
        }
        moved.then(|| renumbered(&group))
    }

    /// The graph of these groups.
    fn merged(&self, group: &[usize], count: usize) -> Self {
        let mut inside = vec![0.0; count];
        let mut rows = vec![BTreeMap::new(); count];
        for (i, &own) in group.iter().enumerate() {
            inside[own] += self.inside[i];
            for &(j, weight) in &self.edges[i] {
                if group[j] == own {
                    inside[own] += weight;
                } else {
                    *rows[own].entry(group[j]).or_insert(0.0) += weight;
                }
            }
        }
        Self { edges: rows.into_iter().map(|row| row.into_iter().collect()).collect(), inside }
    }
}

/// Groups numbered from 0 in the order of their first members, and their number.
fn renumbered(group: &[usize]) -> (Vec<usize>, usize) {
    let mut names = vec![usize::MAX; group.len()];
    let mut count = 0;
    let renamed = group.iter().map(|&old| {
        if names[old] == usize::MAX {
            names[old] = count;
            count += 1;
        }
        names[old]
    });
    (renamed.collect(), count)
}

/// The community of every sample, numbered from 0 in the order of their first samples.
pub fn communities(graph: &Graph) -> Vec<usize> {
    communities_at(graph, 1.0)
}

/// The same with a modularity in which chance counts this many times: the higher the resolution, the more and the smaller the
/// communities (Reichardt and Bornholdt 2006).
pub fn communities_at(graph: &Graph, resolution: f64) -> Vec<usize> {
    let mut level = Level::of(graph);
    let mut label: Vec<usize> = (0..graph.nodes()).collect();
    while let Some((group, count)) = level.groups(resolution) {
        label.iter_mut().for_each(|label| *label = group[*label]);
        level = level.merged(&group, count);
    }
    renumbered(&label).0
}
