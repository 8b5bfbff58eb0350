//! Weights that fall with the distance at a pace of each sample's own, so that dense and sparse regions count alike.
//!
//! Sample i gives its neighbour j at the distance d the weight exp(−max(0, d − ρ)/σ): ρ is the distance to its nearest neighbour that is not
//! the same, and σ such that its k weights add up to log₂ k. An edge has the weight a + b − ab of its two directions: the probability that one of
//! them is there, were they such. (McInnes, Healy and Melville 2018.)

use super::adaptive::symmetric;
use super::{Graph, Neighbours};
use crate::error::Result;

/// Halvings of the range of σ.
const STEPS: usize = 64;
/// The least σ, as a share of the mean distance.
const LEAST: f64 = 1e-3;

/// The graph of these neighbours.
pub(crate) fn fuzzy_graph(neighbours: &Neighbours) -> Result<Graph> {
    let n = neighbours.nodes();
    let distance: Vec<f64> = neighbours.distance_sq.iter().map(|d| d.sqrt()).collect();
    let mean = distance.iter().sum::<f64>() / distance.len().max(1) as f64;
    let of_sample = |i: usize| weights(&distance[i * neighbours.k..(i + 1) * neighbours.k], LEAST * mean);
    let weight: Vec<f64> = (0..n).flat_map(of_sample).collect();
    symmetric(n, (&neighbours.index, &weight), |a, b| a + b - a * b)
}

/// The weights of neighbours at these distances, which ascend.
fn weights(distance: &[f64], least: f64) -> Vec<f64> {
    let nearest = distance.iter().copied().find(|d| *d > 0.0).unwrap_or(0.0);
    let weight = |width: f64, d: f64| {
        let beyond = (d - nearest).max(0.0);
        if beyond > 0.0 { (-beyond / width).exp() } else { 1.0 }
    };
    let wanted = (distance.len() as f64).log2();
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut width = distance.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    for _ in 0..STEPS {
        let sum: f64 = distance.iter().map(|&d| weight(width, d)).sum();
        if sum > wanted {
            high = width;
        } else {
            low = width;
        }
        width = if high.is_finite() { f64::midpoint(low, high) } else { 2.0 * width };
    }
    let width = width.clamp(least.max(f64::MIN_POSITIVE), f64::MAX);
    distance.iter().map(|&d| weight(width, d)).collect()
}

#[cfg(test)]
mod tests {
    use super::weights;

    #[test]
    fn weights_add_up_to_the_logarithm_of_their_number() {
        for distance in [vec![1.0, 2.0, 3.0, 4.0, 7.0, 11.0], (1..16).map(f64::from).collect()] {
            let found = weights(&distance, 0.0);
            let wanted = (distance.len() as f64).log2();
            assert!((found.iter().sum::<f64>() - wanted).abs() < 1e-9, "{found:?}");
            assert!(found[0] == 1.0 && found.windows(2).all(|pair| pair[0] > pair[1]));
        }
    }

    #[test]
    fn copies_count_fully() {
        assert_eq!(weights(&[0.0, 0.0, 0.0], 0.0), [1.0; 3]);
        // Three count fully already, more than log₂ 4: σ is the least there is.
        let found = weights(&[0.0, 0.0, 5.0, 6.0], 0.1);
        assert!(found[..3] == [1.0; 3] && (found[3] - (-10.0_f64).exp()).abs() < 1e-15, "{found:?}");
    }
}
