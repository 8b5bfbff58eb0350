//! What restarts agree on: one set of components, matched to those of every restart.
//!
//! A restart is its centroids at unit length, W (d×c). Restarts are matched to a reference by the assignment of the largest sum of
//! cosines, first to the medoid, the restart with the smallest median distance to the others. The consensus M minimises the entropy
//! loss Φ(r) = −Σ r·log(r/Σr) of the distances r between the restarts and M, as Eq. (6) does for samples: it is their mean, weighted
//! by Q = −log(r/R)/r of Eq. (8), again and again. Distances are smoothed, √(r² + ε²), with ε their median from the plain mean: the pole of
//! Q at 0 would draw the mean to a single restart. A restart whose distance is an outlier among the distances does not count at all.
//! Restarts are then matched to the consensus instead, until nothing changes any more.
//!
//! Cost: R²/2 + O(R) products of c×d with d×c for R restarts. Memory: R·c·d for the restarts, and a few c×c matrices.
//! Nothing is n×n, and no sample is looked at.

use crate::loss::{Entropy, Loss, Stats, THRESHOLD, weighted_median};
use crate::matrix::Mat;
use crate::metrics::assign;
use crate::model::{Consensus, ResidualScale};
use crate::preprocess::median;
use crate::real::sealed::{Left, Product};
use crate::threads::made;

/// How often restarts are matched anew, and weighted anew, at most.
const ROUNDS: usize = 30;
/// Weights that move by less stand still.
const STILL: f64 = 1e-12;
/// The least that distances are smoothed by: weights have a pole at 0.
const NEAR: f64 = 1e-9;
/// Restarts this near to each other are the same for all purposes: about a degree.
const SAME: f64 = 0.02;
/// Cosines are matched as whole numbers.
const WHOLE: f64 = 1e12;

/// The components of a restart.
pub(in crate::fit) struct Restart {
    /// Centroids at unit length, d×c.
    units: Mat<f64>,
    /// Their lengths.
    lengths: Vec<f64>,
}

impl Restart {
    pub(in crate::fit) fn new(mut u: Mat<f64>) -> Self {
        let mut lengths = vec![0.0; u.cols()];
        for j in 0..u.rows() {
            lengths.iter_mut().zip(u.row(j)).for_each(|(length, u)| *length += u * u);
        }
        lengths.iter_mut().for_each(|length| *length = length.sqrt());
        scale(&mut u, &lengths);
        Self { units: u, lengths }
    }

    /// All its numbers, for a checkpoint.
    pub(in crate::fit) fn numbers(&self) -> Vec<f64> {
        [self.units.as_slice(), &self.lengths].concat()
    }

    /// The restart with these numbers, of `c` components.
    pub(in crate::fit) fn from_numbers(numbers: &[f64], c: usize) -> Self {
        let (units, lengths) = numbers.split_at(numbers.len() - c);
        Self { units: Mat::from_fn(units.len() / c, c, |j, k| units[j * c + k]), lengths: lengths.to_vec() }
    }
}

/// Divides every column by its length, where it has one.
fn scale(u: &mut Mat<f64>, lengths: &[f64]) {
    for j in 0..u.rows() {
        let row = u.row_mut(j).iter_mut().zip(lengths);
        row.filter(|(_, length)| **length > 0.0).for_each(|(u, length)| *u /= length);
    }
}

/// Restarts beside a reference: for every component of it that of the restart, and their cosine.
struct Matched {
    order: Vec<usize>,
    cosines: Vec<f64>,
}

impl Matched {
    /// `rows` is the reference with a component in every row.
    fn new(rows: &Mat<f64>, units: &Mat<f64>) -> Self {
        let (c, d) = rows.shape();
        let mut cosines = vec![0.0; c * c];
        f64::gemm(
            (&mut cosines, c),
            Left::Rows((rows.as_slice(), d)),
            (units.as_slice(), c),
            (c, d, c),
            false,
        );
        let whole: Vec<i64> = cosines.iter().map(|cosine| (cosine * WHOLE) as i64).collect();
        let order = assign(&whole, c);
        let cosines = order.iter().enumerate().map(|(k, at)| cosines[k * c + at].min(1.0)).collect();
        Self { order, cosines }
    }

