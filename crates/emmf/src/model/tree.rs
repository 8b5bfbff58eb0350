//! The nodes of all layers as a tree, in formats that other tools read.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::{Model, OnLayer};
use crate::error::{Error, Result};
use crate::real::Real;

/// A node of a layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeNode {
    /// Its layer, from 1.
    pub layer: usize,
    /// Its number in the layer, from 0: the label of its samples, and its column of U.
    pub node: usize,
    /// The number of its parent in the layer above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// How certain it is that it belongs there, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<f64>,
    /// The numbers of its children in the layer below.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<usize>,
    /// Its samples, ascending, from 0.
    pub members: Vec<usize>,
    /// Their share of all samples.
    pub share: f64,
}

impl TreeNode {
    /// A name that no other node has: `L2.5` is node 5 of layer 2.
    pub fn name(&self) -> String {
        name(self.layer, self.node)
    }
}

fn name(layer: usize, node: usize) -> String {
    format!("L{layer}.{node}")
}

/// The nodes of all layers: those of the first have the samples, those of the last have no parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeTree {
    /// Nodes that have samples, from the last layer down.
    pub nodes: Vec<TreeNode>,
    /// Nodes without samples, as layer and number: they are left out.
    pub empty: Vec<(usize, usize)>,
    /// Number of layers.
    pub layers: usize,
}

impl<T: Real> Model<T> {
    /// The tree of the nodes to which samples belong: those of the fit, or others.
    pub fn tree(&self, samples: &[OnLayer]) -> Result<NodeTree> {
        let layers = self.layers().len() + 1;
        if samples.len() != layers || layers < 2 {
            let must = format!("{layers}, one for each layer of a model that has several");
            return Err(Error::param("the samples on layers", samples.len(), must));
        }
        let widths = self.spec.widths();
        let members = members(&widths, samples)?;
        let parents: Vec<Vec<usize>> = self.layers().iter().map(super::Layer::parents).collect();
        let (mut nodes, mut empty) = (Vec::new(), Vec::new());
        let all = samples[0].labels.len().max(1) as f64;
        for layer in (0..layers).rev() {
            for node in 0..widths[layer] {
                let own = &members[layer][node];
                if own.is_empty() {
                    empty.push((layer + 1, node));
                    continue;
                }
                let is_child = |child: &usize| layer > 0 && !members[layer - 1][*child].is_empty();
                let below = if layer > 0 { widths[layer - 1] } else { 0 };
                let children = (0..below).filter(|&child| parents[layer - 1][child] == node).filter(is_child);
                nodes.push(TreeNode {
                    layer: layer + 1,
                    node,
                    parent: parents.get(layer).map(|parents| parents[node]),
                    certainty: self.layers().get(layer).map(|above| above.certainty[node]),
                    children: children.collect(),
                    members: own.clone(),
                    share: own.len() as f64 / all,
                });
            }
        }
        empty.sort_unstable();
        Ok(NodeTree { nodes, empty, layers })
    }
}

/// The samples of every node of every layer.
fn members(widths: &[usize], samples: &[OnLayer]) -> Result<Vec<Vec<Vec<usize>>>> {
    let mut members: Vec<Vec<Vec<usize>>> = widths.iter().map(|&width| vec![Vec::new(); width]).collect();
    for (members, on) in members.iter_mut().zip(samples) {
        for (i, &node) in on.labels.iter().enumerate() {
            let own = members.get_mut(node);
            own.ok_or_else(|| Error::param("a label", node, "a node of its layer"))?.push(i);
        }
    }
    Ok(members)
}

impl NodeTree {
    /// A node by its layer and number.
    pub fn find(&self, layer: usize, node: usize) -> Option<&TreeNode> {
        self.nodes.iter().find(|found| (found.layer, found.node) == (layer, node))
    }

    /// The nodes of the last layer.
    pub fn roots(&self) -> impl Iterator<Item = &TreeNode> {
        self.nodes.iter().filter(|node| node.layer == self.layers)
    }

    /// The children of a node.
    pub fn children<'a>(&'a self, node: &'a TreeNode) -> impl Iterator<Item = &'a TreeNode> {
        node.children.iter().filter_map(|&child| self.find(node.layer - 1, child))
    }

    /// One row per node: its name, layer, number, parent, certainty, number of samples and their share.
    pub fn to_csv(&self) -> String {
        let mut text = "name,layer,node,parent,certainty,members,share\n".to_string();
        for node in &self.nodes {
            let parent = node.parent.map(|parent| name(node.layer + 1, parent)).unwrap_or_default();
            let sure = node.certainty.map(|certainty| certainty.to_string()).unwrap_or_default();
            let TreeNode { layer, node: number, members, share, .. } = node;
            // Writing to a string does not fail.
            let _ =
                writeln!(text, "{},{layer},{number},{parent},{sure},{},{share}", node.name(), members.len());
        }
        text
    }

    /// In Newick format: every branch from a layer to the next has length 1.
    pub fn to_newick(&self) -> String {
        let roots: Vec<String> = self.roots().map(|root| self.newick_of(root)).collect();
        format!("({});", roots.join(","))
    }

    fn newick_of(&self, node: &TreeNode) -> String {
        let children: Vec<String> = self.children(node).map(|child| self.newick_of(child)).collect();
        let inside = if children.is_empty() { String::new() } else { format!("({})", children.join(",")) };
        format!("{inside}{}:1", node.name())
    }

    /// The nodes of the first layer, in the order of the leaves of [`linkage`](Self::linkage).
    pub fn leaves(&self) -> Vec<&TreeNode> {
        self.nodes.iter().filter(|node| node.layer == 1).collect()
    }

    /// Merges of two at a time, in the format of `scipy.cluster.hierarchy`: the two clusters, the height, the number of leaves.
    /// Leaves are the nodes of the first layer; nodes merged in layer l join at height l − 1, and finally all join at the
    /// number of layers.
    pub fn linkage(&self) -> Vec<[f64; 4]> {
        let leaves = self.leaves();
        let number = |node: &TreeNode| leaves.iter().position(|leaf| leaf.node == node.node).unwrap_or(0);
        let mut merges = Merges { rows: Vec::new(), leaves: leaves.len() };
        let mut below: Vec<(usize, usize, usize)> =
            leaves.iter().map(|leaf| (leaf.node, number(leaf), 1)).collect();
        for layer in 2..=self.layers {
            let nodes = self.nodes.iter().filter(|node| node.layer == layer);
            let joined = nodes.filter_map(|node| {
                let parts = below.iter().filter(|(child, ..)| node.children.contains(child));
                let (cluster, count) =
                    merges.join(parts.map(|&(_, cluster, count)| (cluster, count)), layer - 1)?;
                Some((node.node, cluster, count))
            });
            below = joined.collect();
        }
        merges.join(below.iter().map(|&(_, cluster, count)| (cluster, count)), self.layers);
        merges.rows
    }
}

/// Rows of a linkage.
struct Merges {
    rows: Vec<[f64; 4]>,
    leaves: usize,
}

impl Merges {
    /// Makes one cluster of several, each with its number of leaves.
    fn join(&mut self, parts: impl Iterator<Item = (usize, usize)>, height: usize) -> Option<(usize, usize)> {
        parts.reduce(|(a, of_a), (b, of_b)| {
            self.rows.push([a.min(b) as f64, a.max(b) as f64, height as f64, (of_a + of_b) as f64]);
            (self.leaves + self.rows.len() - 1, of_a + of_b)
        })
    }
}
