//! Parquet files.

use super::table::Table;
use crate::Random;
use crate::case::Case;
use crate::seeds::PARQUET;

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    Box::new(Table::changed(&PARQUET, random))
}
