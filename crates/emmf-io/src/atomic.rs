//! Writing a file so that a failure half-way leaves nothing behind and destroys nothing.

use crate::error::{Error, Problem};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

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

/// Files that belong together: every one is on the disk before the first gets its name, so that a full
/// disk leaves all of them as they were.
#[derive(Debug, Default)]
pub struct Batch {
    written: Vec<(NamedTempFile, PathBuf)>,
}

impl Batch {
    /// Writes a file under a temporary name, see [`write_atomically`].
    pub fn add(
        &mut self,
        path: &Path,
        fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), Error> {
        self.add_at(path, fill).map_err(|e| Problem::Write(e).of(path.display().to_string()))
    }

    /// Gives every file its name.
    pub fn commit(self) -> Result<(), Error> {
        for (temporary, path) in self.written {
            let name = path.display().to_string();
            temporary.persist(&path).map_err(|e| Problem::Write(e.error).of(name))?;
            // The new name is safe once the folder is on the disk. Not every system can do that.
            File::open(folder_of(&path)).and_then(|folder| folder.sync_all()).ok();
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
            Err(e) if e.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(e) => return Err(e),
        };
        let temporary = stage(&path, fill)?;
        self.written.push((temporary, path));
        Ok(())
    }
}

/// Whether files can be written to a folder, which is made when there is something to write.
pub fn check_folder(folder: &Path) -> Result<(), Error> {
    let there = folder.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    temporary_file(there).map(drop).map_err(|e| Problem::Write(e).of(folder.display().to_string()))
}

/// Whether [`write_atomically`] will find a folder that it may write to, so that this is known before
/// hours of work, not after.
pub fn check_writable(path: &Path) -> Result<(), Error> {
    let checked = match fs::metadata(path) {
        _ if path.as_os_str() == "-" => Ok(()),
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Ok(()),
        _ => temporary_file(&folder_of(path)).map(drop),
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

/// Writes the file under a temporary name. It removes itself when dropped before it is renamed.
fn stage(
    path: &Path,
    fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let mut temporary = temporary_file(&folder_of(path))?;
    pour(temporary.as_file_mut(), fill)?;
    if let Ok(there) = fs::metadata(path) {
        temporary.as_file().set_permissions(there.permissions())?;
    }
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// With the permissions of any new file, not the private ones of a temporary file.
fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".emmf-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(without_path)
}

/// The name of a temporary file means nothing to the user.
fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((what, _)) => io::Error::new(error.kind(), what),
        None => error,
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
