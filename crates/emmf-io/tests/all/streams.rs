//! Samples left in their files are the ones that reading gives.

use std::path::{Path, PathBuf};

use emmf::{Mat, RowSource};
use emmf_io::{Dataset, Dtype, Numbers, ReadOptions, Streamed, file_size, read, stream, write};

const ROWS: usize = 1000;
const COLS: usize = 7;

fn matrix() -> Mat<f64> {
    Mat::from_fn(ROWS, COLS, |i, j| (i * COLS + j) as f64 / 4.0)
}

fn saved(folder: &Path, name: &str, x: Numbers, labels: Option<Vec<String>>) -> PathBuf {
    let path = folder.join(name);
    write(&path, &Dataset::new(x, labels, None)).unwrap();
    path
}

fn all_rows(data: &Streamed) -> Mat<f64> {
    let mut out = Mat::zeros(ROWS, COLS);
    // In pieces, not in order.
    for start in (0..ROWS).step_by(300).rev() {
        let rows = start..(start + 300).min(ROWS);
        let entries = &mut out.as_mut_slice()[start * COLS..rows.end * COLS];
        data.rows.read(rows, entries).unwrap();
    }
    out
}

/// A header as NumPy writes it, and the entries.
fn npy(descr: &str, order: &str, entries: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({ROWS}, {COLS}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(entries.flatten());
    bytes
}

#[test]
fn npy_of_both_types() {
    let folder = tempfile::tempdir().unwrap();
    let options = ReadOptions::default();
    for (x, dtype) in [(Numbers::from(matrix().cast::<f32>()), Dtype::F32), (matrix().into(), Dtype::F64)] {
        let path = saved(folder.path(), "x.npy", x, None);
        let size = file_size(&path, &options).unwrap();
        assert_eq!((size.shape, size.dtype), (Some((ROWS, COLS)), dtype));
        let data = stream(&path, &options, 1 << 20).unwrap();
        assert_eq!((data.dtype, all_rows(&data)), (dtype, matrix()));
    }
}

#[test]
fn npy_of_integers_and_of_either_byte_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let numbers = || (0..ROWS * COLS).map(|at| at as u16);
    let expected = Mat::from_fn(ROWS, COLS, |i, j| (i * COLS + j) as f64);
    for (descr, bytes) in [
        ("<u2", npy("<u2", "False", numbers().map(|x| x.to_le_bytes().to_vec()))),
        (">u2", npy(">u2", "False", numbers().map(|x| x.to_be_bytes().to_vec()))),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let data = stream(&path, &ReadOptions::default(), 1 << 20).unwrap();
        assert_eq!(all_rows(&data), expected, "{descr}");
    }
}

#[test]
fn npy_that_is_cut_off_or_by_columns_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let message = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        stream(&path, &ReadOptions::default(), 1 << 20).unwrap_err().to_string()
    };
    let entries = || (0..ROWS * COLS).map(|at| (at as f64).to_le_bytes().to_vec());
    let whole = npy("<f8", "False", entries());
    assert!(message(&whole[..whole.len() - 1]).contains("announced"));
    assert!(message(&whole[..40]).contains("not complete"));
    assert!(message(&npy("<f8", "True", entries())).contains("ascontiguousarray"));
    let text = folder.path().join("x.csv");
    std::fs::write(&text, "1,2\n3,4\n").unwrap();
    let refused = stream(&text, &ReadOptions::default(), 1 << 20).unwrap_err().to_string();
    assert!(refused.contains(".npy or .parquet"), "{refused}");
}

#[test]
fn a_file_that_shrinks_is_an_error_not_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = saved(folder.path(), "x.npy", matrix().into(), None);
    let data = stream(&path, &ReadOptions::default(), 1 << 20).unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(200).unwrap();
    let error = data.rows.read(0..10, &mut [0.0_f64; 10 * COLS]).unwrap_err();
    assert!(error.to_string().contains("samples 0 to 9"), "{error}");
}

/// However little memory there is to unpack it.
#[cfg(feature = "parquet")]
#[test]
fn parquet_is_unpacked_in_strips() {
    let folder = tempfile::tempdir().unwrap();
    let labels: Vec<String> = (0..ROWS).map(|i| format!("class{}", i % 3)).collect();
    let path = saved(folder.path(), "x.parquet", matrix().into(), Some(labels.clone()));
    let options = ReadOptions::default();
    assert_eq!(file_size(&path, &options).unwrap().shape, Some((ROWS, COLS)));
    assert_eq!(read(&path, &options).unwrap().x, matrix().into());
    for memory in [1, 3 * 8 * ROWS as u64, 1 << 30] {
        let data = stream(&path, &options, memory).unwrap();
        assert_eq!(all_rows(&data), matrix(), "{memory} bytes");
        assert_eq!(data.labels.as_ref(), Some(&labels));
    }
}
