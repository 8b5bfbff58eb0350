//! What a fit needs of a card, as far as that is known before it begins.

use emmf::registry;
use emmf::{Error, Real, Result, Samples, Solver, Spec, StopBy};

use crate::card::Card;
use crate::kernels::Shape;
use crate::loaded::AT_ONCE;
use crate::side::CODED;

/// Bytes of a sample besides: residuals, weights, lengths and factors.
const OF_SAMPLE: usize = 64;
/// Sums over parts, each d×k, and their total.
const SUMS: usize = 17;
/// The share of the free memory that a fit may take without anybody having asked for a card.
const SHARE: f64 = 0.8;
/// Rows that a block of coordinate descent has at the least; each needs a row of V and one of P.
pub(crate) const LEAST_ROWS: usize = 32;

/// Matrices as large as V: V, and V times its weights; P, V·G and where V has gone on; V at the last look.
fn like_v(spec: &Spec) -> Result<usize> {
    let moves = registry::find(&spec.method)?.solver(spec) == Solver::Hals;
    Ok(2 + 3 * usize::from(moves) + usize::from(spec.stop_by == Some(StopBy::Coefficients)))
}

/// Bytes on a card besides X, for numbers of so many bytes.
pub(crate) fn besides((n, d): (usize, usize), spec: &Spec, size: usize) -> Result<usize> {
    let (k, like_v) = (spec.k, like_v(spec)?);
    let of_row = size.saturating_mul(Shape::new(k).ld);
    let tall = n.saturating_mul(like_v.saturating_mul(of_row).saturating_add(OF_SAMPLE));
    // P and V·G of some samples, and rows of X in double precision where these are coded.
    let some = 2 * n.min(AT_ONCE) * of_row + n.min(CODED) * (d + k) * size_of::<f64>();
    Ok(tall.saturating_add(SUMS.saturating_mul(d).saturating_mul(of_row)).saturating_add(some))
}

/// Whether the memory of a card holds such a fit. Dense X may come in blocks.
pub(crate) fn holds<T: Real>(card: &Card, x: &Samples<'_, T>, spec: &Spec) -> Result<bool> {
    let (size, besides) = (size_of::<T>(), besides(x.shape(), spec, size_of::<T>())? as f64);
    let twice = |entries: usize| 2.0 * (entries * (size + size_of::<i32>())) as f64;
    let entries = if let Samples::Csr(x) = x { twice(x.nnz()) } else { 0.0 };
    Ok(besides + entries <= SHARE * card.free()? as f64)
}

/// Fails where the shared memory of a block does not hold the rows that coordinate descent moves.
pub(crate) fn check_solver<T>(card: &Card, spec: &Spec) -> Result<()> {
    let descends = registry::find(&spec.method)?.solver(spec) == Solver::Hals;
    if descends { check_descent::<T>(card, spec.k) } else { Ok(()) }
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

#[cfg(test)]
mod tests {
    use emmf::{Solver, Spec, StopBy};

    use super::besides;

    /// Matrices as large as V are what counts: 448 MB each with a million samples and 100 centroids in single precision.
    #[test]
    fn memory_is_that_of_matrices_like_v() {
        let needed = |spec: &Spec| besides((1_000_000, 1024), spec, 4).unwrap();
        let (spec, like_v) = (Spec::emmf(100).solver(Solver::Mu), 448_000_000);
        let least = needed(&spec);
        assert!((2 * like_v..4 * like_v).contains(&least), "{least}");
        assert_eq!(needed(&spec.clone().solver(Solver::Hals)), least + 3 * like_v);
        assert_eq!(needed(&spec.stop_by(StopBy::Coefficients)), least + like_v);
        // No number of samples is too large to be told so.
        assert!(besides((usize::MAX, 1024), &Spec::emmf(100), 4).unwrap() == usize::MAX);
    }
}
