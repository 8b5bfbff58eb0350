//! What is known about samples before their scores, what is usual of it, and the scores that follow.

use super::bulk::{MOST, cut};
use super::scale::{LEAST, PARTS, Scale, Scales};
use super::score::{TOO_LONG, Zs};
use super::{Rarity, Reason, Reference, THRESHOLD};
use crate::data::Data;
use crate::preprocess::median;
use crate::real::Real;

/// Least spread of the rarity of a feature's values; of d features it is √d times as much. Where all bins are as full, chance would decide.
const SURPRISE: f64 = 0.5;
/// Where the usual residual is below this share of the usual length, the fit is exact, and residuals tell nothing.
const EXACT: f64 = 1e-3;
/// Least scale of the tail of the largest part.
const TAIL: f64 = 0.3;

/// What is known about samples before their scores, in the order of [`Reason::PARTS`], and the least spread of both distances.
pub(super) struct Seen(pub(super) [Option<Vec<f64>>; PARTS], pub(super) (f64, f64));

impl Seen {
    fn samples(&self) -> usize {
        self.0.iter().flatten().next().map_or(0, Vec::len)
    }

    fn lengths(&self) -> Option<&[f64]> {
        self.0[Reason::Length as usize].as_deref()
    }
}

pub(super) fn see<T: Real, X: Data<T>>(
    x: &X,
    residuals: Option<&[f64]>,
    (drawn, rarity): (Option<(&Reference<T>, bool)>, Option<&Rarity>),
) -> Seen {
    let lengths = x.norms_sq().iter().map(|norm_sq| norm_sq.sqrt()).collect();
    let (residuals, rarity) = (residuals.map(<[f64]>::to_vec), rarity.map(|rarity| rarity.sums(x)));
    let (plain, unit, chance, left) = match drawn.map(|(drawn, directions)| drawn.distances(x, directions)) {
        Some(found) => (Some(found.plain), Some(found.unit), found.chance, found.left),
        None => (None, None, (0.0, 0.0), None),
    };
    Seen([residuals, plain, unit, rarity, Some(lengths), left], chance)
}

/// What is usual among the samples that count.
pub(super) fn scales(rarity: Option<&Rarity>, seen: &Seen, counts: &[bool]) -> Scales {
    let usual = seen.lengths().map_or(0.0, |lengths| median(&mut counted(lengths, counts)));
    let surprise = rarity.map_or(1.0, |rarity| SURPRISE * (rarity.features().len() as f64).sqrt());
    let scale = |(part, values): (Reason, &Option<Vec<f64>>)| {
        let values = counted(values.as_ref()?, counts);
        let scale = match part {
            Reason::Values => Scale::of(&values, surprise),
            Reason::Length => Scale::of_logs(&values, TOO_LONG.1.ln() / TOO_LONG.0),
            Reason::Centroids | Reason::Structure if median(&mut values.clone()) < EXACT * usual => {
                return None;
            }
            Reason::Neighbours => Scale::of_logs(&values, LEAST.max(seen.1.0)),
            Reason::Direction => Scale::of_logs(&values, LEAST.max(seen.1.1)),
            _ => Scale::of_logs(&values, LEAST),
        };
        Some(scale).filter(Scale::is_sound)
    };
    // Something odd from two sides is odder. Without a fit there is nothing that the other sides could confirm.
    let second = if seen.0[Reason::Centroids as usize].is_some() { 1.0 } else { 0.0 };
    let mut parts = Reason::PARTS.iter().copied().zip(&seen.0).map(scale);
    let parts = std::array::from_fn(|_| parts.next().flatten());
    let mut scales = Scales { parts, cut: THRESHOLD, length_cut: f64::INFINITY, second };
    (scales.cut, scales.length_cut) = (cut_of(&scales, seen, counts), length_cut_of(&scales, seen, counts));
    scales
}

/// The values of the samples that count.
fn counted(values: &[f64], counts: &[bool]) -> Vec<f64> {
    values.iter().zip(counts).filter(|(_, counts)| **counts).map(|(value, _)| *value).collect()
}

/// What a sum of parts is divided by so that the tail of most samples ends at the threshold.
fn cut_of(scales: &Scales, seen: &Seen, counts: &[bool]) -> f64 {
    let (scores, _) = judge(scales, seen);
    let limit = cut(&counted(&scores, counts), TAIL);
    let above = scores.iter().filter(|score| **score > limit).count();
    let highest = scores.iter().copied().fold(1.0, f64::max);
    // Where nearly half of the samples are unlike the rest, nobody can say which.
    let limit = if above as f64 > MOST * scores.len() as f64 { highest } else { limit };
    if limit.is_finite() { limit.max(1.0) } else { f64::MAX }
}

/// Lengths have a tail of their own: that of a power law.
fn length_cut_of(scales: &Scales, seen: &Seen, counts: &[bool]) -> f64 {
    let (Some(scale), Some(lengths)) = (&scales.parts[Reason::Length as usize], seen.lengths()) else {
        return TOO_LONG.0;
    };
    let above: Vec<f64> = counted(lengths, counts).iter().map(|length| scale.z(*length)).collect();
    cut(&above, TAIL).clamp(TOO_LONG.0, f64::MAX)
}

/// The score of every sample, and the reason for it.
pub(super) fn judge(scales: &Scales, seen: &Seen) -> (Vec<f64>, Vec<Reason>) {
    (0..seen.samples()).map(|i| scales.score(&zs(scales, seen, i))).unzip()
}

/// How many robust deviations a sample is above what is usual.
pub(super) fn zs(scales: &Scales, seen: &Seen, i: usize) -> Zs {
    std::array::from_fn(|part| Some(scales.parts[part].as_ref()?.z(seen.0[part].as_ref()?[i])))
}

pub(super) fn is_sound(scales: &Scales) -> bool {
    let second = (0.0..=1.0).contains(&scales.second);
    let cuts = [scales.cut, scales.length_cut].iter().all(|cut| *cut > 0.0 && cut.is_finite());
    second && cuts && scales.parts.iter().flatten().all(Scale::is_sound)
}
