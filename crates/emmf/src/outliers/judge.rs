//! What makes a sample an outlier: a few comparable numbers, and the two largest of them.

use super::groups::Groups;
use super::scale::Scales;
use super::score::{Part, Zs};
use super::seen::{Seen, is_sound, judge, scales, see, zs};
use super::{Doubt, Rare, Rarity, Reason, Reference, THRESHOLD};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::preprocess::median;
use crate::real::Real;

/// The share of the threshold above which a sample may belong to a group of outliers.
const NEARLY: f64 = 2.0 / 3.0;
/// From fewer samples nothing can be told about the values of features.
const FEW: usize = 40;

/// What samples are judged by: a summary of the training samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Judge<T> {
    reference: Option<Reference<T>>,
    rarity: Option<Rarity>,
    rare: Option<Rare<T>>,
    scales: Scales,
    /// The same with the residuals on each of the layers above the first.
    above: Vec<Scales>,
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
    /// Scores and reasons with the residuals on each of the layers above the first, where there are any.
    pub above: Vec<(Vec<f64>, Vec<Reason>)>,
}

impl<T: Real> Judge<T> {
    /// Learns what is usual among the samples that count, before their length is changed, and judges all of them. `residuals` are
    /// those of every layer; before a fit there are none.
    pub(crate) fn learn<X: Data<T>>(x: &X, residuals: &[&[f64]], counts: &[bool]) -> (Self, Judged) {
        let many = counts.iter().filter(|counts| **counts).count();
        let reference = Reference::draw(x, counts);
        let rarity = (many >= FEW).then(|| Rarity::of_samples(x, counts));
        // Before a fit a rare cluster is not described by few directions, either, and outliers may have some of them.
        let directions = !residuals.is_empty();
        let first = residuals.first().copied();
        let mut seen = see(x, first, (Some((&reference, directions)), rarity.as_ref()));
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
        judge.above = judge.scales_above(&mut seen, residuals, counts);
        let held = judge.spare(x, &mut judged);
        judged.above = judge.look_above(&mut seen, residuals, &held);
        (judge, judged)
    }

    /// Whether the centroids describe most of these samples as well as the others: then some are theirs.
    fn describes(&self, seen: &Seen, rows: &[usize]) -> bool {
        let zs = rows.iter().filter_map(|&i| self.zs(seen, i)[Reason::Centroids as usize]);
        let mut zs: Vec<f64> = zs.collect();
        !zs.is_empty() && median(&mut zs) <= NEARLY * THRESHOLD
    }

    /// Samples of rare clusters are no outliers.
    fn spare<X: Data<T>>(&self, x: &X, judged: &mut Judged) -> Vec<bool> {
        let held = self.rare.as_ref().map_or_else(Vec::new, |rare| rare.hold(x));
        for (score, _) in judged.scores.iter_mut().zip(&held).filter(|(_, held)| **held) {
            *score = score.min(THRESHOLD);
        }
        held
    }

    /// The same by the residuals alone, where the samples cannot be read.
    pub(crate) fn of_residuals(residuals: &[&[f64]]) -> (Self, Judged) {
        let first = residuals.first().map(|residuals| residuals.to_vec());
        let counts = vec![true; first.as_ref().map_or(0, Vec::len)];
        let mut seen = Seen([first, None, None, None, None, None], (0.0, 0.0));
        let (mut judge, mut judged) = Self::with((None, None), &seen, &counts);
        judge.above = judge.scales_above(&mut seen, residuals, &counts);
        judged.above = judge.look_above(&mut seen, residuals, &[]);
        (judge, judged)
    }

    fn with(
        (reference, rarity): (Option<Reference<T>>, Option<Rarity>),
        seen: &Seen,
        counts: &[bool],
    ) -> (Self, Judged) {
        let scales = scales(rarity.as_ref(), seen, counts);
        let (scores, reasons) = judge(&scales, seen);
        let judged = Judged { scores, reasons, ..Judged::default() };
        (Self { reference, rarity, rare: None, scales, above: Vec::new() }, judged)
    }

