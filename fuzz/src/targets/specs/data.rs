//! Small nasty matrices.

use emmf::Mat;

use crate::Random;

/// What is nasty about a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Counts,
    Zeros,
    OneEntry,
    Scaled,
    Denormal,
    MixedSizes,
    ConstantColumns,
    EqualSamples,
    ExactRank,
    Outlier,
    ZeroSamples,
    AllEqual,
    Invalid,
}

const KINDS: [Kind; 18] = [
    Kind::Plain,
    Kind::Plain,
    Kind::Plain,
    Kind::Counts,
    Kind::Zeros,
    Kind::Zeros,
    Kind::OneEntry,
    Kind::Scaled,
    Kind::Scaled,
    Kind::Denormal,
    Kind::MixedSizes,
    Kind::ConstantColumns,
    Kind::EqualSamples,
    Kind::ExactRank,
    Kind::Outlier,
    Kind::ZeroSamples,
    Kind::AllEqual,
    Kind::Invalid,
];

const SIZES: [f64; 16] = [
    1e-320, 1e-300, 1e-200, 1e-170, 1e-150, 1e-100, 1e-45, 1e-20, 1e-5, 1e5, 1e20, 1e38, 1e100, 1e150, 1e200,
    1e300,
];

/// A nasty matrix.
pub(super) fn matrix(random: &mut Random) -> (Kind, Mat<f64>) {
    let kind = random.pick(&KINDS);
    let (n, d) = shape(random);
    let mut x = Mat::from_fn(n, d, |_, _| random.share() + 0.001);
    fill(kind, &mut x, random);
    (kind, x)
}

/// Mostly tiny; sometimes with enough samples for several parts of a product.
fn shape(random: &mut Random) -> (usize, usize) {
    match random.below(24) {
        0 => (1, random.within(1, 6)),
        1 => (random.within(1, 12), 1),
        2 => (random.within(13, 120), random.within(1, 4)),
        _ => (random.within(2, 12), random.within(2, 6)),
    }
}

fn fill(kind: Kind, x: &mut Mat<f64>, random: &mut Random) {
    let (n, d) = x.shape();
    let (row, column) = (random.below(n), random.below(d));
    match kind {
        Kind::Plain => {}
        Kind::Counts => each(x, |_| random.below(4) as f64),
        Kind::Zeros => each(x, |x| if random.one_in(3) { x } else { 0.0 }),
        Kind::OneEntry => {
            x.as_mut_slice().fill(0.0);
            x[(row, column)] = 1.0;
        }
        Kind::Scaled => {
            let by = random.pick(&SIZES);
            each(x, |x| by * x);
        }
        Kind::Denormal => each(x, |_| random.below(5) as f64 * 5e-324),
        Kind::MixedSizes => each(x, |x| x * random.pick(&SIZES)),
        Kind::ConstantColumns => (0..n).for_each(|i| x[(i, column)] = 2.0),
        Kind::EqualSamples => {
            let first = x.row(0).to_vec();
            (1..n).filter(|_| !random.one_in(4)).for_each(|i| x.row_mut(i).copy_from_slice(&first));
        }
        Kind::ExactRank => {
            let (first, second) = (x.row(0).to_vec(), x.row(n - 1).to_vec());
            for i in 0..n {
                let (a, b) = ((i % 3) as f64, (i % 4) as f64);
                (0..d).for_each(|j| x[(i, j)] = a * first[j] + b * second[j]);
            }
        }
        Kind::Outlier => {
            let by = random.pick(&[1e3, 1e10, 1e100, 1e150, 1e300]);
            x.row_mut(row).iter_mut().for_each(|x| *x *= by);
        }
        Kind::ZeroSamples => (0..n).filter(|i| i % 2 == 0).for_each(|i| x.row_mut(i).fill(0.0)),
        Kind::AllEqual => x.as_mut_slice().fill(random.pick(&[0.0, 1.0, 1e300, 5e-324])),
        Kind::Invalid => {
            (0..random.within(1, 3)).for_each(|_| {
                let at = (random.below(n), random.below(d));
                x[at] = random.pick(&[f64::NAN, f64::NAN, f64::NAN, -1.0, f64::INFINITY, -0.0, -5e-324]);
            });
        }
    }
}

fn each(x: &mut Mat<f64>, mut entry: impl FnMut(f64) -> f64) {
    x.as_mut_slice().iter_mut().for_each(|x| *x = entry(*x));
}
