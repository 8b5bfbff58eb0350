//! [`Spec::choose_rank`]: how many centroids explain held-out values.
//!
//! Some values, spread over all samples and features like speckles, are held out, the others are fitted, and V·Uᵀ is compared
//! with what was held out (Wold 1978). A sample is explained by 1 − Σ(x − y)²/Σx² over its held-out values y of x, and the median
//! sample counts, so that outliers do not. Too few centroids do not explain what there is, too many explain the noise of
//! what they saw. The smallest number within one standard error of the best is chosen, or that leaves at most a tenth more. Here, too, the
//! median over what is held out counts, so that one fit in a local minimum does not.
//! Which values are held out is a hash of seed, sample and feature: nothing is drawn in sequence.
//!
//! A fit fills held-out values with what it makes of them, a few iterations of coordinate descent at a time (EM): where one value
//! of ten is missing that converges ten times as fast as the iterations themselves, and the products see no gaps.

use std::ops::{ControlFlow, RangeInclusive};

use super::Given;
use super::fitting::Fitting;
use crate::cancel::Deadline;
use crate::choose::{Choice, Seen};
use crate::data::{Data, Dense, Stored};
use crate::error::{Error, Result};
use crate::init::{Factors, Random, Start, filled, hash, some_rows};
use crate::matrix::{Mat, Part, Samples};
use crate::method::side::Host;
use crate::preprocess::median;
use crate::real::Real;
use crate::registry::{self, Places};
use crate::spec::{Init, LabelRule, Missing, Solver, Spec};
use crate::threads::{Pool, Running};

/// How often values are held out, and one of how many each time.
const MASKS: usize = 3;
const ONE_OF: u64 = 10;
/// How many values are looked at, at most; fewer samples if there are more.
const MOST_VALUES: usize = 200_000;
/// How often gaps are filled, and the iterations in between.
const ROUNDS: usize = 12;
const ITERATIONS: usize = 15;
/// Numbers up to which each is tried; from there on each is larger than the last by this share.
const EACH: usize = 8;
const GROWTH: f64 = 1.25;
/// Numbers in a row that are worse than the best before no more are tried.
const WORSE: usize = 2;
/// What may be left more than by the best number, as a share.
const LITTLE: f64 = 0.1;
/// Methods that do not weigh samples are stood for by this one.
const INSTEAD: &str = "emmf";

impl Spec {
    /// Chooses the smallest number of centroids that explains held-out values as well as any other: a rank, for topics, signatures
    /// and compression. Clusters are another question, see [`Spec::choose_k`]. `seen(done, all)` is told how many fits were
    /// made, and out of how many at most, and can end the search with the result so far.
    ///
    /// ```
    /// use emmf::{Mat, Running, Spec};
    /// use std::ops::ControlFlow;
    /// let part = |k: usize, j: usize| if j % 3 == k { 1.0 + (j / 3) as f64 } else { 0.0 };
    /// let x = Mat::from_fn(60, 24, |i, j| {
    ///     (0..3).map(|k| ((i * (k + 2)) % (k + 5)) as f64 * part(k, j)).sum::<f64>() + 0.1 * ((i * 7 + j * 5) % 3) as f64
    /// });
    /// let go_on = |_, _| ControlFlow::Continue(());
    /// let choice = Spec::new("nmf", 1).choose_rank(&x, 1..=8, go_on, &Running::default())?;
    /// assert_eq!(choice.k, 3);
    /// # Ok::<(), emmf::Error>(())
    /// ```
    pub fn choose_rank<'a, T: Real>(
        &self,
        x: impl Into<Samples<'a, T>>,
        ks: RangeInclusive<usize>,
        mut seen: impl FnMut(usize, usize) -> ControlFlow<()> + Send,
        running: &Running<'_>,
    ) -> Result<Choice> {
        T::choose_rank(self, x.into(), ks, &mut seen, running)
    }
}

