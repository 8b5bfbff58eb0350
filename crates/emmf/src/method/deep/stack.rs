//! The layers side by side: C = Σ cₗ columns, of which each layer has a range.

use std::ops::Range;

use super::small::{identity, product};
use crate::error::{Error, Result};
use crate::matrix::Mat;
use crate::real::Real;
use crate::real::sealed::Left;

/// The widths of the layers and how those above are made of the first.
pub struct Stack<T> {
    /// The columns of every layer.
    pub(in crate::method) ranges: Vec<Range<usize>>,
    /// B of every layer above the first.
    pub(in crate::method) b: Vec<Mat<f64>>,
    /// B̄ of every layer, that of the first being I: V·B̄ are the coefficients of the layer.
    pub(in crate::method) bars: Vec<Mat<f64>>,
    /// [B̄₂ … B̄_L], c×(C−c), and its transpose.
    spread: Mat<T>,
    back: Mat<T>,
}

impl<T: Real> Stack<T> {
    pub(in crate::method) fn new(c: usize, b: Vec<Mat<f64>>) -> Self {
        let mut end = 0;
        let widths = std::iter::once(c).chain(b.iter().map(Mat::cols));
        let range = |width: usize| {
            end += width;
            end - width..end
        };
        let ranges: Vec<Range<usize>> = widths.map(range).collect();
        let (spread, back) = (Mat::zeros(c, end - c), Mat::zeros(end - c, c));
        let mut stack = Self { ranges, b, bars: Vec::new(), spread, back };
        stack.renew();
        stack
    }

    /// The layers that are made by these shares, from the bottom up.
    pub(in crate::method) fn of(shares: Vec<Mat<f64>>) -> Result<Self> {
        let is_chain = shares.windows(2).all(|pair| pair[0].cols() == pair[1].rows());
        match shares.first().map(Mat::rows) {
            Some(c) if is_chain => Ok(Self::new(c, shares)),
            _ => Err(Error::param(
                "the shares",
                "those of other layers",
                "those of layers that follow each other",
            )),
        }
    }

    /// What follows from B.
    pub(in crate::method) fn renew(&mut self) {
        let (c, all) = (self.first(), self.columns());
        self.bars = vec![identity(c)];
        for b in &self.b {
            self.bars.extend(self.bars.last().map(|below| product(below, b)));
        }
        let (bars, ranges) = (&self.bars, &self.ranges);
        for (bar, range) in bars.iter().zip(ranges).skip(1) {
            for a in 0..c {
                for (k, share) in bar.row(a).iter().enumerate() {
                    self.spread[(a, range.start - c + k)] = T::from_f64(*share);
                }
            }
        }
        self.back = Mat::from_fn(all - c, c, |k, a| self.spread[(a, k)]);
    }

    /// c, the width of the first layer.
    pub(in crate::method) fn first(&self) -> usize {
        self.ranges[0].len()
    }

    /// C.
    pub(in crate::method) fn columns(&self) -> usize {
        self.ranges.last().map_or(0, |range| range.end)
    }

    /// `out` = [V V·B̄₂ … V·B̄_L] for rows of V.
    pub(in crate::method) fn spread(&self, v: &[T], out: &mut [T]) {
        let (c, all) = (self.first(), self.columns());
        let shape = (v.len() / c, c, all - c);
        T::gemm((&mut out[c..], all), Left::Rows((v, c)), (self.spread.as_slice(), all - c), shape, false);
        out.chunks_exact_mut(all).zip(v.chunks_exact(c)).for_each(|(out, v)| out[..c].copy_from_slice(v));
    }

    /// `out` = Σ Pₗ·B̄ₗᵀ for rows of [P₁ … P_L].
    pub(in crate::method) fn gather(&self, p: &[T], out: &mut [T]) {
        let (c, all) = (self.first(), self.columns());
        out.chunks_exact_mut(c).zip(p.chunks_exact(all)).for_each(|(out, p)| out.copy_from_slice(&p[..c]));
        let shape = (out.len() / c, all - c, c);
        T::gemm((out, c), Left::Rows((&p[c..], all)), (self.back.as_slice(), c), shape, true);
    }

    /// `out` = [V₁G₁ … V_LG_L] for rows of [V₁ … V_L], Gₗ the blocks on the diagonal of `g`.
    pub(in crate::method) fn turned(&self, v: &[T], g: &Mat<T>, out: &mut [T]) {
        let all = self.columns();
        for range in &self.ranges {
            let (at, width) = (range.start, range.len());
            let (left, right) = (Left::Rows((&v[at..], all)), (&g.as_slice()[at * all + at..], all));
            T::gemm((&mut out[at..], all), left, right, (v.len() / all, width, width), false);
        }
    }

    /// The columns of one layer.
    pub(in crate::method) fn part<A: Real>(&self, stacked: &Mat<A>, layer: usize) -> Mat<A> {
        let range = &self.ranges[layer];
        Mat::from_fn(stacked.rows(), range.len(), |j, k| stacked[(j, range.start + k)])
    }

    /// Leaves of a square matrix what is within the layers.
    pub(in crate::method) fn within(&self, square: &mut Mat<T>) {
        for range in &self.ranges {
            for k in range.clone() {
                let row = square.row_mut(k);
                row[..range.start].fill(T::ZERO);
                row[range.end..].fill(T::ZERO);
            }
        }
    }

    /// Puts a small matrix on the diagonal, where a layer is.
    pub(in crate::method) fn put(&self, layer: usize, small: &Mat<f64>, into: &mut Mat<T>) {
        let start = self.ranges[layer].start;
        for k in 0..small.rows() {
            let row = &mut into.row_mut(start + k)[start..];
            row.iter_mut().zip(small.row(k)).for_each(|(to, from)| *to = T::from_f64(*from));
        }
    }
}
