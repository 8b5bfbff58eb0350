//! Whether clusters are clouds around their means, or curves and surfaces along which only a graph leads.
//!
//! Half of the features of a sample is predicted from the other half: by the mean of those who are its nearest neighbours there,
//! and by the mean of the cluster that is nearest there. Along a curve, neighbours are alike in everything, and predict better. In a
//! cloud they are neighbours by chance, and the mean of all members predicts better. Then the graph only says
//! where clusters are; which one a sample is in, Lloyd's iterations from there say better.

use crate::cancel::Cancel;
use crate::data::{Data, Stored};
use crate::error::Result;
use crate::graph::nearest;
use crate::init::{PREDICTED, Random, means, nearest_centroids, settled};
use crate::matrix::{Csr, Mat, Part};
use crate::metrics::ari;
use crate::real::Real;

/// Clusters that are less like those along the graph are others. (Means of clusters of very different size move far.)
const LEAST_ALIKE: f64 = 0.5;

/// Lloyd's iterations from these `k` clusters, where they are clouds; `neighbours` are those of the graph.
pub(super) fn refined<T: Real>(
    unit: &Stored<'_, T>,
    (clusters, k): (&[usize], usize),
    neighbours: usize,
    weights: &[f64],
    cancel: &Cancel,
) -> Result<Option<Vec<usize>>> {
    if k < 2 || unit.shape().1 < 2 {
        return Ok(None);
    }
    let found = settled(unit, (clusters, k), weights, cancel)?;
    let alike = ari(clusters, &found)? >= LEAST_ALIKE;
    Ok(if alike && are_clouds(unit, (&found, k), neighbours, cancel)? { Some(found) } else { None })
}

/// Whether means predict better than neighbours do.
fn are_clouds<T: Real>(
    unit: &Stored<'_, T>,
    (clusters, k): (&[usize], usize),
    neighbours: usize,
    cancel: &Cancel,
) -> Result<bool> {
    let (n, d) = unit.shape();
    let many = n.min(PREDICTED);
    let rows: Vec<usize> = (0..many).map(|at| at * n / many).collect();
    let labels: Vec<usize> = rows.iter().map(|&i| clusters[i]).collect();
    // The same features whatever the seed: whether clusters are clouds does not depend on it.
    let first = Random::new(0).distinct(d / 2, d);
    let rest: Vec<usize> = (0..d).filter(|j| first.binary_search(j).is_err()).collect();
    let (a, b) = (half(unit, &rows, &first)?, half(unit, &rows, &rest)?);
    let (a, b) = (Stored::new(a.samples(), None, None), Stored::new(b.samples(), None, None));
    let (mut by_neighbours, mut by_means) = (0.0, 0.0);
    for (seen, hidden) in [(&a, &b), (&b, &a)] {
        let near = nearest(&seen.unit(), neighbours, cancel)?;
        by_neighbours += (0..many).map(|i| distance_to_mean(hidden, i, near.row(i).0)).sum::<f64>();
        by_means += errors_of_means((seen, hidden), &labels, k);
    }
    Ok(by_means < by_neighbours)
}

