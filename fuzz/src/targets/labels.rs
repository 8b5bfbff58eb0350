//! Labels alone.

use emmf_io::read_labels_bytes;

use super::table::Table;
use crate::Random;
use crate::case::{Answer, Case, Verdict, refused};
use crate::seeds::{ARROW, CSV, HDF5, JSON, MAT, MTX, NPY, NPZ, PARQUET, SHEET, ZARR};

struct Labels {
    file: Table,
    wanted: Option<&'static str>,
}

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    let seeds = match random.below(14) {
        0 => &MAT,
        1 => &MTX,
        2 => &NPY,
        3 => &NPZ,
        4 => &PARQUET,
        5 => &HDF5,
        6 => &SHEET,
        7 => &JSON,
        8 => &ARROW,
        9 => &ZARR,
        _ => &CSV,
    };
    let file = Table::changed(seeds, random);
    let wanted = random.pick(&[None, None, Some("y"), Some("label"), Some("-1"), Some("1"), Some("")]);
    Box::new(Labels { file, wanted })
}

impl Case for Labels {
    fn check(&self) -> Verdict {
        match read_labels_bytes(&self.file.bytes, &self.file.name, self.wanted, &self.file.options.budget) {
            Err(error) => refused(&error, &self.file.name),
            Ok(_) => Ok(Answer::Taken),
        }
    }

    fn show(&self) -> String {
        format!("{}, the labels {:?}", self.file.show(), self.wanted)
    }

    fn bytes(&self) -> Vec<u8> {
        self.file.bytes.clone()
    }
}
