//! Temporary files: named `.emmf-*.part`, locked as long as their writer lives, removed when it gives up, and swept away
//! by the next writer where it was killed.

use crate::journal;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::Builder;

const PREFIX: &str = ".emmf-";
const SUFFIX: &str = ".part";

/// What this process has made and is to vanish if it ends now: temporary files, and folders made for results. Whoever
/// holds it can make files and give them their names; nobody else can meanwhile.
static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished { paths: BTreeSet::new(), written: false });

#[derive(Debug)]
pub(crate) struct Unfinished {
    paths: BTreeSet<PathBuf>,
    written: bool,
}

impl Unfinished {
    pub(crate) fn now() -> MutexGuard<'static, Self> {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&mut self, path: &Path) {
        self.paths.insert(path.to_owned());
    }

    /// No longer to vanish; says whether it was.
    pub(crate) fn forget(&mut self, path: &Path) -> bool {
        self.paths.remove(path)
    }

    /// A temporary file takes its final name.
    pub(crate) fn rename(&mut self, part: &Path, path: &Path) -> io::Result<()> {
        fs::rename(part, path)?;
        self.paths.remove(part);
        self.written = true;
        Ok(())
    }
}

/// Removes what this process has begun to write and not given its name, and lets nothing more be written: for a program
/// that exits at once. Files that are getting their names get them first. Says whether this process has written any file.
pub fn abandon() -> bool {
    let unfinished = Unfinished::now();
    for file in &unfinished.paths {
        fs::remove_file(file).ok();
    }
    // A folder comes before those in it.
    for folder in unfinished.paths.iter().rev() {
        fs::remove_dir(folder).ok();
    }
    let written = unfinished.written;
    std::mem::forget(unfinished);
    written
}

/// A temporary file, which vanishes with this value unless it has got a name.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
}

impl Part {
    /// With the permissions of any new file, not the private ones of a temporary file.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let mut builder = Builder::new();
        builder.prefix(PREFIX).suffix(SUFFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut unfinished = Unfinished::now();
        loop {
            let made = builder.tempfile_in(folder).map_err(without_path)?;
            let (file, path) = made.keep().map_err(|kept| kept.error)?;
            let swept = matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !path.exists();
            // Another writer may have taken it for a dead one's before it was locked. Where a file system has no
            // locks nobody sweeps.
            if !swept {
                unfinished.add(&path);
                return Ok(Self { path, file });
            }
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut unfinished = Unfinished::now();
        if unfinished.forget(&self.path) {
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Removes the temporary files of writers that were killed.
pub(crate) fn sweep(folder: &Path) {
    for path in ours(folder, SUFFIX) {
        let Ok(file) = OpenOptions::new().read(true).write(true).open(&path) else { continue };
        // A writer that lives holds the lock. One that died after it had written a journal owes its files to the folder.
        if file.try_lock().is_ok() && journal::standing(folder).is_empty() {
            fs::remove_file(&path).ok();
        }
    }
}

/// Our files of a kind in a folder.
pub(crate) fn ours(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_ours = |name: &str| name.starts_with(PREFIX) && name.ends_with(suffix);
    let named = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_ours));
    named.map(|entry| entry.path()).collect()
}

/// The name of a temporary file means nothing to the user.
fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((what, _)) => io::Error::new(error.kind(), what),
        None => error,
    }
}
