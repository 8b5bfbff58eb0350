//! Writing NPY: a matrix or a vector, little-endian, in C order.

use crate::dataset::{Matrix, Numbers};
use crate::text::fill_row;
use emmf::{Mat, Real};
use std::io::{self, Write};

/// A number that NPY can hold.
pub(crate) trait Stored: Copy {
    /// `NumPy`'s code for the type.
    const CODE: &'static str;
    /// Appends the bytes, little-endian.
    fn store(self, to: &mut Vec<u8>);
}

macro_rules! stored {
    ($($t:ty => $code:literal),*) => {
        $(impl Stored for $t {
            const CODE: &'static str = $code;
            fn store(self, to: &mut Vec<u8>) {
                to.extend(self.to_le_bytes());
            }
        })*
    };
}

stored!(f32 => "<f4", f64 => "<f8", i64 => "<i8");

/// A dense matrix.
pub(crate) fn write_numbers(out: &mut dyn Write, x: &Numbers) -> io::Result<()> {
    match x {
        Numbers::F32(x) => write_matrix(out, x),
        Numbers::F64(x) => write_matrix(out, x),
    }
}

/// A dense matrix of either type.
pub(crate) fn write_reals<T: Real>(out: &mut dyn Write, x: &Mat<T>) -> io::Result<()> {
    if T::NAME == f32::NAME {
        write_matrix(out, &Matrix::Dense(x.cast::<f32>()))
    } else {
        write_matrix(out, &Matrix::Dense(x.cast::<f64>()))
    }
}

fn write_matrix<T: Real + Stored>(out: &mut dyn Write, x: &Matrix<T>) -> io::Result<()> {
    let (rows, cols) = x.shape();
    write_header(out, T::CODE, &format!("({rows}, {cols})"))?;
    let mut row = vec![T::ZERO; cols];
    for i in 0..rows {
        fill_row(&mut row, x, i);
        write_entries(out, &row)?;
    }
    Ok(())
}

/// A vector of numbers.
pub(crate) fn write_vector<T: Stored>(out: &mut dyn Write, values: &[T]) -> io::Result<()> {
    write_header(out, T::CODE, &format!("({},)", values.len()))?;
    write_entries(out, values)
}

/// In pieces: compressors are slow when they get one number at a time.
fn write_entries<T: Stored>(out: &mut dyn Write, values: &[T]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for piece in values.chunks(1 << 13) {
        bytes.clear();
        for value in piece {
            value.store(&mut bytes);
        }
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// A vector of texts.
pub(crate) fn write_texts(out: &mut dyn Write, texts: &[String]) -> io::Result<()> {
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    write_header(out, &format!("<U{width}"), &format!("({},)", texts.len()))?;
    for text in texts {
        let padded = text.chars().chain(std::iter::repeat('\0')).take(width);
        padded.map(u32::from).try_for_each(|code| out.write_all(&code.to_le_bytes()))?;
    }
    Ok(())
}

/// Labels as whole numbers where all of them are, else as texts.
pub(crate) fn write_labels(out: &mut dyn Write, labels: &[String]) -> io::Result<()> {
    let whole = |label: &String| label.parse::<i64>().ok().filter(|n| n.to_string() == *label);
    match labels.iter().map(whole).collect::<Option<Vec<i64>>>() {
        Some(numbers) => write_vector(out, &numbers),
        None => write_texts(out, labels),
    }
}

/// A short byte text without dimensions, as `SciPy` names its sparse formats.
pub(crate) fn write_word(out: &mut dyn Write, word: &str) -> io::Result<()> {
    write_header(out, &format!("|S{}", word.len()), "()")?;
    out.write_all(word.as_bytes())
}

fn write_header(out: &mut dyn Write, code: &str, shape: &str) -> io::Result<()> {
    let mut header = format!("{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}");
    // The entries start at a multiple of 64 bytes, after a line break.
    let unpadded = 10 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(header.len() as u16).to_le_bytes())?;
    out.write_all(header.as_bytes())
}
