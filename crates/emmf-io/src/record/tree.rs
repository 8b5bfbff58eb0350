//! Whether the tree of a record is one: whoever draws it goes from parents to children and back.

use std::collections::BTreeMap;

use emmf::model::{NodeTree, TreeNode};

use super::check::{Checked, below, rising, wrong};

/// A node by its layer and number.
type Place = (usize, usize);

/// The tree of a fit with layers of these widths and `n` samples.
pub(super) fn check(tree: &NodeTree, widths: &[usize], n: usize) -> Checked {
    if widths.len() < 2 || tree.layers != widths.len() {
        let why = format!("it is {}, but the fit has {} and a tree at least 2", tree.layers, widths.len());
        return wrong("tree.layers", why);
    }
    tree.empty.iter().try_for_each(|&place| check_place("tree.empty", place, widths))?;
    let mut children: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
    for node in &tree.nodes {
        check_place("tree.nodes", (node.layer, node.node), widths)?;
        if children.insert((node.layer, node.node), Vec::new()).is_some() {
            return wrong("tree.nodes", format!("{} is there twice", node.name()));
        }
        check_numbers(node, n)?;
    }
    for node in &tree.nodes {
        match (node.parent, node.layer == tree.layers) {
            (None, true) => {}
            (Some(parent), false) => match children.get_mut(&(node.layer + 1, parent)) {
                Some(siblings) => siblings.push(node.node),
                None => return wrong("tree.nodes.parent", format!("that of {} is not there", node.name())),
            },
            (None, false) => return wrong("tree.nodes.parent", format!("{} has none", node.name())),
            (Some(_), true) => {
                return wrong("tree.nodes.parent", format!("{} of the last layer has one", node.name()));
            }
        }
    }
    children.values_mut().for_each(|children| children.sort_unstable());
    match tree.nodes.iter().find(|node| children.get(&(node.layer, node.node)) != Some(&node.children)) {
        None => Ok(()),
        Some(node) => {
            let why = format!("those of {} are not the nodes whose parent it is, rising", node.name());
            wrong("tree.nodes.children", why)
        }
    }
}

/// The layer is one, from 1 on, and the node one of it.
fn check_place(place: &str, (layer, node): Place, widths: &[usize]) -> Checked {
    if let Some(&width) = layer.checked_sub(1).and_then(|at| widths.get(at)) {
        return below(&format!("{place}.node"), &[node], (width, "nodes"));
    }
    wrong(format!("{place}.layer"), format!("it is {layer}, but must be from 1 to {}", widths.len()))
}

/// Samples of the fit, and shares from 0 to 1.
fn check_numbers(node: &TreeNode, n: usize) -> Checked {
    below("tree.nodes.members", &node.members, (n, "samples"))?;
    rising("tree.nodes.members", &node.members)?;
    for (place, number) in [("share", Some(node.share)), ("certainty", node.certainty)] {
        if let Some(number) = number.filter(|number| !(0.0..=1.0).contains(number)) {
            return wrong(format!("tree.nodes.{place}"), format!("it is {number}, but must be from 0 to 1"));
        }
    }
    Ok(())
}
