//! A Parquet table larger than memory: unpacked once, group by group, into a temporary file of bare rows.
//!
//! A fit reads its samples many times; to unpack the pages each time would take far longer than the fit.

use super::read::Table;
use crate::array::Element;
use crate::budget::Budget;
use crate::dataset::Dtype;
use crate::error::Problem;
use crate::guarded::guarded;
use crate::options::ReadOptions;
use crate::roles::Roles;
use crate::stream::{COLUMN, FileRows, Streamed};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

/// Samples and features where they are known, and the type that the entries get.
pub(crate) fn size(file: File, options: &ReadOptions) -> Result<(Option<(usize, usize)>, Dtype), Problem> {
    guarded("its pages", || {
        let table = open(file, &options.budget)?;
        let (roles, natural) = table.roles(options)?;
        Ok((Some((table.rows(), roles.features.len())), natural))
    })
}

/// Unpacks a table, with at most `memory` bytes of it in memory.
pub(crate) fn stream(file: File, options: &ReadOptions, memory: u64) -> Result<Streamed, Problem> {
    guarded("its pages", || {
        let table = open(file, &options.budget)?;
        let (Roles { features, labels, names, remarks }, natural) = table.roles(options)?;
        let dtype = options.dtype.unwrap_or(natural);
        let shape = (table.rows(), features.len());
        let (file, element) = match dtype {
            Dtype::F32 => (unpack(&table, &features, memory, |x| (x as f32).to_le_bytes())?, Element::F32),
            Dtype::F64 => (unpack(&table, &features, memory, f64::to_le_bytes)?, Element::F64),
        };
        let labels = labels.map(|at| table.labels(at, &options.budget)).transpose()?;
        let names = names.map(|at| table.labels(at, &options.budget)).transpose()?;
        let columns = Some(table.names_of(&features));
        let rows = FileRows::new(file, 0, (element, false), shape)?;
        Ok(Streamed { rows, dtype, labels, columns, names, remarks })
    })
}

fn open(file: File, budget: &Budget) -> Result<Table<File>, Problem> {
    let length = file.metadata().map_err(Problem::Read)?.len();
    Table::open(file, usize::try_from(length).unwrap_or(usize::MAX), budget)
}

/// The features as bare rows in a temporary file. As many features at a time as fit into `memory`.
fn unpack<const N: usize>(
    table: &Table<File>,
    features: &[usize],
    memory: u64,
    encode: impl Fn(f64) -> [u8; N],
) -> Result<File, Problem> {
    let mut out = tempfile::tempfile().map_err(Problem::Spool)?;
    let length = features.len() * N;
    table.for_each_group(|group, first, rows| {
        let beside_a_column = memory.saturating_sub(COLUMN * rows as u64) as usize;
        let fitting = beside_a_column / (rows * N).max(1);
        for (strip, features) in features.chunks(fitting.max(1)).enumerate() {
            let width = features.len() * N;
            let mut bytes = vec![0; rows * width];
            for (j, &at) in features.iter().enumerate() {
                let entries =
                    bytes[j * N..].chunks_mut(width).zip(table.reals((group, at), (first, rows), false)?);
                entries.for_each(|(entry, value)| entry[..N].copy_from_slice(&encode(value)));
            }
            let start = first * length + strip * fitting.max(1) * N;
            write_strip(&mut out, &bytes, (start, width, length)).map_err(Problem::Spool)?;
        }
        Ok(())
    })?;
    Ok(out)
}

/// Pieces of `width` bytes, from byte `start` on, `length` bytes apart.
fn write_strip(
    out: &mut File,
    bytes: &[u8],
    (start, width, length): (usize, usize, usize),
) -> std::io::Result<()> {
    if width == length {
        out.seek(SeekFrom::Start(start as u64))?;
        return out.write_all(bytes);
    }
    for (i, piece) in bytes.chunks_exact(width).enumerate() {
        out.seek(SeekFrom::Start((start + i * length) as u64))?;
        out.write_all(piece)?;
    }
    Ok(())
}
