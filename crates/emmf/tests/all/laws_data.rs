//! Laws of [`Data`]: every product equals the plain one, whatever the shape, the storage and the products before it.

use crate::oracle;

use std::ops::Range;

use emmf::data::{BLOCK, Data, Dense, Sparse};
use emmf::{Mat, Real, Result, RowSource, Samples};
use oracle::problems::{in_every_storage, rng, uniform};
use rand::RngExt;

/// Columns of the products that are made one after the other, with buffers that live as long as X: wide ones before
/// narrow ones, as a start makes them before a fit.
const WIDTHS: [usize; 6] = [13, 1, 20, 3, 17, 2];

/// A matrix that pretends to be a file.
struct Pretended<T>(Mat<T>);

impl<T: Real> RowSource<T> for Pretended<T> {
    fn shape(&self) -> (usize, usize) {
        self.0.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [T]) -> Result<()> {
        let d = self.0.cols();
        out.copy_from_slice(&self.0.as_slice()[rows.start * d..rows.end * d]);
        Ok(())
    }
}

/// A third of the entries are 0, so that sparse storage leaves some out.
fn samples(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    let mut x = uniform(n, d, &mut rng);
    x.as_mut_slice().iter_mut().filter(|_| rng.random::<f64>() < 0.3).for_each(|x| *x = 0.0);
    x
}

/// `found` is the plain product to rounding; every entry is a sum of at most 300 numbers up to 1.
fn assert_near<T: Real>(found: &Mat<T>, plain: &Mat<f64>, what: &str) {
    let unit = if T::NAME == "f32" { f64::from(f32::EPSILON) } else { f64::EPSILON };
    assert_eq!(found.shape(), plain.shape());
    for i in 0..found.rows() {
        for j in 0..found.cols() {
            let (found, plain) = (found[(i, j)].to_f64(), plain[(i, j)]);
            assert!(
                (found - plain).abs() <= 64.0 * unit * (1.0 + plain),
                "{what}, entry ({i}, {j}): {found}, not {plain}"
            );
        }
    }
}

/// What the products of one width are made of, and what they should be, by their definitions.
struct Plain {
    q: Vec<f64>,
    v: Mat<f64>,
    u: Mat<f64>,
    /// Xᵀ·diag(q)·V.
    sums: Mat<f64>,
    /// X·U.
    products: Mat<f64>,
    /// ‖xᵢ − U·vᵢ‖² of some samples, and what is subtracted there.
    residuals: Vec<(usize, f64, f64)>,
}

/// The plain products of this X in every width, each sample times its factor.
fn plain(x: &Mat<f64>, scale: &[f64]) -> Vec<Plain> {
    let (n, d) = x.shape();
    let x = Mat::from_fn(n, d, |i, j| scale[i] * x[(i, j)]);
    let mut rng = rng(3);
    let of_width = |c: usize| {
        let (v, u) = (uniform(n, c, &mut rng), uniform(d, c, &mut rng));
        let q: Vec<f64> = uniform(n, 1, &mut rng).as_slice().to_vec();
        let (mut sums, mut products) = (Mat::zeros(d, c), Mat::zeros(n, c));
        for i in 0..n {
            for j in 0..d {
                for k in 0..c {
                    sums[(j, k)] += x[(i, j)] * q[i] * v[(i, k)];
                    products[(i, k)] += x[(i, j)] * u[(j, k)];
                }
            }
        }
        let residual = |i: usize| {
            let fitted = |j: usize| v.row(i).iter().zip(u.row(j)).map(|(v, u)| v * u).sum::<f64>();
            let terms = x.row(i).iter().enumerate().map(|(j, x)| (x, fitted(j)));
            terms.fold((i, 0.0, 0.0), |(i, sum, size), (x, fitted)| {
                (i, sum + (x - fitted).powi(2), size + x * x + fitted * fitted)
            })
        };
        let residuals = (0..n).step_by(3).take(BLOCK).map(residual).collect();
        Plain { q, v, u, sums, products, residuals }
    };
    WIDTHS.into_iter().map(of_width).collect()
}

