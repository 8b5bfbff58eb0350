//! Valid bytes made hostile: flipped, cut, repeated, spliced, and with other numbers where there are numbers.

use std::ops::Range;

use crate::Random;

/// Sizes, counts and offsets at which something may go wrong.
pub(crate) const SIZES: [u64; 22] = [
    0,
    1,
    2,
    7,
    63,
    127,
    255,
    256,
    4095,
    8224,
    0x7fff,
    0xffff,
    0x1_0000,
    0x100_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x100_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Numbers as texts that may be hard to take.
pub(crate) const NUMBERS: [&str; 24] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e-320",
    "1e-200",
    "1e150",
    "1e308",
    "-1e308",
    "1e309",
    "nan",
    "inf",
    "-inf",
    "65535",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "99999999999999999999999999",
    "1.7976931348623157e308",
    "0x10",
    "",
];

type Change = fn(&mut Vec<u8>, &[u8], &mut Random);

const CHANGES: [Change; 12] = [
    |bytes, _, random| flip(bytes, random),
    |bytes, _, random| set(bytes, random),
    |bytes, _, random| cut_end(bytes, random),
    |bytes, _, random| cut_out(bytes, random),
    |bytes, _, random| repeat(bytes, random),
    splice,
    |bytes, _, random| count(bytes, random),
    |bytes, _, random| count(bytes, random),
    |bytes, _, random| number(bytes, random),
    |bytes, _, random| number(bytes, random),
    |bytes, _, random| swap_words(bytes, random),
    |bytes, _, random| repeat_line(bytes, random),
];

/// No input grows beyond this: large ones are slow, not hostile.
const MOST_BYTES: usize = 1 << 16;

/// A few changes; rarely none. `other` is a second valid input, of which parts may be taken.
pub(crate) fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    if random.one_in(24) {
        return;
    }
    for _ in 0..random.pick(&[1, 1, 1, 2, 2, 3, 5, 8]) {
        random.pick(&CHANGES)(bytes, other, random);
        bytes.truncate(MOST_BYTES);
    }
}

/// A changed copy.
pub(crate) fn mutated(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    mutate(&mut bytes, other, random);
    bytes
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn set(bytes: &mut [u8], random: &mut Random) {
    let at = random.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte = if random.one_in(2) {
            random.pick(b"\0\x01\x7f\x80\xff ,;\t\n\r\"'-.e(")
        } else {
            random.bits() as u8
        };
    }
}

fn cut_end(bytes: &mut Vec<u8>, random: &mut Random) {
    bytes.truncate(random.below(bytes.len() + 1));
}

fn cut_out(bytes: &mut Vec<u8>, random: &mut Random) {
    let span = random.span(bytes.len());
    bytes.drain(span);
}

fn repeat(bytes: &mut Vec<u8>, random: &mut Random) {
    let part = bytes[random.span(bytes.len())].to_vec();
    let (at, times) = (random.below(bytes.len() + 1), random.pick(&[1, 1, 2, 40]));
    bytes.splice(at..at, part.repeat(times));
}

fn splice(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let (from, to) = (random.span(other.len()), random.span(bytes.len()));
    bytes.splice(to, other[from].iter().copied());
}

/// A binary number of two, four or eight bytes.
fn count(bytes: &mut [u8], random: &mut Random) {
    let width = random.pick(&[2, 4, 4, 8]);
    let Some(last) = bytes.len().checked_sub(width) else { return };
    // Counts are aligned more often than not.
    let at = if random.one_in(3) { random.below(last + 1) } else { random.below(last / 4 + 1) * 4 };
    let small = random.below(2 * bytes.len() + 2) as u64;
    let value =
        if random.one_in(3) { small } else { random.pick(&SIZES).wrapping_sub(random.below(2) as u64) };
    let mut word = value.to_le_bytes();
    let word = &mut word[..width];
    if random.one_in(3) {
        word.reverse();
    }
    bytes[at..at + width].copy_from_slice(word);
}

/// A number in the text.
fn number(bytes: &mut Vec<u8>, random: &mut Random) {
    let numeral = |byte: u8| byte.is_ascii_digit() || byte == b'.' || byte == b'-';
    if let Some(run) = run_at(bytes, random.below(bytes.len()), numeral) {
        let text =
            if random.one_in(4) { random.below(300).to_string() } else { random.pick(&NUMBERS).to_owned() };
        bytes.splice(run, text.bytes());
    }
}

/// The first run of such bytes from `at` on.
fn run_at(bytes: &[u8], at: usize, within: impl Fn(u8) -> bool) -> Option<Range<usize>> {
    let start = at + bytes.get(at..)?.iter().position(|&byte| within(byte))?;
    let length = bytes[start..].iter().position(|&byte| !within(byte)).unwrap_or(bytes.len() - start);
    Some(start..start + length)
}

/// Two fields of the text change places.
fn swap_words(bytes: &mut Vec<u8>, random: &mut Random) {
    let within = |byte: u8| !b",;\t\n\r =:[](){}\"'".contains(&byte);
    let word = |random: &mut Random| run_at(bytes, random.below(bytes.len()), within);
    let (Some(a), Some(b)) = (word(random), word(random)) else { return };
    let (a, b) = if a.start < b.start { (a, b) } else { (b, a) };
    if a.end <= b.start {
        let first = bytes[a.clone()].to_vec();
        let second = bytes.splice(b, first).collect::<Vec<_>>();
        bytes.splice(a, second);
    }
}

fn repeat_line(bytes: &mut Vec<u8>, random: &mut Random) {
    if let Some(line) = run_at(bytes, random.below(bytes.len()), |byte| byte != b'\n') {
        let mut copy = bytes[line.clone()].to_vec();
        copy.insert(0, b'\n');
        let at = if random.one_in(2) { line.end } else { bytes.len() };
        bytes.splice(at..at, copy);
    }
}
