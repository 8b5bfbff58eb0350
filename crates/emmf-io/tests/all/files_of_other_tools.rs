//! Files written by `NumPy`, `SciPy` and `PyArrow`, kept in `tests/fixtures`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

use crate::common;

use common::{dense, expected, fixture, message, read_fixture, texts};
use emmf::Mat;
use emmf_io::{Budget, Dtype, ReadOptions, read, read_labels};

fn check(name: &str, dtype: Dtype, sparse: bool, want: &Mat<f64>) {
    let data = read_fixture(name).unwrap();
    assert_eq!(data.x.dtype(), dtype, "{name}");
    assert_eq!(data.x.is_sparse(), sparse, "{name}");
    assert_eq!(&dense(data.x), want, "{name}");
}

fn ones(x: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(x.rows(), x.cols(), |i, j| f64::from(x[(i, j)] > 0.0))
}

#[test]
fn npy_of_every_type_order_and_byte_order() {
    check("f4.npy", Dtype::F32, false, &expected());
    for name in ["f2.npy", "f8.npy", "i4.npy", "u1.npy", "big_endian.npy", "fortran.npy"] {
        check(name, Dtype::F64, false, &expected());
    }
    check("bool.npy", Dtype::F64, false, &ones(&expected()));
}

#[test]
fn npz_dense_and_sparse() {
    check("dense.npz", Dtype::F64, false, &expected());
    check("positional.npz", Dtype::F64, false, &expected());
    check("dense_compressed.npz", Dtype::F32, false, &expected());
    check("csr.npz", Dtype::F64, true, &expected());
    check("csc.npz", Dtype::F64, true, &expected());
    check("coo.npz", Dtype::F32, true, &expected());
    assert_eq!(read_fixture("dense.npz").unwrap().labels, Some(texts(&["1", "2", "1", "3"])));
    assert_eq!(read_fixture("dense_compressed.npz").unwrap().labels, Some(texts(&["a", "b", "a", "c"])));
    assert!(message(read_fixture("dia.npz")).contains(".tocsr()"));
}

#[test]
fn matlab_of_every_class() {
    for name in ["double.mat", "uint8.mat", "cell_labels.mat", "char_labels.mat"] {
        check(name, Dtype::F64, false, &expected());
    }
    for name in ["big_endian.mat", "big_endian_compressed.mat"] {
        check(name, Dtype::F64, false, &expected());
    }
    check("single.mat", Dtype::F32, false, &expected());
    check("sparse.mat", Dtype::F64, true, &expected());
    check("logical.mat", Dtype::F64, false, &ones(&expected()));
    let halves = Mat::from_fn(4, 3, |i, j| expected()[(i, j)] * 0.5);
    check("compressed.mat", Dtype::F64, false, &halves);
}

#[test]
fn matlab_labels_are_numbers_cells_or_characters() {
    for name in ["double.mat", "compressed.mat", "sparse.mat"] {
        assert_eq!(read_fixture(name).unwrap().labels, Some(texts(&["1", "2", "1", "3"])), "{name}");
    }
    for name in ["cell_labels.mat", "char_labels.mat"] {
        assert_eq!(read_fixture(name).unwrap().labels, Some(texts(&["cat", "dog", "cat", "ox"])), "{name}");
    }
}

#[test]
fn matlab_that_cannot_be_read_says_why() {
    assert!(message(read_fixture("cube.mat")).contains("variable 'X' (3 dimensions)"));
    assert!(message(read_fixture("v4.mat")).contains("save -v7"));
    let hdf5 = emmf_io::read_bytes(b"\x89HDF\r\n\x1a\n1234", "x.mat", &ReadOptions::default());
    assert!(message(hdf5).contains("the HDF5 file"));
    let options = ReadOptions { variable: Some("nope".into()), ..ReadOptions::default() };
    let text = message(read(&fixture("double.mat"), &options));
    assert!(text.contains("double.mat") && text.contains("'nope'") && text.contains("'X', 'y'"), "{text}");
}

