//! What the tests of this crate share.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::expect_used, reason = "a test that cannot go on must fail")]

use emmf::Mat;
use emmf_io::{Dataset, Error, Matrix, Numbers, ReadOptions};
use std::path::PathBuf;

/// The matrix that the fixtures hold.
pub(crate) fn expected() -> Mat<f64> {
    Mat::from_rows([[1.0, 2.0, 0.0], [0.0, 4.0, 5.0], [7.0, 0.0, 9.0], [3.0, 3.0, 3.0]])
}

/// Path of a file in `tests/fixtures`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", name].iter().collect()
}

/// Reads a fixture without options.
pub(crate) fn read_fixture(name: &str) -> Result<Dataset, Error> {
    emmf_io::read(&fixture(name), &ReadOptions::default())
}

/// Reads a text without options.
pub(crate) fn read_text(text: &str) -> Result<Dataset, Error> {
    emmf_io::read_bytes(text.as_bytes(), "table.csv", &ReadOptions::default())
}

/// The message of a failure.
pub(crate) fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.expect_err("this must fail").to_string()
}

/// In double precision and dense.
pub(crate) fn dense(x: Numbers) -> Mat<f64> {
    match x.into_f64() {
        Matrix::Dense(x) => x,
        Matrix::Sparse(x) => x.to_dense(),
    }
}

/// Texts from literals.
pub(crate) fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}
