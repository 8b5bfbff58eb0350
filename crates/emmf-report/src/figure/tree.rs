//! The nodes of all layers as a tree, from the last layer at the left to the first at the right: images or main features at the
//! nodes, how many samples they have, and thin branches where it is not certain that a node belongs there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use emmf::model::{NodeTree, TreeNode};
use emmf_io::{CentroidSketch, Record, Sketch};
use plotters::prelude::*;

use super::centroids::pixels;
use super::paper::{Anchor, Paper, Picture};
use super::{GOOD, GRID};
use crate::Error;

/// Width of a layer, and of the names beside the last.
const LAYER: u32 = 190;
/// Height of a leaf without and with an image, and the height of that.
const ROW: u32 = 22;
const IMAGE_ROW: u32 = 46;
const IMAGE: u32 = 40;
/// Room at the edges, and at the top for the names of the layers.
const EDGE: u32 = 12;
const HEAD: u32 = 24;
/// Features that are named at a node.
const NAMED: usize = 3;
/// Width of a branch that is certain.
const BRANCH: f64 = 3.0;

/// What a figure may measure, in its own points: a PNG of it takes 48 bytes for each while it is drawn.
const MOST_POINTS: u32 = 4_000_000;

/// Where the nodes are that are drawn.
struct Layout<'a> {
    tree: &'a NodeTree,
    sketch: Option<&'a Sketch>,
    /// All nodes by layer and number.
    nodes: BTreeMap<(usize, usize), &'a TreeNode>,
    /// The middle of a node that is drawn.
    middle: BTreeMap<(usize, usize), f64>,
    row: u32,
    rows: u32,
    /// Leaves that there is no room for.
    left_out: usize,
}

fn tree_of(record: &Record) -> Result<&NodeTree, Error> {
    record.tree.as_ref().ok_or_else(|| Error::NoTree { method: record.spec.method.clone() })
}

fn width(tree: &NodeTree) -> u32 {
    2 * EDGE + tree.layers as u32 * LAYER
}

impl<'a> Layout<'a> {
    fn of(record: &'a Record) -> Result<Self, Error> {
        let (tree, sketch) = (tree_of(record)?, record.sketch.as_ref());
        let has_images = sketch.is_some_and(|sketch| sketch.image.is_some() && !sketch.layers.is_empty());
        let row = if has_images { IMAGE_ROW } else { ROW };
        let nodes = tree.nodes.iter().map(|node| ((node.layer, node.node), node)).collect();
        let mut layout = Self { tree, sketch, nodes, middle: BTreeMap::new(), row, rows: 0, left_out: 0 };
        let drawn = layout.drawn((MOST_POINTS / width(tree) / row) as usize);
        for root in tree.roots().filter(|root| drawn.contains(&(root.layer, root.node))) {
            layout.place(root, &drawn);
        }
        Ok(layout)
    }

    /// The largest leaves, and all nodes above them.
    fn drawn(&mut self, most: usize) -> BTreeSet<(usize, usize)> {
        let mut leaves: Vec<&TreeNode> =
            self.tree.nodes.iter().filter(|node| node.children.is_empty()).collect();
        leaves.sort_by_key(|leaf| Reverse(leaf.members.len()));
        self.left_out = leaves.len().saturating_sub(most);
        let mut drawn = BTreeSet::new();
        for leaf in leaves.into_iter().take(most) {
            let mut next = Some(leaf);
            while let Some(node) = next.filter(|node| drawn.insert((node.layer, node.node))) {
                next = node.parent.and_then(|parent| self.nodes.get(&(node.layer + 1, parent)).copied());
            }
        }
        drawn
    }

    /// Places a node in the middle of its children, leaves one below the other.
    fn place(&mut self, node: &TreeNode, drawn: &BTreeSet<(usize, usize)>) -> f64 {
        let children = node.children.iter().map(|&child| (node.layer - 1, child));
        let children: Vec<&TreeNode> =
            children.filter(|at| drawn.contains(at)).filter_map(|at| self.nodes.get(&at).copied()).collect();
        let children: Vec<f64> = children.into_iter().map(|child| self.place(child, drawn)).collect();
        let middle = if let (Some(first), Some(last)) = (children.first(), children.last()) {
            f64::midpoint(*first, *last)
        } else {
            self.rows += 1;
            f64::from(HEAD + EDGE + (self.rows - 1) * self.row) + 0.5 * f64::from(self.row)
        };
        self.middle.insert((node.layer, node.node), middle);
        middle
    }

    fn left(&self, layer: usize) -> f64 {
        f64::from(EDGE + (self.tree.layers - layer) as u32 * LAYER)
    }