#[test]
fn matrix_market_of_every_symmetry() {
    check("coordinate.mtx", Dtype::F64, true, &expected());
    check("array.mtx", Dtype::F64, false, &expected());
    check("pattern.mtx", Dtype::F64, true, &ones(&expected()));
    let symmetric = Mat::from_rows([[1.0, 2.5, 0.0], [2.5, 4.0, 5.0], [0.0, 5.0, 9.0]]);
    check("symmetric.mtx", Dtype::F64, true, &symmetric);
    check("symmetric_array.mtx", Dtype::F64, false, &symmetric);
    let skew = Mat::from_rows([[0.0, 1.0, 2.0], [-1.0, 0.0, 3.0], [-2.0, -3.0, 0.0]]);
    check("skew.mtx", Dtype::F64, true, &skew);
    check("skew_array.mtx", Dtype::F64, false, &skew);
    assert!(message(read_fixture("complex.mtx")).contains("complex"));
}

#[test]
fn a_type_that_is_asked_for_is_given() {
    for name in ["f8.npy", "csr.npz", "uint8.mat", "sparse.mat", "coordinate.mtx", "array.mtx"] {
        let options = ReadOptions { dtype: Some(Dtype::F32), ..ReadOptions::default() };
        let data = read(&fixture(name), &options).unwrap();
        assert_eq!(data.x.dtype(), Dtype::F32, "{name}");
        assert_eq!(dense(data.x), expected(), "{name}");
    }
}

#[test]
fn labels_alone() {
    let labels = |name: &str| read_labels(&fixture(name), None, &Budget::default()).unwrap();
    // One more than 2^53 has no place in a floating-point number.
    assert_eq!(labels("i8_vector.npy"), texts(&["1", "2", "9007199254740993"]));
    assert_eq!(labels("text_vector.npy"), texts(&["cat", "dög", "eel"]));
    assert_eq!(labels("double.mat"), texts(&["1", "2", "1", "3"]));
    assert_eq!(labels("dense.npz"), texts(&["1", "2", "1", "3"]));
    assert_eq!(read_labels(&fixture("dense.npz"), Some("y"), &Budget::default()).unwrap().len(), 4);
    assert!(message(read_labels(&fixture("dense.npz"), Some("z"), &Budget::default())).contains("'z'"));
}

#[test]
fn options_that_cannot_be_meant_are_refused() {
    let labels = ReadOptions { labels: Some("y".into()), ..ReadOptions::default() };
    assert!(message(read(&fixture("f8.npy"), &labels)).contains("labels"));
    assert!(message(read(&fixture("array.mtx"), &labels)).contains("labels"));
    let variable = ReadOptions { variable: Some("X".into()), ..ReadOptions::default() };
    assert!(message(read(&fixture("f8.npy"), &variable)).contains("variable"));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables() {
    check("snappy.parquet", Dtype::F64, false, &expected());
    check("zstd.parquet", Dtype::F32, false, &expected());
    check("mixed.parquet", Dtype::F64, false, &expected());
    let data = read_fixture("snappy.parquet").unwrap();
    assert_eq!(data.columns, Some(texts(&["a", "b", "c"])));
    let [emmf_io::Remark::Texts { columns }] = &data.remarks[..] else { panic!("{:?}", data.remarks) };
    let options = ReadOptions { labels: Some(columns[0].clone()), ..ReadOptions::default() };
    let labels = read(&fixture("snappy.parquet"), &options).unwrap().labels;
    assert_eq!(labels, Some(texts(&["u", "v", "u", "w"])));
    assert_eq!(read_fixture("mixed.parquet").unwrap().labels, Some(texts(&["1", "2", "1", "3"])));
    assert_eq!(
        read_labels(&fixture("mixed.parquet"), None, &Budget::default()).unwrap(),
        texts(&["1", "2", "1", "3"])
    );
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables_that_cannot_be_read_say_why() {
    let missing = message(read_fixture("null.parquet"));
    assert!(missing.contains("column 'a'") && missing.contains("row 3"), "{missing}");
    let texts = emmf_io::Remark::Texts { columns: vec!["s".into(), "t".into()] };
    assert!(read_fixture("two_texts.parquet").unwrap().remarks.contains(&texts));
}
