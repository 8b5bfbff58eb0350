//! Projection onto Ω(w) = { 0 ≤ A_ii ≤ 1, 0 ≤ A_ij ≤ A_ii·w_j/w_i }, row by row.

use crate::data::vectorized;

/// The nearest row of Ω(w) to `row`, whose diagonal entry is at `i`.
///
/// With b_j = w_j/w_i and the diagonal entry x, the other entries are clip(z_j, 0, b_j·x), and x minimises
/// ½(x − z_i)² + ½·Σ max(0, z_j − b_j·x)². Newton's method on its piecewise linear slope comes from below and
/// ends at the minimum after a few passes.
/// A row without weight is of no use to others and becomes zero.
pub(super) fn project_row(row: &mut [f64], i: usize, w: &[f64]) {
    if w[i] <= 0.0 {
        row.fill(0.0);
        return;
    }
    vectorized!({
        let (own, inverse) = (row[i], 1.0 / w[i]);
        // Takes the diagonal out of the sums.
        row[i] = -1.0;
        let mut x = f64::NEG_INFINITY;
        loop {
            let (mut num, mut den) = (own, 1.0);
            for (&z, w) in row.iter().zip(w) {
                let b = w * inverse;
                let counts = z > 0.0 && z > b * x;
                num += if counts { b * z } else { 0.0 };
                den += if counts { b * b } else { 0.0 };
            }
            let next = num / den;
            // The same set again gives the same number, bit for bit.
            if next <= x || next.is_nan() {
                break;
            }
            x = next;
        }
        let x = x.clamp(0.0, 1.0);
        row.iter_mut().zip(w).for_each(|(z, w)| *z = z.clamp(0.0, w * inverse * x));
        row[i] = x;
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_projection() {
        let w = [1.0, 2.0, 1.0];
        let mut rows = [[0.2, 0.9, -0.1], [0.1, 0.5, 0.3], [1.5, 0.2, 2.0]];
        let facts = [[0.4, 0.8, 0.0], [0.1, 0.52, 0.26], [1.0, 0.2, 1.0]];
        for (i, (row, fact)) in rows.iter_mut().zip(facts).enumerate() {
            project_row(row, i, &w);
            row.iter().zip(fact).for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{row:?}"));
        }
    }

    /// By going through the entries in falling order of z_j/b_j.
    fn sorted(row: &[f64], i: usize, w: &[f64]) -> Vec<f64> {
        let b = |j: usize| w[j] / w[i];
        let mut order: Vec<usize> = (0..row.len()).filter(|&j| j != i).collect();
        order.sort_by(|&j, &k| (row[k] / b(k)).total_cmp(&(row[j] / b(j))));
        let (mut num, mut den) = (row[i], 1.0);
        let mut x = f64::clamp(num, 0.0, 1.0);
        for j in order {
            if row[j] > b(j) * x {
                num += b(j) * row[j];
                den += b(j) * b(j);
                x = f64::clamp(num / den, 0.0, 1.0);
            }
        }
        (0..row.len()).map(|j| if j == i { x } else { row[j].clamp(0.0, b(j) * x) }).collect()
    }

    #[test]
    fn newton_finds_what_sorting_finds() {
        let mut number = 0.3_f64;
        let mut next = || {
            number = (number * 997.0 + 0.1234).fract();
            number
        };
        for _ in 0..500 {
            let w: Vec<f64> = (0..9).map(|_| 0.1 + next()).collect();
            let row: Vec<f64> = (0..9).map(|_| 2.0 * next() - 0.7).collect();
            let i = (9.0 * next()) as usize;
            let mut ours = row.clone();
            project_row(&mut ours, i, &w);
            let theirs = sorted(&row, i, &w);
            ours.iter().zip(&theirs).for_each(|(a, b)| assert!((a - b).abs() < 1e-13, "{ours:?} {theirs:?}"));
        }
    }
}