    /// The root mean square distance of the matched components: ‖a − b‖² = 2 − 2·cos.
    fn distance(&self) -> f64 {
        let sum: f64 = self.cosines.iter().map(|cosine| 2.0 - 2.0 * cosine).sum();
        (sum.max(0.0) / self.cosines.len().max(1) as f64).sqrt()
    }
}

/// The consensus of several restarts, its components in the order of those of restart `like`.
pub(in crate::fit) fn agree(restarts: &[Restart], like: usize) -> (Mat<f64>, Consensus) {
    let mut found = Agreed::at(restarts, &restarts[medoid(restarts)].units);
    for _ in 0..ROUNDS {
        let next = Agreed::at(restarts, &found.units);
        let settled = next.is_like(&found);
        found = next;
        if settled {
            break;
        }
    }
    found.told(restarts, like)
}

/// The restart with the smallest median distance to the others, the first of equal ones.
fn medoid(restarts: &[Restart]) -> usize {
    let count = restarts.len();
    let pairs: Vec<(usize, usize)> = (0..count).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
    let apart = made(pairs.len(), |at| {
        let (a, b) = pairs[at];
        Matched::new(&restarts[a].units.transposed(), &restarts[b].units).distance()
    });
    let mut distances = vec![vec![0.0; count]; count];
    for (&(a, b), apart) in pairs.iter().zip(apart) {
        (distances[a][b], distances[b][a]) = (apart, apart);
    }
    let medians: Vec<f64> = distances.iter_mut().map(|distances| median(distances)).collect();
    (0..count).fold(0, |best, a| if medians[a] < medians[best] { a } else { best })
}

/// What restarts agree on, once they are matched.
struct Agreed {
    /// The components, d×c.
    units: Mat<f64>,
    matched: Vec<Matched>,
    weights: Vec<f64>,
}

impl Agreed {
    /// With restarts matched to this reference.
    fn at(restarts: &[Restart], reference: &Mat<f64>) -> Self {
        let rows = reference.transposed();
        let matched = made(restarts.len(), |at| Matched::new(&rows, &restarts[at].units));
        let mut kept = vec![true; restarts.len()];
        let mut found = Self { units: reference.clone(), matched, weights: Vec::new() };
        for _ in 0..ROUNDS {
            found.weigh(restarts, &kept);
            let kept_now = among(&found.distances());
            if kept_now == kept {
                break;
            }
            kept = kept_now;
        }
        found
    }

    /// The mean of the restarts that are kept, by the weights of their distances, until it stands still.
    fn weigh(&mut self, restarts: &[Restart], kept: &[bool]) {
        self.weights = even(kept);
        self.average(restarts);
        let typical = median(&mut counted(&self.distances(), kept));
        for _ in 0..ROUNDS {
            let weights = weights(&self.distances(), kept, typical);
            let moved = self.weights.iter().zip(&weights).map(|(was, is)| (was - is).abs());
            if moved.fold(0.0, f64::max) <= STILL {
                break;
            }
            self.weights = weights;
            self.average(restarts);
        }
    }

    /// How far each restart is from the components.
    fn distances(&self) -> Vec<f64> {
        self.matched.iter().map(Matched::distance).collect()
    }

    /// The weighted mean of matched components, at unit length, and how far each restart is from it.
    fn average(&mut self, restarts: &[Restart]) {
        let Self { units, matched, weights } = self;
        let (d, c) = units.shape();
        let of = |j: usize, k: usize| {
            let all = restarts.iter().zip(&*matched).zip(&*weights);
            all.map(|((restart, matched), weight)| weight * restart.units[(j, matched.order[k])]).sum()
        };
        let mean = made(d, |j| (0..c).map(|k| of(j, k)).collect::<Vec<f64>>());
        let mean = Restart::new(Mat::from_fn(d, c, |j, k| mean[j][k])).units;
        let cosines = made(restarts.len(), |at| {
            let mut sums = vec![0.0; c];
            for j in 0..d {
                let row = restarts[at].units.row(j);
                let all = sums.iter_mut().zip(mean.row(j)).zip(&matched[at].order);
                all.for_each(|((sum, mean), &from)| *sum += mean * row[from]);
            }
            sums.iter_mut().for_each(|sum| *sum = sum.min(1.0));
            sums
        });
        matched.iter_mut().zip(cosines).for_each(|(matched, cosines)| matched.cosines = cosines);
        *units = mean;
    }

