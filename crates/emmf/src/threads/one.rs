//! One thread: every loop runs on the calling one. The names are rayon's, so that the loops are written once.

use crate::error::Result;

/// The calling thread in place of a pool.
#[derive(Debug)]
pub(super) struct Workers;

impl Workers {
    #[expect(clippy::unnecessary_wraps, reason = "with several threads it can fail")]
    pub(super) fn new(_: usize) -> Result<Self> {
        Ok(Self)
    }

    #[expect(clippy::unused_self, reason = "several threads have to be counted")]
    pub(super) fn number(&self) -> usize {
        1
    }

    #[expect(clippy::unused_self, reason = "several threads belong to a pool")]
    pub(super) fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }

    pub(super) fn awake<R>(&self, work: impl FnOnce() -> R) -> R {
        self.run(work)
    }
}

/// Does the work for every item, in one room.
pub(crate) fn each_in<I: Iterator, S>(
    items: I,
    room: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I::Item) + Sync,
) {
    let mut room = room();
    items.for_each(|item| work(&mut room, item));
}

pub(crate) mod prelude {
    use std::slice::{Chunks, ChunksExact, ChunksExactMut, ChunksMut, IterMut};

    /// Any iterator that knows its length.
    pub(crate) trait IndexedParallelIterator: ExactSizeIterator + Sized {
        /// There is one piece, so no piece is too small.
        fn with_min_len(self, _: usize) -> Self {
            self
        }
    }

    impl<I: ExactSizeIterator> IndexedParallelIterator for I {}

    pub(crate) trait ParallelSlice<T> {
        fn par_chunks(&self, size: usize) -> Chunks<'_, T>;
        fn par_chunks_exact(&self, size: usize) -> ChunksExact<'_, T>;
    }

    impl<T> ParallelSlice<T> for [T] {
        fn par_chunks(&self, size: usize) -> Chunks<'_, T> {
            self.chunks(size)
        }

        fn par_chunks_exact(&self, size: usize) -> ChunksExact<'_, T> {
            self.chunks_exact(size)
        }
    }

    pub(crate) trait ParallelSliceMut<T> {
        fn par_iter_mut(&mut self) -> IterMut<'_, T>;
        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
        fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T>;
    }

    impl<T> ParallelSliceMut<T> for [T] {
        fn par_iter_mut(&mut self) -> IterMut<'_, T> {
            self.iter_mut()
        }

        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
            self.chunks_mut(size)
        }

        fn par_chunks_exact_mut(&mut self, size: usize) -> ChunksExactMut<'_, T> {
            self.chunks_exact_mut(size)
        }
    }
}
