//! Samples as points of a plane, and how far their clusters are apart.

use emmf::embed::{Likeness, layout, plane};
use emmf::metrics::silhouettes;
use emmf::preprocess::Normalize;
use emmf::synth::{Labelled, Rays, rays_with_outliers};
use emmf::{Csr, Error, Fit, Mat, Missing, Running, Spec};

fn rays(classes: usize) -> Labelled<f64> {
    let rays =
        Rays { classes, features: 12, samples: 40 * classes, outliers: 0, noise: 0.1, ..Rays::default() };
    rays_with_outliers::<f64>(&rays).unwrap()
}

fn fitted(x: &Mat<f64>, k: usize) -> Fit<f64> {
    Spec::emmf(k).max_iter(20).fit(x).unwrap()
}

fn sparse(x: &Mat<f64>) -> Csr<f64> {
    let (n, d) = x.shape();
    let entries = (0..n).flat_map(|i| (0..d).map(move |j| (i, j))).map(|(i, j)| (i, j, x[(i, j)]));
    Csr::from_triplets((n, d), entries.filter(|entry| entry.2 != 0.0).collect()).unwrap()
}

fn all(x: &Mat<f64>) -> Vec<usize> {
    (0..x.rows()).collect()
}

/// The nearest other point of every point.
fn nearest(points: &[[f64; 2]]) -> Vec<usize> {
    let distance = |a: usize, b: usize| (points[a][0] - points[b][0]).hypot(points[a][1] - points[b][1]);
    let of = |i: usize| {
        (0..points.len()).filter(|j| *j != i).min_by(|a, b| distance(i, *a).total_cmp(&distance(i, *b)))
    };
    (0..points.len()).map(|i| of(i).unwrap()).collect()
}

