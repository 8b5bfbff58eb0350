//! Samples that stay in their file and are read when they are needed: data larger than memory.

use crate::array::{Element, Layout};
use crate::budget::Budget;
use crate::dataset::{Dtype, Matrix, Numbers};
use crate::error::{Error, Problem};
use crate::format::Format;
use crate::npy;
use crate::options::{ReadOptions, refuse_idle};
use crate::order::Order;
use crate::remark::Remark;
use crate::source::Source;
use emmf::{Mat, Real, RowSource};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Bytes of a value of a table while its column is read: as it is stored, as an integer without loss, and as a number.
pub(crate) const COLUMN: u64 = 32;
/// Bytes that are decoded at a time.
const CHUNK: usize = 1 << 14;

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
    /// The name of each sample.
    pub names: Option<Vec<String>>,
    /// What was taken for granted about the file.
    pub remarks: Vec<Remark>,
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
    /// Bytes of memory that reading takes beside the matrix.
    pub beside: u64,
}

/// Bytes of a number of the wider type.
const WIDEST: u64 = 8;

/// Looks at a file without reading it. Only NPY and Parquet tell how large their matrix is. A pipe cannot be looked at
/// and then read, and is refused.
pub fn file_size(path: &Path, options: &ReadOptions) -> Result<FileSize, Error> {
    let source = Source::open(path)?;
    let name = source.name.clone();
    let look = || -> Result<FileSize, Problem> {
        let format = source.format();
        let (file, head, bytes) = source.into_file()?;
        let (shape, natural, beside) = match format? {
            Format::Npy => {
                let (layout, _) = npy::layout(&head)?;
                let beside = if lies_by_samples(&layout) { 0 } else { bytes };
                (Some(layout.shape), natural(&layout), beside)
            }
            Format::Parquet => {
                let (shape, natural) = parquet_size(file, options)?;
                (shape, natural, bytes + shape.map_or(0, |(rows, _)| COLUMN * rows as u64))
            }
            _ => (None, Dtype::F64, bytes),
        };
        let dtype = options.dtype.unwrap_or(natural);
        let Some((rows, columns)) = shape.filter(|_| options.transpose) else {
            return Ok(FileSize { shape, dtype, beside });
        };
        // The matrix as it lies in the file is there until it has been turned.
        let turned = (rows as u64).saturating_mul(columns as u64).saturating_mul(WIDEST);
        Ok(FileSize { shape: Some((columns, rows)), dtype, beside: beside.saturating_add(turned) })
    };
    look().map_err(|problem| problem.of(name))
}

/// Opens a file to read samples when they are needed. NPY is read in place; Parquet is unpacked once, with at
/// most `memory` bytes of it in memory, into a temporary file that is gone when this value is.
pub fn stream(path: &Path, options: &ReadOptions, memory: u64) -> Result<Streamed, Error> {
    let source = Source::open(path)?;
    let name = source.name.clone();
    let open = || -> Result<Streamed, Problem> {
        if options.transpose {
            return Err(Problem::unsupported(
                "a transposed matrix in blocks of samples",
                "save the data with samples as rows, or allow more memory",
            ));
        }
        let format = source.format();
        let (file, head, length) = source.into_file()?;
        let format = format?;
        refuse_idle(format, options)?;
        match format {
            Format::Npy => npy_rows(file, (&head, length), options)?.with_columns(options),
            Format::Parquet => parquet_rows(file, options, memory),
            _ => Err(Problem::unsupported(
                "this format in blocks of samples",
                "save the data as .npy or .parquet, or allow more memory",
            )),
        }
    };
    open().map_err(|problem| problem.of(name))
}

/// The matrix of an NPY file that has its samples one after the other, read to where it stays, without room for the file
/// beside it. Nothing for any other input.
pub(crate) fn in_place(source: &Source, options: &ReadOptions) -> Option<Result<Numbers, Problem>> {
    let (file, length) = source.file()?;
    let is_plain = refuse_idle(Format::Npy, options).is_ok();
    let (layout, _) = npy::layout(&source.head).ok().filter(|_| is_plain)?;
    if !lies_by_samples(&layout) {
        return None;
    }
    let read = || {
        let file = file.try_clone().map_err(Problem::Read)?;
        let Streamed { rows, dtype, .. } = npy_rows(file, (&source.head, length), options)?;
        Ok(match dtype {
            Dtype::F32 => Numbers::F32(Matrix::Dense(rows.all(&options.budget)?)),
            Dtype::F64 => Numbers::F64(Matrix::Dense(rows.all(&options.budget)?)),
        })
    };
    Some(read())
}

fn natural(layout: &Layout) -> Dtype {
    if layout.single { Dtype::F32 } else { Dtype::F64 }
}

/// Whether the entries of a sample are together.
fn lies_by_samples(layout: &Layout) -> bool {
    let (rows, cols) = layout.shape;
    !layout.column_major || rows <= 1 || cols <= 1
}

/// The samples of an NPY file of so many bytes that begins with `head`.
fn npy_rows(file: File, (head, length): (&[u8], u64), options: &ReadOptions) -> Result<Streamed, Problem> {
    let (layout, start) = npy::layout(head)?;
    let (rows, cols) = layout.shape;
    if !lies_by_samples(&layout) {
        return Err(Problem::unsupported(
            "an array in column-major order, in blocks of samples",
            "save np.ascontiguousarray(x), or allow more memory",
        ));
    }
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
    Ok(Streamed { rows, dtype, labels: None, columns: None, names: None, remarks: Vec::new() })
}

impl Streamed {
    /// Only the columns that the options choose. Those without names are called by their places.
    fn with_columns(self, options: &ReadOptions) -> Result<Self, Problem> {
        let (rows, cols) = self.rows.shape();
        let Some(order) = Order::chosen(self.columns.as_deref(), cols, options)? else { return Ok(self) };
        if order.features() == 0 {
            return Err(Problem::Empty { rows, cols: 0 });
        }
        let columns = Some(order.names(self.columns.as_deref()));
        Ok(Self { columns, ..self }.in_order(&order))
    }
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
    fn all<T: Real>(&self, budget: &Budget) -> Result<Mat<T>, Problem> {
        let mut x = budget.zeros(self.shape(), "the matrix")?;
        self.read(0..self.shape().0, x.as_mut_slice())?;
        Ok(x)
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
