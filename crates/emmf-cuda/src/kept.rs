//! How X is kept on a card.

use emmf::{Prepared, Result, Samples};
use rayon::prelude::*;

use crate::card::Card;
use crate::kernels::{Kept, MOST_IN_REGISTERS, Shape, TENSOR_ARCH};
use crate::number::Number;

/// Bytes that a thread looks at together.
const WINDOW: usize = 1 << 22;

/// How this card keeps such samples: as halves where passes on tensor cores take them.
pub(crate) fn kept<T: Number>(card: &Card, Prepared { x, spec, .. }: &Prepared<'_, T>) -> Result<Kept> {
    if matches!(x, Samples::Csr(_)) {
        return Ok(Kept::Sparse);
    }
    let serves = T::SINGLE && card.arch() >= TENSOR_ARCH && Shape::new(spec.k).ld <= MOST_IN_REGISTERS;
    if !serves || x.shape().0 == 0 {
        return Ok(Kept::Reals);
    }
    Ok(if are_halves(x)? { Kept::Exact } else { Kept::Halves })
}

/// Rows are multiples of so many columns.
pub(crate) fn columns_of_row(kept: Kept) -> usize {
    match kept {
        Kept::Reals => 4,
        Kept::Halves | Kept::Exact => 32,
        Kept::Sparse => 1,
    }
}

pub(crate) fn size_of_entry<T>(kept: Kept) -> usize {
    match kept {
        Kept::Reals | Kept::Sparse => size_of::<T>(),
        Kept::Halves => 4,
        Kept::Exact => 2,
    }
}

/// Whether all entries are whole numbers up to 2048, which eleven digits hold.
fn are_halves<T: Number>(x: &Samples<'_, T>) -> Result<bool> {
    let (n, d) = x.shape();
    let is_exact = |value: &T| {
        let value = value.to_f64();
        value <= 2048.0 && value.fract() == 0.0
    };
    let window = (WINDOW / (d * size_of::<T>()).max(1)).max(1);
    let looked = (0..n.div_ceil(window)).into_par_iter().map(|at| {
        let rows = at * window..((at + 1) * window).min(n);
        let mut buffer = vec![T::ZERO; rows.len() * d];
        x.read(rows, &mut buffer)?;
        Ok(buffer.iter().all(is_exact))
    });
    let other: Result<Option<bool>> =
        looked.filter(|found| !matches!(found, Ok(true))).find_any(|_| true).transpose();
    Ok(other?.is_none())
}
