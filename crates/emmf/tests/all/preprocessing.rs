//! Preprocessing of borrowed samples gives what the same done by hand gives.
#![expect(clippy::panic, reason = "a test may panic")]

use crate::oracle;

use emmf::preprocess::{Fitted, Normalize};
use emmf::{Error, Factors, Init, Mat, Outliers, Real, Spec, View};
use oracle::fit_from;
use oracle::problems::{Sparse, distance, rng, uniform};

fn samples() -> Mat<f64> {
    let mut x = uniform(40, 7, &mut rng(4));
    x.as_mut_slice().iter_mut().for_each(|x| *x = (*x - 0.4).max(0.0));
    x.row_mut(3).fill(0.0);
    x.row_mut(5).iter_mut().for_each(|x| *x *= 50.0);
    x
}

fn norm(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The steps one after the other, each on a copy.
fn by_hand(x: &Mat<f64>, steps: &[Normalize]) -> Mat<f64> {
    let (n, d) = x.shape();
    let mut x = x.clone();
    for step in steps {
        let norms: Vec<f64> = (0..n).map(|i| norm(x.row(i))).collect();
        let column = |j: usize| (0..n).map(|i| x[(i, j)]).collect::<Vec<_>>();
        x = match step {
            Normalize::Unit => {
                Mat::from_fn(n, d, |i, j| if norms[i] > 0.0 { x[(i, j)] / norms[i] } else { 0.0 })
            }
            Normalize::Max => {
                let largest = x.as_slice().iter().copied().fold(0.0, f64::max);
                Mat::from_fn(n, d, |i, j| x[(i, j)] / largest)
            }
            Normalize::Clip => {
                let mut sorted = norms.clone();
                sorted.sort_by(f64::total_cmp);
                let limit = sorted[n / 2];
                Mat::from_fn(n, d, |i, j| x[(i, j)] * if norms[i] > limit { limit / norms[i] } else { 1.0 })
            }
            Normalize::Tfidf => {
                let with = |j: usize| column(j).iter().filter(|&&x| x != 0.0).count() as f64;
                Mat::from_fn(n, d, |i, j| x[(i, j)] * (((1 + n) as f64 / (1.0 + with(j))).ln() + 1.0))
            }
            Normalize::Shift => {
                let least = |j: usize| column(j).iter().copied().fold(0.0, f64::min);
                Mat::from_fn(n, d, |i, j| x[(i, j)] - least(j))
            }
            Normalize::L1 | Normalize::Counts => {
                let sums: Vec<f64> = (0..n).map(|i| x.row(i).iter().sum()).collect();
                let mut sorted: Vec<f64> = sums.iter().copied().filter(|sum| *sum > 0.0).collect();
                sorted.sort_by(f64::total_cmp);
                let to = if *step == Normalize::L1 { 1.0 } else { sorted[sorted.len() / 2] };
                Mat::from_fn(n, d, |i, j| if sums[i] > 0.0 { x[(i, j)] * to / sums[i] } else { 0.0 })
            }
            Normalize::Log1p => Mat::from_fn(n, d, |i, j| x[(i, j)].ln_1p()),
            Normalize::MinMax => {
                let ends = |j: usize| {
                    let column = column(j);
                    let low = column.iter().copied().fold(f64::INFINITY, f64::min);
                    (low, column.iter().copied().fold(f64::NEG_INFINITY, f64::max))
                };
                let ends: Vec<(f64, f64)> = (0..d).map(ends).collect();
                Mat::from_fn(n, d, |i, j| (x[(i, j)] - ends[j].0) / (ends[j].1 - ends[j].0))
            }
            step => unimplemented!("{step:?}"),
        };
    }
    x
}

#[test]
fn borrowed_samples_equal_normalized_copies() {
    let x = samples();
    let start = Factors { u: uniform(7, 3, &mut rng(1)), v: uniform(40, 3, &mut rng(2)) };
    let chains: [&[Normalize]; 13] = [
        &[Normalize::L1],
        &[Normalize::Counts, Normalize::Log1p],
        &[Normalize::Log1p, Normalize::Unit],
        &[Normalize::MinMax],
        &[Normalize::Unit, Normalize::L1, Normalize::MinMax, Normalize::Clip],
        &[Normalize::Max, Normalize::Counts, Normalize::Tfidf, Normalize::L1, Normalize::Log1p],
        &[Normalize::Unit],
        &[Normalize::Max],
        &[Normalize::Clip],
        &[Normalize::Tfidf],
        &[Normalize::Tfidf, Normalize::Unit],
        &[Normalize::Clip, Normalize::Tfidf, Normalize::Max, Normalize::Unit],
        &[Normalize::Unit, Normalize::Max, Normalize::Clip],
    ];
    for chain in chains {
        // What is set aside is found before samples are brought to other lengths.
        let plain = Spec::emmf(3).outliers(Outliers::Keep).max_iter(10);
        let expected = fit_from(&plain, &by_hand(&x, chain), &start).unwrap();
        let spec = plain.normalize(chain);
        let sparse = Sparse::of(&x);
        let turned = x.transposed();
        for samples in
            [(&x).into(), sparse.narrow().into(), View::col_major(turned.as_slice(), 40, 7).unwrap().into()]
        {
            let samples: emmf::Samples<'_, f64> = samples;
            let fit = fit_from(&spec, samples, &start).unwrap();
            let by = distance(fit.model.centroids(), expected.model.centroids())
                .max(distance(&fit.v, &expected.v));
            assert!(by < 1e-9, "{chain:?}: {by}");
        }
    }
}

fn shift<T: Real>() {
    let x: Mat<T> = Mat::from_fn(40, 7, |i, j| T::from_f64(samples()[(i, j)] - j as f64 / 8.0));
    let spec = Spec::emmf(3).normalize([Normalize::Shift]).max_iter(10);
    let fit = spec.fit(&x).unwrap();
    let Fitted::Shift(by) = &fit.model.preprocessing()[0] else { panic!("one step") };
    assert!(by[0] == 0.0 && by[6] >= 0.75);
    let hand = Spec::emmf(3).max_iter(10).fit(&by_hand(&x.cast(), &[Normalize::Shift]).cast::<T>()).unwrap();
    assert!(distance(fit.model.centroids(), hand.model.centroids()) < 1e-3);
    // What lies below the training samples is cut off, not refused.
    let coded = fit.model.transform(&Mat::from_fn(1, 7, |_, _| T::from_f64(-9.0))).unwrap();
    assert!(coded.v.as_slice().iter().all(|&v| v == T::ZERO));
    let sparse = Sparse::of(&x);
    assert!(matches!(spec.fit(sparse.narrow()), Err(Error::WouldDensify { .. })));
    assert!(spec.fit(sparse.narrow()).unwrap_err().to_string().contains("give a dense matrix"));
}

#[test]
fn shift_is_dense_only() {
    shift::<f32>();
    shift::<f64>();
}

/// Also where the training samples had no negative entry at all.
#[test]
fn new_samples_below_zero_are_cut_off() {
    let model = Spec::emmf(3).normalize([Normalize::Shift]).fit(&samples()).unwrap().model;
    let mut new = Mat::from_fn(1, 7, |_, _| 1.0);
    let zero = {
        new[(0, 2)] = 0.0;
        model.transform(&new).unwrap()
    };
    new[(0, 2)] = -0.5;
    assert_eq!(model.transform(&new).unwrap(), zero);
    // Nonnegative sparse samples need no shift, so nothing becomes dense.
    let sparse = Sparse::of(&samples());
    assert!(Spec::emmf(3).normalize([Normalize::Shift]).fit(sparse.narrow()).is_ok());
}

/// A zero sample stays zero: no coefficients, no residual, label 0.
#[test]
fn zero_samples() {
    for normalize in
        [vec![], vec![Normalize::Unit], vec![Normalize::Clip], vec![Normalize::Tfidf, Normalize::Unit]]
    {
        let fit = Spec::emmf(3).normalize(normalize).max_iter(10).fit(&samples()).unwrap();
        assert!(fit.v.row(3).iter().all(|&v| v == 0.0));
        assert_eq!((fit.residuals[3], fit.labels[3]), (0.0, 0));
    }
}

/// Rows that overlap or repeat in memory are matrices like any other.
#[test]
fn odd_strides() {
    let data: Vec<f64> = uniform(1, 30, &mut rng(3)).into_vec();
    for (shape, strides) in [
        ((10, 6), (1, 1)),
        ((10, 6), (2, 1)),
        ((10, 6), (1, 2)),
        ((5, 6), (0, 1)),
        ((6, 5), (1, 0)),
        ((1, 7), (0, 1)),
        ((1, 7), (1, 1)),
        ((1, 7), (1, 3)),
        ((7, 1), (1, 0)),
        ((7, 1), (3, 1)),
    ] {
        let view = View::new(&data, shape, strides).unwrap();
        for init in [Init::Kmeans, Init::Random, Init::Nndsvd] {
            let spec = Spec::emmf(1).init(init).max_iter(5);
            let (a, b) = (spec.fit(view).unwrap(), spec.fit(&view.to_mat()).unwrap());
            assert!(distance(&a.v, &b.v) < 1e-9, "{shape:?} {strides:?} {init:?}");
        }
    }
}
