//! What makes a sample an outlier: a few comparable numbers, and the two largest of them.

use super::bulk::{MOST, cut};
use super::groups::Groups;
use super::scale::{LEAST, PARTS, Scale, Scales};
use super::score::{Part, TOO_LONG, Zs};
use super::{Doubt, Rare, Rarity, Reason, Reference, THRESHOLD};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::preprocess::median;
use crate::real::Real;

/// Least spread of the rarity of a feature's values; of d features it is √d times as much. Where all bins are as full, chance would decide.
const SURPRISE: f64 = 0.5;
/// Where the usual residual is below this share of the usual length, the fit is exact, and residuals tell nothing.
const EXACT: f64 = 1e-3;
/// The share of the threshold above which a sample may belong to a group of outliers.
const NEARLY: f64 = 2.0 / 3.0;
/// Least scale of the tail of the largest part.
const TAIL: f64 = 0.3;
/// From fewer samples nothing can be told about the values of features.
const FEW: usize = 40;

/// What samples are judged by: a summary of the training samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Judge<T> {
    reference: Option<Reference<T>>,
    rarity: Option<Rarity>,
    rare: Option<Rare<T>>,
    scales: Scales,
}

/// A score and a reason for every sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judged {
    /// The sum of the two largest parts; a sample above [`THRESHOLD`] is an outlier.
    pub scores: Vec<f64>,
    /// What decides it: that the sample is much too long, otherwise the largest part.
    pub reasons: Vec<Reason>,
    /// Outliers that are alike, if there are several: the samples of each group, ascending.
    pub groups: Vec<Vec<usize>>,
}

/// What is known about samples before their scores, in the order of [`Reason::PARTS`], and the least spread of both distances.
struct Seen([Option<Vec<f64>>; PARTS], (f64, f64));

impl Seen {
    fn samples(&self) -> usize {
        self.0.iter().flatten().next().map_or(0, Vec::len)
    }

    fn lengths(&self) -> Option<&[f64]> {
        self.0[Reason::Length as usize].as_deref()
    }
}

impl<T: Real> Judge<T> {
    /// Learns what is usual among the samples that count, before their length is changed, and judges all of them.
    pub(crate) fn learn<X: Data<T>>(x: &X, residuals: Option<&[f64]>, counts: &[bool]) -> (Self, Judged) {
        let many = counts.iter().filter(|counts| **counts).count();
        let reference = Reference::draw(x, counts);
        let rarity = (many >= FEW).then(|| Rarity::of_samples(x, counts));
        // Before a fit a rare cluster is not described by few directions, either, and outliers may have some of them.
        let directions = residuals.is_some();
        let seen = see(x, residuals, (Some((&reference, directions)), rarity.as_ref()));
        let (mut judge, mut judged) = Self::with((None, rarity), &seen, counts);
        let above = |limit: f64| (0..counts.len()).filter(|&i| judged.scores[i] > limit).collect::<Vec<_>>();
        // Where a rare cluster sticks out, some of it may do so a little less.
        let far = if above(THRESHOLD).is_empty() { Vec::new() } else { above(NEARLY * THRESHOLD) };
        let is_described = |rows: &[usize]| judge.describes(&seen, rows) && rows.iter().all(|&i| counts[i]);
        let mut groups = Groups::find(x, &reference, &far, is_described);
        groups.keep(|i| judged.scores[i] > THRESHOLD);
        // What does not count is alike whatever it scores.
        let quiet: Vec<usize> =
            (0..counts.len()).filter(|i| !counts[*i] && far.binary_search(i).is_err()).collect();
        groups.alike.extend(Groups::find(x, &reference, &quiet, |_| false).alike);
        (judge.reference, judge.rare, judged.groups) = (Some(reference), groups.rare, groups.alike);
        judge.spare(x, &mut judged);
        (judge, judged)
    }

