//! Contingency table of two labelings: nᵢⱼ samples are of class i and in cluster j.
//!
//! Only cells with a sample are kept, so many labels cost no more than there are samples.
//! Time O(n log n).

use crate::error::{Error, Result};

/// The samples of one class that are in one cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The class i, from 0, in the order of the true labels.
    pub class: usize,
    /// The cluster j, from 0, in the order of the predicted labels.
    pub cluster: usize,
    /// nᵢⱼ, never 0.
    pub count: usize,
}

/// The counts of two labelings of the same samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contingency {
    samples: usize,
    class_sizes: Vec<usize>,
    cluster_sizes: Vec<usize>,
    cells: Vec<Cell>,
}

impl Contingency {
    /// Counts two labelings of equal length.
    pub fn new<A: Ord, B: Ord>(truth: &[A], predicted: &[B]) -> Result<Self> {
        let samples = truth.len();
        if predicted.len() != samples {
            let (got, want) = ((predicted.len(), 1), (samples, 1));
            return Err(Error::Shape { what: "the predicted labeling", got, want });
        }
        if samples == 0 {
            return Err(Error::Empty { rows: 0, cols: 1 });
        }
        let (classes, class_sizes) = compress(truth);
        let (clusters, cluster_sizes) = compress(predicted);
        let mut pairs: Vec<(usize, usize)> = classes.into_iter().zip(clusters).collect();
        pairs.sort_unstable();
        let cells = pairs
            .chunk_by(|a, b| a == b)
            .map(|same| Cell { class: same[0].0, cluster: same[0].1, count: same.len() })
            .collect();
        Ok(Self { samples, class_sizes, cluster_sizes, cells })
    }

    /// Number of samples, n.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Samples in each class: the row sums nᵢ.
    pub fn class_sizes(&self) -> &[usize] {
        &self.class_sizes
    }

    /// Samples in each cluster: the column sums nⱼ.
    pub fn cluster_sizes(&self) -> &[usize] {
        &self.cluster_sizes
    }

    /// The cells that hold a sample, by class and then by cluster.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

/// The labels as numbers 0..k in their own order, and how many there are of each.
fn compress<L: Ord>(labels: &[L]) -> (Vec<usize>, Vec<usize>) {
    let mut names: Vec<&L> = labels.iter().collect();
    names.sort_unstable();
    names.dedup();
    let mut sizes = vec![0; names.len()];
    let numbers = labels.iter().map(|label| {
        let number = names.partition_point(|&name| name < label);
        sizes[number] += 1;
        number
    });
    (numbers.collect(), sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_labels_of_any_type() {
        let truth = ["cat", "cat", "dog", "ant"].map(String::from);
        let table = Contingency::new(&truth, &[70_usize, 9, 9, 9]).unwrap();
        assert_eq!(table.samples(), 4);
        assert_eq!(table.class_sizes(), [1, 2, 1]);
        assert_eq!(table.cluster_sizes(), [3, 1]);
        let cell = |class, cluster, count| Cell { class, cluster, count };
        assert_eq!(table.cells(), [cell(0, 0, 1), cell(1, 0, 1), cell(1, 1, 1), cell(2, 0, 1)]);
    }

    #[test]
    fn refuses_what_cannot_be_compared() {
        let short = Contingency::new(&[1, 2, 3], &[1, 2]);
        assert_eq!(short, Err(Error::Shape { what: "the predicted labeling", got: (2, 1), want: (3, 1) }));
        let empty: [usize; 0] = [];
        assert_eq!(Contingency::new(&empty, &empty), Err(Error::Empty { rows: 0, cols: 1 }));
    }
}
