//! The one kernel behind every product in the loop: C = A·B or C += A·B, all row-major.
//!
//! The vector lanes run along the rows of B and C, which are contiguous, and nothing is copied: a tile
//! of M×J vectors of C stays in registers while M rows of A and J vectors of each row of B go by. A panel
//! of B stays in cache while all rows of A use it. This serves X·U (A is X), Xᵀ·diag(q)·V by its
//! transpose (B is X) and the small products with Gram matrices alike, at the speed of the best
//! libraries for such tall and narrow shapes, and without their buffers.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use crate::real::sealed::{Left, Product, Rows};

/// Maximum number of rows of C in a tile, and vectors in a tile where there are registers for so many.
pub(super) const TILE_ROWS: usize = 6;
const TILE_VECTORS: usize = 4;

/// Rows of B that go by at a time: a panel of them fits the nearest caches.
const DEPTH: usize = 256;

/// Vectors of a sparse row times B that are summed at a time: one way through its entries for nearly any number of
/// columns.
const GATHERED_VECTORS: usize = 2 * TILE_VECTORS;

/// Numbers in the widest tile on any machine.
const WIDEST: usize = 64;

struct Task<'a, T> {
    c: &'a mut [T],
    c_stride: usize,
    a: Left<'a, T>,
    b: Rows<'a, T>,
    /// Rows of A, columns of A, columns of B.
    shape: (usize, usize, usize),
    add: bool,
}

/// A part of the product: columns of A and of B, and whether it is added to C.
struct Panel {
    inner: Range<usize>,
    columns: Range<usize>,
    add: bool,
}

/// Sparse rows times B.
struct Gather<'a, T, E> {
    out: &'a mut [T],
    b: &'a [T],
    columns: usize,
    add: bool,
    entries: E,
}

/// Where the columns from `start` on end that are summed at a time, so that no vector is left alone with fewer than
/// its lanes.
fn gathered_end(start: usize, columns: usize, lanes: usize) -> usize {
    let end = (start + GATHERED_VECTORS * lanes).min(columns);
    if (1..lanes).contains(&(columns - end)) { end - lanes } else { end }
}

/// A sparse row times B.
trait Lanes: Sized {
    /// J vectors of it, the last one ending with `out`: it may overlap the one before, so that no cache line of another row
    /// of B is touched.
    fn sum_rows<S: Simd, const J: usize>(
        simd: S,
        out: &mut [Self],
        b: Rows<'_, Self>,
        add: bool,
        entries: impl Iterator<Item = (usize, Self)>,
    );

    /// The same with fewer columns than lanes.
    fn sum_narrow_rows<S: Simd>(
        simd: S,
        out: &mut [Self],
        b: Rows<'_, Self>,
        add: bool,
        entries: impl Iterator<Item = (usize, Self)>,
    );
}

