//! HDF5: AnnData, 10x, loom, MATLAB 7.3, and any file whose datasets are matrices.

mod cells;
mod open;
mod write;

use crate::budget::Budget;
use crate::dataset::Dataset;
use crate::error::Problem;
use crate::guarded::guarded;
use crate::options::ReadOptions;
use crate::source::Source;
use crate::tree::{self, anndata};
use crate::unpack::{begin, unpacked};
use open::Hdf5;
use std::borrow::Cow;
use std::path::Path;
pub(crate) use write::{Annotations, annotate};

/// The first bytes, at 0, or after the head that MATLAB puts in front.
const MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Bytes that they are among.
const HEAD: usize = 520;

/// Whether these are the first bytes of an HDF5 file.
pub(crate) fn is_hdf5(head: &[u8]) -> bool {
    head.starts_with(MAGIC) || head.get(512..).is_some_and(|head| head.starts_with(MAGIC))
}

/// Whether a file is AnnData, packed or not. What gives each byte only once is not looked at.
pub fn is_anndata(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let look = || -> Result<bool, Problem> {
        let source = Source::open(path).map_err(|error| error.problem)?;
        if !is_hdf5(&begin(&source.head, HEAD)) {
            return Ok(false);
        }
        let (budget, name) = (Budget::default(), source.name.clone());
        let file = if is_hdf5(&source.head) {
            Hdf5::open_in_place(path, &budget)?
        } else {
            Hdf5::open(unpacked(source.bytes(&budget)?.into(), &name, &budget)?.0, &budget)?
        };
        Ok(anndata::is_anndata(&file))
    };
    guarded("its datasets", look).unwrap_or(false)
}

/// Reads the matrix, the labels and the names.
pub(crate) fn read(bytes: Cow<'_, [u8]>, options: &ReadOptions) -> Result<Dataset, Problem> {
    guarded("its datasets", || {
        let file = Hdf5::open(bytes, &options.budget)?;
        match cells::read(&file, options)? {
            Some(data) => Ok(data),
            None => tree::read(&file, options),
        }
    })
}

/// Reads the labels alone.
pub(crate) fn read_labels(
    bytes: Cow<'_, [u8]>,
    (wanted, budget): (Option<&str>, &Budget),
) -> Result<Vec<String>, Problem> {
    guarded("its datasets", || tree::read_labels(&Hdf5::open(bytes, budget)?, wanted))
}
