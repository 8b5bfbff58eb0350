//! Samples that stay in their file and are read when they are needed: data larger than memory.

use crate::array::{Element, Layout};
use crate::dataset::{Dtype, Matrix, Numbers};
use crate::error::{Error, Problem};
use crate::format::Format;
use crate::npy;
use crate::options::ReadOptions;
use emmf::{Mat, Real, RowSource};
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

/// Bytes that are decoded at a time.
const CHUNK: usize = 1 << 14;
/// The header of an NPY file is no longer than this.
const HEADER: u64 = 1 << 17;

/// A file whose samples can be read one by one, in any order.
#[derive(Debug)]
pub struct Streamed {
    /// The samples.
    pub rows: FileRows,
    /// The type to compute in.
    pub dtype: Dtype,
    /// The class of each sample.
    pub labels: Option<Vec<String>>,
    /// The name of each feature.
    pub columns: Option<Vec<String>>,
}

/// Samples in a file, one after the other. Gives them in either floating-point type.
#[derive(Debug)]
pub struct FileRows {
    file: File,
    start: u64,
    element: Element,
    big_endian: bool,
    /// Samples and entries of each.
    stored: (usize, usize),
    /// The entries that are given, in this order, where these are not all as they are.
    picked: Option<Vec<usize>>,
}

/// What a file takes to read, before it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSize {
    /// Samples and features, where the first bytes tell.
    pub shape: Option<(usize, usize)>,
    /// The type that the entries get.
    pub dtype: Dtype,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Looks at a file without reading it. Only NPY and Parquet tell how large their matrix is.
pub fn file_size(path: &Path, options: &ReadOptions) -> Result<FileSize, Error> {
    let name = path.display().to_string();
    let look = || -> Result<FileSize, Problem> {
        let (file, head) = open(path)?;
        let bytes = file.metadata().map_err(Problem::Read)?.len();
        let (shape, natural) = match Format::detect(&head, &name)? {
            Format::Npy => {
                let (layout, _) = npy::layout(&head)?;
                (Some(layout.shape), natural(&layout))
            }
            Format::Parquet => parquet_size(file, options)?,
            _ => (None, Dtype::F64),
        };
        Ok(FileSize { shape, dtype: options.dtype.unwrap_or(natural), bytes })
    };
    look().map_err(|problem| problem.of(name.clone()))
}

/// Opens a file to read samples when they are needed. NPY is read in place; Parquet is unpacked once, with at
/// most `memory` bytes of it in memory, into a temporary file that is gone when this value is.
pub fn stream(path: &Path, options: &ReadOptions, memory: u64) -> Result<Streamed, Error> {
    let name = path.display().to_string();
    let open = || -> Result<Streamed, Problem> {
        let (file, head) = open(path)?;
        match Format::detect(&head, &name)? {
            Format::Npy => npy_rows(file, &head, options),
            Format::Parquet => parquet_rows(file, options, memory),
            _ => Err(Problem::unsupported(
                "this format in blocks of samples",
                "save the data as .npy or .parquet, or allow more memory",
            )),
        }
    };
    open().map_err(|problem| problem.of(name.clone()))
}

/// The matrix of an NPY file that has its samples one after the other, read to where it stays, without room for the file
/// beside it. Nothing for any other file, and where anything is wrong: who reads it as a whole can say what.
pub(crate) fn read_in_place(path: &Path, options: &ReadOptions) -> Option<Numbers> {
    let (file, head) = open(path).ok()?;
    let is_npy = Format::detect(&head, &path.display().to_string()).ok()? == Format::Npy;
    let Streamed { rows, dtype, .. } = if is_npy && options.variable.is_none() {
        npy_rows(file, &head, options).ok()?
    } else {
        return None;
    };
    Some(match dtype {
        Dtype::F32 => Numbers::F32(Matrix::Dense(rows.all()?)),
        Dtype::F64 => Numbers::F64(Matrix::Dense(rows.all()?)),
    })
}

/// The file and its first bytes.
fn open(path: &Path) -> Result<(File, Vec<u8>), Problem> {
    let mut file = File::open(path).map_err(Problem::Read)?;
    let mut head = Vec::new();
    file.by_ref().take(HEADER).read_to_end(&mut head).map_err(Problem::Read)?;
    Ok((file, head))
}

fn natural(layout: &Layout) -> Dtype {
    if layout.single { Dtype::F32 } else { Dtype::F64 }
}

