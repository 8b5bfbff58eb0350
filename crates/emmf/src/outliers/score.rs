//! What the sides of a sample make together: a score, its reason, and the part of it that each of them makes.

use serde::{Deserialize, Serialize};

use super::scale::{PARTS, Scales};
use super::{Reason, THRESHOLD};

/// A sample is too long by so many robust deviations of the logarithm, and so many times. Below that its length says nothing, nor
/// does it where a sample is short: features may begin at 0.
pub(super) const TOO_LONG: (f64, f64) = (5.0, 3.0);

/// How many robust deviations a sample lies above what is usual, in the order of [`Reason::PARTS`], where that was measured.
pub(super) type Zs = [Option<f64>; PARTS];

/// What one reason says of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The reason.
    pub reason: Reason,
    /// How many robust standard deviations the sample lies above what is usual.
    pub z: f64,
    /// The part of the score that it makes. Those of all reasons together are the score.
    pub part: f64,
}

impl Scales {
    /// Of a sample: the largest of the zs plus a share of the second largest, or how much too long it is.
    pub(super) fn score(&self, zs: &Zs) -> (f64, Reason) {
        let [first, second] = leading(zs);
        let largest = first.map_or(f64::NEG_INFINITY, |(_, z)| z);
        let more = second.map_or(0.0, |(_, z)| self.second * z);
        let score = THRESHOLD / self.cut * (largest + more);
        let (score, reason) = match too_long(zs) {
            Some(z) => (score.max(THRESHOLD * z / self.length_cut), Reason::Length),
            None => (score, first.map_or(Reason::Centroids, |(reason, _)| reason)),
        };
        (if score.is_finite() { score } else { 0.0 }, reason)
    }

    /// What every reason says of a sample with this score, which may be less than they make of it.
    pub(super) fn parts_of(&self, zs: &Zs, score: f64) -> Vec<Part> {
        let (made, decides) = self.score(zs);
        let kept = if made > score { score / made } else { 1.0 };
        let [_, second] = leading(zs);
        let more = second.map_or(0.0, |(_, z)| kept * THRESHOLD / self.cut * self.second * z);
        let more = if more.is_finite() { more } else { 0.0 };
        let part = |reason: Reason| match (reason == decides, second) {
            // What is far too long is far from the others as well: that is no reason of its own.
            (true, _) if decides == Reason::Length => score,
            (true, _) => score - more,
            (_, Some((other, _))) if reason == other && decides != Reason::Length => more,
            _ => 0.0,
        };
        let known = Reason::PARTS.into_iter().zip(zs);
        let known = known.filter_map(|(reason, z)| Some((reason, z.filter(|z| z.is_finite())?)));
        known.map(|(reason, z)| Part { reason, z, part: part(reason) }).collect()
    }
}

/// The two largest, but for the length; of equal ones the first. What the residual says depends on where the fit ended, so it counts
/// no more than the largest of the others.
fn leading(zs: &Zs) -> [Option<(Reason, f64)>; 2] {
    let others = Reason::PARTS.into_iter().zip(zs).filter(|(reason, _)| !is_alone(*reason));
    let most = others.filter_map(|(_, z)| *z).reduce(f64::max).unwrap_or(f64::INFINITY);
    let mut found: [Option<(Reason, f64)>; 2] = [None, None];
    let is_above = |z: f64, other: Option<(Reason, f64)>| other.is_none_or(|(_, other)| z > other);
    for (reason, z) in Reason::PARTS.into_iter().zip(zs) {
        let Some(z) = z.filter(|_| reason != Reason::Length).map(|z| z.min(most)) else { continue };
        if is_above(z, found[0]) {
            found = [Some((reason, z)), found[0]];
        } else if is_above(z, found[1]) {
            found[1] = Some((reason, z));
        }
    }
    found
}

/// Whether it is the residual, or the length, which counts by itself.
fn is_alone(reason: Reason) -> bool {
    matches!(reason, Reason::Centroids | Reason::Length)
}

/// By how many robust deviations a sample is too long, if it is.
fn too_long(zs: &Zs) -> Option<f64> {
    zs[Reason::Length as usize].filter(|z| *z > TOO_LONG.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outliers::Scale;

    fn scales() -> Scales {
        let scale = Scale { floor: None, center: 0.0, spread: 1.0 };
        Scales { parts: [Some(scale); PARTS], cut: 7.0, length_cut: 10.0, second: 1.0 }
    }

    /// The parts of a sample with these zs, and its score and reason.
    fn parts(zs: Zs) -> ([f64; PARTS], f64, Reason) {
        let (score, reason) = scales().score(&zs);
        let mut parts = [0.0; PARTS];
        scales().parts_of(&zs, score).iter().for_each(|of| parts[of.reason as usize] = of.part);
        (parts, score, reason)
    }

    #[test]
    fn the_two_largest_make_the_score() {
        let zs = [1.0, 6.0, -2.0, 10.0, 3.0, 8.0].map(Some);
        assert_eq!(parts(zs), ([0.0, 0.0, 0.0, 5.0, 0.0, 4.0], 9.0, Reason::Values));
        let mut fewer = [None; PARTS];
        fewer[0] = Some(4.0);
        assert_eq!(parts(fewer), ([2.0, 0.0, 0.0, 0.0, 0.0, 0.0], 2.0, Reason::Centroids));
        assert_eq!(parts([None; PARTS]).1, 0.0);
    }

    #[test]
    fn a_residual_counts_no_more_than_what_else_is_seen() {
        let zs = [50.0, 6.0, -2.0, 7.0, 3.0, 4.0].map(Some);
        assert_eq!(parts(zs), ([3.5, 0.0, 0.0, 3.5, 0.0, 0.0], 7.0, Reason::Centroids));
    }

    #[test]
    fn a_length_makes_all_of_it() {
        let zs = [1.0, 6.0, -2.0, 10.0, 40.0, 8.0].map(Some);
        assert_eq!(parts(zs), ([0.0, 0.0, 0.0, 0.0, 14.0, 0.0], 14.0, Reason::Length));
    }

    #[test]
    fn all_parts_shrink_where_the_score_is_less() {
        let zs = [1.0, 6.0, -2.0, 10.0, 3.0, 8.0].map(Some);
        let of: Vec<f64> = scales().parts_of(&zs, THRESHOLD).iter().map(|of| of.part).collect();
        let shrunk = [5.0, 4.0].map(|part| part * (THRESHOLD / 9.0));
        assert_eq!(of, [0.0, 0.0, 0.0, shrunk[0], 0.0, shrunk[1]]);
    }
}
