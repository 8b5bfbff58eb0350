//! The verdict about outliers on sets that people measured, where they are at hand: clean sets have none, whatever their samples
//! are multiplied by, and junk beside a set takes next to none of its samples with it.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../../../tests/data_sets.rs"]
mod data_sets;

use std::path::Path;

use emmf::data::Dense;
use emmf::outliers::screen;
use emmf::synth::{Junk, add_foreign, add_junk, add_outliers};
use emmf::{Cancel, Cut, Mat, Spec};
use emmf_io::{AnyModel, Matrix, Notes, ReadOptions, model_from_bytes, model_to_bytes, read};

/// The samples of a set and the number of its classes.
fn set(folder: &Path, name: &str) -> (Mat<f64>, usize) {
    let data = read(&folder.join(format!("{name}.mat")), &ReadOptions::default()).unwrap();
    let mut labels = data.labels.unwrap();
    labels.sort();
    labels.dedup();
    let Matrix::Dense(x) = data.x.into_f64() else { unreachable!("{name} is dense") };
    (x, labels.len())
}

/// The samples as they are, at unit length, and with the largest value 1.
fn scaled(x: Mat<f64>) -> [(&'static str, Mat<f64>); 3] {
    let by = |factor: &dyn Fn(&[f64]) -> f64| {
        let factors: Vec<f64> = (0..x.rows()).map(|i| factor(x.row(i))).collect();
        Mat::from_fn(x.rows(), x.cols(), |i, j| x[(i, j)] / factors[i])
    };
    let unit = by(&|row| row.iter().map(|x| x * x).sum::<f64>().sqrt());
    let largest = by(&|row| row.iter().copied().fold(0.0, f64::max));
    [("as it is", x), ("unit length", unit), ("largest value 1", largest)]
}

fn count(which: &[bool]) -> usize {
    which.iter().filter(|which| **which).count()
}

#[test]
fn clean_sets_have_no_outliers_at_any_length() {
    let names = ["yale", "movement", "jaffe", "umist", "mfeat", "ba", "coil20", "more/digits", "more/msra25"];
    let Some(folder) = data_sets::folder_with(&names) else { return };
    let mut shares = Vec::new();
    for name in names {
        let (x, k) = set(&folder, name);
        for (how, x) in scaled(x) {
            let fit = Spec::new("g-emmf", k).init_restarts(1).max_iter(5).fit(&x).unwrap();
            // Where the largest value is 1, a single bright pixel makes an image dark.
            let most = if how == "largest value 1" { x.rows() / 1000 } else { 0 };
            assert!(fit.set_aside.len() <= most, "{name}, {how}: {:?}", fit.set_aside);
            let marked = count(&fit.outliers(Cut::default()).unwrap()) as f64 / x.rows() as f64;
            assert!(marked <= 0.02, "{name}, {how}: {marked}");
            shares.push(marked);
        }
    }
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!(mean <= 0.01, "{mean}");
}

/// A model of samples whose values count as shares of the largest one judges in the same way when it is read again.
#[test]
fn a_model_judges_alike_when_it_is_read() {
    let white = |i: usize, j: usize| (7 * i * i + 13 * j * (i % 12 + 1)) % 31 < 3 + 2 * (i % 12);
    let count = |i: usize| (0..60).filter(|&j| white(i, j)).count() as f64;
    let x = Mat::from_fn(240, 60, |i, j| f64::from(u8::from(white(i, j))) / count(i).max(1.0).sqrt());
    let fit = Spec::new("g-emmf", 4).max_iter(5).fit(&x).unwrap();
    assert!(fit.model.judge().unwrap().rarity().unwrap().largest().is_some());
    let written = AnyModel::F64(fit.model.clone());
    let bytes = model_to_bytes(&written, &Notes::default()).unwrap();
    let AnyModel::F64(read) = model_from_bytes(&bytes, "model").unwrap() else { unreachable!("of f64") };
    assert_eq!(read.judge(), fit.model.judge());
    assert_eq!(read.transform(&x).unwrap().scores, fit.scores);
}

fn screened(x: &Mat<f64>, k: usize) -> Vec<bool> {
    screen(&Dense::new(x.view(), None), k, &vec![1.0; x.rows()], &Cancel::new()).unwrap()
}

/// Beside gross junk at most one sample of a set is set aside, beside junk that is harder to tell next to none.
#[test]
fn junk_takes_no_sample_with_it() {
    let names = ["jaffe", "umist", "yale", "movement", "mfeat", "ba"];
    let Some(folder) = data_sets::folder_with(&names) else { return };
    let sets = names.map(|name| set(&folder, name));
    for (at, (x, k)) in sets.iter().enumerate() {
        let (name, n, other) = (names[at], x.rows(), &sets[(at + 1) % names.len()].0);
        let alone = screened(x, *k);
        for many in [n / 10, n / 3] {
            let kinds = [
                ("huge", add_outliers(x, many, 1)),
                ("scattered", add_junk(x, Junk::Scattered, many, 1)),
                ("too long", add_junk(x, Junk::Long, many, 1)),
                ("copies", add_junk(x, Junk::Cluster, many, 1)),
                ("another set", add_foreign(x, other, many, 1).unwrap()),
            ];
            for (kind, all) in kinds {
                let found = screened(&all, *k);
                let gross = matches!(kind, "huge" | "too long");
                let differ = found.iter().zip(&alone).filter(|(found, alone)| found != alone).count();
                assert!(differ <= if gross { 1 } else { n / 100 }, "{name}, {many} {kind}: {differ}");
                assert!(!gross || count(&found[n..]) == many, "{name}, {many} {kind}: not all found");
            }
        }
    }
}
