//! The tree of a fit with layers, for the script of the page; its size is bounded.

use std::collections::BTreeMap;

use emmf::model::TreeNode;
use emmf_io::Record;
use serde::Serialize;

use super::data::cut;

/// Most samples of a node that are named.
const MOST_MEMBERS: usize = 40;
/// Most nodes: those of the last layers.
const MOST_NODES: usize = 2_000;

#[derive(Serialize)]
pub(super) struct TreeData {
    layers: usize,
    nodes: Vec<NodeData>,
    /// Nodes without samples.
    empty: usize,
    /// Nodes that there was no room for.
    left: usize,
}

#[derive(Serialize)]
struct NodeData {
    layer: usize,
    node: usize,
    children: Vec<usize>,
    certainty: Option<f64>,
    size: usize,
    share: f64,
    outliers: usize,
    members: BTreeMap<usize, Option<String>>,
}

impl TreeData {
    pub(super) fn new(record: &Record) -> Option<Self> {
        let tree = record.tree.as_ref()?;
        let outlier: Vec<bool> = record.outliers().collect();
        let named = |row: usize| record.samples.name.as_ref().map(|names| cut(&names[row]));
        let node = |node: &TreeNode| NodeData {
            layer: node.layer,
            node: node.node,
            children: node.children.clone(),
            certainty: node.certainty,
            size: node.members.len(),
            share: node.share,
            outliers: node.members.iter().filter(|&&row| outlier[row]).count(),
            members: node.members.iter().take(MOST_MEMBERS).map(|&row| (row, named(row))).collect(),
        };
        let nodes: Vec<NodeData> = tree.nodes.iter().take(MOST_NODES).map(node).collect();
        let left = tree.nodes.len() - nodes.len();
        Some(Self { layers: tree.layers, nodes, empty: tree.empty.len(), left })
    }
}
