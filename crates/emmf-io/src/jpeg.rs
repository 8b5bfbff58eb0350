//! Whether a JPEG file is whole. The decoder makes up what is missing, and takes memory for what the header says.

/// Pixels of a block, which takes a bit at the least.
const BLOCK: u64 = 64;
/// Colours may be stored at a half of the resolution either way.
const COARSER: u64 = 4;

const FILL: u8 = 0xff;
const SCAN: u8 = 0xda;
const END: u8 = 0xd9;

/// Whether all segments are there up to the one that ends the image.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    walk(bytes).is_some()
}

/// Whether so many bytes can hold so many pixels.
pub(crate) fn can_hold(bytes: usize, pixels: u64) -> bool {
    pixels / (BLOCK * COARSER) <= 8 * bytes as u64
}

/// From segment to segment to the end of the image; `None` where the file ends before.
fn walk(bytes: &[u8]) -> Option<()> {
    let mut at = 2;
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == FILL)?;
        at += bytes.get(at..)?.iter().position(|&byte| byte != FILL)?;
        match bytes[at] {
            END => return Some(()),
            // What stands by itself: a byte of the pixels, restarts, nothing.
            0x00 | 0x01 | 0xd0..=0xd8 => at += 1,
            kind => {
                let length = bytes.get(at + 1..at + 3)?;
                at += 1 + usize::from(u16::from_be_bytes([length[0], length[1]]));
                if kind == SCAN {
                    at += pixels(bytes.get(at..)?)?;
                }
            }
        }
    }
}

/// How many bytes of pixels there are before the next segment.
fn pixels(bytes: &[u8]) -> Option<usize> {
    let is_segment = |pair: &[u8]| pair[0] == FILL && !matches!(pair[1], 0x00 | FILL | 0xd0..=0xd7);
    bytes.windows(2).position(is_segment)
}
