//! The memory that reading may take: asked for before anything is allocated because a file or an option says so.

use crate::error::Problem;
use crate::machine;
use emmf::{Mat, Real};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first piece of memory for bytes whose number is not known.
const PIECE: u64 = 1 << 16;

/// Who says how much memory there is, and how many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The caller.
    Asked(u64),
    /// The machine, see [`machine::memory`].
    Machine(u64),
}

impl Limit {
    /// Bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Asked(bytes) | Self::Machine(bytes) => bytes,
        }
    }
}

/// Bytes that reading may still take. Clones share them.
#[derive(Debug, Clone)]
pub struct Budget {
    limit: Limit,
    left: Arc<AtomicU64>,
}

impl Default for Budget {
    /// What the machine has.
    fn default() -> Self {
        Self::new(Limit::Machine(machine::memory()))
    }
}

impl Budget {
    /// With all of the limit left.
    pub fn new(limit: Limit) -> Self {
        Self { limit, left: Arc::new(AtomicU64::new(limit.bytes())) }
    }

    /// Bytes that are left.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// The limit it was made with.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// A budget of its own with what is left of this one, for work that gives back its memory at its end.
    pub(crate) fn fork(&self) -> Self {
        Self { limit: self.limit, left: Arc::new(AtomicU64::new(self.left())) }
    }

    /// Takes bytes off that are in use already.
    pub fn spend(&self, bytes: u64) {
        self.change(|left| Some(left.saturating_sub(bytes)));
    }

    /// Takes bytes off for `what`; `None` stands for a number too large to compute.
    pub(crate) fn take(&self, bytes: Option<u64>, what: &str) -> Result<(), Problem> {
        let taken = bytes.is_some_and(|bytes| self.change(|left| left.checked_sub(bytes)));
        if taken { Ok(()) } else { Err(self.exceeded(bytes, what)) }
    }

    /// An empty vector with room for so many entries.
    pub(crate) fn room<T>(&self, entries: Option<usize>, what: &str) -> Result<Vec<T>, Problem> {
        let mut room = Vec::new();
        self.grow(&mut room, entries, what)?;
        Ok(room)
    }

    /// Makes room for more entries of a vector.
    pub(crate) fn grow<T>(
        &self,
        vector: &mut Vec<T>,
        more: Option<usize>,
        what: &str,
    ) -> Result<(), Problem> {
        let bytes = more.and_then(|more| (more as u64).checked_mul(size_of::<T>() as u64));
        self.take(bytes, what)?;
        // Of a vector without any, this is exact.
        let reserved = vector.try_reserve(more.unwrap_or(usize::MAX));
        reserved.map_err(|_| self.exceeded(bytes, what))
    }

    /// A matrix of zeros.
    pub(crate) fn zeros<T: Real>(&self, (rows, cols): (usize, usize), what: &str) -> Result<Mat<T>, Problem> {
        let mut entries = self.room(rows.checked_mul(cols), what)?;
        entries.resize(rows * cols, T::ZERO);
        Ok(Mat::from_vec(entries, rows, cols)?)
    }

    /// The bytes `head` and all that follow in `reader`, of which there are probably `more`.
    pub(crate) fn read_to_end(
        &self,
        mut reader: impl Read,
        (head, more): (Vec<u8>, u64),
        failed: impl Fn(io::Error) -> Problem,
        what: &str,
    ) -> Result<Vec<u8>, Problem> {
        let mut bytes = head;
        // A byte more than expected shows at once that this was all.
        let mut wanted = more.saturating_add(1).max(PIECE);
        self.take(Some(bytes.capacity() as u64), what)?;
        loop {
            // Where less is left than wanted, it may still be enough.
            let room = wanted.min(self.left());
            let exceeded = || self.exceeded(Some(wanted.saturating_add(bytes.len() as u64)), what);
            if room == 0 || !self.change(|left| left.checked_sub(room)) {
                return Err(exceeded());
            }
            if bytes.try_reserve_exact(room as usize).is_err() {
                return Err(self.exceeded(Some(wanted), what));
            }
            let read = reader.by_ref().take(room).read_to_end(&mut bytes).map_err(&failed)?;
            if (read as u64) < room {
                break;
            }
            wanted = bytes.len() as u64;
        }
        let before = bytes.capacity();
        bytes.shrink_to_fit();
        self.change(|left| left.checked_add((before - bytes.capacity()) as u64));
        Ok(bytes)
    }

    fn exceeded(&self, bytes: Option<u64>, what: &str) -> Problem {
        let needed = bytes.unwrap_or(u64::MAX);
        Problem::Memory { what: what.into(), needed, left: self.left(), limit: self.limit }
    }

    fn change(&self, change: impl Fn(u64) -> Option<u64>) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change).is_ok()
    }
}
