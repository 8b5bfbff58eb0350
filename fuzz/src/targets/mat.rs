//! MATLAB files: valid ones with changes, raw and inside zlib, and elements made of parts.

use std::io::Read;
use std::sync::LazyLock;

use super::table::Table;
use crate::case::Case;
use crate::mutate::SIZES;
use crate::seeds::{MAT, element, packed};
use crate::{Random, mutate};

/// The head of a file.
const HEAD: usize = 128;
/// The tag of an element inside zlib.
const PACKED: u32 = 15;

/// The elements of the valid files after the head, unpacked where they were packed.
static INSIDE: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| MAT.iter().map(|seed| unpacked(&seed.bytes)).collect());

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    if random.one_in(3) {
        return Box::new(Table::changed(&MAT, random));
    }
    let inside = if random.one_in(4) { of_parts(random) } else { random.choose(&INSIDE).clone() };
    let other = random.choose(&INSIDE);
    let inside = mutate::mutated(&inside, other, random);
    let mut bytes = random.choose(&MAT).bytes.clone();
    bytes.truncate(HEAD);
    bytes.extend(if random.one_in(2) { element(PACKED, &packed(&inside)) } else { inside });
    Box::new(Table::new("x.mat", bytes, random))
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let body = bytes.get(HEAD..).unwrap_or_default();
    let word = |at: usize| body.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    if word(0) != Some(PACKED) {
        return body.to_vec();
    }
    let mut inside = Vec::new();
    // Of a file with several packed variables, the first.
    let read = flate2::read::ZlibDecoder::new(&body[8..]).read_to_end(&mut inside);
    read.map_or_else(|_| body.to_vec(), |_| inside)
}

/// A matrix of any class and size.
fn of_parts(random: &mut Random) -> Vec<u8> {
    let size = |random: &mut Random| {
        if random.one_in(2) { random.below(5) as u32 } else { random.pick(&SIZES) as u32 }
    };
    let class = random.pick(&[1, 4, 5, 6, 7, 9, 13, 17, 0, 3, 99]);
    let flags = [class, size(random)].map(u32::to_le_bytes).concat();
    let dims =
        (0..random.pick(&[2, 2, 2, 1, 3, 0])).flat_map(|_| size(random).to_le_bytes()).collect::<Vec<_>>();
    let reals: Vec<u8> = (0..random.pick(&[0, 8, 32, 64])).map(|_| random.bits() as u8).collect();
    let mut parts = element(6, &flags);
    parts.extend(padded(element(5, &dims)));
    parts.extend(padded(element(1, random.pick(&[&b"X"[..], b"fea", b"", b"gnd"]))));
    for _ in 0..random.within(0, 4) {
        let kind = random.pick(&[1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 14, 15, 16]);
        parts.extend(padded(element(kind, &reals)));
    }
    element(14, &parts)
}

/// Elements begin at multiples of eight bytes.
fn padded(mut element: Vec<u8>) -> Vec<u8> {
    element.resize(element.len().next_multiple_of(8), 0);
    element
}
