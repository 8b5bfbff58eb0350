//! Writing MATLAB files of version 5, uncompressed: `X` and, where there are labels and names, `y` and `columns`.

use crate::dataset::{Dataset, Matrix, Numbers};
use emmf::{Csr, Mat, Real};
use std::io::{self, Write};

const MATRIX: u32 = 14;
const DOUBLES: u32 = 9;
const FLOATS: u32 = 7;
const WORDS: u32 = 6;
const INTEGERS: u32 = 5;
const UNITS: u32 = 17;
const BYTES: u32 = 1;

/// Writes the file.
pub(crate) fn write(out: &mut dyn Write, dataset: &Dataset) -> io::Result<()> {
    let mut header = [b' '; 128];
    let text = b"MATLAB 5.0 MAT-file, written by emmf";
    header[..text.len()].copy_from_slice(text);
    header[116..124].fill(0);
    header[124..].copy_from_slice(b"\x00\x01IM");
    out.write_all(&header)?;
    let x = match &dataset.x {
        Numbers::F32(Matrix::Dense(x)) => dense(x, 7, FLOATS, |v, b| b.extend(v.to_le_bytes()))?,
        Numbers::F64(Matrix::Dense(x)) => dense(x, 6, DOUBLES, |v, b| b.extend(v.to_le_bytes()))?,
        // MATLAB has no sparse matrices in single precision.
        Numbers::F32(Matrix::Sparse(x)) => sparse(&x.cast())?,
        Numbers::F64(Matrix::Sparse(x)) => sparse(x)?,
    };
    out.write_all(&x)?;
    if let Some(labels) = &dataset.labels {
        out.write_all(&label_variable(labels)?)?;
    }
    dataset.columns.as_ref().map_or(Ok(()), |names| out.write_all(&texts("columns", names)?))
}

/// Appends a data element: tag, bytes, padding.
fn element(to: &mut Vec<u8>, kind: u32, bytes: &[u8]) -> io::Result<()> {
    let size = u32::try_from(bytes.len()).map_err(|_| too_large())?;
    to.extend(kind.to_le_bytes());
    to.extend(size.to_le_bytes());
    to.extend(bytes);
    to.resize(to.len().next_multiple_of(8), 0);
    Ok(())
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "a MATLAB variable holds at most 4 GiB; write .npz instead")
}

/// Flags, size and name of a variable.
fn head(class: u32, entries: u32, shape: (usize, usize), name: &str) -> io::Result<Vec<u8>> {
    let mut to = Vec::new();
    element(&mut to, WORDS, &[class.to_le_bytes(), entries.to_le_bytes()].concat())?;
    let size = |n: usize| i32::try_from(n).map_err(|_| too_large());
    element(&mut to, INTEGERS, &[size(shape.0)?.to_le_bytes(), size(shape.1)?.to_le_bytes()].concat())?;
    element(&mut to, BYTES, name.as_bytes())?;
    Ok(to)
}

fn variable(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut to = Vec::new();
    element(&mut to, MATRIX, body)?;
    Ok(to)
}

fn dense<T: Real>(x: &Mat<T>, class: u32, kind: u32, store: impl Fn(T, &mut Vec<u8>)) -> io::Result<Vec<u8>> {
    let (rows, cols) = x.shape();
    let mut data = Vec::with_capacity(size_of_val(x.as_slice()));
    for j in 0..cols {
        (0..rows).for_each(|i| store(x[(i, j)], &mut data));
    }
    let mut body = head(class, 0, (rows, cols), "X")?;
    element(&mut body, kind, &data)?;
    variable(&body)
}

/// Row indices, column pointers and values, by columns, sorted, each place once.
fn sparse(x: &Csr<f64>) -> io::Result<Vec<u8>> {
    let view = x.view();
    let entries = (0..view.rows()).flat_map(|i| view.row(i).map(move |(j, value)| (j, i, value)));
    let columns =
        Csr::from_triplets((view.cols(), view.rows()), entries.collect()).map_err(io::Error::other)?;
    let columns = columns.view();
    let (mut indices, mut starts, mut values) = (Vec::new(), vec![0_u8; 4], Vec::new());
    let mut count = 0_i32;
    for j in 0..columns.rows() {
        for (i, value) in columns.row(j) {
            indices.extend(i32::try_from(i).map_err(|_| too_large())?.to_le_bytes());
            values.extend(value.to_le_bytes());
            count = count.checked_add(1).ok_or_else(too_large)?;
        }
        starts.extend(count.to_le_bytes());
    }
    let mut body = head(5, count.unsigned_abs(), (view.rows(), view.cols()), "X")?;
    element(&mut body, INTEGERS, &indices)?;
    element(&mut body, INTEGERS, &starts)?;
    element(&mut body, DOUBLES, &values)?;
    variable(&body)
}

/// A column of numbers where all labels are, else a column of texts.
fn label_variable(labels: &[String]) -> io::Result<Vec<u8>> {
    let number = |label: &String| label.parse::<f64>().ok().filter(|x| x.to_string() == *label);
    if let Some(numbers) = labels.iter().map(number).collect::<Option<Vec<f64>>>() {
        let mut body = head(6, 0, (labels.len(), 1), "y")?;
        element(&mut body, DOUBLES, &numbers.into_iter().flat_map(f64::to_le_bytes).collect::<Vec<u8>>())?;
        return variable(&body);
    }
    texts("y", labels)
}

/// A column of texts.
fn texts(name: &str, texts: &[String]) -> io::Result<Vec<u8>> {
    let mut body = head(1, 0, (texts.len(), 1), name)?;
    for text in texts {
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut cell = head(4, 0, (1, units.len()), "")?;
        element(&mut cell, UNITS, &units.into_iter().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())?;
        element(&mut body, MATRIX, &cell)?;
    }
    variable(&body)
}
