//! Clustering accuracy: ACC = max over π of (1/n) Σⱼ n_{π(j),j}, π a one-to-one map of clusters to
//! classes.
//!
//! The best map is found by the Hungarian method (Kuhn 1955, Munkres 1957). Where there are more
//! clusters than classes the surplus clusters get no class, and the other way round: the same as
//! padding the table with zeros to a square, without the memory. Time O(k² m) at worst for k the smaller
//! and m the larger of the two numbers of labels.

use super::assignment::assign;
use super::contingency::Contingency;
use crate::error::Result;

/// Share of the samples that are labelled correctly under the best one-to-one matching of clusters to classes.
pub fn accuracy<A: Ord, B: Ord>(truth: &[A], predicted: &[B]) -> Result<f64> {
    Ok(Contingency::new(truth, predicted)?.accuracy())
}

impl Contingency {
    /// See [`accuracy()`].
    pub fn accuracy(&self) -> f64 {
        let class = self.matching();
        let matched = self.cells().iter().filter(|cell| class[cell.cluster] == Some(cell.class));
        matched.map(|cell| cell.count).sum::<usize>() as f64 / self.samples() as f64
    }

    /// The class of every cluster under the best one-to-one matching; none for clusters that are left over.
    pub fn matching(&self) -> Vec<Option<usize>> {
        let (classes, clusters) = (self.class_sizes().len(), self.cluster_sizes().len());
        // The smaller side is the one that is assigned completely.
        let flip = classes > clusters;
        let (rows, cols) = if flip { (clusters, classes) } else { (classes, clusters) };
        let mut counts = vec![0; rows * cols];
        for cell in self.cells() {
            let (row, col) = if flip { (cell.cluster, cell.class) } else { (cell.class, cell.cluster) };
            counts[row * cols + col] = i64::try_from(cell.count).unwrap_or(i64::MAX);
        }
        let mut class = vec![None; clusters];
        for (row, col) in assign(&counts, cols).into_iter().enumerate() {
            if flip { class[row] = Some(col) } else { class[col] = Some(row) }
        }
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert!((accuracy(&[0, 0, 0, 1, 1, 1], &[0, 0, 1, 1, 1, 1]).unwrap() - 5.0 / 6.0).abs() < 1e-15);
        assert!((accuracy(&[0, 0, 1, 1, 2, 2], &[0, 0, 0, 0, 1, 1]).unwrap() - 4.0 / 6.0).abs() < 1e-15);
        assert!((accuracy(&[0, 0, 1, 1], &[0, 1, 2, 3]).unwrap() - 0.5).abs() < 1e-15);
    }

    #[test]
    fn clusters_that_are_left_over_have_no_class() {
        let table = Contingency::new(&[0, 0, 0, 1, 1], &[5, 5, 7, 9, 9]).unwrap();
        assert_eq!(table.matching(), [Some(0), None, Some(1)]);
        let table = Contingency::new(&[0, 0, 1, 2, 2], &[5, 5, 5, 9, 9]).unwrap();
        assert_eq!(table.matching(), [Some(0), Some(2)]);
    }

    #[test]
    fn taking_the_largest_cell_first_is_not_enough() {
        // Greedy gives 3 + 0; the best map gives 2 + 2.
        let truth = [0, 0, 0, 0, 0, 1, 1];
        let predicted = [0, 0, 0, 1, 1, 0, 0];
        assert!((accuracy(&truth, &predicted).unwrap() - 4.0 / 7.0).abs() < 1e-15);
    }
}
