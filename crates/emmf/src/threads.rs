//! The threads of a call: a pool of its own, so that nothing fights over a global one and a process
//! may fork between calls.

use crate::error::{Error, Result};

/// Runs `work` with this many threads; `None` is one for each core.
pub(crate) fn within<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Result<R> {
    let threads = threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::Threads { threads, why: error.to_string() })?;
    Ok(pool.install(work))
}
