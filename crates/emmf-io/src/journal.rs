//! Several files of a folder that change as one.
//!
//! The new files are on the disk under temporary names. Then a journal, `.emmf-*.commit`, says which name each is to get
//! and which files are to go; then that is done. Whoever finds a journal whose writer has died does it in its place: a
//! folder is the old one until the journal stands, and the new one from then on.

use crate::error::{Error, Problem};
use crate::part::{Part, Unfinished, ours};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const SUFFIX: &str = ".commit";

/// What changes in a folder. Names alone, so that a journal never reaches out of its folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Changes {
    /// The final name of each temporary file.
    pub(crate) names: BTreeMap<String, String>,
    /// Files to remove.
    pub(crate) removed: Vec<String>,
}

impl Changes {
    /// Makes them, or what is left of them.
    fn make(&self, folder: &Path) -> Result<(), Error> {
        let there = |done: io::Result<()>, name: &str| match done {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Problem::Write(error).of(folder.join(name).display().to_string()))
            }
            _ => Ok(()),
        };
        for (part, name) in &self.names {
            there(fs::rename(folder.join(part), folder.join(name)), name)?;
        }
        for name in &self.removed {
            there(fs::remove_file(folder.join(name)), name)?;
        }
        sync(folder);
        Ok(())
    }

    fn are_names(&self) -> bool {
        let is_name = |name: &str| Path::new(name).file_name().is_some_and(|last| last == name);
        self.names.iter().all(|(part, name)| is_name(part) && is_name(name))
            && self.removed.iter().all(|name| is_name(name))
    }
}

/// A journal that is on the disk and does not stand yet.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    part: Part,
    changes: Changes,
}

impl Journal {
    pub(crate) fn new(folder: PathBuf, changes: Changes) -> io::Result<Self> {
        let mut part = Part::new(&folder)?;
        part.file.write_all(&serde_json::to_vec(&changes)?)?;
        part.file.sync_all()?;
        Ok(Self { folder, part, changes })
    }

    /// Makes the changes. From here on they are made whatever happens.
    pub(crate) fn commit(&self, unfinished: &mut Unfinished) -> Result<(), Error> {
        let path = self.part.path.with_extension(&SUFFIX[1..]);
        let refused = |error| Problem::Write(error).of(self.folder.display().to_string());
        unfinished.rename(&self.part.path, &path).map_err(refused)?;
        sync(&self.folder);
        for part in self.changes.names.keys() {
            unfinished.forget(&self.folder.join(part));
        }
        self.changes.make(&self.folder)?;
        end(&self.folder, &path).map_err(refused)
    }
}

/// The journals in a folder.
pub(crate) fn standing(folder: &Path) -> Vec<PathBuf> {
    ours(folder, SUFFIX)
}

/// Completes what writers that died had begun to change in a folder, and waits for those that live.
pub(crate) fn settle(folder: &Path) -> Result<(), Error> {
    standing(folder).iter().try_for_each(|journal| complete(folder, journal))
}

fn complete(folder: &Path, path: &Path) -> Result<(), Error> {
    let halfway = |why: io::Error| Problem::Halfway(why).of(folder.display().to_string());
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(halfway(error)),
    };
    file.lock().map_err(halfway)?;
    if !path.exists() {
        return Ok(());
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(halfway)?;
    let changes: Changes = serde_json::from_str(&text).map_err(|error| halfway(error.into()))?;
    if !changes.are_names() {
        return Err(halfway(io::Error::other("the journal names other folders")));
    }
    changes.make(folder)?;
    end(folder, path).map_err(halfway)
}

fn end(folder: &Path, journal: &Path) -> io::Result<()> {
    fs::remove_file(journal)?;
    sync(folder);
    Ok(())
}

/// New names are safe once the folder is on the disk. Not every system can do that.
pub(crate) fn sync(folder: &Path) {
    File::open(folder).and_then(|folder| folder.sync_all()).ok();
}
