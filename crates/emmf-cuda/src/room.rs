//! What a fit needs of a card, as far as that is known before it begins.

use emmf::registry;
use emmf::{Error, Real, Result, Samples, Solver, Spec};

use crate::card::Card;
use crate::kernels::Shape;

/// Matrices as large as V: V, V times its weights, and where it has gone on from or P and V·G.
const LIKE_V: usize = 4;
/// Bytes of a sample besides: residuals, weights, lengths and factors.
const OF_SAMPLE: usize = 64;
/// Sums over parts, each d×k, and their total.
const SUMS: usize = 17;
/// The share of the free memory that a fit may take without anybody having asked for a card.
const SHARE: f64 = 0.8;
/// Rows that a block of coordinate descent has at the least; each needs a row of V and one of P.
pub(crate) const LEAST_ROWS: usize = 32;

/// Bytes on a card besides X, for numbers of so many bytes.
pub(crate) fn besides((n, d): (usize, usize), k: usize, size: usize) -> usize {
    let of_row = size.saturating_mul(Shape::new(k).ld);
    let tall = n.saturating_mul(LIKE_V.saturating_mul(of_row).saturating_add(OF_SAMPLE));
    tall.saturating_add(SUMS.saturating_mul(d).saturating_mul(of_row))
}

/// Whether the memory of a card holds such a fit. Dense X may come in blocks.
pub(crate) fn holds<T: Real>(card: &Card, x: &Samples<'_, T>, k: usize) -> Result<bool> {
    let (size, besides) = (size_of::<T>(), besides(x.shape(), k, size_of::<T>()) as f64);
    let twice = |entries: usize| 2.0 * (entries * (size + size_of::<i32>())) as f64;
    let entries = if let Samples::Csr(x) = x { twice(x.nnz()) } else { 0.0 };
    Ok(besides + entries <= SHARE * card.free()? as f64)
}

/// Fails where the shared memory of a block does not hold the rows that coordinate descent moves.
pub(crate) fn check_solver<T>(card: &Card, spec: &Spec) -> Result<()> {
    match registry::find(&spec.method)?.solver(spec) {
        Solver::Hals => check_descent::<T>(card, spec.k),
        _ => Ok(()),
    }
}

/// The same for coordinate descent with k centroids.
pub(crate) fn check_descent<T>(card: &Card, k: usize) -> Result<()> {
    let most = card.shared_memory()? / (LEAST_ROWS * 2 * size_of::<T>());
    if k <= most {
        return Ok(());
    }
    let must = format!("at most {most} with hals on this card; use mu, or the device cpu");
    Err(Error::param("k", k, must))
}
