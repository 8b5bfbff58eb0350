//! JSON lines and arrays of objects.

use super::table::Table;
use crate::Random;
use crate::case::Case;
use crate::seeds::JSON;

pub(super) fn make(random: &mut Random) -> Box<dyn Case> {
    Box::new(Table::changed(&JSON, random))
}
