//! Sums over the samples as a binary tree over the parts that they are cut into, and who holds which of them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{PARTS, rows_per_summed_part, summed_parts};

/// Where the samples of a side are among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// All samples, of this side and the others.
    pub total: usize,
    /// The first of this side.
    pub first: usize,
    /// How many it has.
    pub count: usize,
}

impl Place {
    /// Of a side that has all samples.
    pub fn whole(total: usize) -> Self {
        Self { total, first: 0, count: total }
    }

    /// `total` samples in this many nearly equal shards of whole leaves of `rows_per_leaf` samples; some are empty if there
    /// are fewer leaves.
    pub fn cut(total: usize, rows_per_leaf: usize, shards: usize) -> Vec<Self> {
        let leaves = total.div_ceil(rows_per_leaf.max(1));
        let border = |shard: usize| (shard * leaves / shards.max(1) * rows_per_leaf).min(total);
        let place = |shard| Self { total, first: border(shard), count: border(shard + 1) - border(shard) };
        (0..shards).map(place).collect()
    }

    /// Samples of a part: sums over all samples are binary trees over the sums of parts.
    pub fn rows_per_part(&self) -> usize {
        rows_per_summed_part(self.total)
    }

    /// The largest subtrees of at most sixteen parts that the samples fill: each with its rows, from the first of this side.
    pub fn nodes(&self) -> impl Iterator<Item = (Node, Range<usize>)> + use<> {
        let (rows, first, count) = (self.rows_per_part(), self.first, self.count);
        let parts = first / rows.max(1)..(first + count).div_ceil(rows.max(1));
        // Parts that no sample fills belong to whoever has the last one.
        let all = summed_parts(self.total);
        let end = if first + count == self.total { all } else { parts.end };
        let mut next = parts.start;
        std::iter::from_fn(move || {
            if count == 0 || next >= end {
                return None;
            }
            let mut size = 1;
            while size < PARTS && next % (2 * size) == 0 && next + 2 * size <= end {
                size *= 2;
            }
            let node = Node { all, size, at: next / size };
            let from = (next * rows).max(first) - first;
            next += size;
            let to = (next * rows - first).min(count);
            Some((node, from..to)).filter(|(_, rows)| !rows.is_empty())
        })
    }
}

/// A subtree: `size` parts of `all`, both powers of two, the `at`-th of this size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    all: usize,
    size: usize,
    at: usize,
}

impl Node {
    /// Numbered from the root, which is 1; the children of i are 2i and 2i + 1.
    fn number(self) -> usize {
        self.all / self.size + self.at
    }
}

/// What can be summed over samples.
pub trait Summand {
    /// Adds the sum over other samples.
    fn add(&mut self, other: &Self);
}

/// Sums of some samples each, which are added up as a tree: whoever holds which samples, the total has the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree<S> {
    /// By the number of the node. What is not filled may hold an old sum, whose memory is used again.
    sums: Vec<Option<S>>,
    filled: Vec<bool>,
}

impl<S: Summand> Default for Tree<S> {
    fn default() -> Self {
        Self { sums: (0..2 * PARTS).map(|_| None).collect(), filled: vec![false; 2 * PARTS] }
    }
}

impl<S: Summand> Tree<S> {
    /// Nothing is summed.
    pub fn clear(&mut self) {
        self.filled.fill(false);
    }

    /// The place for the sum over a subtree, which may hold an old one.
    pub fn fill(&mut self, node: Node) -> &mut Option<S> {
        self.grow(2 * node.all);
        self.filled[node.number()] = true;
        &mut self.sums[node.number()]
    }

    /// Room for so many nodes.
    fn grow(&mut self, nodes: usize) {
        if self.sums.len() < nodes {
            self.sums.resize_with(nodes, || None);
            self.filled.resize(nodes, false);
        }
    }

    /// Adds up what is known of both halves of a subtree, so that less is left to send. The total stays the same, bit for bit.
    pub(crate) fn fold(&mut self) {
        for at in (1..self.sums.len() / 2).rev() {
            let children = [2 * at, 2 * at + 1];
            if !children.into_iter().all(|child| self.filled[child]) {
                continue;
            }
            let (first, second) = (self.sums[children[0]].take(), self.sums[children[1]].take());
            self.sums[at] = first.zip(second).map(|(mut sum, other)| {
                sum.add(&other);
                sum
            });
            self.filled[at] = true;
            children.into_iter().for_each(|child| self.filled[child] = false);
        }
    }

    /// Takes the sums of another side, which has other samples.
    pub(crate) fn take(&mut self, other: &mut Self) {
        self.grow(other.sums.len());
        for (at, filled) in other.filled.iter_mut().enumerate().filter(|(_, filled)| **filled) {
            std::mem::swap(&mut self.sums[at], &mut other.sums[at]);
            (self.filled[at], *filled) = (true, false);
        }
    }

    /// The sum over all samples.
    pub fn total(&mut self) -> Option<&mut S> {
        for at in (1..self.sums.len() / 2).rev() {
            let children = [2 * at, 2 * at + 1];
            if let Some(one) = children.into_iter().find(|&child| self.filled[child]) {
                self.sums.swap(at, one);
                self.filled[at] = true;
                if let (true, [sum, .., other]) =
                    (one < children[1] && self.filled[children[1]], &mut self.sums[at..=children[1]])
                    && let (Some(sum), Some(other)) = (sum, other)
                {
                    sum.add(other);
                }
                children.into_iter().for_each(|child| self.filled[child] = false);
            }
        }
        self.sums[1].as_mut().filter(|_| self.filled[1])
    }
}