macro_rules! product {
    ($t:ident, $vector:ident, $lanes:ident, $splat:ident, $fma:ident, $view:ident, $view_mut:ident, $load:ident, $store:ident) => {
        impl Product for $t {
            fn gemm(
                (c, c_stride): (&mut [Self], usize),
                a: Left<'_, Self>,
                b: Rows<'_, Self>,
                shape: (usize, usize, usize),
                add: bool,
            ) {
                pulp::Arch::new().dispatch(Task { c, c_stride, a, b, shape, add });
            }

            fn gather<I: Iterator<Item = (usize, Self)> + Clone>(
                out: &mut [Self],
                b: &[Self],
                columns: usize,
                add: bool,
                entries: impl Fn(usize) -> I,
            ) {
                pulp::Arch::new().dispatch(Gather { out, b, columns, add, entries });
            }
        }

        impl<I: Iterator<Item = (usize, $t)> + Clone, E: Fn(usize) -> I> WithSimd for Gather<'_, $t, E> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) {
                let Gather { out, b, columns, add, entries } = self;
                for (i, out) in out.chunks_exact_mut(columns).enumerate() {
                    let entries = entries(i);
                    if columns < S::$lanes {
                        <$t as Lanes>::sum_narrow_rows(simd, out, (b, columns), add, entries);
                        continue;
                    }
                    let mut start = 0;
                    while start < columns {
                        let end = gathered_end(start, columns, S::$lanes);
                        let (out, b) = (&mut out[start..end], (&b[start..], columns));
                        let entries = entries.clone();
                        match (end - start).div_ceil(S::$lanes) {
                            1 => <$t as Lanes>::sum_rows::<S, 1>(simd, out, b, add, entries),
                            2 => <$t as Lanes>::sum_rows::<S, 2>(simd, out, b, add, entries),
                            3 => <$t as Lanes>::sum_rows::<S, 3>(simd, out, b, add, entries),
                            4 => <$t as Lanes>::sum_rows::<S, 4>(simd, out, b, add, entries),
                            5 => <$t as Lanes>::sum_rows::<S, 5>(simd, out, b, add, entries),
                            6 => <$t as Lanes>::sum_rows::<S, 6>(simd, out, b, add, entries),
                            7 => <$t as Lanes>::sum_rows::<S, 7>(simd, out, b, add, entries),
                            _ => <$t as Lanes>::sum_rows::<S, GATHERED_VECTORS>(simd, out, b, add, entries),
                        }
                        start = end;
                    }
                }
            }
        }

        impl Lanes for $t {
            #[inline(always)]
            fn sum_rows<S: Simd, const J: usize>(
                simd: S,
                out: &mut [Self],
                (b, stride): Rows<'_, Self>,
                add: bool,
                entries: impl Iterator<Item = (usize, Self)>,
            ) {
                let (columns, tail) = (out.len(), out.len() - S::$lanes);
                let mut sums = [simd.$splat(0.0); J];
                if add {
                    let before = &*out;
                    sums[..J - 1].copy_from_slice(&S::$view(before).0[..J - 1]);
                    sums[J - 1] = S::$view(&before[tail..]).0[0];
                }
                for (row, value) in entries {
                    let b = &b[row * stride..][..columns];
                    let (head, last) = (&S::$view(b).0[..J - 1], S::$view(&b[tail..]).0[0]);
                    let factor = simd.$splat(value);
                    for t in 0..J - 1 {
                        sums[t] = simd.$fma(factor, head[t], sums[t]);
                    }
                    sums[J - 1] = simd.$fma(factor, last, sums[J - 1]);
                }
                S::$view_mut(out).0[..J - 1].copy_from_slice(&sums[..J - 1]);
                S::$view_mut(&mut out[tail..]).0[0] = sums[J - 1];
            }

            #[inline(always)]
            fn sum_narrow_rows<S: Simd>(
                simd: S,
                out: &mut [Self],
                (b, stride): Rows<'_, Self>,
                add: bool,
                entries: impl Iterator<Item = (usize, Self)>,
            ) {
                let mut sum = if add { simd.$load(out) } else { simd.$splat(0.0) };
                let mut last = [0.0; WIDEST];
                for (row, value) in entries {
                    // Lanes beyond the columns hold whatever comes next in B and are never stored.
                    let b = if let Some(b) = b.get(row * stride..row * stride + S::$lanes) {
                        b
                    } else {
                        last[..out.len()].copy_from_slice(&b[row * stride..][..out.len()]);
                        &last[..S::$lanes]
                    };
                    sum = simd.$fma(simd.$splat(value), S::$view(b).0[0], sum);
                }
                simd.$store(out, sum);
            }
        }

        impl WithSimd for Task<'_, $t> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(mut self, simd: S) {
                let (_, k, n) = self.shape;
                let widest = if S::REGISTER_COUNT >= 32 { TILE_VECTORS } else { TILE_VECTORS / 2 };
                for start in (0..k).step_by(DEPTH) {
                    let (inner, add) = (start..(start + DEPTH).min(k), self.add || start > 0);
                    let mut column = 0;
                    while column < n {
                        let vectors = (n - column).div_ceil(S::$lanes);
                        // Two equal panels rather than a wide and a narrow one.
                        let even = vectors.div_ceil(vectors.div_ceil(widest));
                        let take = if vectors >= 2 * widest { widest } else { even };
                        let columns = column..(column + take * S::$lanes).min(n);
                        column = columns.end;
                        let panel = Panel { inner: inner.clone(), columns, add };
                        // Tiles that the registers of these instructions cannot hold are not compiled for them.
                        if const { S::REGISTER_COUNT >= 32 } {
                            match take {
                                1 => self.panel::<S, 1>(simd, &panel),
                                2 => self.panel::<S, 2>(simd, &panel),
                                3 => self.panel::<S, 3>(simd, &panel),
                                _ => self.panel::<S, TILE_VECTORS>(simd, &panel),
                            }
                        } else {
                            match take {
                                1 => self.panel::<S, 1>(simd, &panel),
                                _ => self.panel::<S, { TILE_VECTORS / 2 }>(simd, &panel),
                            }
                        }
                    }
                }
            }
        }

        impl Task<'_, $t> {
            /// All rows of C, J vectors wide, in tiles of nearly equal height.
            #[inline(always)]
            fn panel<S: Simd, const J: usize>(&mut self, simd: S, panel: &Panel) {
                let m = self.shape.0;
                let tiles = m.div_ceil(TILE_ROWS);
                for at in 0..tiles {
                    let rows = at * m / tiles..(at + 1) * m / tiles;
                    match rows.len() {
                        1 => self.tile::<S, 1, J>(simd, panel, rows.start),
                        2 => self.tile::<S, 2, J>(simd, panel, rows.start),
                        3 => self.tile::<S, 3, J>(simd, panel, rows.start),
                        4 => self.tile::<S, 4, J>(simd, panel, rows.start),
                        5 => self.tile::<S, 5, J>(simd, panel, rows.start),
                        _ => self.tile::<S, TILE_ROWS, J>(simd, panel, rows.start),
                    }
                }
            }

            /// M rows of C, J vectors wide, of which the last may be partial.
            #[inline(always)]
            fn tile<S: Simd, const M: usize, const J: usize>(&mut self, simd: S, panel: &Panel, row: usize) {
                let (lanes, width) = (S::$lanes, panel.columns.len());
                let mut sums = [[simd.$splat(0.0); J]; M];
                if panel.add {
                    for (i, sums) in sums.iter_mut().enumerate() {
                        let c = &self.c[(row + i) * self.c_stride + panel.columns.start..][..width];
                        sums.iter_mut().zip(c.chunks(lanes)).for_each(|(sum, c)| *sum = simd.$load(c));
                    }
                }
                let inner = panel.inner.clone();
                match self.a {
                    Left::Rows((a, stride)) => {
                        let mut rows: [&[$t]; M] = [&[]; M];
                        for (i, rows) in rows.iter_mut().enumerate() {
                            *rows = &a[(row + i) * stride + inner.start..][..inner.len()];
                        }
                        self.add_rows(simd, panel, &mut sums, |at, i| rows[i][at]);
                    }
                    Left::Columns((a, stride)) => {
                        let a = &a[inner.start * stride + row..];
                        self.add_rows(simd, panel, &mut sums, |at, i| a[at * stride + i]);
                    }
                }
                for (i, sums) in sums.iter().enumerate() {
                    let c = &mut self.c[(row + i) * self.c_stride + panel.columns.start..][..width];
                    sums.iter().zip(c.chunks_mut(lanes)).for_each(|(sum, c)| simd.$store(c, *sum));
                }
            }

            /// Adds the rows of B, times `factor(row, i)`, to the sums of row i of the tile. Lanes beyond
            /// the panel hold whatever comes next in B and are never stored.
            #[inline(always)]
            fn add_rows<S: Simd, const M: usize, const J: usize>(
                &self,
                simd: S,
                panel: &Panel,
                sums: &mut [[S::$vector; J]; M],
                factor: impl Fn(usize, usize) -> $t,
            ) {
                let (stride, wide) = (self.b.1, J * S::$lanes);
                let b = &self.b.0[panel.inner.start * stride + panel.columns.start..];
                let rows = panel.inner.len();
                // Rows after which at least a whole tile's width of B is left.
                let roomy = if b.len() < wide { 0 } else { ((b.len() - wide) / stride + 1).min(rows) };
                let mut local = *sums;
                for at in 0..roomy {
                    let b = S::$view(&b[at * stride..][..wide]).0;
                    Self::add_row(simd, &mut local, b, |i| factor(at, i));
                }
                let mut last = [0.0; WIDEST];
                for at in roomy..rows {
                    let b = &b[at * stride..][..panel.columns.len()];
                    last[..b.len()].copy_from_slice(b);
                    let b = S::$view(&last[..wide]).0;
                    Self::add_row(simd, &mut local, b, |i| factor(at, i));
                }
                *sums = local;
            }

            /// Adds J vectors of B, times a factor for each row, to a tile.
            #[inline(always)]
            fn add_row<S: Simd, const M: usize, const J: usize>(
                simd: S,
                sums: &mut [[S::$vector; J]; M],
                b: &[S::$vector],
                factor: impl Fn(usize) -> $t,
            ) {
                for i in 0..M {
                    let factor = simd.$splat(factor(i));
                    for t in 0..J {
                        sums[i][t] = simd.$fma(factor, b[t], sums[i][t]);
                    }
                }
            }
        }
    };
}

