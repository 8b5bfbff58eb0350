//! Adjusted Rand index (Hubert and Arabie 1985): agreement over pairs of samples, 0 by chance.
//!
//! With a pairs together in both labelings, b only in the first, c only in the second and d in
//! neither, ARI = 2(ad − bc) / ((a+b)(b+d) + (a+c)(c+d)).

use super::contingency::Contingency;
use crate::error::Result;

/// Adjusted Rand index of two labelings: 1 for the same, about 0 by chance, at least −1/2. Symmetric.
pub fn ari<A: Ord, B: Ord>(truth: &[A], predicted: &[B]) -> Result<f64> {
    Ok(Contingency::new(truth, predicted)?.ari())
}

impl Contingency {
    /// See [`ari()`].
    pub fn ari(&self) -> f64 {
        let both = pairs(self.cells().iter().map(|cell| cell.count));
        let first = pairs(self.class_sizes().iter().copied()) - both;
        let second = pairs(self.cluster_sizes().iter().copied()) - both;
        let neither = pairs([self.samples()]) - both - first - second;
        // The same partition; the formula is 0/0 if it is one set or all singletons.
        if first + second < 0.5 {
            return 1.0;
        }
        let chance = (both + first) * (first + neither) + (both + second) * (second + neither);
        2.0 * (both * neither - first * second) / chance
    }
}

/// Pairs within sets of these sizes: exact as long as they are fewer than 2⁵³.
fn pairs(sizes: impl IntoIterator<Item = usize>) -> f64 {
    sizes.into_iter().map(|size| size as f64 * (size as f64 - 1.0) / 2.0).sum()
}
