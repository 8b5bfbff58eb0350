//! Unpacking compressed bytes without trusting what they say about their size.

use crate::budget::Budget;
use crate::error::Problem;
use std::io::Read;

/// Below this no ratio is suspicious.
const FLOOR: u64 = 512 << 20;
/// Real data seldom pack better than this; a bomb packs 1000 to 1.
const RATIO: u64 = 200;

/// How many bytes may still come out of a file.
pub(crate) struct Allowance<'a> {
    limit: u64,
    left: u64,
    budget: &'a Budget,
}

impl<'a> Allowance<'a> {
    /// For a file of `bytes` bytes.
    pub(crate) fn for_input(bytes: usize, budget: &'a Budget) -> Self {
        let limit = FLOOR.max((bytes as u64).saturating_mul(RATIO));
        Self { limit, left: limit, budget }
    }

    /// Reads to the end, growing with what really comes, or fails when the allowance is used up.
    pub(crate) fn read(&mut self, reader: impl Read, place: &str) -> Result<Vec<u8>, Problem> {
        let failed = |e| Problem::malformed(place, format!("cannot be unpacked ({e})"));
        let reader = reader.take(self.left.saturating_add(1));
        let bytes = self.budget.read_to_end(reader, (Vec::new(), 0), failed, place)?;
        self.spend(Some(bytes.len() as u64), place)?;
        Ok(bytes)
    }

    /// So many zeros, for what unpacks to so many bytes.
    pub(crate) fn room(&mut self, bytes: usize, place: &str) -> Result<Vec<u8>, Problem> {
        self.spend(Some(bytes as u64), place)?;
        let mut room = self.budget.room(Some(bytes), place)?;
        room.resize(bytes, 0);
        Ok(room)
    }

    /// Takes `bytes` off; `None` stands for a number too large to compute.
    pub(crate) fn spend(&mut self, bytes: Option<u64>, place: &str) -> Result<(), Problem> {
        let left = bytes.and_then(|bytes| self.left.checked_sub(bytes));
        self.left = left.ok_or_else(|| Problem::TooLarge { place: place.into(), limit: self.limit })?;
        Ok(())
    }
}
