//! Sizes of files, and samples read from where they are.

use std::fs;
use std::path::Path;

use emmf::RowSource;
use emmf_io::{FileRows, file_size, read, stream};

use super::npy;
use super::table::{Table, sound};
use crate::case::{Answer, Case, Verdict, refused};
use crate::seeds::{CSV, MAT, NPY, PARQUET, folder};
use crate::{Random, mutate};

/// Bytes of samples that may be in memory.
const MEMORY: u64 = 1 << 16;
/// Samples that are read.
const MOST_ROWS: usize = 64;

struct Stream {
    file: Table,
}

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    let file = match random.below(8) {
        0 => Table::changed(&CSV, random),
        1 => Table::changed(&MAT, random),
        2 | 3 => {
            let bytes = mutate::mutated(&npy::of_parts(random), &NPY[0].bytes, random);
            Table::new("x.npy", bytes, random)
        }
        4 | 5 => Table::changed(&NPY, random),
        _ => Table::changed(&PARQUET, random),
    };
    Box::new(Stream { file })
}

impl Case for Stream {
    fn check(&self) -> Verdict {
        let path = folder().join(&self.file.name);
        fs::write(&path, &self.file.bytes).map_err(|error| format!("no temporary file: {error}"))?;
        let verdict = self.look(&path);
        drop(fs::remove_file(&path));
        verdict
    }

    fn show(&self) -> String {
        self.file.show()
    }

    fn bytes(&self) -> Vec<u8> {
        self.file.bytes.clone()
    }
}

impl Stream {
    fn look(&self, path: &Path) -> Verdict {
        let options = &self.file.options;
        let told = match file_size(path, options) {
            Err(error) => refused(&error, &self.file.name).map(|_| None)?,
            Ok(size) => size.shape,
        };
        let whole = match read(path, options) {
            Err(error) => refused(&error, &self.file.name)?,
            Ok(data) => {
                // A table that is told to be otherwise than it is would be given too little memory.
                if told.is_some_and(|told| told != data.x.shape()) {
                    return Err(format!("{told:?} is announced, but {:?} is read", data.x.shape()));
                }
                sound(&data)?
            }
        };
        match stream(path, options, MEMORY) {
            Err(error) => refused(&error, &self.file.name).map(|_| whole),
            Ok(streamed) => rows(&streamed.rows),
        }
    }
}

/// The first samples and the last one.
fn rows(rows: &FileRows) -> Verdict {
    let (n, d) = rows.shape();
    let first = 0..n.min(MOST_ROWS.min(1 + (1 << 16) / d.max(1)));
    for range in [first, n - 1..n] {
        let mut out = vec![0.0_f64; range.len() * d];
        if let Err(error) = RowSource::<f64>::read(rows, range, &mut out) {
            return Err(format!("a file that was taken cannot be read: {error}"));
        }
    }
    Ok(Answer::Taken)
}
