//! No bytes make a reader panic, hang or allocate what a header promises.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use crate::common;

use common::{fixture, message};
use emmf_io::{Budget, ReadOptions, read_bytes, read_labels_bytes};
use proptest::prelude::*;
use std::io::Write;

/// Endings that lead to every reader.
const NAMES: [&str; 8] = ["x.csv", "x.npy", "x.npz", "x.mat", "x.mtx", "x.parquet", "x.arrow", "x"];
/// First bytes of every format, some of them with a part of a header.
const MAGIC: [&[u8]; 11] = [
    b"\x93NUMPY\x01\x00",
    b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }  \n",
    b"PK\x03\x04",
    b"PAR1",
    b"%%MatrixMarket matrix coordinate real general\n",
    b"%%MatrixMarket matrix array real symmetric\n3 3\n",
    b"\x89HDF\r\n\x1a\n",
    b"ARROW1\0\0\xff\xff\xff\xff\x40\0\0\0\x10\0\0\0",
    b"\xff\xff\xff\xff\x40\0\0\0\x10\0\0\0",
    b"a,b,label\n1,2,",
    b"",
];

/// Reads in every way; only the time and the memory matter.
fn survive(bytes: &[u8], name: &str) {
    let options = ReadOptions::default();
    read_bytes(bytes, name, &options).ok();
    read_bytes(bytes, name, &ReadOptions { labels: Some("-1".into()), ..options }).ok();
    read_labels_bytes(bytes, name, None, &Budget::default()).ok();
    assert!(peak_memory() < 1 << 30, "{name} used {} bytes", peak_memory());
}

/// The most memory this process ever used, where the system tells.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_ascii_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// The start of a MATLAB file, then whatever comes.
fn matlab(rest: &[u8], big_endian: bool) -> Vec<u8> {
    let mut bytes = vec![b' '; 124];
    bytes.extend(if big_endian { *b"\x01\x00MI" } else { *b"\x00\x01IM" });
    bytes.extend(rest);
    bytes
}

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(fixture("")).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = files
        .map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap()))
        .collect();
    files.sort();
    files
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..600), name in 0..NAMES.len()) {
        survive(&bytes, NAMES[name]);
    }

    #[test]
    fn random_text(text in "[-0-9a-z,;\t\n\r\" .#%]{0,200}", name in 0..NAMES.len()) {
        survive(text.as_bytes(), NAMES[name]);
    }

    #[test]
    fn random_bytes_after_a_magic(
        rest in proptest::collection::vec(any::<u8>(), 0..300),
        magic in 0..MAGIC.len(),
        big_endian: bool,
    ) {
        survive(&[MAGIC[magic], &rest[..]].concat(), "x");
        survive(&[MAGIC[magic], &rest[..], b"PAR1"].concat(), "x");
        survive(&matlab(&rest, big_endian), "x");
    }

    #[test]
    fn random_matlab_elements(
        words in proptest::collection::vec(prop_oneof![0_u32..20, 0_u32..200, any::<u32>()], 0..60),
    ) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        survive(&matlab(&bytes, false), "x");
    }

    #[test]
    fn damaged_files(
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        length in any::<prop::sample::Index>(),
        cut: bool,
    ) {
        for (name, mut bytes) in fixtures() {
            for (at, value) in &flips {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
            if cut {
                bytes.truncate(length.index(bytes.len()));
            }
            survive(&bytes, &name);
        }
    }
}

#[test]
fn every_cut_of_every_file() {
    for (name, bytes) in fixtures() {
        for length in 0..bytes.len() {
            survive(&bytes[..length], &name);
        }
    }
}

fn refused(bytes: &[u8], name: &str) -> String {
    survive(bytes, name);
    message(read_bytes(bytes, name, &ReadOptions::default()))
}

#[test]
fn promises_that_the_bytes_do_not_keep() {
    let npy = |descr: &str, shape: &str| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': True, 'shape': {shape}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &[0; 64]].concat()
    };
    assert!(refused(&npy("<f8", "(1000000000, 1000000000)"), "x.npy").contains("only 64 bytes"));
    assert!(refused(&npy("<f8", "(18446744073709551615, 2)"), "x.npy").contains("only 64 bytes"));
    assert!(refused(&npy("|u1", "(1000000000000000000, 0)"), "x.npy").contains("holds no numbers"));
    assert!(refused(&npy("<U0", "(1000000000000000000,)"), "x.npy").contains("cannot be read"));
    assert!(refused(&npy("<U4611686018427387904", "(5,)"), "x.npy").contains("damaged"));
    // No texts, each of more bytes than can be counted together with what a text takes.
    survive(&npy("|S18446744073709551615", "(0,)"), "x.npy");
    survive(&npy("<U18446744073709551615", "(0,)"), "x.npy");
    let mtx = |rest: &str| format!("%%MatrixMarket matrix {rest}\n").into_bytes();
    let sparse = mtx("coordinate real general\n1000000000000000000 5 1\n1 1 1");
    assert!(refused(&sparse, "x.mtx").contains("only 1 entries"));
    assert!(
        refused(&mtx("coordinate real general\n5 5 1000000000000\n1 1 1"), "x.mtx").contains("only 1 of")
    );
    assert!(refused(&mtx("array real general\n1000000000 1000000000\n1"), "x.mtx").contains("more than"));
    assert!(refused(&mtx("coordinate real general\n2 2 1\n0 1 1"), "x.mtx").contains("line 3"));
    assert!(refused(&mtx("coordinate real general\n2 2 1\n3 1 1"), "x.mtx").contains("line 3"));
}

#[test]
fn a_zip_bomb_is_stopped() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("X.npy", zip::write::SimpleFileOptions::default()).unwrap();
    let zeros = vec![0; 1 << 20];
    (0..600).for_each(|_| zip.write_all(&zeros).unwrap());
    let bytes = zip.finish().unwrap().into_inner();
    assert!(bytes.len() < 1 << 20);
    let text = message(read_bytes(&bytes, "x.npz", &ReadOptions::default()));
    assert!(text.contains("unpacks to more than"), "{text}");
}

#[test]
fn a_bomb_in_a_matlab_file_is_stopped() {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![0; 1 << 20];
    (0..600).for_each(|_| packer.write_all(&zeros).unwrap());
    let packed = packer.finish().unwrap();
    let tag = [15_u32.to_le_bytes(), (packed.len() as u32).to_le_bytes()].concat();
    let bytes = matlab(&[tag, packed].concat(), false);
    let text = message(read_bytes(&bytes, "x.mat", &ReadOptions::default()));
    assert!(text.contains("unpacks to more than"), "{text}");
}