product!(
    f32,
    f32s,
    F32_LANES,
    splat_f32s,
    mul_add_e_f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    partial_load_f32s,
    partial_store_f32s
);
product!(
    f64,
    f64s,
    F64_LANES,
    splat_f64s,
    mul_add_e_f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    partial_load_f64s,
    partial_store_f64s
);

#[cfg(test)]
mod tests {
    use crate::real::sealed::Product;

    /// Entries of three sparse rows; the last row of B is among them.
    const ENTRIES: [&[(usize, f64)]; 3] = [&[(4, 2.0), (0, -1.0), (2, 0.5)], &[], &[(1, 4.0), (4, 1.0)]];

    fn entry(at: usize) -> f64 {
        f64::from(u32::try_from(at * 7 % 64).unwrap_or(0)) - 20.0
    }

    /// Whole numbers and halves: every order of summation is exact.
    macro_rules! gathers {
        ($name:ident, $t:ident) => {
            #[test]
            fn $name() {
                let cast = |x: f64| x as $t;
                for (columns, add) in (1..150).flat_map(|columns| [(columns, false), (columns, true)]) {
                    let b: Vec<$t> = (0..5 * columns).map(|at| cast(entry(at))).collect();
                    let mut out: Vec<$t> = (0..3 * columns).map(|at| cast(entry(at + 3))).collect();
                    let mut expected: Vec<$t> = if add { out.clone() } else { vec![0.0; out.len()] };
                    for (i, row) in ENTRIES.iter().enumerate() {
                        for &(j, value) in *row {
                            (0..columns).for_each(|k| {
                                expected[i * columns + k] += cast(value) * b[j * columns + k];
                            });
                        }
                    }
                    let entries = |i: usize| ENTRIES[i].iter().map(|&(j, value)| (j, cast(value)));
                    $t::gather(&mut out, &b, columns, add, entries);
                    assert_eq!(out, expected, "{columns} columns, added: {add}");
                }
            }
        };
    }

    gathers!(rows_of_single_precision_are_gathered, f32);
    gathers!(rows_of_double_precision_are_gathered, f64);
}
