//! Excel files.

use super::table::Table;
use crate::Random;
use crate::case::Case;
use crate::seeds::SHEET;

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    Box::new(Table::changed(&SHEET, random))
}