    /// What is usual with the residuals on each of the layers above the first.
    fn scales_above(&self, seen: &mut Seen, residuals: &[&[f64]], counts: &[bool]) -> Vec<Scales> {
        let one = |residuals: &&[f64]| {
            seen.0[Reason::Centroids as usize] = Some(residuals.to_vec());
            scales(self.rarity.as_ref(), seen, counts)
        };
        residuals.iter().skip(1).map(one).collect()
    }

    /// Scores and reasons on the layers above the first. Samples that rare clusters hold may be unlike the rest, but not unlike
    /// their node.
    fn look_above(
        &self,
        seen: &mut Seen,
        residuals: &[&[f64]],
        held: &[bool],
    ) -> Vec<(Vec<f64>, Vec<Reason>)> {
        let one = |(residuals, scales): (&&[f64], &Scales)| {
            seen.0[Reason::Centroids as usize] = Some(residuals.to_vec());
            let (mut scores, mut reasons) = judge(scales, seen);
            for i in (0..held.len()).filter(|&i| held[i]) {
                let z = zs(scales, seen, i)[Reason::Centroids as usize];
                let alone = z.map_or(0.0, |z| THRESHOLD / scales.cut * z);
                scores[i] = scores[i].min(THRESHOLD.max(alone));
                if alone > THRESHOLD {
                    reasons[i] = Reason::Centroids;
                }
            }
            (scores, reasons)
        };
        residuals.iter().skip(1).zip(&self.above).map(one).collect()
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
        if !is_sound(&scales) {
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
        Ok(Self { reference, rarity, rare, scales, above: Vec::new() })
    }

    /// The same judge with what is usual with the residuals on each of the layers above the first.
    pub fn with_above(self, above: Vec<Scales>) -> Result<Self> {
        if !above.iter().all(is_sound) {
            return Err(Error::param("a score scale", "not finite and positive", "finite and positive"));
        }
        Ok(Self { above, ..self })
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

    /// What is usual with the residuals on each of the layers above the first.
    pub fn above(&self) -> &[Scales] {
        &self.above
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

    /// Judges samples before their length is changed, with these residuals on every layer.
    pub(crate) fn samples<X: Data<T>>(&self, x: &X, residuals: &[&[f64]]) -> Judged {
        let mut seen = self.look(x, residuals.first().copied().unwrap_or_default());
        let (scores, reasons) = judge(&self.scales, &seen);
        let mut judged = Judged { scores, reasons, ..Judged::default() };
        let held = self.spare(x, &mut judged);
        judged.above = self.look_above(&mut seen, residuals, &held);
        judged
    }

    /// What every reason says of such samples, and the part of the score that it makes.
    pub(crate) fn parts<X: Data<T>>(&self, x: &X, residuals: &[f64]) -> Vec<Vec<Part>> {
        let seen = self.look(x, residuals);
        let (scores, reasons) = judge(&self.scales, &seen);
        let mut judged = Judged { scores, reasons, ..Judged::default() };
        self.spare(x, &mut judged);
        let parts = |(i, score): (usize, &f64)| self.scales.parts_of(&self.zs(&seen, i), *score);
        judged.scores.iter().enumerate().map(parts).collect()
    }

    fn look<X: Data<T>>(&self, x: &X, residuals: &[f64]) -> Seen {
        let directions = self.scales.parts[Reason::Structure as usize].is_some();
        let drawn = self.reference.as_ref().map(|reference| (reference, directions));
        see(x, Some(residuals), (drawn, self.rarity.as_ref()))
    }

    /// How many robust deviations a sample is above what is usual.
    fn zs(&self, seen: &Seen, i: usize) -> Zs {
        zs(&self.scales, seen, i)
    }
}
