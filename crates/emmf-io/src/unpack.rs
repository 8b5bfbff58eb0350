//! Files that are packed as a whole: gzip, bzip2 and zstd.

use crate::budget::Budget;
use crate::codec;
use crate::error::Problem;
use crate::inflate::Allowance;
use std::borrow::Cow;
use std::io::{self, Read};

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Gzip,
    Bzip2,
    Zstd,
}

impl Packing {
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bzip2),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

/// Whether the first bytes are those of a packed file.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    Packing::of(head).is_some()
}

/// So many of the first bytes as they were before they were packed, or fewer where that is not known from these.
pub(crate) fn begin(head: &[u8], count: usize) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let limit = count as u64;
    let read = match Packing::of(head) {
        None => head.take(limit).read_to_end(&mut unpacked),
        Some(Packing::Gzip) => flate2::read::MultiGzDecoder::new(head).take(limit).read_to_end(&mut unpacked),
        Some(Packing::Bzip2) => bzip2::read::MultiBzDecoder::new(head).take(limit).read_to_end(&mut unpacked),
        Some(Packing::Zstd) => begin_of_zstd(head, limit, &mut unpacked),
    };
    // A packed file that is cut off may give some bytes before it fails.
    read.ok();
    unpacked
}

/// The bytes as they were before they were packed, and the name without the ending that says so. What is not packed stays
/// as it is.
pub(crate) fn unpacked<'b, 'n>(
    bytes: Cow<'b, [u8]>,
    name: &'n str,
    budget: &Budget,
) -> Result<(Cow<'b, [u8]>, &'n str), Problem> {
    let Some(packing) = Packing::of(&bytes) else { return Ok((bytes, name)) };
    let mut allowance = Allowance::for_input(bytes.len(), budget);
    let inner = match packing {
        Packing::Gzip => allowance.read(flate2::read::MultiGzDecoder::new(&*bytes), "the packed file")?,
        Packing::Bzip2 => allowance.read(bzip2::read::MultiBzDecoder::new(&*bytes), "the packed file")?,
        Packing::Zstd => codec::zstd(&bytes, &mut allowance, "the packed file")?,
    };
    Ok((inner.into(), without_ending(name)))
}

fn without_ending(name: &str) -> &str {
    let endings = [".gz", ".bz2", ".zst", ".zstd"];
    endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

#[cfg(feature = "parquet")]
fn begin_of_zstd(head: &[u8], limit: u64, unpacked: &mut Vec<u8>) -> io::Result<usize> {
    zstd::stream::read::Decoder::with_buffer(head)?.take(limit).read_to_end(unpacked)
}

#[cfg(not(feature = "parquet"))]
fn begin_of_zstd(_: &[u8], _: u64, _: &mut Vec<u8>) -> io::Result<usize> {
    Ok(0)
}