    /// Whether the centroids describe most of these samples as well as the others: then some are theirs.
    fn describes(&self, seen: &Seen, rows: &[usize]) -> bool {
        let zs = rows.iter().filter_map(|&i| self.zs(seen, i)[Reason::Centroids as usize]);
        let mut zs: Vec<f64> = zs.collect();
        !zs.is_empty() && median(&mut zs) <= NEARLY * THRESHOLD
    }

    /// Samples of rare clusters are no outliers.
    fn spare<X: Data<T>>(&self, x: &X, judged: &mut Judged) {
        let Some(rare) = &self.rare else { return };
        for (score, _) in judged.scores.iter_mut().zip(rare.hold(x)).filter(|(_, held)| *held) {
            *score = score.min(THRESHOLD);
        }
    }

    /// The same by the residuals alone, where the samples cannot be read.
    pub(crate) fn of_residuals(residuals: &[f64]) -> (Self, Judged) {
        let seen = Seen([Some(residuals.to_vec()), None, None, None, None, None], (0.0, 0.0));
        Self::with((None, None), &seen, &vec![true; residuals.len()])
    }

    fn with(
        (reference, rarity): (Option<Reference<T>>, Option<Rarity>),
        seen: &Seen,
        counts: &[bool],
    ) -> (Self, Judged) {
        let of = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(counts).filter(|(_, counts)| **counts).map(|(value, _)| *value).collect()
        };
        let usual = seen.lengths().map_or(0.0, |lengths| median(&mut of(lengths)));
        let surprise =
            rarity.as_ref().map_or(1.0, |rarity| SURPRISE * (rarity.features().len() as f64).sqrt());
        let scale = |(part, values): (Reason, &Option<Vec<f64>>)| {
            let values = of(values.as_ref()?);
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
        let mut judge = Self {
            reference,
            rarity,
            rare: None,
            scales: Scales { parts, cut: THRESHOLD, length_cut: f64::INFINITY, second },
        };
        let scores = judge.judge(seen).scores;
        let limit = cut(&of(&scores), TAIL);
        let above = scores.iter().filter(|score| **score > limit).count();
        let highest = scores.iter().copied().fold(1.0, f64::max);
        // Where nearly half of the samples are unlike the rest, nobody can say which.
        let all = scores.len() as f64;
        let limit = if above as f64 > MOST * all { highest } else { limit };
        judge.scales.cut = if limit.is_finite() { limit.max(1.0) } else { f64::MAX };
        // Lengths have a tail of their own: that of a power law.
        judge.scales.length_cut = match (&judge.scales.parts[Reason::Length as usize], seen.lengths()) {
            (Some(scale), Some(lengths)) => {
                let above: Vec<f64> = of(lengths).iter().map(|length| scale.z(*length)).collect();
                cut(&above, TAIL).clamp(TOO_LONG.0, f64::MAX)
            }
            _ => TOO_LONG.0,
        };
        let judged = judge.judge(seen);
        (judge, judged)
    }

    /// The usual residual goes a share of the way to that of these samples.
    pub(crate) fn follow(&mut self, residuals: &[f64], share: f64) {
        let Some(scale) = &mut self.scales.parts[0] else { return };
        let usual = median(&mut residuals.to_vec());
        let usual = scale.floor.map_or(usual, |floor| (usual + floor).ln());
        scale.center += share * (usual - scale.center);
    }

