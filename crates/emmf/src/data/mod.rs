//! X and the few operations that read it: [`Data`], for dense and sparse storage.
//!
//! Work is cut into parts whose number and size depend on the shapes only, never on the threads, and
//! sums over parts are binary trees over their numbers (`tree.rs`): any number of threads gives the same bits, and so do
//! [shards](crate::method::side) that hold whole subtrees.

mod decompose;
mod dense;
mod dots;
mod gram;
mod place;
mod product;
mod sparse;
mod stored;
mod survey;
mod tree;
mod vectorized;
mod walk;

use std::borrow::Cow;
use std::ops::Range;

pub use dense::Dense;
pub(crate) use dense::{PANEL, STREAM_PARTS};
pub use place::{Node, Place, Summand, Tree};
pub use sparse::Sparse;

pub(crate) use decompose::{Cholesky, Polar, orthonormal_basis, symmetric_eigen, thin_svd};
pub(crate) use gram::{Gram, exact_gram, times_small, turn_rows};
pub(crate) use stored::Stored;
pub(crate) use survey::{Factor, Survey, Wanted};
pub(crate) use tree::{add_up, sum_of_parts};
pub(crate) use vectorized::vectorized;
pub(crate) use walk::{
    entry_leaf_rows, is_small, leaf_rows_of, least_parts, rows_per_part, rows_per_summed_part, summed_parts,
};

use crate::error::Result;
use crate::matrix::Mat;
use crate::opaque::opaque;
use crate::real::Real;
use crate::threads::made;

/// Samples that are worked on together, few enough for a block to stay in cache.
pub const BLOCK: usize = 96;

/// Samples whose share of Xᵀ·diag(q)·V is made at a time.
pub(crate) const STRIP: usize = 256;

/// Maximum number of parts that the rows are cut into, to be shared by threads.
pub(crate) const PARTS: usize = 16;

/// A block of samples on its way through [`Data::project`].
pub struct Block<'a, T, A, R> {
    /// Which samples.
    pub rows: Range<usize>,
    /// X·B of these samples.
    pub p: &'a mut [T],
    /// As long as `p`, for any use.
    pub scratch: &'a mut [T],
    /// The samples' items of the first array.
    pub a: &'a mut [A],
    /// The samples' items of the second array.
    pub r: &'a mut [R],
}

opaque! {
    [T, A, R] Block<'_, T, A, R>;
    [T] Dense<'_, T>;
    [T] Sparse<'_, T>;
    [T] Exact<'_, T>;
}

/// X, n×d, samples as rows, each times its own factor. The only trait whose implementations read X.
///
/// Every operation runs on the current thread pool.
pub trait Data<T: Real>: Sync {
    /// Samples and features.
    fn shape(&self) -> (usize, usize);

    /// ‖xᵢ‖² of every sample.
    fn norms_sq(&self) -> &[f64];

