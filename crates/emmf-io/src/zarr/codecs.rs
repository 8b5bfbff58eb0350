//! How the chunks of a store are packed.

use super::blosc;
use crate::codec;
use crate::error::Problem;
use crate::inflate::Allowance;

/// One way to pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Blosc,
    Bzip2,
    Gzip,
    Lz4,
    Zlib,
    Zstd,
}

impl Codec {
    /// By its name in either version.
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name.trim_start_matches("numcodecs.") {
            "blosc" => Self::Blosc,
            "bz2" => Self::Bzip2,
            "gzip" => Self::Gzip,
            "lz4" => Self::Lz4,
            "zlib" => Self::Zlib,
            "zstd" => Self::Zstd,
            _ => return None,
        })
    }

    /// Unpacks bytes within the allowance.
    pub(super) fn unpack(self, bytes: &[u8], allowance: &mut Allowance<'_>) -> Result<Vec<u8>, Problem> {
        const PLACE: &str = "a chunk";
        match self {
            Self::Blosc => blosc::unpack(bytes, allowance),
            Self::Bzip2 => allowance.read(bzip2::read::MultiBzDecoder::new(bytes), PLACE),
            Self::Gzip => allowance.read(flate2::read::MultiGzDecoder::new(bytes), PLACE),
            Self::Zlib => allowance.read(flate2::read::ZlibDecoder::new(bytes), PLACE),
            Self::Zstd => codec::zstd(bytes, allowance, PLACE),
            Self::Lz4 => {
                let cut = || Problem::malformed(PLACE, "it is cut off");
                let (size, packed) = bytes.split_first_chunk().ok_or_else(cut)?;
                let mut out = allowance.room(u32::from_le_bytes(*size) as usize, PLACE)?;
                codec::lz4_block(packed, &mut out, PLACE)?;
                Ok(out)
            }
        }
    }
}