/// See [`Spec::choose_rank`].
pub(super) fn choose_rank<T: Real>(
    spec: &Spec,
    x: Samples<'_, T>,
    ks: &RangeInclusive<usize>,
    seen: Seen<'_>,
    running: &Running<'_>,
) -> Result<Choice> {
    if spec.missing == Missing::Nan {
        return Err(Error::Missing {
            what: "choosing the rank".into(),
            instead: "give the number of centroids",
        });
    }
    let d = x.shape().1.max(1);
    let rows = some_rows(spec.seed, x.shape().0, (MOST_VALUES / d).max(ONE_OF as usize));
    let part = Part::copy(&x, &rows, |_| T::ONE)?;
    let by_samples = registry::find(&spec.method)?.facts.places == Places::Anywhere;
    let method = if by_samples { &spec.method } else { INSTEAD };
    let alike = Spec::new(method, 1).solver(Solver::Hals).max_iter(ITERATIONS).tol(0.0).seed(spec.seed);
    let alike = alike.label_rule(LabelRule::Largest);
    let alike = Spec { init: Some(Init::Nndsvd), params: spec.params.clone(), ..alike };
    spec.prepared(part.samples(), (false, running), |data, pool| {
        let (n, d) = data.shape();
        let mut whole = Mat::zeros(n, d);
        data.read(0..n, 0..d, whole.as_mut_slice());
        let tried = numbers(ks, (n, d))?;
        let masks: Vec<Mat<T>> =
            (0..MASKS).map(|mask| speckled(&whole, hash(spec.seed, mask as u64))).collect();
        let (mut curves, end) = (vec![Vec::new(); MASKS], Deadline::halfway(spec.time_limit));
        for (at, &k) in tried.iter().enumerate() {
            for (number, masked) in masks.iter().enumerate() {
                let found = fitted(&Spec { k, ..alike.clone() }, masked, pool, running)?;
                curves[number].push(explained(&whole, masked, &found));
                let ends = seen(at * MASKS + number + 1, tried.len() * MASKS).is_break() || end.is_over();
                if ends && at > 0 {
                    curves.iter_mut().for_each(|curve| curve.truncate(at));
                    return Ok(chosen(&tried[..at], &curves));
                }
            }
            if is_past(&curves) {
                return Ok(chosen(&tried[..=at], &curves));
            }
        }
        Ok(chosen(&tried, &curves))
    })
}

/// U and V of samples with gaps.
fn fitted<T: Real>(spec: &Spec, masked: &Mat<T>, pool: &Pool, running: &Running<'_>) -> Result<Factors<T>> {
    let (entry, weights) = (registry::find(&spec.method)?, vec![1.0; masked.rows()]);
    let mut whole = filled(&Dense::new(masked.view(), None));
    let mut start = Start::new(spec, &weights, None, Random::stream(spec.seed, 0));
    let mut factors = start.factors(&Dense::new(whole.view(), None))?;
    for _ in 0..ROUNDS {
        let data = Stored::Dense(Dense::new(whole.view(), None));
        let fitting = Fitting::new(spec, entry, &weights, pool);
        let running = Running { cancel: running.cancel.clone(), ..Running::default() };
        let mut given = Given { start: Some(&factors), running, ..Given::default() };
        let fit = fitting.fit_side(&Host::new(&data, &weights), &mut given)?;
        given.running.cancel.check()?;
        factors = Factors { u: fit.model.centroids().clone(), v: fit.v };
        let gaps = (0..masked.rows()).flat_map(|i| (0..masked.cols()).map(move |j| (i, j)));
        for (i, j) in gaps.filter(|&at| masked[at].to_f64().is_nan()) {
            whole[(i, j)] = T::from_f64(made(&factors, i, j));
        }
    }
    Ok(factors)
}

/// What the factors make of a value.
fn made<T: Real>(factors: &Factors<T>, i: usize, j: usize) -> f64 {
    factors.u.row(j).iter().zip(factors.v.row(i)).map(|(u, v)| u.to_f64() * v.to_f64()).sum()
}

