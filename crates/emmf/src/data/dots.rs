//! The other kernel: products of rows with rows, the vector lanes along the rows.
//!
//! A product whose lanes run along few columns of B leaves most of a vector idle: 20 columns fill 32 lanes.
//! So `data/dense.rs` gives whole vectors of columns to `data/product.rs` and the few that remain to
//! this one, transposed.

use pulp::{Simd, WithSimd};

use crate::real::sealed::{Dots, Rows};

/// Maximum number of rows and columns of a tile.
const TILE: usize = 4;

struct Task<'a, T> {
    c: (&'a mut [T], usize),
    a: Rows<'a, T>,
    b: Rows<'a, T>,
    /// Rows of A, length of the rows, rows of B.
    shape: (usize, usize, usize),
}

macro_rules! dots {
    ($t:ident, $lanes:ident, $splat:ident, $fma:ident, $view:ident, $load:ident, $sum:ident) => {
        impl Dots for $t {
            fn lanes() -> usize {
                struct Lanes;
                impl WithSimd for Lanes {
                    type Output = usize;
                    #[inline(always)]
                    fn with_simd<S: Simd>(self, _: S) -> usize {
                        S::$lanes
                    }
                }
                pulp::Arch::new().dispatch(Lanes)
            }

            fn dots(
                c: (&mut [Self], usize),
                a: Rows<'_, Self>,
                b: Rows<'_, Self>,
                shape: (usize, usize, usize),
            ) {
                pulp::Arch::new().dispatch(Task { c, a, b, shape });
            }
        }

        impl WithSimd for Task<'_, $t> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(mut self, simd: S) {
                let (m, _, n) = self.shape;
                for column in (0..n).step_by(TILE) {
                    let mut row = 0;
                    while row < m {
                        row += match m - row {
                            1 => self.tiles::<S, 1>(simd, row, column),
                            2 | 3 => self.tiles::<S, 2>(simd, row, column),
                            _ => self.tiles::<S, TILE>(simd, row, column),
                        };
                    }
                }
            }
        }

        impl Task<'_, $t> {
            /// M rows of A with the rows of B from `column` on, at most a tile of them; returns M.
            #[inline(always)]
            fn tiles<S: Simd, const M: usize>(&mut self, simd: S, row: usize, column: usize) -> usize {
                match self.shape.2 - column {
                    1 => self.tile::<S, M, 1>(simd, row, column),
                    2 => self.tile::<S, M, 2>(simd, row, column),
                    3 => self.tile::<S, M, 3>(simd, row, column),
                    _ => self.tile::<S, M, TILE>(simd, row, column),
                }
                M
            }

            /// The products of M rows of A with N rows of B. A sum has the same order in tiles of any size.
            #[inline(always)]
            fn tile<S: Simd, const M: usize, const N: usize>(&mut self, simd: S, row: usize, column: usize) {
                let d = self.shape.1;
                let whole = d / S::$lanes;
                let ((a, a_stride), (b, b_stride)) = (self.a, self.b);
                let a: [_; M] = std::array::from_fn(|i| S::$view(&a[(row + i) * a_stride..][..d]));
                let b: [_; N] = std::array::from_fn(|j| S::$view(&b[(column + j) * b_stride..][..d]));
                let (a_whole, b_whole) = (a.map(|a| &a.0[..whole]), b.map(|b| &b.0[..whole]));
                let mut sums = [[simd.$splat(0.0); N]; M];
                for at in 0..whole {
                    for i in 0..M {
                        for j in 0..N {
                            sums[i][j] = simd.$fma(a_whole[i][at], b_whole[j][at], sums[i][j]);
                        }
                    }
                }
                for i in 0..M {
                    let rest = simd.$load(a[i].1);
                    for j in 0..N {
                        let sum = simd.$fma(rest, simd.$load(b[j].1), sums[i][j]);
                        self.c.0[(row + i) * self.c.1 + column + j] = simd.$sum(sum);
                    }
                }
            }
        }
    };
}

dots!(f32, F32_LANES, splat_f32s, mul_add_e_f32s, as_simd_f32s, partial_load_f32s, reduce_sum_f32s);
dots!(f64, F64_LANES, splat_f64s, mul_add_e_f64s, as_simd_f64s, partial_load_f64s, reduce_sum_f64s);
