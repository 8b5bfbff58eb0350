//! What is written is read back the same, in every format.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use crate::common;

use common::{dense, message, texts};
use emmf::{Csr, Mat};
use emmf_io::{Dataset, Matrix, Numbers, ReadOptions, read, write};
use proptest::prelude::*;

/// Those of the formats that this build can write.
fn writable<const N: usize>(endings: [&'static str; N]) -> impl Iterator<Item = &'static str> {
    endings.into_iter().filter(|&ending| ending != "parquet" || cfg!(feature = "parquet"))
}

fn there_and_back(dataset: &Dataset, ending: &str) -> Dataset {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("x.{ending}"));
    write(&path, dataset).unwrap();
    // Text does not say its type.
    let options = ReadOptions { dtype: Some(dataset.x.dtype()), ..ReadOptions::default() };
    read(&path, &options).unwrap()
}

fn labelled(x: Numbers) -> Dataset {
    let (rows, cols) = x.shape();
    let labels = (0..rows).map(|i| format!("kind \"{}\", ö", i % 3)).collect();
    let columns = (0..cols).map(|j| format!("feature {j}")).collect();
    Dataset::new(x, Some(labels), Some(columns))
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..1e3, proptest::num::f64::NORMAL, proptest::num::f64::SUBNORMAL]
}

fn matrices() -> impl Strategy<Value = Mat<f64>> {
    (1_usize..6, 1_usize..6).prop_flat_map(|(rows, cols)| {
        proptest::collection::vec(finite(), rows * cols)
            .prop_map(move |data| Mat::from_vec(data, rows, cols).unwrap())
    })
}

fn to_sparse(x: &Mat<f64>) -> Csr<f64> {
    let places = (0..x.rows()).flat_map(|i| (0..x.cols()).map(move |j| (i, j)));
    let entries = places.map(|(i, j)| (i, j, x[(i, j)])).filter(|t| t.2 != 0.0).collect();
    Csr::from_triplets(x.shape(), entries).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn numbers_in_every_format(x in matrices()) {
        let single: Mat<f32> = x.cast();
        for ending in writable(["csv", "tsv", "npz", "npy", "mat", "mtx", "parquet"]) {
            prop_assert_eq!(&dense(there_and_back(&Numbers::from(x.clone()).into(), ending).x), &x);
            let back = there_and_back(&Numbers::from(single.clone()).into(), ending);
            prop_assert_eq!(back.x.into_f32(), Matrix::Dense(single.clone()));
        }
    }

    #[test]
    fn sparse_numbers_stay_sparse_where_they_can(x in matrices()) {
        for ending in writable(["npz", "mtx", "mat", "csv", "parquet"]) {
            let back = there_and_back(&Numbers::from(to_sparse(&x)).into(), ending).x;
            prop_assert_eq!(back.is_sparse(), !["csv", "parquet"].contains(&ending));
            prop_assert_eq!(dense(back), x.clone());
        }
    }

    #[test]
    fn labels_and_names(x in matrices()) {
        let dataset = labelled(x.into());
        for ending in writable(["csv", "tsv", "npz", "mat", "parquet"]) {
            prop_assert_eq!(&there_and_back(&dataset, ending), &dataset);
        }
    }
}

#[test]
fn whole_labels_stay_whole() {
    for ending in writable(["csv", "npz", "mat", "parquet"]) {
        let x = Mat::from_rows([[1.0], [2.0]]);
        let dataset = Dataset::new(x, Some(texts(&["10", "-3"])), None);
        assert_eq!(there_and_back(&dataset, ending).labels, dataset.labels, "{ending}");
    }
}

#[test]
fn a_feature_named_label_does_not_hide_the_labels() {
    let x: Numbers = Mat::from_rows([[1.0], [2.0]]).into();
    let dataset = Dataset::new(x, Some(texts(&["u", "v"])), Some(texts(&["label"])));
    for ending in writable(["csv", "parquet"]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("x.{ending}"));
        write(&path, &dataset).unwrap();
        let options = ReadOptions { labels: Some("labels".into()), ..ReadOptions::default() };
        assert_eq!(read(&path, &options).unwrap(), dataset);
    }
}

#[test]
fn what_would_get_lost_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = labelled(Mat::from_rows([[1.0]]).into());
    for name in ["x.npy", "x.mtx"] {
        assert!(message(write(&folder.path().join(name), &dataset)).contains("labels"));
    }
    let sparse: Numbers = to_sparse(&Mat::from_rows([[1.0]])).into();
    assert!(message(write(&folder.path().join("x.npy"), &sparse.into())).contains("sparse"));
    assert!(message(write(&folder.path().join("x.doc"), &dataset)).contains(".csv"));
    let short = Dataset { labels: Some(Vec::new()), ..dataset };
    assert!(message(write(&folder.path().join("x.csv"), &short)).contains("0 labels for 1 samples"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
