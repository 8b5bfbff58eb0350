//! A shard by itself, whose neighbours are in other processes: [`serve`].

use super::{Host, Place, Server};
use crate::data::{Data, Stored, leaf_rows_of};
use crate::error::{Error, Result};
use crate::init::some_rows;
use crate::matrix::Samples;
use crate::preprocess::{self, Normalize};
use crate::real::Real;
use crate::threads::Threads;

/// What is to be known of a shard beside its samples.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// Where its samples are among all.
    pub place: Place,
    /// Rows of the leaves that all samples are cut into: see [`leaf_rows`].
    pub rows_per_leaf: usize,
    /// Whether samples are brought to unit length.
    pub unit: bool,
    /// How often each of its samples counts.
    pub weights: &'a [f64],
}

/// Rows of the leaves of n×d samples, at whose borders they may be cut into shards.
pub fn leaf_rows(shape: (usize, usize), sparse: bool) -> usize {
    leaf_rows_of(shape, sparse)
}

/// The numbers of all of n samples or of `most` of them, chosen by a hash of the seed; they ascend.
pub fn some_samples(seed: u64, n: usize, most: usize) -> Vec<usize> {
    some_rows(seed, n, most)
}

/// Looks through the samples of a shard and does something with a server of them, on these threads. Errors name a sample by its number
/// among all.
pub fn serve<T: Real, R: Send>(
    x: Samples<'_, T>,
    held: &Held<'_>,
    threads: Threads<'_>,
    work: impl FnOnce(&mut Server<'_, T>) -> Result<R> + Send,
) -> Result<R> {
    let Held { place, rows_per_leaf, unit, weights } = *held;
    let (rows, first) = (x.shape().0, place.first);
    if rows != place.count || weights.len() != place.count {
        let what = if rows == place.count { "the sample weights" } else { "the shard" };
        let got = if rows == place.count { weights.len() } else { rows };
        return Err(Error::Shape { what, got: (got, 1), want: (place.count, 1) });
    }
    if first % rows_per_leaf.max(1) != 0 && first != place.total {
        let must = format!("a multiple of {rows_per_leaf}");
        return Err(Error::param("the first sample of the shard", first, must));
    }
    let steps: &[Normalize] = if unit { &[Normalize::Unit] } else { &[] };
    threads.run(|_| {
        if rows == 0 {
            let data = Stored::new(x, None, Some(Vec::new())).in_leaves(rows_per_leaf);
            return work(&mut Server::new(&Host::placed(&data, weights, place)));
        }
        let (_, mut prepared) = preprocess::fit(steps, x, false).map_err(|error| error.after(first))?;
        let (scale, norms_sq) = prepared.take_factors();
        let data = Stored::new(prepared.samples(), scale, norms_sq).in_leaves(rows_per_leaf);
        data.intact().map_err(|error| error.after(first))?;
        work(&mut Server::new(&Host::placed(&data, weights, place)))
    })?
}