/// These features of these samples.
fn half<T: Real>(unit: &Stored<'_, T>, rows: &[usize], features: &[usize]) -> Result<Part<'static, T>> {
    let shape = (rows.len(), features.len());
    if unit.is_sparse() {
        let mut entries = Vec::new();
        for (at, &i) in rows.iter().enumerate() {
            unit.for_each_of_sample(i, |j, value| {
                entries.extend(features.binary_search(&j).ok().map(|to| (at, to, value)));
            });
        }
        return Ok(Part::Csr(Csr::from_triplets(shape, entries)?));
    }
    let mut row = vec![T::ZERO; unit.shape().1];
    let mut entries = Vec::with_capacity(shape.0 * shape.1);
    for &i in rows {
        unit.read(i..i + 1, 0..row.len(), &mut row);
        entries.extend(features.iter().map(|&j| row[j]));
    }
    Ok(Part::Dense(Mat::from_vec(entries, shape.0, shape.1)?))
}

/// ‖xᵢ − the mean of these‖².
fn distance_to_mean<T: Real>(x: &Stored<'_, T>, i: usize, others: &[u32]) -> f64 {
    let mut row = vec![T::ZERO; x.shape().1];
    let share = T::from_f64(-1.0 / others.len().max(1) as f64);
    x.add_row(i, T::ONE, &mut row);
    others.iter().for_each(|&j| x.add_row(j as usize, share, &mut row));
    row.iter().map(|entry| entry.to_f64().powi(2)).sum()
}

/// What the mean of the cluster that is nearest in the features that are seen leaves of those that are hidden. A sample has no
/// part in the mean that predicts it.
fn errors_of_means<T: Real>(
    (seen, hidden): (&Stored<'_, T>, &Stored<'_, T>),
    labels: &[usize],
    k: usize,
) -> f64 {
    let mut members = vec![0.0_f64; k];
    labels.iter().for_each(|&label| members[label] += 1.0);
    let (there, here) = (means(seen, labels, k), means(hidden, labels, k));
    let error = |(i, to): (usize, usize)| {
        let mut row = vec![T::ZERO; here.rows()];
        hidden.add_row(i, T::ONE, &mut row);
        let mean = here.as_slice().chunks_exact(k).map(|entries| entries[to].to_f64());
        let square: f64 = row.iter().zip(mean).map(|(x, mean)| (x.to_f64() - mean).powi(2)).sum();
        let own = labels[i] == to && members[to] > 1.0;
        if own { square * (members[to] / (members[to] - 1.0)).powi(2) } else { square }
    };
    nearest_centroids(seen, &there).into_iter().enumerate().map(error).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Samples;

    /// Noise around `k` means, or points along closed curves around them.
    fn made(k: usize, is_cloud: bool) -> (Mat<f64>, Vec<usize>) {
        let mut random = Random::new(3);
        let labels: Vec<usize> = (0..60 * k).map(|i| i % k).collect();
        let means = Mat::from_fn(k, 30, |_, _| 1.0 + random.exponential());
        let shape = Mat::from_fn(k, 60, |_, _| 0.5 * (random.exponential() - 1.0));
        let x = Mat::from_fn(60 * k, 30, |i, j| {
            let (of, turn) = (labels[i], (i / k) as f64 * std::f64::consts::TAU / 60.0);
            let along = shape[(of, j)] * turn.cos() + shape[(of, 30 + j)] * turn.sin();
            let noise = 0.5 * (random.exponential() - 1.0);
            (means[(of, j)] + if is_cloud { noise } else { along + 0.1 * noise }).max(0.0)
        });
        (x, labels)
    }

    /// Some samples in the wrong cluster find home where clusters are clouds; curves are left alone. Dense or sparse.
    #[test]
    fn clouds_are_told_from_curves() {
        for (is_cloud, k) in [(true, 4), (false, 4), (true, 9), (false, 9)] {
            let (x, labels) = made(k, is_cloud);
            let start: Vec<usize> = labels
                .iter()
                .enumerate()
                .map(|(i, &own)| if i % 12 == 5 { (own + 1) % k } else { own })
                .collect();
            let weights = vec![1.0; labels.len()];
            let all = (0..x.rows()).flat_map(|i| (0..30).map(move |j| (i, j)));
            let entries = all.map(|(i, j)| (i, j, x[(i, j)])).filter(|entry| entry.2 > 0.0).collect();
            let sparse = Csr::from_triplets(x.shape(), entries).unwrap();
            for samples in [Samples::from(&x), Samples::from(&sparse)] {
                let data = Stored::new(samples, None, None);
                let found = refined(&data.unit(), (&start, k), 5, &weights, &Cancel::new()).unwrap();
                assert_eq!(found.is_some(), is_cloud, "{k}");
                if let Some(found) = found {
                    assert_eq!(ari(&found, &labels).unwrap(), 1.0);
                }
            }
        }
    }

    /// Means that move far say nothing about the clusters along the graph.
    #[test]
    fn other_clusters_are_not_taken() {
        let (x, _) = made(4, true);
        let any: Vec<usize> = (0..x.rows()).map(|i| i * 7 % 11 % 4).collect();
        let data = Stored::new(Samples::from(&x), None, None);
        let found = refined(&data.unit(), (&any, 4), 5, &vec![1.0; any.len()], &Cancel::new()).unwrap();
        assert_eq!(found, None);
    }
}
