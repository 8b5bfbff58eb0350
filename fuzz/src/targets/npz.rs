//! NPZ files: the archive with changes, and whole archives whose arrays have changes.
#![expect(clippy::expect_used, reason = "an archive in memory can be written")]

use std::io::{Cursor, Read, Write};
use std::sync::LazyLock;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::{npy, table::Table};
use crate::case::Case;
use crate::seeds::NPZ;
use crate::{Random, mutate};

pub(super) type Arrays = Vec<(String, Vec<u8>)>;

/// The arrays inside the valid archives.
static INSIDE: LazyLock<Vec<Arrays>> =
    LazyLock::new(|| NPZ.iter().map(|seed| unpacked(&seed.bytes)).collect());

const NAMES: [&str; 12] = [
    "X.npy",
    "y.npy",
    "columns.npy",
    "format.npy",
    "shape.npy",
    "indptr.npy",
    "indices.npy",
    "data.npy",
    "row.npy",
    "../x.npy",
    "X",
    "",
];

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    if random.one_in(3) {
        return Box::new(Table::changed(&NPZ, random));
    }
    let mut arrays = random.choose(&INSIDE).clone();
    for _ in 0..random.within(1, 2) {
        change(&mut arrays, random);
    }
    let mut bytes = archive(&arrays, random);
    if random.one_in(6) {
        mutate::mutate(&mut bytes, &NPZ[0].bytes, random);
    }
    Box::new(Table::new("x.npz", bytes, random))
}

/// Another array, another name, one less, or one more.
fn change(arrays: &mut Arrays, random: &mut Random) {
    let at = random.below(arrays.len());
    let others = random.choose(&INSIDE);
    let other = random.choose(others).1.clone();
    match random.below(6) {
        0 => arrays.push((random.pick(&NAMES).into(), other)),
        1 if !arrays.is_empty() => drop(arrays.remove(at)),
        2 => arrays.push((random.pick(&NAMES).into(), npy::of_parts(random))),
        _ => {
            if let Some((name, bytes)) = arrays.get_mut(at) {
                mutate::mutate(bytes, &other, random);
                if random.one_in(6) {
                    *name = random.pick(&NAMES).into();
                }
            }
        }
    }
}

/// What an archive holds.
pub(super) fn unpacked(bytes: &[u8]) -> Arrays {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a valid archive");
    let count = archive.len();
    let array = |at: usize| {
        let mut file = archive.by_index(at).expect("a valid archive");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("a valid archive");
        (file.name().expect("a valid archive").into_owned(), bytes)
    };
    (0..count).map(array).collect()
}

/// An archive of these files.
pub(super) fn archive(arrays: &Arrays, random: &mut Random) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let method = random.pick(&[CompressionMethod::Stored, CompressionMethod::Deflated]);
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in arrays {
        // Two arrays of one name are refused by the writer.
        if zip.start_file(name.as_str(), options).is_ok() {
            zip.write_all(bytes).expect("room in memory");
        }
    }
    zip.finish().expect("room in memory").into_inner()
}
