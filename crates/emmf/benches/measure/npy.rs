//! NPY files as numpy writes them: row-major matrices of `<f4` or `<f8`.

use emmf::{Mat, Real};

pub(crate) fn read<T: Real>(path: &str) -> Mat<T> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let begin = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..begin]).expect("a header in ASCII");
    assert!(header.contains("'fortran_order': False"), "{path} must be row-major");
    let shape = header.split(['(', ')']).nth(1).expect("a shape");
    let shape: Vec<usize> = shape.split(',').filter_map(|size| size.trim().parse().ok()).collect();
    let entries = &bytes[begin..];
    let entries: Vec<T> = if header.contains("<f4") {
        entries.as_chunks().0.iter().map(|&bytes| T::from_f64(f32::from_le_bytes(bytes).into())).collect()
    } else {
        assert!(header.contains("<f8"), "{path} must hold f4 or f8");
        entries.as_chunks().0.iter().map(|&bytes| T::from_f64(f64::from_le_bytes(bytes))).collect()
    };
    Mat::from_vec(entries, shape[0], shape[1]).expect("a whole matrix")
}