/// The numbers that are tried.
fn numbers(ks: &RangeInclusive<usize>, (n, d): (usize, usize)) -> Result<Vec<usize>> {
    let next = |k: &usize| Some(if *k < EACH { k + 1 } else { (*k as f64 * GROWTH).round() as usize });
    let all = std::iter::successors(Some(1), next).take_while(|k| *k < n.min(d));
    let tried: Vec<usize> = all.filter(|k| ks.contains(k)).collect();
    if tried.is_empty() {
        let must = format!(
            "a number: {n} samples of {d} features are too few to choose a rank from {} to {}",
            ks.start(),
            ks.end()
        );
        return Err(Error::param("k", "to be chosen", must));
    }
    Ok(tried)
}

/// The samples without the values that are held out. Every sample and every feature keeps one.
fn speckled<T: Real>(whole: &Mat<T>, seed: u64) -> Mat<T> {
    let (n, d) = whole.shape();
    let is_out = |i: usize, j: usize| hash(hash(seed, i as u64), j as u64) < u64::MAX / ONE_OF;
    let mut masked =
        Mat::from_fn(n, d, |i, j| if is_out(i, j) { T::from_f64(f64::NAN) } else { whole[(i, j)] });
    for i in (0..n).filter(|&i| (0..d).all(|j| is_out(i, j))) {
        masked[(i, i % d)] = whole[(i, i % d)];
    }
    for j in (0..d).filter(|&j| (0..n).all(|i| is_out(i, j))) {
        masked[(j % n, j)] = whole[(j % n, j)];
    }
    masked
}

/// The share of the held-out values that is explained, in the median sample that has any.
fn explained<T: Real>(whole: &Mat<T>, masked: &Mat<T>, factors: &Factors<T>) -> f64 {
    let share = |i: usize| {
        let (mut left, mut all) = (0.0, 0.0);
        for j in (0..whole.cols()).filter(|&j| masked[(i, j)].to_f64().is_nan()) {
            let x = whole[(i, j)].to_f64();
            left += (x - made(factors, i, j)).powi(2);
            all += x * x;
        }
        (all > 0.0).then(|| 1.0 - left / all)
    };
    let mut shares: Vec<f64> = (0..whole.rows()).filter_map(share).collect();
    if shares.is_empty() { 0.0 } else { median(&mut shares) }
}

/// Whether the last numbers are all worse than the best by more than its standard error.
fn is_past(curves: &[Vec<f64>]) -> bool {
    let so_far = curves[0].len();
    let choice = judged((0..so_far).collect(), curves);
    let (best, bar) = bar(&choice);
    so_far > best + WORSE && choice.stability[so_far - WORSE..].iter().all(|share| *share < bar)
}

/// What the numbers explain.
fn judged(ks: Vec<usize>, curves: &[Vec<f64>]) -> Choice {
    let of = |at: usize| median(&mut curves.iter().map(|curve| curve[at]).collect::<Vec<_>>());
    let stability = (0..ks.len()).map(of).collect();
    Choice { stability, ..Choice::new(ks, curves) }
}

/// The best number by its place, and what is as good: within one standard error, or with little more left.
fn bar(choice: &Choice) -> (usize, f64) {
    let shares = &choice.stability;
    let best = (0..shares.len()).fold(0, |best, at| if shares[at] > shares[best] { at } else { best });
    let error = choice.spread[best] / (choice.splits.max(2) as f64 - 1.0).sqrt();
    (best, shares[best] - error.max(LITTLE * (1.0 - shares[best])))
}

/// The least number that is as good as any.
fn chosen(ks: &[usize], curves: &[Vec<f64>]) -> Choice {
    let choice = judged(ks.to_vec(), curves);
    let (_, bar) = bar(&choice);
    let least = |shares: &[f64], bar: f64| {
        let at = shares.iter().position(|share| *share >= bar).unwrap_or(0);
        ks[at]
    };
    let k = least(&choice.stability, bar);
    let error = choice.stability.iter().copied().fold(f64::NEG_INFINITY, f64::max) - bar;
    let alone = |curve: &&Vec<f64>| {
        let top = curve.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        least(curve, top - error) == k
    };
    let agreeing = curves.iter().filter(alone).count();
    Choice { k, agreeing, rank: true, ..choice }
}
