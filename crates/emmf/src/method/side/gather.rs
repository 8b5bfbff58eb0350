//! One order to many places, and their answers as one.

use super::{Answer, Order, Place, Summand, Tall, Tree};
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::real::Real;

/// What an order to all means for the samples at this place.
pub fn share<T: Real>(order: Order<T>, place: &Place) -> Result<Order<T>> {
    let Place { total, first, count } = *place;
    let here = first..first + count;
    Ok(match order {
        Order::Begin(v) => {
            check("V", v.rows(), total)?;
            let rows = first * v.cols()..(first + count) * v.cols();
            Order::Begin(Mat::from_vec(v.as_slice()[rows].to_vec(), count, v.cols())?)
        }
        Order::Rows(samples) => Order::Rows(samples.into_iter().filter(|i| here.contains(i)).collect()),
        Order::Leave { samples, labels } => {
            let own = samples.into_iter().filter(|i| here.contains(i)).map(|i| i - first);
            Order::Leave { samples: own.collect(), labels }
        }
        Order::SetColumn(what, values) => {
            let each = values.len() / total.max(1);
            check("the column", values.len(), each * total)?;
            Order::SetColumn(what, values[first * each..(first + count) * each].to_vec())
        }
        order => order,
    })
}

fn check(what: &'static str, got: usize, want: usize) -> Result<()> {
    if got == want { Ok(()) } else { Err(Error::Shape { what, got: (got, 1), want: (want, 1) }) }
}

/// Answers with sums as one, in which whatever can be added up is; others stay as they are. So much is done where several shards are in
/// one place.
pub fn joined<T: Real>(answers: Vec<Answer<T>>) -> Vec<Answer<T>> {
    let sums = |answer: &Answer<T>| {
        !matches!(
            answer,
            Answer::Done
                | Answer::Drawn(_)
                | Answer::Rows(_)
                | Answer::Column(_)
                | Answer::Nodes(_)
                | Answer::Tall(_)
        )
    };
    if !answers.iter().all(sums) {
        return answers;
    }
    let mut answers = answers.into_iter();
    let Some(mut all) = answers.next() else { return Vec::new() };
    let mut others = Vec::new();
    for answer in answers {
        others.extend(add(&mut all, answer));
    }
    match &mut all {
        Answer::Lengths(tree) => tree.fold(),
        Answer::Near(tree) => tree.fold(),
        Answer::Stats(tree) => tree.fold(),
        Answer::Weighed(tree) => tree.fold(),
        Answer::Pull(tree) => tree.fold(),
        Answer::EntryCensus(tree) => tree.fold(),
        Answer::EntrySums(tree) => tree.fold(),
        Answer::Movement(tree) => tree.fold(),
        Answer::LayerPull(tree) => tree.fold(),
        Answer::Crossed(tree) => tree.fold(),
        Answer::LayerStats(tree) => tree.fold(),
        Answer::LayerWeighed(tree) => tree.fold(),
        Answer::Done
        | Answer::Drawn(_)
        | Answer::Rows(_)
        | Answer::Column(_)
        | Answer::Nodes(_)
        | Answer::Tall(_) => {}
    }
    others.insert(0, all);
    others
}

/// Answers of all places, in the order of their samples, as one.
pub fn gathered<T: Real>(answers: Vec<Answer<T>>) -> Result<Answer<T>> {
    let nobody = || Error::param("the answers", "none", "one of each place");
    let mut answers = answers.into_iter();
    let mut all = answers.next().ok_or_else(nobody)?;
    for answer in answers {
        if add(&mut all, answer).is_some() {
            return Err(Error::param("the answers", "of several kinds", "of one"));
        }
    }
    Ok(all)
}

/// Adds an answer to that of samples before; gives it back where it is of another kind.
fn add<T: Real>(all: &mut Answer<T>, other: Answer<T>) -> Option<Answer<T>> {
    fn take<S: Summand>(all: &mut Tree<S>, mut other: Tree<S>) {
        all.take(&mut other);
    }
    match (all, other) {
        (Answer::Done, Answer::Done) => {}
        (Answer::Lengths(all), Answer::Lengths(other)) => take(all, other),
        (Answer::Near(all), Answer::Near(other)) => take(all, other),
        (Answer::Stats(all), Answer::Stats(other)) => take(all, other),
        (Answer::Weighed(all), Answer::Weighed(other)) => take(all, other),
        (Answer::Pull(all), Answer::Pull(other)) => take(all, other),
        (Answer::EntryCensus(all), Answer::EntryCensus(other)) => take(all, other),
        (Answer::EntrySums(all), Answer::EntrySums(other)) => take(all, other),
        (Answer::Movement(all), Answer::Movement(other)) => take(all, other),
        (Answer::LayerPull(all), Answer::LayerPull(other)) => take(all, other),
        (Answer::Crossed(all), Answer::Crossed(other)) => take(all, other),
        (Answer::LayerStats(all), Answer::LayerStats(other)) => take(all, other),
        (Answer::LayerWeighed(all), Answer::LayerWeighed(other)) => take(all, other),
        (Answer::Nodes(all), Answer::Nodes(other)) => all.extend(other),
        (Answer::Drawn(all), Answer::Drawn(other)) => stack(all, other),
        (Answer::Rows(all), Answer::Rows(other)) => all.take(other),
        (Answer::Column(all), Answer::Column(other)) => all.extend(other),
        (Answer::Tall(all), Answer::Tall(other)) => {
            let Tall { v, labels, residuals, weights, above } = other;
            stack(&mut all.v, v);
            all.labels.extend(labels);
            all.residuals.extend(residuals);
            all.weights.extend(weights);
            all.above.extend(above);
        }
        (_, other) => return Some(other),
    }
    None
}

/// The rows of both; a matrix without rows may have forgotten how many columns it has.
pub(super) fn stack<T: Real>(all: &mut Mat<T>, other: Mat<T>) {
    if all.rows() == 0 {
        *all = other;
    } else if other.rows() > 0 {
        let (rows, columns) = (all.rows() + other.rows(), all.cols());
        let mut entries = std::mem::take(all).into_vec();
        entries.extend(other.into_vec());
        *all = Mat::from_vec(entries, rows, columns).unwrap_or_default();
    }
}
