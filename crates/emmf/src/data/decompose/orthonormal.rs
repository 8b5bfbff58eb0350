//! An orthonormal basis of the columns of a tall matrix.

use super::Cholesky;
use crate::data::{Gram, dot_f64, turn_rows, vectorized};
use crate::matrix::Mat;
use crate::real::Real;

/// What is left of a column that depends on others, as a share of it.
const DEPENDS: f64 = 1e-14;
/// Columns of unit length of which others leave at least this are orthonormal after two rounds of Cholesky: the first leaves an error of
/// 1e-16 over its square, the second none.
const APART: f64 = 1e-5;

/// An orthonormal basis of the columns of a tall matrix. Where they are far from dependent, which is nearly always, that is
/// four fast products (CholeskyQR2, Fukaya et al. 2014).
pub(crate) fn orthonormal_basis<T: Real>(a: Mat<T>) -> Mat<T> {
    let mut wide: Mat<f64> = a.cast();
    drop(a);
    let mut gram = Gram::new(wide.cols());
    let mut round = || inverse_root(gram.of(&wide)).map(|turn| turn_rows(&mut wide, &turn)).is_some();
    if round() && round() {
        return wide.cast();
    }
    let mut columns = Mat::from_fn(wide.cols(), wide.rows(), |k, i| wide[(i, k)]);
    drop(wide);
    let most = columns.as_slice().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if most > 0.0 {
        columns.as_mut_slice().iter_mut().for_each(|x| *x /= most);
    }
    orthonormalize(&mut columns, None);
    Mat::from_fn(columns.cols(), columns.rows(), |i, k| T::from_f64(columns[(k, i)]))
}

/// The triangular M with Mᵀ·G·M = I; `None` where the columns that G is made of are nearly dependent.
fn inverse_root(gram: &Mat<f64>) -> Option<Mat<f64>> {
    let c = gram.rows();
    let lengths: Vec<f64> = (0..c).map(|k| gram[(k, k)].sqrt()).collect();
    // Squares that are no longer exact tell nothing.
    if lengths.iter().any(|length| !(1e-140..1e140).contains(length)) {
        return None;
    }
    let unit = Mat::from_fn(c, c, |i, j| gram[(i, j)] / (lengths[i] * lengths[j]));
    let factor = Cholesky::new(&unit).filter(|factor| factor.least() >= APART)?;
    let inverse = factor.below(&Mat::from_fn(c, c, |i, j| f64::from(u8::from(i == j))));
    Some(Mat::from_fn(c, c, |i, j| inverse[(j, i)] / lengths[i]))
}

/// Makes rows orthonormal, each by those before it; what they were made of goes into `r`. A row that depends on those before it becomes one
/// that seems random.
pub(super) fn orthonormalize(rows: &mut Mat<f64>, mut r: Option<&mut Mat<f64>>) {
    let width = rows.cols();
    if let Some(r) = &mut r {
        r.as_mut_slice().fill(0.0);
    }
    for j in 0..rows.rows() {
        let (before, row) = rows.as_mut_slice().split_at_mut(j * width);
        let (before, row) = (&*before, &mut row[..width]);
        let length = dot_f64(row, row).sqrt();
        let mut take = |k: usize, share: f64| {
            if let Some(r) = &mut r {
                r[(j, k)] += share;
            }
        };
        project(before, row, &mut take);
        let mut left = dot_f64(row, row).sqrt();
        if left > DEPENDS * length {
            take(j, left);
        } else {
            let mut state = j as u64 + 1;
            for entry in row.iter_mut() {
                // Knuth's MMIX generator.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *entry = (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
            }
            project(before, row, &mut |_, _| ());
            left = dot_f64(row, row).sqrt();
        }
        row.iter_mut().for_each(|x| *x /= left);
    }
}

/// Takes from a row, twice, what orthonormal rows describe of it.
fn project(before: &[f64], row: &mut [f64], take: &mut impl FnMut(usize, f64)) {
    for _ in 0..2 {
        for (k, known) in before.chunks_exact(row.len()).enumerate() {
            let share = vectorized!({
                let share = dot_f64(known, row);
                row.iter_mut().zip(known).for_each(|(x, known)| *x -= share * known);
                share
            });
            take(k, share);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::assert_orthonormal;
    use super::*;

    type Entry<'a> = &'a dyn Fn(usize, usize) -> f64;

    #[test]
    fn bases_are_orthonormal_and_span_the_columns() {
        let entry = |i: usize, j: usize| ((i * 31 + j * 17 + i * j) % 13) as f64 - 4.0;
        let kinds: [(&str, Entry<'_>); 6] = [
            ("independent", &entry),
            ("of all lengths", &|i, j| entry(i, j) * 10_f64.powi(7 * j as i32 - 20)),
            ("nearly dependent", &|i, j| 1.0 + 1e-9 * entry(i, j)),
            ("dependent", &|i, j| (i * (j % 2 + 1)) as f64 + 1.0),
            ("with a column of zeros", &|i, j| if j == 1 { 0.0 } else { entry(i, j) }),
            ("tiny", &|i, j| 1e-200 * entry(i, j)),
        ];
        for ((n, c), (name, entry)) in
            [(1, 1), (6, 6), (90, 5), (700, 9)].into_iter().flat_map(|shape| kinds.map(|kind| (shape, kind)))
        {
            let a = Mat::from_fn(n, c, entry);
            let q = orthonormal_basis(a.clone());
            assert_orthonormal(&format!("{name}, {n}x{c}"), &q, 1e-13);
            for k in 0..c {
                let column: Vec<f64> = (0..n).map(|i| a[(i, k)]).collect();
                let most = column.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
                let along: Vec<f64> =
                    (0..c).map(|l| (0..n).map(|i| q[(i, l)] * (column[i] / most)).sum()).collect();
                for i in 0..n {
                    let made: f64 = (0..c).map(|l| q[(i, l)] * along[l]).sum();
                    assert!((made - column[i] / most).abs() < 1e-9, "{name}, {n}x{c}: {made}");
                }
            }
        }
    }
}
