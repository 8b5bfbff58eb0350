//! Zarr stores in archives: the archive with changes, and whole archives whose files have changes.

use std::sync::LazyLock;

use super::npz::{Arrays, archive, unpacked};
use super::table::Table;
use crate::case::Case;
use crate::seeds::ZARR;
use crate::{Random, mutate};

/// The files inside the valid archives.
static INSIDE: LazyLock<Vec<Arrays>> =
    LazyLock::new(|| ZARR.iter().map(|seed| unpacked(&seed.bytes)).collect());

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    if random.one_in(3) {
        return Box::new(Table::changed(&ZARR, random));
    }
    let mut files = random.choose(&INSIDE).clone();
    for _ in 0..random.within(1, 2) {
        let (at, others) = (random.below(files.len()), random.choose(&INSIDE));
        let (name, other) = random.choose(others).clone();
        match random.below(6) {
            0 => files.push((name, other)),
            1 if files.len() > 1 => drop(files.remove(at)),
            2 => files[at].1 = other,
            _ => mutate::mutate(&mut files[at].1, &other, random),
        }
    }
    let bytes = archive(&files, random);
    Box::new(Table::new("x.zip", bytes, random))
}
