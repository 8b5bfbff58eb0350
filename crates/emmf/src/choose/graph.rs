//! Communities of the graph of nearest neighbours: how many there are, whether some of the samples show the same ones, and
//! which one every sample is in.

use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::halves::in_few_directions;
use super::{AGREED, Directions, MOST_SAMPLES};
use crate::cancel::Cancel;
use crate::data::{Data, Dense, Stored};
use crate::error::Result;
use crate::graph::{Neighbours, Weighting, communities, knn_graph, nearest_told};
use crate::init::labels_nearby;
use crate::matrix::{Mat, Part, Samples};
use crate::metrics::ari;
use crate::preprocess;
use crate::real::Real;
use crate::spec::Spec;

/// Neighbours in the graph, and those that tell how sure it is.
const NEIGHBOURS: usize = 5;
const OTHER_NEIGHBOURS: [usize; 4] = [4, 6, 7, 8];
/// How often some of the samples are looked at by themselves.
const CHECKS: usize = 10;
/// Steps in which neighbours are found, and all that are told.
const SEARCH: usize = 20;
pub(super) const STEPS: usize = SEARCH + 1 + OTHER_NEIGHBOURS.len() + CHECKS;
/// Samples up to which the communities of some are handed on to all.
const MOST_HANDED_ON: usize = 300_000;
/// Samples that the others meet together.
const WIDTH: usize = 192;

/// The communities of samples.
pub(super) struct Communities {
    /// Of those that the fit would not set aside.
    of_kept: Vec<usize>,
    /// Their number with 5 neighbours, and with others.
    counts: [usize; OTHER_NEIGHBOURS.len() + 1],
    /// How much the communities of some of these samples alone are like those of all.
    same: f64,
}

impl Communities {
    /// Those of these samples; `tick` is told every step that is done.
    pub(super) fn find<T: Real>(
        some: &Directions<'_, T>,
        random: &mut Xoshiro256PlusPlus,
        tick: &mut dyn FnMut(usize),
        cancel: &Cancel,
    ) -> Result<Self> {
        let kept = Part::copy(&some.all.samples(), &some.kept, |_| T::ONE)?;
        let most = OTHER_NEIGHBOURS.into_iter().fold(NEIGHBOURS, usize::max);
        let mut searching = |share: f64| tick((share * SEARCH as f64) as usize);
        let near = nearest_told(&Stored::new(kept.samples(), None, None), most, cancel, &mut searching)?;
        let of_kept = groups(&near, NEIGHBOURS)?;
        let mut counts = [count(&of_kept); OTHER_NEIGHBOURS.len() + 1];
        for (at, neighbours) in OTHER_NEIGHBOURS.into_iter().enumerate() {
            tick(SEARCH + 1 + at);
            counts[1 + at] = count(&groups(&near, neighbours)?);
        }
        let mut order: Vec<usize> = (0..of_kept.len()).collect();
        let half = (order.len() / 2).min(MOST_SAMPLES);
        let mut same = 0.0;
        for check in 0..CHECKS {
            tick(STEPS - CHECKS + check);
            let rows = order.partial_shuffle(random, half).0;
            let part = Part::copy(&kept.samples(), rows, |_| T::ONE)?;
            let part = Stored::new(part.samples(), None, None);
            let alone = groups(&nearest_told(&part, NEIGHBOURS, cancel, &mut |_| ())?, NEIGHBOURS)?;
            let with_all: Vec<usize> = rows.iter().map(|&i| of_kept[i]).collect();
            same += ari(&alone, &with_all)? / CHECKS as f64;
        }
        tick(STEPS);
        Ok(Self { of_kept, counts, same })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.counts[0]
    }

    /// Whether half of the samples show the same ones.
    pub(super) fn are_agreed(&self) -> bool {
        self.same >= AGREED
    }

    /// The smallest and the largest number with other neighbours.
    pub(super) fn range(&self) -> (usize, usize) {
        self.counts.iter().fold((usize::MAX, 0), |(low, high), &count| (low.min(count), high.max(count)))
    }

    /// The community of every sample: of those that were not looked at or not kept, that of the nearest.
    pub(super) fn of_all<T: Real>(
        &self,
        (spec, x): (&Spec, Samples<'_, T>),
        (some, rows): (&Directions<'_, T>, &[usize]),
        cancel: &Cancel,
    ) -> Result<Option<Vec<usize>>> {
        let n = x.shape().0;
        if rows.len() == n {
            let all = Stored::new(some.all.samples(), None, None);
            return Ok(Some(labels_nearby(&all, (&some.kept, &self.of_kept), self.count())));
        }
        if n > MOST_HANDED_ON || cancel.is_late() {
            return Ok(None);
        }
        let (_, mut prepared) = preprocess::fit(&spec.normalize, x, false)?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq);
        let points = in_few_directions(spec.seed, &data.unit());
        data.intact()?;
        let known: Vec<usize> = some.kept.iter().map(|&at| rows[at]).collect();
        Ok(Some(handed_on(&points, (&known, &self.of_kept), cancel)?))
    }
}

/// The communities with so many neighbours.
fn groups(near: &Neighbours, neighbours: usize) -> Result<Vec<usize>> {
    Ok(communities(&knn_graph(&near.truncated(neighbours), Weighting::Binary)?))
}

fn count(groups: &[usize]) -> usize {
    groups.iter().max().map_or(1, |last| last + 1)
}

/// The labels of all points, where those of some are known: the others have that of the nearest one.
fn handed_on<T: Real>(
    points: &Mat<T>,
    (known, labels): (&[usize], &[usize]),
    cancel: &Cancel,
) -> Result<Vec<usize>> {
    let n = points.rows();
    let data = Dense::new(points.view(), None);
    let mut nearest = vec![(f64::INFINITY, 0); n];
    for (known, labels) in known.chunks(WIDTH).zip(labels.chunks(WIDTH)) {
        cancel.check()?;
        let b = Mat::from_fn(points.cols(), known.len(), |j, t| points[(known[t], j)]);
        let half: Vec<f64> = known.iter().map(|&i| 0.5 * data.norms_sq()[i]).collect();
        data.project(&b, &mut nearest, &mut vec![(); n], |block| {
            for (nearest, products) in block.a.iter_mut().zip(block.p.chunks_exact(half.len())) {
                for ((half, product), &label) in half.iter().zip(products).zip(labels) {
                    let distance = half - product.to_f64();
                    if distance < nearest.0 {
                        *nearest = (distance, label);
                    }
                }
            }
        });
    }
    let mut all: Vec<usize> = nearest.into_iter().map(|(_, label)| label).collect();
    known.iter().zip(labels).for_each(|(&i, &label)| all[i] = label);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More known points than meet the others at once; a known one keeps its label, whoever is near.
    #[test]
    fn labels_are_those_of_the_nearest() {
        let points = Mat::from_fn(1200, 2, |i, j| if j == 0 { (i / 3) as f64 } else { 0.1 * (i % 3) as f64 });
        let known: Vec<usize> = (0..400).map(|at| 3 * at + 1).collect();
        let labels: Vec<usize> = (0..400).map(|at| at * 7 % 5).collect();
        let all = handed_on(&points, (&known, &labels), &Cancel::new()).unwrap();
        assert!((0..1200).all(|i| all[i] == labels[i / 3]));
        let odd = handed_on(&points, (&[0, 1, 600], &[4, 2, 3]), &Cancel::new()).unwrap();
        assert_eq!((odd[0], odd[1], odd[2], odd[1199]), (4, 2, 2, 3));
    }
}
