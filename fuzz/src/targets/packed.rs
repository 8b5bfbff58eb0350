//! Tables packed by gzip, bzip2 and zstd.

use super::table::Table;
use crate::Random;
use crate::case::Case;
use crate::seeds::PACKED;

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    Box::new(Table::changed(&PACKED, random))
}
