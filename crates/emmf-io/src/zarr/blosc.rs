//! Blosc, which packs blocks of numbers whose bytes it has sorted by their places.

use crate::codec;
use crate::error::Problem;
use crate::inflate::Allowance;

/// Bytes in front of everything.
const HEAD: usize = 16;
const WORD: usize = 4;

// What the flags say.
const BYTES_SORTED: u8 = 1;
const NOT_PACKED: u8 = 2;
const BITS_SORTED: u8 = 4;
const NOT_SPLIT: u8 = 16;

/// Blocks of larger entries, or of fewer of them, are packed as a whole.
const MOST_STREAMS: usize = 16;
const FEWEST_ENTRIES: usize = 128;

const PLACE: &str = "a chunk";

fn damaged() -> Problem {
    Problem::malformed(PLACE, "its Blosc blocks contradict each other")
}

struct Head {
    flags: u8,
    entry: usize,
    block: usize,
}

pub(super) fn unpack(bytes: &[u8], allowance: &mut Allowance<'_>) -> Result<Vec<u8>, Problem> {
    let word = |at: usize| {
        let bytes = bytes.get(at..).and_then(|rest| rest.first_chunk()).ok_or_else(damaged)?;
        Ok::<_, Problem>(u32::from_le_bytes(*bytes) as usize)
    };
    let (size, block) = (word(4)?, word(8)?);
    let [_, _, flags, entry, ..] = *bytes else { return Err(damaged()) };
    let head = Head { flags, entry: usize::from(entry).max(1), block };
    let mut out = allowance.room(size, PLACE)?;
    if flags & NOT_PACKED != 0 {
        let stored = bytes.get(HEAD..).and_then(|rest| rest.get(..size)).ok_or_else(damaged)?;
        out.copy_from_slice(stored);
        return Ok(out);
    }
    if block == 0 && size > 0 {
        return Err(damaged());
    }
    let mut sorted = allowance.room(block.min(size), PLACE)?;
    for (number, piece) in out.chunks_mut(block.max(1)).enumerate() {
        let from = bytes.get(word(HEAD + WORD * number)?..).ok_or_else(damaged)?;
        let sorted = &mut sorted[..piece.len()];
        head.block(from, sorted, allowance)?;
        head.unsort(sorted, piece);
    }
    Ok(out)
}

impl Head {
    /// Unpacks a block, which is in one piece or in as many as an entry has bytes.
    fn block(&self, mut from: &[u8], out: &mut [u8], allowance: &mut Allowance<'_>) -> Result<(), Problem> {
        let is_split = self.flags & NOT_SPLIT == 0
            && self.entry <= MOST_STREAMS
            && self.block / self.entry >= FEWEST_ENTRIES
            && out.len() == self.block;
        let length = if is_split { out.len() / self.entry } else { out.len() };
        for piece in out.chunks_mut(length.max(1)) {
            let (size, rest) = from.split_first_chunk().ok_or_else(damaged)?;
            let size = u32::from_le_bytes(*size) as usize;
            let (packed, rest) = rest.split_at_checked(size).ok_or_else(damaged)?;
            from = rest;
            if size == piece.len() {
                piece.copy_from_slice(packed);
            } else {
                self.piece(packed, piece, allowance)?;
            }
        }
        Ok(())
    }

    fn piece(&self, packed: &[u8], out: &mut [u8], allowance: &mut Allowance<'_>) -> Result<(), Problem> {
        let whole = match self.flags >> 5 {
            0 => return blosclz(packed, out).ok_or_else(damaged),
            1 => return codec::lz4_block(packed, out, PLACE),
            3 => allowance.read(flate2::read::ZlibDecoder::new(packed), PLACE)?,
            4 => codec::zstd(packed, allowance, PLACE)?,
            _ => {
                let instead = "pack it with LZ4 or zstd inside of Blosc";
                return Err(Problem::unsupported("a chunk packed by Snappy", instead));
            }
        };
        if whole.len() != out.len() {
            return Err(damaged());
        }
        out.copy_from_slice(&whole);
        Ok(())
    }

    /// Puts bytes or bits back to the entries that they are from.
    fn unsort(&self, sorted: &[u8], out: &mut [u8]) {
        let count = sorted.len() / self.entry;
        let whole = count * self.entry;
        out.copy_from_slice(sorted);
        if self.flags & BITS_SORTED != 0 {
            if count.is_multiple_of(8) {
                unsort_bits(&sorted[..whole], count, &mut out[..whole]);
            }
        } else if self.flags & BYTES_SORTED != 0 && self.entry > 1 {
            for (at, bytes) in sorted[..whole].chunks_exact(count.max(1)).enumerate() {
                let places = out[at..whole].iter_mut().step_by(self.entry);
                places.zip(bytes).for_each(|(to, from)| *to = *from);
            }
        }
    }
}

/// First the lowest bits of the first bytes of all entries, then the next ones, and so on.
fn unsort_bits(sorted: &[u8], count: usize, out: &mut [u8]) {
    out.fill(0);
    let entry = sorted.len() / count.max(1);
    for (bit, row) in sorted.chunks_exact((count / 8).max(1)).enumerate() {
        let (byte, place) = (bit / 8, bit % 8);
        for i in 0..count {
            out[i * entry + byte] |= (row[i / 8] >> (i % 8) & 1) << place;
        }
    }
}

/// Blosc's own packer: runs of bytes as they are, and copies of what came before.
fn blosclz(packed: &[u8], out: &mut [u8]) -> Option<()> {
    /// A distance that does not fit where distances are.
    const FAR: usize = 31 << 8;
    const FARTHEST_NEAR: usize = 8191;
    let mut bytes = packed.iter().copied();
    let mut at = 0;
    let mut control = bytes.next()? & 31;
    loop {
        if control < 32 {
            for _ in 0..=control {
                *out.get_mut(at)? = bytes.next()?;
                at += 1;
            }
        } else {
            let (mut length, offset) = (usize::from(control >> 5) + 2, usize::from(control & 31) << 8);
            if length == 9 {
                loop {
                    let more = bytes.next()?;
                    length += usize::from(more);
                    if more != u8::MAX {
                        break;
                    }
                }
            }
            let low = bytes.next()?;
            let distance = if low == u8::MAX && offset == FAR {
                (usize::from(bytes.next()?) << 8) + usize::from(bytes.next()?) + FARTHEST_NEAR + 1
            } else {
                offset + usize::from(low) + 1
            };
            let from = at.checked_sub(distance)?;
            let end = at.checked_add(length).filter(|&end| end <= out.len())?;
            // What is copied may be what was just written.
            (at..end).zip(from..).for_each(|(to, from)| out[to] = out[from]);
            at = end;
        }
        match bytes.next() {
            Some(next) => control = next,
            None => return (at == out.len()).then_some(()),
        }
    }
}