    /// Rebuilds a judge from its parts, for example from a file.
    pub fn from_parts(
        reference: Option<Reference<T>>,
        rarity: Option<Rarity>,
        rare: Option<Rare<T>>,
        scales: Scales,
    ) -> Result<Self> {
        let sound = scales.parts.iter().flatten().all(Scale::is_sound);
        let cuts = [scales.cut, scales.length_cut];
        let second = (0.0..=1.0).contains(&scales.second);
        if !sound || !second || !cuts.iter().all(|cut| *cut > 0.0 && cut.is_finite()) {
            return Err(Error::param("a score scale", "not finite and positive", "finite and positive"));
        }
        let binned = rarity.iter().flat_map(|rarity| rarity.features().iter().chain(rarity.largest()));
        let numbers = binned.flat_map(|bins| bins.surprise.iter().copied().chain([bins.center, bins.range]));
        let drawn = reference.iter().flat_map(|drawn| drawn.samples().as_slice()).map(|x| x.to_f64());
        let centres = rare.iter().flat_map(|rare| rare.centres.as_slice()).map(|x| x.to_f64());
        let radii = rare.iter().flat_map(|rare| rare.radii.iter().copied());
        if numbers.chain(drawn).chain(centres).chain(radii).any(|x| !x.is_finite()) {
            return Err(Error::param("the reference of the scores", "not all finite", "finite"));
        }
        if let Some(rare) = rare.as_ref().filter(|rare| rare.centres.cols() != rare.radii.len()) {
            let (got, want) = ((rare.radii.len(), 1), (rare.centres.cols(), 1));
            return Err(Error::Shape { what: "the radii of rare clusters", got, want });
        }
        Ok(Self { reference, rarity, rare, scales })
    }

    /// The samples that others are compared with.
    pub fn reference(&self) -> Option<&Reference<T>> {
        self.reference.as_ref()
    }

    /// How rare the values of the features are.
    pub fn rarity(&self) -> Option<&Rarity> {
        self.rarity.as_ref()
    }

    /// Clusters of few samples, which are not outliers.
    pub fn rare(&self) -> Option<&Rare<T>> {
        self.rare.as_ref()
    }

    /// What keeps it from saying more, if anything.
    pub fn doubt(&self) -> Option<Doubt> {
        if self.reference.is_none() {
            return Some(Doubt::Residuals);
        }
        let exact = self.scales.parts[0].is_none().then_some(Doubt::Exact);
        self.rarity.is_none().then_some(Doubt::Few).or(exact)
    }

    /// What is usual.
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// Features of the samples that it judges, where it says.
    pub(crate) fn features(&self) -> impl Iterator<Item = usize> {
        let rarity = self.rarity.as_ref().map(|rarity| rarity.features().len());
        let rare = self.rare.as_ref().map(|rare| rare.centres.rows());
        self.reference
            .as_ref()
            .map(|reference| reference.samples().rows())
            .into_iter()
            .chain(rarity)
            .chain(rare)
    }

    /// Judges samples before their length is changed, with these residuals.
    pub(crate) fn samples<X: Data<T>>(&self, x: &X, residuals: &[f64]) -> Judged {
        let mut judged = self.judge(&self.look(x, residuals));
        self.spare(x, &mut judged);
        judged
    }

    /// What every reason says of such samples, and the part of the score that it makes.
    pub(crate) fn parts<X: Data<T>>(&self, x: &X, residuals: &[f64]) -> Vec<Vec<Part>> {
        let seen = self.look(x, residuals);
        let mut judged = self.judge(&seen);
        self.spare(x, &mut judged);
        let parts = |(i, score): (usize, &f64)| self.scales.parts_of(&self.zs(&seen, i), *score);
        judged.scores.iter().enumerate().map(parts).collect()
    }

    fn look<X: Data<T>>(&self, x: &X, residuals: &[f64]) -> Seen {
        let directions = self.scales.parts[Reason::Structure as usize].is_some();
        let drawn = self.reference.as_ref().map(|reference| (reference, directions));
        see(x, Some(residuals), (drawn, self.rarity.as_ref()))
    }

    fn judge(&self, seen: &Seen) -> Judged {
        let mut judged = Judged::default();
        for i in 0..seen.samples() {
            let (score, reason) = self.scales.score(&self.zs(seen, i));
            judged.scores.push(score);
            judged.reasons.push(reason);
        }
        judged
    }

    /// How many robust deviations a sample is above what is usual.
    fn zs(&self, seen: &Seen, i: usize) -> Zs {
        std::array::from_fn(|part| Some(self.scales.parts[part].as_ref()?.z(seen.0[part].as_ref()?[i])))
    }
}

fn see<T: Real, X: Data<T>>(
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
