//! Random choices that depend on nothing but a target and a number.

use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Where a case takes its choices from.
#[derive(Debug, Clone)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// Of case `number` of the target.
    pub fn of(target: &str, number: u64) -> Self {
        // FNV-1a: the name chooses the stream.
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let stream = target.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        Self(Xoshiro256PlusPlus::seed_from_u64(
            stream.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        ))
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.random()
    }

    /// Below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.0.random_range(0..end) }
    }

    /// From `least` to `most`, both possible.
    pub fn within(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// In [0, 1).
    pub fn share(&mut self) -> f64 {
        self.0.random()
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// One of them, borrowed.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A part of `0..length`, more often short than long.
    pub fn span(&mut self, length: usize) -> Range<usize> {
        let start = self.below(length);
        let most = length - start;
        let most = if self.one_in(4) { most } else { most.min(16) };
        start..start + self.below(most + 1)
    }
}
