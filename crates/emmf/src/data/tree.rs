//! Sums as binary trees over the numbers of the parts: ((0 + 1) + (2 + 3)) + … A part that is not there leaves its sibling as it is.

use super::PARTS;
use crate::real::Real;

/// The sum of `part(0)` to `part(count − 1)`.
#[inline(always)]
pub(crate) fn sum_of_parts<S: Copy + Default>(
    count: usize,
    part: impl Fn(usize) -> S,
    add: impl Fn(S, S) -> S,
) -> S {
    if count > PARTS { sum_of_many(0, count, &part, &add) } else { sum_of_few(count, part, add) }
}

/// The sum of `count` parts from `start` on: whole subtrees first.
fn sum_of_many<S: Copy + Default>(
    start: usize,
    count: usize,
    part: &impl Fn(usize) -> S,
    add: &impl Fn(S, S) -> S,
) -> S {
    if count <= PARTS {
        return sum_of_few(count, |at| part(start + at), add);
    }
    let whole = count.next_power_of_two() / 2;
    add(sum_of_many(start, whole, part, add), sum_of_many(start + whole, count - whole, part, add))
}

/// The sum of at most [`PARTS`].
#[inline(always)]
fn sum_of_few<S: Copy + Default>(count: usize, part: impl Fn(usize) -> S, add: impl Fn(S, S) -> S) -> S {
    let mut sums = [S::default(); PARTS];
    sums[..count].iter_mut().enumerate().for_each(|(at, sum)| *sum = part(at));
    let mut left = count;
    while left > 1 {
        for at in 0..left / 2 {
            sums[at] = add(sums[2 * at], sums[2 * at + 1]);
        }
        sums[left / 2] = sums[left - 1];
        left = left.div_ceil(2);
    }
    sums[0]
}

/// The first of several arrays of `size` becomes the sum of all.
pub(crate) fn add_up<T: Real>(arrays: &mut [T], size: usize) {
    let count = arrays.len() / size;
    let mut apart = 1;
    while apart < count {
        for pair in arrays.chunks_mut(2 * apart * size) {
            if let Some((first, second)) = pair.split_at_mut_checked(apart * size) {
                first.iter_mut().zip(second.iter().take(size)).for_each(|(first, &second)| *first += second);
            }
        }
        apart *= 2;
    }
}
