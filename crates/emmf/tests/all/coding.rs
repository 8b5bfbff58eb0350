//! Exact coding of many samples with many centroids, against plain active sets (Lawson and Hanson 1974).

use crate::oracle;

use emmf::model::ResidualScale;
use emmf::{Mat, Model, Spec};
use oracle::problems::{rng, uniform};
use oracle::{least_squares, residuals};
use rand::RngExt;

fn model(u: &Mat<f64>) -> Model<f64> {
    let scale = ResidualScale { center: 0.0, spread: 1.0 };
    Model::from_parts(Spec::emmf(u.cols()), u.clone(), vec![], scale).unwrap()
}

/// min ‖x − U·a‖ over a ≥ 0: the steepest coordinate becomes free, one after the other, and leaves when it would turn
/// negative.
fn lawson_hanson(u: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    let (d, c) = u.shape();
    let (mut free, mut a): (Vec<usize>, Vec<f64>) = (Vec::new(), vec![0.0; c]);
    let mut useless = Vec::new();
    for _ in 0..20 * c {
        let miss = |j: usize| x[j] - u.row(j).iter().zip(&a).map(|(u, a)| u * a).sum::<f64>();
        let miss: Vec<f64> = (0..d).map(miss).collect();
        let slope = |k: &usize| (0..d).map(|j| u[(j, *k)] * miss[j]).sum::<f64>();
        let length = |k: &usize| (0..d).map(|j| u[(j, *k)].powi(2)).sum::<f64>().sqrt();
        let idle = (0..c).filter(|k| !free.contains(k) && !useless.contains(k));
        let steep = idle.filter(|k| slope(k) > 1e-12 * length(k));
        let Some(k) = steep.max_by(|k, l| (slope(k) / length(k)).total_cmp(&(slope(l) / length(l)))) else {
            break;
        };
        free.push(k);
        let Some(mut next) = least_squares(u, x, &free) else {
            free.pop();
            useless.push(k);
            continue;
        };
        useless.clear();
        while next.iter().any(|&next| next <= 0.0) {
            let reach = |t: usize| a[free[t]] / (a[free[t]] - next[t]);
            let first = (0..free.len()).filter(|&t| next[t] <= 0.0).map(reach).fold(1.0, f64::min);
            for (t, &k) in free.iter().enumerate() {
                a[k] += first * (next[t] - a[k]);
            }
            free.retain(|&k| a[k] > 1e-14);
            (0..c).filter(|k| !free.contains(k)).for_each(|k| a[k] = 0.0);
            next = least_squares(u, x, &free).unwrap();
        }
        a.fill(0.0);
        free.iter().zip(&next).for_each(|(&k, &next)| a[k] = next);
    }
    a
}

/// Centroids of many kinds, and samples near and far.
fn problem(kind: usize, seed: u64) -> (Mat<f64>, Mat<f64>) {
    let mut rng = rng(seed);
    let (d, c) = [(30, 12), (60, 40), (6, 20), (25, 16), (25, 16), (40, 24)][kind];
    let mut u = uniform(d, c, &mut rng);
    for j in 0..d {
        match kind {
            // Zero centroids.
            3 => [0, 7, 15].into_iter().for_each(|k| u[(j, k)] = 0.0),
            // Equal ones, up to their length, and sums of others.
            4 => {
                u[(j, 5)] = 3.0 * u[(j, 2)];
                u[(j, 9)] = 1e-8 * u[(j, 2)];
                u[(j, 11)] = u[(j, 0)] + u[(j, 1)];
            }
            // Parts that hardly overlap.
            5 => (0..c).filter(|k| (j + k) % 5 > 1).for_each(|k| u[(j, k)] = 0.0),
            _ => {}
        }
    }
    let mix = uniform(c, 83, &mut rng);
    let x = Mat::from_fn(83, d, |i, j| {
        let near: f64 = (0..c).filter(|k| (i + k) % 3 == 0).map(|k| mix[(k, i)] * u[(j, k)]).sum();
        if i % 4 == 0 { rng.random::<f64>() } else { near + 0.3 * rng.random::<f64>() }
    });
    (u, x)
}

#[test]
fn as_good_as_active_sets() {
    for kind in 0..6 {
        for seed in 0..3 {
            let (u, x) = problem(kind, seed);
            let coded = model(&u).transform(&x).unwrap();
            let a: Vec<Vec<f64>> = (0..x.rows()).map(|i| lawson_hanson(&u, x.row(i))).collect();
            let v = Mat::from_fn(x.rows(), u.cols(), |i, k| a[i][k]);
            let unique = ![2, 3, 4].contains(&kind);
            let best = residuals(&x, &emmf::Factors { u: u.clone(), v: v.clone() });
            for (i, best) in best.into_iter().enumerate() {
                let residual = coded.residuals[i];
                assert!(residual <= best + 1e-7, "{kind} {seed} {i}: {residual} {best}");
                assert!(coded.v.row(i).iter().all(|&a| a >= 0.0));
                let far = coded.v.row(i).iter().zip(v.row(i)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(far < 1e-7 || !unique, "{kind} {seed} {i}: {far}");
            }
        }
    }
}

/// Whichever samples are beside it, and how many.
#[test]
fn a_sample_is_coded_alike_in_any_company() {
    for kind in 0..6 {
        let (u, x) = problem(kind, 7);
        let model = model(&u);
        let all = model.transform(&x).unwrap();
        for (start, rows) in [(0, 1), (50, 1), (3, 9), (11, 17), (1, 33), (2, 70)] {
            let some = Mat::from_fn(rows, x.cols(), |i, j| x[(start + i, j)]);
            let some = model.transform(&some).unwrap();
            for i in 0..rows {
                assert_eq!(some.v.row(i), all.v.row(start + i));
                assert_eq!(some.residuals[i].to_bits(), all.residuals[start + i].to_bits());
            }
        }
    }
}
