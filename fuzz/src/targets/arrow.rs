//! Arrow files and streams.

use super::table::Table;
use crate::Random;
use crate::case::Case;
use crate::seeds::ARROW;

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    Box::new(Table::changed(&ARROW, random))
}
