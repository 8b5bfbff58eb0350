//! NPY files: valid ones with changes, and headers made of parts.

use super::table::Table;
use crate::case::Case;
use crate::seeds::{NPY, npy};
use crate::{Random, mutate};

const TYPES: [&str; 16] = [
    "<f8",
    "<f4",
    ">f8",
    "|u1",
    "<f2",
    "<i8",
    ">i4",
    "|b1",
    "<u8",
    "<U3",
    "|S4",
    "<U4611686018427387904",
    "<c16",
    "O",
    "<f3",
    "",
];

const SHAPES: [&str; 16] = [
    "(2, 4)",
    "(4, 2)",
    "(8,)",
    "()",
    "(1, 0)",
    "(0, 3)",
    "(2, 2, 2)",
    "(1000000000000000000, 0)",
    "(18446744073709551615, 2)",
    "(4294967296, 4294967296)",
    "(9223372036854775807, 1)",
    "(-1, 4)",
    "(2, 4",
    "2, 4",
    "(2L, 4L)",
    "(,)",
];

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    if random.one_in(2) {
        return Box::new(Table::changed(&NPY, random));
    }
    let bytes = mutate::mutated(&of_parts(random), &NPY[0].bytes, random);
    Box::new(Table::new("x.npy", bytes, random))
}

/// A header of any type and shape, and a few entries.
pub(super) fn of_parts(random: &mut Random) -> Vec<u8> {
    let (kind, shape) = (random.pick(&TYPES), random.pick(&SHAPES));
    let order = random.pick(&["True", "False", "false", "1"]);
    let header = format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let entries: Vec<u8> = (0..random.pick(&[0, 8, 63, 64, 65])).map(|_| random.bits() as u8).collect();
    npy(&header, &entries)
}
