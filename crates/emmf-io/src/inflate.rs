//! Unpacking compressed bytes without trusting what they say about their size.

use crate::error::Problem;
use std::io::Read;

/// Below this no ratio is suspicious.
const FLOOR: u64 = 512 << 20;
/// Real data seldom pack better than this; a bomb packs 1000 to 1.
const RATIO: u64 = 200;

/// How many bytes may still come out of a file.
pub(crate) struct Allowance {
    limit: u64,
    left: u64,
}

impl Allowance {
    /// For a file of `bytes` bytes.
    pub(crate) fn for_input(bytes: usize) -> Self {
        let limit = FLOOR.max((bytes as u64).saturating_mul(RATIO));
        Self { limit, left: limit }
    }

    /// Reads to the end, growing with what really comes, or fails when the allowance is used up.
    pub(crate) fn read(&mut self, reader: impl Read, place: &str) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        reader
            .take(self.left.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|e| Problem::malformed(place, format!("cannot be unpacked ({e})")))?;
        self.spend(Some(bytes.len() as u64), place)?;
        Ok(bytes)
    }

    /// Takes `bytes` off; `None` stands for a number too large to compute.
    pub(crate) fn spend(&mut self, bytes: Option<u64>, place: &str) -> Result<(), Problem> {
        let left = bytes.and_then(|bytes| self.left.checked_sub(bytes));
        self.left = left.ok_or_else(|| Problem::TooLarge { place: place.into(), limit: self.limit })?;
        Ok(())
    }
}
