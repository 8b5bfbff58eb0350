//! Which format a file is in.

use crate::error::Problem;
use crate::{arrow, hdf5, json_lines, mat, npy, sheet, unpack};
use std::path::Path;

/// The formats that this crate knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Npy,
    Npz,
    Mat,
    MatrixMarket,
    Parquet,
    Sheet,
    Json,
    Arrow,
    /// A zip archive of a zarr store.
    Zarr,
    Hdf5,
    /// Packed as a whole: what is inside is not known before.
    Packed,
}

const KNOWN: &str = "use .csv, .tsv, .xlsx, .jsonl, .npy, .npz, .mat, .mtx, .parquet, .feather, .h5 or .h5ad";
const WRITTEN: &str = "use .csv, .tsv, .npy, .npz, .mat, .mtx or .parquet";

/// Formats that are known by their first bytes, and not read.
const FOREIGN: [(&[u8], &str, &str); 10] = [
    (b"FEA1", "a Feather file of version 1", "save it as version 2, or as Parquet"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel file (.xls)", "save it as .xlsx"),
    (b"\xfd7zXZ", "a file packed by xz", "unpack it, or pack it with gzip or zstd"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it"),
    (b"SQLite format 3\0", "a SQLite database", "export the table as CSV"),
    (b"RDX", "R's .RData", "save the table with write.csv or saveRDS as Parquet"),
    (b"\x80\x04\x95", "a Python pickle", "save the array with numpy.save"),
    (b"\x80\x05\x95", "a Python pickle", "save the array with numpy.save"),
    (b"%PDF", "a PDF document", "give a table"),
    (b"ORC", "an ORC file", "save it as Parquet"),
];

impl Format {
    /// Whether its columns may be other things than features.
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::Text | Self::Sheet | Self::Json | Self::Parquet | Self::Arrow)
    }

    /// By the first bytes; where they tell nothing, by the ending of the name.
    pub(crate) fn detect(bytes: &[u8], name: &str) -> Result<Self, Problem> {
        if let Some((_, what, instead)) = FOREIGN.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
            return Err(Problem::unsupported(*what, *instead));
        }
        match Self::by_content(bytes) {
            Some(format) => Ok(format),
            None if bytes.is_empty() => Err(Problem::Empty { rows: 0, cols: 0 }),
            None => Self::by_ending_or_text(bytes, name),
        }
    }

    fn by_content(bytes: &[u8]) -> Option<Self> {
        match bytes {
            b if unpack::is_packed(b) => Some(Self::Packed),
            b if b.starts_with(npy::MAGIC) => Some(Self::Npy),
            b if b.starts_with(b"PK\x03\x04") || b.starts_with(b"PK\x05\x06") => Some(Self::Npz),
            b if b.starts_with(b"PAR1") => Some(Self::Parquet),
            b if arrow::is_arrow(b) => Some(Self::Arrow),
            b if hdf5::is_hdf5(b) => Some(Self::Hdf5),
            b if b.get(..14).is_some_and(|b| b.eq_ignore_ascii_case(b"%%MatrixMarket")) => {
                Some(Self::MatrixMarket)
            }
            b if mat::is_big_endian(b).is_some() => Some(Self::Mat),
            _ => None,
        }
    }

    fn by_ending_or_text(bytes: &[u8], name: &str) -> Result<Self, Problem> {
        let is_wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        match Self::by_ending(name) {
            Some(format) => Ok(format),
            None if json_lines::is_json(bytes) => Ok(Self::Json),
            None if bytes.contains(&0) && !is_wide => Err(Problem::UnknownFormat { instead: KNOWN.into() }),
            None => Ok(Self::Text),
        }
    }

    /// A zip archive may be a workbook, or something that is neither that nor arrays.
    pub(crate) fn of_archive(self, bytes: &[u8]) -> Result<Self, Problem> {
        match self {
            Self::Npz if sheet::is_workbook(bytes) => Ok(Self::Sheet),
            Self::Npz if sheet::is_store(bytes) => Ok(Self::Zarr),
            Self::Npz => match sheet::foreign(bytes) {
                Some((what, instead)) => Err(Problem::unsupported(what, instead)),
                None => Ok(Self::Npz),
            },
            other => Ok(other),
        }
    }

    /// By the ending of the name alone.
    fn by_ending(name: &str) -> Option<Self> {
        let ending = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "csv" | "tsv" | "tab" => Some(Self::Text),
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "mat" => Some(Self::Mat),
            "mtx" | "mm" => Some(Self::MatrixMarket),
            "parquet" | "pq" => Some(Self::Parquet),
            "xlsx" | "xlsm" => Some(Self::Sheet),
            "jsonl" | "ndjson" | "json" => Some(Self::Json),
            "feather" | "arrow" | "arrows" | "ipc" => Some(Self::Arrow),
            "h5" | "hdf5" | "h5ad" | "loom" => Some(Self::Hdf5),
            _ => None,
        }
    }

    /// The format to write.
    pub(crate) fn to_write(name: &str) -> Result<Self, Problem> {
        let written = [Self::Text, Self::Npy, Self::Npz, Self::Mat, Self::MatrixMarket, Self::Parquet];
        Self::by_ending(name)
            .filter(|format| written.contains(format))
            .ok_or_else(|| Problem::UnknownFormat { instead: WRITTEN.into() })
    }
}
