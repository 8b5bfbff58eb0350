//! The tree of a fit with layers, for the script of the page; its size is bounded.

use emmf::model::TreeNode;
use emmf::outliers::outliers;
use emmf_io::Record;
use serde::Serialize;

use super::data::indices;

/// Most nodes: those of the last layers.
const MOST_NODES: usize = 2_000;

#[derive(Serialize)]
pub(super) struct TreeData {
    layers: usize,
    nodes: Vec<NodeData>,
    /// The node of every sample of the page, on each layer.
    labels: Vec<String>,
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
    /// With their residuals on this layer.
    outliers: usize,
}

impl TreeData {
    /// With the samples of these rows.
    pub(super) fn new(record: &Record, shown: &[usize]) -> Option<Self> {
        let tree = record.tree.as_ref()?;
        let all = &record.samples;
        let odd =
            |scores: &[f64]| -> Vec<bool> { outliers(scores, &record.set_aside, record.threshold).collect() };
        let odd: Vec<Vec<bool>> = all.layers.iter().map(|on| odd(&on.scores)).collect();
        let node = |node: &TreeNode| NodeData {
            layer: node.layer,
            node: node.node,
            children: node.children.clone(),
            certainty: node.certainty,
            size: node.members.len(),
            share: node.share,
            outliers: node.members.iter().filter(|&&row| odd[node.layer - 1][row]).count(),
        };
        let nodes: Vec<NodeData> = tree.nodes.iter().take(MOST_NODES).map(node).collect();
        let left = tree.nodes.len() - nodes.len();
        let labels =
            (1..=tree.layers).map(|layer| labels(&tree.nodes, layer, all.score.len(), shown)).collect();
        Some(Self { layers: tree.layers, nodes, labels, empty: tree.empty.len(), left })
    }
}

/// The node of each of these rows on a layer.
fn labels(nodes: &[TreeNode], layer: usize, samples: usize, shown: &[usize]) -> String {
    let mut found = vec![0; samples];
    for node in nodes.iter().filter(|node| node.layer == layer) {
        for &row in &node.members {
            found[row] = node.node;
        }
    }
    indices(shown.iter().map(|&row| found[row]))
}