    fn at(&self, layer: usize, node: usize) -> (f64, f64) {
        (self.left(layer), self.middle.get(&(layer, node)).copied().unwrap_or(0.0))
    }

    /// The nodes that are drawn.
    fn placed(&self) -> impl Iterator<Item = &'a TreeNode> {
        self.middle.keys().filter_map(|at| self.nodes.get(at).copied())
    }

    /// What is said below the tree, where there is more than is drawn.
    fn said(&self) -> Option<String> {
        (self.left_out > 0)
            .then(|| format!("{} smaller nodes of the first layer are not drawn", self.left_out))
    }

    fn bottom(&self) -> u32 {
        HEAD + EDGE + self.rows.max(1) * self.row
    }

    fn centroid(&self, node: &TreeNode) -> Option<&'a CentroidSketch> {
        let layer = self.sketch?.layers.get(node.layer - 1)?;
        layer.iter().find(|centroid| centroid.cluster == node.node)
    }
}

pub(super) fn size(record: &Record) -> Result<(u32, u32), Error> {
    let layout = Layout::of(record)?;
    let foot = if layout.left_out > 0 { ROW } else { 0 };
    Ok((width(layout.tree), layout.bottom() + foot + EDGE))
}

pub(super) fn tree<B: DrawingBackend>(paper: &Paper<'_, B>, record: &Record) -> Result<Vec<Picture>, Error> {
    let layout = Layout::of(record)?;
    for layer in 1..=layout.tree.layers {
        let count = layout.tree.nodes.iter().filter(|node| node.layer == layer).count();
        let title = format!("layer {layer}: {count} nodes");
        paper.text(&title, (layout.left(layer), f64::from(EDGE)), Anchor::Start, 12)?;
    }
    for node in layout.placed() {
        branch(paper, &layout, node)?;
    }
    let mut pictures = Vec::new();
    for node in layout.placed() {
        pictures.extend(draw(paper, &layout, node, record.data.sparse)?);
    }
    if let Some(said) = layout.said() {
        let below = f64::from(layout.bottom()) + 0.5 * f64::from(ROW);
        paper.text(&said, (f64::from(EDGE), below), Anchor::Start, 11)?;
    }
    Ok(pictures)
}

/// The line to the parent.
fn branch<B: DrawingBackend>(
    paper: &Paper<'_, B>,
    layout: &Layout<'_>,
    node: &TreeNode,
) -> Result<(), Error> {
    let Some(parent) = node.parent else { return Ok(()) };
    let (from, to) = (layout.at(node.layer + 1, parent), layout.at(node.layer, node.node));
    let bend = to.0 - 0.12 * f64::from(LAYER);
    let width = 0.5 + (BRANCH - 0.5) * node.certainty.unwrap_or(1.0);
    let colour = if node.certainty.unwrap_or(1.0) < 0.5 { GRID } else { GOOD };
    let line = [(from.0 + 0.55 * f64::from(LAYER), from.1), (bend, from.1), (bend, to.1), to];
    paper.line(&line, colour.mix(0.6), width)
}

/// The node, and its picture where it is an image.
fn draw<B: DrawingBackend>(
    paper: &Paper<'_, B>,
    layout: &Layout<'_>,
    node: &TreeNode,
    named: bool,
) -> Result<Option<Picture>, Error> {
    let (left, middle) = layout.at(node.layer, node.node);
    let text = format!("{}: {}", node.node, node.members.len());
    let centroid = layout.centroid(node);
    if let (Some(centroid), Some(shape)) = (centroid, layout.sketch.and_then(|sketch| sketch.image)) {
        let [height, width] = shape;
        let longer = height.max(width).max(1) as u32;
        let (wide, high) = (IMAGE * width as u32 / longer, IMAGE * height as u32 / longer);
        paper.text(&text, (left + f64::from(wide) + 6.0, middle), Anchor::Start, 11)?;
        return Ok(Some(Picture {
            left: paper.size(left as u32),
            top: paper.size((middle - 0.5 * f64::from(high)).max(0.0) as u32),
            width: paper.size(wide.max(1)),
            height: paper.size(high.max(1)),
            pixels: pixels(centroid, shape),
        }));
    }
    let radius = 3.0 + 6.0 * node.share.sqrt();
    paper.circle((left + radius, middle), radius, GOOD.to_rgba())?;
    let terms: Vec<String> = centroid.filter(|_| named).map_or_else(Vec::new, |centroid| {
        let names = centroid.top.iter().take(NAMED).map(|feature| feature.name.chars().take(9).collect());
        names.collect()
    });
    let text = if terms.is_empty() { text } else { format!("{text} {}", terms.join(" ")) };
    paper.text(&text, (left + 2.0 * radius + 4.0, middle), Anchor::Start, 11)?;
    Ok(None)
}
