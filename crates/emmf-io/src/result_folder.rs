//! The folder of a fit, which is one thing: held by one program at a time, and changed as one.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, Problem};
use crate::journal::settle;
use crate::part::{Part, Unfinished, sweep};

/// A folder for the results of a fit, held from before the work until they are there, so that no other program writes
/// its own into it meanwhile. A folder that was made for them and got none is taken away again.
#[derive(Debug)]
pub struct ResultFolder {
    pub(crate) path: PathBuf,
    _made: Made,
    _lock: File,
}

impl ResultFolder {
    /// Makes the folder where it is missing, holds it, and puts in order what a killed program left in it.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let refused = |error| Problem::Write(error).of(path.display().to_string());
        let (made, lock) = loop {
            let made = Made::new(path).map_err(refused)?;
            let lock = lock_file(path).map_err(refused)?;
            if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
                return Err(Problem::InUse.of(path.display().to_string()));
            }
            // Whoever had made it may have taken it away before we held it.
            if is_at(&lock, path) {
                break (made, lock);
            }
        };
        settle(path)?;
        sweep(path);
        Part::new(path).map_err(refused)?;
        Ok(Self { path: path.to_owned(), _made: made, _lock: lock })
    }
}

/// Folders that were made for results; those that stay empty vanish with it.
#[derive(Debug)]
struct Made(Vec<PathBuf>);

impl Made {
    fn new(path: &Path) -> io::Result<Self> {
        let mut unfinished = Unfinished::now();
        let missing =
            path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        made.iter().for_each(|folder| unfinished.add(folder));
        drop(unfinished);
        let made = Self(made);
        if !made.0.is_empty() {
            fs::create_dir_all(path)?;
        }
        Ok(made)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for folder in &self.0 {
            fs::remove_dir(folder).ok();
            Unfinished::now().forget(folder);
        }
    }
}

/// What is locked: the folder itself, so that no file for it is left behind.
#[cfg(unix)]
fn lock_file(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Folders cannot be locked everywhere.
#[cfg(not(unix))]
fn lock_file(folder: &Path) -> io::Result<File> {
    fs::OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(".emmf-lock"))
}

#[cfg(unix)]
fn is_at(lock: &File, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |there: io::Result<fs::Metadata>| there.map(|there| (there.dev(), there.ino())).ok();
    place(lock.metadata()).is_some_and(|held| Some(held) == place(fs::metadata(folder)))
}

#[cfg(not(unix))]
fn is_at(_: &File, folder: &Path) -> bool {
    folder.exists()
}