fn npy_rows(file: File, head: &[u8], options: &ReadOptions) -> Result<Streamed, Problem> {
    if options.labels.is_some() {
        return Err(Problem::unsupported(
            "labels beside the matrix in this format",
            "keep them in a file of their own",
        ));
    }
    let (layout, start) = npy::layout(head)?;
    let (rows, cols) = layout.shape;
    if layout.column_major && rows > 1 && cols > 1 {
        return Err(Problem::unsupported(
            "an array in column-major order, in blocks of samples",
            "save np.ascontiguousarray(x), or allow more memory",
        ));
    }
    let length = file.metadata().map_err(Problem::Read)?.len();
    let needed =
        (rows as u64).checked_mul(cols as u64).and_then(|n| n.checked_mul(layout.element.size() as u64));
    let there = length.saturating_sub(start as u64);
    if needed.is_none_or(|needed| needed > there) {
        return Err(Problem::malformed(
            format!("byte {start}"),
            format!("{rows}x{cols} entries are announced, but only {there} bytes follow"),
        ));
    }
    let Layout { element, big_endian, shape, .. } = layout;
    let rows = FileRows::new(file, start as u64, (element, big_endian), shape)?;
    let dtype = options.dtype.unwrap_or_else(|| natural(&layout));
    Ok(Streamed { rows, dtype, labels: None, columns: None })
}

impl FileRows {
    /// Samples of this shape that begin at byte `start`; `kind` is the type of the entries and their byte order.
    pub(crate) fn new(
        file: File,
        start: u64,
        (element, big_endian): (Element, bool),
        shape: (usize, usize),
    ) -> Result<Self, Problem> {
        match shape {
            (rows, cols) if rows == 0 || cols == 0 => Err(Problem::Empty { rows, cols }),
            _ => Ok(Self { file, start, element, big_endian, stored: shape, picked: None }),
        }
    }

    /// Of every sample only these entries, in this order.
    pub(crate) fn picking(self, picked: Vec<usize>) -> Self {
        Self { picked: Some(picked), ..self }
    }

    /// All samples.
    fn all<T: Real>(&self) -> Option<Mat<T>> {
        let (n, d) = self.shape();
        let mut x = Mat::zeros(n, d);
        self.read(0..n, x.as_mut_slice()).ok()?;
        Some(x)
    }

    /// Samples and features.
    pub fn shape(&self) -> (usize, usize) {
        (self.stored.0, self.picked.as_ref().map_or(self.stored.1, Vec::len))
    }

    /// Whole samples.
    fn read_stored<T: Real>(&self, rows: Range<usize>, out: &mut [T]) -> emmf::Result<()> {
        let size = self.element.size();
        let mut at = self.start + (rows.start * self.stored.1 * size) as u64;
        let mut bytes = [0; CHUNK];
        for out in out.chunks_mut(CHUNK / size) {
            let bytes = &mut bytes[..out.len() * size];
            read_exact_at(&self.file, bytes, at).map_err(|error| emmf::Error::Read {
                first: rows.start,
                last: rows.end.saturating_sub(1),
                why: format!("{error}; it must not change while it is used"),
            })?;
            self.element.decode(bytes, self.big_endian, out);
            at += bytes.len() as u64;
        }
        Ok(())
    }
}

impl<T: Real> RowSource<T> for FileRows {
    fn shape(&self) -> (usize, usize) {
        self.shape()
    }

    fn read(&self, rows: Range<usize>, out: &mut [T]) -> emmf::Result<()> {
        let Some(picked) = &self.picked else { return self.read_stored(rows, out) };
        let width = self.stored.1;
        let together = (CHUNK / width).max(1);
        let mut stored = vec![T::ZERO; together.min(rows.len()) * width];
        for (first, out) in rows.clone().step_by(together).zip(out.chunks_mut(together * picked.len())) {
            let last = rows.end.min(first + together);
            let stored = &mut stored[..(last - first) * width];
            self.read_stored(first..last, stored)?;
            for (out, stored) in out.chunks_exact_mut(picked.len()).zip(stored.chunks_exact(width)) {
                out.iter_mut().zip(picked).for_each(|(out, &j)| *out = stored[j]);
            }
        }
        Ok(())
    }
}

/// Reads at a place of its own, whatever other threads read.
#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Reads at a place of its own, whatever other threads read.
#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(feature = "parquet")]
use crate::parquet::{size as parquet_size, stream as parquet_rows};

#[cfg(not(feature = "parquet"))]
fn parquet_size(_: File, _: &ReadOptions) -> Result<(Option<(usize, usize)>, Dtype), Problem> {
    Ok((None, Dtype::F64))
}

#[cfg(not(feature = "parquet"))]
fn parquet_rows(_: File, _: &ReadOptions, _: u64) -> Result<Streamed, Problem> {
    Err(Problem::unsupported("Parquet", "build emmf-io with the feature `parquet`, or save it as .npy"))
}
