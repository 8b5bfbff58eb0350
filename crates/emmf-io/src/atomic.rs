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
    let written = if path.as_os_str() == "-" {
        pour(io::stdout(), fill).map(drop)
    } else {
        match fs::metadata(path) {
            Ok(there) if there.is_file() => fs::canonicalize(path).and_then(|path| replace(&path, fill)),
            Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => OpenOptions::new().write(true).open(path).and_then(|out| pour(out, fill)).map(drop),
            Err(e) if e.kind() == io::ErrorKind::NotFound => replace(path, fill),
            Err(e) => Err(e),
        }
    };
    written.map_err(|e| Problem::Write(e).of(path.display().to_string()))
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
) -> io::Result<W> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    fill(&mut out)?;
    out.flush()?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

fn replace(path: &Path, fill: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    let folder = folder_of(path);
    // Removes itself when dropped before it is renamed.
    let mut temporary = temporary_file(&folder)?;
    pour(temporary.as_file_mut(), fill)?;
    if let Ok(there) = fs::metadata(path) {
        temporary.as_file().set_permissions(there.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    // The new name is safe once the folder is on the disk. Not every system can do that.
    File::open(folder).and_then(|folder| folder.sync_all()).ok();
    Ok(())
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
    builder.tempfile_in(folder)
}
