//! Bytes that are packed inside of files, where the libraries for that are built in.

use crate::error::Problem;
use crate::inflate::Allowance;

#[cfg(feature = "parquet")]
pub(crate) use with::{lz4_block, lz4_frame, zstd};

#[cfg(feature = "parquet")]
mod with {
    use super::{Allowance, Problem};

    /// What packers use unless they are told to take gigabytes.
    const LARGEST_WINDOW: u32 = 27;

    pub(crate) fn zstd(bytes: &[u8], allowance: &mut Allowance<'_>, place: &str) -> Result<Vec<u8>, Problem> {
        let failed = |error| Problem::malformed(place, format!("cannot be unpacked ({error})"));
        let mut reader = zstd::stream::read::Decoder::with_buffer(bytes).map_err(failed)?;
        reader.window_log_max(LARGEST_WINDOW).map_err(failed)?;
        allowance.read(reader, place)
    }

    pub(crate) fn lz4_frame(
        bytes: &[u8],
        allowance: &mut Allowance<'_>,
        place: &str,
    ) -> Result<Vec<u8>, Problem> {
        allowance.read(lz4_flex::frame::FrameDecoder::new(bytes), place)
    }

    /// Fills `out` exactly.
    pub(crate) fn lz4_block(bytes: &[u8], out: &mut [u8], place: &str) -> Result<(), Problem> {
        match lz4_flex::block::decompress_into(bytes, out) {
            Ok(written) if written == out.len() => Ok(()),
            _ => Err(Problem::malformed(place, "cannot be unpacked")),
        }
    }
}

#[cfg(not(feature = "parquet"))]
mod without {
    use super::{Allowance, Problem};

    fn missing(what: &str) -> Problem {
        Problem::unsupported(what, "build emmf-io with the feature `parquet`, or save it without compression")
    }

    pub(crate) fn zstd(_: &[u8], _: &mut Allowance<'_>, _: &str) -> Result<Vec<u8>, Problem> {
        Err(missing("zstd"))
    }

    pub(crate) fn lz4_frame(_: &[u8], _: &mut Allowance<'_>, _: &str) -> Result<Vec<u8>, Problem> {
        Err(missing("LZ4"))
    }

    pub(crate) fn lz4_block(_: &[u8], _: &mut [u8], _: &str) -> Result<(), Problem> {
        Err(missing("LZ4"))
    }
}

#[cfg(not(feature = "parquet"))]
pub(crate) use without::{lz4_block, lz4_frame, zstd};