/// The plane of a layout has the principal components of the samples at unit length: as many of their variance as no other
/// two directions, and the centroids among the samples of their clusters.
#[test]
fn the_plane_has_the_principal_components_of_the_samples() {
    let data = rays(3);
    let fit = fitted(&data.x, 3);
    let (n, d) = data.x.shape();
    let unit = |i: usize| {
        let row = data.x.row(i);
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter().map(|x| x / length).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<f64>> = (0..n).map(unit).collect();
    let mean: Vec<f64> = (0..d).map(|j| rows.iter().map(|row| row[j]).sum::<f64>() / n as f64).collect();
    let covariance =
        |a: usize, b: usize| rows.iter().map(|row| (row[a] - mean[a]) * (row[b] - mean[b])).sum::<f64>();
    let total: f64 = (0..d).map(|j| covariance(j, j)).sum();
    let csr = sparse(&data.x);
    for x in [emmf::Samples::from(&data.x), (&csr).into()] {
        let plane = layout(&fit, x, &all(&data.x), &Running::default()).unwrap().plane;
        // The sum of squares of the covariances is that of its eigenvalues: with three groups all but noise is in two of them.
        let squares: f64 =
            (0..d).flat_map(|a| (0..d).map(move |b| (a, b))).map(|(a, b)| covariance(a, b).powi(2)).sum();
        let found = plane.shares.map(|share| share * total);
        assert!((found[0].powi(2) + found[1].powi(2)) > 0.95 * squares && plane.shares[0] >= plane.shares[1]);
        for axis in 0..2 {
            let along: f64 = plane.points.iter().map(|point| point[axis].powi(2)).sum();
            assert!((along - found[axis]).abs() < 1e-9 * total);
        }
        let across: f64 = plane.points.iter().map(|point| point[0] * point[1]).sum();
        assert!(across.abs() < 1e-6 * total, "the axes are uncorrelated: {across}");
        let distance = |i: usize, k: usize| {
            let [p, q] = [plane.points[i], plane.centroids[k]];
            (p[0] - q[0]).hypot(p[1] - q[1])
        };
        let near = |&i: &usize| (0..3).all(|k| distance(i, fit.labels[i]) <= distance(i, k));
        assert!((0..n).filter(near).count() * 100 >= 98 * n);
    }
}

#[test]
fn a_layout_keeps_classes_together_in_every_storage() {
    let data = rays(6);
    let fit = fitted(&data.x, 6);
    let (dense, csr) = (emmf::Samples::from(&data.x), sparse(&data.x));
    for x in [dense, (&csr).into()] {
        let found = layout(&fit, x, &all(&data.x), &Running::default()).unwrap();
        assert_eq!(found.plane.by, Likeness::Samples);
        let near = nearest(&found.points);
        let same = (0..near.len()).filter(|&i| data.labels[i] == data.labels[near[i]]);
        assert!(same.count() * 100 >= 98 * data.labels.len());
    }
}

/// A closed curve in many dimensions is one in the plane: whoever is near in the plane is near along the curve.
#[test]
fn a_layout_keeps_the_order_along_a_curve() {
    let n = 300;
    let x = Mat::from_fn(n, 30, |i, j| {
        let gap = (i as f64 / 10.0 - j as f64).abs();
        (-gap.min(30.0 - gap).powi(2) / 8.0).exp()
    });
    let found = layout(&fitted(&x, 3), &x, &all(&x), &Running::default()).unwrap();
    let step = |(i, j): (usize, usize)| i.abs_diff(j).min(n - i.abs_diff(j));
    let steps: Vec<usize> = nearest(&found.points).into_iter().enumerate().map(step).collect();
    assert!(steps.iter().filter(|step| **step <= 8).count() * 20 >= 19 * n, "{steps:?}");
}

#[test]
fn a_layout_is_the_same_each_time_and_on_any_threads() {
    let data = rays(3);
    let fit = fitted(&data.x, 3);
    let some: Vec<usize> = (0..data.x.rows()).step_by(2).collect();
    let on = |threads: usize| layout(&fit, &data.x, &some, &Running::on(threads)).unwrap();
    let one = on(1);
    assert_eq!((one.points.len(), &one), (some.len(), &on(2)));
    // Another fit of the same samples has the same layout; only its centroids are others.
    let other = layout(&fitted(&data.x, 2), &data.x, &some, &Running::default()).unwrap();
    assert_eq!((one.points, one.plane.points), (other.points, other.plane.points));
}

#[test]
fn a_layout_of_whatever_samples_is_finite() {
    let cases = [
        Mat::from_rows([[1.0, 2.0]]),
        Mat::from_rows([[1.0, 2.0], [2.0, 1.0]]),
        Mat::from_rows([[1.0, 2.0], [2.0, 1.0], [0.5, 0.5]]),
        Mat::from_fn(50, 4, |_, j| 1.0 + j as f64),
        Mat::from_fn(50, 4, |i, j| if i % 5 == 0 { 0.0 } else { 1.0 + (i % 2 * j) as f64 }),
        Mat::from_fn(40, 1, |i, _| i as f64 + 1.0),
        Mat::from_fn(40, 3, |i, j| 1e150 * (1 + i * j) as f64),
    ];
    for x in cases {
        let fit = Spec::new("nmf", 1).max_iter(3).normalize([Normalize::Max]).fit(&x);
        let Ok(fit) = fit else { continue };
        let found = layout(&fit, &x, &all(&x), &Running::default()).unwrap();
        assert!(
            found.points.len() == x.rows() && found.points.iter().flatten().all(|x| x.is_finite()),
            "{x:?}"
        );
    }
}

#[test]
fn with_missing_values_coefficients_are_compared() {
    let mut x = rays(3).x;
    x[(3, 2)] = f64::NAN;
    let fit = Spec::emmf(3).max_iter(20).missing(Missing::Nan).fit(&x).unwrap();
    let found = layout(&fit, &x, &all(&x), &Running::default()).unwrap();
    assert_eq!((found.plane.by, found.points.len()), (Likeness::Coefficients, x.rows()));
    let none = silhouettes(&fit.model, &x, &fit.labels, &Running::default());
    assert!(matches!(none, Err(Error::Param { name: "missing", .. })));
}

#[test]
fn samples_that_are_not_there_are_refused() {
    let x = rays(2).x;
    let fit = fitted(&x, 2);
    let run = &Running::default();
    assert!(matches!(layout(&fit, &x, &[80], run), Err(Error::Param { name: "row", .. })));
    let fewer = Mat::from_fn(5, 12, |i, j| x[(i, j)]);
    assert!(matches!(layout(&fit, &fewer, &[1], run), Err(Error::Shape { .. })));
    assert!(matches!(silhouettes(&fit.model, &fewer, &fit.labels, run), Err(Error::Shape { .. })));
    assert!(matches!(fit.model.prepare_columns(&x, &[0], &[12]), Err(Error::Param { name: "feature", .. })));
}

/// By their definition, over all pairs.
fn slow_silhouettes(x: &Mat<f64>, labels: &[usize]) -> Vec<f64> {
    let dot = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum::<f64>();
    let distance = |i: usize, j: usize| {
        let lengths = (dot(i, i) * dot(j, j)).sqrt();
        if lengths > 0.0 { 1.0 - dot(i, j) / lengths } else { 1.0 }
    };
    let mean = |i: usize, k: usize| {
        let others: Vec<usize> = (0..labels.len()).filter(|j| *j != i && labels[*j] == k).collect();
        others.iter().map(|&j| distance(i, j)).sum::<f64>() / others.len() as f64
    };
    let clusters = labels.iter().max().unwrap() + 1;
    let one = |i: usize| {
        let own = mean(i, labels[i]);
        let next = (0..clusters).filter(|k| *k != labels[i] && labels.contains(k)).map(|k| mean(i, k));
        let next = next.fold(f64::INFINITY, f64::min);
        if own.is_nan() || next.is_infinite() { 0.0 } else { (next - own) / own.max(next) }
    };
    (0..labels.len()).map(one).collect()
}

#[test]
fn silhouettes_are_those_of_all_pairs() {
    let mut x = rays(3).x;
    x.row_mut(7).fill(0.0);
    let run = &Running::default();
    let fit = Spec::emmf(3).max_iter(5).normalize([Normalize::Unit]).fit(&x).unwrap();
    // One cluster has one sample, and one number does not occur.
    let labels: Vec<usize> = (0..x.rows()).map(|i| if i == 5 { 4 } else { [0, 1, 3][(i / 7) % 3] }).collect();
    for labels in [fit.labels.clone(), labels, vec![0; x.rows()]] {
        let wanted = slow_silhouettes(&x, &labels);
        let found = silhouettes(&fit.model, &x, &labels, run).unwrap();
        let csr = silhouettes(&fit.model, &sparse(&x), &labels, run).unwrap();
        for ((found, csr), wanted) in found.iter().zip(&csr).zip(&wanted) {
            assert!((found - wanted).abs() < 1e-9 && (csr - wanted).abs() < 1e-9, "{found}, {csr}, {wanted}");
        }
    }
}

#[test]
fn some_columns_are_those_of_the_prepared_samples() {
    let x = rays(3).x;
    for steps in [vec![], vec![Normalize::Unit], vec![Normalize::Tfidf, Normalize::Unit]] {
        let fit = Spec::emmf(3).max_iter(3).normalize(steps).fit(&x).unwrap();
        let (whole, rows, features) = (fit.model.prepare(&x).unwrap(), [3, 50, 119], [11, 0, 4]);
        let csr = sparse(&x);
        for found in [
            fit.model.prepare_columns(&x, &rows, &features),
            fit.model.prepare_columns(&csr, &rows, &features),
        ] {
            let found = found.unwrap();
            for (i, &row) in rows.iter().enumerate() {
                for (j, &feature) in features.iter().enumerate() {
                    assert!((found[(i, j)] - whole[(row, feature)]).abs() < 1e-12);
                }
            }
        }
    }
}

/// Samples of more than 32 MiB are looked at where they are, unless preprocessing changes their values.
#[test]
fn many_samples_are_laid_out_and_their_columns_taken_after_every_step() {
    let (n, d) = (301, 28_672);
    let x = Mat::<f32>::from_fn(n, d, |i, j| 1.0 + ((i % 3 + 1) * (j + 7 * i) % 11) as f32);
    let (some, features): (Vec<usize>, [usize; 3]) = ((1..n).collect(), [d - 1, 0, 77]);
    for steps in [
        vec![Normalize::Counts, Normalize::Log1p],
        vec![Normalize::MinMax],
        vec![Normalize::Tfidf, Normalize::Unit],
    ] {
        let fit = Spec::new("nmf", 2).max_iter(1).normalize(steps.clone()).fit(&x).unwrap();
        let found = fit.model.prepare_columns(&x, &some, &features).unwrap();
        for at in [0, 1, 150, 291, 292, 293, n - 2] {
            let alone = Mat::from_fn(1, d, |_, j| x[(some[at], j)]);
            let whole = fit.model.prepare(&alone).unwrap();
            for (column, &feature) in features.iter().enumerate() {
                assert!((found[(at, column)] - whole[(0, feature)]).abs() <= 1e-6, "{steps:?}, {at}");
            }
        }
        let found = layout(&fit, &x, &some, &Running::default()).unwrap();
        assert_eq!((found.points.len(), found.plane.by), (n - 1, Likeness::Samples), "{steps:?}");
    }
}

/// Any samples have a plane: those of the fit the plane of their layout, and without samples, or where values are missing, that of
/// their coefficients.
#[test]
fn a_plane_needs_no_layout() {
    let data = rays(3);
    let fit = fitted(&data.x, 3);
    let running = Running::default();
    let given = plane(&fit.model, &fit.v, Some((&data.x).into()), &running).unwrap();
    assert_eq!(given, layout(&fit, &data.x, &all(&data.x), &running).unwrap().plane);
    assert_eq!(given.by, Likeness::Samples);
    let gone = plane(&fit.model, &fit.v, None, &running).unwrap();
    assert_eq!((gone.by, gone.points.len(), gone.centroids.len()), (Likeness::Coefficients, fit.v.rows(), 3));
    let error = plane(&fit.model, &Mat::zeros(2, 3), Some((&data.x).into()), &running).unwrap_err();
    assert!(error.to_string().contains("coefficients"), "{error}");
}