/// All products of this X, in every width, one after the other.
fn check_products<T: Real>(data: &impl Data<T>, plain: &[Plain], what: &str) {
    let (n, d) = data.shape();
    for plain in plain {
        let Plain { v, u, .. } = plain;
        let c = u.cols();
        let what = format!("{what}, {n}x{d}, {c} columns, {}", T::NAME);
        let q: Vec<T> = plain.q.iter().map(|&q| T::from_f64(q)).collect();
        let mut sums: Mat<T> = Mat::from_fn(d, c, |_, _| T::from_f64(f64::NAN));
        data.t_dot(&q, &v.cast(), &mut sums);
        assert_near(&sums, &plain.sums, &format!("t_dot, {what}"));
        assert_near(&data.dot(&u.cast()), &plain.products, &format!("project, {what}"));
        let mut some = Mat::from_fn(n, c, |_, _| T::from_f64(f64::NAN));
        data.project_rows(0..n, &u.cast(), some.as_mut_slice(), &mut Vec::new());
        assert_near(&some, &plain.products, &format!("project_rows, {what}"));
        check_residuals(data, plain, &what);
    }
}

/// Residuals by their definition, of one sample and of some together.
fn check_residuals<T: Real>(data: &impl Data<T>, plain: &Plain, what: &str) {
    let unit = if T::NAME == "f32" { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let some: Vec<usize> = plain.residuals.iter().map(|residual| residual.0).collect();
    let rows: Vec<T> = some.iter().flat_map(|&i| plain.v.row(i)).map(|&v| T::from_f64(v)).collect();
    let (u, mut together) = (plain.u.cast(), vec![f64::NAN; some.len()]);
    data.residuals_sq(&some, &u, &rows, &mut together);
    for ((&(i, plain, size), row), &together) in
        plain.residuals.iter().zip(rows.chunks_exact(u.cols())).zip(&together)
    {
        for found in [data.residual_sq(i, &u, row), together] {
            assert!((found - plain).abs() <= 64.0 * unit * size, "{what}, sample {i}: {found}, not {plain}");
        }
    }
}

fn in_memory_and_streamed<T: Real>((n, d): (usize, usize), seed: u64) {
    let x = samples(n, d, seed);
    let scale: Vec<f64> = (0..n).map(|i| 1.0 / (1 + i % 4) as f64).collect();
    let factors = || Some(scale.iter().map(|&s| T::from_f64(s)).collect());
    let (as_it_is, scaled) = (plain(&x, &vec![1.0; n]), plain(&x, &scale));
    in_every_storage(&x.cast::<T>(), |storage, samples| match samples {
        Samples::Dense(view) => {
            check_products(&Dense::new(view, None), &as_it_is, storage);
            check_products(&Dense::new(view, factors()), &scaled, storage);
        }
        Samples::Csr(view) => {
            check_products(&Sparse::new(view, None), &as_it_is, storage);
            check_products(&Sparse::new(view, factors()), &scaled, storage);
        }
        Samples::Stream(_) => unreachable!(),
    });
    let source = Pretended(x.cast::<T>());
    check_products(&Dense::streamed(&source, None), &as_it_is, "stream");
    check_products(&Dense::streamed(&source, factors()), &scaled, "stream");
}

/// What no column is asked for has none, as where no centroid of k-means has moved.
#[test]
fn promise_01_a_product_without_columns_is_empty() {
    let x = samples(6, 2, 1);
    let (none, q) = (Mat::zeros(6, 0), vec![1.0; 6]);
    in_every_storage(&x, |_, samples| match samples {
        Samples::Dense(view) => Dense::new(view, None).t_dot(&q, &none, &mut Mat::zeros(2, 0)),
        Samples::Csr(view) => Sparse::new(view, None).t_dot(&q, &none, &mut Mat::zeros(2, 0)),
        Samples::Stream(_) => unreachable!(),
    });
    let source = Pretended(x);
    assert_eq!(Dense::streamed(&source, None).sums_of(&[], &q).cols(), 0);
}

/// Every number of samples up to 300, with each number of features up to 8 in turn.
#[test]
fn promise_01_products_are_the_plain_ones_at_every_small_shape() {
    for n in 1..=300 {
        in_memory_and_streamed::<f64>((n, 1 + n % 8), n as u64);
        in_memory_and_streamed::<f32>((n, 1 + (n + 3) % 8), n as u64);
    }
}

/// The shapes in which the samples cannot be cut into equal parts, with every number of features.
#[test]
fn promise_01_parts_without_samples_add_nothing() {
    for n in [17, 18, 33, 34, 49, 60, 70, 100, 114, 129, 210, 225] {
        for d in 1..=8 {
            in_memory_and_streamed::<f64>((n, d), 1);
        }
    }
}

/// Larger than a block, a strip and a panel, and no multiple of them.
#[test]
fn promise_01_products_are_the_plain_ones_at_larger_shapes() {
    for shape in [(97, 65), (257, 130), (301, 129), (40, 300), (700, 33)] {
        in_memory_and_streamed::<f64>(shape, 2);
        in_memory_and_streamed::<f32>(shape, 2);
    }
}