    /// P = X·B in blocks of at most [`BLOCK`] samples. `visit` is called once for every block while it
    /// is in cache, in any order and from several threads. `a` and `r` hold a fixed number of items for
    /// every sample; each block gets its own.
    fn project<A: Send, R: Send>(
        &self,
        b: &Mat<T>,
        a: &mut [A],
        r: &mut [R],
        visit: impl Fn(Block<'_, T, A, R>) + Sync + Send,
    );

    /// `out` = Xᵀ·diag(q)·V.
    fn t_dot(&self, q: &[T], v: &Mat<T>, out: &mut Mat<T>) {
        self.t_dot_of(0..self.shape().0, q, v, out);
    }

    /// The same over these samples alone, which are whole [leaves](Self::rows_per_leaf), at least one.
    fn t_dot_of(&self, rows: Range<usize>, q: &[T], v: &Mat<T>, out: &mut Mat<T>);

    /// Samples whose share of Xᵀ·diag(q)·V is summed one by one; above that it is a tree.
    fn rows_per_leaf(&self) -> usize;

    /// `out` += `factor`·xᵢ.
    fn add_row(&self, i: usize, factor: T, out: &mut [T]);

    /// Column k is Σ `weights[i]`·xᵢ over `members[k]`, d×k; `weights` has one for every sample.
    fn sums_of(&self, members: &[Vec<usize>], weights: &[T]) -> Mat<T> {
        sums_by_row(self, members, weights)
    }

    /// Fails if an earlier product could not read its samples, which were then taken for zero.
    fn intact(&self) -> Result<()> {
        Ok(())
    }

    /// `out` = X·B of these samples, on this thread. A sample's result does not depend on the others. `spare` is room
    /// to be used again.
    fn project_rows(&self, rows: Range<usize>, b: &Mat<T>, out: &mut [T], spare: &mut Vec<T>);

    /// `out` = X·B of these samples in double precision. A sample's result does not depend on the others. `spare` is
    /// room to be used again.
    fn project_exactly(&self, rows: Range<usize>, b: &Exact<'_, T>, out: &mut [f64], spare: &mut Vec<f64>);

    /// ‖xᵢ − U·v‖² by its definition, without cancellation.
    fn residual_sq(&self, i: usize, u: &Mat<T>, v: &[T]) -> f64;

    /// The same of several samples, at most [`BLOCK`], which is faster. `v` holds the rows of these samples one after the
    /// other.
    fn residuals_sq(&self, samples: &[usize], u: &Mat<T>, v: &[T], out: &mut [f64]) {
        residuals_by_row(self, samples, u, v, out);
    }

    /// `out` = these features of these samples, row by row.
    fn read(&self, samples: Range<usize>, features: Range<usize>, out: &mut [T]);

    /// Whether zeros are not stored, so that going through the stored entries is worth it.
    fn is_sparse(&self) -> bool;

    /// Calls `visit(feature, value)` for every stored entry of sample i.
    fn for_each_of_sample(&self, i: usize, visit: impl FnMut(usize, T));

    /// Calls `visit(sample, value)` for every stored entry of feature j.
    fn for_each_of_feature(&self, j: usize, visit: impl FnMut(usize, T));

    /// X·B as a whole.
    fn dot(&self, b: &Mat<T>) -> Mat<T> {
        let mut out = Mat::zeros(self.shape().0, b.cols());
        self.project(b, out.as_mut_slice(), &mut vec![(); self.shape().0], |block| {
            block.a.copy_from_slice(block.p);
        });
        out
    }
}

/// [`Data::sums_of`], sample by sample.
fn sums_by_row<T: Real, X: Data<T> + ?Sized>(x: &X, members: &[Vec<usize>], weights: &[T]) -> Mat<T> {
    let d = x.shape().1;
    let sum = |members: &Vec<usize>| {
        let mut sum = vec![T::ZERO; d];
        members.iter().for_each(|&i| x.add_row(i, weights[i], &mut sum));
        sum
    };
    let sums = made(members.len(), |at| sum(&members[at]));
    Mat::from_fn(d, members.len(), |j, k| sums[k][j])
}

/// [`Data::residuals_sq`], sample by sample.
fn residuals_by_row<T: Real, X: Data<T> + ?Sized>(
    x: &X,
    samples: &[usize],
    u: &Mat<T>,
    v: &[T],
    out: &mut [f64],
) {
    let rows = samples.iter().zip(v.chunks_exact(u.cols()));
    rows.zip(out).for_each(|((&i, v), out)| *out = x.residual_sq(i, u, v));
}

/// A range of rows in nearly equal blocks of at most `size`.
fn blocks(rows: Range<usize>, size: usize) -> impl DoubleEndedIterator<Item = Range<usize>> {
    let count = rows.len().div_ceil(size);
    let cut = move |at: usize| rows.start + at * rows.len() / count;
    (0..count).map(move |at| cut(at)..cut(at + 1))
}

/// `out` = diag(weight)·V for rows of V.
fn weigh_rows<T: Real>(v: &[T], c: usize, weight: impl Fn(usize) -> T, out: &mut [T]) {
    for (i, (v, out)) in v.chunks_exact(c).zip(out.chunks_exact_mut(c)).enumerate() {
        let weight = weight(i);
        out.iter_mut().zip(v).for_each(|(out, &v)| *out = weight * v);
    }
}

/// Factors that give samples of these squared lengths unit length, and the squared lengths then.
pub(crate) fn unit_factors<T: Real>(scale: Option<&[T]>, norms_sq: &[f64]) -> (Vec<T>, Vec<f64>) {
    let factor = |(i, norm_sq): (usize, &f64)| {
        let scale = scale.map_or(1.0, |scale| scale[i].to_f64());
        if *norm_sq > 0.0 { T::from_f64(scale / norm_sq.sqrt()) } else { T::from_f64(scale) }
    };
    let one = |norm_sq: &f64| if *norm_sq > 0.0 { 1.0 } else { 0.0 };
    (norms_sq.iter().enumerate().map(factor).collect(), norms_sq.iter().map(one).collect())
}

/// The right side of an exact product.
pub struct Exact<'a, T> {
    b: &'a Mat<T>,
    /// In double precision where X is dense, whose products want it.
    wide: Cow<'a, [f64]>,
}

impl<'a, T: Real> Exact<'a, T> {
    /// B for products with this X.
    pub fn new(x: &impl Data<T>, b: &'a Mat<T>) -> Self {
        let widen =
            || if x.is_sparse() { Vec::new() } else { b.as_slice().iter().map(|b| b.to_f64()).collect() };
        Self { b, wide: T::wide(b.as_slice()).map_or_else(|| widen().into(), Cow::Borrowed) }
    }
}

/// `out` += `factor`·`row`.
#[inline(always)]
pub(crate) fn add_scaled<T: Real>(out: &mut [T], factor: T, row: &[T]) {
    for (sum, &value) in out.iter_mut().zip(row) {
        *sum += factor * value;
    }
}

/// a·b in double precision, eight sums at a time: one sum in order would wait for itself.
#[inline(always)]
pub(crate) fn dot_f64<T: Real, S: Real>(a: &[T], b: &[S]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for t in 0..8 {
            sums[t] += a[t].to_f64() * b[t].to_f64();
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a.to_f64() * b.to_f64()).sum();
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h)) + rest
}