    /// Whether the same restarts count, and are matched in the same way.
    fn is_like(&self, other: &Self) -> bool {
        let counts = self.weights.iter().zip(&other.weights);
        let orders = self.matched.iter().zip(&other.matched);
        counts.into_iter().all(|(a, b)| (*a > 0.0) == (*b > 0.0))
            && orders.into_iter().all(|(a, b)| a.order == b.order)
    }

    /// The centroids, each as long as its matches are in the median, and what is known about them.
    fn told(&self, restarts: &[Restart], like: usize) -> (Mat<f64>, Consensus) {
        let Matched { order, .. } = Matched::new(&restarts[like].units.transposed(), &self.units);
        let counted =
            || self.matched.iter().zip(restarts).zip(&self.weights).filter(|(_, weight)| **weight > 0.0);
        let length = |k: usize| {
            let pair = |((matched, restart), weight): ((&Matched, &Restart), &f64)| {
                (restart.lengths[matched.order[k]], *weight)
            };
            weighted_median(&mut counted().map(pair).collect::<Vec<_>>())
        };
        let lengths: Vec<f64> = order.iter().map(|&k| length(k)).collect();
        let count = counted().count().max(1) as f64;
        let stability =
            |&k: &usize| counted().map(|((matched, _), _)| matched.cosines[k]).sum::<f64>() / count;
        let (d, c) = self.units.shape();
        let consensus = Consensus {
            stability: order.iter().map(stability).collect(),
            distances: self.distances(),
            weights: self.weights.clone(),
        };
        (Mat::from_fn(d, c, |j, k| self.units[(j, order[k])] * lengths[k]), consensus)
    }
}

/// The restarts that are no outliers by their distances.
fn among(distances: &[f64]) -> Vec<bool> {
    let ResidualScale { center, spread } = ResidualScale::of(distances);
    let scale = ResidualScale { center, spread: spread.max(SAME) };
    distances.iter().map(|&distance| scale.score(distance) <= THRESHOLD).collect()
}

/// Those of the restarts that are kept.
fn counted(distances: &[f64], kept: &[bool]) -> Vec<f64> {
    distances.iter().zip(kept).filter(|(_, kept)| **kept).map(|(distance, _)| *distance).collect()
}

/// The same weight for all that are kept.
fn even(kept: &[bool]) -> Vec<f64> {
    let all = kept.iter().filter(|kept| **kept).count().max(1) as f64;
    kept.iter().map(|kept| if *kept { 1.0 / all } else { 0.0 }).collect()
}

