//! Writing a file so that a failure half-way leaves nothing behind and destroys nothing.

use crate::error::{Error, Problem};
use crate::journal::{Changes, Journal, settle, sync};
use crate::part::{Part, Unfinished, sweep};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file as a whole or not at all.
///
/// The bytes go to a temporary file in the same folder, which is flushed to the disk and then
/// renamed. After any error the temporary file is gone and what stood at `path` is untouched.
/// A link is followed. Devices and pipes (`/dev/stdout`) are written to directly; `-` is standard
/// output.
pub fn write_atomically(
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), Error> {
    let mut batch = Batch::default();
    batch.add(path, fill)?;
    batch.commit()
}

/// Files that belong together. Every one is on the disk before the first gets its name, so that a full disk leaves all
/// of them as they were; and those of a folder get their names as one, even if the program is killed half-way.
#[derive(Debug, Default)]
pub struct Batch {
    folders: BTreeMap<PathBuf, Vec<Change>>,
}

/// One file of a folder.
#[derive(Debug)]
enum Change {
    Named(Part, PathBuf),
    Removed(PathBuf),
}

impl Batch {
    /// Writes a file under a temporary name, see [`write_atomically`].
    pub fn add(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), Error> {
        settle(&folder_of(path))?;
        self.add_at(path, fill).map_err(|e| Problem::Write(e).of(path.display().to_string()))
    }

    /// Removes a file when the others get their names.
    pub fn remove(&mut self, path: &Path) -> Result<(), Error> {
        let path = in_real_folder(path).map_err(|e| Problem::Write(e).of(path.display().to_string()))?;
        self.folders.entry(folder_of(&path)).or_default().push(Change::Removed(path));
        Ok(())
    }

    /// Gives every file its name.
    pub fn commit(self) -> Result<(), Error> {
        let journals = self.folders.iter().map(|(folder, changes)| journal(folder, changes));
        let journals = journals.collect::<Result<Vec<_>, _>>()?;
        let mut unfinished = Unfinished::now();
        for ((folder, changes), journal) in self.folders.iter().zip(&journals) {
            match journal {
                Some(journal) => journal.commit(&mut unfinished)?,
                None => changes.iter().try_for_each(|change| change.make(&mut unfinished))?,
            }
            sync(folder);
        }
        Ok(())
    }

    fn add_at(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> io::Result<()> {
        if path.as_os_str() == "-" {
            return pour(io::stdout(), fill);
        }
        let path = match fs::metadata(path) {
            Ok(there) if there.is_file() => fs::canonicalize(path)?,
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => return pour(OpenOptions::new().write(true).open(path)?, fill),
            Err(e) if e.kind() == io::ErrorKind::NotFound => in_real_folder(path)?,
            Err(e) => return Err(e),
        };
        let folder = folder_of(&path);
        if !self.folders.contains_key(&folder) {
            // What a killed writer left may be what fills the disk.
            sweep(&folder);
        }
        let part = stage(&path, fill)?;
        self.folders.entry(folder).or_default().push(Change::Named(part, path));
        Ok(())
    }
}

impl Change {
    fn make(&self, unfinished: &mut Unfinished) -> Result<(), Error> {
        let (done, path) = match self {
            Self::Named(part, path) => (unfinished.rename(&part.path, path), path),
            Self::Removed(path) => (fs::remove_file(path), path),
        };
        done.map_err(|e| Problem::Write(e).of(path.display().to_string()))
    }
}

/// The journal by which several changes of a folder become one. A single one needs none, and names that are no text
/// have no place in it.
fn journal(folder: &Path, changes: &[Change]) -> Result<Option<Journal>, Error> {
    let mut noted = Changes::default();
    for change in changes {
        let name = |path: &PathBuf| Some(path.file_name()?.to_str()?.to_owned());
        let known = match change {
            Change::Named(part, path) => name(&part.path).zip(name(path)).map(|(part, name)| {
                noted.names.insert(part, name);
            }),
            Change::Removed(path) => name(path).map(|name| noted.removed.push(name)),
        };
        if known.is_none() {
            return Ok(None);
        }
    }
    if changes.len() < 2 {
        return Ok(None);
    }
    let refused = |e| Problem::Write(e).of(folder.display().to_string());
    Journal::new(folder.to_owned(), noted).map(Some).map_err(refused)
}

/// Whether files can be written to a folder, which is made when there is something to write.
pub fn check_folder(folder: &Path) -> Result<(), Error> {
    let there = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    Part::new(there).map(drop).map_err(|e| Problem::Write(e).of(folder.display().to_string()))
}

/// Whether [`write_atomically`] will find a folder that it may write to, so that this is known before
/// hours of work, not after.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    let checked = match fs::metadata(path) {
        _ if path.as_os_str() == "-" => Ok(()),
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Ok(()),
        _ => Part::new(&folder_of(path)).map(drop),
    };
    checked.map_err(|e| Problem::Write(e).of(path.display().to_string()))
}

/// Fills a buffer in front of `out` and flushes it, so that no error gets lost in a drop.
fn pour<W: Write + Send>(
    out: W,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, Remembering { out, failure: None });
    let filled = fill(&mut out).and_then(|()| out.flush());
    let (out, _) = out.into_parts();
    filled.map_err(|error| out.failure.unwrap_or(error))
}

/// Writes the file under a temporary name.
fn stage(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<Part> {
    let part = Part::new(&folder_of(path))?;
    pour(&part.file, fill)?;
    if let Ok(there) = fs::metadata(path) {
        part.file.set_permissions(there.permissions())?;
    }
    part.file.sync_all()?;
    Ok(part)
}

/// So that files of one folder are known as such, whatever way leads there.
fn in_real_folder(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    Ok(fs::canonicalize(folder_of(path))?.join(name))
}

pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Keeps the system's error, which the libraries that write a format wrap in errors of their own.
struct Remembering<W> {
    out: W,
    failure: Option<io::Error>,
}

impl<W: Write> Remembering<W> {
    fn remember<R>(&mut self, done: io::Result<R>) -> io::Result<R> {
        if let Err(error) = &done
            && error.kind() != io::ErrorKind::Interrupted
        {
            let code = error.raw_os_error();
            self.failure = Some(code.map_or_else(|| error.kind().into(), io::Error::from_raw_os_error));
        }
        done
    }
}

impl<W: Write> Write for Remembering<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write(bytes);
        self.remember(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.remember(done)
    }
}
