//! The kernel behind Xᵀ·diag(q)·V: sums of outer products of coefficients and samples.
//!
//! The vector lanes run along the features, which are contiguous in X, so that no column of V is
//! padded. A tile of K×J accumulators stays in registers while a block of samples goes by; the block's
//! panel of J vectors stays in the first-level cache while the tiles of all columns use it.

use pulp::{Simd, WithSimd};

use crate::real::Real;

/// Columns of V in a tile at the most.
const TILE: usize = 6;

/// Samples that go by at a time: a panel of them fits the first-level cache.
pub(super) const ROWS: usize = 64;

/// The columns of V in tiles of nearly equal width.
fn tiles(c: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let count = c.div_ceil(TILE);
    (0..count).map(move |at| at * c / count..(at + 1) * c / count)
}

/// Rows of V times their weights, tile after tile, each row by row: the order in which they are used.
pub(super) fn pack<T: Real>(v: &[T], weight: impl Fn(usize) -> T, c: usize, out: &mut [T]) {
    let rows = v.len() / c;
    for tile in tiles(c) {
        let out = out[tile.start * rows..tile.end * rows].chunks_exact_mut(tile.len());
        for (i, (out, v)) in out.zip(v.chunks_exact(c)).enumerate() {
            let weight = weight(i);
            out.iter_mut().zip(&v[tile.clone()]).for_each(|(out, &v)| *out = weight * v);
        }
    }
}

/// `out` += Wᵀ·X.
pub(super) struct Outer<'a, T> {
    /// c×width, tightly packed.
    pub(super) out: &'a mut [T],
    /// Samples, each starting `stride` after the one before.
    pub(super) x: &'a [T],
    pub(super) stride: usize,
    /// Features.
    pub(super) width: usize,
    /// rows×c, from [`pack`].
    pub(super) w: &'a [T],
    /// Columns of V.
    pub(super) c: usize,
}

macro_rules! kernel {
    ($t:ident, $lanes:ident, $splat:ident, $fma:ident, $view:ident, $view_mut:ident, $load:ident, $store:ident) => {
        impl WithSimd for Outer<'_, $t> {
            type Output = ();

            #[inline(always)]
            fn with_simd<S: Simd>(mut self, simd: S) {
                let rows = self.w.len() / self.c;
                for tile in tiles(self.c) {
                    let at = (tile.start * self.width, tile.start * rows);
                    match tile.len() {
                        1 => self.columns::<S, 1>(simd, at),
                        2 => self.columns::<S, 2>(simd, at),
                        3 => self.columns::<S, 3>(simd, at),
                        4 => self.columns::<S, 4>(simd, at),
                        5 => self.columns::<S, 5>(simd, at),
                        _ => self.columns::<S, TILE>(simd, at),
                    }
                }
            }
        }

        impl Outer<'_, $t> {
            /// K columns of V, all features: panels of four vectors where there are registers for them,
            /// then of two, then single and partial ones.
            #[inline(always)]
            fn columns<S: Simd, const K: usize>(&mut self, simd: S, (out, w): (usize, usize)) {
                let (lanes, mut j) = (S::$lanes, 0);
                if S::REGISTER_COUNT >= 32 {
                    while j + 4 * lanes <= self.width {
                        self.panel::<S, K, 4>(simd, out + j, w, j);
                        j += 4 * lanes;
                    }
                }
                while j + 2 * lanes <= self.width {
                    self.panel::<S, K, 2>(simd, out + j, w, j);
                    j += 2 * lanes;
                }
                while j < self.width {
                    let count = lanes.min(self.width - j);
                    self.remainder::<S, K>(simd, out + j, w, j..j + count);
                    j += count;
                }
            }

            /// K columns of V by J whole vectors of features.
            #[inline(always)]
            fn panel<S: Simd, const K: usize, const J: usize>(
                &mut self,
                simd: S,
                out: usize,
                w: usize,
                j: usize,
            ) {
                let wide = J * S::$lanes;
                let mut sums = [[simd.$splat(0.0); J]; K];
                for k in 0..K {
                    let (before, _) = S::$view(&self.out[out + k * self.width..][..wide]);
                    sums[k].copy_from_slice(&before[..J]);
                }
                let rows = self.w.len() / self.c;
                let weights = self.w[w..w + rows * K].chunks_exact(K);
                for (weights, x) in weights.zip(self.x[j..].chunks(self.stride)) {
                    let (x, _) = S::$view(&x[..wide]);
                    for k in 0..K {
                        let weight = simd.$splat(weights[k]);
                        for t in 0..J {
                            sums[k][t] = simd.$fma(weight, x[t], sums[k][t]);
                        }
                    }
                }
                for k in 0..K {
                    let (after, _) = S::$view_mut(&mut self.out[out + k * self.width..][..wide]);
                    after[..J].copy_from_slice(&sums[k]);
                }
            }

            /// K columns of V by the features of at most one vector.
            #[inline(always)]
            fn remainder<S: Simd, const K: usize>(
                &mut self,
                simd: S,
                out: usize,
                w: usize,
                features: std::ops::Range<usize>,
            ) {
                let count = features.len();
                let mut sums = [simd.$splat(0.0); K];
                for k in 0..K {
                    sums[k] = simd.$load(&self.out[out + k * self.width..][..count]);
                }
                let rows = self.w.len() / self.c;
                let weights = self.w[w..w + rows * K].chunks_exact(K);
                for (weights, x) in weights.zip(self.x[features.start..].chunks(self.stride)) {
                    let x = simd.$load(&x[..count]);
                    for k in 0..K {
                        sums[k] = simd.$fma(simd.$splat(weights[k]), x, sums[k]);
                    }
                }
                for k in 0..K {
                    simd.$store(&mut self.out[out + k * self.width..][..count], sums[k]);
                }
            }
        }
    };
}

kernel!(
    f32,
    F32_LANES,
    splat_f32s,
    mul_add_e_f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    partial_load_f32s,
    partial_store_f32s
);
kernel!(
    f64,
    F64_LANES,
    splat_f64s,
    mul_add_e_f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    partial_load_f64s,
    partial_store_f64s
);