/// The weights of the entropy loss at these distances, which sum to 1; 0 for what is not kept.
fn weights(distances: &[f64], kept: &[bool], typical: f64) -> Vec<f64> {
    let counts: Vec<f64> = kept.iter().map(|kept| f64::from(u8::from(*kept))).collect();
    let r: Vec<f64> = distances.iter().map(|distance| distance.hypot(typical.max(NEAR))).collect();
    let stats = Stats::of(&r, &counts);
    let weights: Vec<f64> =
        r.iter().zip(&counts).map(|(&r, counts)| counts * Entropy.at(r, &stats).1).collect();
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 { weights.iter().map(|weight| weight / sum).collect() } else { even(kept) }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::init::Random;

    const SHAPE: (usize, usize) = (12, 4);

    /// Centroids with this share of noise, columns in this order.
    fn restart(truth: &Mat<f64>, noise: f64, order: &[usize], rng: &mut Random) -> Restart {
        let (d, c) = truth.shape();
        Restart::new(Mat::from_fn(d, c, |j, k| truth[(j, order[k])] + noise * uniform(rng)))
    }

    fn uniform(rng: &mut Random) -> f64 {
        rng.0.random_range(0.0..1.0)
    }

    fn truth(rng: &mut Random) -> Mat<f64> {
        let (d, c) = SHAPE;
        Mat::from_fn(d, c, |j, k| if j % c == k { 1.0 + uniform(rng) } else { 0.1 * uniform(rng) })
    }

    /// Twelve restarts that differ a little, each in an order of its own.
    fn several(rng: &mut Random) -> Vec<Restart> {
        let truth = truth(rng);
        (0..12)
            .map(|at| {
                let order: Vec<usize> = (0..4).map(|k| (k * (1 + 2 * (at % 2)) + at) % 4).collect();
                restart(&truth, 0.05, &order, rng)
            })
            .collect()
    }

    fn largest_difference(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn identical_restarts_agree_on_themselves() {
        let mut rng = Random::new(1);
        let truth = truth(&mut rng);
        for count in [2, 3, 10] {
            let all: Vec<_> = (0..count)
                .map(|at| restart(&truth, 0.0, &[at % 4, (at + 1) % 4, (at + 2) % 4, (at + 3) % 4], &mut rng))
                .collect();
            let (u, found) = agree(&all, 0);
            assert!(largest_difference(&u, &truth) < 1e-12);
            assert!(found.stability.iter().all(|stability| (stability - 1.0).abs() < 1e-12));
            assert!(
                found.weights.iter().all(|weight| (weight - 1.0 / count as f64).abs() < 1e-9),
                "{found:?}"
            );
            assert!(found.distances.iter().all(|distance| *distance < 1e-7));
        }
    }

    #[test]
    fn the_order_of_restarts_and_of_components_does_not_count() {
        let mut rng = Random::new(2);
        let mut all = several(&mut rng);
        let (u, found) = agree(&all, 5);
        all.rotate_left(3);
        all.swap(0, 7);
        let (again, told) = agree(&all, 2);
        assert!(largest_difference(&u, &again) < 1e-9);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(close(&found.stability, &told.stability));
        assert!((found.distances[5] - told.distances[2]).abs() < 1e-9);
    }

    #[test]
    fn a_bad_restart_changes_nothing() {
        let mut rng = Random::new(3);
        let mut all = several(&mut rng);
        let (u, found) = agree(&all, 0);
        assert!(found.set_aside().is_empty(), "{found:?}");
        let (d, c) = SHAPE;
        all.push(Restart::new(Mat::from_fn(d, c, |_, _| uniform(&mut rng))));
        let (with, told) = agree(&all, 0);
        assert_eq!(told.set_aside(), [12]);
        assert!(largest_difference(&u, &with) < 1e-9, "{}", largest_difference(&u, &with));
        assert_eq!(told.weights.len(), 13);
    }

    #[test]
    fn a_component_that_differs_each_time_is_named() {
        let mut rng = Random::new(4);
        let truth = truth(&mut rng);
        let (d, c) = SHAPE;
        let all: Vec<_> = (0..20)
            .map(|_| {
                let strange: Vec<f64> =
                    (0..d).map(|_| f64::from(u8::from(uniform(&mut rng) < 0.3)) + 1e-3).collect();
                Restart::new(Mat::from_fn(d, c, |j, k| if k == 2 { strange[j] } else { truth[(j, k)] }))
            })
            .collect();
        let (_, found) = agree(&all, 0);
        assert_eq!(found.unstable(), [2], "{found:?}");
        assert!(found.stability.iter().enumerate().all(|(k, stability)| k == 2 || *stability > 0.999));
    }

    /// A component of zeros has no direction, and nothing is divided by its length.
    #[test]
    fn components_of_zeros_stay() {
        let mut rng = Random::new(5);
        let truth = truth(&mut rng);
        let (d, c) = SHAPE;
        let all: Vec<_> = (0..3)
            .map(|_| Restart::new(Mat::from_fn(d, c, |j, k| if k == 1 { 0.0 } else { truth[(j, k)] })))
            .collect();
        let (u, found) = agree(&all, 1);
        assert!(u.as_slice().iter().all(|u| u.is_finite()));
        assert!((0..d).all(|j| u[(j, 1)] == 0.0));
        assert_eq!(found.unstable(), [1]);
    }
}
