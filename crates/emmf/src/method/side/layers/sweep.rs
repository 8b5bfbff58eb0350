//! The V step with the weights of all layers, and the residuals of every layer after it.

use crate::data::{BLOCK, Data, least_parts, rows_per_part, vectorized};
use crate::matrix::Mat;
use crate::method::deep::Stack;
use crate::method::residual::gram_form;
use crate::method::update::multiply_power;
use crate::real::Real;
use crate::threads::each;
use crate::threads::prelude::*;

/// What the rows of V are moved by.
pub(super) struct Move<'a, T, X> {
    pub(super) x: &'a X,
    pub(super) u: &'a Mat<T>,
    pub(super) stack: &'a Stack<T>,
    /// Weights of the samples on every layer.
    pub(super) a: &'a [Vec<T>],
    /// UₗᵀUₗ on the diagonal.
    pub(super) g: &'a Mat<T>,
    pub(super) smoothing: f64,
}

impl<T: Real, X: Data<T>> Move<'_, T, X> {
    /// V ← V∘(Σ Qₗ·XUₗ·B̄ₗᵀ / Σ Qₗ·V·B̄ₗ(UₗᵀUₗ)B̄ₗᵀ)^e, unless it stays, and the residuals `seen`; X·[U₁ … U_L] is in `tall`.
    pub(super) fn go(
        &self,
        v: &mut Mat<T>,
        (tall, seen, rooms): (&Mat<T>, &mut [f64], &mut [T]),
        exponent: Option<f64>,
    ) {
        let ((n, c), all, layers) = (v.shape(), self.stack.columns(), self.stack.ranges.len());
        if n == 0 {
            return;
        }
        let (rows, room) = (rows_per_part(n), BLOCK.min(n) * (3 * all + 2 * c));
        let parts = v.as_mut_slice().par_chunks_mut(rows * c).zip(tall.as_slice().par_chunks(rows * all));
        let parts = parts.zip(seen.par_chunks_mut(rows * layers)).zip(rooms.par_chunks_mut(room)).enumerate();
        each(parts.with_min_len(least_parts(n * all * all)), |(part, (((v, p), seen), room))| {
            let blocks =
                v.chunks_mut(BLOCK * c).zip(p.chunks(BLOCK * all)).zip(seen.chunks_mut(BLOCK * layers));
            for (start, ((v, p), seen)) in (part * rows..).step_by(BLOCK).zip(blocks) {
                if let Some(exponent) = exponent {
                    self.apply(start, (v, p), exponent, room);
                }
                self.residuals(start, (v, p), seen, room);
            }
        });
    }

    /// Moves the rows that begin with sample `start`.
    fn apply(&self, start: usize, (v, p): (&mut [T], &[T]), exponent: f64, room: &mut [T]) {
        let (c, all, tall) = (self.stack.first(), self.stack.columns(), p.len());
        let (spread, rest) = room.split_at_mut(tall);
        let (turned, rest) = rest.split_at_mut(tall);
        let (weighed, rest) = rest.split_at_mut(tall);
        let (num, den) = rest.split_at_mut(v.len());
        self.stack.spread(v, spread);
        self.stack.turned(spread, self.g, turned);
        weighed.copy_from_slice(p);
        vectorized!({
            let rows = weighed.chunks_exact_mut(all).zip(turned.chunks_exact_mut(all));
            for (at, (p, turned)) in rows.enumerate() {
                self.weigh(start + at, p, turned);
            }
        });
        let den = &mut den[..v.len()];
        self.stack.gather(weighed, num);
        self.stack.gather(turned, den);
        multiply_power(v, num, den, exponent);
        // A zero sample has no use for any centroid, but a rule cannot tell for one that is zero.
        let norms_sq = self.x.norms_sq()[start..].iter();
        v.chunks_exact_mut(c)
            .zip(norms_sq)
            .filter(|(_, norm_sq)| **norm_sq == 0.0)
            .for_each(|(v, _)| v.fill(T::ZERO));
    }

    /// Gives every layer of two stacked rows of a sample its weight, as a part of the largest: a common factor changes nothing, but a
    /// sample that weighs next to nothing on all layers would stand still. Where it weighs nothing the objective does not depend
    /// on it, and layers count alike.
    #[inline(always)]
    fn weigh(&self, i: usize, p: &mut [T], turned: &mut [T]) {
        let largest = self.a.iter().fold(T::ZERO, |most, a| if a[i] > most { a[i] } else { most });
        for (range, a) in self.stack.ranges.iter().zip(self.a) {
            let by = if largest > T::ZERO { a[i] / largest } else { T::ONE };
            let entries = p[range.clone()].iter_mut().chain(&mut turned[range.clone()]);
            entries.for_each(|entry| *entry *= by);
        }
    }

    /// Residuals of the rows on every layer, as they are now.
    fn residuals(&self, start: usize, (v, p): (&[T], &[T]), seen: &mut [f64], room: &mut [T]) {
        let (all, ranges) = (self.stack.columns(), &self.stack.ranges);
        let (spread, rest) = room.split_at_mut(p.len());
        let turned = &mut rest[..p.len()];
        self.stack.spread(v, spread);
        self.stack.turned(spread, self.g, turned);
        let rows = spread.chunks_exact(all).zip(turned.chunks_exact(all)).zip(p.chunks_exact(all));
        for (at, (((v, turned), p), seen)) in rows.zip(seen.chunks_exact_mut(ranges.len())).enumerate() {
            let i = start + at;
            for (range, seen) in ranges.iter().zip(seen) {
                let given = (&v[range.clone()], &p[range.clone()], &turned[range.clone()]);
                let square = gram_form(self.x.norms_sq()[i], given).unwrap_or_else(|| {
                    let mut alone = vec![T::ZERO; all];
                    alone[range.clone()].copy_from_slice(&v[range.clone()]);
                    self.x.residual_sq(i, self.u, &alone)
                });
                *seen = (square + self.smoothing).sqrt();
            }
        }
    }
}
