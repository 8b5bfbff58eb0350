//! HDF5 files: AnnData, 10x, MATLAB 7.3, plain datasets.

use super::table::Table;
use crate::Random;
use crate::case::Case;
use crate::seeds::HDF5;

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    Box::new(Table::changed(&HDF5, random))
}
