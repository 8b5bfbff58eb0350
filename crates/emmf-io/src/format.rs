//! Which format a file is in.

use crate::error::Problem;
use crate::{mat, npy};
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
}

const KNOWN: &str = "use .csv, .tsv, .npy, .npz, .mat, .mtx or .parquet";
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

impl Format {
    /// By the first bytes; where they tell nothing, by the ending of the name.
    pub(crate) fn detect(bytes: &[u8], name: &str) -> Result<Self, Problem> {
        if bytes.starts_with(HDF5) || bytes.get(512..).is_some_and(|b| b.starts_with(HDF5)) {
            return Err(Problem::unsupported(
                "HDF5 (MATLAB 7.3)",
                "load it in MATLAB and save it with `save -v7`, or convert it with h5py to .npz",
            ));
        }
        match Self::by_content(bytes) {
            Some(format) => Ok(format),
            None if bytes.is_empty() => Err(Problem::Empty { rows: 0, cols: 0 }),
            None => Self::by_ending_or_text(bytes, name),
        }
    }

    fn by_content(bytes: &[u8]) -> Option<Self> {
        match bytes {
            b if b.starts_with(npy::MAGIC) => Some(Self::Npy),
            b if b.starts_with(b"PK\x03\x04") || b.starts_with(b"PK\x05\x06") => Some(Self::Npz),
            b if b.starts_with(b"PAR1") => Some(Self::Parquet),
            b if b.get(..14).is_some_and(|b| b.eq_ignore_ascii_case(b"%%MatrixMarket")) => {
                Some(Self::MatrixMarket)
            }
            b if mat::is_big_endian(b).is_some() => Some(Self::Mat),
            _ => None,
        }
    }

    fn by_ending_or_text(bytes: &[u8], name: &str) -> Result<Self, Problem> {
        let packed: [&[u8]; 4] = [b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ"];
        if packed.iter().any(|magic| bytes.starts_with(magic)) {
            return Err(Problem::UnknownFormat { instead: "it is compressed; decompress it first".into() });
        }
        match Self::by_ending(name) {
            Some(format) => Ok(format),
            None if bytes.contains(&0) => Err(Problem::UnknownFormat { instead: KNOWN.into() }),
            None => Ok(Self::Text),
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
            _ => None,
        }
    }

    /// The format to write.
    pub(crate) fn to_write(name: &str) -> Result<Self, Problem> {
        Self::by_ending(name).ok_or_else(|| Problem::UnknownFormat { instead: KNOWN.into() })
    }
}
