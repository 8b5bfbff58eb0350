//! The features of a model among the columns of new samples.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use emmf::synth::{ImageShape, uniform};
use emmf::{Csr, Mat, RowSource};
use emmf_io::{Matrix, Numbers, Order, ReadOptions, stream, write};
use proptest::prelude::*;

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

fn sparse(x: &Mat<f64>) -> Csr<f64> {
    let entries = (0..x.rows()).flat_map(|i| (0..x.cols()).map(move |j| (i, j)));
    Csr::from_triplets(x.shape(), entries.map(|(i, j)| (i, j, x[(i, j)])).collect()).unwrap()
}

proptest! {
    /// Columns in any order, with others between them, are those of the model in its order: dense and sparse.
    #[test]
    fn promise_04_columns_are_found_wherever_they_are(
        places in (1_usize..9).prop_flat_map(|d| Just((0..d).collect::<Vec<_>>()).prop_shuffle()),
        extra in 0_usize..4,
    ) {
        let wide = uniform::<f64>(5, places.len(), 3);
        let features: Vec<String> = (0..places.len().saturating_sub(extra).max(1)).map(|j| format!("f{j}")).collect();
        let columns: Vec<String> = places.iter().map(|j| format!("f{j}")).collect();
        let order = Order::of_names(&columns, &features).unwrap();
        prop_assert_eq!(order.left_out().is_some(), features.len() < columns.len());
        let place = |j: usize| places.iter().position(|&at| at == j).unwrap();
        let wanted = Mat::from_fn(5, features.len(), |i, j| wide[(i, place(j))]);
        let dense = Numbers::from(wide.clone()).in_order(&order).unwrap();
        prop_assert_eq!(dense, Numbers::from(wanted.clone()));
        let Matrix::Sparse(found) = Numbers::from(sparse(&wide)).in_order(&order).unwrap().into_f64() else {
            return Err(TestCaseError::fail("not sparse any more"));
        };
        prop_assert_eq!(found.to_dense(), wanted);
    }
}

#[test]
fn promise_04_rows_that_are_read_when_needed_are_picked_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    // Wide samples are read one by one, narrow ones many at a time.
    for (n, d) in [(7, 20_000), (5_000, 3), (1, 1)] {
        let x: Mat<f64> = uniform(n, d, 1);
        write(&path, &Numbers::from(x.clone()).into()).unwrap();
        let columns: Vec<String> = (0..d).map(|j| j.to_string()).collect();
        let features: Vec<String> = columns.iter().rev().take(2).cloned().collect();
        let order = Order::of_names(&columns, &features).unwrap();
        let rows = stream(&path, &ReadOptions::default(), 0).unwrap().in_order(&order).rows;
        assert_eq!(rows.shape(), (n, features.len()));
        for range in [0..n, n / 2..n, n - 1..n] {
            let mut found = vec![0.0; range.len() * features.len()];
            rows.read(range.clone(), &mut found).unwrap();
            let wanted = range.flat_map(|i| (0..features.len()).map(move |j| (i, d - 1 - j)));
            assert!(wanted.map(|at| x[at]).eq(found), "{n}x{d}");
        }
    }
}

#[test]
fn promise_04_what_is_missing_or_unclear_is_named() {
    let says = |columns: &[&str], features: &[&str], parts: &[&str]| {
        let error = Order::of_names(&names(columns), &names(features)).unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "'{part}' is not in: {error}");
        }
    };
    says(&["width", "hight"], &["width", "height"], &["'height' (is it 'hight'?)"]);
    says(&["x", "y"], &["amount", "y"], &["no column 'amount',"]);
    says(&["a"], &["b1", "b2", "b3", "b4", "b5", "b6", "b7"], &["'b5', and 2 more"]);
    says(&["a", "b", "a"], &["b", "a"], &["'a'", "several columns"]);
    says(&["a", "b"], &["b", "a", "a"], &["'a'", "several"]);
    // The same names in the same order are clear.
    let twice = names(&["a", "a"]);
    assert_eq!(Order::of_names(&twice, &twice).unwrap(), Order::as_it_is(2));
}

#[test]
fn promise_04_pixels_are_found_wherever_they_are() {
    let shape = |height, width, column_major| ImageShape { height, width, column_major, colour: false };
    let (rows, columns) = (shape(2, 3, false), shape(2, 3, true));
    let image = Numbers::from(Mat::from_rows([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]));
    let turned = image.clone().in_order(&Order::of_pixels(rows, columns).unwrap()).unwrap();
    assert_eq!(turned, Numbers::from(Mat::from_rows([[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]])));
    assert_eq!(turned.in_order(&Order::of_pixels(columns, rows).unwrap()).unwrap(), image);
    let error = Order::of_pixels(shape(3, 2, false), rows).unwrap_err().to_string();
    assert!(error.contains("3x2") && error.contains("2x3"), "{error}");
}
