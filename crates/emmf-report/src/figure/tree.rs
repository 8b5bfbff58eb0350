//! The nodes of all layers as a tree, from the last layer at the left to the first at the right: images or main features at the
//! nodes, how many samples they have, and thin branches where it is not certain that a node belongs there.

use std::collections::BTreeMap;

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

/// Where every node is.
struct Layout<'a> {
    tree: &'a NodeTree,
    sketch: Option<&'a Sketch>,
    /// The middle of a node, by layer and number.
    middle: BTreeMap<(usize, usize), f64>,
    row: u32,
    rows: u32,
}

fn tree_of(record: &Record) -> Result<&NodeTree, Error> {
    record.tree.as_ref().ok_or_else(|| Error::NoTree { method: record.spec.method.clone() })
}

impl<'a> Layout<'a> {
    fn of(record: &'a Record) -> Result<Self, Error> {
        let (tree, sketch) = (tree_of(record)?, record.sketch.as_ref());
        let has_images = sketch.is_some_and(|sketch| sketch.image.is_some() && !sketch.layers.is_empty());
        let row = if has_images { IMAGE_ROW } else { ROW };
        let mut layout = Self { tree, sketch, middle: BTreeMap::new(), row, rows: 0 };
        tree.roots().for_each(|root| {
            layout.place(root);
        });
        Ok(layout)
    }

    /// Places a node in the middle of its children, leaves one below the other.
    fn place(&mut self, node: &TreeNode) -> f64 {
        let tree = self.tree;
        let children: Vec<f64> = tree.children(node).map(|child| self.place(child)).collect();
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

    fn centroid(&self, node: &TreeNode) -> Option<&'a CentroidSketch> {
        let layer = self.sketch?.layers.get(node.layer - 1)?;
        layer.iter().find(|centroid| centroid.cluster == node.node)
    }
}

pub(super) fn size(record: &Record) -> Result<(u32, u32), Error> {
    let layout = Layout::of(record)?;
    Ok((2 * EDGE + layout.tree.layers as u32 * LAYER, HEAD + 2 * EDGE + layout.rows.max(1) * layout.row))
}

pub(super) fn tree<B: DrawingBackend>(paper: &Paper<'_, B>, record: &Record) -> Result<Vec<Picture>, Error> {
    let layout = Layout::of(record)?;
    for layer in 1..=layout.tree.layers {
        let count = layout.tree.nodes.iter().filter(|node| node.layer == layer).count();
        let title = format!("layer {layer}: {count} nodes");
        paper.text(&title, (layout.left(layer), f64::from(EDGE)), Anchor::Start, 12)?;
    }
    for node in &layout.tree.nodes {
        branch(paper, &layout, node)?;
    }
    let mut pictures = Vec::new();
    for node in &layout.tree.nodes {
        pictures.extend(draw(paper, &layout, node, record.data.sparse)?);
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
