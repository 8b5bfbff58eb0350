//! Modularity (Newman and Girvan 2004): how much more of a graph lies inside clusters than would by chance.

use crate::error::{Error, Result};
use crate::graph::Graph;

/// Σₖ wₖ/w − (dₖ/w)²: w is the sum of all degrees, dₖ that of cluster k, wₖ the part of it inside cluster k. At most 1, and
/// 0 for one cluster or for a graph without edges. Needs no true classes.
///
/// ```
/// use emmf::{Graph, metrics::modularity};
/// let graph = Graph::from_edges(4, [(0, 1, 1.0), (2, 3, 1.0)])?;
/// assert_eq!(modularity(&graph, &[0, 0, 1, 1])?, 0.5);
/// assert_eq!(modularity(&graph, &[0, 1, 0, 1])?, -0.5);
/// # Ok::<(), emmf::Error>(())
/// ```
pub fn modularity(graph: &Graph, labels: &[usize]) -> Result<f64> {
    let n = graph.nodes();
    if labels.len() != n {
        return Err(Error::Shape { what: "the labels", got: (labels.len(), 1), want: (n, 1) });
    }
    let clusters = labels.iter().max().map_or(0, |label| label + 1);
    let (mut inside, mut degrees) = (0.0, vec![0.0; clusters]);
    for (i, &label) in labels.iter().enumerate() {
        let (neighbours, weights) = graph.row(i);
        let alike = neighbours.iter().zip(weights).filter(|(j, _)| labels[**j as usize] == label);
        inside += alike.map(|(_, weight)| weight).sum::<f64>();
        degrees[label] += graph.degrees()[i];
    }
    let all: f64 = degrees.iter().sum();
    if all == 0.0 {
        return Ok(0.0);
    }
    Ok(inside / all - degrees.iter().map(|degree| (degree / all).powi(2)).sum::<f64>())
}
